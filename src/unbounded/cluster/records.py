# SPDX-License-Identifier: MIT
"""Claims that are believed: written to the claims file, then used in the graph.

Two claims that cannot both be true stop a run, unless one of them was never checked and turns out
to be wrong.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from unbounded.cluster.claims_file import ClaimsFile, Recorded
from unbounded.cluster.facts import Scale, claim_texts, row_text
from unbounded.cluster.judging import Accepted, Judge, RefusedError
from unbounded.cluster.upper_graph import Node, UpperGraph
from unbounded.game import UnboundedError
from unbounded.solving.checker import Claim

MOST_LISTED = 20


class ExcludingClaimsError(UnboundedError):
    """Two proofs that exclude each other: the rules, a checker or the solver has an error."""


class WithdrawnError(UnboundedError):
    """Claims that had not been checked were wrong and have been withdrawn: build the graph anew."""


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
            file.proof(accepted.state, text, accepted.digest)
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


def settle(
    file: ClaimsFile,
    graph: UpperGraph,
    judge: Judge,
    accepted: Accepted,
    tell: Callable[[str], None],
) -> None:
    """After a contradiction, check what was not checked; raises an error in any case.

    `RefusedError`: the new claims are wrong. `WithdrawnError`: earlier ones were. Else both have
    been checked, and `ExcludingClaimsError` names both proofs.
    """
    if not accepted.checked:
        if accepted.digest is None:
            raise _both(file, graph, accepted)
        judge.of_file(file.certificate(accepted.digest), check=True)
    withdrawn = 0
    for old in list(file.claims()):
        if old.checked or old.digest is None:
            continue
        try:
            judge.of_file(file.certificate(old.digest), check=True)
        except RefusedError as error:
            file.withdraw(old.key)
            withdrawn += 1
            tell(f"withdrawn: what {old.worker} claimed in job {old.job}: {error}")
    if withdrawn:
        raise WithdrawnError(f"{withdrawn} claims have been withdrawn")
    raise _both(file, graph, accepted)


def _both(file: ClaimsFile, graph: UpperGraph, accepted: Accepted) -> ExcludingClaimsError:
    said = ", ".join(text_of(claim, graph.scale) for claim in accepted.claims)
    proof = file.certificate(accepted.digest) if accepted.digest else "no certificate"
    lines = [
        "two proofs exclude each other, so the rules, a checker or the solver has an error.",
        f"New: {said} after {_after(accepted.moves)}: {proof}",
        "Known of this position, and of those that its value follows from:",
    ]
    key = graph.key_of(accepted.state)
    near = {node.key for node in _near(graph.nodes.get(key))} | {key}
    for old in file.claims():
        if old.key in near:
            where = file.certificate(old.digest) if old.digest else "no certificate"
            lines.append(f"  {old.claim} after {_after(old.moves)}, by {old.worker}: {where}")
    lines = [*lines[: 3 + MOST_LISTED], "Check both by: unbounded verify FILE --checker plain"]
    return ExcludingClaimsError("\n".join(lines))


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
