# SPDX-License-Identifier: MIT
"""Solving a game: search until the value is proven."""
