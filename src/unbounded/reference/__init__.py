# SPDX-License-Identifier: MIT
"""The paper's algorithms in plain Python: what they mean, and what the fast core must agree with.

Never optimised, and recursive: read it beside the paper, or run it on little games.
`definitions` holds the paper's symbols, `completion` the three rules for c, v and r, `ubfm`
and `descent` one iteration each, `decision` the choice of an action, and `backward_induction` the
exact values that a finished search must have. A listing is cited as "Algorithm 3, line 20", all
its lines counted from the function's head; "ERRATA n" marks where a listing had to be repaired.
"""

from unbounded.reference.search import Search

__all__ = ["Search"]
