# SPDX-License-Identifier: MIT
"""What an open state is worth: nothing, the heuristic, random games, a network, a function."""

from __future__ import annotations

from unbounded.evaluation.batches import BatchEvaluator
from unbounded.evaluation.named import (
    MOST_PLAYOUTS,
    NAMES,
    Evaluation,
    check_evaluation,
    default_evaluation,
    described_evaluation,
    evaluation_name,
    is_gathered,
    is_shareable,
    make_evaluator,
    record_dtype,
)
from unbounded.evaluation.networks import NetworkEvaluation, is_offered, offer_network

__all__ = [
    "MOST_PLAYOUTS",
    "NAMES",
    "BatchEvaluator",
    "Evaluation",
    "NetworkEvaluation",
    "check_evaluation",
    "default_evaluation",
    "described_evaluation",
    "evaluation_name",
    "is_gathered",
    "is_offered",
    "is_shareable",
    "make_evaluator",
    "offer_network",
    "record_dtype",
]
