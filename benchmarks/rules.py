# SPDX-License-Identifier: MIT
"""How fast rules are: ours compiled, beside OpenSpiel's C++ driven from Python.

Both walk through the same tree: all ways to play so many moves from the start. At every state in it
but the last ones, which are only counted, that is: make it from the one before, see whether the
game is over, list the legal moves. So the ratio of the times is that of (child + test for the end +
legal moves) per second, on the very same positions; that both count the same leaves is checked.

A turn of Amazons is two actions for us (move, shoot) and three for OpenSpiel (choose an amazon,
move it, shoot). There the tree is two full turns for both, and the ratio that of turns per second.
OpenSpiel ends Lines of Action when a position occurs again, which can happen from the fourth move
on; the tree here is not that deep.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyspiel

import unbounded as ub
from unbounded import native


@dataclass(frozen=True)
class SameGame:
    """A game on the same board, ours and theirs, and how deep the tree is for each."""

    ours: str
    theirs: str
    depth: int
    their_depth: int


def same(ours: str, theirs: str, depth: int, their_depth: int | None = None) -> SameGame:
    """Describe a game that both have."""
    return SameGame(ours, theirs, depth, their_depth or depth)


SAME_GAMES = [
    same("tic-tac-toe", "tic_tac_toe", 9),
    same("connect-four", "connect_four", 7),
    same("nim(heaps=[1,3,5,7],misere=true)", "nim", 6),
    same("hex(size=11)", "hex", 3),
    same("havannah(size=8)", "havannah", 3),
    same("breakthrough(rows=8,columns=8)", "breakthrough", 4),
    same("othello", "othello", 7),
    same("dots-and-boxes(rows=3,columns=3)", "dots_and_boxes(num_rows=3,num_cols=3)", 5),
    same("clobber(rows=5,columns=6)", "clobber", 4),
    same("amazons(size=10)", "amazons", 4, 6),
    same("lines-of-action(size=8)", "lines_of_action", 4),
]

SECONDS = 2.0
"""How long a game is measured, at least."""


@dataclass(frozen=True)
class Speed:
    """What was measured for one game."""

    game: SameGame
    leaves: int
    """Leaves of the tree."""
    states: int
    """States made, tested and asked for their moves."""
    ours: float
    """Seconds of processor time for the tree."""
    theirs: float
    """Seconds of processor time for the same tree."""

    @property
    def ratio(self) -> float:
        """How many times faster ours is."""
        return self.theirs / self.ours


def measure(game: SameGame) -> Speed:
    """Walk through the tree of a game with both."""
    rules = native.route_of(ub.load_game(game.ours)).rules
    leaves = native.count_leaves(rules, game.depth)  # compiles
    other = pyspiel.load_game(game.theirs)
    counted, states = perft(other.new_initial_state(), game.their_depth)
    assert counted == leaves, (game, counted, leaves)
    if game.depth != game.their_depth:
        states = sum(native.count_leaves(rules, d) for d in range(1, game.depth))
    ours, theirs = fastest(
        lambda: native.count_leaves(rules, game.depth),
        lambda: perft(other.new_initial_state(), game.their_depth),
    )
    return Speed(game, leaves, states, ours, theirs)


def perft(state: Any, depth: int) -> tuple[int, int]:
    """Count the leaves of OpenSpiel's tree, and the states that were asked for their moves."""
    leaves, states = 0, 0
    legal = state.legal_actions()
    if depth == 1:
        return len(legal), states
    below = depth - 1
    for action in legal:
        child = state.child(action)
        states += 1
        if not child.is_terminal():
            found, asked = perft(child, below)
            leaves += found
            states += asked
    return leaves, states


def fastest(*works: Callable[[], Any]) -> list[float]:
    """The processor time of the fastest run of each work, measured by turns.

    By turns, so that what else the machine does meanwhile slows down both alike.
    """
    best, spent, rounds = [float("inf")] * len(works), 0.0, 0
    while spent < SECONDS or rounds < 3:
        for which, work in enumerate(works):
            until = time.process_time() + SECONDS / 10
            while time.process_time() < until:
                started = time.process_time()
                work()
                taken = time.process_time() - started
                best[which], spent = min(best[which], taken), spent + taken
        rounds += 1
    return best


def main() -> None:
    """Print the figures of every game, for a look at one's own changes."""
    for game in SAME_GAMES:
        speed = measure(game)
        states, leaves = speed.states / speed.ours, speed.leaves / speed.ours
        print(
            f"{game.ours:34} {speed.states:>9,} states, ours {states:>12,.0f} states/s, "
            f"{leaves:>13,.0f} leaves/s, ratio {speed.ratio:5.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
