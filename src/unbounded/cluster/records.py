# SPDX-License-Identifier: MIT
"""Claims that are believed: written to the claims file, then used in the graph.

Two claims that cannot both be true stop a run, unless one of them was never checked and turns out
to be wrong.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator

from unbounded.cluster.claims_file import ClaimsFile, Recorded
from unbounded.cluster.facts import (
    ContradictionError,
    Fact,
    Scale,
    claim_texts,
    read_claim,
    text_of,
)
from unbounded.cluster.judging import Accepted, Judge, RefusedError
from unbounded.cluster.upper_graph import Node, UpperGraph
from unbounded.game import UnboundedError
from unbounded.game.wording import cut

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
        if accepted.checked:
            file.drop_unchecked(key, text)
        if graph.says_more(key, fact) or (accepted.checked and _says_more(file, scale, key, fact)):
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


# -- claims that were not checked ------------------------------------------------------------------


def audit(judge: Judge, tell: Tell, worker: str = "", *, bare: bool = False) -> list[str]:
    """Check what was not, all of it or what one worker has claimed; withdraw what is wrong.

    Claims without certificates are left alone, unless `bare`: then they are withdrawn. Returns who
    had made those that were withdrawn.
    """
    file, scale = judge.file, judge.scale
    withdrawn = withdraw_bare(file, tell) if bare else []
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


def withdraw_bare(file: ClaimsFile, tell: Tell) -> list[str]:
    """Withdraw the claims that have no certificates; return who had made them."""
    found = [old for old in file.claims() if not old.checked and old.digest is None]
    if found:
        with file.changes():
            for old in found:
                file.withdraw(old)
        tell(f"{len(found)} claims without certificates are withdrawn")
    return [old.worker for old in found]


def withdraw_lost(file: ClaimsFile, tell: Tell) -> None:
    """Withdraw the claims whose certificates are gone: nobody can check them any more."""
    lost = [
        old for old in file.claims() if old.digest and not file.certificate(old.digest).exists()
    ]
    if lost:
        with file.changes():
            for old in lost:
                file.withdraw(old)
        tell(f"{len(lost)} claims are withdrawn: their certificates are not in {file.folder}")


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
    judge: Judge, error: ContradictionError, accepted: Accepted | None, tell: Tell
) -> list[str]:
    """After a contradiction, check what was not checked.

    Returns who had made earlier claims that were wrong and are withdrawn. `RefusedError`: what was
    accepted last is wrong. Else `ExcludingClaimsError` names the proofs that exclude each other.
    """
    if accepted is not None and not accepted.checked and accepted.digest is not None:
        judge.of_file(judge.file.certificate(accepted.digest), check=True)
    withdrawn = audit(judge, tell, bare=accepted is not None and accepted.checked)
    if not withdrawn:
        raise excluding(judge.file, judge.scale, error, accepted)
    return withdrawn


def excluding(
    file: ClaimsFile, scale: Scale, error: ContradictionError, accepted: Accepted | None = None
) -> ExcludingClaimsError:
    """The error that names proofs that exclude each other, those that matter most first."""
    proofs = []
    if accepted is not None:
        said = ", ".join(text_of(claim, scale) for claim in accepted.claims)
        proofs.append(_named(said, accepted.moves, accepted.digest))
    for key in _from(error):
        proofs += [_named(old.claim, old.moves, old.digest) for old in file.claims_of(key)]
        if len(proofs) >= MOST_LISTED:
            break
    return ExcludingClaimsError(
        f"these proofs in {file.folder} exclude each other: {'; '.join(dict.fromkeys(proofs))}. "
        "The rules, a checker or the solver has an error, or a file was changed: check each by "
        "unbounded verify FILE --checker plain"
    )


def _named(claim: str, moves: tuple[str, ...], digest: str | None) -> str:
    after = cut(" ".join(moves), 30) or "no moves"
    return f"{claim} after {after}: {f'{digest}.cert.gz' if digest else 'no certificate'}"


def _from(error: ContradictionError) -> Iterator[bytes]:
    """The positions that may be at fault: where it shows, then those below, the nearest first."""
    waiting: deque[Node] = deque([] if error.node is None else [error.node])
    seen = {error.key}
    if error.key is not None:
        yield error.key
    while waiting:
        for child in waiting.popleft().children or ():
            if child.key not in seen:
                seen.add(child.key)
                waiting.append(child)
                yield child.key
