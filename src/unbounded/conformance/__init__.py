# SPDX-License-Identifier: MIT
"""Conformance of games to the contract, check by check; `unbounded.testing` is its public face."""
