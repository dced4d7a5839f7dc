# SPDX-License-Identifier: MIT
"""Whatever is proven can be certified, and a certificate that is not one is refused."""

from __future__ import annotations

import errno
import itertools
import json
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from certificates import (
    Lines,
    certificate,
    disagreement,
    seal,
    spoiled,
    verdict,
    why_refused,
)
from hashed_games import DISTINCT, NO_SCORE, POINTS, Hashed
from soaking import repeated
from solving_checks import equilibria
from test_cli import Here, here, is_one_line  # noqa: F401

import unbounded as ub
from unbounded.conformance.random_games import random_graph
from unbounded.game import Game, Known, UsageError
from unbounded.game.catalogue import games
from unbounded.games.graph import Graph
from unbounded.native import is_compiled
from unbounded.reference.backward_induction import minimax_scores
from unbounded.solving.certificate import NotCertifiedError, certify
from unbounded.solving.checker import Checker, check
from unbounded.solving.checker_format import CertificateError, read_header
from unbounded.solving.solve import shortcuts
from unbounded.solving.verification import verify

SHORTCUTS: list[dict[str, Any]] = [
    {},
    {"paper": True},
    {"bounds": True},
    {"bounds": True, "probes": True},
    {"bounds": True, "probes": True, "threads": 2},
]
MANY = ("resolved_completion", "propagated_completion")
BLOCKS = 20
"""Of random games, so that several processes share the work."""
GAMES_PER_BLOCK = repeated(80, soak=500)


def ways(values: tuple[str, ...], *, compiled: bool) -> list[dict[str, Any]]:
    """Every way to search that fits."""
    return [
        {**taken, "algorithm": algorithm, "values": rule, "canonical": canonical}
        for taken in SHORTCUTS
        if compiled or not taken.get("probes")
        for algorithm in ("ubfm", "descent")
        for rule in values
        for canonical in ((False, True) if compiled else (False,))
    ]


TWO_COMPILED = ways(("minimax", *MANY), compiled=True)
TWO_OBJECTS = ways(("minimax", *MANY), compiled=False)
MANY_COMPILED = ways(MANY, compiled=True)
MANY_OBJECTS = ways(MANY, compiled=False)


# -- random games ----------------------------------------------------------------------------------


def resolved(game: Game[Any, Any], **options: Any) -> ub.Search:
    if options.get("values") == "minimax" and options.get("bounds"):
        options["exact_score"] = Random(str(options) + str(game)).random() < 0.5
    search = ub.Search(game, **options)
    assert search.run().resolved
    return search


