# SPDX-License-Identifier: MIT
"""What the documents show runs, and says what they say."""

from __future__ import annotations

import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from certificates import certificate, verdict

import unbounded as ub
from unbounded.solving.solve import shortcuts
from unbounded.testing import check_game

ROOT = Path(__file__).parent.parent


def code_blocks(path: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)


def test_the_readme_is_a_transcript_that_runs() -> None:
    failed, attempted = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert attempted >= 8
    assert failed == 0


def test_the_page_on_notebooks_runs() -> None:
    path = ROOT / "docs" / "notebooks.md"
    failed, attempted = doctest.testfile(str(path), module_relative=False)
    assert attempted >= 8
    assert failed == 0


def test_the_packages_own_example() -> None:
    failed, attempted = doctest.testmod(ub)
    assert attempted >= 2
    assert failed == 0


@pytest.mark.parametrize(
    ("document", "name", "first_player"),
    [
        # 21 is not a multiple of 4, so the first player wins; 10 is none of 3.
        ("README.md", "Sticks", 1),
        ("docs/adding_a_game.md", "Countdown", 1),
    ],
)
def test_games_in_the_documents(
    document: str, name: str, first_player: int, tmp_path: Path
) -> None:
    block = next(b for b in code_blocks(ROOT / document) if f"class {name}" in b)
    file = tmp_path / "mine.py"
    file.write_text(block, encoding="utf-8")
    game = ub.game(f"{file}:{name}")
    check_game(game)
    search = ub.Search(game, **shortcuts(game, {}))
    assert search.run().outcome == (first_player, -first_player)
    verdict(certificate(search), game)


def test_links_in_the_documents_lead_somewhere() -> None:
    for document in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text(encoding="utf-8")):
            assert (document.parent / target).exists(), f"{document.name}: {target}"


@pytest.mark.parametrize("document", ["certificates.md", "tables.md"])
def test_sessions_in_the_documents(document: str, tmp_path: Path) -> None:
    """What is shown after a command is what it prints, but for the width of the terminal."""
    text = (ROOT / "docs" / document).read_text(encoding="utf-8")
    commands = 0
    for session in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for step in session.split("$ ")[1:]:
            command, *shown = step.splitlines()
            assert command.startswith("unbounded ")
            done = subprocess.run(
                [sys.executable, "-m", *shlex.split(command)],
                cwd=tmp_path,
                capture_output=True,
                text=True,
                check=True,
            )
            printed = [" ".join(line.split()) for line in done.stdout.splitlines()]
            for line in shown:
                assert " ".join(line.split()) in printed, command
            commands += 1
    assert commands >= 2
