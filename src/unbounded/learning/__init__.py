# SPDX-License-Identifier: MIT
"""Evaluations learned by self-play: the Descent framework."""
