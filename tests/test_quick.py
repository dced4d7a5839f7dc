# SPDX-License-Identifier: MIT
"""`make quick` runs what `quick.txt` names: a little of every part, and all of it exists."""

from __future__ import annotations

from pathlib import Path

import pytest

TESTS = Path(__file__).parent
NAMED = (TESTS / "quick.txt").read_text("utf-8").splitlines()


@pytest.mark.parametrize("line", NAMED)
def test_what_is_named_exists(line: str) -> None:
    path, _, function = line.partition("::")
    text = (TESTS.parent / path).read_text("utf-8")
    assert not function or f"def {function.partition('[')[0]}(" in text
