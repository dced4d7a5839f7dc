# SPDX-License-Identifier: MIT
"""How much workers are trusted: false claims that nobody has checked, and what becomes of them."""

from __future__ import annotations

import contextlib
import gzip
import json
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from fake_cluster import GAMES, InProcess, check_file, check_proof, named, real, timid, values
from hashed_games import NO_SCORE
from lying_workers import Liar, flipped_certificate, lying, sealed
from soaking import repeated

from unbounded.cluster import solving
from unbounded.cluster.claims_file import ClaimsFile
from unbounded.cluster.driver import MOST_DEATHS, Pace
from unbounded.cluster.job import Answer, Job
from unbounded.cluster.judging import Judge
from unbounded.cluster.records import ExcludingClaimsError
from unbounded.cluster.solving import ClusterOptions, Outcome, solve_with_claims
from unbounded.cluster.worker import SolvingOrders, Worker
from unbounded.cluster.workers import Report
from unbounded.game.catalogue import load_game

TRIES = repeated(8, soak=200)
GAME = named(2, NO_SCORE, GAMES)
ROWS = values(GAME, scores=False)
Make = Callable[[SolvingOrders], InProcess]


def solved(path: Path, number: int, workers: Make, trust: str, told: list[str]) -> Outcome:
    return solve_with_claims(
        GAME,
        path,
        workers,
        moves=(str(number % GAMES),),
        options=ClusterOptions(trust, Pace(0.5, 0.5), seed=number),
        tell=told.append,
    )


def rows_at(number: int) -> Any:
    return ROWS[GAME.next(GAME.initial(), number % GAMES)]


def honest(seed: int, share: float = 0.6) -> Make:
    """Workers that tell the truth, and leave a share of their jobs open."""
    return lambda orders: InProcess([timid(Worker(orders).work, seed, share)] * 2, seed=seed)


