# SPDX-License-Identifier: MIT
"""Chomp once more, as slow and plain as possible: the squares left are a set of (column, row)."""

from __future__ import annotations

from typing import Any

State = tuple[frozenset[tuple[int, int]], int]


def initial(rows: int, columns: int) -> State:
    return frozenset((column, row) for column in range(columns) for row in range(rows)), 0


def actions(state: State) -> list[tuple[int, int]]:
    return sorted(state[0])


def following(state: State, bitten: tuple[int, int]) -> State:
    left, turn = state
    stays = [square for square in left if square[0] < bitten[0] or square[1] < bitten[1]]
    return frozenset(stays), 1 - turn


def outcome(state: State) -> list[int]:
    left, turn = state
    assert not left
    eater = 1 - turn
    return [-1 if who == eater else 1 for who in (0, 1)]


def value(state: State, known: dict[Any, int]) -> int:
    """Return +1 if whoever moves wins, else -1."""
    if not state[0]:
        return 1
    if state[0] not in known:
        known[state[0]] = max(-value(following(state, a), known) for a in actions(state))
    return known[state[0]]
