# SPDX-License-Identifier: MIT
"""The only importer of the compiled core; checks that it fits the package."""

from __future__ import annotations

from unbounded.native import _core
from unbounded.native._core import (
    Busy,
    CertificateChecker,
    Choice,
    Claims,
    Damaged,
    DenseNetwork,
    DepthFirst,
    Evaluator,
    Exploration,
    Law,
    LineProof,
    MonteCarlo,
    NativeEvaluator,
    NativeRules,
    Network,
    NetworkInputs,
    Node,
    NotProvenAgain,
    NTupleNetwork,
    NTupleTrainer,
    ObjectRules,
    Options,
    PlayoutEvaluator,
    PythonEvaluator,
    Refused,
    RuleFailure,
    Rules,
    Score,
    Scoring,
    Search,
    SelfPlay,
    SelfPlaySettings,
    Stop,
    Targets,
    ValueRule,
    ZeroEvaluator,
    algorithms,
    evaluate,
    survey,
)
from unbounded.version import UNKNOWN, VERSION

__all__ = [
    "Busy",
    "CertificateChecker",
    "Choice",
    "Claims",
    "Damaged",
    "DenseNetwork",
    "DepthFirst",
    "Evaluator",
    "Exploration",
    "Law",
    "LineProof",
    "MonteCarlo",
    "NTupleNetwork",
    "NTupleTrainer",
    "NativeEvaluator",
    "NativeRules",
    "Network",
    "NetworkInputs",
    "Node",
    "NotProvenAgain",
    "ObjectRules",
    "Options",
    "PlayoutEvaluator",
    "PythonEvaluator",
    "Refused",
    "RuleFailure",
    "Rules",
    "Score",
    "Scoring",
    "Search",
    "SelfPlay",
    "SelfPlaySettings",
    "Stop",
    "Targets",
    "ValueRule",
    "ZeroEvaluator",
    "algorithms",
    "count_leaves",
    "evaluate",
    "survey",
]

if VERSION not in (_core.version, UNKNOWN):
    raise ImportError(
        f"unbounded {VERSION} found a core of version {_core.version}; install it again"
    )

count_leaves = _core.perft
