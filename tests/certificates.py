# SPDX-License-Identifier: MIT
"""Certificates of searches, and how to spoil them."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from certificate_parts import (
    Lines,
    as_version_1,
    as_version_2,
    body_of,
    claims_to_cut,
    digest_of,
    equilibria_below,
    is_known,
    names_of,
    places_below,
    put_together,
    seal,
    taken_apart,
    used_by,
)
from solving_checks import Row, equilibria

from unbounded.game import Game, RecordGame
from unbounded.reference.definitions import reachable
from unbounded.search.budget import Budget
from unbounded.search.search import Search
from unbounded.solving import compiled_checker
from unbounded.solving.certificate import claims_of, text_of
from unbounded.solving.checker import Checker, Verdict, check, require_support
from unbounded.solving.checker_format import FORMAT, CertificateError, Claim, read_header
from unbounded.solving.checker_search import Search as Searching

Files = dict[str, Lines]
"""Certificates that others lean on, by their digests."""
MOST = 5000
"""Successors, for searches of which it does not matter how many they need."""


def certificate(search: Search) -> Lines:
    """The certificate of a resolved search; it must prove what the search says it has proven."""
    claims = claims_of(search, Budget())
    assert claims is not None
    lines = b"".join(text_of(search, claims)).splitlines(keepends=True)
    value = read_header(lines[0][:-1]).value
    assert value is not None
    assert tuple(won for won, _ in value) == search.root.outcome
    return lines[:-1]


def verdict(lines: Lines, game: Game[Any, Any], *, most_searched: int | None = None) -> Verdict:
    """Seal a certificate and check it, by the game that it names."""

    def find(text: str) -> Game[Any, Any]:
        if text != str(game):
            raise CertificateError(f"about another game: {text}")
        return game

    return check(seal(lines), find, most_searched=most_searched)


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
    header = {"format": FORMAT, "version": 1, "game": str(game), "moves": []}
    header |= {"kind": "equilibrium", "scores": False, "states": "bytes", "fields": fields}
    lines = [json.dumps(header | {"value": ",".join(map(str, value))})]
    for state in order:
        claims = [
            " =" + ",".join(str(x) for x, _ in row) + place for row, place in wanted[state].items()
        ]
        if claims:
            lines.append(f"{state.hex()} {uses[state]}{''.join(claims)}")
    return [line.encode() + b"\n" for line in lines]


# -- version 2 -------------------------------------------------------------------------------------


def with_searches(lines: Lines, game: Game[Any, Any], most: int, random: Random) -> Lines:
    """Leave some claims to a search of the checker, if it makes at most so many successors."""
    checker, claims = taken_apart(lines, game)
    share = random.random()
    for state, texts in claims.items():
        for k, text in enumerate(texts):
            if "?" in text or "%" in text or random.random() > share:
                continue
            made = successors_needed(checker, state, checker.read_claim(text), most)
            if made is not None:
                texts[k] = f"{text.partition('@')[0]}?{made}"
    return put_together(as_version_2(json.loads(lines[0])), game, claims)


def successors_needed(checker: Checker, state: Any, claim: Claim, most: int) -> int | None:
    """How many successors a search for a true claim makes; None: more, or the game is over."""
    header = checker.header
    of_mover = header.kind == "equilibrium"
    claim = replace(claim, search=most)
    search = Searching(checker.game, header.scores, claim, of_mover=of_mover)
    try:
        if not checker.game.actions(state):
            return None
        assert search.proves_claim(state)
    except CertificateError:
        return None
    return search.made


def split(lines: Lines, game: Game[Any, Any], random: Random, most: int = 5) -> tuple[Files, Lines]:
    """Cut some states out, into certificates of their own that the others lean on."""
    checker, claims = taken_apart(lines, game)
    told = as_version_2(json.loads(lines[0]))
    places = places_below(game, checker.root)
    share, files = random.random(), {}
    for state in claims:
        if state == checker.root or len(files) == most or random.random() > share:
            continue
        wanted = claims_to_cut(checker, claims[state], random)
        if not wanted:
            continue
        moves = told["moves"] + names_of(game, checker.root, places[state])
        header = told | {"moves": moves, "claims": wanted}
        if random.random() < 0.3:
            header["states"] = "paths"
        own = put_together(header, game, claims)
        if random.random() < 0.5:
            own = as_version_1(own)
        files[digest_of(own)] = own
        known = read_header(own[0]).claims
        claims[state] = [
            f"{body_of(text)}%{digest_of(own)}" if is_known(checker, text, known) else text
            for text in claims[state]
        ]
    return files, put_together(told, game, claims)


def write_tree(folder: Path, files: Files, lines: Lines) -> Path:
    """Write certificates as files, one beside the other; return where the last one is."""
    for digest, own in files.items():
        (folder / f"{digest}.cert").write_bytes(b"".join(seal(own)))
    (folder / "main.cert").write_bytes(b"".join(seal(lines)))
    return folder / "main.cert"


def tree_verdicts(files: Files, lines: Lines, game: Game[Any, Any]) -> list[Verdict]:
    """Check a certificate and all that it leans on, each once."""
    accepted = {digest_of(lines): verdict(lines, game)}
    left = list(accepted.values())
    while left:
        above = left.pop()
        for lean in above.leans_on:
            if lean.digest not in files:
                raise CertificateError(f"{lean.digest} is missing")
            if lean.digest not in accepted:
                found = accepted[lean.digest] = verdict(files[lean.digest], game)
                left.append(found)
            below = accepted[lean.digest]
            if below.digest != lean.digest:
                raise CertificateError(f"{lean.digest} has another digest")
            require_support(lean, above.header, below.header, below.root)
    return list(accepted.values())


def why_tree_refused(files: Files, lines: Lines, game: Game[Any, Any]) -> str | None:
    """Why a certificate and those that it leans on are refused; None: they are not."""
    try:
        tree_verdicts(files, lines, game)
    except CertificateError as error:
        return str(error)
    return None


# -- spoiling --------------------------------------------------------------------------------------


def spoiled(lines: Lines, random: Random) -> Iterator[tuple[str, Lines]]:
    """Yield copies of a certificate that prove nothing, each with what was done to it."""
    yield "other value", [with_other_value(lines[0], random), *lines[1:]]
    yield from spoiled_lines(lines, random)


def spoiled_lines(lines: Lines, random: Random) -> Iterator[tuple[str, Lines]]:
    """Yield copies in which the lines are not those that the proof needs."""
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
    old = told["version"] == 1
    worths = (told["value"] if old else told["claims"][0].removeprefix("=")).split(",")
    first, *score = worths[0].split(":")
    other = random.choice([x for x in ("-1", "0", "1") if x != first])
    if told["kind"] == "bounds":
        worths = [other, str(-int(other))]
        if score:
            worths = [f"{worths[0]}:{score[0]}", f"{worths[1]}:{-float(score[0]):g}"]
    else:
        worths[0] = ":".join([other, *score])
    text = ",".join(worths)
    told |= {"value": text} if old else {"claims": [f"={text}"]}
    return json.dumps(told).encode() + b"\n"


def with_other_uses(line: bytes, random: Random) -> bytes:
    state, uses, *claims = line.split(b" ")
    changed = random.choice([x for x in (0, 1, 2, 3, 9) if x != int(uses)])
    return b" ".join([state, str(changed).encode(), *claims])


# -- spoiling version 2 ----------------------------------------------------------------------------


def spoiled_version_2(
    lines: Lines, game: Game[Any, Any], random: Random
) -> Iterator[tuple[str, Lines]]:
    """Yield copies of a certificate of version 2 that prove nothing, whatever they lean on."""
    yield from spoiled_lines(lines, random)
    for what, header in spoiled_headers(lines, random):
        yield f"first line: {what}", [json.dumps(header).encode() + b"\n", *lines[1:]]
    checker = Checker(game, read_header(lines[0]))
    numbers = list(range(1, len(lines)))
    random.shuffle(numbers)
    told: set[str] = set()
    for number in numbers:
        name, uses, *texts = lines[number].decode().split()
        k = random.randrange(len(texts))
        state = checker.read_state(name)
        for what, text in spoiled_claims(checker, state, texts, k):
            if what not in told:
                told.add(what)
                line = " ".join([name, uses, *texts[:k], text, *texts[k + 1 :]]).encode()
                yield what, [*lines[:number], line + b"\n", *lines[number + 1 :]]


def spoiled_headers(lines: Lines, random: Random) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield first lines of version 2 that do not fit a certificate."""
    told = json.loads(lines[0])
    claims, last = told["claims"], lines[-1].decode().split()[2:]
    standing = {body_of(text) for text in last}
    yield "claims doubled", told | {"claims": claims * 2}
    yield "no claims", told | {"claims": []}
    yield "a number as a claim", told | {"claims": [*claims, 1]}
    yield "a reason", told | {"claims": [claims[0] + random.choice(["@0", "?1", "%" + "0" * 64])]}
    yield "version 4", told | {"version": 4}
    yield "both keys", told | {"value": "0,0"}
    yield "version 1", told | {"version": 1}
    if told["kind"] == "bounds":
        for relation in ("<=", ">="):
            if not told["scores"]:
                always = {">=": ">=-1", "<=": "<=1"}[relation]
                others = [text for text in claims if not text.startswith(relation)]
                yield "always true", told | {"claims": [*others, always]}
        suffix = ":0" if told["scores"] else ""
        yield "contradictory", told | {"claims": [f">=1{suffix}", f"<=0{suffix}"]}
        yield "another kind", told | {"claims": ["=0,0"]}
    others = [x for x in other_claims(claims[0]) if x not in standing]
    if others:
        yield "other claim", told | {"claims": [random.choice(others), *claims[1:]]}
    if any("?" in text or "%" in text for line in lines[1:] for text in line.decode().split()):
        value = claims[0].strip("<>=")
        first, *score = value.split(":")
        if told["kind"] == "bounds":
            value += f",{-int(first)}" + (f":{-float(score[0]):g}" if score else "")
        old = {key: told[key] for key in told if key != "claims"}
        yield "reasons of version 2 in version 1", old | {"version": 1, "value": value}


