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

from unbounded.reference import descent, ubfm

if TYPE_CHECKING:
    from unbounded.reference.search import Search


@dataclass(frozen=True)
class Algorithm:
    """A way to iterate: its reference, and how it is called."""

    name: str
    iteration: Callable[[Search[Any], Any], None]
    title: str
    """For the page."""
    summary: str
    """What an iteration expands, as help texts say it after the name."""
    variants: tuple[str, ...] = ()
    """Options of the paper's Remark that only this algorithm has."""


_ENTRIES = (
    Algorithm("ubfm", ubfm.iteration, "best-first (UBFM)", "the leaf at the end of the best line"),
    Algorithm("descent", descent.iteration, "Descent", "a line to the end", ("stop_at_draw",)),
)

ALGORITHMS: dict[str, Algorithm] = {entry.name: entry for entry in _ENTRIES}


def having(variant: str) -> list[str]:
    """Return the names of the algorithms that have this variant."""
    return [name for name, algorithm in ALGORITHMS.items() if variant in algorithm.variants]
