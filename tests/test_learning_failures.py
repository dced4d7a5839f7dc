# SPDX-License-Identifier: MIT
"""What goes wrong in a real run of the command: no numbers, no space, no intact files."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest
from checkpoint_disks import FailingDisk
from test_cli import Here, here, is_one_line  # noqa: F401

from unbounded.learning.metrics import read_rows
from unbounded.learning.run_folder import RunFolder
from unbounded.learning.training import LossNotFinite, Trainer
from unbounded.storage import atomic_files

SMALL = (
    *("--games", "8", "--move-states", "20", "--batch", "64", "--replay", "2000"),
    *("--generation-states", "1500", "--network", "dense(8)", "--threads", "1"),
    *("--device", "cpu", "--judge", "0", "-q"),
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("unbounded.interfaces.cli.judging.draw", lambda run: None)


def learned(here: Here, generations: int) -> int:  # noqa: F811
    resumed = ("--resume",) if Path("run").exists() else ()
    limits = ("--run", "run", "--generations", str(generations))
    if resumed:
        return here("learn", *resumed, *limits, "--judge", "0", "-q")
    return here("learn", "tic-tac-toe", *limits, *SMALL)


def generations() -> list[int]:
    return [int(row["generation"]) for row in read_rows(Path("run/metrics.jsonl"))]


def failing(monkeypatch: pytest.MonkeyPatch, steps: range) -> list[int]:
    """Let some of the training steps fail as a loss that is no number does; count all of them."""
    calls, real = [0], Trainer.step

    def step(trainer: Trainer, *batch: Any) -> Any:
        calls[0] += 1
        if calls[0] in steps:
            raise LossNotFinite("the loss is nan")
        return real(trainer, *batch)

    monkeypatch.setattr(Trainer, "step", step)
    return calls


def test_a_loss_that_is_no_number_halves_the_learning_rate(
    here: Here,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = failing(monkeypatch, range(40, 41))
    assert learned(here, 3) == 0, here.err
    assert calls[0] > 40
    with RunFolder.open("run") as folder:
        saved = folder.load_latest()
    assert saved is not None and saved.generation >= 3 and saved.learning_rate_factor == 0.5
    assert generations() == list(range(saved.generation + 1))
    assert "the loss is nan: back to generation" in Path("run/log.txt").read_text()


def test_a_loss_that_stays_no_number_ends_the_run(
    here: Here,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patch:
        failing(patch, range(40, 10**9))
        assert learned(here, 3) == 1
    assert "the loss is nan again, with half the learning rate" in here.err
    assert "what was saved is intact" in here.err
    is_one_line(here.err)
    assert learned(here, 3) == 0, here.err


def test_a_full_disk_ends_the_run_which_can_be_resumed(
    here: Here,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patch:
        disk = FailingDisk(60, errno.ENOSPC, for_good=True)
        patch.setattr(atomic_files, "DISK", disk)
        assert learned(here, 50) == 1
    assert "was not saved: No space left on device" in here.err
    assert "free some space, then: unbounded learn --resume --run run" in here.err
    is_one_line(here.err)
    with RunFolder.open("run") as folder:
        saved = folder.load_latest()
    assert saved is not None
    assert learned(here, saved.generation + 2) == 0, here.err
    assert generations()[: saved.generation + 2] == list(range(saved.generation + 2))


def test_a_truncated_state_is_replaced_by_the_one_before(here: Here) -> None:  # noqa: F811
    assert learned(here, 3) == 0, here.err
    newest = max(Path("run/state").iterdir())
    newest.write_bytes(newest.read_bytes()[:1000])
    number = int(newest.stem)
    assert learned(here, number + 1) == 0, here.err
    assert f"state/{newest.name} is truncated or damaged: going on from" in here.err
    assert generations()[: number + 2] == list(range(number + 2))