def other_claims(text: str) -> list[str]:
    """Claims like this one, with another outcome of the first player."""
    relation = text[: len(text) - len(text.lstrip("<>="))]
    first, *rest = re.split("([:,])", text[len(relation) :])
    return [relation + x + "".join(rest) for x in ("-1", "0", "1") if x != first]


def spoiled_claims(
    checker: Checker, state: Any, texts: list[str], k: int
) -> Iterator[tuple[str, str]]:
    """Yield other texts in place of one of the claims about a state, so that a line is wrong."""
    text, body = texts[k], body_of(texts[k])
    game, header = checker.game, checker.header
    yield "two reasons", f"{body}@0?9"
    yield "no number", f"{body}?"
    yield "a long number", f"{body}?1234567890"
    yield "a zero in front", f"{body}?09"
    yield "capitals", f"{body}%{'A' * 64}"
    yield "63 digits", f"{body}%{'a' * 63}"
    if not game.actions(state):
        yield "a search at the end", f"{body}?9"
        yield "a witness at the end", f"{body}@0"
    if "?" in text:
        needed = int(text.partition("?")[2])
        yield "one successor too few", f"{body}?{needed - 1}"
        rows = equilibria_below(game, state, header.scores, {})
        for other in other_claims(body):
            claim = checker.read_claim(other)
            if not any(holds(claim, row) for row in rows):
                yield "a false claim for a search", f"{other}?{MOST}"
    else:
        rest = [checker.read_claim(x) for i, x in enumerate(texts) if i != k]
        if used_by(checker, state, [checker.read_claim(text)]) - used_by(checker, state, rest):
            yield "a search where others are used", f"{body}?{MOST}"


