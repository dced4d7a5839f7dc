# SPDX-License-Identifier: MIT
"""Conformance of games to the contract, one module per kind of check; see `unbounded.testing`."""
