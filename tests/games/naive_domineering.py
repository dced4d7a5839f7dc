# SPDX-License-Identifier: MIT
"""Domineering once more, as slow and plain as possible: a set of free cells (column, row)."""

from __future__ import annotations

from typing import Any

State = tuple[frozenset[tuple[int, int]], str]
Domino = tuple[tuple[int, int], tuple[int, int]]


def initial(rows: int, columns: int, first: str) -> State:
    return frozenset((c, r) for c in range(columns) for r in range(rows)), first


def actions(state: State) -> list[Domino]:
    free, side = state
    found = []
    for column, row in sorted(free):
        other = (column, row + 1) if side == "vertical" else (column + 1, row)
        if other in free:
            found.append(((column, row), other))
    return found


def following(state: State, domino: Domino) -> State:
    free, side = state
    return free - set(domino), "horizontal" if side == "vertical" else "vertical"


def winner(state: State) -> str:
    """Who has won, when the game is over: not the one who would have to move."""
    assert not actions(state)
    return "horizontal" if state[1] == "vertical" else "vertical"


def best_play_winner(state: State, known: dict[Any, str]) -> str:
    if state not in known:
        moves = actions(state)
        if not moves:
            known[state] = winner(state)
        else:
            results = (best_play_winner(following(state, m), known) for m in moves)
            wins = state[1] in results
            other = "horizontal" if state[1] == "vertical" else "vertical"
            known[state] = state[1] if wins else other
    return known[state]
