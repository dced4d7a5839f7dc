# SPDX-License-Identifier: MIT
"""`unbounded claims`: what it prints, takes in and gives out, and its errors."""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
from pathlib import Path

import pytest
from fake_cluster import InProcess, real, timid
from lying_workers import flipped_certificate, lying

from unbounded.cluster.driver import Driver, Pace
from unbounded.cluster.solving import ClusterOptions, solve_with_claims
from unbounded.cluster.worker import SolvingOrders, Worker
from unbounded.game.catalogue import load_game
from unbounded.interfaces.cli.main import main
from unbounded.solving.certificate import certify
from unbounded.solving.solve import search_to_solve

GAME = load_game("tic-tac-toe")
QUICK = ClusterOptions(pace=Pace(0.5, 0.5))


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with one liar in it."""
    path = tmp_path_factory.mktemp("finished") / "run.claims"

    def workers(orders: SolvingOrders) -> InProcess:
        works = [timid(Worker(orders).work, k, 0.6) for k in range(2)]
        return InProcess([lying(works[0], flipped_certificate), works[1]])

    assert solve_with_claims(GAME, path, workers, options=QUICK).resolved
    return path


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    """A run that was stopped after its first job, which has left everything open."""
    path, drivers = tmp_path / "run.claims", list[Driver]()

    def workers(orders: SolvingOrders) -> InProcess:
        return InProcess(timid(Worker(orders).work, 0, 1.0))

    solve_with_claims(
        GAME,
        path,
        workers,
        options=QUICK,
        stop=lambda: bool(drivers and drivers[-1].counts.open),
        progress=drivers.append,
    )
    return path


class Ran:
    """The program run in this process."""

    def __init__(self, capture: pytest.CaptureFixture[str], *arguments: object) -> None:
        capture.readouterr()
        self.code = main([str(argument) for argument in arguments])
        self.out, self.err = capture.readouterr()


def test_a_finished_run(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = Ran(capsys, "claims", finished)
    assert (ran.code, ran.err) == (0, "")
    for text in ("tic-tac-toe", "refused", "worker 0", "worker 1", "checked"):
        assert text in ran.out
    told = json.loads(Ran(capsys, "claims", finished, "--json").out)
    assert told["game"] == "tic-tac-toe"
    assert told["resolved"]
    assert told["share"] == 1.0
    assert told["fact"] == {"at_least": [0, 0.0], "at_most": [0, 0.0]}
    assert told["checked"] == told["claims"] > 0
    assert min(told["jobs"]["refused"], 20) == len(told["refused"]) > 0
    assert [name for name, *_ in told["workers"]] == ["worker 1", "worker 0"]
    assert Ran(capsys, "claims", finished, "--export-jobs").out == ""


def test_jobs_out_and_certificates_in(
    begun: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = Ran(capsys, "claims", begun, "--export-jobs")
    jobs = [json.loads(line) for line in ran.out.splitlines()]
    assert ran.code == 0
    assert 3 <= len(jobs) <= 9
    names = []
    for place, job in enumerate(jobs):
        search = search_to_solve(GAME, {"threads": 1})
        for move in job["moves"]:
            search.play(move)
        search.run()
        names.append(tmp_path / f"{place}.cert.gz")
        certify(search, names[-1])
    flags = [flag for name in names for flag in ("--import", name)]
    ran = Ran(capsys, "claims", begun, *flags)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == f"{len(names)} of {len(names)} certificates accepted\n"
    found = solve_with_claims(GAME, begun, real, options=QUICK)
    assert found.resolved
    assert found.outcome == (0, 0)


def test_what_is_not_a_certificate(
    begun: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "noise").write_text("noise")
    ran = Ran(
        capsys, "claims", begun, "--import", tmp_path / "noise", "--import", tmp_path / "nothing"
    )
    assert ran.code != 0
    assert ran.out == "0 of 2 certificates accepted\n"
    assert ran.err.count("unbounded: refused: ") == ran.err.count("\n") == 2


def test_errors_are_one_line(
    begun: Path, finished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "text").write_text("text")
    shutil.copy(finished, tmp_path / "newer")
    shutil.copy(finished, tmp_path / "false")
    for name, statement in [
        ("newer", "UPDATE about SET value = '9' WHERE name = 'version'"),
        (
            "false",
            "INSERT OR REPLACE INTO claims SELECT key, '<=', '<=-1', state, moves, digest, "
            "checked, worker, job, time FROM claims WHERE relation = '>='",
        ),
    ]:
        with contextlib.closing(sqlite3.connect(tmp_path / name)) as database, database:
            database.execute(statement)
    for arguments, problem in [
        ([tmp_path / "nothing"], "there is no file"),
        ([tmp_path], "is not a claims file"),
        ([tmp_path / "text"], "is not a claims file"),
        ([tmp_path / "newer"], "newer version"),
        ([tmp_path / "false"], "exclude each other"),
        ([begun, "--game", "nim"], "is about tic-tac-toe, not nim"),
        ([begun, "--import", "x", "--export-jobs"], "--import"),
    ]:
        ran = Ran(capsys, "claims", *arguments)
        assert ran.code != 0, arguments
        assert problem in ran.err, arguments
        assert ran.err.count("\n") == 1
        assert ran.out == ""