def searches(block: int) -> Iterator[ub.Search]:
    """Resolved searches of random games, half of them compiled."""
    random = Random(block)
    two = [Hashed(scores=scores) for scores in (NO_SCORE, POINTS)]
    three = [Hashed(players=3, scores=scores) for scores in (NO_SCORE, POINTS, DISTINCT)]
    for number in range(GAMES_PER_BLOCK // 2):
        seed = block * GAMES_PER_BLOCK + number
        game = random_graph(seed, zero_sum=number % 2 == 0, players=(2, 4), states=(2, 40))
        options = TWO_OBJECTS if game.zero_sum else MANY_OBJECTS
        yield resolved(game, **options[seed % len(options)])
        compiled = random.choice(two if number % 2 else three)
        options = TWO_COMPILED if number % 2 else MANY_COMPILED
        moves = [str(random.randrange(compiled.games))]
        yield resolved(compiled, moves=moves, **options[seed // 2 % len(options)])


@pytest.mark.parametrize("block", range(BLOCKS))
def test_whatever_is_proven_can_be_certified(block: int) -> None:
    """Certificates of all kinds are accepted, and two spoiled ones of each refused."""
    random = Random(-block)
    accepted = refused = 0
    for search in searches(block):
        lines = certificate(search)
        assert verdict(lines, search.game).states == len(lines) - 1
        accepted += 1
        bad = list(spoiled(lines, random))
        for what, mutant in random.sample(bad, 2):
            assert why_refused(mutant, search.game), (what, search.options, lines)
            refused += 1
    assert (accepted, refused) == (GAMES_PER_BLOCK, 2 * GAMES_PER_BLOCK)


# -- what is not true ------------------------------------------------------------------------------


def stronger(claim: str, true: int) -> str | None:
    """Claim more than is true of the first player's outcome; None: there is no more."""
    more = true + 1 if claim.startswith(">=") else true - 1
    if abs(more) > 1:
        return None
    witness = claim.partition("@")[2]
    return claim[:2] + str(more) + (f"@{witness}" if witness else "")


@pytest.mark.parametrize("seed", range(200))
def test_what_is_not_true_is_refused(seed: int) -> None:
    """Of every line: any claim that is stronger than the truth, and any witness that is bad."""
    game = random_graph(seed, zero_sum=True, states=(2, 30))
    search = ub.Search(game, bounds=True)
    search.run()
    lines = certificate(search)
    worths = minimax_scores(game)
    checker = Checker(game, read_header(lines[0]))
    for at in range(1, len(lines)):
        name, uses, *claims = lines[at].decode().split()
        state = checker.read_state(name)
        for k, claim in enumerate(claims):
            wrong = stronger(claim, worths[state][0])
            if wrong is not None:
                spoilt = " ".join([name, uses, *claims[:k], wrong, *claims[k + 1 :]]).encode()
                assert why_refused([*lines[:at], spoilt + b"\n", *lines[at + 1 :]], game), wrong
            for other, action in enumerate(game.actions(state) if "@" in claim else ()):
                child = worths[game.next(state, action)][0]
                bound = int(claim[2:].partition("@")[0])
                if child >= bound if claim.startswith(">=") else child <= bound:
                    continue
                wrong = f"{claim.partition('@')[0]}@{other}"
                spoilt = " ".join([name, uses, *claims[:k], wrong, *claims[k + 1 :]]).encode()
                assert why_refused([*lines[:at], spoilt + b"\n", *lines[at + 1 :]], game), wrong


# -- the shelf -------------------------------------------------------------------------------------

KNOWN = [known for cls in games().values() for known in cls.known_values if not known.slow]
KNOWN += [  # what the README says
    Known("connect-four(width=5,height=4)", (0, 0), "README.md"),
    Known("nim(heaps=[1,2,3],players=3)", (1, -1, -1), "README.md"),
]


@pytest.mark.parametrize("known", KNOWN, ids=[known.game for known in KNOWN])
def test_known_values_are_certified(known: Known) -> None:
    """Every value that the shelf says is known, and that `solve` finds quickly."""
    game = ub.load_game(known.game)
    exact = known.score is not None and game.players == 2 and game.zero_sum
    search = ub.Search(game, **shortcuts(game, {"exact_score": True} if exact else {}))
    assert search.run().outcome == known.outcome
    lines = certificate(search)
    header = verdict(lines, game).header
    if is_compiled(game):
        assert disagreement(b"".join(seal(lines)), game) is None
    assert tuple(won for won, _ in header.value) == known.outcome
    if exact:
        assert header.scores
        assert tuple(points for _, points in header.value) == known.score


class Loose(Game[int, int]):
    """A game whose score is the outcome, and which declares a best score that says little."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.players, self.zero_sum = graph.players, graph.zero_sum
        self.best_score = (2.0,) * graph.players
        self.initial, self.player, self.actions = graph.initial, graph.player, graph.actions  # type: ignore[method-assign]
        self.next, self.outcome = graph.next, graph.outcome  # type: ignore[method-assign]


class LooseBelow(Loose):
    """One that says as little of the states below."""

    def best_score_from(self, state: int) -> list[float]:
        return [3.0] * self.players


@pytest.mark.parametrize("seed", range(12))
def test_bounds_on_scores_that_say_little(seed: int) -> None:
    """Where the score is the outcome nothing is better than a win, whatever bound is declared."""
    graph = random_graph(seed, zero_sum=seed % 3 == 0, players=(2, 4), states=(5, 40))
    for game in (Loose(graph), LooseBelow(graph)):
        ways: list[dict[str, Any]] = [{"values": rule} for rule in MANY]
        ways += [{**way, "bounds": True} for way in ways]
        ways += [{"bounds": True, "exact_score": True}] if game.zero_sum else []
        for options in ways:
            search = ub.Search(game, **options)
            assert search.run().resolved
            assert why_refused(certificate(search), game) is None


def test_what_ignores_scores_is_not_certified(here: Here, tmp_path: Path) -> None:  # noqa: F811
    game = "dots-and-boxes(rows=1,columns=2,players=3)"
    search = ub.Search(game, resolve_on_win=True)
    search.run()
    with pytest.raises(UsageError, match="has scores, and resolve_on_win ignores them"):
        certify(search, tmp_path / "x.cert")
    asked = ("--resolve-on-win", "--certificate", str(tmp_path / "y.cert"))
    assert here("solve", game, *asked) == 2
    assert is_one_line(here.err)
    assert list(tmp_path.iterdir()) == []


def test_a_position_after_moves() -> None:
    search = ub.Search("tic-tac-toe", moves="a1 b1", bounds=True, probes=True)
    assert search.run().outcome == (1, -1)
    lines = certificate(search)
    assert json.loads(lines[0])["moves"] == ["a1", "b1"]
    assert verdict(lines, search.game).header.value == ((1, 0.0), (-1, 0.0))
    told = json.loads(lines[0]) | {"moves": ["a1", "b2"]}
    assert why_refused([json.dumps(told).encode() + b"\n", *lines[1:]], search.game)


def test_a_game_that_is_over() -> None:
    search = ub.Search("tic-tac-toe", moves="a1 a2 b1 b2 c1")
    search.run()
    assert verdict(certificate(search), search.game).states == 1
    three = ub.Search("nim(heaps=[1],players=3)", moves="1:1")
    three.run()
    assert verdict(certificate(three), three.game).states == 1


def test_a_very_long_game() -> None:
    search = ub.Search("nim(heaps=[20000],most=1)", bounds=True, probes=True)
    search.run()
    lines = certificate(search)
    assert len(lines) == 20_002
    assert verdict(lines, search.game).most_held <= 2


@pytest.mark.parametrize(
    "options", [{}, {"bounds": True}, {"bounds": True, "algorithm": "descent"}]
)
def test_what_was_forgotten_is_proven_again(options: dict[str, Any]) -> None:
    whole = ub.Search("connect-four(width=4,height=3)", **options)
    whole.run()
    forgetful = 0
    for sixteenths in (8, 10, 12, 13, 14):
        search = ub.Search("connect-four(width=4,height=3)", **options)
        if search.run(memory=whole.memory_bytes * sixteenths // 16).resolved:
            verdict(certificate(search), search.game)
            forgetful += search.compactions > 0
    assert forgetful > 0


def test_two_sizes_of_one_game_are_not_the_same() -> None:
    search = ub.Search("connect-four(width=4,height=3)")
    search.run()
    lines = certificate(search)
    for other in ("connect-four(width=3,height=4)", "connect-four(width=4,height=3,line=3)"):
        told = json.loads(lines[0]) | {"game": other}
        assert why_refused([json.dumps(told).encode() + b"\n", *lines[1:]], ub.load_game(other))


def test_nothing_is_certified_before_it_is_proven(tmp_path: Path) -> None:
    search = ub.Search("connect-four")
    search.run(iterations=10)
    with pytest.raises(UsageError, match="not proven yet"):
        certify(search, tmp_path / "x.cert")
    assert list(tmp_path.iterdir()) == []


def test_a_certificate_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
    search = ub.Search("connect-four(width=5,height=4)", bounds=True, probes=True)
    assert search.run().resolved
    assert certify(search, tmp_path / "x.cert", seconds=0) is None
    assert certify(search, tmp_path / "x.cert", memory=10_000) is None
    assert list(tmp_path.iterdir()) == []
    assert certify(search, tmp_path / "x.cert") is not None


# -- rings and extras ------------------------------------------------------------------------------


class Ring(Game[int, int]):
    """Two states that lead to each other, and a way out that loses."""

    zero_sum = True

    def initial(self) -> int:
        return 0

    def player(self, state: int) -> int:
        return state

    def actions(self, state: int) -> list[int]:
        return [1 - state, 2] if state < 2 else []

    def next(self, state: int, action: int) -> int:
        return action

    def outcome(self, state: int) -> list[int]:
        return [-1, 1]


HEADER: dict[str, Any] = {
    "format": "unbounded certificate",
    "version": 1,
    "game": "ring",
    "moves": [],
    "kind": "bounds",
    "scores": False,
    "states": "paths",
    "value": "1,-1",
}


def head(**changes: Any) -> bytes:
    return json.dumps({**HEADER, **changes}).encode() + b"\n"


@pytest.mark.parametrize(
    "lines",
    [
        [b".0 1 >=1\n", b". 0 >=1@0\n"],
        [b". 1 >=1@0\n", b".0 1 >=1\n", b". 0 >=1@0\n"],
        [b".0.0 1 >=1@0\n", b".0 1 >=1\n", b". 0 >=1@0\n"],
        [b". 0 >=1@0\n"],
        [b".1 1 <=-1\n", b".0 1 >=1\n", b". 0 >=1@0\n"],
    ],
)
def test_claims_cannot_support_each_other(lines: Lines) -> None:
    assert why_refused([head(), *lines], Ring())


def test_what_nothing_rests_on_is_refused() -> None:
    """Even if it is true."""
    search = ub.Search("tic-tac-toe")
    search.run()
    lines = certificate(search)
    game = search.game
    extra = game.initial()
    for move in ("a1", "a2", "b1", "b2", "c1"):
        extra = game.next(extra, game.parse_action(extra, move))
    for uses in (b"0", b"1"):
        line = extra.hex().encode() + b" " + uses + b" >=1\n"
        assert why_refused([lines[0], line, *lines[1:]], game)
        assert why_refused([*lines, line], game)


# -- equilibria ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(100))
def test_rows_that_are_no_equilibrium_are_refused(seed: int) -> None:
    game = random_graph(seed, players=(3, 4), states=(2, 30), ties=True)
    search = resolved(game, values=MANY[seed % 2], bounds=seed % 4 < 2)
    lines = certificate(search)
    header = read_header(lines[0])
    rows = equilibria(game)
    checker = Checker(game, header)
    for at in range(1, len(lines)):
        name, uses, claim, *others = lines[at].decode().split()
        worths, _, witness = claim[1:].partition("@")
        possible = {
            ",".join(f"{won}:{points:g}" if header.scores else f"{won}" for won, points in row)
            for row in rows[checker.read_state(name)]
        }
        assert worths in possible
        for outcome in itertools.product(["-1", "0", "1"], repeat=game.players):
            scores = [":".join(x.split(":")[1:]) for x in worths.split(",")]
            wrong = ",".join(
                f"{won}:{points}" if header.scores else won
                for won, points in zip(outcome, scores, strict=True)
            )
            if wrong in possible:
                continue
            spoilt = f"{name} {uses} ={wrong}" + (f"@{witness}" if witness else "")
            line = " ".join([spoilt, *others]).encode() + b"\n"
            assert why_refused([*lines[:at], line, *lines[at + 1 :]], game), wrong


# -- damaged files ---------------------------------------------------------------------------------


def small_certificate() -> tuple[bytes, Game[Any, Any]]:
    search = ub.Search("nim(heaps=[1,2])", bounds=True)
    search.run()
    return b"".join(seal(certificate(search))), search.game


def refused(text: bytes, game: Game[Any, Any]) -> bool:
    try:
        check(text.splitlines(keepends=True), lambda _: game)
    except CertificateError:
        return True
    return False


def test_every_flipped_bit_is_noticed() -> None:
    text, game = small_certificate()
    assert not refused(text, game)
    for at in range(len(text)):
        for bit in range(8):
            flipped = bytearray(text)
            flipped[at] ^= 1 << bit
            assert refused(bytes(flipped), game), (at, bit)


def test_every_cut_is_noticed() -> None:
    text, game = small_certificate()
    assert all(refused(text[:size], game) for size in range(len(text)))
    assert refused(text + b"\n", game)
    assert refused(text + text, game)


PIECES = [b"@", b"=", b">=", b"<=", b"1", b"-1", b"0", b":", b"nan", b"1e999", b".", b" ", b"\xff"]
PIECES += [b"\x00", b"999999999999", b"inf", b"{", b'"', b",", b"\n", b"1" * 5000, b"[" * 10**5]
SPOILT = repeated(20_000, soak=500_000)


def test_nonsense_is_refused() -> None:
    """Whatever is read: an answer, nothing else than an answer, and in little memory."""
    text, game = small_certificate()
    lines = text.splitlines(keepends=True)[:-1]
    header, random = read_header(lines[0]), Random(5)
    before = peak_memory()
    for _ in range(SPOILT):
        spoilt = list(lines)
        for _ in range(random.randint(1, 3)):
            at = random.randrange(len(spoilt))
            place = random.randrange(len(spoilt[at]))
            piece = random.choice(PIECES)
            spoilt[at] = spoilt[at][:place] + piece + spoilt[at][place + random.randint(0, 3) :]
        try:
            accepted = verdict(b"".join(spoilt).splitlines(keepends=True), game)
        except CertificateError:
            continue
        # Such as a space in the first line, or a nought before a number: it says the same.
        assert accepted.header == header, spoilt
    assert peak_memory() - before < 64 << 20


def peak_memory() -> int:
    """The most that this process has held, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"format": "another"}, "not a certificate"),
        ({"version": 4}, "version is not 1, 2 or 3"),
        ({"version": True}, "version is not 1, 2 or 3"),
        ({"version": 2}, "must have game, moves, kind, scores, states, claims"),
        ({"claims": [">=1"]}, "must have game, moves, kind, scores, states, value"),
        ({"kind": "equilibrium"}, "not a claim"),
        ({"kind": "something"}, "unknown kind"),
        ({"states": "bytes"}, "does not fit"),
        ({"value": "1"}, "does not fit"),
        ({"value": "1,1"}, "add up"),
        ({"value": "nan,1"}, "not a worth"),
        ({"value": 3}, "must have"),
        ({"scores": 1}, "must have"),
        ({"moves": [1]}, "names of actions"),
        ({"moves": ["z"]}, "illegal move"),
    ],
)
def test_headers(changes: dict[str, Any], words: str) -> None:
    game = random_graph(3, zero_sum=True)
    search = ub.Search(game)
    search.run()
    lines = certificate(search)
    told = json.loads(lines[0]) | changes
    assert words in (why_refused([json.dumps(told).encode() + b"\n", *lines[1:]], game) or "")


