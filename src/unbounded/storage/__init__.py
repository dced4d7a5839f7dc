# SPDX-License-Identifier: MIT
"""Files that survive: atomic replacement, checked arrays, fingerprints of rules."""
