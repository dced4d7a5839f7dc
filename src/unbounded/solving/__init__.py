# SPDX-License-Identifier: MIT
"""Solving a game: search until the value is proven."""

from unbounded.solving.solve import solve

__all__ = ["solve"]