def holds(claim: Claim, row: Row) -> bool:
    """Whether a claim is true where the players get these worths."""
    if claim.relation == "=":
        return claim.worth == row
    low, first = claim.worth[0], row[0]
    return first >= low if claim.relation == ">=" else first <= low


def spoiled_trees(
    files: Files, lines: Lines, game: Game[Any, Any], random: Random
) -> Iterator[tuple[str, Files, Lines]]:
    """Yield trees of certificates in which one does not prove what another leans on."""
    leaning = [n for n in range(1, len(lines)) if b"%" in lines[n]]
    if not leaning:
        return
    at = random.choice(leaning)
    name, uses, *texts = lines[at].decode().split()
    k = next(i for i, text in enumerate(texts) if "%" in text)
    body, digest = texts[k].split("%")

    def changed(text: str, more: Files | None = None) -> tuple[Files, Lines]:
        line = " ".join([name, uses, *texts[:k], text, *texts[k + 1 :]]).encode() + b"\n"
        return files | (more or {}), [*lines[:at], line, *lines[at + 1 :]]

    def replaced(own: Lines) -> tuple[Files, Lines]:
        return changed(f"{body}%{digest_of(own)}", {digest_of(own): own})

    yield "missing", {key: own for key, own in files.items() if key != digest}, lines
    yield "unknown digest", *changed(f"{body}%{random.getrandbits(256):064x}")
    others = [key for key in files if key != digest]
    if others:
        yield "another certificate", *changed(f"{body}%{random.choice(others)}")
        yield "another under its name", files | {digest: files[random.choice(others)]}, lines
    checker = Checker(game, read_header(lines[0]))
    known = read_header(files[digest][0]).claims
    for other in other_claims(body):
        if not is_known(checker, other, known):
            yield "it claims less", *changed(f"{other}%{digest}")
    for what, mutant in spoiled_lines(files[digest], random):
        yield f"it is wrong: {what}", *replaced(mutant)
    told = as_version_2(json.loads(files[digest][0]))
    yield (
        "it is about another position",
        *replaced(
            [json.dumps(told | {"moves": told["moves"][:-1]}).encode() + b"\n", *files[digest][1:]]
        ),
    )
    for what, own in other_certificates(checker, checker.read_state(name), told):
        yield what, *replaced(own)


