# SPDX-License-Identifier: MIT
"""Certificates of searches, and how to spoil them."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator
from random import Random
from typing import Any

from solving_checks import Row, equilibria

from unbounded.game import Game, RecordGame
from unbounded.reference.definitions import reachable
from unbounded.search.budget import Budget
from unbounded.search.search import Search
from unbounded.solving import compiled_checker
from unbounded.solving.certificate import claims_of, text_of
from unbounded.solving.checker import FORMAT, VERSION, CertificateError, Verdict, check

Lines = list[bytes]
"""Of a certificate, but for the last one, which `seal` adds."""


def certificate(search: Search) -> Lines:
    """The certificate of a resolved search; it must prove what the search says it has proven."""
    claims = claims_of(search, Budget())
    assert claims is not None
    lines = b"".join(text_of(search, claims)).splitlines(keepends=True)
    header = json.loads(lines[0])
    outcome = tuple(int(text.split(":")[0]) for text in header["value"].split(","))
    assert outcome == search.root.outcome
    return lines[:-1]


def seal(lines: Lines) -> Lines:
    """Add the last line that fits."""
    digest = hashlib.sha256(b"".join(lines)).hexdigest()
    return [*lines, f"end {len(lines)} {digest}\n".encode()]


def verdict(lines: Lines, game: Game[Any, Any]) -> Verdict:
    """Seal a certificate and check it, by the game that it names."""

    def find(text: str) -> Game[Any, Any]:
        if text != str(game):
            raise CertificateError(f"about another game: {text}")
        return game

    return check(seal(lines), find)


def why_refused(lines: Lines, game: Game[Any, Any]) -> str | None:
    """Why a certificate is refused; None: it is not."""
    try:
        verdict(lines, game)
    except CertificateError as error:
        return str(error)
    return None


def disagreement(text: bytes, game: Game[Any, Any]) -> str | None:
    """How the plain and the compiled checker disagree about a certificate; None: they agree."""
    plain, compiled = _plainly(text, game), _compiled(text, game)
    # Rules may fail elsewhere on a state that does not exist, and scores are written in other ways.
    if isinstance(plain, str) and isinstance(compiled, str):
        return None
    return None if plain == compiled else f"plain: {plain}; compiled: {compiled}"


def _plainly(text: bytes, game: Game[Any, Any]) -> Verdict | str:
    try:
        return check(text.splitlines(keepends=True), lambda _: game)
    except CertificateError as error:
        return str(error)


def _compiled(text: bytes, game: Game[Any, Any]) -> Verdict | str:
    try:
        return compiled_checker.check(io.BytesIO(text), lambda _: game)[0]
    except CertificateError as error:
        return str(error)


def of_outcomes_alone(game: RecordGame, value: tuple[int, ...]) -> Lines:
    """A certificate that ignores scores: that these can be the outcomes, if only they matter."""
    order = list(reachable(game))  # ends first
    rows = equilibria(game, scores=False)
    wanted: dict[Any, dict[Row, str]] = {state: {} for state in order}
    wanted[game.initial()][tuple((x, 0.0) for x in value)] = ""
    uses = dict.fromkeys(order, 0)
    for state in reversed(order):
        looked = set()
        for row in wanted[state]:
            children = [game.next(state, action) for action in game.actions(state)]
            if not children:
                continue
            mover = game.player(state)
            place = next(i for i, child in enumerate(children) if row in rows[child])
            wanted[state][row] = f"@{place}"
            for child in {children[place]} if row[mover][0] == 1 else set(children):
                least = min(rows[child], key=lambda other: (other[mover], other))
                wanted[child].setdefault(row if child == children[place] else least, "")
                looked.add(child)
        for child in looked:
            uses[child] += 1
    fields = [[f.name, f.type, f.count or 1] for f in game.state.fields]
    header = {"format": FORMAT, "version": VERSION, "game": str(game), "moves": []}
    header |= {"kind": "equilibrium", "scores": False, "states": "bytes", "fields": fields}
    lines = [json.dumps(header | {"value": ",".join(map(str, value))})]
    for state in order:
        claims = [
            " =" + ",".join(str(x) for x, _ in row) + place for row, place in wanted[state].items()
        ]
        if claims:
            lines.append(f"{state.hex()} {uses[state]}{''.join(claims)}")
    return [line.encode() + b"\n" for line in lines]


# -- spoiling --------------------------------------------------------------------------------------


def spoiled(lines: Lines, random: Random) -> Iterator[tuple[str, Lines]]:
    """Yield copies of a certificate that prove nothing, each with what was done to it."""
    yield "other value", [with_other_value(lines[0], random), *lines[1:]]
    at = random.randrange(1, len(lines))
    yield "line dropped", lines[:at] + lines[at + 1 :]
    yield "cut off", lines[: random.randrange(1, len(lines))]
    yield "line doubled", [*lines[: at + 1], lines[at], *lines[at + 1 :]]
    yield "other uses", [*lines[:at], with_other_uses(lines[at], random), *lines[at + 1 :]]
    if len(lines) > 2:
        yield "children last", [lines[0], *reversed(lines[1:])]
        early = random.randrange(1, len(lines) - 1)
        moved = [*lines[:early], *lines[early + 1 :]]
        yield "used before it is proven", [*moved, lines[early]]


def with_other_value(header: bytes, random: Random) -> bytes:
    """Claim another value of the root, which for one player at least is not the true one."""
    told = json.loads(header)
    worths = told["value"].split(",")
    first, *score = worths[0].split(":")
    other = random.choice([x for x in ("-1", "0", "1") if x != first])
    if told["kind"] == "bounds":
        worths = [other, str(-int(other))]
        if score:
            worths = [f"{worths[0]}:{score[0]}", f"{worths[1]}:{-float(score[0]):g}"]
    else:
        worths[0] = ":".join([other, *score])
    return json.dumps(told | {"value": ",".join(worths)}).encode() + b"\n"


def with_other_uses(line: bytes, random: Random) -> bytes:
    state, uses, *claims = line.split(b" ")
    changed = random.choice([x for x in (0, 1, 2, 3, 9) if x != int(uses)])
    return b" ".join([state, str(changed).encode(), *claims])
