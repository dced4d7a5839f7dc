# SPDX-License-Identifier: MIT
"""Errors that come between two lines of the code, as Ctrl-C does."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import unbounded as ub
from unbounded.native import object_rules


class Interruption:
    """Raises an error before a certain line that runs in the given files."""

    def __init__(self, files: list[str], line: int, error: type[BaseException]) -> None:
        self.files, self.left, self.error = files, line, error

    def __call__(self, frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_code.co_filename not in self.files:
            return None
        self.left -= event == "line"
        if self.left < 0:
            sys.settrace(None)
            raise self.error
        return self


def interrupt(search: ub.Search, files: list[str], line: int, error: type[BaseException]) -> None:
    """Run a search until such an error ends it, if it does."""
    before = sys.gettrace()
    sys.settrace(Interruption(files, line, error))
    try:
        search.run()
    except error:
        pass
    finally:
        sys.settrace(before)


def require_sound(bridge: object_rules.Bridge) -> None:
    """Every number stands for one state, up to symmetry."""
    assert len(bridge.origins) == 2 * len(bridge.states)
    assert set(bridge.numbers.values()) == set(range(len(bridge.states)))
    for number, state in enumerate(bridge.states):
        assert bridge.numbers[bridge.key_of(state)] == number
