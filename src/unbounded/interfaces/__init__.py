# SPDX-License-Identifier: MIT
"""Ways to use the system: command line, terminal, page, engine."""
