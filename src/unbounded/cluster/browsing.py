# SPDX-License-Identifier: MIT
"""A claims file as a reader sees it: its graph at one moment, and each position with its moves.

What is proven follows from the rules and from claims whose certificates have been checked. What a
run has accepted without a check (`--trust`) is kept apart from it, and so are estimates.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unbounded.cluster.claims_file import ClaimsFile, Recorded, folder_of
from unbounded.cluster.facts import Bounds, Fact, Scale, claim_texts, read_claim
from unbounded.cluster.proof import NAME as PROOF
from unbounded.cluster.summary import Summary, read_graph, summary_of
from unbounded.cluster.upper_graph import Key, Node
from unbounded.game import Game, UsageError, action_named
from unbounded.search.tree import estimates as consistent_estimates

LEAST_SHARE = 0.01
"""Of the proof, from which on what is left is estimated."""


@dataclass(frozen=True)
class Known:
    """What a claims file has about a position."""

    proven: Fact
    """By the rules, and by claims whose certificates have been checked."""
    by_claims: bool
    """Whether checked claims about it say all of that; else it follows from its moves too."""
    accepted: Fact
    """By claims that have not been checked, too: what the run goes by."""
    estimates: tuple[float | None, ...] | None
    """Per player, None where it contradicts `accepted`; None of a settled position."""
    settled: bool
    """Whether the run has nothing left to prove about it."""
    over: bool
    leaf: bool
    """Whether its moves are not in the file."""
    running: bool
    """Whether a worker has a job about it."""
    claims: tuple[Recorded, ...]
    """About it, or about a position that is equal up to symmetry."""

    def to_json(self, scale: Scale) -> dict[str, Any]:
        """As plain values."""
        return {
            **vars(self),
            "proven": fact_values(self.proven, scale),
            "accepted": (
                None if self.accepted == self.proven else fact_values(self.accepted, scale)
            ),
            "claims": [_claim_values(one) for one in self.claims],
        }


@dataclass(frozen=True)
class Position:
    """A position in a claims file, and its moves."""

    moves: tuple[str, ...]
    """From the start of the game."""
    state: bytes
    mover: int | None
    """None: the game is over."""
    known: Known
    children: tuple[tuple[str, Known], ...]
    """Each move and what is known after it, the best for the mover first."""

    def to_json(self, scale: Scale) -> dict[str, Any]:
        """As plain values."""
        return {
            "moves": list(self.moves),
            "mover": self.mover,
            **self.known.to_json(scale),
            "children": [{"move": name, **one.to_json(scale)} for name, one in self.children],
        }


class ClaimsView:
    """A claims file at one moment. It never changes, so that any thread may use it."""

    def __init__(self, file: ClaimsFile, game: Game[Any, Any]) -> None:
        self.game = game
        self._graph = read_graph(file, game)
        self.scale = self._graph.scale
        self._claims: dict[Key, list[Recorded]] = {}
        for one in file.claims():
            self._claims.setdefault(one.key, []).append(one)
        self._running = file.running()
        self._proven = self._from_checked_claims()
        self.summary: Summary = summary_of(file, game, self._graph)
        proof = file.folder / PROOF
        self.proof = proof if self.summary.resolved and proof.exists() else None
        """The certificate of the whole."""

    def _from_checked_claims(self) -> dict[Key, Fact] | None:
        """What is proven of each position; None where all claims have been checked."""
        claims = [one for listed in self._claims.values() for one in listed]
        if all(one.checked for one in claims):
            return None
        scale, proven = self.scale, dict[Key, Fact]()
        for node in self._graph.children_first():
            known = node.fact if node.terminal else self._claimed(node.key)
            if node.children:
                above = scale.above(node.player, [proven[child.key] for child in node.children])
                known = scale.both(known, above)
            proven[node.key] = known
        return proven

    def _claimed(self, key: Key) -> Fact:
        """What checked claims say about a position."""
        scale = self.scale
        fact = scale.unknown
        for one in self._claims.get(key, ()):
            if one.checked:
                claim = read_claim(one.claim, scale)
                fact = scale.both(fact, scale.of_claim(claim))
        return fact

    # -- positions --------------------------------------------------------------------------------

    def position(self, moves: Sequence[str]) -> Position:
        """The position after these moves from the start of the game."""
        game, state = self.game, self.game.initial()
        for move in moves:
            state = game.next(state, action_named(game, state, move))
        node = self._graph.node_of(state)
        if node is None:
            raise UsageError(
                f"the position after {' '.join(moves) or 'no moves'} is not in the claims file: "
                "no run has reached it"
            )
        mover = None if node.terminal else node.player
        children = tuple(self._children(node, state))
        return Position(tuple(moves), state, mover, self._known(node), children)

    @property
    def root(self) -> Position:
        """The position that the file is about."""
        return self.position(self.summary.moves)

    def _children(self, node: Node, state: bytes) -> Iterator[tuple[str, Known]]:
        """Every move, also where several lead to positions that are equal up to symmetry."""
        if node.children is None:
            return
        game, found = self.game, list[tuple[float, str, Known]]()
        for action in game.actions(state):
            child = self._graph.node_of(game.next(state, action))
            assert child is not None
            promise = self._promise(child, node.player)
            found.append((promise, game.action_name(state, action), self._known(child)))
        for _, name, known in sorted(found, key=lambda one: -one[0]):
            yield name, known

    def _promise(self, child: Node, mover: int) -> float:
        if not self._graph.is_settled(child):
            return child.estimates[mover]
        fact = child.fact
        return float(fact.for_mover(mover)[0][0] if isinstance(fact, Bounds) else _row(fact)[mover])

    def _known(self, node: Node) -> Known:
        settled = self._graph.is_settled(node)
        proven = node.fact if self._proven is None else self._proven[node.key]
        return Known(
            proven=proven,
            by_claims=self._claimed(node.key) == proven,
            accepted=node.fact,
            estimates=None if settled else _estimates(node),
            settled=settled,
            over=node.terminal,
            leaf=node.children is None,
            running=node.key in self._running,
            claims=tuple(self._claims.get(node.key, ())),
        )

    # -- how far it is ----------------------------------------------------------------------------

    @property
    def seconds_left(self) -> float | None:
        """An estimate of the workers' seconds that are left; None: too early to say, or none."""
        share = self.summary.share
        if not LEAST_SHARE < share < 1:
            return None
        return self.summary.worked * (1 - share) / share


