# SPDX-License-Identifier: MIT
"""The benchmarks' tables and comparisons, and the metrics; the figures are left to `make bench`."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
sys.path.append(str(BENCHMARKS))

import measurements  # noqa: E402
import metrics  # noqa: E402
from measurements import Measurement, Stored, alone, faster  # noqa: E402

LONG = "connect-four(width=4,height=4,line=3,players=3) solved, OpenSpiel MCTS solver"
ROWS = [
    faster(LONG, "one thread", 0.001, 0.5, 20),
    alone("nim(heaps=[1,3,5,7],misere=true)", "perft, depth 3", 3e6, "1/s", "and a note"),
    alone("a state", "7x6", 50, "bytes"),
]


@pytest.fixture
def stored(tmp_path: Path) -> Stored:
    measurements.write(ROWS, tmp_path / "stored.json")
    return Stored(tmp_path / "stored.json")


def shown(rows: list[Measurement], stored: Stored) -> str:
    out = io.StringIO()
    measurements.show(Console(file=out, width=80), "a section", rows, stored)
    return out.getvalue()


def test_tables_fit_and_nothing_is_cut(stored: Stored) -> None:
    text = shown(ROWS, stored)
    assert max(map(len, text.splitlines())) <= 80
    words = "".join(text.split()).replace("│", "")
    for piece in ("width=4,", "height=4,", "line=3,", "players=3)", "misere=true)", "andanote"):
        assert piece in words
    assert "…" not in text and "!" not in text


@pytest.mark.parametrize(
    ("row", "factor", "change", "slower"),
    [
        (0, {"ratio": 450.0}, -0.1, True),  # ratios count, not times
        (0, {"ratio": 490.0, "ours": 1.0}, -0.02, False),
        (1, {"ours": 2e6}, -1 / 3, True),
        (1, {"ours": 6e6, "note": "another"}, 1.0, False),
        (2, {"ours": 100.0}, -0.5, True),
        (2, {"work": "another"}, None, False),
    ],
)
def test_what_is_slower_is_marked(
    row: int, factor: dict[str, Any], change: float | None, slower: bool, stored: Stored
) -> None:
    fresh = replace(ROWS[row], **factor)
    assert stored.change(fresh) == (None if change is None else pytest.approx(change))
    assert stored.is_slower(fresh) is slower
    assert ("!" in shown([fresh], stored)) is slower


def test_another_machine_is_compared_by_ratios_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measurements.write(ROWS, tmp_path / "stored.json")
    monkeypatch.setattr(measurements, "machine", lambda: "another")
    stored = Stored(tmp_path / "stored.json")
    assert [stored.change(row) for row in ROWS] == [0, None, None]


def test_the_stored_figures_can_be_read() -> None:
    stored = Stored()
    assert stored.machine
    rows = [Measurement(**row) for row in json.loads(measurements.STORED.read_text())["rows"]]
    assert all(stored.change(row) in (0, None) for row in rows)


# -- metrics ---------------------------------------------------------------------------------------

PYTHON = """
def outer():
    def inner():
        a = 1
        b = 2
        return a
    return inner
"""
CPP = """
#if defined(X)
#endif
namespace a {
struct B {
    int c() { return 1; }
    friend class D;
};
// friend dynamic_cast { {
int Long::function(int x) {
    if (x) {
        return dynamic_cast<int>(x);
    }
    return 0;
}
}
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    files = {
        "src/unbounded/__init__.py": "",
        "src/unbounded/a.py": PYTHON,
        "src/unbounded/b/c.py": PYTHON + "resolve_on_win = ConnectFour\n",
        "core/x.cpp": CPP,
        "core/tests/y.cpp": CPP * 9,
        "tests/z.py": "descent",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_metrics(checkout: Path) -> None:
    found = metrics.measure(checkout)
    assert found["modules at the top level"] == 2
    assert found["Python modules"] == 3
    assert found["longest Python function"] == "4 (inner, src/unbounded/a.py)"
    assert found["longest C++ function"] == "6 (Long::function, core/x.cpp)"
    assert found["repeated blocks of 6 lines, Python"] == 1
    assert (found["dynamic_cast"], found["friend"]) == (1, 1)
    assert found["which files"] == {
        "resolve_on_win": ["src/unbounded/b/c.py"],
        "descent": [],
        "connect-four": ["src/unbounded/b/c.py"],
    }


def test_metrics_of_this_checkout() -> None:
    command = [sys.executable, str(BENCHMARKS / "metrics.py"), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    assert json.loads(done.stdout)["Python modules"] > 50
