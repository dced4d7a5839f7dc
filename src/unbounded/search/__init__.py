# SPDX-License-Identifier: MIT
"""Search: options, budgets, the search itself, views of it, and what it found."""
