# SPDX-License-Identifier: MIT
"""How fast rules are: ours compiled, beside OpenSpiel's C++ driven from Python.

One unit of work is a child, the test whether the game is over there, and its legal moves. Ours are
counted by perft through the core; a peer's by random games from Python.
"""

from __future__ import annotations

import time
from random import Random
from typing import Any

import pyspiel

import unbounded as ub
from unbounded import _native

SAME_GAMES = [
    ("tic-tac-toe", "tic_tac_toe"),
    ("connect-four", "connect_four"),
    ("nim(heaps=[1,3,5,7],misere=true)", "nim"),
    ("hex(size=11)", "hex"),
    ("havannah(size=8)", "havannah"),
    ("breakthrough(rows=8,columns=8)", "breakthrough"),
    ("othello", "othello"),
    ("dots-and-boxes(rows=3,columns=3)", "dots_and_boxes(num_rows=3,num_cols=3)"),
    ("clobber(rows=5,columns=6)", "clobber"),
    ("amazons(size=10)", "amazons"),
    ("lines-of-action(size=8)", "lines_of_action"),
]
"""Ours and theirs, on the same board."""

SECONDS = 1.0


def ours_per_second(text: str) -> float:
    """Children made, tested and expanded per second of processor time, by perft."""
    game = ub.game(text)
    rules = _native.route_of(game).rules
    depth, spent, nodes = 1, 0.0, 0
    while spent < SECONDS / 4 and depth < 30:
        depth += 1
        started = time.process_time()
        leaves = _native._core.perft(rules, depth)
        spent = time.process_time() - started
        # The leaves themselves are only counted; the moves of their parents were listed.
        nodes = sum(_native._core.perft(rules, d) for d in range(1, depth))
        if leaves == 0:
            break
    return nodes / spent


def theirs_per_second(name: str) -> float:
    """The same, along random games."""
    game, random, steps = pyspiel.load_game(name), Random(1), 0
    started = time.process_time()
    while time.process_time() - started < SECONDS:
        steps += _walk(game, random)
    return steps / (time.process_time() - started)


def _walk(game: Any, random: Random) -> int:
    steps, state = 0, game.new_initial_state()
    legal = state.legal_actions()
    while True:
        state = state.child(random.choice(legal))
        steps += 1
        if state.is_terminal():
            return steps
        legal = state.legal_actions()
