# SPDX-License-Identifier: MIT
"""How a certificate is written: its first line, its claims, its last line.

Imports the package `game/` and the standard library only. Format: `docs/certificates.md`.
"""

from __future__ import annotations

import json
import math
import re
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unbounded.game import UnboundedError

if TYPE_CHECKING:
    from hashlib import _Hash

FORMAT, VERSIONS, LONGEST_LINE = "unbounded certificate", (1, 2, 3), 1 << 20
Worth = tuple[int, float]  # outcome, and score: 0 where a certificate is about outcomes only
PLACE, NUMBER = "(?:0|[1-9][0-9]{0,4})", "[1-9][0-9]{0,8}"
LINE = {
    version: re.compile(rf"([0-9a-f]+|\.|(?:\.{PLACE})+) (0|{NUMBER})((?: [-+0-9.:,@<>={more}]+)+)")
    for version, more in ((1, "e"), (2, "a-f?%"), (3, "a-f?%"))
}
CLAIM = re.compile(rf"(>=|<=|=)([^@?%]+)(?:@({PLACE})|\?({NUMBER})|%([0-9a-f]{{64}}))?")
WORTH = re.compile(r"(-1|0|1)(?::(-?[0-9]{1,40}(?:\.[0-9]{1,40})?(?:e[-+]?[0-9]{1,3})?))?")
LOSS, WIN = (-1, 0.0), (1, 0.0)


class CertificateError(UnboundedError):
    """A certificate does not prove what it claims: where, and why."""


@dataclass(frozen=True)
class Claim:
    """What a line claims of its state, and for which reason."""

    # ">=" or "<=", for the first player's worth (of an equilibrium, ">=" for the mover's); or "=",
    # for every player's
    relation: str
    worth: tuple[Worth, ...]
    witness: int | None = None  # the place of an action
    search: int | None = None  # how many successors a search may make that proves it
    digest: str | None = None  # of the certificate that proves it


@dataclass(frozen=True)
class Header:
    """What a certificate is about."""

    game: str
    moves: tuple[str, ...]
    kind: str  # "bounds" (two players, zero sum) or "equilibrium" (any number of players)
    scores: bool  # whether claims are about outcome and score, or about the outcome alone
    states: str  # how states are given: by their "bytes", or by "paths" of actions
    version: int
    claims: tuple[Claim, ...]  # what is claimed of the position after the moves
    value: tuple[Worth, ...] | None  # what that makes the value per player; None: bounds only
    fields: Any = None  # of a record


def sealed(lines: Iterable[bytes], digest: _Hash) -> Iterator[bytes]:
    """Yield the lines but the last, which has their number and their digest."""
    count, end = 0, b""
    for line in lines:
        if end or not line.endswith(b"\n") or len(line) > LONGEST_LINE:
            raise CertificateError("this is no certificate, or it is cut off, or goes on")
        if line.startswith(b"end "):
            end = line
            continue
        digest.update(line)
        count += 1
        yield line[:-1]
    if end != b"end %d %s\n" % (count, digest.hexdigest().encode()):
        raise CertificateError("the file is damaged or incomplete: its last line does not fit")


# -- the first line --------------------------------------------------------------------------------


def read_header(line: bytes) -> Header:
    """Read the first line, believing nothing."""
    try:
        data = json.loads(line.decode("ascii"))
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or data.pop("format", None) != FORMAT:
        raise CertificateError("this is not a certificate")
    version, fields = data.pop("version", None), data.pop("fields", None)
    if isinstance(version, bool) or version not in VERSIONS:
        raise CertificateError("its version is not 1, 2 or 3, the ones known here")
    kinds = {"game": str, "moves": list, "kind": str, "scores": bool, "states": str}
    kinds |= {"value": str} if version == 1 else {"claims": list}
    if set(data) != set(kinds) or not all(isinstance(data[key], kinds[key]) for key in kinds):
        raise CertificateError(f"it must have {', '.join(kinds)} and nothing else")
    named = all(isinstance(move, str) for move in data["moves"])
    known = data["kind"] in ("bounds", "equilibrium") and data["states"] in ("bytes", "paths")
    if not (named and known):
        raise CertificateError("an unknown kind, or moves that are not names of actions")
    kind, scores = data["kind"], data["scores"]
    if version == 1:
        value = data["value"] = read_worths(data["value"], scores)
        data["claims"] = claims_of(value, kind, scores)
    else:
        claims = data["claims"] = read_claims(data["claims"], kind, scores)
        data["value"] = value_of(claims, scores)
    data["moves"] = tuple(data["moves"])
    return Header(**data, version=int(version), fields=fields)


