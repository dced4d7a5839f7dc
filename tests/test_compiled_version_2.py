# SPDX-License-Identifier: MIT
"""The compiled checker agrees with the plain one on certificates of version 2.

Their searches make the same number of successors, so that both refuse the same limit.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import signal
import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest
from certificate_parts import Lines, as_version_2, body_of, digest_of, seal
from certificates import (
    by_search,
    certificate,
    disagreement,
    split,
    spoiled,
    spoiled_version_2,
    successors_needed,
    with_searches,
    write_tree,
)
from soaking import repeated
from test_compiled_checker import THREE, TWO, sealed, searches, why_refused, with_paths

from unbounded.game import Game, RecordGame
from unbounded.game.catalogue import load_game
from unbounded.search.search import Search
from unbounded.solving import compiled_checker
from unbounded.solving.checker import Checker, Verdict, check
from unbounded.solving.checker_format import FORMAT, CertificateError, read_header
from unbounded.solving.verification import CHECKERS, verify

BLOCKS = repeated(4, soak=10)
CERTIFICATES = repeated(25, soak=1000)
"""Of each block; of each, two more are checked that are changed."""
MOST = 300
"""Successors of a search: more take the plain checker long."""


def header_of(game: RecordGame, **changed: Any) -> dict[str, Any]:
    """The first line of a certificate, to which claims must be added."""
    fields = [[f.name, f.type, f.count or 1] for f in game.state.fields]
    told = {"format": FORMAT, "version": 2, "game": str(game), "moves": [], "kind": "bounds"}
    return told | {"scores": False, "states": "bytes", "fields": fields} | changed


def verdict(lines: Lines, game: Game[Any, Any], **limits: Any) -> tuple[Verdict, int]:
    return compiled_checker.check(io.BytesIO(sealed(lines)), lambda _: game, **limits)


# -- random games ----------------------------------------------------------------------------------


def forged(lines: Lines, random: Random) -> Lines:
    """Change a claim or its reason, as little as one well can; it may still be a proof."""
    at = random.randrange(1, len(lines))
    name, uses, *texts = lines[at].decode().split()
    k = random.randrange(len(texts))
    body = body_of(texts[k])
    reason = texts[k].removeprefix(body)
    match random.choice([0, 0, 0, 0, 1, 2, 3, 4]):
        case 0 if reason.startswith("?"):
            reason = f"?{max(1, int(reason[1:]) + random.choice([-1, 1, 1000]))}"
        case 0 if reason.startswith("%"):
            reason = "%" + "5a" * 32
        case 0 | 1:
            reason = random.choice(["", "@0", "@1", f"?{random.randint(1, 30)}", "%" + "5a" * 32])
        case 2:
            texts.append(texts[k])
            body = body.replace(*random.choice([("1", "0"), ("0", "1"), ("0", "-1"), ("-", "")]))
        case 3:
            sign = "<=" if body.startswith(">=") else ">="
            body = sign + body[2:] if body[0] in "<>" else body[::-1]
        case _:
            uses = str(max(0, int(uses) + random.choice([-1, 1])))
    texts[k] = body + reason
    return [*lines[:at], " ".join([name, uses, *texts]).encode() + b"\n", *lines[at + 1 :]]


def certificates(block: int, random: Random) -> Iterator[tuple[Lines, Game[Any, Any]]]:
    """True certificates that leave claims to searches, and to others, which are among them."""
    for search in searches(block):
        lines, game = certificate(search), search.game
        if random.random() < 0.3:
            lines = with_paths(lines, game)
        lines = with_searches(lines, game, random.choice([5, 30, MOST]), random)
        yield lines, game
        if random.random() < 0.5:
            files, leaning = split(lines, game, random)
            yield leaning, game
            for own in random.sample(list(files.values()), min(4, len(files))):
                yield own, game


def is_accepted(lines: Lines, game: Game[Any, Any]) -> bool:
    """Whether both checkers accept a certificate, of which they must say the same."""
    assert disagreement(sealed(lines), game) is None, lines
    return why_refused(sealed(lines), game) is None


@pytest.mark.parametrize("block", range(BLOCKS))
def test_the_checkers_agree_on_random_games(block: int) -> None:
    """Also on what was searched and leaned on; and on two of each that prove nothing, or may."""
    random = Random(1000 + block)
    kinds, found, accepted = set(), set(), 0
    for lines, game in islice(certificates(block, random), CERTIFICATES):
        told = json.loads(lines[0])
        kinds.add((told["kind"], told["scores"], told["states"]))
        found |= {sign for sign in b"@?%" if sign in b"".join(lines[1:])}
        assert is_accepted(lines, game)
        spoil = spoiled_version_2 if told["version"] == 2 else spoiled_version_1
        what, mutant = random.choice(list(spoil(lines, game, random)))
        assert not is_accepted(mutant, game), what
        accepted += is_accepted(forged(lines, random), game)
    assert len(kinds) >= 4
    assert found == set(b"@?%")
    assert accepted > 0


def spoiled_version_1(
    lines: Lines, _: Game[Any, Any], random: Random
) -> Iterator[tuple[str, Lines]]:
    return spoiled(lines, random)


# -- the exact limit -------------------------------------------------------------------------------


def states_of(game: Game[Any, Any], random: Random) -> Iterator[tuple[list[str], Any]]:
    """States on random ways through a game, with the moves that lead there; not the first one."""
    for _ in range(repeated(6, soak=300)):
        state, moves = game.initial(), []
        while game.actions(state):
            action = random.choice(list(game.actions(state)))
            moves.append(game.action_name(state, action))
            state = game.next(state, action)
            if game.actions(state):
                yield list(moves), state


@pytest.mark.parametrize("game", [*TWO, *THREE], ids=str)
def test_both_count_the_same_successors(game: RecordGame) -> None:
    """The number that the plain checker needs is accepted by both, and one less by neither."""
    random, limits = Random(str(game)), set()
    kinds = ["bounds", "equilibrium"] if game.players == 2 else ["equilibrium"]
    for moves, state in states_of(game, random):
        scores = game.has_score or random.random() < 0.5
        given = header_of(game, moves=moves, kind=random.choice(kinds), scores=scores)
        lines = by_search(game, state, given)
        text = random.choice(lines[1].decode().split()[2:])
        checker = Checker(game, read_header(lines[0]))
        needed = successors_needed(checker, state, checker.read_claim(text), 10**9)
        assert needed is not None
        body = body_of(text)
        header = json.dumps(given | {"claims": [body]}).encode() + b"\n"
        for limit in (needed, needed - 1, needed + 1):
            line = f"{state.hex()} 0 {body}?{max(1, limit)}\n".encode()
            refused = why_refused(sealed([header, line]), game)
            assert (refused is not None) == (max(1, limit) < needed)
            assert disagreement(sealed([header, line]), game) is None
        assert verdict([header, line], game)[0].searched == needed
        limits.add(needed)
    assert len(limits) > 5


SHELF = {
    "connect-four(width=4,height=4)": ["2", "3"],
    "connect-four(width=3,height=3,line=3,players=3)": ["2"],
    "dots-and-boxes(rows=1,columns=2)": [],
    "nim(heaps=[3,0,2])": [],
    "othello(size=4)": [],
}


@pytest.mark.parametrize("text", SHELF)
def test_games_of_the_shelf(text: str) -> None:
    """Whole proofs by one search; rules may have an `is_terminal` of their own."""
    game, moves = load_game(text), SHELF[text]
    search = Search(game, moves=moves)
    search.run()
    lines = certificate(search)
    told = as_version_2(json.loads(lines[0]))
    state = bytes.fromhex(lines[-1].split()[0].decode())
    checker = Checker(game, read_header(json.dumps(told).encode()))
    claims = [
        f"{claim}?{successors_needed(checker, state, checker.read_claim(claim), 10**6)}"
        for claim in told["claims"]
    ]
    header = json.dumps(told).encode() + b"\n"
    for exact in (claims, [body_of(x) + f"?{int(x.partition('?')[2]) - 1}" for x in claims]):
        one = [header, f"{state.hex()} 0 {' '.join(exact)}\n".encode()]
        assert (why_refused(sealed(one), game) is None) == (exact is claims)
        assert disagreement(sealed(one), game) is None


# -- how it is written -----------------------------------------------------------------------------

NIM = "nim(heaps=[1,2])"
ROOT = "010000000200000000"
END = "000000000000000001"
DIGEST = "0123456789abcdef" * 4


def small(*lines: str, **changed: Any) -> Lines:
    told = header_of(load_game(NIM), **({"claims": [">=1"]} | changed))
    return [json.dumps(told).encode() + b"\n", *(f"{line}\n".encode() for line in lines)]


ACCEPTED = {
    "by a search": small(f"{ROOT} 0 >=1?99"),
    "by another certificate": small(f"{ROOT} 0 >=1%{DIGEST}"),
    "for all reasons": small(
        f"{END} 1 >=1%{DIGEST} >=0",
        "000000000100000000 1 >=1?1 <=1?1",
        "010000000000000000 1 >=1@0",
        "010000000100000001 1 >=1",
        f"{ROOT} 0 >=1@1 >=0?99 >=-1%{DIGEST}",
    ),
    "an equilibrium": small(f"{ROOT} 0 =1,-1?99", kind="equilibrium", claims=["=1,-1"]),
    "with scores": small(f"{ROOT} 0 >=1:1.0?99", scores=True, claims=[">=1:1"]),
}
REFUSED = {
    "a false claim": small(f"{ROOT} 0 <=0?99", claims=["<=0"]),
    "a false claim, and a true one": small(f"{ROOT} 0 >=1?99 <=0?99"),
    "another equilibrium": small(f"{ROOT} 0 =0,0?99", kind="equilibrium", claims=["=0,0"]),
    "a score too many": small(f"{ROOT} 0 >=1:1.5?99", scores=True, claims=[">=1:1.5"]),
    "too few": small(f"{ROOT} 0 >=1?3"),
    "none": small(f"{ROOT} 0 >=1?0"),
    "ten digits": small(f"{ROOT} 0 >=1?1000000000"),
    "two reasons": small(f"{ROOT} 0 >=1?99@1"),
    "twice, for two reasons": small(f"{ROOT} 0 >=1?99 >=1%{DIGEST}"),
    "other claims than the last line": small(f"{ROOT} 0 >=0?99"),
    "stronger than the first line": small(f"{ROOT} 0 >=1?99", claims=[">=0"]),
    "a state that nothing uses": small(f"{END} 1 >=1", f"{ROOT} 0 >=1?99"),
    "a digest in version 1": small(f"{ROOT} 0 >=1%{DIGEST}", version=1),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_is_proven_is_accepted(name: str) -> None:
    game = load_game(NIM)
    assert why_refused(sealed(ACCEPTED[name]), game) is None
    assert disagreement(sealed(ACCEPTED[name]), game) is None


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_is_refused_in_the_same_words(name: str) -> None:
    game, text = load_game(NIM), sealed(REFUSED[name])
    with pytest.raises(CertificateError) as plain:
        check(text.splitlines(keepends=True), lambda _: game)
    assert why_refused(text, game) == str(plain.value)


def test_nonsense_is_refused() -> None:
    game, random = load_game(NIM), Random(8)
    pieces = [b"?", b"%", b"@", b"?9", b"%" + DIGEST.encode(), b" ", b"1", b"a", b">=", b"-", b"\n"]
    lines = ACCEPTED["for all reasons"]
    for _ in range(repeated(1000, soak=50_000)):
        at = random.randrange(1, len(lines))
        place = random.randrange(len(lines[at]))
        cut = lines[at][place + random.randint(0, 3) :]
        spoilt = [*lines[:at], lines[at][:place] + random.choice(pieces) + cut, *lines[at + 1 :]]
        text = sealed(b"".join(spoilt).splitlines(keepends=True))
        assert disagreement(text, game) is None, spoilt


# -- files -----------------------------------------------------------------------------------------


def test_trees_of_files(tmp_path: Path) -> None:
    """Every way to check a tree gives the same verdict; one that is false is refused by each."""
    random, several = Random(3), 0
    for number, search in enumerate(islice(searches(99), 5)):
        lines = with_searches(certificate(search), search.game, 5, random)
        (folder := tmp_path / str(number)).mkdir()
        path = write_tree(folder, *split(lines, search.game, random))
        found = [verify(path, search.game, checker=name) for name in CHECKERS]
        plain, *others = (replace(one, checker="", by_plain=0) for one in found)
        assert others == [plain] * len(others)
        if plain.files == 1:
            continue
        several += 1
        for own in folder.glob("[0-9a-f]*.cert"):
            own.write_bytes(own.read_bytes().replace(b"\n", b" \n", 2))
        for name in CHECKERS:
            with pytest.raises(CertificateError, match="leans on"):
                verify(path, search.game, checker=name)
    assert several >= 2


# -- limits ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [0, 98, 99, 100, 198, 199, 10**30, None])
def test_the_sum_of_all_limits_is_limited(limit: int | None) -> None:
    game, lines = load_game(NIM), small(f"{ROOT} 0 >=1?99 >=0?100")
    told = []
    for checked in (
        lambda: verdict(lines, game, most_searched=limit)[0],
        lambda: check(seal(lines), lambda _: game, most_searched=limit),
    ):
        try:
            told.append(checked())
        except CertificateError as error:
            told.append(str(error))
    assert told[0] == told[1]
    assert isinstance(told[0], Verdict) == (limit is None or limit >= 199)


def test_a_compressed_file(tmp_path: Path) -> None:
    game, text = load_game(NIM), sealed(ACCEPTED["for all reasons"])
    (tmp_path / "some.cert.gz").write_bytes(gzip.compress(text))
    with gzip.open(tmp_path / "some.cert.gz") as file:
        found, again = compiled_checker.check(file, lambda _: game)
    assert found == check(text.splitlines(keepends=True), lambda _: game)
    assert found.digest == digest_of(ACCEPTED["for all reasons"])
    assert again == found.states == 5


def test_a_search_can_be_interrupted() -> None:
    game = load_game("connect-four")
    told = header_of(game, claims=[">=0"])
    lines = [json.dumps(told).encode() + b"\n", f"{game.initial().hex()} 0 >=0".encode()]
    verdict([*lines[:1], lines[1] + f"%{DIGEST}\n".encode()], game)  # compiles the rules
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        verdict([*lines[:1], lines[1] + b"?999999999\n"], game)
    timer.join()


# -- the plain checker judges ----------------------------------------------------------------------


@pytest.fixture
def false_one(monkeypatch: pytest.MonkeyPatch) -> Lines:
    """A certificate of one search that is true by the compiled rules, those of another game."""
    other = load_game("nim(heaps=[1,2],misere=true)")
    route = compiled_checker._compiled(other)
    monkeypatch.setattr(compiled_checker, "_compiled", lambda _: route)
    return small("010000000100000001 0 <=-1?99", moves=["2:1"], claims=["<=-1"])


def test_searches_are_judged(false_one: Lines, monkeypatch: pytest.MonkeyPatch) -> None:
    game = load_game(NIM)
    why = why_refused(sealed(false_one), game) or ""
    assert "by the plain checker" in why
    assert "a search below this state finds that the claim is false" in why
    monkeypatch.setattr(compiled_checker, "SAMPLE", 0)
    assert why_refused(sealed(false_one), game) is None


@pytest.mark.parametrize(("limits", "judged"), [([10_000], 1), ([10_001], 0), ([5000, 5001], 0)])
def test_long_searches_are_not_judged(limits: list[int], judged: int) -> None:
    game = load_game(NIM)
    claims = " ".join(f">={1 - k}?{limit}" for k, limit in enumerate(limits))
    assert verdict(small(f"{ROOT} 0 {claims}"), game)[1] == judged


def test_the_judge_stops_searching(monkeypatch: pytest.MonkeyPatch) -> None:
    """When its searches add up to so much that they take long; lines are drawn in any order."""
    monkeypatch.setattr(compiled_checker, "SEARCHED_AGAIN", 10)
    game = load_game(NIM)
    lines = small(
        f"{END} 1 >=1",
        "010000000000000000 1 >=1@0",
        "000000000100000000 1 >=1?10",
        "010000000100000001 1 >=1",
        f"{ROOT} 0 >=1@1 >=0?10",
    )
    found = {verdict(lines, game)[1] for _ in range(60)}
    assert found <= {1, 2, 3, 4, 5}
    assert len(found) > 1