# -- the command line ------------------------------------------------------------------------------


def test_on_the_command_line(here: Here, tmp_path: Path) -> None:  # noqa: F811
    path = tmp_path / "draw.cert"
    assert here("solve", "tic-tac-toe", "--certificate", str(path)) == 0
    assert f"{verify(path).states:,} states" in here.out
    assert here("verify", str(path)) == 0
    assert "proven: draw" in here.out
    assert here("verify", str(path), "--json") == 0
    told = json.loads(here.out)
    assert told["proven"] is True
    assert told["header"]["game"] == "tic-tac-toe"
    path.write_bytes(path.read_bytes().replace(b">=0", b">=1"))
    assert here("verify", str(path)) == 1
    assert is_one_line(here.err)
    assert here.out == ""
    assert here("verify", str(path), "--json") == 1
    assert json.loads(here.out)["proven"] is False


def test_json_says_where_the_certificate_is(here: Here, tmp_path: Path) -> None:  # noqa: F811
    path = tmp_path / "x.cert"
    assert here("solve", "nim", "--json", "--certificate", str(path)) == 0
    told = json.loads(here.out)["certificate"]
    assert told["path"] == str(path)
    assert told["bytes"] == path.stat().st_size
    assert verify(path).states == told["states"]
    asked = ("connect-four", "--json", "--iterations=5", "--certificate", str(path), "--force")
    assert here("solve", *asked) == 3
    told = json.loads(here.out)
    assert told["certificate"] is None
    assert told["certificate_error"] == "nothing is proven yet"
    assert "nothing is proven yet" in here.err
    assert verify(path).header.game == "nim"  # what was there is still there


