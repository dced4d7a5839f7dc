# SPDX-License-Identifier: MIT
"""Certificates taken apart into claims, and put together again."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from random import Random
from typing import Any

from solving_checks import Row, equilibria_above

from unbounded.game import Game
from unbounded.reference.definitions import outcome, score, successors
from unbounded.solving.checker import Checker
from unbounded.solving.checker_format import Claim, follows, read_header

Lines = list[bytes]
"""Of a certificate, but for the last one, which `seal` adds."""


def seal(lines: Lines) -> Lines:
    """Add the last line that fits."""
    return [*lines, f"end {len(lines)} {digest_of(lines)}\n".encode()]


def digest_of(lines: Lines) -> str:
    return hashlib.sha256(b"".join(lines)).hexdigest()


def taken_apart(lines: Lines, game: Game[Any, Any]) -> tuple[Checker, dict[Any, list[str]]]:
    """The claims of a certificate by state, in the order of its lines."""
    checker = Checker(game, read_header(lines[0]))
    parts = (line.decode().split() for line in lines[1:])
    return checker, {checker.read_state(name): claims for name, _, *claims in parts}


def put_together(told: dict[str, Any], game: Game[Any, Any], claims: dict[Any, list[str]]) -> Lines:
    """Write what a root needs of some claims, with uses that fit."""
    header = json.dumps(told).encode() + b"\n"
    checker = Checker(game, read_header(header))
    places = places_below(game, checker.root) if told["states"] == "paths" else {}
    uses, lines = {checker.root: 0}, []
    for state in reversed(claims):
        if state not in uses:
            continue
        name = "." + ".".join(map(str, places[state])) if places else state.hex()
        lines.append(f"{name} {uses[state]} {' '.join(claims[state])}\n".encode())
        for child in used_by(checker, state, map(checker.read_claim, claims[state])):
            uses[child] = uses.get(child, 0) + 1
    return [header, *reversed(lines)]


def used_by(checker: Checker, state: Any, claims: Iterable[Claim]) -> set[Any]:
    """The successors that the claims about a state need."""
    game, used = checker.game, set()
    children = [game.next(state, action) for action in game.actions(state)]
    for claim in claims if children else ():
        if claim.search is not None or claim.digest is not None:
            continue
        if claim.witness is not None:
            used.add(children[claim.witness])
        if claim.relation == "=":
            mover = game.player(state)
            worth = claim.worth[mover]
            used |= {child for child in children if checker.matters(child, mover, worth)}
        elif claim.witness is None:
            used |= set(children)
    return used


def places_below(game: Game[Any, Any], root: Any) -> dict[Any, tuple[int, ...]]:
    """The places of the actions that lead to each state, one way to each."""
    places: dict[Any, tuple[int, ...]] = {root: ()}
    for state in (queue := [root]):
        for place, action in enumerate(game.actions(state)):
            child = game.next(state, action)
            if child not in places:
                places[child] = (*places[state], place)
                queue.append(child)
    return places


def names_of(game: Game[Any, Any], state: Any, places: Iterable[int]) -> list[str]:
    names = []
    for place in places:
        action = list(game.actions(state))[place]
        names.append(game.action_name(state, action))
        state = game.next(state, action)
    return names


def as_version_2(told: dict[str, Any]) -> dict[str, Any]:
    """The same first line in version 2."""
    if told["version"] >= 2:  # one of version 3 may need it
        return told
    value = told["value"]
    first = value.split(",")[0]
    claims = [f"={value}"]
    if told["kind"] == "bounds":
        claims = [x for x in (f">={first}", f"<={first}") if x not in (">=-1", "<=1")]
    told = {key: told[key] for key in told if key != "value"}
    return told | {"version": 2, "claims": claims}


def as_version_1(lines: Lines) -> Lines:
    """The same certificate in version 1, if it can be."""
    header, told = read_header(lines[0]), json.loads(lines[0])
    later = header.version == 3 or any(b"?" in line or b"%" in line for line in lines[1:])
    if header.value is None or later:
        return lines
    del told["claims"]
    texts = (f"{won}:{points:.9g}" if header.scores else f"{won}" for won, points in header.value)
    told |= {"version": 1, "value": ",".join(texts)}
    return [json.dumps(told).encode() + b"\n", *lines[1:]]


def claims_to_cut(checker: Checker, texts: list[str], random: Random) -> list[str]:
    """What a certificate of its own is to claim of a state, of all that is claimed of it."""
    read = {body_of(text): checker.read_claim(text) for text in texts}
    if checker.header.kind == "equilibrium":  # a file claims a whole row, not the mover's part
        rows = [text for text in read if text.startswith("=")]
        return [random.choice(rows)] if rows else []
    best = [
        max(
            (text for text in read if text.startswith(">=")),
            key=lambda x: read[x].worth,
            default="",
        ),
        min(
            (text for text in read if text.startswith("<=")),
            key=lambda x: read[x].worth,
            default="",
        ),
    ]
    wanted = [text for text in best if text not in ("", ">=-1", "<=1")]
    return random.sample(wanted, random.randint(1, len(wanted))) if wanted else []


def is_known(checker: Checker, text: str, known: Iterable[Claim]) -> bool:
    claim = checker.read_claim(text)
    return any(claim.relation == k.relation and follows(claim, k.worth) for k in known)


def body_of(text: str) -> str:
    """A claim without its reason."""
    return re.split("[@?%]", text)[0]


def equilibria_below(
    game: Game[Any, Any], state: Any, scores: bool, known: dict[Any, frozenset[Row]]
) -> frozenset[Row]:
    """What the players can get in any equilibrium, by brute force; `known` remembers states."""
    if state not in known:
        below = successors(game, state)
        if below:
            rows = [equilibria_below(game, child, scores, known) for child in below]
            known[state] = equilibria_above(rows, game.player(state))
        else:
            points = score(game, state) if scores else (0.0,) * game.players
            known[state] = frozenset([tuple(zip(outcome(game, state), points, strict=True))])
    return known[state]
