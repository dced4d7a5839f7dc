# SPDX-License-Identifier: MIT
"""The only access to the compiled core: its rules, evaluators and searches."""

from __future__ import annotations

from unbounded.native import core, routes
from unbounded.native.core import *  # noqa: F403  # listed there
from unbounded.native.routes import *  # noqa: F403

__all__ = []
__all__ += core.__all__
__all__ += routes.__all__
