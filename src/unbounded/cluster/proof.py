# SPDX-License-Identifier: MIT
"""The proof of a settled root: a certificate that leans on those of the jobs.

Certificates use no symmetries. A position that was settled because an image of it was needs a
certificate of its own: `missing` lists those.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from unbounded.cluster.claims_file import ClaimsFile
from unbounded.cluster.facts import Bounds, Row, claim_texts, opposite, read_claim, text_of
from unbounded.cluster.job import Window
from unbounded.cluster.judging import writing
from unbounded.cluster.upper_graph import Node, UpperGraph
from unbounded.game import UnboundedError
from unbounded.solving import checker_format
from unbounded.solving.checker import Checker
from unbounded.solving.checker_format import Claim
from unbounded.storage import atomic_files

NAME = "proof.cert"


@dataclass(frozen=True)
class Missing:
    """A claim about a position for which there is no certificate."""

    state: bytes
    moves: tuple[str, ...]
    claim: Claim
    scores: bool

    @property
    def window(self) -> Window | None:
        """The window of a job that proves it; None: an equilibrium."""
        if self.claim.relation == "=":
            return None
        worth = self.claim.worth[0]
        if self.claim.relation == ">=":
            return self._below(worth), worth
        return worth, opposite(self._below(opposite(worth)))

    def _below(self, worth: checker_format.Worth) -> checker_format.Worth:
        """A smaller worth, with none between them."""
        outcome, score = worth
        if not self.scores:
            return outcome - 1, 0.0
        return outcome, float(np.nextafter(np.float32(score), np.float32(-np.inf)))


@dataclass
class _Line:
    """What is claimed of a state, and why."""

    state: bytes
    reasons: dict[str, str] = field(default_factory=dict)
    """By claim: `@A`, `%DIGEST` or nothing."""
    needs: set[bytes] = field(default_factory=set)


class Proof:
    """The claims that prove what is known of the root of a graph."""

    def __init__(self, graph: UpperGraph, file: ClaimsFile, *, checked: bool) -> None:
        """checked: lean on certificates only that have been checked."""
        self._checked = checked
        self._graph, self._file, self._scale = graph, file, graph.scale
        self._lines: dict[bytes, _Line] = {}
        self._missing: dict[tuple[bytes, str], Missing] = {}
        root = graph.root
        self.claims = claim_texts(root.fact, graph.scale)
        """Of the root."""
        self._judge = Checker(graph.game, checker_format.read_header(self._header_line()))
        for text in self.claims:
            self._prove(root.state, root.moves, read_claim(text, self._scale))

    def missing(self) -> list[Missing]:
        """The certificates that are still needed."""
        return list(self._missing.values())

    # -- finding the claims -----------------------------------------------------------------------

    def _prove(self, state: bytes, moves: tuple[str, ...], claim: Claim) -> None:
        waiting = [(state, moves, claim)]
        while waiting:
            waiting.extend(self._step(*waiting.pop()))

    def _step(
        self, state: bytes, moves: tuple[str, ...], claim: Claim
    ) -> Iterator[tuple[bytes, tuple[str, ...], Claim]]:
        """Give a claim its reason, and yield the claims that it rests on."""
        line = self._lines.setdefault(state, _Line(state))
        text = text_of(claim, self._scale)
        if text in line.reasons:
            return
        node = self._graph.node_of(state)
        if node is not None and node.terminal:
            line.reasons[text] = ""
        elif (digest := self._digest(state, claim)) is not None:
            line.reasons[text] = f"%{digest}"
        elif node is not None and node.children is not None and self._follows(node, claim):
            yield from self._rest_on_children(line, moves, node.player, claim)
        else:
            self._missing[state, text] = Missing(state, moves, claim, self._scale.scores)

    def _digest(self, state: bytes, claim: Claim) -> str | None:
        """The certificate of a claim that is at least as strong, about exactly this state."""
        for text, digest in self._file.proofs_of(state, checked=self._checked).items():
            known = read_claim(text, self._scale)
            good = known.relation == claim.relation and checker_format.follows(claim, known.worth)
            if good and self._file.certificate(digest).exists():
                return digest
        return None

    def _follows(self, node: Node, claim: Claim) -> bool:
        """Whether a claim follows from what is known of the children."""
        facts = [child.fact for child in node.children or ()]
        if claim.relation == "=":
            return self._scale.supports(node.player, facts, claim.worth)
        return self._implied(self._scale.above(node.player, facts), claim)

    def _implied(self, fact: Bounds | Row | None, claim: Claim) -> bool:
        if isinstance(fact, Bounds):
            worth = fact.low if claim.relation == ">=" else fact.high
            return checker_format.follows(claim, (worth,))
        return fact == claim.worth

    def _rest_on_children(
        self, line: _Line, moves: tuple[str, ...], mover: int, claim: Claim
    ) -> Iterator[tuple[bytes, tuple[str, ...], Claim]]:
        game, state = self._graph.game, line.state
        actions = list(game.actions(state))
        children = [game.next(state, action) for action in actions]
        witness = self._witness(children, mover, claim)
        line.reasons[text_of(claim, self._scale)] = "" if witness is None else f"@{witness}"
        for place, child in enumerate(children):
            wanted = self._wanted(children, place, witness, mover, claim)
            if wanted is not None:
                line.needs.add(child)
                yield child, (*moves, game.action_name(state, actions[place])), wanted

    def _witness(self, children: list[bytes], mover: int, claim: Claim) -> int | None:
        """The place of an action that is good enough; None where every action must be."""
        if claim.relation != "=" and (claim.relation == ">=") != (mover == 0):
            return None
        facts = map(self._fact, children)
        good = [place for place, fact in enumerate(facts) if self._implied(fact, claim)]
        ends = (place for place in good if not self._graph.game.actions(children[place]))
        return next(ends, good[0])

    def _wanted(
        self, children: list[bytes], place: int, witness: int | None, mover: int, claim: Claim
    ) -> Claim | None:
        """What must be known of a child; None: nothing."""
        if witness in (None, place):
            return Claim(claim.relation, claim.worth, None)
        child = children[place]
        if claim.relation != "=" or child == children[witness or 0]:
            return None
        if not self._judge.matters(child, mover, claim.worth[mover]):
            return None
        row = self._fact(child)
        assert isinstance(row, tuple)
        return Claim("=", row, None)

    def _fact(self, state: bytes) -> Bounds | Row | None:
        node = self._graph.node_of(state)
        return None if node is None else node.fact

    # -- writing ----------------------------------------------------------------------------------

    def write(self) -> Path:
        """Write the certificate beside those it leans on, and return its file."""
        if self._missing:
            raise UnboundedError(f"{len(self._missing)} certificates are missing")
        path = self._file.folder / NAME
        lines = list(self._text())
        digest = hashlib.sha256()
        for text in lines:
            digest.update(text)
        lines.append(f"end {len(lines)} {digest.hexdigest()}\n".encode())
        with writing(path):
            atomic_files.replace(path, lambda write: write(b"".join(lines)))
        return path

    def _header_line(self) -> bytes:
        graph = self._graph
        header = {
            "format": checker_format.FORMAT,
            "version": 2,
            "game": self._file.about.game,
            "moves": list(graph.root.moves),
            "kind": "bounds" if self._scale.zero_sum else "equilibrium",
            "scores": self._scale.scores,
            "states": "bytes",
            "fields": [[f.name, f.type, f.count or 1] for f in graph.game.state.fields],
            "claims": list(self.claims),
        }
        return json.dumps(header).encode()

    def _text(self) -> Iterator[bytes]:
        yield self._header_line() + b"\n"
        order = list(self._ordered())
        uses = dict.fromkeys(order, 0)
        for state in order:
            for need in self._lines[state].needs:
                uses[need] += 1
        for state in order:
            reasons = self._lines[state].reasons.items()
            claims = " ".join(text + reason for text, reason in reasons)
            yield f"{state.hex()} {uses[state]} {claims}\n".encode()

    def _ordered(self) -> Iterator[bytes]:
        """The states, each after those that its claims rest on."""
        root = self._graph.root.state
        seen, path = {root}, [(root, iter(self._lines[root].needs))]
        while path:
            state, left = path[-1]
            need = next(left, None)
            if need is None:
                path.pop()
                yield state
            elif need not in seen:
                seen.add(need)
                path.append((need, iter(self._lines[need].needs)))
