# SPDX-License-Identifier: MIT
"""What the command line draws."""
