# SPDX-License-Identifier: MIT
"""What an open state is worth: the game's heuristic, random games, a network, your function."""

from __future__ import annotations

from unbounded.evaluation.batches import BatchEvaluator
from unbounded.evaluation.named import (
    MOST_PLAYOUTS,
    NAMES,
    Evaluation,
    check_evaluation,
    default_evaluation,
    evaluation_name,
    make_evaluator,
    record_dtype,
)

__all__ = [
    "MOST_PLAYOUTS",
    "NAMES",
    "BatchEvaluator",
    "Evaluation",
    "check_evaluation",
    "default_evaluation",
    "evaluation_name",
    "make_evaluator",
    "record_dtype",
]
