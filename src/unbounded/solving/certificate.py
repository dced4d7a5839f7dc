# SPDX-License-Identifier: MIT
"""Write down why a proven value is true, in claims that `checker` checks by the rules alone."""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from unbounded import native
from unbounded.game import RecordGame, UnboundedError, require
from unbounded.search.budget import Budget
from unbounded.search.search import Search
from unbounded.solving import checker_format
from unbounded.storage import atomic_files

MOST_CHECKER_SEARCH = 999_999_999
"""The format has nine digits for it."""
_LINES_AT_ONCE = 10_000
_GZIP = 31
"""What zlib calls the format of gzip."""


class NotCertifiedError(UnboundedError):
    """A proven value for which no certificate could be made."""


@dataclass(frozen=True)
class Written:
    """A certificate that was written."""

    path: str
    states: int
    bytes: int
    digest: str
    """By which other certificates refer to this one: that of its text, in its last line."""


def certify(
    search: Search,
    path: str | os.PathLike[str],
    *,
    checker_search: int = 0,
    partial: bool = False,
    seconds: float | None = None,
    memory: int | str | None = None,
    progress: Callable[[], None] | None = None,
) -> Written | None:
    """Write a certificate of what a search has proven of its root; None if it was stopped.

    What the search has not stored, or has forgotten, is proven again. A file of this name is
    replaced only when the new one is complete; it is compressed if its name ends in ".gz".

    checker_search: leave out the proof of every claim that the checker can prove itself by making
        at most so many successors. The file gets smaller, and checking it takes longer.
    partial: if the value is not proven, certify its bounds as far as they are.

    >>> import unbounded as ub
    >>> search = ub.Search("tic-tac-toe")
    >>> search.run().resolved
    True
    >>> ub.certify(search, "tic-tac-toe.cert").path
    'tic-tac-toe.cert'
    """
    budget = Budget(seconds, None, None, memory)
    claims = claims_of(search, budget, progress, checker_search=checker_search, partial=partial)
    if claims is None:
        return None
    text = text_of(search, claims, version=2 if checker_search or partial else 1)
    size, digest = _write(path, text)
    return Written(str(path), len(claims), size, digest)


def _write(path: str | os.PathLike[str], text: Iterable[bytes]) -> tuple[int, str]:
    """Write a certificate; return the size of the file, and the digest in the last line."""
    # Gzip's header then has neither a name nor a time: equal texts give equal files.
    gzip = zlib.compressobj(wbits=_GZIP) if os.fspath(path).endswith(".gz") else None
    size, last = 0, b""

    def produce(write: atomic_files.Write) -> None:
        nonlocal last

        def put(data: bytes) -> None:
            nonlocal size
            write(data)
            size += len(data)

        for last in text:
            put(last if gzip is None else gzip.compress(last))
        if gzip is not None:
            put(gzip.flush())

    atomic_files.replace(path, produce)
    return size, last.split()[-1].decode()


def claims_of(
    search: Search,
    budget: Budget,
    progress: Callable[[], None] | None = None,
    *,
    checker_search: int = 0,
    partial: bool = False,
) -> native.Claims | None:
    """Find claims that prove what a search has proven of its root; None if it was stopped."""
    require(
        not search.scores_ignored,
        f"{search.game} has scores, and resolve_on_win ignores them: what it proves is no "
        "equilibrium of the game, so there is no certificate of it",
    )
    require(
        isinstance(checker_search, int) and 0 <= checker_search <= MOST_CHECKER_SEARCH,
        f"`checker_search` must be a whole number from 0 to {MOST_CHECKER_SEARCH:,}, "
        f"not {checker_search!r}",
    )
    nothing = f"{search.game} is not proven yet: there is nothing to certify"
    require(search.root.resolved or (partial and search.zero_sum), nothing)
    route = native.route_of(search.game)
    try:
        claims = search.certify(
            route,
            budget,
            scores=_proves_scores(search),
            partial=partial,
            checker_search=checker_search,
            progress=progress,
        )
    except native.NotProvenAgain as error:
        raise NotCertifiedError(
            f"{search.game}: {error}. A search that has forgotten states may take another "
            "equilibrium for them: give it more memory"
        ) from None
    require(claims is None or len(claims.of_root()) > 0, nothing)
    return claims


def _header(search: Search, claims: native.Claims, version: int) -> dict[str, Any]:
    game, fields = search.game, {}
    if isinstance(game, RecordGame):
        fields["fields"] = [[f.name, f.type, f.count or 1] for f in game.state.fields]
    return {
        "format": checker_format.FORMAT,
        "version": version,
        "game": str(game),
        "moves": search.moves,
        "kind": "bounds" if search.zero_sum else "equilibrium",
        "scores": _proves_scores(search),
        "states": "paths" if search.route.holds_objects else "bytes",
        **({"value": _value(search)} if version == 1 else {"claims": claims.of_root()}),
        **fields,
    }


def _value(search: Search) -> str:
    root = search.root
    assert root.outcome is not None
    value = search.game.score(search.state) if root.is_terminal else root.value
    return ",".join(
        f"{won}:{points:.9g}" if _proves_scores(search) else f"{won}"
        for won, points in zip(root.outcome, value, strict=True)
    )


def _proves_scores(search: Search) -> bool:
    return search.game.has_score and search.options.proves_scores


def text_of(search: Search, claims: native.Claims, *, version: int = 1) -> Iterator[bytes]:
    """Write the claims as a certificate; at its end, how many lines there are, and their digest.

    version: of the format; a later one if the claims need it.
    """
    digest, count = hashlib.sha256(), 0
    for part in _parts(search, claims, 3 if claims.about_movers else version):
        digest.update(part)
        count += part.count(b"\n")
        yield part
    yield f"end {count} {digest.hexdigest()}\n".encode()


def _parts(search: Search, claims: native.Claims, version: int) -> Iterator[bytes]:
    yield json.dumps(_header(search, claims, version)).encode() + b"\n"
    for first in range(0, len(claims), _LINES_AT_ONCE):
        yield claims.text(first, _LINES_AT_ONCE, search.route.holds_objects)
