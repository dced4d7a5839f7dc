# SPDX-License-Identifier: MIT
"""The claims file: wrong and hostile ones, readers and writers, certificates in and jobs out."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from fake_cluster import GAMES, InProcess, check_file, check_proof, named, real, timid, values
from hashed_games import NO_SCORE, POINTS
from soaking import repeated

from unbounded.cluster.claims_file import About, ClaimsFile
from unbounded.cluster.driver import Driver, Pace
from unbounded.cluster.records import ExcludingClaimsError
from unbounded.cluster.solving import ClusterOptions, Outcome, solve_with_claims
from unbounded.cluster.summary import import_certificates, jobs_to_export, summary_of
from unbounded.cluster.worker import SolvingOrders, Worker
from unbounded.game import RecordGame, UnboundedError, UsageError
from unbounded.game.catalogue import load_game
from unbounded.search.search import Search
from unbounded.solving.certificate import certify
from unbounded.solving.solve import search_to_solve

GAME = named(2, NO_SCORE, GAMES)
ROWS = values(GAME, scores=False)
FLIPS = repeated(40, soak=3000)


def solved(
    path: Path,
    number: int = 1,
    *,
    game: RecordGame = GAME,
    share: float = 0.5,
    most: int | None = None,
    progress: Callable[[Driver], None] = lambda _: None,
    **search: Any,
) -> Outcome:
    """Solve one of the random games; or stop after so many answers."""
    drivers: list[Driver] = []

    def workers(orders: SolvingOrders) -> InProcess:
        return InProcess([timid(Worker(orders).work, k, share) for k in range(2)])

    def watch(driver: Driver) -> None:
        drivers.append(driver)
        progress(driver)

    def stop() -> bool:
        ended = drivers[-1].counts.solved + drivers[-1].counts.open if drivers else 0
        return most is not None and ended >= most

    return solve_with_claims(
        game,
        path,
        workers,
        moves=(str(number),),
        search=search,
        options=ClusterOptions(pace=Pace(0.5, 0.5)),
        stop=stop,
        progress=watch,
    )


def opened(path: Path, game: RecordGame = GAME, number: int = 1) -> ClaimsFile:
    about = About.of(game, (str(number),), scores=False, symmetric=game.symmetries > 1)
    return ClaimsFile.open(path, about, game)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("finished") / "claims"
    solved(path)
    return path


def copied(path: Path, folder: Path) -> Path:
    shutil.copy(path, folder / "claims")
    shutil.copytree(f"{path}.certificates", folder / "claims.certificates")
    return folder / "claims"


def changed(path: Path, statement: str, *values: Any) -> None:
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute(statement, values)


# -- wrong files -----------------------------------------------------------------------------------


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    text, base, folder = tmp_path / "text", tmp_path / "base", tmp_path / "folder"
    text.write_text("not a database, but long enough to be one")
    folder.mkdir()
    changed(base, "CREATE TABLE about (name TEXT, value TEXT)")
    for path in (text, base, folder):
        before = path.read_bytes() if path.is_file() else b""
        for use in (opened, ClaimsFile.read):
            with pytest.raises(UsageError, match="is not a claims file"):
                use(path)
        assert (path.read_bytes() if path.is_file() else b"") == before
    with pytest.raises(UsageError, match="there is no file"):
        ClaimsFile.read(tmp_path / "nothing")
    assert not (tmp_path / "text.certificates").exists()


def test_an_empty_file_is_begun(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "folder" / "claims"
    opened(path).close()
    assert path.stat().st_size
    path.with_name("empty").touch()
    opened(path.with_name("empty")).close()


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("version", "2", "newer version"),
        ("rules", "0" * 64, "rules of .* have changed"),
        ("moves", '["2"]', "is about .* 2, not .* 1"),
        ("moves", "[", "is damaged"),
        ("scores", "1", "other options"),
        ("game", "tic-tac-toe", "is about tic-tac-toe"),
        ("game", "elsewhere/hashed_games.py:Hashed(games=12)", "give it so"),
        ("format", "other", "is not a claims file"),
    ],
)
def test_files_about_something_else(
    name: str, value: str, problem: str, finished: Path, tmp_path: Path
) -> None:
    path = copied(finished, tmp_path)
    if "elsewhere" in value:
        value = "elsewhere/" + str(GAME).rpartition("/")[2]
    changed(path, "UPDATE about SET value = ? WHERE name = ?", value, name)
    before = path.read_bytes()
    with pytest.raises(UsageError, match=problem):
        opened(path)
    assert path.read_bytes() == before


def test_damaged_files(finished: Path, tmp_path: Path) -> None:
    """Whatever the bytes are, there is an error of ours or an answer."""
    random, whole = Random(3), finished.read_bytes()
    path = copied(finished, tmp_path)
    refused = 0
    for turn in range(FLIPS):
        damaged = bytearray(whole)
        if turn % 2:
            del damaged[random.randrange(100, len(damaged)) :]
        for _ in range(random.choice([1, 1, 1, 30])):
            damaged[random.randrange(len(damaged))] ^= 1 << random.randrange(8)
        path.write_bytes(damaged)
        try:
            with ClaimsFile.read(path) as file:
                summary_of(file, file.game(GAME))
                list(jobs_to_export(file, GAME))
            solved(path)
        except UnboundedError:
            refused += 1
    assert refused


def test_texts_that_are_wrong(finished: Path, tmp_path: Path) -> None:
    for table, column in [
        ("claims", "claim"),
        ("claims", "moves"),
        ("expanded", "estimates"),
        ("expanded", "moves"),
        ("jobs", "line"),
    ]:
        for text in ("", "x", "[", "{}", "[1]", '[["x"]]', ">=7", "=1,1,1", "[" * 5000):
            (tmp_path / "copy").mkdir(exist_ok=True)
            path = copied(finished, tmp_path / "copy")
            changed(path, f"UPDATE {table} SET {column} = ?", text)  # noqa: S608
            with contextlib.suppress(UnboundedError), ClaimsFile.read(path) as file:
                summary_of(file, GAME)
            with contextlib.suppress(UnboundedError):
                solved(path)
            shutil.rmtree(tmp_path / "copy")


def test_one_writer(tmp_path: Path) -> None:
    path = tmp_path / "claims"
    with opened(path), pytest.raises(UsageError, match="in use by another process"):
        opened(path)
    opened(path).close()


@pytest.mark.skipif(os.getuid() == 0, reason="the administrator may write everywhere")
def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o500)
    with pytest.raises(UsageError, match="cannot be written"):
        opened(folder / "claims")


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    """Nobody can make a folder below a file, not even the administrator."""
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="cannot be written"):
        opened(tmp_path / "file" / "claims")


def test_leftovers_are_removed(tmp_path: Path) -> None:
    path = tmp_path / "claims"
    opened(path).close()
    folder = tmp_path / "claims.certificates"
    left = folder / ".0123456789abcdef.tmp", folder / ".x.cert.gz.999999999-3.partial"
    for one in left:
        one.touch()
    opened(path).close()
    assert not any(one.exists() for one in left)


@pytest.mark.parametrize("players", [2, 3])
def test_lost_certificates_are_made_again(players: int, tmp_path: Path) -> None:
    game = named(players, NO_SCORE, GAMES)
    for number in range(3):
        path = tmp_path / f"{number}"
        solved(path, number, game=game)
        for file in list(Path(f"{path}.certificates").glob("*.cert.gz"))[::2]:
            file.unlink()
        found = solved(path, number, game=game, share=0.0)
        state = game.next(game.initial(), number)
        check_proof(found, game, values(game, scores=False)[state])


def test_reading_while_a_driver_writes(tmp_path: Path) -> None:
    path, shares = tmp_path / "claims", list[float]()

    def progress(_: Driver) -> None:
        with ClaimsFile.read(path) as file:
            summary = summary_of(file, GAME)
            shares.append(summary.share)
            assert summary.claims >= summary.checked
            json.dumps(summary.to_json())

    solved(path, 3, share=0.7, progress=progress)
    assert shares[-1] == 1.0
    assert min(shares) < 1.0


# -- certificates and jobs -------------------------------------------------------------------------


def searched(game: RecordGame, moves: list[str], **options: Any) -> Search:
    search = search_to_solve(game, {"threads": 1, **options})
    for move in moves:
        search.play(move)
    search.run()
    return search


def imported(path: Path, *certificates: Path, game: RecordGame = GAME) -> tuple[int, list[str]]:
    told: list[str] = []
    with ClaimsFile.read(path) as file:
        about = file.about
    with ClaimsFile.open(path, about, game) as file:
        good = import_certificates(file, game, certificates, told.append)
    return good, told


def begun(path: Path, number: int = 1) -> Path:
    """A file in which nothing is proven yet."""
    solved(path, number, most=0)
    return path


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("name", ["one.cert", "one.cert.gz"])
def test_import_settles_a_run(version: int, name: str, tmp_path: Path) -> None:
    path = begun(tmp_path / "claims")
    certify(searched(GAME, ["1"]), tmp_path / name, partial=version == 2)
    assert imported(path, tmp_path / name) == (1, [])
    (tmp_path / name).unlink()
    found = solved(path)
    assert found.jobs == {}
    check_proof(found, GAME, ROWS[GAME.next(GAME.initial(), 1)])


def test_import_counts_when_it_is_reached(tmp_path: Path) -> None:
    """A certificate about a position that nobody has come to yet."""
    number, path = 5, begun(tmp_path / "claims", 5)
    state = GAME.next(GAME.initial(), number)
    names = [GAME.action_name(state, action) for action in GAME.actions(state)]
    files = []
    for name in names:
        search = searched(GAME, [str(number), name])
        if search.root.is_terminal:
            continue
        files.append(tmp_path / f"{name}.cert")
        certify(search, files[-1])
    assert imported(path, *files) == (len(files), [])
    found = solved(path, number, share=1.0)  # every job is left open
    assert found.jobs == {"open": 1}
    check_proof(found, GAME, ROWS[state])
    check_file(path, GAME, scores=False)


def test_import_of_a_tree(finished: Path, tmp_path: Path) -> None:
    path = begun(tmp_path / "claims")
    assert imported(path, Path(f"{finished}.certificates") / "proof.cert") == (1, [])
    found = solved(path)
    assert found.jobs == {}
    check_proof(found, GAME, ROWS[GAME.next(GAME.initial(), 1)])


def test_import_of_what_is_refused(finished: Path, tmp_path: Path) -> None:
    path = begun(tmp_path / "claims")
    good = tmp_path / "good.cert"
    certify(searched(GAME, ["1"]), good)
    text = good.read_text()
    (tmp_path / "cut.cert").write_text(text[:-100])
    (tmp_path / "noise.cert").write_bytes(gzip.compress(b"noise"))
    certify(searched(load_game("tic-tac-toe"), []), tmp_path / "other.cert")
    points = named(2, POINTS, GAMES)
    certify(searched(points, ["1"]), tmp_path / "points.cert")
    (tmp_path / "alone.cert").write_bytes(
        (Path(f"{finished}.certificates") / "proof.cert").read_bytes()
    )
    names = ("cut", "noise", "other", "points", "alone", "missing", "good")
    count, told = imported(path, *(tmp_path / f"{name}.cert" for name in names))
    assert count == 1
    assert len(told) == len(names) - 1
    for name, line in zip(names, told, strict=False):
        assert line.startswith(f"refused: {tmp_path}/{name}.cert: ")
    check_file(path, GAME, scores=False)


def test_import_that_excludes_what_is_known(finished: Path, tmp_path: Path) -> None:
    path = copied(finished, tmp_path)
    certify(searched(GAME, ["1"]), tmp_path / "true.cert")
    ((worth, _),) = ROWS[GAME.next(GAME.initial(), 1)]
    false = ">=0" if worth[0] == -1 else f"<={worth[0] - 1}"
    changed(path, "UPDATE claims SET claim = ?, relation = ?", false, false[:2])
    with pytest.raises(ExcludingClaimsError) as caught:
        imported(path, tmp_path / "true.cert")
    assert false in str(caught.value)


def test_jobs_to_export(tmp_path: Path) -> None:
    path = tmp_path / "claims"
    solved(path, 4, share=1.0, most=3)
    with ClaimsFile.read(path) as file:
        jobs = list(jobs_to_export(file, GAME))
    assert jobs
    assert len({job["state"] for job in jobs}) == len(jobs)
    files = []
    for place, job in enumerate(jobs):
        json.loads(json.dumps(job, allow_nan=False))
        files.append(tmp_path / f"{place}.cert")
        search = searched(GAME, job["moves"])
        assert search.state.hex() == job["state"]
        certify(search, files[-1])
    assert imported(path, *files) == (len(files), [])
    found = solved(path, 4, share=1.0)
    assert found.jobs == {"open": 3} or found.jobs.get("solved") is None
    check_proof(found, GAME, ROWS[GAME.next(GAME.initial(), 4)])


def test_jobs_with_scores_are_plain_json(tmp_path: Path) -> None:
    game = named(2, POINTS, GAMES)
    path = tmp_path / "claims"
    solved(path, 4, game=game, share=1.0, most=2, exact_score=True)
    with ClaimsFile.read(path) as file:
        for job in jobs_to_export(file, game):
            json.dumps(job, allow_nan=False)
    found = solve_with_claims(game, path, real, moves=("4",), search={"exact_score": True})
    check_proof(found, game, values(game, scores=True)[game.next(game.initial(), 4)])
