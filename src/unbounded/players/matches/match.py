# SPDX-License-Identifier: MIT
"""Many games: who sits where, on all cores, and the table at the end."""

from __future__ import annotations

import itertools
import multiprocessing
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from unbounded.game import require
from unbounded.game.catalogue import load_game
from unbounded.game.notices import print_error
from unbounded.players import Kind, read_kind
from unbounded.players.matches.playing import GameRecord, hash_of, play_game, random_length
from unbounded.players.matches.rating import Pair, Rating, Sprt, limited, pairs_of, ratings
from unbounded.solving.solve import available_cores


@dataclass(frozen=True)
class Match:
    """What is to be played: equal matches by count budgets are equal games.

    >>> import unbounded as ub
    >>> match = ub.Match("tic-tac-toe", ("ubfm(iterations=100)", "random"), games=4, seed=1)
    >>> match.seatings  # who sits where, by the number of the player
    [(0, 1), (1, 0)]
    """

    game: str
    contestants: tuple[str, ...]
    games: int = 24
    """The default is a multiple of the number of seatings of two, three or four players."""
    opening: int = 2
    """Random moves at the start; every opening is played in every seating."""
    seed: int = 0

    def __post_init__(self) -> None:
        require(len(self.contestants) >= 2, "a match needs two players at least")
        require(self.games >= 1, f"games must be 1 or more, not {self.games}")
        require(self.opening >= 0, f"opening must be 0 or more, not {self.opening}")
        game = load_game(self.game)
        require(game.players >= 2, f"{game} is for one player; a match needs two or more")
        for kind in self.kinds():
            kind.player(game, 0)
            require(
                self.opening == 0 or not kind.only_from_start,
                f"`opening` must be 0, not {self.opening}: {kind} can only play from the start",
            )

    def kinds(self) -> list[Kind]:
        """The contestants, ready to be seated."""
        return [read_kind(text) for text in self.contestants]

    @cached_property
    def seatings(self) -> list[tuple[int, ...]]:
        """All ways to seat them: no one twice, if there are enough; else never one everywhere."""
        seats, count = load_game(self.game).players, len(self.contestants)
        if count >= seats:
            return list(itertools.permutations(range(count), seats))
        return [x for x in itertools.product(range(count), repeat=seats) if len(set(x)) > 1]

    def opening_of(self, number: int) -> int:
        """Which of the openings a game starts from."""
        return number // len(self.seatings)

    def task(self, number: int) -> Task:
        """Who plays whom in one of the games, and from which opening."""
        opening, place = divmod(number, len(self.seatings))
        return Task(self, number, self.seatings[place], hash_of(self.seed, opening))

    def tasks(self) -> Iterator[Task]:
        """All its games, in order."""
        return map(self.task, range(self.games))


@dataclass(frozen=True)
class Task:
    """One game of a match."""

    match: Match
    number: int
    places: tuple[int, ...]
    seed: int


@dataclass(frozen=True)
class Standing:
    """How a contestant has done."""

    contestant: str
    games: int
    won: tuple[int, ...]
    """Per seat."""
    drawn: tuple[int, ...]
    lost: tuple[int, ...]
    rating: Rating
    seconds_per_move: float
    illegal: int
    failed: int
    """Games in which its program failed, and which it lost so."""
    overruns: int


