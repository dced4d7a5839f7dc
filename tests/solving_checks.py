# SPDX-License-Identifier: MIT
"""What a search has proven, compared with brute force and with the rules in plain Python."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import unbounded as ub
from unbounded import native
from unbounded.game import Game
from unbounded.reference.backward_induction import minimax_scores
from unbounded.reference.definitions import outcome, reachable, score, successors
from unbounded.search.budget import Budget
from unbounded.search.search import Search
from unbounded.search.tree import Node
from unbounded.solving.strong import resolve_all

Worths = Mapping[Any, tuple[int, float]]
"""The first player's outcome and score under best play, by state; both players go for both."""

Row = tuple[tuple[int, float], ...]
"""Outcome and score per player."""


@cache
def worths_of(text: str) -> Worths:
    """Every state of a little two-player game by brute force."""
    return minimax_scores(ub.load_game(text))


class Strong(Mapping[Any, tuple[int, float]]):
    """The same of larger games, by resolving every state without any shortcut."""

    def __init__(self, text: str) -> None:
        self.search = Search(text, evaluation="zero")
        assert resolve_all(self.search, Budget()).resolved

    def __getitem__(self, state: Any) -> tuple[int, float]:
        number = self.search._core.find(self.search.route.to_core(state))
        if number is None:
            raise KeyError(state)
        node = self.search._core.node(number)
        return node.completion[0], node.value[0]

    def __iter__(self) -> Iterator[Any]:
        for number in range(len(self)):
            yield self.search.route.from_core(self.search._core.state(number))

    def __len__(self) -> int:
        return int(self.search.states)


def worth(game: Game[Any, Any], worths: Mapping[Any, Any], state: Any) -> Any:
    """Look up a state, which may be an image of one that can be reached."""
    if state in worths:
        return worths[state]
    return next(worths[image] for image in native.images(game, state) if image in worths)


def check_stored_states(search: Search, worths: Worths) -> None:
    """What is proven of any stored state holds, and what is counted as resolved is resolved."""
    core, game = search._core, search.game
    resolved = 0
    for number in range(core.states):
        node = Node(search, number)
        true_outcome, true_score = worth(game, worths, node.state)
        (low, high), second = node.outcome_bounds
        assert low <= true_outcome <= high, (node.state, search.options)
        assert second == (-high, -low)
        if node.resolved:
            resolved += 1
            assert node.outcome == (true_outcome, -true_outcome)
            assert low == high
        else:
            assert node.outcome is None
            assert node.score is None
            assert low < high or search.options.exact_score
        if node.score is not None:
            assert node.score == (true_score, -true_score)
    assert core.resolved == resolved


def play_line(search: Search) -> Any:
    """Play the best line by the rules in plain Python; return the state it leads to."""
    game, state = search.game, search.state
    for name in search.result.pv:
        state = game.next(state, game.parse_action(state, name))
    return state


def check_line(search: Search) -> None:
    """The best line of a resolved root ends the game as was proven."""
    game, result = search.game, search.result
    assert result.resolved, result.stopped
    end = play_line(search)
    assert not game.actions(end), f"{game}: the line {result.pv} does not end the game"
    assert tuple(game.outcome(end)) == result.outcome
    assert result.distance == len(result.pv)
    assert result.best_action == (result.pv[0] if result.pv else None)
    assert result.outcome_bounds == tuple((x, x) for x in result.outcome)
    if result.score[0] is not None:
        assert tuple(score(game, end)) == result.score


def equilibria(game: Game[Any, Any], *, scores: bool = True) -> dict[Any, frozenset[Row]]:
    """Return, by state, what the players can get in any subgame-perfect equilibrium.

    A row of a child is one of the state's if the mover could not get more at another child, where
    the others may follow any equilibrium: also the one that is worst for the mover. Without scores
    they play for the outcomes alone.
    """
    rows: dict[Any, frozenset[Row]] = {}
    for state in reachable(game):
        below = [rows[child] for child in successors(game, state)]
        if below:
            rows[state] = equilibria_above(below, game.player(state))
        else:
            points = score(game, state) if scores else (0.0,) * game.players
            end = zip(outcome(game, state), points, strict=True)
            rows[state] = frozenset([tuple(end)])
    return rows


def equilibria_of_graph(search: Search) -> dict[Any, frozenset[Row]]:
    """Return the same for larger games, by the graph of a search that has resolved every state."""
    core, game = search._core, search.game
    nodes = [core.node(number) for number in range(core.states)]
    below = [[child for child, _ in core.children(number)] for number in range(core.states)]
    found: list[frozenset[Row] | None] = [None] * core.states
    open_numbers = [core.root]
    while open_numbers:
        number = open_numbers[-1]
        missing = [child for child in below[number] if found[child] is None]
        if missing and found[number] is None:
            open_numbers += missing
            continue
        open_numbers.pop()
        rows = [row for child in below[number] if (row := found[child]) is not None]
        if not nodes[number].terminal:
            found[number] = equilibria_above(rows, nodes[number].player)
            continue
        state = search.route.from_core(core.state(number))
        end = zip(outcome(game, state), score(game, state), strict=True)
        found[number] = frozenset([tuple(end)])
    states = (search.route.from_core(core.state(number)) for number in range(core.states))
    return {state: rows for state, rows in zip(states, found, strict=True) if rows is not None}


def equilibria_above(below: list[frozenset[Row]], mover: int) -> frozenset[Row]:
    """Return what an equilibrium can bring at a state, given the same of its children."""
    sure = max(min(row[mover] for row in rows) for rows in below)
    return frozenset(row for rows in below for row in rows if row[mover] >= sure)


def row_of(node: Node) -> Row:
    """What is proven of a resolved state of a game of many players."""
    assert node.outcome is not None
    assert node.score is not None
    return tuple(zip(node.outcome, node.score, strict=True))


def check_stored_rows(search: Search, rows: Mapping[Any, frozenset[Row]]) -> None:
    """What is proven of any stored state is one of its equilibria."""
    resolved = 0
    for number in range(search.states):
        node = Node(search, number)
        if not node.resolved:
            assert node.outcome_bounds == ((-1, 1),) * search.game.players
            continue
        resolved += 1
        assert row_of(node) in worth(search.game, rows, node.state), search.options
    assert search.resolved_states == resolved
