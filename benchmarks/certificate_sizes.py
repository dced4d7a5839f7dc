# SPDX-License-Identifier: MIT
"""How large certificates are, by how much they leave to the checker (`--checker-search N`).

    python benchmarks/certificate_sizes.py [GAME ...]

Processor time of one thread to find and write the claims, after the game was solved. `searched`:
how many successors a checker makes itself, in all.
"""

from __future__ import annotations

import gzip
import re
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import unbounded as ub
from unbounded.solving.solve import shortcuts

GAMES = (
    "connect-four(width=5,height=4)",
    "connect-four(width=5,height=5)",
    "connect-four(width=6,height=5)",
    "connect-four(width=4,height=4,line=3,players=3)",
)
LEFT = (0, 10, 100, 1_000, 10_000, 100_000)


@dataclass(frozen=True)
class Size:
    """A certificate in numbers."""

    game: str
    left: int  # N
    states: int
    size: int
    compressed: int
    searched: int
    seconds: float

    def row(self) -> str:
        """The numbers as a row of a table."""
        sizes = " | ".join(f"{n:,}" for n in (self.states, self.size, self.compressed))
        return f"| {self.game} | {self.left:,} | {sizes} | {self.searched:,} | {self.seconds:.2f} |"


def measure(game: ub.Game, left: int) -> Size:
    """Solve a game anew, so that nothing is known from another certificate, and certify it."""
    search = ub.Search(game, **shortcuts(game, {"threads": 1}))
    search.run()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "one.cert"
        before = time.process_time()
        written = ub.certify(search, path, checker_search=left)
        seconds = time.process_time() - before
        text = path.read_bytes()
    assert written is not None
    searched = sum(int(count) for count in re.findall(rb"\?(\d+)", text))
    packed = len(gzip.compress(text, 6))
    return Size(str(game), left, written.states, len(text), packed, searched, seconds)


def main() -> None:
    """Print the table."""
    print("| game | N | states | bytes | bytes, gzip | searched | seconds to write |")
    print("|---|---|---|---|---|---|---|")
    for text in sys.argv[1:] or GAMES:
        game = ub.load_game(text)
        for left in LEFT:
            print(measure(game, left).row(), flush=True)


if __name__ == "__main__":
    main()
