# SPDX-License-Identifier: MIT
"""Bridges to other systems, each of which needs its extra: see `docs/bridges.md`."""
