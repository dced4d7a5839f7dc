# SPDX-License-Identifier: MIT
"""Write down why a proven value is true, in claims that `checker` checks by the rules alone."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from unbounded import native
from unbounded.game import RecordGame, UnboundedError, require
from unbounded.search.budget import Budget
from unbounded.search.search import Search
from unbounded.solving import checker
from unbounded.storage import atomic_files

_LINES_AT_ONCE = 10_000


class NotCertifiedError(UnboundedError):
    """A proven value for which no certificate could be made."""


@dataclass(frozen=True)
class Written:
    """A certificate that was written."""

    path: str
    states: int
    bytes: int


def certify(
    search: Search,
    path: str | os.PathLike[str],
    *,
    seconds: float | None = None,
    memory: int | str | None = None,
    progress: Callable[[], None] | None = None,
) -> Written | None:
    """Write a certificate of what a search has proven of its root; None if it was stopped.

    What the search has not stored, or has forgotten, is proven again. A file of this name is
    replaced only when the new one is complete.
    """
    claims = claims_of(search, Budget(seconds, None, None, memory), progress)
    if claims is None:
        return None
    written = 0

    def produce(write: atomic_files.Write) -> None:
        nonlocal written
        for part in text_of(search, claims):
            write(part)
            written += len(part)

    atomic_files.replace(path, produce)
    return Written(str(path), len(claims), written)


def claims_of(
    search: Search, budget: Budget, progress: Callable[[], None] | None = None
) -> native.Claims | None:
    """Find claims that prove what a search has proven of its root; None if it was stopped."""
    require(
        not search.scores_ignored,
        f"{search.game} has scores, and resolve_on_win ignores them: what it proves is no "
        "equilibrium of the game, so there is no certificate of it",
    )
    require(search.root.resolved, f"{search.game} is not proven yet: there is nothing to certify")
    route = native.route_of(search.game)

    try:
        return search.certify(route, budget, scores=_proves_scores(search), progress=progress)
    except native.NotProvenAgain as error:
        raise NotCertifiedError(
            f"{search.game}: {error}. A search that has forgotten states may take another "
            "equilibrium for them: give it more memory"
        ) from None


def _header(search: Search) -> dict[str, Any]:
    root, game = search.root, search.game
    assert root.outcome is not None
    scores = _proves_scores(search)
    value = game.score(search.state) if root.is_terminal else root.value
    fields: dict[str, Any] = {}
    if isinstance(game, RecordGame):
        fields["fields"] = [[f.name, f.type, f.count or 1] for f in game.state.fields]
    texts = [
        f"{won}:{points:.9g}" if scores else f"{won}"
        for won, points in zip(root.outcome, value, strict=True)
    ]
    return {
        "format": checker.FORMAT,
        "version": checker.VERSION,
        "game": str(game),
        "moves": search.moves,
        "kind": "bounds" if search.zero_sum else "equilibrium",
        "scores": scores,
        "states": "paths" if search.route.holds_objects else "bytes",
        "value": ",".join(texts),
        **fields,
    }


def _proves_scores(search: Search) -> bool:
    return search.game.has_score and search.options.proves_scores


def text_of(search: Search, claims: native.Claims) -> Iterator[bytes]:
    """Write the claims as a certificate; at its end, how many lines there are, and their digest."""
    digest, count = hashlib.sha256(), 0
    for part in _parts(search, claims):
        digest.update(part)
        count += part.count(b"\n")
        yield part
    yield f"end {count} {digest.hexdigest()}\n".encode()


def _parts(search: Search, claims: native.Claims) -> Iterator[bytes]:
    yield json.dumps(_header(search)).encode() + b"\n"
    for first in range(0, len(claims), _LINES_AT_ONCE):
        yield claims.text(first, _LINES_AT_ONCE, search.route.holds_objects)