class Changes:
    """Tells whether a claims file has changed; used by one thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: sqlite3.Connection | None = None
        self._inode = -1

    def version(self) -> tuple[int, int, bool]:
        """What is different once the file was written to or replaced, or its proof was written."""
        try:
            inode = self._path.stat().st_ino
            if self._file is None or inode != self._inode:
                self.close()
                name = f"{self._path.resolve().as_uri()}?mode=ro"
                self._file = sqlite3.connect(name, uri=True, isolation_level=None)
                self._inode = inode
            version = int(self._file.execute("PRAGMA data_version").fetchone()[0])
            return inode, version, (folder_of(self._path) / PROOF).exists()
        except (OSError, sqlite3.Error) as error:
            raise UsageError(f"{self._path} cannot be read: {error}") from error

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


# -- plain values ---------------------------------------------------------------------------------


def fact_values(fact: Fact, scale: Scale) -> dict[str, Any] | None:
    """A fact as plain values, with the least and the most for each player; None: nothing is known.

    Scores are given once the outcome is known; None where there is no limit.
    """
    claims = list(claim_texts(fact, scale))
    if isinstance(fact, Bounds):
        worths = [fact.for_mover(0), fact.for_mover(1)]
    else:
        worths = [(one, one) for one in fact or ()]
    if not worths or not claims:
        return None
    outcome = [[low[0], high[0]] for low, high in worths]
    certain = scale.scores and all(low == high for low, high in outcome)
    score = [[_finite(low[1]), _finite(high[1])] for low, high in worths] if certain else None
    return {"outcome": outcome, "score": score, "claims": claims}


def _claim_values(one: Recorded) -> dict[str, Any]:
    return {
        "claim": one.claim,
        "moves": list(one.moves),
        "certificate": one.digest,
        "checked": one.checked,
        "by": one.worker,
        "job": one.job,
    }


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _row(fact: Fact) -> list[int]:
    assert isinstance(fact, tuple)
    return [worth[0] for worth in fact]


def _estimates(node: Node) -> tuple[float | None, ...]:
    fact, values = node.fact, node.estimates
    if isinstance(fact, Bounds):
        sides = (fact.for_mover(player) for player in range(2))
        bounds = [(low[0], high[0]) for low, high in sides]
        shown = consistent_estimates(values, bounds)
    else:
        shown = values
    return tuple(None if x is None else _finite(x) for x in shown)
