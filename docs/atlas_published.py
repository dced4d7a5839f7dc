# SPDX-License-Identifier: MIT
"""Values from elsewhere that the games themselves do not list, and remarks for the atlas."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import xor

from unbounded.game import Known

FIRST, DRAW, SECOND = (1, -1), (0, 0), (-1, 1)
OUTCOMES = {"W": FIRST, "D": DRAW, "L": SECOND}
"""Of the first player."""

STEININGER = "published: C. Steininger, github.com/ChristopheSteininger/c4"
SONG = "published: Song and Mueller, An Enhanced Solver for the Game of Amazons, 2014, abstract"
SMALLGAMES = "published: github.com/jh85/smallgames, by exhaustive tables"
BOUTON = "theory: Bouton 1901"
GALE = "Gale 1974 (not checked): strategy stealing"


def connect_four() -> Iterator[Known]:
    """Yield the outcomes of a published table: a row for each height, widths from 4."""
    rows = {4: "DDLDL", 5: "DDDDW", 6: "DDLWL", 7: "DDW", 8: "DD"}
    for height, outcomes in rows.items():
        for width, outcome in enumerate(outcomes, 4):
            board = f"connect-four(width={width},height={height})"
            yield Known(board, OUTCOMES[outcome], STEININGER, slow=True)


def domineering() -> Iterator[Known]:
    """Yield outcome classes: N and P, the first player wins or loses; V and H, that player wins."""
    classes = {"2x2": "N", "2x3": "N", "2x4": "H", "2x5": "V", "2x6": "N", "3x3": "N"}
    classes |= {"3x4": "H", "3x5": "H", "4x4": "N", "4x5": "V", "4x6": "N"}
    for board, kind in classes.items():
        rows, columns = board.split("x")
        for first in ("vertical", "horizontal"):
            wins = kind in ("N", first[0].upper())
            text = f"domineering(rows={rows},columns={columns},first={first})"
            yield Known(text, FIRST if wins else SECOND, "independent solver")


def nim() -> Iterator[Known]:
    """Yield what the theory says of two players, for the heaps of the list."""
    for heaps in ([2, 2], [1, 2, 3], [3, 4, 5], [1, 3, 5, 7], [5, 6, 7, 8]):
        loses = reduce(xor, heaps) == 0
        # With a heap of two or more, who loses is the same in a misere game.
        for misere in ("false", "true"):
            text = f"nim(heaps={heaps},misere={misere})".replace(" ", "")
            yield Known(text, SECOND if loses else FIRST, BOUTON)


def chomp() -> Iterator[Known]:
    """Yield Gale's theorem for boards of more than one square."""
    for rows in range(1, 11):
        for columns in range(max(2, rows), 11):
            yield Known(f"chomp(rows={rows},columns={columns})", FIRST, GALE)


PUBLISHED = (
    *connect_four(),
    *domineering(),
    *nim(),
    *chomp(),
    Known("amazons(rows=4,columns=5)", FIRST, SONG),
    Known("amazons(rows=4,columns=5)", FIRST, SMALLGAMES),
    Known("amazons(rows=5,columns=4)", FIRST, SONG),
    Known("amazons(rows=5,columns=4)", SECOND, SMALLGAMES),
    Known("breakthrough(rows=4,columns=4)", SECOND, SMALLGAMES),
    Known("breakthrough(rows=5,columns=4)", SECOND, SMALLGAMES),
    Known("breakthrough(rows=6,columns=4)", FIRST, SMALLGAMES),
    Known("breakthrough(rows=5,columns=5)", SECOND, "published 2006 (not checked)"),
    Known("dots-and-boxes(rows=2,columns=2)", FIRST, "independent solver", (2, -2)),
)

LITERATURE = {
    "clobber": "small boards are published (Albert, Grossman, Nowakowski and Wolfe, 2005);"
    " not compared",
    "domineering": "published (Drummond-Cole, An update on domineering, 2014); not compared",
    "kalah": "published (Irving, Donkers and Uiterwijk, Solving Kalah, 2000); not compared",
    "mnk": "many m,n,k games are published (Uiterwijk and van den Herik, 2000); not compared",
    "dots-and-boxes": "small boards are published (Barker and Korf, 2012); not compared",
}
"""Of two players: where values are published that were not compared one by one."""

EXAMINED = {
    "amazons(rows=5,columns=4)": """\
What is settled:

- The convention does not explain it. The abstract calls both 4x5 and 5x4 first-player wins, so one
  of the two is this board either way. Mueller's page on 6x5 draws six columns and five rows, with
  amazons on b1, e1, a2 and f2 and their mirror images: columns first, and our set-up.
- The set-up and the moves agree: after B1-B4xD4 on 5x6, Black has 157 replies here too, which is
  the paper's number according to [jh85/smallgames](https://github.com/jh85/smallgames).
- That project has exhaustive tables of both boards (3.1 billion positions each, every one
  derived again by a second program). They say what is proven here, and its authors report the same
  contradiction: 4 columns and 5 rows are a win for the second player, 5 columns and 4 rows
  for the first.
- A second solver, written for this comparison and not kept here, shares nothing with this program
  (whole turns as moves, negamax with a table of whole positions, no symmetries). It agrees on 4x4
  and on both boards.
- Certificates of both boards were checked. That of this board was written with `--threads 1
  --checker-search 1000`: 831,483 states in 5.7 MB, and 196 million successors that the checker
  searched itself, in 24 seconds. Its SHA-256 begins with `0218857ba092`.

What is not settled: why the paper says otherwise, of which we have read the abstract only, and
whether its values of larger boards are affected. One number differs that should not: the same page
speaks of 238 replies after B1-B4xB3 on 6x5, and we count 250, by the rules here and by a separate
program.""",
}
"""What is known about a contradiction, by board."""

NOTES = {
    "amazons": "Rows first. The literature writes columns first: its 5x4 is `rows=4,columns=5`.",
    "domineering": "The first player is the one who starts, whichever way they lay their dominoes.",
    "kalah": "With 5 pits and 2 seeds the first player wins, but not with `empty_capture`.",
    "chinese-checkers": "A draw may be due to the horizon: nobody can force a win by then.",
}
"""A remark before the table of a game."""