def partly_false(seed: int) -> Make:
    """One worker has false proofs of everything but the root; others are honest."""

    def lie(liar: Liar) -> Any:
        return liar.honest if len(liar.job.moves) < 2 else flipped_certificate(liar)

    def workers(orders: SolvingOrders) -> InProcess:
        works = [timid(Worker(orders).work, seed + k, 0.5) for k in range(3)]
        return InProcess([lying(works[0], lie, seed=seed), *works[1:]], seed=seed)

    return workers


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_false_proofs_in_a_sample(
    share: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that is caught, by a draw or by a contradiction, is checked from then on."""
    monkeypatch.setattr(solving, "Judge", partial(Judge, share=share))
    caught = 0
    for number in range(TRIES):
        path, told = tmp_path / f"{number}", list[str]()
        found = solved(path, number, partly_false(number), "sample", told)
        assert all("worker 0" in line or line.endswith("done again") for line in told), told
        if any(line.startswith(("refused", "withdrawn")) for line in told):
            caught += 1
            check_proof(found, GAME, rows_at(number))
            check_file(path, GAME, scores=False)
        again = solved(path, number, honest(number), "none", told)
        check_proof(again, GAME, rows_at(number))
        check_file(path, GAME, scores=False)
    assert caught


def test_all_is_believed_without_certificates(tmp_path: Path) -> None:
    for number in range(4):
        path = tmp_path / f"{number}"
        found = solved(path, number, honest(number), "all", [])
        assert found.resolved
        assert found.proof is None
        assert not list(path.with_name(path.name + ".certificates").glob("*.cert*"))
        check_file(path, GAME, scores=False)


def test_words_do_not_count_as_proofs_later(tmp_path: Path) -> None:
    """A file that was written with more trust is worth nothing to a run with none."""

    def lies(job: Job) -> Any:
        made = Worker(orders).work(job)
        return replace(made, claims=("<=-1",) if made.claims == (">=1",) else (">=1",))

    path = tmp_path / "claims"
    orders = solving.orders_for(GAME, {}, ClusterOptions("all"))
    wrong = solved(path, 0, lambda _: InProcess(lies), "all", [])
    assert wrong.resolved
    right = solved(path, 0, honest(0), "none", [])
    check_proof(right, GAME, rows_at(0))
    with ClaimsFile.read(path) as file:
        assert all(one.checked for one in file.claims())


# -- two proofs that exclude each other ------------------------------------------------------------


def forged(path: Path, checked: int) -> tuple[str, str]:
    """Give a position a claim that excludes what is known; return both digests."""
    with ClaimsFile.read(path) as file:
        old = next(one for one in file.claims() if one.digest)
        text = file.certificate(old.digest or "").read_bytes()
    ((worth, _),) = ROWS[old.state]
    claim = ">=0" if worth[0] == -1 else f"<={worth[0] - 1}"
    lines = gzip.decompress(text).decode().splitlines()[:-1]
    header = {**json.loads(lines[0]), "claims": [claim]}
    state, uses, *_ = lines[-1].split()
    false = sealed([json.dumps(header), *lines[1:-1], f"{state} {uses} {claim}"])
    digest = gzip.decompress(false).decode().split()[-1]
    folder = path.with_name(path.name + ".certificates")
    (folder / f"{digest}.cert.gz").write_bytes(false)
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute(
            "INSERT INTO claims VALUES (?, ?, ?, ?, ?, ?, ?, 'forger', 7, 0)",
            [old.key, claim[:2], claim, old.state, json.dumps(old.moves), digest, checked],
        )
    return old.digest or "", digest


@pytest.mark.parametrize("number", range(3))
def test_two_checked_claims_that_exclude_each_other(number: int, tmp_path: Path) -> None:
    path, told = tmp_path / "claims", list[str]()
    solved(path, number, honest(number), "none", [])
    both = forged(path, checked=1)
    with pytest.raises(ExcludingClaimsError) as caught:
        solved(path, number, honest(number), "none", told)
    assert all(digest in str(caught.value) for digest in both)
    assert "unbounded verify" in str(caught.value)
    assert not told


@pytest.mark.parametrize("trust", ["sample", "none"])
def test_an_unchecked_claim_that_excludes_a_checked_one(trust: str, tmp_path: Path) -> None:
    path, told = tmp_path / "claims", list[str]()
    first = solved(path, 1, honest(1), "none", [])
    forged(path, checked=0)
    found = solved(path, 1, real, trust, told)
    assert found.fact == first.fact
    assert found.jobs == first.jobs
    assert len(told) == 1
    assert told[0].startswith("withdrawn: what forger claimed in job 7")
    check_file(path, GAME, scores=False)


def test_an_answer_without_its_fields_is_refused(tmp_path: Path) -> None:
    """An object of the right class that lacks fields ends no run."""
    orders = solving.orders_for(GAME, {}, ClusterOptions("none"))
    honest_worker = Worker(orders)

    def work(job: Job) -> Any:
        if job.number > 2:
            return honest_worker.work(job)
        empty = object.__new__(Answer)
        object.__setattr__(empty, "job", job.number)
        return empty

    told: list[str] = []
    right = solved(tmp_path / "claims", 0, lambda _: InProcess(work), "none", told)
    check_proof(right, GAME, rows_at(0))
    assert any("cannot be read" in line for line in told)


def test_a_job_that_ends_its_workers_is_split(tmp_path: Path) -> None:
    """A position that no worker survives is expanded, and its children are solved."""
    orders = solving.orders_for(GAME, {}, ClusterOptions("none"))
    honest_worker = Worker(orders)

    def work(job: Job) -> Any:
        if len(job.moves) == 1:
            return [Report(job.number, "worker 0", None, "it died", worker_died=True)]
        return honest_worker.work(job)

    right = solved(tmp_path / "claims", 0, lambda _: InProcess(work, 1), "none", [])
    check_proof(right, GAME, rows_at(0))
    assert right.jobs["failed"] == MOST_DEATHS


def test_a_contradiction_at_a_parent_names_the_claims(tmp_path: Path) -> None:
    """Claims below a position contradict one about it: the run stops and says which."""
    game = load_game("tic-tac-toe")

    def lies(job: Job) -> Any:
        claims = ("<=-1",) if job.moves else (">=0",)
        return Answer(job.number, claims, None, (0.0, 0.0), (), (), 1, 0.1, "here")

    with pytest.raises(ExcludingClaimsError, match=r">=0 after no moves"):
        solve_with_claims(
            game,
            tmp_path / "claims",
            lambda _: InProcess(lies),
            options=ClusterOptions("all", Pace(0.5, 0.5)),
        )
