# SPDX-License-Identifier: MIT
"""Certificates that leave claims to the checker, and those of bounds alone."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from certificates import Lines, verdict, why_refused
from hashed_games import DISTINCT, NO_SCORE, POINTS, Hashed
from test_cli import Here, here  # noqa: F401

import unbounded as ub
from unbounded.conformance.random_games import random_graph
from unbounded.game import UsageError
from unbounded.search.budget import Budget
from unbounded.search.search import Search
from unbounded.solving.certificate import Written, certify, claims_of, text_of
from unbounded.solving.checker import Checker
from unbounded.solving.checker_format import CertificateError, read_header
from unbounded.solving.checker_search import Search as Searching

LEFT = (1, 10, 100, 1000)
TWO: list[dict[str, Any]] = [
    {},
    {"bounds": True},
    {"bounds": True, "exact_score": True},
    {"values": "resolved_completion", "bounds": True},
]
MANY: list[dict[str, Any]] = [
    {"values": "resolved_completion"},
    {"values": "propagated_completion", "bounds": True},
]


@cache
def hashed(players: int, scores: int) -> Hashed:
    return Hashed(players=players, scores=scores)


def searches(number: int) -> Iterator[Search]:
    """Resolved searches of random games: two players and more, plain and compiled."""
    random = Random(number)
    graph = random_graph(number, zero_sum=True, players=(2, 2), states=(4, 40))
    yield Search(graph, **TWO[number % 4])
    graph = random_graph(number, zero_sum=False, players=(2, 4), states=(4, 40))
    yield Search(graph, **MANY[number % 2])
    probes = {"probes": True, "canonical": number % 4 > 1}
    for players, scores, ways in (
        (2, (NO_SCORE, POINTS), TWO[1:3]),
        (3, (NO_SCORE, POINTS, DISTINCT), MANY[1:]),
    ):
        game = hashed(players, random.choice(scores))
        options = random.choice(ways)
        yield Search(game, moves=[str(random.randrange(game.games))], **options, **probes)


def certificate(search: Search, most: int, *, partial: bool = False) -> Lines:
    """A certificate of version 2 without its last line."""
    claims = claims_of(search, Budget(), checker_search=most, partial=partial)
    assert claims is not None
    return b"".join(text_of(search, claims, version=2)).splitlines(keepends=True)[:-1]


def counts(lines: Lines) -> list[int]:
    return [int(count) for line in lines[1:] for count in re.findall(rb"\?(\d+)", line)]


@pytest.mark.parametrize("number", range(24))
def test_random_games(number: int) -> None:
    """The checker needs exactly as many successors as is written, and no more than was allowed."""
    for search in searches(number):
        search.run()
        sizes = []
        for most in (0, *LEFT):
            lines = certificate(search, most)
            accepted = verdict(lines, search.game)
            assert accepted.searched == sum(counts(lines))
            assert all(0 < count <= most for count in counts(lines))
            assert accepted.header.value is not None
            assert tuple(won for won, _ in accepted.header.value) == search.root.outcome
            assert nothing_more_can_be_left(lines, search, most)
            sizes.append(accepted.states)
        assert sizes[-1] <= sizes[0]


def nothing_more_can_be_left(lines: Lines, search: Search, most: int) -> bool:
    """Whether the checker would need more successors for every claim that is proven otherwise."""
    game, header = search.game, read_header(lines[0])
    checker = Checker(game, header)
    for line in lines[1:]:
        name, _, *claims = line.decode().split()
        state = checker.read_state(name)
        for text in claims:
            if "?" in text or not game.actions(state):
                continue
            claim = read_header(as_claim(lines[0], text.partition("@")[0], most)).claims[0]
            searching = Searching(game, header.scores, claim)
            searching.most = most
            try:
                searching.proves_claim(state)
            except CertificateError:
                continue
            return False
    return True


def as_claim(header: bytes, text: str, most: int) -> bytes:
    """A first line that makes a claim about its root, to read the claim."""
    return json.dumps(json.loads(header) | {"claims": [text]}).encode() + b"\n"


@pytest.mark.parametrize("number", range(8))
def test_one_less_is_refused(number: int) -> None:
    refused = 0
    for search in searches(number):
        search.run()
        lines = certificate(search, 100)
        for at, line in enumerate(lines):
            for found in re.finditer(rb"\?(\d+)", line):
                fewer = int(found[1]) - 1
                if at == 0 or fewer == 0:
                    continue
                spoilt = line[: found.start(1)] + str(fewer).encode() + line[found.end(1) :]
                spoilt_lines = [*lines[:at], spoilt, *lines[at + 1 :]]
                assert why_refused(spoilt_lines, search.game)
                refused += 1
    assert refused > 0


def test_everything_is_left_to_the_checker() -> None:
    for game in ("tic-tac-toe", "nim(heaps=[1,2,3],players=3)"):
        search = Search(game, bounds=True, probes=True)
        search.run()
        lines = certificate(search, 10**6)
        assert len(lines) == 2
        assert verdict(lines, search.game).states == 1


@pytest.mark.parametrize("players", [2, 3])
def test_the_checker_does_not_search_very_deep(players: int) -> None:
    """Below the root there are 1,000 states in a row, and the checker goes down 400 of them."""
    search = Search(f"nim(heaps=[1000],most=1,players={players})", bounds=True, probes=True)
    search.run()
    lines = certificate(search, 10_000)
    assert counts(lines) == [400]
    assert len(lines) == 1 + 601
    verdict(lines, search.game)


def test_the_certifier_does_not_ask_the_checker() -> None:
    """It has a search of its own: an error in one of the two then shows."""
    proofs = Path(__file__).parent.parent / "core" / "proofs"
    files = sorted(proofs.iterdir())
    assert proofs / "checker_search.cpp" in files
    assert not any('#include "checking/' in file.read_text("utf-8") for file in files)


def test_nothing_is_left_of_a_game_that_is_over() -> None:
    for options in ({}, {"bounds": True}, {"completion": False}):
        search = Search("tic-tac-toe", moves="a1 a2 b1 b2 c1", **options)
        lines = certificate(search, 1000)
        assert counts(lines) == []
        assert verdict(lines, search.game).states == 1


# -- bounds alone ----------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(30))
def test_certificates_of_bounds(number: int) -> None:
    """Windows leave bounds that do not meet, and these are certified, with the checker's help."""
    random = Random(number)
    exact = number % 2 == 0
    game = hashed(2, POINTS if exact else NO_SCORE)
    move = [str(random.randrange(game.games))]
    options = {"bounds": True, "probes": number % 3 > 0, "exact_score": exact}
    ends = [(-1, -2.0), (-1, 0.0), (0, 0.0), (1, 0.0), (1, 2.0)] if exact else [(-1, 0), (0, 0)]
    for low in ends:
        search = Search(game, moves=move, **options)
        search.run(window=(low, (1, 3.0)))
        proven = search.root.worth_bounds
        assert proven is not None
        for most in (0, 20):
            lines = certificate(search, most, partial=True)
            header = verdict(lines, game).header
            claimed = {claim.relation: claim.worth[0] for claim in header.claims}
            assert (header.value is None) == (not search.root.resolved)
            for relation, end, trivial in ((">=", proven[0], -1), ("<=", proven[1], 1)):
                found = claimed.get(relation)
                assert found is not None or end[0] == trivial
                if found is not None:  # the table of the probes may know more
                    least = end if exact else (end[0], 0.0)
                    assert found >= least if relation == ">=" else found <= least


