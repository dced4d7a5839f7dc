# SPDX-License-Identifier: MIT
"""The page's scripts without a browser: their logic by node's test runner, and their size."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "src" / "unbounded" / "interfaces" / "web" / "page"
NODE = shutil.which("node")
MOST_LINES = 400


@pytest.mark.skipif(
    NODE is None, reason="NO NODE: the page's scripts were not tested by themselves"
)
def test_the_logic_of_the_page() -> None:
    assert NODE is not None
    files = sorted(str(path) for path in (ROOT / "tests" / "page").glob("*.test.js"))
    assert len(files) > 5
    run = subprocess.run(
        [NODE, "--test", *files], check=False, capture_output=True, text=True, cwd=ROOT
    )
    assert run.returncode == 0, run.stdout + run.stderr
    passed = re.search(r"^# pass (\d+)$", run.stdout, re.MULTILINE)
    assert passed is not None and int(passed[1]) >= 24, run.stdout


@pytest.mark.parametrize("path", sorted(PAGE.glob("*.js")), ids=lambda path: path.name)
def test_a_script_is_small_and_sets_no_markup(path: Path) -> None:
    """Names come from games, and games may be hostile: text is set as text."""
    text = path.read_text()
    assert text.startswith("// SPDX-License-Identifier: MIT\n")
    assert len(text.splitlines()) <= MOST_LINES
    for forbidden in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert forbidden not in text


def test_the_lock_file_names_no_host() -> None:
    """Whoever installs the checks gets them from where they get everything else."""
    assert '"resolved"' not in (ROOT / "package-lock.json").read_text()
