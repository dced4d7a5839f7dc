# SPDX-License-Identifier: MIT
"""Claims files that are written row by row, as a driver would, without any worker."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from unbounded import native
from unbounded.cluster.claims_file import About, ClaimsFile, Recorded
from unbounded.cluster.job import Job
from unbounded.game import RecordGame
from unbounded.game.catalogue import load_game

DIGEST = "0123456789abcdef" * 4
HOSTILE = "<img/src=x/onerror=document.title='owned'>"


class Writer:
    """Writes to a claims file."""

    def __init__(self, file: ClaimsFile, game: RecordGame) -> None:
        self.file, self.game = file, game
        self._key_of = native.route_of(game, canonical=file.about.symmetric).to_core
        self._jobs = 0

    def _state(self, moves: str) -> bytes:
        state = self.game.initial()
        for move in moves.split():
            state = self.game.next(state, self.game.parse_action(state, move))
        return bytes(state)

    def expand(self, moves: str, estimate: float = 0.0) -> None:
        """Add the moves of a position, with the same estimate for all of them."""
        state = self._state(moves)
        row = (estimate, *[-estimate] * (self.game.players - 1))
        estimates = [row] * len(self.game.actions(state))
        with self.file.changes():
            self.file.expand(self._key_of(state), tuple(moves.split()), estimates)

    def claim(
        self, claim: str, moves: str, *, checked: bool = True, worker: str = "worker 1"
    ) -> None:
        """Record a claim about the position after some moves."""
        state = self._state(moves)
        new = Recorded(
            self._key_of(state),
            claim,
            state,
            tuple(moves.split()),
            DIGEST if checked else None,
            checked,
            worker,
            self._jobs or None,
            time.time(),
        )
        with self.file.changes():
            self.file.claim(new, claim.rstrip("-0123456789,"))

    def job(self, moves: str, status: str = "", *, worker: str = "worker 1", why: str = "") -> None:
        """Give out a job, and end it if a status is given."""
        self._jobs += 1
        state, number = self._state(moves), self._jobs
        job = Job(number, tuple(moves.split()), state, ((-1, 0.0), (1, 0.0)), 10.0, 0)
        with self.file.changes():
            self.file.begin(job, self._key_of(state), worker)
            if status:
                self.file.end(number, status, worker, states=5000, worked=2.0, why=why)


@contextmanager
def writing(path: Path, name: str = "tic-tac-toe", moves: str = "") -> Iterator[Writer]:
    """A new claims file, or one that exists."""
    game = load_game(name)
    assert isinstance(game, RecordGame)
    about = About.of(game, tuple(moves.split()), scores=False, symmetric=game.symmetries > 1)
    with ClaimsFile.open(path, about, game) as file:
        yield Writer(file, game)


def write_example(path: Path) -> None:
    """Write a file in the middle of a run of tic-tac-toe, with true claims only.

    The center does not lose: that was checked. A corner does not win: that was not. An edge is
    expanded, a reply in a corner to the center is settled, another is being worked on.
    """
    with writing(path) as write:
        write.job("", "open")
        write.expand("", -0.25)
        write.job("b2", "solved")
        write.claim(">=0", "b2")
        write.job("a1", "solved", worker="worker 2")
        write.claim("<=0", "a1", checked=False, worker=HOSTILE)
        write.job("a2", "open", worker="worker 2")
        write.expand("a2", 0.125)
        write.job("b2", "open")
        write.expand("b2", 0.5)
        write.job("b2 b1", "solved")
        write.claim(">=1", "b2 b1")
        write.job("b2 a1")
        write.job("a2 b1", "refused", worker=HOSTILE, why=f"{HOSTILE} is no certificate")
