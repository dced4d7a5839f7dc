# SPDX-License-Identifier: MIT
"""The words of `docs/glossary.md` are the only ones: those that they replaced do not come back."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PLACES = ["src", "core", "docs", "examples", "website"]
PAGES = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]
KINDS = {".py", ".pyi", ".h", ".cpp", ".md", ".js", ".html", ".css"}


@dataclass(frozen=True)
class Retired:
    """A word that is not used any more, as a regular expression."""

    pattern: str
    instead: str
    allowed: tuple[str, ...] = ()
    """Files and folders where the word means something else."""


RETIRED = [
    Retired(r"\bselections\b|\bn_looks\b|\.looks\b|\"looks\"|looked at most", "visits"),
    Retired(r"look(s|ing)?_bad|make_look", "virtual loss"),
    Retired(r"\bhabits?\b|habit_|_habit", "move ordering"),
    Retired(r"\btid(y|ied|ying)", "compaction"),
    Retired(r"\bproven_table|ProvenTable", "transposition table"),
    Retired(r"\bPromises\b|(check|refuse)_promises?", "conformance, declared"),
    Retired(r"\b_?[Hh]ouses?\b", "RoomManager, rooms"),
    Retired(r"\b_?[Dd]oors?\b", "access control"),
    Retired(r"\bImpatient|\bimpatient", "connection"),
    Retired(r"\bby lot\b", "random opening"),
    Retired(r"\banalys(e|ed|ing)\b", "analyze"),
    Retired(r"\bbest_first\.(py|cpp)|\bserving/|\b(showing|deciding)\.py", "the new path"),
]
BRITISH = (
    r"(?i)colour|neighbour|favour|behaviour|licence|cancell|[a-z]isation"
    r"|(optim|maxim|minim|general|initial)is(e|ed|es|ing)\b"
)
ELSEWHERE = {"adding_a_game", "games"}
"""Pages of `docs/` that quote names and docstrings of games, whose spelling is not tested."""


def texts() -> dict[str, str]:
    """Every text file in question, by its path."""
    paths = [ROOT / page for page in PAGES]
    for place in PLACES:
        paths += [path for path in (ROOT / place).rglob("*") if path.suffix in KINDS]
    kept = [path for path in paths if "__pycache__" not in path.parts]
    return {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in kept}


TEXTS = texts()


def found(pattern: str, paths: list[str]) -> list[str]:
    return [
        f"{path}:{number}: {line.strip()}"
        for path in paths
        if re.search(pattern, TEXTS[path])
        for number, line in enumerate(TEXTS[path].splitlines(), 1)
        if re.search(pattern, line)
    ]


@pytest.mark.parametrize("retired", RETIRED, ids=lambda retired: retired.instead)
def test_retired_words_do_not_come_back(retired: Retired) -> None:
    paths = [path for path in TEXTS if not path.startswith(retired.allowed)]
    assert found(retired.pattern, paths) == [], f"say {retired.instead}"


def test_the_pages_are_written_in_american_english() -> None:
    docs = [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "tutorials").glob("*.md")]
    pages = [*PAGES, *(path.relative_to(ROOT).as_posix() for path in docs)]
    assert found(BRITISH, [page for page in pages if Path(page).stem not in ELSEWHERE]) == []


@pytest.mark.parametrize(
    "symbol",
    [
        *("A(s)", "j(s)", "t(s)", "f_b(s)", "f_t(s)", "f_θ(s)", "S_p"),
        *("c(s)", "c'(s)", "v(s)", "r(s)", "n(s, s')", "M(s)"),
    ],
)
def test_the_glossary_has_every_symbol_of_the_paper(symbol: str) -> None:
    assert f"| {symbol} |" in TEXTS["docs/glossary.md"]


def test_every_place_in_the_glossary_exists() -> None:
    rows = [
        row.split("|") for row in TEXTS["docs/glossary.md"].splitlines() if row.startswith("| ")
    ]
    places = {place for row in rows for place in re.findall(r"`([\w/.]+/[\w.]*)`", row[-2])}
    assert len(places) > 10
    for place in places:
        assert (ROOT / "src" / "unbounded" / place).exists() or (ROOT / place).exists(), place
