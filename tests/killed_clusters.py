# SPDX-License-Identifier: MIT
"""Kill solving on Ray at random moments: the driver, workers, and Ray's own processes.

Run as `python killed_clusters.py FOLDER KILLS [SEED]`. A command that has ended is started again,
until its game is solved; then comes the next game, until there were enough kills. Prints what it
has seen as JSON.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random

import unbounded as ub
from unbounded.cluster.claims_file import ClaimsFile
from unbounded.cluster.facts import Bounds, Fact, Scale

DRIVER, WORKER, RAYLET, HEAD = "driver", "worker", "raylet", "gcs_server"
KINDS = (WORKER, DRIVER, HEAD, RAYLET)
WEIGHTS = (13, 1, 1, 1)
"""Only a worker is replaced while a run goes on, so most kills are of workers."""
TOKEN = "UNBOUNDED_KILLED_RUN"
"""A variable in the environment of a command, and so of every process that it starts."""
PATIENCE = 180.0
"""Seconds within which a command must have noticed that Ray is gone."""
SPARED = 120.0
"""Seconds of a run after which nothing is killed any more: there must be progress."""


@dataclass(frozen=True)
class Board:
    """A game whose outcome is known."""

    game: str
    outcome: tuple[int, ...]
    job_seconds: float
    moves: str = ""


QUICK = Board("connect-four(5,4)", (0, 0), 0.02)
BOARDS = (
    Board("connect-four(6,5)", (0, 0), 0.4),
    Board("connect-four(5,5)", (0, 0), 0.1),
    Board("domineering(6,7)", (1, -1), 0.5),
    Board("connect-four(7,4)", (0, 0), 0.5),
    Board("connect-four(6,4)", (0, 0), 0.2, "1"),
    Board("dots-and-boxes(2,2,players=3)", (-1, 1, -1), 0.02),
)


@dataclass
class Seen:
    """What has happened."""

    kills: Counter[str] = field(default_factory=Counter)
    runs: int = 0
    solved: int = 0
    claims: int = 0
    jobs: Counter[str] = field(default_factory=Counter)
    last_lines: Counter[str] = field(default_factory=Counter)
    """Of commands that had to end because Ray was gone, without their numbers."""
    slowest_end: dict[str, float] = field(default_factory=dict)
    """Seconds from a kill to the end of the command, by kind."""
    slowest_orphan: float = 0.0
    """Seconds from the end of a command to that of its last process."""


# -- processes -------------------------------------------------------------------------------------


def processes(token: str) -> Iterator[tuple[int, str]]:
    """The processes of a command that are alive, and what they are."""
    mark = f"{TOKEN}={token}\0".encode()
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            if mark not in (folder / "environ").read_bytes():
                continue
            name = (folder / "comm").read_text().strip()
            title = (folder / "cmdline").read_bytes()
        except OSError:  # it has just ended, or is another user's
            continue
        if title:  # not a zombie
            yield int(folder.name), WORKER if title.startswith(b"ray::ActorWorker") else name


def kill(process: int) -> None:
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        pass


def sweep(token: str, driver: int, seen: Seen) -> None:
    """Wait until all processes of a command are gone; remove what Ray leaves in /tmp."""
    began = time.monotonic()
    while left := dict(processes(token)):
        assert time.monotonic() - began < PATIENCE, left
        time.sleep(0.2)
    seen.slowest_orphan = max(seen.slowest_orphan, time.monotonic() - began)
    for session in Path("/tmp/ray").glob(f"session_*_{driver}"):
        shutil.rmtree(session, ignore_errors=True)


# -- one game --------------------------------------------------------------------------------------


class Run:
    """A game that is solved, however often its processes are killed."""

    def __init__(self, folder: Path, board: Board, random: Random, seen: Seen) -> None:
        self.path = folder / "claims"
        self.board, self.random, self.seen = board, random, seen
        self.game = ub.load_game(board.game)
        self.known: dict[bytes, Fact] = {}
        self.jobs_done = 0

    def go(self, kills: int) -> None:
        """Start the command again and again, with at most so many kills."""
        enough = self.seen.kills.total() + kills
        while True:
            token = secrets.token_hex(8)
            log = self.path.with_suffix(".log")
            with log.open("ab") as output:
                program = subprocess.Popen(
                    self._command(),
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    env={**os.environ, TOKEN: token},
                )
            self.seen.runs += 1
            try:
                self._disturb(program, token, enough)
            finally:
                kill(program.pid)
                program.wait()
            sweep(token, program.pid, self.seen)
            self._check_claims()
            if program.returncode == 0:
                self._check_solved()
                return

    def _command(self) -> list[str]:
        board = self.board
        words = ["--ray", "local", "--workers", "2", "--job-seconds", str(board.job_seconds)]
        moves = ["--moves", board.moves] if board.moves else []
        command = [sys.executable, "-m", "unbounded", "solve", board.game, *moves, *words]
        return [*command, "--claims", str(self.path)]

    def _disturb(self, program: subprocess.Popen[bytes], token: str, enough: int) -> None:
        """Kill processes of a command until it is dead, or must end, or is done."""
        spared = time.monotonic() + SPARED
        while program.poll() is None:
            self._pause(program, self.random.uniform(0.2, 5))
            if self.seen.kills.total() >= enough or time.monotonic() > spared:
                program.wait()
            kind = self._kill_one(program, token)
            if kind in (RAYLET, HEAD):
                self._expect_end(program, kind)

    def _pause(self, program: subprocess.Popen[bytes], seconds: float) -> None:
        end = time.monotonic() + seconds
        while program.poll() is None and time.monotonic() < end:
            time.sleep(0.02)

    def _kill_one(self, program: subprocess.Popen[bytes], token: str) -> str | None:
        (kind,) = self.random.choices(KINDS, WEIGHTS)
        if self.seen.kills.total() < len(KINDS):
            kind = KINDS[self.seen.kills.total()]  # each kind once at least
        found = [process for process, name in processes(token) if name == kind]
        victim = program.pid if kind == DRIVER else self.random.choice(found or [0])
        if program.poll() is not None or victim == 0:
            return None
        kill(victim)
        self.seen.kills[kind] += 1
        print(f"{self.seen.kills.total()}: {kind} {victim}", file=sys.stderr, flush=True)
        if kind == DRIVER:
            program.wait()
        return kind

    def _expect_end(self, program: subprocess.Popen[bytes], kind: str) -> None:
        """Without Ray the command must end, and say why; unless it was just done."""
        began = time.monotonic()
        program.wait(PATIENCE)
        taken = time.monotonic() - began
        self.seen.slowest_end[kind] = max(taken, self.seen.slowest_end.get(kind, 0.0))
        last = self.path.with_suffix(".log").read_text("utf-8", "replace").splitlines()[-1]
        words = [word for word in last.split() if not any(map(str.isdigit, word))]
        self.seen.last_lines[" ".join(words)] += 1
        assert program.returncode >= 0, program.returncode
        print(f"   {taken:.1f} s, {program.returncode}: {last}", file=sys.stderr, flush=True)

    # -- what must hold ---------------------------------------------------------------------------

    def _check_claims(self) -> None:
        """Nothing that was proven is lost, and every proof is there."""
        if not self.path.exists() or self.path.stat().st_size == 0:
            assert not self.known
            return
        with sqlite3.connect(self.path) as raw:
            assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            if not raw.execute("SELECT name FROM sqlite_master WHERE name = 'about'").fetchall():
                assert not self.known
                return
        raw.close()
        with ClaimsFile.read(self.path) as file:
            facts = file.known_facts(Scale(self.game, scores=file.about.scores))
            for claim in file.claims():
                assert claim.checked and claim.digest is not None
                assert file.certificate(claim.digest).exists()
            jobs = file.job_counts()
        for key, before in self.known.items():
            assert is_at_least_as_tight(facts[key], before), (before, facts[key])
        done = jobs.get("solved", 0) + jobs.get("open", 0)
        assert done >= self.jobs_done
        self.known, self.jobs_done = facts, done

    def _check_solved(self) -> None:
        """The value is right, and the proof is accepted."""
        proof = self.path.with_name(f"{self.path.name}.certificates") / "proof.cert"
        verify = [sys.executable, "-m", "unbounded", "verify", str(proof), "--json"]
        done = subprocess.run(verify, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done
        text = f"{done.stdout}"
        verdict = json.loads(text)
        assert tuple(verdict["outcome"]) == self.board.outcome, verdict
        with ClaimsFile.read(self.path) as file:
            self.seen.jobs.update(file.job_counts())
            self.seen.claims += sum(1 for _ in file.claims())
        self.seen.solved += 1
        print(f"solved {self.board.game}: {text.strip()}", file=sys.stderr, flush=True)


def is_at_least_as_tight(fact: Fact, before: Fact) -> bool:
    if isinstance(fact, Bounds) and isinstance(before, Bounds):
        return fact.low >= before.low and fact.high <= before.high
    return fact == before


def main(folder: Path, kills: int, seed: int) -> None:
    random, seen, number = Random(seed), Seen(), 0
    boards = BOARDS if kills > len(KINDS) else (QUICK,)
    while seen.kills.total() < kills:
        place = folder / f"{number}"
        place.mkdir(parents=True)
        Run(place, boards[number % len(boards)], random, seen).go(kills - seen.kills.total())
        number += 1
    print(json.dumps(asdict(seen)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 7)
