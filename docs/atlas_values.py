# SPDX-License-Identifier: MIT
"""The entries of the atlas beside what is known from elsewhere: sources and contradictions."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from atlas_published import EXAMINED, LITERATURE, PUBLISHED

from unbounded.game import Game, Known
from unbounded.game.catalogue import games, load_game

Entry = dict[str, Any]
UNPUBLISHED = "not published, as far as we know"


@dataclass(frozen=True)
class Contradiction:
    """A proven value that another source denies."""

    board: str
    proven: str
    said: str
    source: str

    @property
    def examined(self) -> str:
        """What is known about it; empty if nobody has looked into it yet."""
        return EXAMINED.get(self.board, "")


@functools.cache
def known_values() -> dict[str, tuple[Known, ...]]:
    """Return the known values of every game, by game string in the game's own spelling."""
    found: dict[str, tuple[Known, ...]] = {}
    shelf = [cls for cls in games().values() if cls.__module__.startswith("unbounded.games.")]
    for known in [value for cls in shelf for value in cls().known_values] + list(PUBLISHED):
        name = str(load_game(known.game))
        found[name] = (*found.get(name, ()), known)
    return found


def inside(game: Game[Any, Any]) -> Game[Any, Any]:
    """Return the game inside all wrappers."""
    while hasattr(game, "game"):
        game = game.game
    return game


def sources(entry: Entry) -> str:
    """Say where the value is known from."""
    game = load_game(entry["game"])
    exact = [known.source for known in known_values().get(entry["game"], ())]
    if exact:
        return "; ".join(dict.fromkeys(exact))
    inner = inside(game)
    if str(inner) != entry["game"]:
        said = [known.source for known in known_values().get(str(inner), ())]
        return f"{UNPUBLISHED}; who wins: {said[0]}" if said and game.players == 2 else UNPUBLISHED
    return LITERATURE.get(game.game_name(), UNPUBLISHED) if game.players == 2 else UNPUBLISHED


def contradictions(entries: Sequence[Entry]) -> list[Contradiction]:
    """Return every value that a source, or another entry, denies.

    Only of two players and zero sum: other games may have several equilibria.
    """
    proven = {entry["game"]: entry for entry in entries}
    return [
        found for entry in entries if not entry["equilibrium"] for found in denied(entry, proven)
    ]


def denied(entry: Entry, proven: dict[str, Entry]) -> Iterator[Contradiction]:
    """Yield the contradictions of one entry."""
    for known in known_values().get(entry["game"], ()):
        if differ(entry, known.outcome, known.score):
            yield contradiction(entry, known.outcome, known.score, known.source)
    inner = str(inside(load_game(entry["game"])))
    if inner == entry["game"]:
        return
    for known in known_values().get(inner, ()):
        if differ(entry, known.outcome, None):
            yield contradiction(entry, known.outcome, None, known.source)
    if inner in proven and differ(entry, proven[inner]["outcome"], None):
        yield contradiction(entry, proven[inner]["outcome"], None, "this atlas")


def differ(entry: Entry, outcome: Sequence[int], score: Sequence[float] | None) -> bool:
    """Whether a value is not that of the entry, as far as both are known."""
    if list(outcome) != entry["outcome"]:
        return True
    return score is not None and entry["score"] is not None and list(score) != entry["score"]


def contradiction(
    entry: Entry, outcome: Sequence[int], score: Sequence[float] | None, source: str
) -> Contradiction:
    """Return a contradiction with both values in words."""
    proven = value_text(entry["outcome"], entry["score"] if score else None)
    return Contradiction(entry["board"], proven, value_text(outcome, score), source)


def value_text(outcome: Sequence[int], score: Sequence[float] | None) -> str:
    """Write a value of two players in words."""
    who = {1: "the first player wins", 0: "draw", -1: "the second player wins"}[outcome[0]]
    return who if score is None else f"{who}, {score[0]:+g}"
