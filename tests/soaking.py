# SPDX-License-Identifier: MIT
"""How often tests repeat themselves: a little each time, a lot in `make soak`."""

from __future__ import annotations

import os

SOAK = os.environ.get("UNBOUNDED_SOAK", "0") not in ("", "0")


def repeated(few: int, *, soak: int) -> int:
    """How often to repeat what a few times prove as well, unless something is rare."""
    return soak if SOAK else few
