# SPDX-License-Identifier: MIT
"""The positions that a search has stored and proven, as rows of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from unbounded import native
from unbounded.game import Game, RuleError
from unbounded.search.result import note_of
from unbounded.search.search import Search
from unbounded.search.tree import Child, Node
from unbounded.solving.keys import text_of

_STATES_BETWEEN_REPORTS = 100


@dataclass(frozen=True)
class ProvenPosition:
    """A proven position."""

    key: str
    """The state, and no other: its bytes in hexadecimal, or what `keys` makes of an object."""
    player: int | None
    """Who moves, from 0; None when the game is over."""
    outcome: tuple[int, ...]
    score: tuple[float, ...] | None
    """None where only the outcome is proven."""
    best: tuple[str, ...]
    """The actions that are proven to be best; there may be others that are as good."""
    distance: int | None
    """How many moves the proven line of best play takes; None where it is not stored."""
    equilibrium: bool = False
    """Whether best play may have other results too, as with more than two players."""
    scores_ignored: bool = False
    """Whether it is best play for the outcomes alone; see `Search.scores_ignored`."""

    @property
    def note(self) -> str:
        """What has to be said with the outcome, in words; see `result.note_of`."""
        return note_of(equilibrium=self.equilibrium, scores_ignored=self.scores_ignored)


COLUMNS = ("key", "player", "outcome", "score", "best", "distance")
"""The columns of a row; the rest is the same for all rows, and in the header."""


def image_of(game: Game[Any, Any], state: Any) -> Any:
    """Return the state that stands for all images of this one."""
    return min(native.images(game, state), key=lambda image: text_of(game, image))


def key_of(game: Game[Any, Any], state: Any, *, canonical: bool) -> str:
    """Return the key of a state; with `canonical`, that of all its images."""
    return text_of(game, image_of(game, state) if canonical else state)


def positions_of(
    search: Search, progress: Callable[[int, int], None] | None = None
) -> Iterator[ProvenPosition]:
    """Yield every state that a search has stored and proven; report how many are done."""
    lengths = line_lengths(search)
    seen: set[str] = set()
    for number, length in enumerate(lengths):
        if progress is not None and number % _STATES_BETWEEN_REPORTS == 0:
            progress(number, len(lengths))
        node = search.node(number)
        if node.resolved:
            row = _position(search, node, length)
            _check_alone(search, node, row.key, seen)
            yield row


def _check_alone(search: Search, node: Node, key: str, seen: set[str]) -> None:
    """Make sure that a key is that of one state.

    Compiled rules store a state as its bytes, or as those of its smallest image: no two have the
    same. Objects are compared as they wish.
    """
    if search.route.holds_objects:
        alone = key not in seen
        seen.add(key)
    else:
        alone = key == text_of(search.game, node.state)
    if not alone:
        raise RuleError(
            f"{search.game}: two states have the key {key} in a table: either states that are "
            "equal have different hashes, or the symmetries do not form a group"
        )


def _position(search: Search, node: Node, distance: int | None) -> ProvenPosition:
    game, outcome, player = search.game, node.outcome, node.player
    assert outcome is not None
    best = [c.name for c in node.children if player is not None and _is_best(node, c, player)]
    if search.options.canonical:
        best = renamed(game, best, node.state, image_of(game, node.state))
    key = key_of(game, node.state, canonical=search.options.canonical)
    return ProvenPosition(
        key,
        player,
        outcome,
        node.score,
        tuple(best),
        distance,
        equilibrium=not search.zero_sum,
        scores_ignored=search.scores_ignored,
    )


def line_lengths(search: Search) -> list[int | None]:
    """Return, by node number, the length of each proven pv; None where it is not stored whole."""
    found: list[int | None] = [None] * search.states
    done = bytearray(search.states)
    for start in range(search.states):
        path: list[int] = []
        number: int | None = start
        while number is not None and not done[number]:
            path.append(number)
            done[number] = True
            number = search.best_successor(number)
        below = None if number is None else found[number]
        for at in reversed(path):
            if search.node(at).is_terminal:
                below = -1
            below = None if below is None else below + 1
            found[at] = below
    return found


def _is_best(node: Node, child: Child, player: int) -> bool:
    """Whether a child is proven to be as good for the player as the state is."""
    assert node.outcome is not None
    if child.outcome is None or child.outcome[player] != node.outcome[player]:
        return False
    if node.score is None or child.score is None:
        return node.score is None
    return child.score[player] == node.score[player]


def renamed(game: Game[Any, Any], names: Sequence[str], there: Any, here: Any) -> list[str]:
    """Name actions of a state as they are called in an image of it."""
    if there == here:
        return list(names)

    def below(state: Any, action: Any) -> Any:
        return image_of(game, game.next(state, action))

    good = [below(there, game.parse_action(there, name)) for name in names]
    return [game.action_name(here, a) for a in game.actions(here) if below(here, a) in good]