@pytest.mark.parametrize(
    "arguments",
    [
        ["verify", "nowhere.cert"],
        ["verify", "."],
        ["solve", "tic-tac-toe", "--certificate", "nowhere/x.cert"],
        ["solve", "tic-tac-toe", "--certificate", "."],
        ["solve", "tic-tac-toe", "--all", "--certificate", "x.cert"],
        ["analyze", "tic-tac-toe", "--certificate", "x.cert"],
    ],
    ids=" ".join,
)
def test_wrong_use(here: Here, arguments: list[str]) -> None:  # noqa: F811
    assert here(*arguments) == 2
    assert is_one_line(here.err)
    assert here.out == ""


def no_space(*_: Any) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_the_result_is_told_though_the_certificate_cannot_be_written(
    here: Here,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("unbounded.storage.atomic_files.DISK.write", no_space)
    path = tmp_path / "x.cert"
    assert here("solve", "nim", "--certificate", str(path)) == 1
    assert "proven: player 1 wins" in here.out
    assert "x.cert cannot be written: No space left on device" in here.err
    assert is_one_line(here.err)
    assert here("solve", "nim", "--certificate", str(path), "--json") == 1
    told = json.loads(here.out)
    assert told["resolved"] is True
    assert told["certificate"] is None
    assert "No space left on device" in told["certificate_error"]
    assert is_one_line(here.err)
    assert list(tmp_path.iterdir()) == []


def test_the_result_is_told_though_there_is_no_certificate(
    here: Here,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise NotCertifiedError("nim: it could not be proven again")

    monkeypatch.setattr("unbounded.solving.certificate.certify", fail)
    asked = ("solve", "nim", "--certificate", str(tmp_path / "x.cert"))
    assert here(*asked) == 1
    assert "proven: player 1 wins" in here.out
    assert here(*asked, "--json") == 1
    assert "could not be proven again" in json.loads(here.out)["certificate_error"]

    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("unbounded.solving.certificate.certify", interrupt)
    assert here(*asked, "--json") == 130
    assert json.loads(here.out)["certificate_error"] == "it was interrupted"
    monkeypatch.setattr("unbounded.solving.certificate.certify", lambda *_, **__: None)
    assert here(*asked) == 1
    assert "no certificate was written: it was interrupted" in here.err


def test_the_certificate_is_written_though_nobody_reads_the_result(tmp_path: Path) -> None:
    path = tmp_path / "x.cert"
    program = subprocess.Popen(
        [sys.executable, "-m", "unbounded", "solve", "nim", "--certificate", str(path)],
        stdout=subprocess.PIPE,
    )
    assert program.stdout is not None
    program.stdout.close()
    assert program.wait(60) == 141
    assert verify(path).header.game == "nim"


def test_a_game_of_ones_own(here: Here, tmp_path: Path) -> None:  # noqa: F811
    rules = tmp_path / "taking.py"
    rules.write_text(OWN_GAME, encoding="utf-8")
    path = tmp_path / "taking.cert"
    assert here("solve", str(rules), "--certificate", str(path)) == 0
    assert here("verify", str(path)) == 2  # a stranger's file may not say what Python to run
    assert "a game from a file" in here.err and is_one_line(here.err)
    (tmp_path / "there").mkdir()
    copy = Path(shutil.copy(rules, tmp_path / "there"))
    for place in (rules, copy, f"{rules}:Taking"):
        assert here("verify", str(path), "--game", str(place)) == 0
        assert "proven" in here.out
    assert here("verify", str(path), "--game", "tic-tac-toe") == 2
    assert "is about" in here.err and is_one_line(here.err)


OWN_GAME = """
from unbounded import Game

class Taking(Game):
    zero_sum = True

    def initial(self):
        return (5, 0)

    def player(self, state):
        return state[1]

    def actions(self, state):
        return [n for n in (1, 2) if n <= state[0]]

    def next(self, state, action):
        return (state[0] - action, 1 - state[1])

    def outcome(self, state):
        return [-1, 1] if state[1] == 0 else [1, -1]
"""


def test_the_checker_is_short() -> None:
    files = sorted(Path(check.__code__.co_filename).parent.glob("checker*.py"))
    texts = [file.read_text(encoding="utf-8") for file in files]
    assert sum(text.count("\n") for text in texts) <= 600
