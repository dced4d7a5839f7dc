# SPDX-License-Identifier: MIT
"""The conformance kit, for the tests of your own games."""

from __future__ import annotations

from unbounded.conformance.check import *  # noqa: F403
