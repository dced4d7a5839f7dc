# SPDX-License-Identifier: MIT
"""Kill solves that save themselves, at random moments; a program, for it forks.

Run as `python killed_solves.py FOLDER COUNT`. Prints what it has seen as JSON.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

from certificates import certificate, verdict

from unbounded.search.autosave import Autosave
from unbounded.search.search import Search

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("connect-four(width=4,height=4)", {}),
    ("connect-four(width=4,height=4)", {"algorithm": "descent", "canonical": True}),
    ("dots-and-boxes", {"bounds": True, "exact_score": True}),
    ("dots-and-boxes(players=3)", {"bounds": True}),
    ("connect-four(width=5,height=4)", {"bounds": True, "probes": True, "threads": 2}),
]
LONGEST = 0.06


class Telling(Autosave):
    """Says through a pipe which iteration is safe on the disk."""

    def __init__(self, path: Path, pipe: int) -> None:
        super().__init__(path, every=0.0, share=1e9)
        self.pipe = pipe

    def save(self, search: Search) -> None:
        iterations = search.iterations
        super().save(search)
        assert not self.failure
        os.write(self.pipe, iterations.to_bytes(8, "little"))


def taken_up(path: Path, game: str, options: dict[str, Any]) -> Search:
    return Search.load(path) if path.exists() else Search(game, **options)


def kill_one(path: Path, search: Search, random: Random) -> tuple[bool, list[int]]:
    """Return whether the solve was killed, and which iterations it said to be safe."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            search.run(save=Telling(path, writing), report_every=0.0)
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    time.sleep(random.random() * LONGEST)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    with os.fdopen(reading, "rb") as pipe:
        told = pipe.read()
    assert not os.WIFEXITED(status) or os.WEXITSTATUS(status) == 0, "a solve failed"
    safe = [int.from_bytes(told[i : i + 8], "little") for i in range(0, len(told), 8)]
    return not os.WIFEXITED(status), safe


def main(folder: Path, count: int) -> None:
    random = Random(0)
    seen = {"killed": 0, "told": 0, "unreadable": 0, "lost": 0, "wrong": 0, "leftovers": 0}
    expected = [Search(game, **options).run(memory="500M").outcome for game, options in GAMES]
    searches = [Search(game, **options) for game, options in GAMES]
    while seen["killed"] < count:
        i = random.randrange(len(GAMES))
        path = folder / f"{i}.search"
        killed, safe = kill_one(path, searches[i], random)
        seen["killed"] += killed
        seen["told"] += len(safe)
        seen["lost"] += bool(safe) and not path.exists()
        try:
            search = searches[i] = taken_up(path, *GAMES[i])
        except Exception as error:
            print(error, file=sys.stderr)
            seen["unreadable"] += 1
            continue
        seen["lost"] += bool(safe) and search.iterations < safe[-1]
        if search.root.resolved:
            seen["wrong"] += search.result.outcome != expected[i]
            path.unlink()
            searches[i] = taken_up(path, *GAMES[i])
    for i, (game, options) in enumerate(GAMES):
        path = folder / f"{i}.search"
        search = taken_up(path, game, options)
        result = search.run(memory="500M", save=path)
        seen["wrong"] += result.outcome != expected[i]
        verdict(certificate(search), search.game)  # an error, if it proves nothing
    seen["leftovers"] = len(list(folder.glob(".*.partial")))
    print(json.dumps(seen))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