@dataclass(frozen=True)
class MatchResult:
    """What a match has shown so far."""

    game: str
    played: int
    standings: tuple[Standing, ...]
    table: tuple[tuple[float | None, ...], ...]
    """What each got against each, as a share of the points; None where they did not meet."""
    verdict: str | None = None
    """The verdict of the sequential test: H1, H0, or None (open, or there was none)."""
    reasons: tuple[tuple[int, str], ...] = ()
    """The number of each game that a player forfeited, and why, where that is known."""

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON; what has no limit is None."""
        return dict(limited(asdict(self)))


def play_match(
    match: Match,
    *,
    jobs: int | None = None,
    ray: str | None = None,
    sprt: Sprt | None = None,
    progress: Callable[[Sequence[GameRecord]], None] | None = None,
) -> tuple[MatchResult, list[GameRecord]]:
    """Play a match on all cores; Ctrl-C ends it with the games that were played.

    `ray` is an address, to play on all cores of a cluster (see `cluster/ray_connection.py`).
    `progress` is given all games so far after each; `result_of` makes a table of them.

    >>> import unbounded as ub
    >>> match = ub.Match("tic-tac-toe", ("ubfm(iterations=500)", "random"), games=4, seed=1)
    >>> result, records = ub.play_match(match, jobs=1)
    >>> len(records), records[0].outcome
    (4, (1, -1))
    """
    require(sprt is None or len(match.contestants) == 2, "the sequential test is for two players")
    records: list[GameRecord] = []
    verdict = None
    try:
        with closing(play_tasks(match.tasks(), match.games, jobs, ray)) as games:
            for record in games:
                records.append(record)
                verdict = None if sprt is None else sprt.verdict(results_of_first(match, records))
                if progress is not None:
                    progress(records)
                if verdict is not None:
                    break
    except KeyboardInterrupt:
        pass
    return result_of(match, records, verdict), records


def play_tasks(
    tasks: Iterable[Task], count: int, jobs: int | None = None, ray: str | None = None
) -> Generator[GameRecord, None, None]:
    """Play the games of one or several matches; yield them in the order of the tasks."""
    if ray is not None:
        from unbounded.players.matches.on_ray import RayGames

        with closing(RayGames(tasks, count, address=ray, jobs=jobs, log=print_error)) as games:
            yield from games
        return
    jobs = min(jobs or available_cores(), count)
    if jobs == 1:
        yield from map(play, tasks)
        return
    # A new process each: threads of a search and a fork do not go together.
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap(play, tasks)


def guess_seconds(matches: Iterable[Match], jobs: int | None = None) -> float | None:
    """Guess how long matches will take, from the length of random games; None where no clock runs.

    A guess is all that can be had before the first game.
    """
    seconds, lengths, games = 0.0, dict[str, int | None](), 0
    for match in matches:
        times = [kind.seconds_per_move for kind in match.kinds()]
        if match.game not in lengths:
            lengths[match.game] = random_length(load_game(match.game))
        length, known = lengths[match.game], [x for x in times if x is not None]
        if length is None or not known:
            return None
        seconds += match.games * length * sum(known) / len(times)
        games += match.games
    return seconds / min(jobs or available_cores(), max(1, games))


def play(task: Task) -> GameRecord:
    """Play one game of a match."""
    game, kinds = load_game(task.match.game), task.match.kinds()
    seats = [kinds[place] for place in task.places]
    return play_game(game, seats, number=task.number, seed=task.seed, opening=task.match.opening)


# -- counting --------------------------------------------------------------------------------------


def result_of(
    match: Match, records: Sequence[GameRecord], verdict: str | None = None
) -> MatchResult:
    """Count what has been played."""
    openings = by_opening(match, records)
    rated = ratings(openings, len(match.contestants))
    standings = tuple(_standing(match, records, k, rating) for k, rating in enumerate(rated))
    reasons = tuple((x.number, x.reason) for x in records if x.reason is not None)
    table = _table(match, openings)
    return MatchResult(match.game, len(records), standings, table, verdict, reasons)


def by_opening(match: Match, records: Iterable[GameRecord]) -> list[list[Pair]]:
    """Return who did better than whom, in all games from each opening."""
    found: dict[int, list[Pair]] = {}
    for record in records:
        found.setdefault(match.opening_of(record.number), []).extend(pairs_in(match, record))
    return list(found.values())


def pairs_in(match: Match, record: GameRecord) -> list[Pair]:
    """Return who did better than whom in a game."""
    results = list(zip(record.outcome, record.score, strict=True))
    if len(results) == 2:  # who has won by more has not won more
        results = [(outcome, 0.0) for outcome in record.outcome]
    return pairs_of(match.task(record.number).places, results)


def results_of_first(match: Match, records: Sequence[GameRecord]) -> list[float]:
    """What share of the points the first contestant got from each opening that is complete."""
    complete = len(records) // len(match.seatings) * len(match.seatings)
    openings = by_opening(match, records[:complete])
    shares = [[got if i == 0 else 1 - got for i, _, got in pairs] for pairs in openings]
    return [sum(points) / len(points) for points in shares]


def _standing(
    match: Match, records: Sequence[GameRecord], contestant: int, rating: Rating
) -> Standing:
    seats = load_game(match.game).players
    counts = {outcome: [0] * seats for outcome in (1, 0, -1)}
    seconds, moves, illegal, failed, overruns, games = 0.0, 0, 0, 0, 0, 0
    for record in records:
        places = match.task(record.number).places
        games += contestant in places
        for seat in (k for k, place in enumerate(places) if place == contestant):
            counts[record.outcome[seat]][seat] += 1
            seconds += record.seconds[seat]
            moves += record.decisions[seat]
            overruns += record.overruns[seat]
            illegal += record.illegal == seat
            failed += record.failed == seat
    won, drawn, lost = (tuple(counts[outcome]) for outcome in (1, 0, -1))
    return Standing(
        match.contestants[contestant],
        games,
        won,
        drawn,
        lost,
        rating,
        seconds / moves if moves else 0.0,
        illegal,
        failed,
        overruns,
    )


def _table(
    match: Match, openings: Sequence[Sequence[Pair]]
) -> tuple[tuple[float | None, ...], ...]:
    count = len(match.contestants)
    points = [[0.0] * count for _ in range(count)]
    met = [[0] * count for _ in range(count)]
    for i, j, got in itertools.chain.from_iterable(openings):
        points[i][j] += got
        points[j][i] += 1 - got
        met[i][j] += 1
        met[j][i] += 1
    return tuple(
        tuple(points[i][j] / met[i][j] if met[i][j] else None for j in range(count))
        for i in range(count)
    )
