# SPDX-License-Identifier: MIT
"""Nim once more, as slow and plain as possible: heaps are lists of objects, players have names."""

from __future__ import annotations

from collections.abc import Sequence

Heaps = tuple[tuple[str, ...], ...]
State = tuple[Heaps, int, int | None]
"""The heaps, whose turn it is, and who took last."""


def initial(heaps: Sequence[int]) -> State:
    return tuple(("stick",) * heap for heap in heaps), 0, None


def actions(state: State, most: int) -> list[tuple[int, int]]:
    """Which heap, counted from 0, and how many."""
    found = []
    for number, heap in enumerate(state[0]):
        for taken in range(1, len(heap) + 1):
            if most == 0 or taken <= most:
                found.append((number, taken))
    return found


def following(state: State, action: tuple[int, int], players: int) -> State:
    heaps, turn, _ = state
    number, taken = action
    left = list(heaps)
    for _ in range(taken):
        left[number] = left[number][1:]
    return tuple(left), 0 if turn == players - 1 else turn + 1, turn


def winners(state: State, players: int, misere: bool) -> set[int]:
    """Who has won, when everything has been taken."""
    heaps, _, last = state
    assert last is not None
    assert not any(heaps)
    return set(range(players)) - {last} if misere else {last}


def mover_wins(state: State, most: int, misere: bool, known: dict[Heaps, bool]) -> bool:
    """Whether the mover of two can force a win."""
    heaps, turn, _ = state
    if heaps not in known:
        moves = actions(state, most)
        after = [following(state, move, 2) for move in moves]
        lost = [not mover_wins(s, most, misere, known) for s in after]
        known[heaps] = any(lost) if moves else turn in winners(state, 2, misere)
    return known[heaps]
