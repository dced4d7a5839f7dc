# SPDX-License-Identifier: MIT
"""Solve one board for the atlas, certify it if that is quick, and print the entry as JSON.

`python docs/atlas_entry.py GAME SECONDS MEMORY`. A process of its own for every board: memory is
given back, and a crash costs one entry.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from unbounded import native
from unbounded.game import Game
from unbounded.game.catalogue import load_game
from unbounded.search.result import Result
from unbounded.search.search import Search
from unbounded.solving.certificate import NotCertifiedError, Written, certify
from unbounded.solving.solve import search_to_solve
from unbounded.solving.verification import BOTH, COMPILED, PLAIN, verify
from unbounded.storage.fingerprint import fingerprint

CERTIFICATE_SECONDS = 180.0
CERTIFICATE_BYTES = 300_000_000
SMALL = 1 << 20
"""Bytes of a certificate that the plain checker checks whole too."""


def options_for(game: Game[Any, Any]) -> dict[str, Any]:
    """Return the options that prove all there is: the score too, where there is one.

    With one thread the search is deterministic, so an equilibrium can be found again. With more
    than two players scores are always proven.
    """
    two = game.players == 2 and game.zero_sum
    return {"threads": 1} | ({"exact_score": True} if two and game.has_score else {})


def entry_of(game: Game[Any, Any], seconds: float, memory: str) -> dict[str, Any]:
    """Solve a board within the limit and return its entry."""
    search = search_to_solve(game, options_for(game))
    parent = os.getppid()

    def stop_if_alone(_: Search) -> None:
        if os.getppid() != parent:
            sys.exit("the program that wants this entry has ended")

    started = time.process_time()
    result = search.run(seconds=seconds, memory=memory, progress=stop_if_alone)
    spent = time.process_time() - started
    entry = {"game": str(game), "players": game.players, "solved": result.resolved}
    if not result.resolved:
        return entry | {"limit": seconds, "stopped": result.stopped}
    entry |= facts(game, result) | {"seconds": round(spent, 3)}
    return entry | certificate_of(search, lambda: stop_if_alone(search))


def facts(game: Game[Any, Any], result: Result) -> dict[str, Any]:
    """Return what was proven, and what it took."""
    return {
        "outcome": list(result.outcome),
        "score": list(result.score) if game.has_score else None,
        "equilibrium": result.equilibrium,
        "line": list(result.pv),
        "states": result.states,
        "probed": result.probed,
        "rules": fingerprint(game).answers,
        "version": result.version,
    }


def certificate_of(search: Search, progress: Callable[[], None]) -> dict[str, Any]:
    """Write a certificate, have it checked, and return its digest, or why there is none."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "certificate"
        try:
            written = certify(search, path, seconds=CERTIFICATE_SECONDS, progress=progress)
        except NotCertifiedError as error:
            return {"certificate": None, "no_certificate": str(error)}
        if written is None:
            return {"certificate": None, "no_certificate": f"not within {CERTIFICATE_SECONDS:g} s"}
        if written.bytes > CERTIFICATE_BYTES:
            return {"certificate": None, "no_certificate": f"{written.bytes / 1e6:,.0f} MB"}
        return {"certificate": checked(search, written)}


def checked(search: Search, written: Written) -> dict[str, Any]:
    """Have a certificate checked; it must prove what the search says."""
    checker = BOTH if written.bytes < SMALL else COMPILED
    compiled = native.is_compiled(search.game)
    verdict = verify(written.path, search.game, checker=checker if compiled else PLAIN)
    value = verdict.header.value or ()
    same = [outcome for outcome, _ in value] == list(search.root.outcome or ())
    if verdict.header.scores:
        same = same and [score for _, score in value] == list(search.root.score or ())
    if not same or verdict.header.moves:
        raise AssertionError(f"{search.game}: the certificate is about {verdict.header}")
    return {
        "sha256": written.digest,
        "states": verdict.states,
        "bytes": written.bytes,
        "checker": verdict.checker,
    }


def main(arguments: list[str]) -> int:
    """Print the entry of one board in one line."""
    game, seconds, memory = arguments
    print(json.dumps(entry_of(load_game(game), float(seconds), memory)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
