# SPDX-License-Identifier: MIT
"""Kill a run that saves itself, at random moments; a program, for it forks.

Run as `python killed_runs.py FOLDER COUNT`. Prints what it has seen as JSON.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from random import Random

import torch
from fake_learning import STATES, learn, total_at

import unbounded as ub
from unbounded.learning.metrics import Metrics, read_rows
from unbounded.learning.progress import Progress
from unbounded.learning.run_folder import RunFolder
from unbounded.learning.settings import LearnSettings

LONGEST = 0.03
GAME = ub.load_game("tic-tac-toe")


def learn_until_killed(path: Path, pipe: int) -> None:
    settings = LearnSettings(game="tic-tac-toe")
    begun = (path / "config.json").exists()
    folder = RunFolder.open(path, GAME) if begun else RunFolder.create(path, settings, GAME)

    def report(progress: Progress) -> bool:
        # A report comes before its own generation is saved, and after all earlier ones.
        os.write(pipe, (progress.generation - 1).to_bytes(4, "little", signed=True))
        return False

    learn(GAME, settings, folder, report)


def killed(path: Path, reports: int, seconds: float) -> int:
    """Let a run go on until so many reports, and a little longer; return what it knew to be saved.

    That is the newest generation before the one that it was at.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            learn_until_killed(path, writing)
        finally:
            os._exit(1)  # it learns until it is killed
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read(4 * reports)
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status), "the run ended by itself"
        said += pipe.read()
    return int.from_bytes(said[-4:], "little", signed=True) if said else -1


def look(path: Path, safe: int) -> tuple[int, bool]:
    """Check a run that was killed; return its newest generation and whether a later one is there.

    safe: the newest generation that must not be lost.
    """
    if not (path / "config.json").exists():
        assert safe == -1
        return -1, False
    with RunFolder.open(path, GAME) as folder:
        saved = folder.load_latest()
        found = -1 if saved is None else saved.generation
        assert found >= safe, (found, safe)
        if saved is not None:
            assert int(saved.trainer_state["total"][0]) == total_at(found)
            assert saved.counters["expanded"] == found * STATES
            assert len(saved.network.read_bytes()) == 5_000
        unfinished = any(folder.path.glob(f"*/{found + 1:05d}.*"))
        Metrics(folder.path / "metrics.jsonl", after=found)
        rows = read_rows(path / "metrics.jsonl")
        assert [row["generation"] for row in rows] == list(range(found + 1))
    return found, unfinished


def main(path: Path, count: int) -> None:
    torch.set_num_threads(1)
    random, safe, unfinished = Random(7), -1, 0
    for _ in range(count):
        safe = max(safe, killed(path, random.randint(0, 2), random.uniform(0, LONGEST)))
        safe, is_unfinished = look(path, safe)
        unfinished += is_unfinished
    print(json.dumps({"kills": count, "generations": safe, "unfinished": unfinished}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
