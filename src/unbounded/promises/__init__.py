# SPDX-License-Identifier: MIT
"""What a game promises, and how each promise is checked; `unbounded.testing` is the public face."""
