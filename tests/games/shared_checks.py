# SPDX-License-Identifier: MIT
"""What the tests of several games have in common: walks, images, planes, drawings, matches."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import unbounded as ub
from unbounded import native
from unbounded.conformance.check import random_play
from unbounded.game import Game, RecordGame, UsageError

NONSENSE = [0, -1, -(10**6), 10**9, 10**30, True, 1.5, "x", None, [3], float("nan")]
GOLDEN = Path(__file__).parent.parent / "golden"


class StartingAt(Game[Any, Any]):
    """A game from another position than its first."""

    def __init__(self, game: Game[Any, Any], start: Any) -> None:
        self.game, self.start = game, start
        self.players, self.zero_sum = game.players, game.zero_sum
        self.best_score = game.best_scores
        self.player, self.actions, self.next = game.player, game.actions, game.next
        self.outcome = game.outcome

    def initial(self) -> Any:
        return self.start

    def score(self, state: Any) -> Any:
        return self.game.score(state)

    def evaluate(self, state: Any) -> Any:
        return self.game.evaluate(state)


def positions(game: RecordGame, games: int, seed: int = 0) -> Iterator[bytes]:
    """Yield the states of random games, their ends included."""
    for number in range(games):
        yield from random_play(game, 1000 * seed + number).states


def proven(game: RecordGame, state: bytes) -> tuple[Any, ...]:
    """Return the outcome under best play from a state."""
    if not game.actions(state):
        return tuple(game.outcome(state))
    has = "heuristic" if game.has_evaluation else "zero"
    return ub.solve(StartingAt(game, state), evaluation=has).outcome


# -- images ---------------------------------------------------------------------------------------


def check_symmetries(game: RecordGame, games: int = 5) -> None:
    """Every image is the same game for the same players, and images of images are images."""
    seen = set()
    for state in positions(game, games):
        images = [game.symmetry(state, k) for k in range(game.symmetries)]
        assert images[0] == state
        assert all(len(image) == game.state.size for image in images)
        for image in images:
            assert_same_game(game, state, image, 0)
            again = {game.symmetry(image, k) for k in range(game.symmetries)}
            assert again == set(images)
        after = {tuple(sorted(successors(game, image))) for image in images}
        assert len(after) == 1
        seen.add(len(set(images)))
    assert max(seen) == game.symmetries, "every symmetry does something somewhere"


def successors(game: RecordGame, state: bytes) -> list[bytes]:
    """Return the successors of a state, each as the smallest of its images."""
    children = [game.next(state, a) for a in game.actions(state)]
    return [min(game.symmetry(c, k) for k in range(game.symmetries)) for c in children]


def check_relabeling(game: RecordGame, games: int = 5, *, same_guess: bool = True) -> None:
    """Players renamed: the same game, everything in it rotated; back again it is the state.

    same_guess: whether the evaluation is rotated too.
    """
    assert game.has_relabeling
    changed = False
    for state in positions(game, games, seed=1):
        for k in range(game.players):
            image = game.relabel(state, k)
            changed |= image != state
            assert_same_game(game, state, image, k, same_guess=same_guess)
            assert game.relabel(image, (game.players - k) % game.players) == state
            below = {game.next(image, a) for a in game.actions(image)}
            assert below == {game.relabel(game.next(state, a), k) for a in game.actions(state)}
        assert game.relabel(state, 0) == state
    assert changed


def assert_same_game(
    game: RecordGame, state: bytes, image: bytes, k: int, *, same_guess: bool = True
) -> None:
    """The image is the state with player p renamed to p + k, as far as the rules say."""
    assert len(game.actions(image)) == len(game.actions(state))
    if game.actions(state):
        assert game.player(image) == (game.player(state) + k) % game.players
        if same_guess and game.has_evaluation:
            rotated = rotate(game.evaluate(state), k)
            assert list(game.evaluate(image)) == pytest.approx(rotated)
    else:
        assert list(game.outcome(image)) == rotate(game.outcome(state), k)


def rotate(values: Sequence[Any], k: int) -> list[Any]:
    """Return the values when player p is renamed to (p + k)."""
    return [values[(p - k) % len(values)] for p in range(len(values))]


def check_values_of_images(game: RecordGame, plies: Sequence[int], seeds: int) -> None:
    """Positions of random games have the proven values of all their images."""
    checked = 0
    for seed, ply in itertools.product(range(seeds), plies):
        states = random_play(game, seed).states
        if ply < len(states) - 1:
            value = proven(game, states[ply])
            for k in range(1, game.symmetries):
                assert proven(game, game.symmetry(states[ply], k)) == value
            if game.has_relabeling:
                for k in range(game.players):
                    assert list(proven(game, game.relabel(states[ply], k))) == rotate(value, k)
            checked += 1
    assert checked >= 3


# -- planes and pictures --------------------------------------------------------------------------


def planes_of(game: RecordGame, state: bytes) -> list[list[list[float]]]:
    """Return what `encode` gives as planes of rows of columns."""
    assert game.planes is not None
    channels, rows, columns = game.planes
    flat = game.encode(state)
    assert len(flat) == channels * rows * columns
    return [
        [[flat[(c * rows + r) * columns + x] for x in range(columns)] for r in range(rows)]
        for c in range(channels)
    ]


def check_planes(game: RecordGame, games: int = 5) -> None:
    """Planes are finite, tell positions apart, and do not tell who the mover is."""
    seen: dict[tuple[float, ...], bytes] = {}
    for state in positions(game, games, seed=2):
        flat = tuple(game.encode(state))
        assert all(math.isfinite(x) for x in flat)
        if game.actions(state):
            for k in range(game.players):
                assert tuple(game.encode(game.relabel(state, k))) == flat
            mine = game.relabel(state, (-game.player(state)) % game.players)
            assert seen.setdefault(flat, mine) == mine
    assert len(seen) > 5


def check_pictures(game: RecordGame, games: int = 2) -> None:
    """Pictures are XML with a title, with all marks, in every state of a few games."""
    for seed in range(games):
        play = random_play(game, seed)
        for state, last in zip(play.states, [None, *play.actions], strict=True):
            plain = game.svg(state)
            picture = ElementTree.fromstring(plain)
            title = picture.find("{http://www.w3.org/2000/svg}title")
            assert title is not None
            assert title.text
            if last is not None:
                assert game.svg(state, last=last) != plain
            actions = game.actions(state)
            marked = game.svg(state, last=last, targets=actions)
            ElementTree.fromstring(marked)
            if actions:
                assert len(marked) > len(plain)


# -- parameters, counts, values, strength ---------------------------------------------------------


def refused(make: Callable[..., Any], name: str, value: Any) -> None:
    """The parameter is refused in one short line."""
    with pytest.raises(UsageError) as caught:
        make(**{name: value})
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 120


def check_perft(file: str) -> None:
    """The compiled rules reach the counts of a golden file."""
    game: Any = None
    counted = 0
    for line in (GOLDEN / file).read_text().splitlines():
        word, _, rest = line.partition(" ")
        if word == "game":
            game = ub.load_game(rest)
        elif word == "perft":
            for pair in rest.split("|"):
                depth, count = map(int, pair.split())
                assert native.perft(game, depth) == count, (game, depth)
                counted = max(counted, count)
    assert counted > 0


def match(game: RecordGame, *, iterations: int, pairs: int, opening: int) -> float:
    """Play the heuristic against no knowledge, seats swapped; return its share of the points."""
    points, games = 0.0, 0
    for pair in range(pairs):
        moves = opening_moves(game, opening, pair)
        for seat in range(game.players):
            names = ["heuristic" if p == seat else "zero" for p in range(game.players)]
            outcome = play_out(game, names, moves, iterations)
            points += (outcome[seat] + 1) / 2
            games += 1
    share = points / games
    print(f"\n{game}: heuristic {share:.0%} of {games} games against zero, {iterations} iterations")
    return share


def opening_moves(game: RecordGame, length: int, seed: int) -> list[str]:
    """Return the names of the first moves of a random game that goes on after them."""
    for attempt in itertools.count():
        play = random_play(game, seed + 1000 * attempt)
        if len(play.actions) > length:
            pairs = zip(play.states, play.actions[:length], strict=False)
            return [game.action_name(s, a) for s, a in pairs]
    raise AssertionError


def play_out(
    game: RecordGame, names: Sequence[str], moves: Sequence[str], iterations: int
) -> Sequence[int]:
    """Play a game between searches with these evaluations; return its outcome."""
    searches = {name: ub.Search(game, evaluation=name, moves=moves) for name in set(names)}
    state = next(iter(searches.values())).state
    while game.actions(state):
        search = searches[names[game.player(state)]]
        search.run(iterations=iterations)
        move = search.decide("best")
        assert move is not None
        for each in searches.values():
            each.play(move)
        state = search.state
    return game.outcome(state)
