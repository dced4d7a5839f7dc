# SPDX-License-Identifier: MIT
"""Certificates in messages: written as text, and checked."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from unbounded.game import Game, UnboundedError, UsageError, require
from unbounded.interfaces.mcp.answers import Verdict
from unbounded.interfaces.mcp.limits import MOST_CERTIFICATE, MOST_SEARCHED, Limits
from unbounded.search.result import note_of
from unbounded.search.search import Search
from unbounded.solving.certificate import NotCertifiedError, certify
from unbounded.solving.checker_format import CertificateError, Claim
from unbounded.solving.verification import Verified
from unbounded.solving.verification import verify as check

NAME = "given.cert"


def certificate_of(search: Search, limits: Limits) -> tuple[str | None, str | None]:
    """Return the certificate of what is proven as text, or else why there is none."""
    if not search.root.resolved:
        return None, "the outcome is not proven"
    with tempfile.TemporaryDirectory(prefix="unbounded-") as folder:
        path = Path(folder) / NAME
        try:
            written = certify(search, path, seconds=limits.seconds, memory=limits.search_memory())
        except (NotCertifiedError, UsageError) as error:
            return None, str(error)
        if written is None:
            return None, "it was not written within the seconds and the memory of a call"
        if written.bytes > MOST_CERTIFICATE:
            return None, (
                f"it has {written.bytes:,} bytes, and a message takes {MOST_CERTIFICATE:,}: "
                "unbounded solve --certificate writes it to a file"
            )
        return path.read_text("ascii"), None


def verdict_on(text: str | None, file: str | None, game: Game[Any, Any] | None) -> Verdict:
    """Check a certificate, given as text or in a file."""
    if file is not None:
        require(Path(file).is_file(), f"there is no file {file[:200]}")
        return _verdict(Path(file), game)
    assert text is not None
    data = text.encode("utf-8", "replace")
    require(
        len(data) <= MOST_CERTIFICATE,
        f"a message takes a certificate of {MOST_CERTIFICATE:,} bytes, not of {len(data):,}: "
        "unbounded verify checks files",
    )
    with tempfile.TemporaryDirectory(prefix="unbounded-") as folder:
        path = Path(folder) / NAME
        path.write_bytes(data)
        return _verdict(path, game)


def _verdict(path: Path, game: Game[Any, Any] | None) -> Verdict:
    try:
        found = check(path, game, most_searched=MOST_SEARCHED)
    except CertificateError as error:
        return Verdict(False, str(error), None, None, None, None, "", None, None, None)
    except UsageError as error:  # it is about another game than the one that is wanted
        raise UnboundedError(str(error).replace(str(path), path.name)) from None
    return _accepted(found)


def _accepted(found: Verified) -> Verdict:
    header = found.header
    value = header.value
    return Verdict(
        accepted=True,
        reason=None,
        game=header.game,
        moves=list(header.moves),
        proven=None if value is None else [outcome for outcome, _ in value],
        proven_score=None if value is None or not header.scores else [x for _, x in value],
        note=note_of(equilibrium=header.kind != "bounds", scores_ignored=False),
        claims=[_claim_text(claim, scores=header.scores) for claim in header.claims],
        states=found.states,
        digest=found.digest,
    )


def _claim_text(claim: Claim, *, scores: bool) -> str:
    """Write a claim as certificates do."""
    worths = (f"{won}:{points:g}" if scores else f"{won}" for won, points in claim.worth)
    return claim.relation + ",".join(worths)
