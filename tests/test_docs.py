# SPDX-License-Identifier: MIT
"""What the documents show runs, and says what they say."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import unbounded as ub
from unbounded.testing import check_game

ROOT = Path(__file__).parent.parent


def code_blocks(path: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)


def test_the_readme_is_a_transcript_that_runs() -> None:
    failed, attempted = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
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
    assert ub.solve(game).outcome == (first_player, -first_player)


def test_links_in_the_documents_lead_somewhere() -> None:
    for document in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text(encoding="utf-8")):
            assert (document.parent / target).exists(), f"{document.name}: {target}"
