# SPDX-License-Identifier: MIT
"""Certificates in files: compressed ones, and trees of them, checked by several processes."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import re
import signal
import subprocess
import sys
import time
import zlib
from collections import deque
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from certificate_parts import Lines, digest_of, seal
from certificates import Files, certificate, split, with_searches, write_tree
from test_certificates import OWN_GAME, peak_memory
from test_cli import Here, here, is_one_line  # noqa: F401

import unbounded as ub
from unbounded.game import UnboundedError, UsageError
from unbounded.interfaces.terminal.results import proven_text
from unbounded.solving.certificate_files import takes_long
from unbounded.solving.checker_format import CertificateError, read_header
from unbounded.solving.processes import completed
from unbounded.solving.verification import Verified, verify


@cache
def tree() -> tuple[Files, Lines]:
    """A certificate of connect-four 4x3 in several files, some of which lean on others."""
    search = ub.Search("connect-four(width=4,height=3)", bounds=True)
    assert search.run().resolved
    random = Random(3)
    lines = with_searches(certificate(search), search.game, 30, random)
    files, main = split(lines, search.game, random, 12)
    leaning = [lines for lines in files.values() if any(b"%" in line for line in lines[1:])]
    assert len(files) >= 6
    assert leaning
    return files, main


def numbers(found: Verified) -> tuple[int, ...]:
    return found.files, found.states, found.searched, found.most_held


@pytest.fixture
def main(tmp_path: Path) -> Path:
    return write_tree(tmp_path, *tree())


# -- trees -----------------------------------------------------------------------------------------


def test_every_file_is_checked_once(main: Path) -> None:
    files, lines = tree()
    found = verify(main)
    alone = [lines, *files.values()]
    assert found.files == len(alone)
    assert found.states == sum(len(each) - 1 for each in alone)
    asked = sum(
        int(text.partition(b"?")[2] or 0)
        for each in alone
        for line in each[1:]
        for text in line.split()[2:]
    )
    assert found.searched == asked > 0
    assert found.digest == digest_of(lines)
    assert found.root == ub.load_game(found.header.game).initial()
    assert {lean.digest for lean in found.leans_on} <= set(files)
    assert found.header.value == ((0, 0.0), (0, 0.0))
    text = [b"".join(each) for each in alone]
    assert any(sum(digest.encode() in each for each in text) > 1 for digest in files), "none shared"


def test_several_processes_say_the_same(main: Path) -> None:
    read: list[int] = []
    found = verify(main, "connect-four(width=4,height=3)", read.append, jobs=2)
    assert found == verify(main)
    assert sum(read) == sum(file.stat().st_size for file in main.parent.iterdir())
    with pytest.raises(UsageError, match="jobs is 1 or more, not 0"):
        verify(main, jobs=0)
    with pytest.raises(UsageError, match="needed as a string"):
        verify(main, ub.load_game("connect-four(width=4,height=3)"), jobs=2)


def test_compressed_files(main: Path) -> None:
    plain = verify(main)
    for number, file in enumerate(sorted(main.parent.iterdir())):
        if number % 2 or file == main:  # the name of the first one does not matter
            text = gzip.compress(file.read_bytes())
            file.unlink()
            file.with_name(file.name + ("" if file == main else ".gz")).write_bytes(text)
    assert verify(main) == plain
    assert verify(main, jobs=2) == plain


@pytest.mark.parametrize("checker", ["compiled", "both"])
def test_other_checkers_say_the_same(main: Path, checker: str) -> None:
    plain, found = verify(main), verify(main, checker=checker)
    assert found.checker == checker
    assert replace(found, checker="plain") == plain
    assert checker == "both" or verify(main, checker=checker, jobs=2) == found


def some_digest(*, leaning: bool) -> str:
    """One of the files on which others lean, itself leaning on others or not."""
    files, _ = tree()
    return next(
        digest
        for digest, lines in files.items()
        if any(b"%" in line for line in lines[1:]) == leaning
    )


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_file_that_is_missing_or_wrong(main: Path, jobs: int) -> None:
    """Both files are named: the one that is wrong, and one that leans on it."""
    digest = some_digest(leaning=True)
    file = main.with_name(f"{digest}.cert")
    text = file.read_bytes()
    other = main.with_name(f"{some_digest(leaning=False)}.cert").read_bytes()
    bad = [None, text.replace(b" 1 ", b" 2 ", 1), b"", text[:-1], other, b"\x1f\x8b"]
    for changed in bad if jobs == 1 else bad[1:2]:
        file.unlink()
        if changed is not None:
            file.write_bytes(changed)
        with pytest.raises(CertificateError, match=r"\.cert leans on " + digest):
            verify(main, jobs=jobs)
        file.write_bytes(text)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_file_that_is_another_one(main: Path, jobs: int) -> None:
    """A proof that is accepted, of the same claims: but it is not the one that was meant."""
    digest, lines = next((x, y) for x, y in tree()[0].items() if b"?" in b"".join(y))
    changed = [re.sub(rb"\?[0-9]+", b"?9999", line) for line in lines]
    file = main.with_name(f"{digest}.cert")
    file.write_bytes(b"".join(seal(changed)))
    assert verify(file).header == verify_text(lines, file.with_name("x.cert")).header
    with pytest.raises(CertificateError, match=f"has another digest: {digest_of(changed)}"):
        verify(main, jobs=jobs)


def verify_text(lines: Lines, path: Path) -> Verified:
    path.write_bytes(b"".join(seal(lines)))
    return verify(path)


def certificate_by_search(**changes: Any) -> Lines:
    """A certificate of one line, of a position of tic-tac-toe in which the first player wins."""
    search = solved("tic-tac-toe", moves="a1 b1 b2")
    told = json.loads(certificate(search)[0]) | {"version": 2} | changes
    del told["value"]
    won = ("1:1", "-1:-1") if told["scores"] else ("1", "-1")
    claim = f">={won[0]}" if told["kind"] == "bounds" else f"={','.join(won)}"
    told["claims"] = [claim]
    return [json.dumps(told).encode() + b"\n", f"{search.state.hex()} 0 {claim}?99999\n".encode()]


@pytest.mark.parametrize(
    "changes", [{}, {"game": "mnk"}, {"kind": "equilibrium"}, {"scores": True}], ids=str
)
def test_certificates_about_something_else(tmp_path: Path, changes: dict[str, Any]) -> None:
    """Of the same position by the same rules: the text of the game, the kind, the scores count."""
    own = certificate_by_search(**changes)
    assert verify_text(own, tmp_path / "alone.cert").searched > 10
    digest = digest_of(own)
    header, line = certificate_by_search()
    path = write_tree(
        tmp_path, {digest: own}, [header, line.replace(b"?99999", b"%" + digest.encode())]
    )
    if not changes:
        assert verify(path).files == 2
        return
    with pytest.raises(CertificateError, match=f"main.cert leans on {digest}.cert: it is about"):
        verify(path)


def solved(game: str, **options: Any) -> ub.Search:
    search = ub.Search(game, **({"bounds": True} | options))
    assert search.run().resolved
    return search


def test_a_game_of_ones_own(tmp_path: Path) -> None:
    """Its states are objects, which need not be sent from one process to another."""
    rules = tmp_path / "taking.py"
    rules.write_text(OWN_GAME, encoding="utf-8")
    search = solved(str(rules))
    files, lines = split(certificate(search), search.game, Random(0))
    path = write_tree(tmp_path, files, lines)
    assert len(files) > 1
    assert verify(path, str(rules), jobs=2) == verify(path, search.game)
    with pytest.raises(UsageError, match="a game from a file"):
        verify(path, jobs=2)


def test_the_limit_on_searches_is_for_each_file(main: Path) -> None:
    found = verify(main)
    assert verify(main, most_searched=found.searched) == found
    for jobs in (1, 2):
        with pytest.raises(CertificateError, match="searches of more than 1 successors"):
            verify(main, most_searched=1, jobs=jobs)


def test_searches_count_for_the_choice_of_the_checker(tmp_path: Path) -> None:
    path = tmp_path / "x.cert"
    path.write_bytes(b"00 1 >=0?1000 <=0?1000\n" * 10)
    assert takes_long(path, 400_000)
    assert not takes_long(path, 600_000)
    path.write_bytes(gzip.compress(b"x" * 1_000_000))
    assert takes_long(path, 1_000_000)
    assert not takes_long(path, 1_000_001)
    path.write_bytes(gzip.compress(b"x" * 1_000_000)[:-20])
    assert not takes_long(path, 1_000_000)


# -- files that are compressed badly ---------------------------------------------------------------


def small() -> bytes:
    return b"".join(seal(certificate_by_search()))


def endless(beginning: bytes, byte: bytes) -> bytes:
    """A small file of a GiB: a text, then the same byte again and again."""
    pressed = zlib.compressobj(wbits=31)
    parts = [pressed.compress(beginning) + pressed.flush(zlib.Z_FULL_FLUSH)]
    again = pressed.compress(byte * (1 << 20)) + pressed.flush(zlib.Z_FULL_FLUSH)
    return b"".join([*parts, again * 1024])


@cache
def hostile() -> dict[str, bytes]:
    text = small()
    good, first = gzip.compress(text), text.splitlines(keepends=True)[0]
    return {
        "empty": b"",
        "the first bytes": b"\x1f\x8b",
        "cut off": good[:-1],
        "cut off in the text": good[:-30],
        "without its check": good[:-8],
        "a wrong check": good[:-8] + bytes(8),
        "more after it": good + b"more",
        "another certificate after it": good * 2,
        "text after it": good + text,
        "compressed twice": gzip.compress(good),
        "nothing": gzip.compress(b""),
        "another method": b"\x1f\x8b\x07" + good[3:],
        "an endless first line": endless(b"", b"{"),
        "an endless line": endless(first, b"0"),
        "endless lines": endless(first, b"\n"),
        "an endless end": endless(text, b"0"),
    }


def test_files_that_are_compressed_badly(tmp_path: Path) -> None:
    """Each is refused as a certificate that proves nothing, and in little memory."""
    path = tmp_path / "x.cert.gz"
    own = certificate_by_search()
    digest = digest_of(own)
    line = own[1].replace(b"?99999", b"%" + digest.encode())
    leaning = write_tree(tmp_path, {}, [own[0], line])
    for name, text in hostile().items():
        before = peak_memory()
        path.write_bytes(text)
        with pytest.raises(CertificateError, match="refused, line"):
            verify(path)
        leaning.with_name(f"{digest}.cert.gz").write_bytes(text)
        with pytest.raises(CertificateError, match=f"main.cert leans on {digest}.cert.gz"):
            verify(leaning)
        assert peak_memory() - before < 64 << 20, name


def test_parts_that_are_compressed_one_by_one(tmp_path: Path) -> None:
    """That is one file too, as gzip defines it."""
    text, path = small(), tmp_path / "x.cert"
    path.write_bytes(gzip.compress(text[:100]) + gzip.compress(text[100:]))
    assert verify(path).states == 1


# -- processes -------------------------------------------------------------------------------------


def test_work_may_bring_more_work() -> None:
    for jobs in (1, 3):
        waiting, found = deque([5]), []
        for item, result in completed(waiting, abs, jobs):
            assert item == result
            found.append(item)
            waiting.extend([item - 1, item - 2] if item > 2 else [])
        assert sorted(found) == [1, 1, 2, 2, 2, 3, 3, 4, 5]


def test_a_process_that_fails_or_ends() -> None:
    with pytest.raises(TypeError):
        list(completed(deque(["x"]), abs, 2))
    with pytest.raises(UnboundedError, match="a process has ended"):
        list(completed(deque([3, 3]), os._exit, 2))


def test_ctrl_c_ends_all_processes(tmp_path: Path) -> None:
    """In one line, and at once, though they would search for hours."""
    search = ub.Search("connect-four", moves="4")
    told = json.loads(certificate_by_search()[0]) | {"game": "connect-four", "moves": ["4"]}
    told |= {"fields": [[f.name, f.type, f.count or 1] for f in search.game.state.fields]}
    files: Files = {}
    for claim in (">=1", "<=0"):
        line = f"{search.state.hex()} 0 {claim}?999999999\n".encode()
        own = [json.dumps(told | {"claims": [claim]}).encode() + b"\n", line]
        files[digest_of(own)] = own
    reasons = " ".join(
        f"{claim}%{digest}" for claim, digest in zip((">=1", "<=0"), files, strict=True)
    )
    header = json.dumps(told | {"claims": [">=1"]}).encode() + b"\n"
    path = write_tree(tmp_path, files, [header, f"{search.state.hex()} 0 {reasons}\n".encode()])
    asked = [sys.executable, "-m", "unbounded", "verify", str(path), "--jobs", "2"]
    program = subprocess.Popen(
        [*asked, "--checker", "plain"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while len(processes_of(program.pid)) < 3:
        assert program.poll() is None
        time.sleep(0.05)
    os.killpg(program.pid, signal.SIGINT)
    out, err = program.communicate(timeout=60)
    assert program.returncode == 130
    assert out == ""
    assert "Traceback" not in err
    patience = time.monotonic() + 60  # one that was just being started ends by itself
    while processes_of(program.pid):
        assert time.monotonic() < patience
        time.sleep(0.05)


def processes_of(session: int) -> list[str]:
    """The processes that check, in a session."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            about = (folder / "stat").read_text().rpartition(")")[2].split()
            command = (folder / "cmdline").read_bytes()
            if int(about[3]) == session and about[0] != "Z" and b"resource_tracker" not in command:
                found.append(folder.name)
    return found


