# SPDX-License-Identifier: MIT
"""The compiled checker accepts what the plain checker accepts, and nothing else."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from certificates import Lines, certificate, disagreement, seal, spoiled
from hashed_games import DISTINCT, NO_SCORE, POINTS, Hashed
from soaking import repeated
from test_certificates import MANY, MANY_COMPILED, OWN_GAME, PIECES, TWO_COMPILED, resolved
from test_cli import Here, here, is_one_line  # noqa: F401
from test_second_checker import PROVEN, REFUSED, SMALL, flips, forged

import unbounded as ub
from unbounded.game import Game, UsageError
from unbounded.game.catalogue import games, load_game
from unbounded.native import is_compiled
from unbounded.search.search import Search
from unbounded.solving import compiled_checker, verification
from unbounded.solving.certificate import certify
from unbounded.solving.checker import check
from unbounded.solving.checker_format import CertificateError
from unbounded.solving.solve import shortcuts
from unbounded.solving.verification import verify

BLOCKS = 10
GAMES_PER_BLOCK = repeated(20, soak=1000)
SPOILT = repeated(1500, soak=500_000)


def sealed(lines: Lines) -> bytes:
    return b"".join(seal(lines))


def why_refused(text: bytes, game: Game[Any, Any]) -> str | None:
    """Why the compiled checker refuses a certificate; None: it does not."""
    try:
        compiled_checker.check(io.BytesIO(text), lambda _: game)
    except CertificateError as error:
        return str(error)
    return None


# -- random games ----------------------------------------------------------------------------------

TWO = [Hashed(scores=scores) for scores in (NO_SCORE, POINTS)]
THREE = [Hashed(players=3, scores=scores) for scores in (NO_SCORE, POINTS, DISTINCT)]


def searches(block: int) -> Iterator[ub.Search]:
    """Resolved searches of random games, with two players and with three, in all ways."""
    random = Random(f"compiled {block}")
    for number in range(GAMES_PER_BLOCK):
        game = random.choice(TWO if number % 2 else THREE)
        options = TWO_COMPILED if number % 2 else MANY_COMPILED
        moves = [str(random.randrange(game.games))]
        yield resolved(game, moves=moves, **random.choice(options))


def with_paths(lines: Lines, game: Game[Any, Any]) -> Lines:
    """The same certificate, its states given by paths."""
    told = json.loads(lines[0])
    root = game.initial()
    for move in told["moves"]:
        root = game.next(root, game.parse_action(root, move))
    paths, left = {root: "."}, [root]
    while left:
        state = left.pop()
        for place, action in enumerate(game.actions(state)):
            child = game.next(state, action)
            if child not in paths:
                paths[child] = f"{'' if state == root else paths[state]}.{place}"
                left.append(child)
    changed = [json.dumps(told | {"states": "paths"}).encode() + b"\n"]
    for line in lines[1:]:
        state_text, rest = line.split(b" ", 1)
        changed.append(paths[bytes.fromhex(state_text.decode())].encode() + b" " + rest)
    return changed


@pytest.mark.parametrize("block", range(BLOCKS))
def test_the_checkers_agree_on_random_games(block: int) -> None:
    """On certificates of all kinds, and on two of each that prove nothing, or perhaps something."""
    random = Random(-block)
    kinds, accepted = set(), 0
    for number, search in enumerate(searches(block)):
        lines = certificate(search)
        if number % 3 == 0:
            lines = with_paths(lines, search.game)
        told = json.loads(lines[0])
        kinds.add((told["kind"], told["scores"], told["states"]))
        assert why_refused(sealed(lines), search.game) is None
        assert disagreement(sealed(lines), search.game) is None
        what, mutant = random.choice(list(spoiled(lines, random)))
        assert why_refused(sealed(mutant), search.game), what
        assert disagreement(sealed(mutant), search.game) is None, what
        mutant = forged(lines, random)
        assert disagreement(sealed(mutant), search.game) is None, mutant
        accepted += why_refused(sealed(mutant), search.game) is None
    assert len(kinds) >= 5
    assert accepted > 0


# -- the shelf -------------------------------------------------------------------------------------


def shelf() -> Iterator[Any]:
    """Each game of the shelf that is compiled, in a small size, and the ways to solve it."""
    for text in sorted(cls.solvable for cls in games().values() if cls.solvable):
        game = load_game(text)
        if is_compiled(game):
            yield pytest.param(game, {}, id=f"{text}, bounds")
            yield pytest.param(game, {"values": MANY[0]}, id=f"{text}, equilibrium")
            if game.has_score and game.players == 2 and game.zero_sum:
                yield pytest.param(game, {"exact_score": True}, id=f"{text}, scores")


@pytest.mark.parametrize(("game", "options"), list(shelf()))
def test_every_game_of_the_shelf(game: Game[Any, Any], options: dict[str, Any]) -> None:
    search = Search(game, **shortcuts(game, options))
    if not search.run(states=repeated(30_000, soak=300_000)).resolved:
        pytest.skip("too many states")
    lines, random = certificate(search), Random(str(game))
    assert why_refused(sealed(lines), game) is None
    for what, mutant in spoiled(lines, random):
        assert why_refused(sealed(mutant), game), what
    if len(lines) < repeated(1000, soak=20_000):
        assert disagreement(sealed(lines), game) is None
        for mutant in (forged(lines, random) for _ in range(repeated(3, soak=20))):
            assert disagreement(sealed(mutant), game) is None, mutant


# -- how it is written -----------------------------------------------------------------------------


def nim() -> Game[Any, Any]:
    return load_game("nim(heaps=[1,2])")


SAME_WORDS = {
    name for name in REFUSED if name not in ("a witness at the end", "too large for 32 bits")
}


@pytest.mark.parametrize("name", [*PROVEN, *REFUSED])
def test_the_page_is_followed(name: str, tmp_path: Path) -> None:
    """What is refused is refused in the same words."""
    file = tmp_path / "some.cert"
    file.write_bytes(sealed(PROVEN.get(name) or REFUSED[name]))
    told: dict[str, str] = {}
    for checker in ("plain", "compiled"):
        try:
            verify(file, checker=checker)
        except CertificateError as error:
            told[checker] = str(error)
    assert sorted(told) == ([] if name in PROVEN else ["compiled", "plain"])
    if name in SAME_WORDS:
        assert told["plain"] == told["compiled"]


def test_flipped_bits() -> None:
    game = nim()
    text = sealed(SMALL)
    assert why_refused(text, game) is None
    for changed in flips(text, range(len(text))):
        assert why_refused(changed, game), changed
    body = b"".join(SMALL)
    for changed in flips(body, range(len(SMALL[0]), len(body))):
        resealed = sealed(changed.splitlines(keepends=True))
        assert disagreement(resealed, game) is None, changed


def test_cuts_and_additions() -> None:
    text, game = sealed(SMALL), nim()
    assert all(why_refused(text[:size], game) for size in range(len(text)))
    for more in (b"\n", b" ", b"end", text, b"\0", b"x" * (1 << 20), b"\n" * (1 << 20)):
        assert why_refused(text + more, game)
        assert disagreement(text + more, game) is None
    *before, last = seal(SMALL)
    for end in (b"", last[:-1], last.upper(), last.replace(b"6", b"06", 1), b"end " + last):
        assert why_refused(b"".join(before) + end, game)
    assert why_refused(b"", game)
    assert why_refused(last, game)


def test_nonsense_is_refused() -> None:
    game, random = nim(), Random(5)
    for _ in range(SPOILT):
        spoilt = list(SMALL)
        for _ in range(random.randint(1, 3)):
            at = random.randrange(1, len(spoilt))
            place = random.randrange(len(spoilt[at]))
            piece = random.choice(PIECES)
            spoilt[at] = spoilt[at][:place] + piece + spoilt[at][place + random.randint(0, 3) :]
        text = sealed(b"".join(spoilt).splitlines(keepends=True))
        assert disagreement(text, game) is None, spoilt


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_pieces_of_any_size(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled_checker, "_AT_ONCE", size)
    text, game, read = sealed(SMALL), nim(), []
    found, again = compiled_checker.check(io.BytesIO(text), lambda _: game, read.append)
    assert found == check(text.splitlines(keepends=True), lambda _: game)
    assert again == found.states == 5
    assert sum(read) == len(text) - len(SMALL[0])
    assert why_refused(text + b"x", game)
    assert why_refused(text[:-1], game)


def test_long_lines_are_refused_in_little_memory() -> None:
    game = nim()
    for line in (b"0" * (1 << 20), b"00 1" + b" >=1" * (1 << 18), b"." * (1 << 22)):
        assert disagreement(sealed([SMALL[0], line + b"\n"]), game) is None

    class Endless(io.BytesIO):
        """A first line, and then one that never ends."""

        given = 0

        def read(self, size: int | None = -1) -> bytes:
            assert size is not None
            self.given += size
            assert self.given < 8 << 20
            return b"0" * size

    with pytest.raises(CertificateError, match="or goes on"):
        compiled_checker.check(Endless(SMALL[0]), lambda _: game)


def test_it_can_be_interrupted() -> None:
    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    game = nim()
    with pytest.raises(KeyboardInterrupt):
        compiled_checker.check(io.BytesIO(sealed(SMALL)), lambda _: game, interrupt)


# -- which checker ---------------------------------------------------------------------------------


@pytest.fixture
def small(tmp_path: Path) -> Path:
    file = tmp_path / "small.cert"
    file.write_bytes(sealed(SMALL))
    return file


def test_checkers(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = {name: verify(small, checker=name) for name in verification.CHECKERS}
    assert {name: found.checker for name, found in told.items()} == {
        "auto": "plain",  # small files take longer to compile for
        "plain": "plain",
        "compiled": "compiled",
        "both": "both",
    }
    assert {(found.states, found.most_held, found.by_plain) for found in told.values()} == {
        (5, 2, 5)
    }
    monkeypatch.setattr(verification, "_LARGE", 0)
    assert verify(small).checker == "compiled"
    monkeypatch.setattr(compiled_checker, "SAMPLE", 2)
    assert verify(small).by_plain == 2
    for name in verification.CHECKERS:
        with pytest.raises(CertificateError, match="FileNotFoundError"):
            verify(small.with_name("nowhere"), checker=name)
    with pytest.raises(UsageError, match="checker is one of auto, plain, compiled, both"):
        verify(small, checker="compile")


def test_rules_that_are_not_compiled(
    here: Here,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rules, path = tmp_path / "taking.py", tmp_path / "taking.cert"
    rules.write_text(OWN_GAME, encoding="utf-8")
    assert here("solve", str(rules), "--certificate", str(path)) == 0
    monkeypatch.setattr(verification, "_LARGE", 0)
    assert here("verify", str(path), "--game", str(rules)) == 0
    assert "by the rules alone" in here.out
    assert here("verify", str(path), "--game", str(rules), "--checker", "compiled") == 2
    assert "not compiled" in here.err and "--checker plain" in here.err and is_one_line(here.err)


def test_on_the_command_line(here: Here, small: Path) -> None:  # noqa: F811
    assert here("verify", str(small), "--checker", "compiled") == 0
    assert "by compiled rules" in here.out
    assert here("verify", str(small), "--checker", "both", "--json") == 0
    told = json.loads(here.out)
    assert (told["checker"], told["states"], told["by_plain"]) == ("both", 5, 5)
    assert here("verify", str(small), "--checker", "other") == 2
    assert is_one_line(here.err)
    small.write_bytes(small.read_bytes().replace(b">=1", b">=0"))
    for checker in ("plain", "compiled", "both"):
        assert here("verify", str(small), "--checker", checker) == 1
        assert "refused, line 6" in here.err and is_one_line(here.err)


# -- compiled rules that are wrong -----------------------------------------------------------------


@pytest.fixture
def false_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A certificate that is true by the compiled rules, which are those of another game."""
    other = load_game("nim(heaps=[1,2],misere=true)")
    search = Search(other, moves=["2:1"], bounds=True)
    search.run()
    certify(search, tmp_path / "false.cert")
    lines = (tmp_path / "false.cert").read_bytes().splitlines(keepends=True)[:-1]
    header = json.dumps(json.loads(lines[0]) | {"game": "nim(heaps=[1,2])"})
    (tmp_path / "false.cert").write_bytes(sealed([header.encode() + b"\n", *lines[1:]]))
    route = compiled_checker._compiled(other)
    monkeypatch.setattr(compiled_checker, "_compiled", lambda _: route)
    return tmp_path / "false.cert"