def other_certificates(
    checker: Checker, state: Any, told: dict[str, Any]
) -> Iterator[tuple[str, Lines]]:
    """Yield certificates of a state that are true, but of another kind, or with other scores."""
    game, kind, scores = checker.game, told["kind"], told["scores"]
    other = "bounds" if kind == "equilibrium" else "equilibrium"
    yield "scores or none", by_search(game, state, told | {"scores": not scores})
    if game.players == 2 and game.zero_sum:
        yield "another kind", by_search(game, state, told | {"kind": other})


def by_search(game: Game[Any, Any], state: Any, told: dict[str, Any]) -> Lines:
    """A certificate of one line, which leaves everything to a search."""
    row = min(equilibria_below(game, state, told["scores"], {}))
    worths = [f"{won}:{points:.9g}" if told["scores"] else f"{won}" for won, points in row]
    claims = [f"={','.join(worths)}"]
    if told["kind"] == "bounds":
        claims = [x for x in (f">={worths[0]}", f"<={worths[0]}") if x not in (">=-1", "<=1")]
    reason = f"?{MOST}" if game.actions(state) else ""
    name = state.hex() if told["states"] == "bytes" else "."
    line = f"{name} 0 {' '.join(claim + reason for claim in claims)}\n"
    return [json.dumps(told | {"claims": claims}).encode() + b"\n", line.encode()]
