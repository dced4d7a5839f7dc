# SPDX-License-Identifier: MIT
"""One player against another on many games: who is better, where, and by how much."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

from unbounded.game import require
from unbounded.players import read_kind
from unbounded.players.matches.match import Match, Task, by_opening, play_tasks
from unbounded.players.matches.playing import GameRecord
from unbounded.players.matches.rating import Pair, Rating, limited, ratings


@dataclass(frozen=True)
class Comparison:
    """Two players, and what is different about the first."""

    about: str
    first: str
    second: str

    def within(self, **limits: Any) -> Comparison:
        """The same players with these limits, such as seconds for a move."""
        first, second = (str(replace(read_kind(x), **limits)) for x in (self.first, self.second))
        return Comparison(self.about, first, second)


@dataclass(frozen=True)
class Comparing:
    """What is to be played: every comparison on every game is a match of its own."""

    comparisons: tuple[Comparison, ...]
    games: tuple[str, ...]
    games_each: int = 24
    opening: int = 2
    seed: int = 0

    def __post_init__(self) -> None:
        require(len(self.comparisons) > 0, "nothing is to be compared")
        require(len(self.games) > 0, "there is no game to compare on")
        assert self.matches, "making them checks them"

    @cached_property
    def matches(self) -> dict[tuple[str, str], Match]:
        """The match of each comparison, by what it is about, on each game."""
        return {
            (x.about, game): Match(
                game, (x.first, x.second), self.games_each, self.opening, self.seed
            )
            for x in self.comparisons
            for game in self.games
        }


@dataclass(frozen=True)
class Score:
    """How the first did against the second. A game of many counts as its pairs."""

    games: int
    won: int
    drawn: int
    lost: int
    share: float | None
    """The share of the points; None where they did not meet."""
    difference: Rating
    """The first's Elo less the second's."""
    illegal: int
    """Moves of either that were not legal."""
    failed: int
    """Games in which a program failed."""
    overruns: int
    """Moves of either that took longer than they may."""


@dataclass(frozen=True)
class ComparisonResult:
    """What a comparison has shown so far."""

    about: str
    first: str
    second: str
    by_game: Mapping[str, Score]
    whole: Score
    """The score over all games together."""

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON; what has no limit is None."""
        return dict(limited(asdict(self)))


Played = tuple[Match, GameRecord]


def compare(
    comparing: Comparing,
    *,
    jobs: int | None = None,
    ray: str | None = None,
    progress: Callable[[Sequence[Played]], None] | None = None,
) -> tuple[list[ComparisonResult], list[Played]]:
    """Play all matches on all cores; Ctrl-C ends it with the games that were played.

    `ray` is an address, to play on all cores of a cluster (see `cluster/ray_connection.py`).
    `progress` is given all games so far after each; `results_of` makes tables of them.
    """
    tasks = _in_turn([list(match.tasks()) for match in comparing.matches.values()])
    played: list[Played] = []
    try:
        with closing(play_tasks(tasks, len(tasks), jobs, ray)) as games:
            for task, record in zip(tasks, games, strict=True):
                played.append((task.match, record))
                if progress is not None:
                    progress(played)
    except KeyboardInterrupt:
        pass
    return results_of(comparing, played), played


def _in_turn(matches: Sequence[Sequence[Task]]) -> list[Task]:
    """All first games, then all second ones: who stops early has something of everything."""
    return [task for same_number in zip(*matches, strict=True) for task in same_number]


def results_of(comparing: Comparing, played: Sequence[Played]) -> list[ComparisonResult]:
    """Count what has been played."""
    results = []
    for x in comparing.comparisons:
        mine = {
            game: [p for p in played if p[0] == comparing.matches[x.about, game]]
            for game in comparing.games
        }
        by_game = {game: score_of(some) for game, some in mine.items()}
        whole = score_of([p for some in mine.values() for p in some])
        results.append(ComparisonResult(x.about, x.first, x.second, by_game, whole))
    return results


def score_of(played: Sequence[Played]) -> Score:
    """Count games of one comparison, on one game or on several."""
    matches: dict[Match, list[GameRecord]] = {}
    for match, record in played:
        matches.setdefault(match, []).append(record)
    openings = [
        [_from_the_first(pair) for pair in pairs]
        for match, records in matches.items()
        for pairs in by_opening(match, records)
    ]
    got = [points for pairs in openings for _, _, points in pairs]
    return Score(
        games=len(played),
        won=got.count(1.0),
        drawn=got.count(0.5),
        lost=got.count(0.0),
        share=sum(got) / len(got) if got else None,
        # Their mean is 0: what one is above it, the other is below.
        difference=ratings(openings, 2)[0].times(2),
        illegal=sum(record.illegal is not None for _, record in played),
        failed=sum(record.failed is not None for _, record in played),
        overruns=sum(sum(record.overruns) for _, record in played),
    )


def _from_the_first(pair: Pair) -> Pair:
    one, other, got = pair
    return pair if one == 0 else (other, one, 1 - got)
