# SPDX-License-Identifier: MIT
"""The checker of certificates in JavaScript, and positions of the games whose rules it has."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from certificates import Lines, certificate

from unbounded.game import Game
from unbounded.game.catalogue import load_game
from unbounded.search.search import Search
from unbounded.solving.checker_format import CertificateError
from unbounded.solving.verification import verify

CHECKER = Path(__file__).parents[1] / "certificate_checkers" / "javascript" / "check.mjs"

needs_node = pytest.mark.skipif(
    shutil.which("node") is None, reason="the checker in JavaScript needs node"
)


def verdicts(files: Sequence[Path], *options: str) -> list[str]:
    """What the checker in JavaScript says, in one process for all files."""
    told = subprocess.run(
        ["node", str(CHECKER), *options, "--many"],
        input="".join(f"{file}\n" for file in files),
        capture_output=True,
        text=True,
        check=False,
    )
    lines = told.stdout.splitlines()
    assert told.stderr == ""
    assert len(lines) == len(files)
    assert [x for x in lines if not x.startswith(("proven: ", "refused: line "))] == []
    assert [x for x in lines if "the checker failed" in x] == []
    return lines


def is_proven(file: Path) -> bool:
    """What the plain checker in Python says."""
    try:
        verify(file, checker="plain")
    except CertificateError:
        return False
    return True


def write(folder: Path, texts: Sequence[bytes]) -> list[Path]:
    files = [folder / f"{number}.cert" for number in range(len(texts))]
    for file, text in zip(files, texts, strict=True):
        file.write_bytes(text)
    return files


# -- positions -------------------------------------------------------------------------------------

Options = dict[str, Any]

PLAIN: Options = {}
BOUNDS: Options = {"bounds": True}
SCORES: Options = {"bounds": True, "exact_score": True}
RESOLVED: Options = {"values": "resolved_completion"}
PROPAGATED: Options = {"values": "propagated_completion"}

# Of each game: how many positions of how many moves, and how they are searched.
GAMES: list[tuple[str, list[int], list[Options]]] = [
    ("connect-four(width=3,height=3,line=3)", [0, 2, 4], [PLAIN, BOUNDS, RESOLVED, PROPAGATED]),
    ("connect-four(width=4,height=3,line=3)", [2, 5], [BOUNDS, RESOLVED]),
    ("connect-four(width=4,height=1,line=2)", [0, 1, 3], [PLAIN]),
    ("connect-four(width=1,height=61,line=62)", [57], [PLAIN, PROPAGATED]),
    ("connect-four(width=31,height=1)", [27], [BOUNDS]),
    ("connect-four", [38], [PLAIN, SCORES]),
    ("connect-four(width=3,height=3,line=3,players=3)", [2, 4, 6], [PLAIN, PROPAGATED]),
    ("connect-four(width=3,height=2,line=2,players=4)", [0, 2], [BOUNDS, PROPAGATED]),
    ("nim(heaps=[3,0,2])", [0, 1, 2, 5], [PLAIN, RESOLVED, SCORES]),
    ("nim(heaps=[2,2,1],misere=true)", [0, 1], [BOUNDS, PROPAGATED]),
    ("nim(heaps=[300],most=2)", [140], [PLAIN]),
    ("nim(heaps=[7,3],most=2,misere=true)", [0, 2], [PLAIN]),
    ("nim(heaps=[3,2],players=3)", [0, 1], [PLAIN, BOUNDS, PROPAGATED]),
    ("nim(heaps=[2,2,1],players=4,misere=true)", [0, 1], [PLAIN, PROPAGATED]),
    ("nim(heaps=[5],players=100)", [0], [PLAIN]),
    ("dots-and-boxes(rows=1,columns=1)", [0, 2], [PLAIN, SCORES, RESOLVED, PROPAGATED]),
    ("dots-and-boxes(rows=1,columns=2)", [0, 3], [BOUNDS, SCORES, RESOLVED]),
    ("dots-and-boxes", [6, 8], [PLAIN, SCORES, PROPAGATED]),
    ("dots-and-boxes(rows=2,columns=1,players=3)", [0, 2], [PLAIN, BOUNDS, PROPAGATED]),
    ("dots-and-boxes(columns=3,players=3)", [12], [PLAIN]),
    ("dots-and-boxes(rows=2,columns=2,players=4)", [7], [PLAIN, PROPAGATED]),
]


def random_moves(game: Game[Any, Any], count: int, random: Random) -> list[str]:
    """So many moves of random play; fewer, if the game ends before."""
    state, moves = game.initial(), []
    while len(moves) < count and game.actions(state):
        action = random.choice(list(game.actions(state)))
        moves.append(game.action_name(state, action))
        state = game.next(state, action)
    return moves


@cache
def good_ones() -> list[tuple[Game[Any, Any], Lines]]:
    """Certificates of all positions above, by rules that are not compiled: that takes longer."""
    found = []
    random = Random(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("unbounded.native.compiling.available", lambda: False)
        patch.setattr("unbounded.native.routes._warn_uncompiled", lambda _: None)
        for text, lengths, ways in GAMES:
            for options in ways:
                for length in lengths:
                    game = load_game(text)
                    search = Search(game, moves=random_moves(game, length, random), **options)
                    search.run()
                    lines = certificate(search)
                    found.append((game, lines if len(found) % 4 == 0 else with_bytes(game, lines)))
    return found


def with_bytes(game: Game[Any, Any], lines: Lines) -> Lines:
    """Rules that are not compiled make certificates with paths; write the states as bytes."""
    told = json.loads(lines[0])
    assert told["states"] == "paths"
    root = game.initial()
    for move in told["moves"]:
        root = game.next(root, game.parse_action(root, move))
    changed = [json.dumps(told | {"states": "bytes"}).encode() + b"\n"]
    for line in lines[1:]:
        path, rest = line.split(b" ", 1)
        state = root
        for place in path.split(b".")[1:]:
            state = game.next(state, game.actions(state)[int(place)]) if place else state
        changed.append(state.hex().encode() + b" " + rest)
    return changed


def with_other_worth(claim: str, random: Random) -> str:
    """Claim another worth of one of the players; it may be true too."""
    what, *witness = claim.split("@")
    sign = what[: what.index("=") + 1]
    worths = what.removeprefix(sign).split(",")
    who = random.randrange(len(worths))
    outcome, *score = worths[who].split(":")
    if score and random.random() < 0.7:
        score = [random.choice(["-2", "-1", "-0", "0.0", "1", "1.5", "2", "1e30", "1.00000000001"])]
    else:
        outcome = random.choice(["-1", "0", "1"])
    worths[who] = ":".join([outcome, *score])
    return "@".join([sign + ",".join(worths), *witness])
