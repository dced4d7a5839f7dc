# SPDX-License-Identifier: MIT
"""Phrases for people, the same everywhere: players, counts, outcomes, numbers."""

from __future__ import annotations

from collections.abc import Sequence


def counted(number: int, noun: str, plural: str = "") -> str:
    """Write how many: "1 game", "1,200 games"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def cut(text: str, longest: int) -> str:
    """Return a text as it is, or its beginning if it is longer than that."""
    return text if len(text) <= longest else text[: longest - 3] + "..."


def shortened(text: str) -> str:
    """Write a text in quotes for a message in one line; a long one is cut."""
    return repr(cut(text, 60))


def names(players: Sequence[int]) -> str:
    """Name players for people, who count from 1: "player 1", "players 1, 2 and 4"."""
    numbers = [str(player + 1) for player in players]
    if len(numbers) == 1:
        return f"player {numbers[0]}"
    return f"players {', '.join(numbers[:-1])} and {numbers[-1]}"


def outcome_text(outcome: Sequence[int | None]) -> str:
    """Write an outcome in words."""
    groups = {x: [who for who, y in enumerate(outcome) if y == x] for x in (1, 0, -1)}
    if len(groups[0]) == len(outcome):
        return "draw"
    verbs = {1: ("wins", "win"), 0: ("draws", "draw"), -1: ("loses", "lose")}
    said = [
        f"{names(players)} {verbs[x][len(players) > 1]}" for x, players in groups.items() if players
    ]
    # If all others lose, or if all others draw, naming one of the two groups is enough.
    obvious = len(said) == 2 and (groups[1] == [] or groups[0] == [])
    return (said[-1] if groups[1] == [] else said[0]) if obvious else ", ".join(said)


def bounds_text(bounds: Sequence[tuple[int, int]]) -> str:
    """Write what is proven of an outcome that is not: who cannot win, who cannot lose."""
    sure = {(0, 1): "cannot lose", (-1, 0): "cannot win"}
    said = [f"player {who + 1} {sure[pair]}" for who, pair in enumerate(bounds) if pair in sure]
    return ", ".join(said)


def worth_text(outcome: int, score: float | None = None) -> str:
    """Write what a player gets: "a draw", "a win with a score of +6.500"."""
    words = {1: "a win", 0: "a draw", -1: "a loss"}[outcome]
    return words if score is None else f"{words} with a score of {number_text(score)}"


def number_text(number: float) -> str:
    """Write a value or a score, with its sign."""
    if number == 0:
        return "0.000"
    return f"{number:+.3f}" if abs(number) < 10 else f"{number:+.6g}"


def numbers_text(numbers: Sequence[float | None]) -> str:
    """Write a number for each player, with the player's name."""
    shown = [(who, x) for who, x in enumerate(numbers) if x is not None]
    return ", ".join(f"player {who + 1} {number_text(x)}" for who, x in shown)
