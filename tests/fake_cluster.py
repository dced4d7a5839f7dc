# SPDX-License-Identifier: MIT
"""Workers that live in this process: truthful ones, ones that guess, and liars."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from soaking import repeated
from solving_checks import equilibria

from unbounded.cluster.claims_file import ClaimsFile
from unbounded.cluster.facts import Bounds, Fact, Row, Scale, claim_texts, opposite, read_claim
from unbounded.cluster.job import Answer, Job
from unbounded.cluster.solving import Outcome
from unbounded.cluster.worker import SolvingOrders, Worker
from unbounded.cluster.workers import Report
from unbounded.game import RecordGame
from unbounded.game.catalogue import load_game
from unbounded.reference.backward_induction import minimax_scores
from unbounded.solving.checker_format import as_float32
from unbounded.solving.verification import verify

GAMES = repeated(12, soak=400)
"""Random games that are compiled together."""
Work = Callable[[Job], Any]
"""What a worker does with a job: an answer; whole reports; or None, if it never answers."""


class InProcess:
    """So many workers, whose jobs are done one after the other when the driver waits."""

    def __init__(self, work: Work | Sequence[Work], count: int = 2, seed: int = 0) -> None:
        """work: of all workers, or of each of them."""
        self._works = [work] * count if callable(work) else list(work)
        self._random = Random(seed)
        self.jobs: dict[int, tuple[str, Job]] = {}
        self.cancelled: list[int] = []
        self.replaced: list[str] = []
        self._away: set[str] = set()
        """Replaced, and not there yet."""

    def free(self) -> int:
        return len(self._free())

    def _free(self) -> list[str]:
        busy = {name for name, _ in self.jobs.values()} | self._away
        return [name for n in range(self.count()) if (name := f"worker {n}") not in busy]

    def count(self) -> int:
        return len(self._works)

    def start(self, job: Job, preferred: str = "") -> str:
        free = self._free()
        name = preferred if preferred in free else free[0]
        self.jobs[job.number] = name, job
        return name

    def wait(self, seconds: float) -> list[Report]:
        self._away.clear()
        for number in self._random.sample(list(self.jobs), len(self.jobs)):
            name, job = self.jobs[number]
            answer = self._works[int(name.split()[1])](job)
            if answer is not None:
                del self.jobs[number]
                whole = isinstance(answer, list)
                return answer if whole else [Report(number, name, answer)]
        time.sleep(min(seconds, 0.002))  # for the checks
        return []

    def cancel(self, job: int) -> None:
        self.cancelled.append(job)
        self.jobs.pop(job, None)

    def replace(self, job: int) -> None:
        name, _ = self.jobs.pop(job)
        self.replaced.append(name)
        self._away.add(name)


class Oracle:
    """Answers from a table of true values; some jobs are left open, as real ones are."""

    def __init__(self, scale: Scale, value: Callable[[bytes], Any], seed: int) -> None:
        """value: the worth of a state for the first player, or the worths of an equilibrium."""
        self._scale, self._value, self._random = scale, value, Random(seed)

    def __call__(self, job: Job) -> Answer:
        value = self._value(job.state)
        fact: Any = value
        if self._scale.zero_sum:
            unknown = self._scale.unknown
            assert isinstance(unknown, Bounds)
            low = value if self._random.random() < 0.6 else unknown.low
            high = value if self._random.random() < 0.6 else unknown.high
            fact = Bounds(low, high)
        elif self._random.random() < 0.5:
            fact = None
        guess = tuple(self._random.uniform(-1, 1) for _ in range(self._scale.players))
        claims = claim_texts(fact, self._scale)
        return Answer(job.number, claims, None, guess, (guess,) * 3, (), 1, 0.1, "here")


def real(orders: SolvingOrders, count: int = 2, seed: int = 0) -> InProcess:
    """Workers that solve, each with a search of its own."""
    return InProcess([Worker(orders).work for _ in range(count)], seed=seed)


def timid(work: Work, seed: int, share: float = 0.5) -> Work:
    """A worker that leaves a share of its jobs open, as real ones do in large games."""
    random = Random(seed)

    def answer(job: Job) -> Any:
        found = work(job)
        if random.random() < share:
            return replace(found, claims=(), certificate=None)
        return found

    return answer


# -- games that are known --------------------------------------------------------------------------


@cache
def named(players: int, scores: int, games: int) -> RecordGame:
    """Random games that workers can make from their name."""
    file = Path(__file__).with_name("hashed_games.py")
    game = load_game(f"{file}:Hashed(players={players},games={games},scores={scores})")
    assert isinstance(game, RecordGame)
    return game


@cache
def values(game: RecordGame, *, scores: bool) -> Mapping[bytes, frozenset[Row]]:
    """By brute force, what every state may be worth to the players: one row, or equilibria."""
    if game.players > 2:
        return {state: frozenset(rows) for state, rows in equilibria(game, scores=scores).items()}
    found = {}
    for state, (won, points) in minimax_scores(game).items():
        worth = won, as_float32(points) if scores else 0.0
        found[state] = frozenset([(worth, opposite(worth))])
    return found


def is_true(fact: Fact, rows: frozenset[Row]) -> bool:
    """Whether what is claimed of a state holds."""
    if isinstance(fact, Bounds):
        ((worth, _),) = rows
        return fact.low <= worth <= fact.high
    return fact is None or fact in rows


def check_file(path: Path, game: RecordGame, *, scores: bool) -> None:
    """Everything that a claims file holds is true, and every certificate in it is there."""
    rows, scale = values(game, scores=scores), Scale(game, scores=scores)
    with ClaimsFile.read(path) as file:
        for one in file.claims():
            fact = scale.of_claim(read_claim(one.claim, scale))
            assert is_true(fact, rows[one.state]), (one, rows[one.state])
            assert one.digest is None or file.certificate(one.digest).exists()
        names = [entry.name for entry in file.folder.iterdir()]
    left = [name for name in names if name.endswith((".tmp", ".partial"))]
    assert not left


def check_proof(found: Outcome, game: RecordGame, rows: frozenset[Row]) -> None:
    """A run has found the value, and its proof is accepted."""
    assert found.resolved
    assert is_true(found.fact, rows)
    assert found.proof is not None
    verdict = verify(found.proof, game, checker="plain")
    assert verdict.header.moves == found.moves
    assert verdict.header.value in rows
