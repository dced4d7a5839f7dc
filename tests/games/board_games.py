# SPDX-License-Identifier: MIT
"""What the tests of several board games have in common."""

from __future__ import annotations

import functools
import random
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import unbounded as ub
from unbounded import Search, UsageError, native
from unbounded.conformance.check import random_play
from unbounded.game import RecordGame

GOLDEN = Path(__file__).parent.parent / "golden"
NONSENSE = [0, -1, 10**30, True, 1.5, "x", None]


def perft_counts(name: str) -> list[Any]:
    """Return (game, depth, count) for each count in a golden file."""
    found, text = [], ""
    for line in (GOLDEN / f"{name}.perft").read_text().splitlines():
        word, _, rest = line.partition(" ")
        if word == "game":
            text = rest
        elif word == "perft":
            pairs = [part.split() for part in rest.split("|")]
            found += [(text, int(depth), int(count)) for depth, count in pairs]
    return found


def check_perft(name: str) -> None:
    """Count through the core what the golden file of a game has counted."""
    counts = perft_counts(name)
    assert max(count for _, _, count in counts) >= 10**6
    games = {text: ub.load_game(text) for text, _, _ in counts}
    for text, depth, count in counts:
        assert (text, depth, native.perft(games[text], depth)) == (text, depth, count)


def play(game: RecordGame, moves: str) -> bytes:
    """Return the state after some moves, given by their names."""
    state = game.initial()
    for name in moves.split():
        state = game.next(state, game.parse_action(state, name))
    return state


def names(game: RecordGame, state: bytes) -> list[str]:
    """Return the names of the legal actions."""
    return [game.action_name(state, action) for action in game.actions(state)]


def some_states(game: RecordGame, games: int, seed: int = 0) -> Iterator[bytes]:
    """Yield the states of random games."""
    for number in range(games):
        yield from random_play(game, seed + number).states


def values_of(game: RecordGame) -> Callable[[bytes], tuple[int, ...]]:
    """Return a function that gives the value of a state, by plain backward induction."""

    @functools.cache
    def best(state: bytes) -> tuple[int, ...]:
        actions = game.actions(state)
        if not actions:
            return tuple(game.outcome(state))
        who = game.player(state)
        return max((best(game.next(state, a)) for a in actions), key=lambda v: v[who])

    return best


def check_symmetries(game: RecordGame, expected: int, seed: int = 0) -> None:
    """Check that the images of a state are the same position, and that they form a group."""
    assert game.symmetries == expected
    value = values_of(game)
    group_sizes = set()
    for state in random.Random(seed).sample(sorted(set(some_states(game, 30))), 25):
        images = [game.symmetry(state, k) for k in range(expected)]
        assert images[0] == state
        group_sizes.add(len(set(images)))
        for image in images:
            assert {game.symmetry(image, k) for k in range(expected)} == set(images)
            assert len(game.actions(image)) == len(game.actions(state))
            assert game.player(image) == game.player(state)
            assert value(image) == value(state)
            after = {game.next(state, a) for a in game.actions(state)}
            turned = {game.next(image, a) for a in game.actions(image)}
            k = images.index(image)
            assert {game.symmetry(s, k) for s in after} == turned
    assert max(group_sizes) == expected  # every symmetry moves something


def check_relabeling(game: RecordGame, seed: int = 0) -> None:
    """Check that renaming the two players gives the same position for the other one."""
    assert game.has_relabeling
    value = values_of(game)
    for state in random.Random(seed).sample(sorted(set(some_states(game, 30))), 25):
        image = game.relabel(state, 1)
        assert game.relabel(state, 0) == state
        assert game.relabel(image, 1) == state != image
        assert len(game.actions(image)) == len(game.actions(state))
        assert game.player(image) == 1 - game.player(state)
        assert value(image) == value(state)[::-1]
        after = {game.next(state, a) for a in game.actions(state)}
        assert {game.next(image, a) for a in game.actions(image)} == {
            game.relabel(s, 1) for s in after
        }


def check_evaluations(game: RecordGame, different: int) -> None:
    """Check that evaluations add up to zero and stay within the outcomes."""
    seen = set()
    for state in some_states(game, 20):
        if game.actions(state):
            first, second = game.evaluate(state)
            assert first == -second
            assert abs(first) < 1
            seen.add(first)
    assert len(seen) >= different


def planes_of(game: RecordGame, state: bytes) -> list[list[list[float]]]:
    """Return what `encode` gives as planes of rows, the bottom row first."""
    assert game.planes is not None
    channels, rows, columns = game.planes
    flat = list(game.encode(state))
    assert len(flat) == channels * rows * columns
    assert all(0 <= x <= 1 for x in flat)
    return [
        [flat[(c * rows + r) * columns : (c * rows + r + 1) * columns] for r in range(rows)]
        for c in range(channels)
    ]


def check_svg(game: RecordGame, state: bytes, last: int | None = None) -> Sequence[Any]:
    """Check that a drawing with all its marks is well-formed and has a title; return its parts."""
    plain = game.svg(state)
    marked = game.svg(state, last=last, targets=game.actions(state))
    for text in (plain, marked):
        root = ET.fromstring(text)
        title = root.find("{http://www.w3.org/2000/svg}title")
        assert title is not None
        assert title.text
    assert len(marked) > len(plain)
    return list(ET.fromstring(marked))


def check_bad_parameters(cls: type[RecordGame], *parameters: str) -> None:
    """Check that nonsense is refused, in one clear line that names the parameter."""
    for name in parameters:
        for value in NONSENSE:
            with pytest.raises(UsageError, match=name) as caught:
                cls(**{name: value})
            assert "\n" not in str(caught.value)
            assert len(str(caught.value)) < 120


def check_known_values(game: RecordGame) -> None:
    """Prove every value that others have found, but the slow ones."""
    assert any(not known.slow for known in game.known_values)
    for known in game.known_values:
        assert known.source
        assert str(ub.load_game(known.game)).startswith(game.game_name())
        if not known.slow:
            result = ub.solve(known.game, seconds=60)
            assert (known.game, result.outcome) == (known.game, known.outcome)


def heuristic_against_zero(text: str, *, iterations: int, openings: int, plies: int) -> float:
    """Return what part of the points the heuristic wins against none, at equal iterations."""
    game = ub.load_game(text)
    choose = random.Random(0)
    points = 0
    for _ in range(openings):
        opening: list[Any] = []
        while len(opening) < plies:
            opening, state = [], game.initial()
            while len(opening) < plies and game.actions(state):
                opening.append(choose.choice(game.actions(state)))
                state = game.next(state, opening[-1])
            if not game.actions(state):
                opening = []
        points += sum(_outcome(game, opening, seat, iterations) for seat in (0, 1))
    won = (points / (2 * openings) + 1) / 2
    print(f"{text}: heuristic against zero, {iterations} iterations: {won:.0%}")
    return won


def _outcome(game: Any, opening: Sequence[Any], seat: int, iterations: int) -> int:
    """Play a game, the heuristic in a given seat; return its outcome."""
    searches = {
        seat: Search(game, evaluation="heuristic"),
        1 - seat: Search(game, evaluation="zero"),
    }
    for search in searches.values():
        for action in opening:
            search.play_action(action)
    state = searches[0].state
    while game.actions(state):
        mover = searches[game.player(state)]
        mover.run(iterations=iterations)
        name = mover.decide("safest")
        for search in searches.values():
            search.play(name)
        state = mover.state
    outcome: int = game.outcome(state)[seat]
    return outcome
