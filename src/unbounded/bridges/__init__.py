# SPDX-License-Identifier: MIT
"""Bridges to other systems, each of which needs its extra.

See `docs/openspiel.md` and `docs/pettingzoo.md`.
"""
