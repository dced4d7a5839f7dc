# SPDX-License-Identifier: MIT
"""A learner that learns nothing, but saves and reports as a real one does.

What it saves depends on the generation before, so that a run that was resumed from the wrong one
shows it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from unbounded.game import Game
from unbounded.learning.metrics import Metrics, row_of
from unbounded.learning.progress import Progress, Report
from unbounded.learning.run_folder import RunFolder
from unbounded.learning.settings import LearnSettings

STATES = 1000
"""Per generation."""


def write_network(path: Path, number: int) -> None:
    path.write_bytes(bytes([number % 251]) * 5_000)
    path.with_suffix(".onnx").write_bytes(bytes([number % 241]) * 2_000)


def learn(game: Game[Any, Any], settings: LearnSettings, folder: RunFolder, report: Report) -> None:
    """As `unbounded.learning.loop.learn`, with counting in the place of learning."""
    saved = folder.load_latest(folder.log)
    generation = -1 if saved is None else saved.generation
    total = torch.zeros(2_000, dtype=torch.int64) if saved is None else saved.trainer_state["total"]
    metrics = Metrics(folder.path / "metrics.jsonl", after=None if saved is None else generation)
    while settings.generations is None or generation < settings.generations:
        generation += 1
        total = total + generation
        stop = report(progress_at(generation))
        metrics.append(row_of(progress_at(generation), by_ply=[1, 2, 3]))
        folder.save_generation(
            generation,
            lambda path, k=generation: write_network(path, k),  # type: ignore[misc]
            {"total": total},
            {"expanded": generation * STATES, "seconds": float(generation)},
            [{"moves": ["1", "2"], "outcome": [1, -1]}] * generation,
        )
        if stop:
            return


def progress_at(generation: int) -> Progress:
    return Progress(
        seconds=float(generation),
        generation=generation,
        states=generation * STATES,
        states_per_second=1000.0,
        games=generation * 10,
        trained=generation * STATES * 3,
        loss=1.0 / (generation + 1),
        learning_rate=1e-3,
        value_error=0.5 / (generation + 1),
        game_length=20.0,
        first_wins=0.55,
        draws=0.05,
        yardstick=1 - 0.5 / (generation + 1),
        yardstick_name="value-keeping",
    )


def total_at(generation: int) -> int:
    """What an uninterrupted run has counted."""
    return generation * (generation + 1) // 2
