# SPDX-License-Identifier: MIT
"""The package `pyspiel`, imported where it is used: without it, everything else works."""

from __future__ import annotations

import importlib
from typing import Any

from unbounded.game import UsageError

INSTALL = "pip install 'unbounded[openspiel]'"


def pyspiel() -> Any:
    """Import OpenSpiel, or raise an error that says how to install it."""
    try:
        return importlib.import_module("pyspiel")
    except ImportError as error:
        raise UsageError(f"games of OpenSpiel need OpenSpiel ({error}): {INSTALL}") from error