def claims_of(value: tuple[Worth, ...], kind: str, scores: bool) -> tuple[Claim, ...]:
    """Return what has to be proven for a value."""
    if kind == "equilibrium":
        return (Claim("=", value),)
    both = (Claim(">=", value[:1]), Claim("<=", value[:1]))
    return tuple(claim for claim in both if scores or not says_nothing(claim))


def says_nothing(claim: Claim) -> bool:
    """Whether a claim without scores is always true: no outcome is below a loss or above a win."""
    return (claim.relation, claim.worth) in ((">=", (LOSS,)), ("<=", (WIN,)))


def read_claims(texts: list[Any], kind: str, scores: bool) -> tuple[Claim, ...]:
    """Read what is claimed of the root: an equilibrium, or one or two bounds."""
    claims = tuple(read_claim(text, kind, scores) for text in texts if isinstance(text, str))
    relations = sorted(claim.relation for claim in claims)
    fitting = [["="]] if kind == "equilibrium" else [["<="], [">="], ["<=", ">="]]
    if len(claims) < len(texts) or relations not in fitting:
        raise CertificateError("the claims about the root are not one equilibrium or two bounds")
    if any(claim != Claim(claim.relation, claim.worth) for claim in claims):
        raise CertificateError("the claims about the root have no reasons in the first line")
    if not scores and any(says_nothing(claim) for claim in claims):
        raise CertificateError("a claim about the root is always true")
    low, high = bounds_of(claims)
    if low is not None and high is not None and low > high:
        raise CertificateError("the claims about the root contradict each other")
    return claims


def bounds_of(claims: tuple[Claim, ...]) -> tuple[Worth | None, Worth | None]:
    """Return the lower and the upper bound on the first player's worth; None: there is none."""
    bounds = {claim.relation: claim.worth[0] for claim in claims}
    return bounds.get(">="), bounds.get("<=")


def value_of(claims: tuple[Claim, ...], scores: bool) -> tuple[Worth, ...] | None:
    """Return the value that claims about the root prove; None: they leave more than one."""
    if claims[0].relation == "=":
        return claims[0].worth
    low, high = bounds_of(claims)
    if not scores:
        low, high = low or LOSS, high or WIN
    if low is None or low != high:
        return None
    return low, (-low[0], -low[1] + 0.0)


# -- claims ----------------------------------------------------------------------------------------


def read_claim(text: str, kind: str, scores: bool, *, of_mover: bool = False) -> Claim:
    """Read `>=0@3`, `<=1`, `=1,-1,-1@0`, `>=0?120`, or `<=0%` and a digest.

    of_mover: whether an equilibrium may have claims about the player who moves.
    """
    match = CLAIM.fullmatch(text)
    relations = {"bounds": (">=", "<="), "equilibrium": ("=", ">=") if of_mover else ("=",)}
    if match is not None and match[1] in relations[kind]:
        worths = read_worths(match[2], scores)
        if match[1] == "=" or len(worths) == 1:
            witness, search = (None if x is None else int(x) for x in match.group(3, 4))
            return Claim(match[1], worths, witness, search, match[5])
    raise CertificateError(f"{text[:80]!r} is not a claim")


def read_worths(text: str, scores: bool) -> tuple[Worth, ...]:
    """Read `1,-1`, or `1:6.5,-1:-6.5` in a certificate with scores."""
    matches = [WORTH.fullmatch(part) for part in text.split(",")]
    if not all(match and (match[2] is not None) == scores for match in matches):
        raise CertificateError(f"{text[:80]!r} is not a worth")
    worths = [(int(match[1]), as_float32(float(match[2] or 0))) for match in matches if match]
    if not all(math.isfinite(score) for _, score in worths):
        raise CertificateError(f"{text[:80]!r} is not a worth")
    return tuple(worths)


def as_float32(score: float) -> float:
    """Round a score to 32 bits, for scores are compared so; see `Game.score`."""
    return float(struct.unpack("<f", struct.pack("<f", score))[0]) + 0.0


def follows(claim: Claim, worth: tuple[Worth, ...]) -> bool:
    """Whether a claim holds for worths that are known, or are known to be bounds."""
    if claim.relation == "=":
        return claim.worth == worth
    return worth[0] >= claim.worth[0] if claim.relation == ">=" else worth[0] <= claim.worth[0]
