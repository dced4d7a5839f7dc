# SPDX-License-Identifier: MIT
"""The registry of algorithms: one entry each, from which every other list of them follows.

`Search`, the command line, the players, the page and the tests take the names from here. The core
has the same registry, `core/search/algorithms.h`; `tests/test_lockstep.py` compares the two, and
runs every algorithm beside its reference.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unbounded.reference.descent import descent_iteration
from unbounded.reference.ubfm import ubfm_iteration

if TYPE_CHECKING:
    from unbounded.reference.search import Search


@dataclass(frozen=True)
class Algorithm:
    """A way to iterate: its reference, its title, and what an iteration expands."""

    name: str
    iteration: Callable[[Any, Search[Any]], None]
    title: str
    expands: str


_ENTRIES = (
    Algorithm("ubfm", ubfm_iteration, "best-first (UBFM)", "the leaf at the end of the best line"),
    Algorithm("descent", descent_iteration, "Descent", "every leaf on the way to a resolved state"),
)

ALGORITHMS: dict[str, Algorithm] = {entry.name: entry for entry in _ENTRIES}