def test_a_sample_is_checked_by_the_plain_checker(false_one: Path) -> None:
    with pytest.raises(CertificateError, match=r"line \d+ \(state [0-9a-f]+\): by the plain check"):
        verify(false_one, checker="compiled")


def test_both_checkers_must_accept(
    false_one: Path, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled_checker, "SAMPLE", 0)
    assert verify(false_one, checker="compiled").by_plain == 0
    with pytest.raises(CertificateError, match="but the compiled checker accepts it"):
        verify(false_one, checker="both")
    with pytest.raises(CertificateError, match="but the plain checker accepts it"):
        verify(small, checker="both")


@pytest.mark.parametrize("change", ["claim", "state", "line", "more"])
def test_what_is_drawn_must_be_a_proof(change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The plain checker refuses a line if anything is wrong with what was known before it."""
    game, text = nim(), sealed(SMALL)
    real = compiled_checker.native.CertificateChecker

    class Lying:
        def __init__(self, *given: Any) -> None:
            self.real = real(*given)

        def __getattr__(self, name: str) -> Any:
            return getattr(self.real, name)

        def drawn(self) -> list[Any]:
            number, line, [(state, [(relation, [(_, score)])]), *others] = self.real.drawn()[-1]
            rows = [(relation, [(0 if change == "claim" else 1, score)])]
            known = [(bytes(9) if change == "state" else state, rows), *others]
            known += [(bytes(9), rows)] if change == "more" else []
            return [(number, line.replace(b">=", b"<=") if change == "line" else line, known)]

    monkeypatch.setattr("unbounded.native.CertificateChecker", Lying)
    assert "by the plain checker" in (why_refused(text, game) or "")
