# SPDX-License-Identifier: MIT
"""What a claims file holds, for people and programs; and jobs and certificates in and out of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from unbounded.cluster.claims_file import ClaimsFile, Recorded
from unbounded.cluster.facts import ContradictionError, Fact, Scale, claim_texts
from unbounded.cluster.job import Window
from unbounded.cluster.judging import Judge, RefusedError
from unbounded.cluster.records import excluding, record, settle
from unbounded.cluster.solving import graph_of
from unbounded.cluster.upper_graph import UpperGraph
from unbounded.game import Game, RecordGame, require

LATEST = 12


@dataclass(frozen=True)
class Summary:
    """A claims file in numbers."""

    game: str
    moves: tuple[str, ...]
    fact: Fact
    """Proven of the root."""
    resolved: bool
    share: float
    """A guess of how much of the proof is done."""
    positions: int
    settled: int
    leaves: int
    claims: int
    checked: int
    jobs: dict[str, int]
    states: int
    worked: float
    workers: list[tuple[str, int, int, float]]
    refused: list[tuple[int, str, str]]
    latest: list[Recorded]
    """The last claims."""

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        latest = [
            {
                "moves": list(one.moves),
                "claim": one.claim,
                "certificate": one.digest,
                "checked": one.checked,
                "by": one.worker,
                "job": one.job,
            }
            for one in self.latest
        ]
        return {**vars(self), "fact": fact_json(self.fact), "latest": latest}


def fact_json(fact: Fact) -> Any:
    """What is proven as plain values: bounds of the first player, or worths of all players."""
    if fact is None or isinstance(fact, tuple):
        return fact
    return {"at_least": fact.low, "at_most": fact.high}


def _graph(file: ClaimsFile, game: Game[Any, Any]) -> UpperGraph:
    require(isinstance(game, RecordGame), f"{game} cannot be solved by jobs: it has no records")
    assert isinstance(game, RecordGame)
    scale = Scale(game, scores=file.about.scores)
    try:
        return graph_of(file, game, scale)
    except ContradictionError as error:
        raise excluding(file, scale, error) from error


def _window_json(window: Window | None) -> Any:
    """A window as plain values; null instead of a score without a limit."""
    if window is None:
        return None
    return [[won, points if math.isfinite(points) else None] for won, points in window]


def summary_of(file: ClaimsFile, game: Game[Any, Any]) -> Summary:
    """Read a claims file."""
    about = file.about
    graph = _graph(file, game)
    claims = list(file.claims())
    states, worked = file.totals()
    return Summary(
        about.game,
        about.moves,
        graph.root.fact,
        graph.is_settled(graph.root),
        graph.share_settled(),
        len(graph.nodes),
        graph.settled_nodes,
        graph.leaves,
        len(claims),
        sum(one.checked for one in claims),
        file.job_counts(),
        states,
        worked,
        file.workers(),
        file.refusals(),
        claims[: -LATEST - 1 : -1],
    )


def jobs_to_export(file: ClaimsFile, game: Game[Any, Any]) -> Iterator[dict[str, Any]]:
    """The open questions, most urgent first, as plain values that anybody can work on."""
    about = file.about
    graph = _graph(file, game)
    random = Random(0)
    while (found := graph.select(random)) is not None:
        node, window = found
        graph.set_pending(node, pending=True)
        yield {
            "game": about.game,
            "moves": list(node.moves),
            "state": node.state.hex(),
            "window": _window_json(window),
            "scores": about.scores,
            "known": list(claim_texts(node.fact, graph.scale)),
            "rules": about.fingerprint.answers,
        }


def import_certificates(
    file: ClaimsFile, game: Game[Any, Any], paths: Sequence[Path], tell: Callable[[str], None]
) -> int:
    """Check certificates from anywhere, and record what they prove; return how many were good.

    One that contradicts what is known raises an error that names both proofs.
    """
    graph = _graph(file, game)
    judge = Judge(file, graph.game, graph.scale)
    good = 0
    for path in paths:
        try:
            accepted = judge.imported(path)
        except RefusedError as error:
            tell(f"refused: {path}: {error}")
            continue
        try:
            with file.changes():
                record(file, graph, accepted, f"import of {path.name}", None)
        except ContradictionError as error:
            settle(judge, graph, error, accepted, tell)
            graph = _graph(file, game)
            with file.changes():
                record(file, graph, accepted, f"import of {path.name}", None)
        good += 1
    return good
