# SPDX-License-Identifier: MIT
"""Claims that are believed: written to the claims file, then used in the graph.

Two claims that cannot both be true stop a run, unless one of them was never checked and turns out
to be wrong.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from unbounded.cluster.claims_file import ClaimsFile, Recorded
from unbounded.cluster.facts import (
    ContradictionError,
    Fact,
    Scale,
    claim_texts,
    read_claim,
    row_text,
)
from unbounded.cluster.judging import Accepted, Judge, RefusedError
from unbounded.cluster.upper_graph import Node, UpperGraph
from unbounded.game import UnboundedError
from unbounded.solving.checker import Claim

MOST_LISTED = 20
Tell = Callable[[str], None]


class ExcludingClaimsError(UnboundedError):
    """Proofs that exclude each other: the rules, a checker or the solver has an error."""


class WithdrawnError(UnboundedError):
    """Claims that had not been checked were wrong and have been withdrawn: build the graph anew."""

    def __init__(self, workers: list[str]) -> None:
        super().__init__(f"{len(workers)} claims have been withdrawn")
        self.workers = workers


def record(
    file: ClaimsFile, graph: UpperGraph, accepted: Accepted, worker: str, job: int | None
) -> None:
    """Write down what was accepted, and use it; raises `ContradictionError`."""
    key, scale = graph.key_of(accepted.state), graph.scale
    for claim in accepted.claims:
        fact = scale.of_claim(claim)
        if not claim_texts(fact, scale):
            continue  # it holds of any position
        text = text_of(claim, scale)
        if accepted.digest is not None:
            file.proof(accepted.state, text, accepted.digest, checked=accepted.checked)
        if graph.says_more(key, fact):
            new = Recorded(
                key,
                text,
                accepted.state,
                accepted.moves,
                accepted.digest,
                accepted.checked,
                worker,
                job,
                time.time(),
            )
            file.claim(new, claim.relation)
        graph.learn(key, fact)


def text_of(claim: Claim, scale: Scale) -> str:
    """A claim as the first line of a certificate has it."""
    return claim.relation + row_text(claim.worth, scores=scale.scores)


# -- claims that were not checked ------------------------------------------------------------------


def audit(judge: Judge, tell: Tell, worker: str = "") -> list[str]:
    """Check what was not, all of it or what one worker has claimed; withdraw what is wrong.

    Claims without certificates are left alone. Returns who had made those that were withdrawn.
    """
    file, scale = judge.file, judge.scale
    withdrawn = []
    for old in list(file.claims()):
        if old.checked or old.digest is None or worker not in ("", old.worker):
            continue
        claim = read_claim(old.claim, scale)
        try:
            found = judge.of_file(file.certificate(old.digest), check=True, state=old.state)
            if claim not in found.claims:
                raise RefusedError("its certificate proves something else")
        except RefusedError as error:
            withdrawn.append(old.worker)
            with file.changes():
                file.withdraw(old)
            tell(f"withdrawn: what {old.worker} claimed in job {old.job}: {error}")
        else:
            with file.changes():
                better = _says_more(file, scale, old.key, scale.of_claim(claim))
                file.mark_checked(old, claim.relation, better=better)
    return withdrawn


def _says_more(file: ClaimsFile, scale: Scale, key: bytes, fact: Fact) -> bool:
    """Whether a claim says more of a position than the checked ones."""
    known: Fact = scale.unknown
    for other in file.claims_of(key):
        if other.checked:
            known = scale.both(known, scale.of_claim(read_claim(other.claim, scale)))
    try:
        return scale.both(known, fact) != known
    except ContradictionError:
        return True  # both are kept, and reported where the graph is made of them


def settle(
    judge: Judge,
    graph: UpperGraph | None,
    error: ContradictionError,
    accepted: Accepted | None,
    tell: Tell,
) -> list[str]:
    """After a contradiction, check what was not checked.

    Returns who had made earlier claims that were wrong and are withdrawn. `RefusedError`: what was
    accepted last is wrong. Else `ExcludingClaimsError` names the proofs that exclude each other.
    """
    if accepted is not None and not accepted.checked and accepted.digest is not None:
        judge.of_file(judge.file.certificate(accepted.digest), check=True)
    withdrawn = audit(judge, tell)
    if not withdrawn:
        raise excluding(judge.file, judge.scale, error, graph, accepted)
    return withdrawn


def excluding(
    file: ClaimsFile,
    scale: Scale,
    error: ContradictionError,
    graph: UpperGraph | None = None,
    accepted: Accepted | None = None,
) -> ExcludingClaimsError:
    """The error that names proofs that exclude each other."""
    lines = [
        "two proofs exclude each other, so the rules, a checker or the solver has an error, or the "
        "claims file was changed."
    ]
    keys = {error.key}
    if accepted is not None:
        said = ", ".join(text_of(claim, scale) for claim in accepted.claims)
        proof = file.certificate(accepted.digest) if accepted.digest else "no certificate"
        lines.append(f"New: {said} after {_after(accepted.moves)}: {proof}")
    if graph is not None:
        if accepted is not None:
            keys.add(graph.key_of(accepted.state))
        keys |= {one.key for key in keys for one in _near(graph.nodes.get(key or b""))}
    known = [old for old in file.claims() if old.key in keys]
    lines += [
        f"Known: {old.claim} after {_after(old.moves)}, by {old.worker}: "
        f"{file.certificate(old.digest) if old.digest else 'no certificate'}"
        for old in sorted(known, key=lambda old: old.key != error.key)[:MOST_LISTED]
    ]
    return ExcludingClaimsError(
        "\n".join([*lines, "Check them by: unbounded verify FILE --checker plain"])
    )


def _after(moves: tuple[str, ...]) -> str:
    return " ".join(moves) or "no moves"


def _near(node: Node | None) -> Iterator[Node]:
    """A position with those below and above it."""
    seen: set[tuple[bytes, str]] = set()
    for step in ("children", "parents"):
        waiting = [] if node is None else [node]
        while waiting:
            one = waiting.pop()
            yield one
            for other in getattr(one, step) or ():
                if (other.key, step) not in seen:
                    seen.add((other.key, step))
                    waiting.append(other)
