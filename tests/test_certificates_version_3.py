# SPDX-License-Identifier: MIT
"""Certificates of version 3: claims about the player who moves, in games with a single winner."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from certificate_parts import Lines, seal
from certificates import certificate, disagreement, why_refused
from hashed_games import NO_SCORE, POINTS, Hashed
from second_checker import is_proven, needs_node, verdicts, write
from solving_checks import equilibria
from test_single_winner import random_single_winner

import unbounded as ub
from unbounded.solving.checker import Checker
from unbounded.solving.checker_format import read_header

# -- by hand ---------------------------------------------------------------------------------------

NIM = {
    "format": "unbounded certificate",
    "version": 3,
    "game": "nim(heaps=[1,1],players=3)",
    "moves": [],
    "kind": "equilibrium",
    "scores": False,
    "states": "bytes",
    "fields": [["heaps", "i32", 2], ["turn", "i8", 1]],
    "claims": ["=-1,1,-1"],
}
END, LEFT, RIGHT, ROOT = (
    "000000000000000002",
    "000000000100000001",
    "010000000000000001",
    "010000000100000000",
)


def lines_of(header: dict[str, Any], *lines: str) -> Lines:
    return [json.dumps(header).encode() + b"\n", *(f"{line}\n".encode() for line in lines)]


def nim(right: str, *, left: str = "=-1,1,-1@0", uses: int = 2, **changed: Any) -> Lines:
    """Two heaps of one: whatever the first player takes, the second takes the last and wins."""
    return lines_of(
        NIM | changed,
        f"{END} {uses} =-1,1,-1",
        f"{LEFT} 1 {left}",
        f"{RIGHT} 1 {right}",
        f"{ROOT} 0 =-1,1,-1@0",
    )


def row_of_two(left: str, right: str, root: str, **changed: Any) -> Lines:
    """Two cells, which can only be drawn."""
    scores = changed.get("scores", False)
    draw = "=0:0,0:0,0:0" if scores else "=0,0,0"
    board = {
        "game": "connect-four(width=2,height=1,players=3)",
        "fields": [["stones", "i64", 3], ["turn", "i8", 1]],
        "claims": [draw],
    }

    def state(first: int, second: int, turn: int) -> str:
        parts = [stones.to_bytes(8, "little") for stones in (first, second, 0)]
        return b"".join([*parts, bytes([turn])]).hex()

    return lines_of(
        NIM | board | changed,
        f"{state(1, 4, 2)} 1 {draw}",
        f"{state(4, 1, 2)} 1 {draw}",
        f"{state(1, 0, 1)} 1 {left}",
        f"{state(4, 0, 1)} 1 {right}",
        f"{state(0, 0, 0)} 0 {root}",
    )


PROVEN: dict[str, Lines] = {
    "the mover wins there": nim(">=1@0"),
    "by a search": nim(">=1?1", uses=1),
    "two claims": nim(">=1@0 >=0@0"),
    "the same claim of both kinds": nim("=-1,1,-1@0 >=1@0"),
    "nothing of version 3": nim("=-1,1,-1@0"),
    "the mover draws there": row_of_two("=0,0,0@0", ">=0@0", "=0,0,0@0"),
    "the other one": row_of_two(">=0@0", "=0,0,0@0", "=0,0,0@1"),
    "with scores": row_of_two("=0:0,0:0,0:0@0", ">=0:0@0", "=0:0,0:0,0:0@0", scores=True),
    "with a lower score": row_of_two("=0:0,0:0,0:0@0", ">=0:-1@0", "=0:0,0:0,0:0@0", scores=True),
}
REFUSED: dict[str, Lines] = {
    "version 2": nim(">=1@0", version=2),
    "a draw is not enough": nim(">=0@0"),
    "a loss says nothing": nim(">=-1@0"),
    "no witness": nim(">=1"),
    "no such action": nim(">=1@1"),
    "at most": nim("<=1@0"),
    "two worths": nim(">=1,1@0"),
    "three worths": nim(">=-1,1,-1@0"),
    "by a search of nothing": nim(">=1?0", uses=1),
    "the witness needs worths": nim("=-1,1,-1@0", left=">=1@0"),
    "both are only bounded": nim(">=1@0", left=">=1@0"),
    "of the root": nim(">=1@0", claims=[">=-1"]),
    "of the root, and its worths": nim(">=1@0", claims=["=-1,1,-1", ">=-1"]),
    "several can win": nim(">=1@0", game="nim(heaps=[1,1],players=3,misere=true)"),
    "the game is over": lines_of(NIM | {"moves": ["1:1", "2:1"]}, f"{END} 0 =-1,1,-1 >=-1"),
    "more than it gets": row_of_two("=0,0,0@0", ">=1@0", "=0,0,0@0"),
    "more than it gets, by a search": row_of_two("=0,0,0@0", ">=1?1", "=0,0,0@0"),
    "a higher score": row_of_two("=0:0,0:0,0:0@0", ">=0:1@0", "=0:0,0:0,0:0@0", scores=True),
    "a loss leaves a win": row_of_two("=0,0,0@0", ">=-1@0", "=0,0,0@0"),
    "another certificate": nim(f">=1%{'0' * 64}", uses=1),
}


@needs_node
def test_both_follow_the_page(tmp_path: Path) -> None:
    forms = [*PROVEN.items(), *REFUSED.items()]
    files = write(tmp_path, [b"".join(seal(lines)) for _, lines in forms])
    for (what, _), file, second in zip(forms, files, verdicts(files), strict=True):
        assert second.startswith("proven: ") == (what in PROVEN), (what, second)
        assert is_proven(file) == (what in PROVEN), what


@pytest.mark.parametrize("what", [*PROVEN, *REFUSED])
def test_so_does_the_compiled_checker(what: str) -> None:
    lines = (PROVEN | REFUSED)[what]
    game = ub.load_game(json.loads(lines[0])["game"])
    assert disagreement(b"".join(seal(lines)), game) is None


def test_the_declaration_is_needed() -> None:
    game = ub.load_game("nim(heaps=[1,1],players=3)")
    assert why_refused(nim(">=1@0"), game) is None
    game.single_winner = False
    reason = why_refused(nim(">=1@0"), game)
    assert reason is not None
    assert "another action may be better" in reason
    assert why_refused(nim("=-1,1,-1@0"), game) is None


# -- random games ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(60))
def test_what_is_not_true_of_a_mover_is_refused(seed: int) -> None:
    """In the place of any line: a claim about its mover that no equilibrium fulfills."""
    game = random_single_winner(seed)
    search = ub.Search(game, bounds=True)
    search.run()
    lines = certificate(search)
    told = json.loads(lines[0])
    if told["version"] == 1:
        claims = [f"={told.pop('value')}"]
        lines[0] = json.dumps(told | {"version": 3, "claims": claims}).encode() + b"\n"
    rows = equilibria(game)
    checker = Checker(game, read_header(lines[0]))
    for at in range(1, len(lines)):
        name, uses, claim, *others = lines[at].decode().split()
        state = checker.read_state(name)
        actions = game.actions(state)
        most = 0 if not actions else max(row[game.player(state)][0] for row in rows[state])
        for outcome in range(most + 1 if actions else -1, 2):
            for place in range(max(1, len(actions))):
                for reason in (f"@{place}", "?999"):
                    line = " ".join([name, uses, claim, *others, f">={outcome}{reason}"])
                    spoilt = [*lines[:at], line.encode() + b"\n", *lines[at + 1 :]]
                    assert why_refused(spoilt, game), line


@pytest.mark.parametrize("scores", [NO_SCORE, POINTS])
def test_the_checkers_agree(scores: int) -> None:
    """Also about claims that were changed at random, true and false ones."""
    game = Hashed(players=3, scores=scores, single=True)
    random, accepted, refused = Random(scores), 0, 0
    for _ in range(40):
        move = str(random.randrange(game.games))
        search = ub.Search(game, moves=[move], bounds=True, probes=True)
        search.run()
        lines = certificate(search)
        for _ in range(5):
            mutant = list(lines)
            at = random.randrange(1, len(lines))
            name, uses, *claims = lines[at].decode().split()
            k = random.randrange(len(claims))
            worth = random.choice(["-1", "0", "1"]) + (":0" if scores else "")
            reason = random.choice(["@0", "@1", "?9", "?99", ""])
            claims[k] = random.choice([f">={worth}{reason}", claims[k]])
            mutant[at] = " ".join([name, uses, *claims]).encode() + b"\n"
            text = b"".join(seal(mutant))
            assert disagreement(text, game) is None, mutant[at]
            if why_refused(mutant, game) is None:
                accepted += 1
            else:
                refused += 1
    assert accepted > 10
    assert refused > 10
