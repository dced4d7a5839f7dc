# SPDX-License-Identifier: MIT
"""How fast certificates are checked: the compiled checker beside the plain one, on the same files.

    python benchmarks/checkers.py

Processor time of one thread, the digest of the file and the sample for the plain checker included,
unless it says "no line twice"; compiling rules is done before the clock starts.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Iterator
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
SEARCHED = (
    "connect-four(width=5,height=4)",
    "connect-four(width=4,height=3,line=3,players=3)",
)
"""Games whose certificates leave claims to searches of the checker, too."""
CHECKER_SEARCH = 1000
"""Successors, at most, of one of them."""
REPEATS = 3


def certificate_of(game: ub.Game, checker_search: int) -> bytes:
    """Solve a game, and return the certificate."""
    search = ub.Search(game, **shortcuts(game, {"threads": 1}))
    search.run()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "one.cert"
        ub.certify(search, path, checker_search=checker_search)
        return path.read_bytes()


def compare(text: str, checker_search: int = 0) -> Iterator[Measurement]:
    """The time to check a game's certificate, and the states and successors per second."""
    game = ub.load_game(text)
    certificate = certificate_of(game, checker_search)
    lines = certificate.splitlines(keepends=True)

    def check() -> checker.Verdict:
        return compiled_checker.check(io.BytesIO(certificate), lambda _: game)[0]

    found = check()  # compiles
    compiled = seconds_of(check, REPEATS)
    plain = seconds_of(lambda: checker.check(lines, lambda _: game), 1)
    work = f"{found.states:,} states"
    if checker_search:
        work += f", searches of up to {checker_search:,} successors"
        alone_by_compiled = seconds_of(lambda: without_judge(check), REPEATS)
        rate = found.searched / alone_by_compiled
        yield alone(text, f"{work}: {found.searched:,}, no line twice", rate, "1/s")
    yield faster(text, f"{work}, the plain checker", compiled, plain, 5)
    yield alone(text, work, found.states / compiled, "1/s", f"{len(certificate):,} bytes")


def without_judge(check: Callable[[], object]) -> None:
    """Check without handing lines to the plain checker, whose searches take long."""
    drawn, compiled_checker.SAMPLE = compiled_checker.SAMPLE, 0
    try:
        check()
    finally:
        compiled_checker.SAMPLE = drawn


def measure() -> Iterator[Measurement]:
    """All games."""
    for text in GAMES:
        yield from compare(text)
    for text in SEARCHED:
        yield from compare(text, CHECKER_SEARCH)


if __name__ == "__main__":
    from measurements import describe

    for row in measure():
        print(describe(row), flush=True)