# -- the command line ------------------------------------------------------------------------------


def test_on_the_command_line(here: Here, main: Path) -> None:  # noqa: F811
    found = verify(main)
    assert here("verify", str(main), "--jobs", "2") == 0
    assert "proven: draw" in here.out
    assert f"{found.files}: this one and those that it leans on" in here.out
    assert f"{found.states:,} states, by the rules alone" in here.out
    assert f"{found.searched:,} successors, for claims" in here.out
    assert here("verify", str(main), "--json") == 0
    told = json.loads(here.out)
    assert (told["files"], told["states"], told["searched"]) == numbers(found)[:3]
    assert told["digest"] == found.digest
    assert set(told["leans_on"]) == {lean.digest for lean in found.leans_on}
    assert told["header"]["version"] == 2
    assert told["header"]["claims"][0] == {"relation": ">=", "worth": [[0, 0.0]]}
    assert here("verify", str(main), "--jobs", "0") == 2
    assert is_one_line(here.err)
    next(main.parent.glob("?" * 64 + ".cert")).unlink()
    assert here("verify", str(main)) == 1
    assert "main.cert leans on" in here.err or ".cert leans on" in here.err
    assert is_one_line(here.err)


@pytest.mark.parametrize(
    ("claims", "scores", "words"),
    [
        ([">=0"], False, "proven: player 1 gets at least a draw"),
        (["<=0"], False, "proven: player 1 gets at most a draw"),
        ([">=1"], False, "proven: player 1 wins"),
        ([">=0", "<=0"], False, "proven: draw"),
        ([">=1:2.5"], True, "proven: player 1 gets at least a win with a score of +2.500"),
        (
            ["<=0:1", ">=-1:-3"],
            True,
            "at least a loss with a score of -3.000 and at most a draw with a score of +1.000",
        ),
    ],
)
def test_what_is_proven_in_words(claims: list[str], scores: bool, words: str) -> None:
    told = json.loads(certificate_by_search()[0]) | {"claims": claims, "scores": scores}
    header = read_header(json.dumps(told).encode())
    assert f"proven: {proven_text(header)}".endswith(words)


def test_a_compressed_file_on_the_command_line(here: Here, tmp_path: Path) -> None:  # noqa: F811
    path = tmp_path / "some"
    path.write_bytes(gzip.compress(small()))
    assert here("verify", str(path)) == 0
    assert "proven: player 1 wins" in here.out
    for text in (gzip.compress(b"nothing\n"), b"\x1f\x8b", gzip.compress(small())[:20]):
        path.write_bytes(text)
        assert here("verify", str(path)) == 2
        assert "is not a certificate" in here.err and is_one_line(here.err)
