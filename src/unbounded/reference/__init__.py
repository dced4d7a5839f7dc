# SPDX-License-Identifier: MIT
"""The paper in plain Python: the specification of the searches, never optimized.

Read it beside *Completeness of Unbounded Best-First Game Algorithms*. One file per listing, or per
family of listings that differ in a few lines:

| file | listing |
|---|---|
| `definitions.py` | Definitions 1 and 9: A(s), f_b, f_t and D_t of a game |
| `search.py` | S_p, T = (v, c, r) and n; the loop of Algorithms 7, 8 and 10 |
| `minimax.py` | Algorithm 1: two players |
| `resolved_completion.py` | Algorithms 4, 5 and 8: the first generalization |
| `propagated_completion.py` | Algorithms 11, 12 and 13: the second generalization |
| `ubfm.py` | UBFM_iteration: Algorithms 2, 6 and 14 |
| `descent.py` | descent_iteration: Algorithms 3, 9 and 15 |
| `decision.py` | the action to play: Algorithms 7, 8, 10 and 13 |
| `remark.py` | the variants of Remark 10 |
| `backward_induction.py` | Definitions 2, 11 and 12: M(s) by brute force, tie-breaking scores |

Listings have no printed line numbers: lines are counted from the head of each function, which is
line 1, with every `else` and no `end`. "ERRATA n" marks a deviation from the print, explained in
`docs/errata.md` under that number. The paper writes s' for a child of s, here `child`, and numbers
the players from 1, here from 0.
"""

from unbounded.reference.search import Search

__all__ = ["Search"]