def test_bounds_of_a_game_on_objects() -> None:
    certified = 0
    for number in range(20):
        game = random_graph(number, zero_sum=True, players=(2, 2), states=(10, 40))
        search = Search(game, bounds=True)
        if search.run(window=((-1, 0), (0, 0))).stopped != "window":
            continue
        assert verdict(certificate(search, 0, partial=True), game).header.value is None
        certified += 1
    assert certified > 3


def test_what_the_game_declares_is_not_claimed(tmp_path: Path) -> None:
    """A box is taken, so the first player cannot get all: that is known without any search."""
    moves = "a1-b1 a1-a2 a2-b2 b1-b2"
    game = "dots-and-boxes(rows=3,columns=3)"
    search = Search(game, moves=moves, bounds=True, probes=True, exact_score=True)
    search.run(states=10)
    assert search.root.worth_bounds == ((-1, -9.0), (1, 7.0))
    with pytest.raises(UsageError, match="is not proven yet: there is nothing to certify"):
        certify(search, tmp_path / "x.cert", partial=True)
    three = Search("nim(players=3)")
    with pytest.raises(UsageError, match="is not proven yet"):
        certify(three, tmp_path / "x.cert", partial=True)
    assert list(tmp_path.iterdir()) == []


def test_bounds_are_certified_on_request_only(tmp_path: Path) -> None:
    search = Search("connect-four(width=4,height=4)", bounds=True, probes=True)
    search.run(window=((-1, 0), (0, 0)))
    with pytest.raises(UsageError, match="is not proven yet"):
        certify(search, tmp_path / "x.cert")
    assert certify(search, tmp_path / "x.cert", partial=True) is not None


# -- files -----------------------------------------------------------------------------------------


def test_compressed_files(tmp_path: Path) -> None:
    def written(name: str, most: int) -> Written:
        # A new search each time: what is proven for one certificate is known to the next one.
        search = Search("connect-four(width=4,height=4)", bounds=True, probes=True)
        search.run()
        found = certify(search, tmp_path / name, checker_search=most)
        assert found is not None
        return found

    for most in (0, 10):
        plain, packed = written("x.cert", most), written("x.cert.gz", most)
        assert written("y.cert.gz", most).digest == packed.digest
        text = (tmp_path / "x.cert").read_bytes()
        data = (tmp_path / "x.cert.gz").read_bytes()
        assert gzip.decompress(data) == text
        assert (tmp_path / "y.cert.gz").read_bytes() == data
        assert (plain.bytes, packed.bytes) == (len(text), len(data))
        assert packed.bytes < plain.bytes / 3
        body, end = text[: text.rindex(b"end ")], text[text.rindex(b"end ") :]
        digest = hashlib.sha256(body).hexdigest()
        assert plain.digest == packed.digest == digest
        assert end.split()[2].decode() == digest
        assert json.loads(text.split(b"\n")[0])["version"] == (2 if most else 1)


@pytest.mark.parametrize("most", [-1, 10**9, 1.5, "10"])
def test_numbers_that_cannot_be_searched(most: Any, tmp_path: Path) -> None:
    search = Search("nim")
    search.run()
    with pytest.raises(UsageError, match="checker_search must be a whole number from 0"):
        certify(search, tmp_path / "x.cert", checker_search=most)


def test_the_flag_of_solve(here: Here, tmp_path: Path) -> None:  # noqa: F811
    path = tmp_path / "x.cert"
    asked = ("--certificate", str(path), "--checker-search", "1000", "--json")
    assert here("solve", "tic-tac-toe", *asked) == 0
    told = json.loads(here.out)["certificate"]
    assert told["digest"] == path.read_bytes().split()[-1].decode()
    assert ub.verify(path).states == told["states"] < 100
    assert here("solve", "tic-tac-toe", "--checker-search", "5") == 2
    assert "--checker-search needs --certificate FILE" in here.err
