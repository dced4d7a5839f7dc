# SPDX-License-Identifier: MIT
"""Claims that the checker searches for, claims of other certificates, and bounds alone."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from certificate_parts import (
    Lines,
    as_version_2,
    digest_of,
    equilibria_below,
    places_below,
    put_together,
    taken_apart,
)
from certificates import (
    Files,
    by_search,
    certificate,
    holds,
    split,
    spoiled_trees,
    spoiled_version_2,
    tree_verdicts,
    verdict,
    why_refused,
    why_tree_refused,
    with_searches,
)
from hashed_games import NO_SCORE, POINTS, Hashed
from soaking import repeated
from test_certificates import searches

import unbounded as ub
from unbounded.conformance.random_games import random_graph
from unbounded.game import Game
from unbounded.solving.checker import Lean, require_support
from unbounded.solving.checker_format import CertificateError, Claim, Header, read_header
from unbounded.solving.checker_search import DEEPEST, Search

BLOCKS = 20
PER_BLOCK = repeated(6, soak=500)
MOST = 200


# -- random games ----------------------------------------------------------------------------------


def tree_of(search: ub.Search, random: Random) -> tuple[Files, Lines]:
    """A certificate of version 2 of a search, alone or with others that it leans on."""
    game, lines = search.game, certificate(search)
    if random.random() < 0.3:
        told = json.loads(lines[0]) | {"states": "paths"}
        lines = put_together(told, game, taken_apart(lines, game)[1])
    lines = with_searches(lines, game, random.choice([0, 20, MOST]), random)
    return split(lines, game, random) if random.random() < 0.5 else ({}, lines)


@pytest.mark.parametrize("block", range(BLOCKS))
def test_true_certificates_are_accepted_and_false_ones_refused(block: int) -> None:
    random = Random(f"version 2, {block}")
    accepted = refused = 0
    for search in itertools.islice(searches(block), PER_BLOCK):
        game = search.game
        files, lines = tree_of(search, random)
        assert len(tree_verdicts(files, lines, game)) == 1 + len(files)
        accepted += 1
        bad = [(what, files, mutant) for what, mutant in spoiled_version_2(lines, game, random)]
        trees = list(spoiled_trees(files, lines, game, random))
        for spoilt in (bad, trees or bad):
            what, more, mutant = random.choice(spoilt)
            assert why_tree_refused(more, mutant, game), (what, lines, mutant)
            refused += 1
    assert (accepted, refused) == (PER_BLOCK, 2 * PER_BLOCK)


# -- the search ------------------------------------------------------------------------------------


def proves(game: Game[Any, Any], state: Any, claim: Claim, *, scores: bool = False) -> bool:
    """Whether a search without a limit proves a claim."""
    return Search(game, scores, replace(claim, search=10**9)).proves_claim(state)


def random_positions() -> list[tuple[Game[Any, Any], Any, bool]]:
    """Small games of two to four players, each with a root, and whether scores matter."""
    random, found = Random(14), []
    for seed in range(repeated(40, soak=1000)):
        graph = random_graph(seed, zero_sum=seed % 2 == 0, players=(2, 4), states=(2, 12))
        found.append((graph, graph.initial(), seed % 4 < 2))
        game = Hashed(players=2 + seed % 2, scores=POINTS if seed % 4 < 2 else NO_SCORE)
        root = game.next(game.initial(), random.randrange(game.games))
        state = random.choice(list(places_below(game, root)))
        found.append((game, state, game.has_score))
    return [(game, root, scores) for game, root, scores in found if list(game.actions(root))]


def test_a_search_finds_exactly_what_is_true() -> None:
    """Compared with brute force: every bound, and every row of worths that ends a game."""
    kinds = set()
    for game, root, scores in random_positions():
        rows = equilibria_below(game, root, scores, {})
        ends = [state for state in places_below(game, root) if not game.actions(state)]
        worths = {row for end in ends for row in equilibria_below(game, end, scores, {})}
        for worth in worths:
            claims = [Claim("=", worth)]
            if game.players == 2 and game.zero_sum:
                claims += [Claim(">=", worth[:1]), Claim("<=", worth[:1])]
            for claim in claims:
                true = any(holds(claim, row) for row in rows)
                assert proves(game, root, claim, scores=scores) == true, (game, root, claim)
                kinds.add((claim.relation, game.players > 2, scores, true))
    assert len(kinds) >= 14


class Tree(Game[str, str]):
    """A tree in brackets: `a` and `b` move where it says so, and `+` wins for the first player."""

    zero_sum = True

    def __init__(self, text: str) -> None:
        self.text = text

    def initial(self) -> str:
        return self.text

    def player(self, state: str) -> int:
        return 0 if state.startswith("a") else 1

    def actions(self, state: str) -> list[str]:
        found, depth, start = [], 0, 0
        for at, letter in enumerate(state):
            depth += {"(": 1, ")": -1}.get(letter, 0)
            if letter == "(" and depth == 1:
                start = at + 1
            elif (letter == "," and depth == 1) or (letter == ")" and depth == 0):
                found.append(state[start:at])
                start = at + 1
        return found

    def next(self, state: str, action: str) -> str:
        return action

    def outcome(self, state: str) -> list[int]:
        won = {"+": 1, "0": 0, "-": -1}[state]
        return [won, -won]


@pytest.mark.parametrize(
    ("tree", "claim", "made"),
    [
        ("a(+)", ">=1", 1),
        ("a(-,-,+,-)", ">=1", 4),  # all successors of a state are made
        ("a(b(+,+),+)", ">=1", 2),  # ends are looked at first
        ("a(b(-,+),b(+,+),b(+))", ">=1", 3 + 2 + 2),  # then the others, up to one that decides
        ("b(a(-),a(+),-)", "<=-1", 3),
        ("b(a(+),a(-,-),a(-))", "<=-1", 3 + 1 + 2),
        ("b(a(+),a(+,-))", ">=1", 2 + 1 + 2),
        ("b(+,+)", ">=1", 2),  # two actions to one state
        ("b(a(+),a(+))", ">=1", 2 + 1 + 1),  # which is searched twice
        ("a(b(a(+)),0)", ">=0", 2),
        ("a(b(+),-)", "=1,-1", 2 + 1),
        ("a(+,b(-))", "=1,-1", 2 + 1),  # an equilibrium needs the whole tree
        ("a(b(a(0,-),+),b(0,0))", "=0,0", 2 + 2 + 2 + 2),
    ],
)
def test_successors_are_counted(tree: str, claim: str, made: int) -> None:
    game = Tree(tree)
    for most, accepted in ((made, True), (made - 1, False), (made + 1, True)):
        lines = [head(game, [claim]), f". 0 {claim}?{most}\n".encode()]
        why = why_refused(lines, game)
        assert (why is None) == accepted, why
        assert most > 0 or "not a claim" in str(why)
        if accepted:
            found = verdict(lines, game)
            assert (found.searched, found.states, found.most_held) == (made, 1, 0)
        elif most > 0:
            assert f"needs more than {most} successors" in str(why)


@pytest.mark.parametrize(
    ("tree", "claim"),
    [
        ("a(-,b(+,-))", ">=1"),
        ("a(-,b(+,-))", ">=0"),
        ("b(+,a(0,-))", "<=-1"),
        ("a(b(0,+),-)", "=1,-1"),
        ("a(b(0,+),-)", "=-1,1"),
    ],
)
def test_a_search_that_finds_the_claim_false(tree: str, claim: str) -> None:
    game = Tree(tree)
    why = why_refused([head(game, [claim]), f". 0 {claim}?99\n".encode()], game)
    assert "a search below this state finds that the claim is false" in str(why)


@pytest.mark.parametrize("claim", [">=1", "=1,-1"])
def test_deep_searches_are_refused(claim: str) -> None:
    """The last state of a search may be 400 moves below its first, and no more."""
    for moves, accepted in ((DEEPEST, True), (DEEPEST + 1, False)):
        game = Tree("b(" * moves + "+" + ")" * moves)
        why = why_refused([head(game, [claim]), f". 0 {claim}?999999999\n".encode()], game)
        assert why is None if accepted else "deeper than 400 states" in str(why)


def solved(game: str, **options: Any) -> ub.Search:
    search = ub.Search(game, **({"bounds": True} | options))
    assert search.run().resolved
    return search


def test_the_sum_of_all_searches_can_be_limited() -> None:
    search = solved("tic-tac-toe", moves="a1 b1")
    lines = with_searches(certificate(search), search.game, 30, Random(2))
    reasons = (text.partition(b"?")[2] for line in lines[1:] for text in line.split()[2:])
    asked = sum(int(number or 0) for number in reasons)
    assert verdict(lines, search.game).searched == asked > 40
    assert verdict(lines, search.game, most_searched=asked).searched == asked
    with pytest.raises(CertificateError, match=f"searches of more than {asked - 1} successors"):
        verdict(lines, search.game, most_searched=asked - 1)


# -- the first line --------------------------------------------------------------------------------


def head(game: Game[Any, Any], claims: list[Any], /, **changes: Any) -> bytes:
    told = {
        "format": "unbounded certificate",
        "version": 2,
        "game": str(game),
        "moves": [],
        "kind": "equilibrium" if str(claims[:1])[2:3] == "=" else "bounds",
        "scores": False,
        "states": "paths",
        "claims": claims,
    }
    return json.dumps(told | changes).encode() + b"\n"


DRAW = Tree("a(-,b(+,0))")


@pytest.mark.parametrize(
    ("claims", "proven", "value"),
    [
        ([">=0"], ">=0?9", None),
        (["<=0"], "<=0?9", None),
        ([">=0", "<=0"], ">=0?9 <=0?9", 0),
        (["<=0", ">=0"], ">=0?9 <=0?9", 0),
        ([">=0"], ">=0?9 <=0?9 <=1?9 >=-1?9", None),  # a line may say more
        (["=0,0"], "=0,0?9", 0),
    ],
)
def test_first_lines(claims: list[str], proven: str, value: int | None) -> None:
    found = verdict([head(DRAW, claims), f". 0 {proven}\n".encode()], DRAW)
    header = found.header
    assert header.version == 2
    assert header.value == (None if value is None else ((value, 0.0), (-value, 0.0)))
    assert [claim.relation for claim in header.claims] == [claim.rstrip("0,") for claim in claims]
    assert all(claim.worth[0] == (0, 0.0) for claim in header.claims)
    assert found.root == DRAW.initial()
    assert found.leans_on == ()


@pytest.mark.parametrize(("claim", "won"), [(">=1", 1), ("<=-1", -1)])
def test_one_bound_may_be_a_value(claim: str, won: int) -> None:
    game = Tree("a(+,+)" if won == 1 else "a(-,-)")
    header = verdict([head(game, [claim]), f". 0 {claim}?9\n".encode()], game).header
    assert header.value == ((won, 0.0), (-won, 0.0))


def test_what_a_value_of_version_1_stands_for() -> None:
    for game, moves, claims in (
        ("tic-tac-toe", "", [(">=", 0), ("<=", 0)]),
        ("tic-tac-toe", "a1 b1", [(">=", 1)]),
        ("nim(heaps=[1,1])", "", [("<=", -1)]),
    ):
        header = read_header(certificate(solved(game, moves=moves))[0])
        assert header.version == 1
        assert [(claim.relation, claim.worth[0][0]) for claim in header.claims] == claims
    many = read_header(certificate(solved("nim(heaps=[1,2],players=3)"))[0])
    assert [(claim.relation, claim.worth) for claim in many.claims] == [("=", many.value)]


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        ([], "one equilibrium or two bounds"),
        ([">=0", ">=0"], "one equilibrium or two bounds"),
        ([">=0", ">=-1"], "one equilibrium or two bounds"),
        ([">=0", "<=0", "<=1"], "one equilibrium or two bounds"),
        (["=0,0", "=0,0"], "one equilibrium or two bounds"),
        ([">=0", 0], "one equilibrium or two bounds"),
        ([">=0", "=0,0"], "'=0,0' is not a claim"),
        (["=0,0", ">=0"], "'>=0' is not a claim"),
        ([">=1", "<=0"], "contradict each other"),
        ([">=0", "<=-1"], "contradict each other"),
        ([">=-1"], "always true"),
        ([">=0", "<=1"], "always true"),
        ([">=0@1"], "no reasons in the first line"),
        ([">=0?9"], "no reasons in the first line"),
        (["=0,0%" + "0" * 64], "no reasons in the first line"),
        ([">=0,0"], "'>=0,0' is not a claim"),
        (["0"], "'0' is not a claim"),
        ([">=0 "], "not a worth"),
        ([">=2"], "not a worth"),
        ([">=0:0"], "not a worth"),
        (["=0"], "does not fit"),
        (["=0,0,0"], "does not fit"),
        ([">=1"], "does not prove what the first line says"),
        (["=1,-1"], "does not prove what the first line says"),
    ],
)
def test_first_lines_that_are_refused(claims: list[Any], words: str) -> None:
    line = b". 0 =0,0?9\n" if str(claims[:1])[2:3] == "=" else b". 0 >=0?9 <=0?9\n"
    assert words in str(why_refused([head(DRAW, claims), line], DRAW))


@pytest.mark.parametrize(
    "changes",
    [
        {"version": 1},
        {"version": 4},
        {"version": True},
        {"version": "2"},
        {"value": "0,0"},
        {"claims": ">=0"},
        {"claims": {">=0": 1}},
        {"kind": "equilibrium"},
        {"scores": True},
        {"states": "bytes"},
        {"moves": ["b(+,0"]},
    ],
)
def test_first_lines_that_do_not_fit(changes: dict[str, Any]) -> None:
    lines = [head(DRAW, [">=0"]), b". 0 >=0?9\n"]
    assert why_refused(lines, DRAW) is None
    assert why_refused([head(DRAW, [">=0"], **changes), lines[1]], DRAW)


# -- lines -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([". 0 >=0?3"], "needs more than 3 successors"),
        ([". 0 >=0?0"], "not a claim"),
        ([". 0 >=0?04"], "not a claim"),
        ([". 0 >=0?1234567890"], "not a claim"),
        ([". 0 >=0?"], "not a claim"),
        ([". 0 >=0?+4"], "not a claim"),
        ([". 0 >=0?4e1"], "not a claim"),
        ([". 0 >=0@1?4"], "not a claim"),
        ([". 0 >=0?4?4"], "not a claim"),
        ([". 0 >=0%" + "0" * 63], "not a claim"),
        ([". 0 >=0%" + "0" * 65], "not a claim"),
        ([". 0 >=0%" + "A" * 64], "not a line"),
        ([". 0 >=0?4 >=0%" + "0" * 64], "the same is claimed twice"),
        ([".1 1 >=0?2", ". 0 >=0?4"], "nothing rests on 1"),
        ([".1 1 >=0?2", ". 0 >=0%" + "0" * 64], "nothing rests on 1"),
        ([".0 1 <=1?1", ". 0 >=0?4"], "the game is over here"),
        ([".1 1 >=1?2", ". 0 >=0@1"], "the claim is false"),
        ([".1 1 <=0?2", ". 0 >=0@1"], "not known to be good enough"),
        ([".1 2 >=0?2", ". 0 >=0@1"], "nothing rests on 1"),
        ([". 0 <=0?4"], "does not prove what the first line says"),
    ],
)
def test_lines_that_are_refused(lines: list[str], words: str) -> None:
    assert words in str(why_refused([head(DRAW, [">=0"]), *map(encoded, lines)], DRAW))


@pytest.mark.parametrize(
    "lines",
    [
        [". 0 >=0?4"],
        [". 0 >=0?999999999"],
        [".1 1 >=0?2", ". 0 >=0@1"],
        [".1.1 1 >=0", ".1.0 1 >=0%" + "0" * 64, ".1 1 >=0", ". 0 >=0@1"],
        [".1 1 >=0%" + "0" * 64, ". 0 >=0@1 <=0?4"],
        [".1 1 >=-1?2 >=0?2 <=0?2", ". 0 >=0@1 <=1?4"],
        [". 0 >=0%" + "a" * 64 + " <=0?4"],
    ],
)
def test_reasons_can_be_mixed(lines: list[str]) -> None:
    assert why_refused([head(DRAW, [">=0"]), *map(encoded, lines)], DRAW) is None
    older = head(DRAW, [">=0"], version=1, value="0,0").replace(b', "claims": [">=0"]', b"")
    assert "not a line" in str(why_refused([older, *map(encoded, lines)], DRAW))


def encoded(line: str) -> bytes:
    return line.encode() + b"\n"


PIECES = [
    b"?",
    b"%",
    b"@",
    b">=",
    b"<=",
    b"=",
    b"0",
    b"1",
    b"-1",
    b"2",
    b" ",
    b"\n",
    b",",
    b".",
    b'"',
]
PIECES += [b"a", b"?1", b"?99", b"%" + b"0" * 64, b"[", b"]", b">=0", b"<=0", b"\xff", b":0"]


def test_whatever_is_accepted_is_true() -> None:
    """Of certificates with pieces that are cut out or put in anywhere."""
    random, accepted = Random(9), 0
    for seed in range(repeated(60, soak=6000)):
        game = random_graph(seed, zero_sum=seed % 3 > 0, players=(2, 3), states=(2, 12))
        search = ub.Search(game, **({"bounds": True} if seed % 3 else {}))
        assert search.run().resolved
        lines = with_searches(certificate(search), game, 50, random)
        for _ in range(50):
            text = b"".join(lines)
            for _ in range(random.randint(1, 2)):
                at = random.randrange(len(text))
                at = random.randrange(len(lines[0]) * 3 // 4, len(text)) if at % 4 else at
                text = text[:at] + random.choice(PIECES) + text[at + random.randint(0, 3) :]
            try:
                found = verdict(text.splitlines(keepends=True), game)
            except CertificateError:
                continue
            rows = equilibria_below(game, found.root, found.header.scores, {})
            for claim in found.header.claims:
                assert found.leans_on or any(holds(claim, row) for row in rows), text
            accepted += text != b"".join(lines)
    assert accepted > 0


# -- other certificates ----------------------------------------------------------------------------


def test_what_is_leaned_on_is_told() -> None:
    game, digest = DRAW, "5" * 64
    lines = [head(game, [">=0"]), *map(encoded, [f".1 1 >=0%{digest} <=0?2", ". 0 >=0@1"])]
    found = verdict(lines, game)
    claim = Claim(">=", ((0, 0.0),), digest=digest)
    assert found.leans_on == (Lean(digest, "b(+,0)", claim),)
    assert found.digest == digest_of(lines)
    assert (found.states, found.searched) == (2, 2)


def leaning_on(own: Lines, claim: str = ">=0") -> tuple[Files, Lines]:
    """A certificate of the draw that leans on another one, of the state after its second action."""
    digest = digest_of(own)
    lines = [f".1 1 {claim}%{digest}", f". 0 {claim}@1"]
    return {digest: own}, [head(DRAW, [claim]), *map(encoded, lines)]


AFTER = {"moves": ["b(+,0)"]}


@pytest.mark.parametrize(
    "own",
    [
        [head(DRAW, [">=0"], **AFTER), b". 0 >=0?2\n"],
        [head(DRAW, ["<=0", ">=0"], **AFTER), b". 0 >=0?2 <=0?2\n"],
        [head(DRAW, [">=0"], **AFTER), b".0 1 >=0\n", b".1 1 >=0\n", b". 0 >=0\n"],
    ],
)
def test_leaning_on_another_certificate(own: Lines) -> None:
    files, lines = leaning_on(own)
    assert [found.states for found in tree_verdicts(files, lines, DRAW)] == [2, len(own) - 1]


@pytest.mark.parametrize(
    ("own", "words"),
    [
        ([head(DRAW, ["<=0"], **AFTER), b". 0 >=0?2 <=0?2\n"], "does not claim"),
        ([head(DRAW, [">=0"]), b". 0 >=0?4\n"], "about something else"),
        ([head(DRAW, ["=0,0"], **AFTER), b". 0 =0,0?2\n"], "about something else"),
        ([head(DRAW, [">=0:0"], scores=True, **AFTER), b". 0 >=0:0?2\n"], "about something else"),
        ([head(DRAW, [">=0"], moves=["-"]), b". 0 >=0?2\n"], "the game is over here"),
        ([head(DRAW, [">=0"], **AFTER), b". 0 >=1?2\n"], "the claim is false"),
    ],
)
def test_other_certificates_that_do_not_fit(own: Lines, words: str) -> None:
    assert words in str(why_tree_refused(*leaning_on(own), DRAW))


def test_a_stronger_claim_of_another_certificate_is_enough() -> None:
    game = Tree("a(b(+,+),-)")
    own = [head(game, [">=1"], moves=["b(+,+)"]), b". 0 >=1?2\n"]
    digest = digest_of(own)
    for claim, accepted in ((">=0", True), (">=-1", True), ("<=1", False)):
        relation = "@0" if claim.startswith(">=") else ""
        lines = [f".0 1 {claim}%{digest} >=0?2", f". 0 >=0@0 {claim}{relation}"]
        if claim == ">=0":
            lines = [f".0 1 >=0%{digest}", ". 0 >=0@0"]
        if claim == "<=1":
            lines = [f".0 1 >=0?2 <=1%{digest}", ". 0 >=0@0"]
        tree = {digest: own}, [head(game, [">=0"]), *map(encoded, lines)]
        assert (why_tree_refused(*tree, game) is None) == accepted, claim


def test_a_state_at_the_end_may_lean_too() -> None:
    own = [head(DRAW, ["<=-1"], moves=["-"]), b". 0 <=-1\n"]
    digest = digest_of(own)
    lines = [f".0 1 <=-1%{digest}", ".1 1 <=0?2", ". 0 <=0"]
    tree = {digest: own}, [head(DRAW, ["<=0"]), *map(encoded, lines)]
    assert why_tree_refused(*tree, DRAW) is None


def test_support_needs_the_same_game() -> None:
    """By the text: the rules of another one need not be the same."""
    header = Header("a", (), "bounds", False, "paths", 2, (Claim(">=", ((0, 0.0),)),), None)
    lean = Lean("0" * 64, 7, Claim(">=", ((0, 0.0),), digest="0" * 64))
    require_support(lean, header, header, 7)
    for other in ({"game": "b"}, {"kind": "equilibrium"}, {"scores": True}):
        with pytest.raises(CertificateError):
            require_support(lean, header, replace(header, **other), 7)
    with pytest.raises(CertificateError):
        require_support(lean, header, header, 8)


def test_equilibria_lean_on_the_same_row() -> None:
    search = solved("nim(heaps=[1,2],players=3)")
    game, told = search.game, json.loads(certificate(search)[0])
    told = as_version_2(told)
    own = by_search(game, game.next(game.initial(), game.actions(game.initial())[0]), told)
    assert json.loads(own[0])["kind"] == "equilibrium"
    header = replace(read_header(own[0]), moves=())
    claim = header.claims[0]
    require_support(Lean("", 0, claim), header, header, 0)
    for other in itertools.product((-1, 0, 1), repeat=3):
        row = tuple((won, 0.0) for won in other)
        if row != claim.worth:
            with pytest.raises(CertificateError, match="does not claim"):
                require_support(Lean("", 0, Claim("=", row)), header, header, 0)
