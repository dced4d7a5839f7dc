# SPDX-License-Identifier: MIT
"""Bridges to other systems, each of which needs its extra: `docs/openspiel.md`, `docs/pettingzoo.md`."""
