# SPDX-License-Identifier: MIT
"""The signature: what fixed work counts. It changes only when the core searches differently.

A commit that changes `core/` says so: its message has a line `Bench: N`, where N is the signature
that is stored with it, whether it changed or not.
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from unbounded.interfaces.cli import bench
from unbounded.interfaces.cli.main import main

ROOT = Path(__file__).parent.parent
STORED = "benchmarks/signature"


def test_the_signature_is_the_stored_one() -> None:
    found, stored = bench.signature(), int((ROOT / STORED).read_text("ascii"))
    assert found == stored, f"if that is meant: make signature, and commit with 'Bench: {found}'"


def test_every_work_counts_something_and_always_the_same() -> None:
    works = [work for work in bench.works() if work.name in ("solve", "max-n", "mcts")]
    assert len(works) == 6
    for work in works:
        counts = {work.do(work.game) for _ in range(2)}
        assert len(counts) == 1 and counts != {0}, work


@pytest.mark.parametrize("flags", [["--signature"], [], ["--json"]])
def test_the_command(
    flags: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    work = bench.Work("connect-four(width=5,height=4)", "twice as much each time", len)
    monkeypatch.setattr(bench, "works", lambda: [work, work])
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["bench", *flags]) == 0
    out = capsys.readouterr().out
    if flags == ["--signature"]:
        assert out == "60\n"
    elif flags:
        assert json.loads(out)["signature"] == 60
    else:
        assert out.splitlines()[-1] == "signature 60"
        assert "connect-four(width=5,height=4)" in out
        assert max(map(len, out.splitlines())) <= 80


# -- what commits say ------------------------------------------------------------------------------


def git(folder: Path, *arguments: str) -> str:
    """What git answers; nothing if it cannot."""
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=False
    )
    return done.stdout.strip() if done.returncode == 0 else ""


def lines_of(folder: Path, commit: str) -> list[str]:
    return re.findall(r"^Bench: (\d+)$", git(folder, "log", "-1", "--format=%B", commit), re.M)


def problem(folder: Path) -> str:
    """What is wrong with the newest commit that changes the core; nothing if all is well.

    Commits that are older than the signature are not asked. A merge may leave it to the newest
    commit that it brings, unless the two sides together have another signature.
    """
    introduced = git(folder, "log", "--diff-filter=A", "--format=%H", "--", STORED).split()
    if not introduced:
        return ""
    since = f"{introduced[-1]}..HEAD"
    newest = git(folder, "log", "-1", "--first-parent", "--format=%H", since, "--", "core")
    if not newest:
        return ""
    stored, said = git(folder, "show", f"{newest}:{STORED}"), lines_of(folder, newest)
    if not said and git(folder, "rev-parse", "--verify", "--quiet", f"{newest}^2"):
        brought = git(
            folder,
            "log",
            "-1",
            "--no-merges",
            "--format=%H",
            f"{newest}^1..{newest}^2",
            "--",
            "core",
        )
        said = lines_of(folder, brought)
    if said == [stored]:
        return ""
    return f"commit {newest[:10]} changes core/ and needs one line 'Bench: {stored}', not {said}"


def test_the_newest_change_of_the_core_has_its_line() -> None:
    assert problem(ROOT) == ""


class Repository:
    """A little one, to try the check on."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.commits = 0
        folder.mkdir()
        git(folder, "init", "--initial-branch=main")
        for name, value in (("user.name", "A"), ("user.email", "a@example.org")):
            git(folder, "config", name, value)

    def commit(self, message: str, **files: str) -> None:
        for name, text in files.items():
            path = self.folder / {"core": "core/a.cpp", "stored": STORED}.get(name, name)
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        git(self.folder, "add", ".")
        git(self.folder, "commit", "--allow-empty", "-m", message)

    def merge(self, branch: str, message: str) -> None:
        git(self.folder, "merge", "--no-ff", branch, "-m", message)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    if not git(tmp_path, "--version"):
        pytest.skip("git is not installed")
    made = Repository(tmp_path / "r")
    made.commit("Begin", core="1")
    assert problem(made.folder) == ""
    made.commit("Store the signature", stored="10\n", core="2")
    assert problem(made.folder) == ""
    return made


@pytest.mark.parametrize(
    ("message", "good"),
    [
        ("Change\n\nBench: 10", True),
        ("Change", False),
        ("Change\n\nBench: 11", False),
        ("Change\n\nBench: 10\nBench: 11", False),
        ("Change\n\nnot Bench: 10", False),
    ],
)
def test_the_line_of_a_change(repository: Repository, message: str, good: bool) -> None:
    repository.commit(message, core="3")
    assert (problem(repository.folder) == "") is good
    repository.commit("Change something else", other="x")
    assert (problem(repository.folder) == "") is good
    repository.commit("Change again\n\nBench: 12", core="4", stored="12\n")
    assert problem(repository.folder) == ""


@pytest.mark.parametrize("message", ["Merge", "Merge\n\nBench: 10"])
def test_the_line_of_a_merge(repository: Repository, message: str) -> None:
    folder = repository.folder
    git(folder, "switch", "-c", "side")
    repository.commit("Change\n\nBench: 10" if message == "Merge" else "Change", core="3")
    git(folder, "switch", "main")
    repository.commit("Elsewhere", other="x")
    repository.merge("side", message)
    assert len(git(folder, "rev-list", "--min-parents=2", "HEAD").split()) == 1
    assert problem(folder) == ""
