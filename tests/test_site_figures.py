# SPDX-License-Identifier: MIT
"""Figures of the site are what they say: recorded from the reference, drawn from the JSON."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import unbounded as ub
from unbounded.reference.backward_induction import minimax_outcomes

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT / "website"))

import charts  # noqa: E402
import docstrings  # noqa: E402
import iterations  # noqa: E402
import links  # noqa: E402
import notebooks  # noqa: E402
import step_by_step  # noqa: E402

RUNS = [(scene, algorithm) for scene in iterations.SCENES for algorithm in scene.iterations]


def ids(value: Any) -> str:
    return value if isinstance(value, str) else value.name


@pytest.mark.parametrize(("scene", "algorithm"), RUNS, ids=ids)
def test_steps_add_up_to_the_run(scene: iterations.Scene, algorithm: str) -> None:
    """What the picture shows at its last step is what the search has stored."""
    run = iterations.Recorder(scene, algorithm)
    stored, values, visits = set(), {}, {}
    for step in run.steps:
        assert stored.isdisjoint(step.appear)
        stored |= set(step.appear)
        assert step.state in stored
        values |= step.values
        visits |= step.visits
    assert stored == set(run.numbers.values())
    for state, number in run.numbers.items():
        proven = run.completion[state] if run.resolved[state] else None
        assert values[number] == (run.value[state], proven)
    counted = {f"{run.numbers[s]}-{run.numbers[t]}": n for (s, t), n in run.visits.items() if n}
    assert visits == counted


@pytest.mark.parametrize(("scene", "algorithm"), RUNS, ids=ids)
def test_what_is_proven_is_true(scene: iterations.Scene, algorithm: str) -> None:
    """Backward induction agrees with every state that the picture marks as proven."""
    run = iterations.Recorder(scene, algorithm)
    truth = minimax_outcomes(ub.load_game("tic-tac-toe"))
    for state in run.numbers:
        if run.resolved[state]:
            assert run.completion[state] == truth[state]
    assert run.resolved[run.root] == (scene.iterations[algorithm] is None)


@pytest.mark.parametrize("algorithm", ["ubfm", "descent"])
def test_steps_name_the_line_that_made_them(algorithm: str) -> None:
    source = iterations.listing(algorithm)
    does = {"expand": "T.expand(s)", "back up": "T.back_up(s)", "select": f"{algorithm}_iteration("}
    for step in iterations.Recorder(iterations.SCENES[0], algorithm).steps:
        begins = step.kind == "select" and len(step.path) == 1
        assert ("T.visit(s)" if begins else does[step.kind]) in source[step.line]


def test_the_picture_in_the_repository_is_up_to_date() -> None:
    made = (ROOT / "docs" / step_by_step.STILL).read_text("utf-8")
    assert made == step_by_step.still(), "run python website/step_by_step.py"


def test_charts_show_the_figures_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def row(name: str, ours: float) -> dict[str, Any]:
        known = {"name": name, "work": "solving, 9 states", "ours": ours, "unit": "1/s"}
        return known | {"peer": None, "ratio": None}

    stored = {"machine": "old", "rows": [row("nim", 1e6), row("hex", 4e6)]}
    (tmp_path / "stored.json").write_text(json.dumps(stored))
    monkeypatch.setattr(charts, "BENCHMARKS", tmp_path)
    assert bar_widths(charts.solving_speed())[1] == pytest.approx(
        4 * bar_widths(charts.solving_speed())[0], rel=1e-2
    )
    assert "4 M/s" in charts.solving_speed() and "(old)" in charts.solving_speed()
    assert "No comparison is stored" in charts.beside_others()
    newer = {"machine": "new", "rows": [row("hex", 5e5)]}  # the last run is preferred
    (tmp_path / "results.json").write_text(json.dumps(newer))
    assert "500 k/s" in charts.solving_speed() and "4 M/s" not in charts.solving_speed()


def bar_widths(chart: str) -> list[float]:
    return [float(x) for x in re.findall(r'class="bar"[^>]*?width="([\d.]+)"', chart)]


def test_every_marker_has_a_chart() -> None:
    page = (ROOT / "docs" / "benchmarks.md").read_text("utf-8")
    assert set(charts.MARKER.findall(page)) == set(charts.CHARTS)
    assert "<!--" not in charts.with_charts(page)


def test_links_out_of_the_documents_lead_to_pages_of_the_site() -> None:
    text = "[a](../README.md#x) [b](../src/unbounded/version.py) [c](games.md) [d](https://x.y)"
    assert links.rewritten("solving.md", text) == (
        "[a](about/readme.md#x) [b](source/src/unbounded/version.py.md) [c](games.md) "
        "[d](https://x.y)"
    )
    assert links.rewritten("about/readme.md", "[a](docs/api.md)") == "[a](../api.md)"
    assert links.rewritten("tutorials/index.md", "[a](../api.md)") == "[a](../api.md)"
    assert links.sources_linked("solving.md", text) == {"src/unbounded/version.py"}


def test_what_is_read_otherwise_is_rewritten() -> None:
    assert links.rewritten("a.md", "Games\n- one\n  more\n- two") == "Games\n\n- one\n  more\n- two"
    row = "| 141 | `unbounded games \\| head -1` |"
    assert links.rewritten("a.md", row) == "| 141 | <code>unbounded games &#124; head -1</code> |"
    block = "```\nx\n- y `\\|`\n```"
    assert links.rewritten("a.md", block) == block


def test_docstrings_get_sections() -> None:
    text = "Do it.\n\nWith care.\nhow: quickly,\nor not at all.\nNote: this is text.\n\n>>> do()\n1"
    assert docstrings.with_sections(text, {"how"}) == (
        "Do it.\n\nWith care.\n\nArgs:\n    how: quickly,\n        or not at all.\n"
        "        Note: this is text.\n\nExamples:\n    >>> do()\n    1"
    )
    assert docstrings.with_sections("See: this.", {"how"}) == "See: this."


def test_the_notebooks_print_what_they_say() -> None:
    pytest.importorskip("nbclient", reason="needs: pip install nbclient ipykernel")
    done = subprocess.run(
        [sys.executable, ROOT / "website" / "notebooks.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_notebook_has_a_page() -> None:
    assert len(notebooks.NOTEBOOKS) >= 3
    page = notebooks.notebook_pages()["notebooks/first_steps.md"]
    assert page.startswith("# First steps") and '<div class="notebook-output"><svg' in page
