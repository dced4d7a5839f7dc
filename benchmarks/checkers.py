# SPDX-License-Identifier: MIT
"""How fast certificates are checked: the compiled checker beside the plain one, on the same files.

    python benchmarks/checkers.py

Processor time of one thread, the digest of the file and the sample for the plain checker included;
compiling rules is done before the clock starts.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator
from pathlib import Path

from measurements import Measurement, alone, faster, seconds_of

import unbounded as ub
from unbounded.solving import checker, compiled_checker
from unbounded.solving.solve import shortcuts

GAMES = (
    "connect-four(width=5,height=4)",
    "connect-four(width=5,height=5)",
    "connect-four(width=4,height=3,line=3,players=3)",
    "amazons(size=4)",
    "dots-and-boxes(rows=2,columns=3)",
)
REPEATS = 3


def certificate_of(game: ub.Game) -> bytes:
    """Solve a game, and return the certificate."""
    search = ub.Search(game, **shortcuts(game, {"threads": 1}))
    search.run()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "one.cert"
        ub.certify(search, path)
        return path.read_bytes()


def compare(text: str) -> Iterator[Measurement]:
    """The time to check a game's certificate, and the states per second."""
    game = ub.load_game(text)
    certificate = certificate_of(game)
    lines = certificate.splitlines(keepends=True)

    def check() -> int:
        return compiled_checker.check(io.BytesIO(certificate), lambda _: game)[0].states

    states = check()  # compiles
    compiled = seconds_of(check, REPEATS)
    plain = seconds_of(lambda: checker.check(lines, lambda _: game), 1)
    yield faster(text, f"{states:,} states, the plain checker", compiled, plain, 5)
    yield alone(text, f"{states:,} states", states / compiled, "1/s")


def measure() -> Iterator[Measurement]:
    """All games."""
    for text in GAMES:
        yield from compare(text)


if __name__ == "__main__":
    from measurements import describe

    for row in measure():
        print(describe(row), flush=True)
