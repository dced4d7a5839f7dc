# SPDX-License-Identifier: MIT
"""Players that nobody here wrote: other programs, run as processes, and OpenSpiel's search."""
