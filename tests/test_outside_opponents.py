# SPDX-License-Identifier: MIT
"""The opponents that can be installed: their rules and ours agree, move by move.

Each is skipped where it is not installed; `benchmarks/get_opponents.sh` installs them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

import unbounded as ub
from unbounded.game import Game, UsageError
from unbounded.players import read_kind
from unbounded.players.external.gtp import Gtp
from unbounded.players.external.openspiel import Mirror
from unbounded.players.external.process import Program, find_program
from unbounded.players.external.programs import FairyStockfish, Mancala, Rhino
from unbounded.players.external.protocol import Move
from unbounded.players.external.uci import Uci
from unbounded.players.matches import play_game
from unbounded.testing import perft

sys.path.append(str(Path(__file__).parent.parent / "benchmarks"))
import arena  # type: ignore[import-not-found]

PATIENCE = 60.0


def require_program(name: str) -> None:
    """Skip a test, and say what to install."""
    try:
        find_program(name)
    except UsageError:
        pytest.skip(f"NO OPPONENT: {name} is not installed; run benchmarks/get_opponents.sh")


def random_game(game: Game[Any, Any], seed: int) -> Iterator[tuple[Any, Any]]:
    """The positions of a random game, each with the move that is made; the last one with None."""
    random, state = Random(seed), game.initial()
    while actions := list(game.actions(state)):
        action = random.choice(actions)
        yield state, action
        state = game.next(state, action)
    yield state, None


# -- Fairy-Stockfish -------------------------------------------------------------------------------

BOARDS = [
    ("breakthrough", 3),
    ("breakthrough(rows=8,columns=8)", 3),
    ("breakthrough(rows=5,columns=3)", 5),
    ("breakthrough(rows=4,columns=10,pawn_rows=1)", 3),
    ("clobber", 3),
    ("clobber(rows=6,columns=5)", 2),
    ("clobber(rows=10,columns=10)", 2),
    ("clobber(rows=1,columns=8)", 4),
]


class Fairy:
    """Fairy-Stockfish, asked for legal moves."""

    def __init__(self, game: Game[Any, Any]) -> None:
        require_program("fairy-stockfish")
        self.program = Program("fairy-stockfish", ["fairy-stockfish"])
        self.adapter = FairyStockfish(game, {})
        self.uci = Uci(self.program, self.adapter, 0, PATIENCE)

    def perft(self, depth: int) -> tuple[int, set[str]]:
        """Count paths of a length, and list the moves that begin them."""
        moves = set()

        def take(line: str) -> int | None:
            if found := re.fullmatch(r"(\w+): \d+", line):
                moves.add(found[1])
            found = re.match(r"Nodes searched: (\d+)", line)
            return int(found[1]) if found else None

        self.program.send(f"go perft {depth}")
        return self.program.wait_for(take, PATIENCE, "go perft"), moves

    def has_lost(self) -> bool:
        """Whether it thinks that the player to move has lost the game."""
        self.program.send("go depth 1")
        lost: list[bool] = []

        def take(line: str) -> bool | None:
            lost.append("score mate 0" in line)
            return any(lost) if line.startswith("bestmove") else None

        return self.program.wait_for(take, PATIENCE, "go depth 1")


@pytest.mark.parametrize(("text", "depth"), BOARDS)
def test_fairy_stockfish_counts_the_same_paths(text: str, depth: int) -> None:
    game = ub.load_game(text)
    fairy = Fairy(game)
    fairy.uci.set_position([])
    counts = perft(game, depth)
    for length in range(1, depth + 1):
        assert fairy.perft(length)[0] == counts[length]
    fairy.program.close()


@pytest.mark.parametrize("text", [text for text, _ in BOARDS])
def test_fairy_stockfish_has_the_same_games(text: str) -> None:
    game = ub.load_game(text)
    fairy = Fairy(game)
    for seed in range(3):
        played: list[Move] = []
        for state, action in random_game(game, seed):
            fairy.uci.set_position(played)
            ours = {fairy.adapter.move_name(state, x) for x in game.actions(state)}
            assert fairy.perft(1)[1] == ours
            assert fairy.has_lost() == (not ours)  # in both games whoever is to move at the end
            if action is not None:
                played.append(Move(game.player(state), fairy.adapter.move_name(state, action)))
    fairy.program.close()


# -- Rhino and Mancala -----------------------------------------------------------------------------


def test_rhino_has_the_same_games() -> None:
    require_program("gtp-rhino")
    game = ub.load_game("othello")
    adapter = Rhino(game, {"level": "1"})
    program = Program("gtp-rhino", adapter.command(["gtp-rhino"], 0))
    gtp = Gtp(program, adapter, 0, PATIENCE)
    passes = 0
    for seed in range(4):
        played: list[Move] = []
        for state, action in random_game(game, seed):
            gtp._tell(played)  # it refuses moves that are not legal
            board = gtp._require("showboard")
            theirs = re.findall(r"^ +[1-8]((?: [.XO]){8})", board, re.MULTILINE)
            ours = re.findall(r"^ *[1-8]((?: [.XO*]){8})", game.show(state), re.MULTILINE)
            assert len(theirs) == 8
            assert sorted(theirs) == sorted(row.replace("*", ".") for row in ours)
            if action is not None:
                move = Move(game.player(state), adapter.move_name(state, action))
                passes += move.text == "pass"
                played.append(move)
    assert passes > 0
    program.close()


def test_mancala_has_the_same_boards() -> None:
    """Until our game ends: a row that is empty ends theirs a little later."""
    require_program("mancala")
    for seed, seeds in enumerate((2, 3, 4, 6)):
        game = ub.load_game(f"kalah(pits=6,seeds={seeds})")
        command = Mancala(game, {"level": "0"}).command([find_program("mancala")], 0)
        program = Program("mancala", command)
        for state, action in random_game(game, seed):
            if action is None:
                break
            s = game.state.unpack(state)  # type: ignore[attr-defined]
            assert _mancala_board(program) == (list(s.pits), list(s.stores))
            program.send(game.action_name(state, action))
        program.close()


def _mancala_board(program: Program) -> tuple[list[int], list[int]]:
    rows: list[list[int]] = []

    def take(line: str) -> bool | None:
        if re.search(r": *\d+ \||--", line):
            rows.append([int(x) for x in re.findall(r"\d+", line)])
        return True if len(rows) == 3 else None

    program.wait_for(take, PATIENCE, "the board")
    return rows[0][::-1] + rows[2], rows[1]


# -- OpenSpiel -------------------------------------------------------------------------------------

TWINS = [
    "breakthrough",
    "breakthrough(rows=5,columns=4,pawn_rows=1)",
    "breakthrough(rows=8,columns=8)",
    "clobber",
    "clobber(rows=4,columns=4)",
    "connect-four",
    "connect-four(width=5,height=4,line=3)",
    "havannah",
    "hex",
    "hex(size=7)",
    "kalah(pits=6,seeds=4)",
    "othello",
]


@pytest.mark.parametrize("text", TWINS)
def test_openspiel_has_the_same_games(text: str) -> None:
    """The same player to move, legal moves, end and result, in random games in lockstep."""
    pytest.importorskip("pyspiel", reason="install 'unbounded[openspiel]'")
    game = ub.load_game(text)
    for seed in range(10):
        mirror = Mirror(game)
        for state, action in random_game(game, seed):
            assert mirror.theirs.is_terminal() == (action is None)
            if action is None:
                assert tuple(mirror.theirs.returns()) == tuple(game.outcome(state))
            else:
                assert mirror.theirs.current_player() == game.player(state)
                assert len(mirror.actions(state)) == len(game.actions(state))
                mirror.play(state, action)


# -- games -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "opponent", "program"),
    [
        ("breakthrough", "external(command=fairy-stockfish,seconds=0.02)", "fairy-stockfish"),
        ("clobber", "external(command=fairy-stockfish,seconds=0.02)", "fairy-stockfish"),
        ("othello", "external(command=gtp-rhino,options='level=1')", "gtp-rhino"),
        ("kalah(pits=6,seeds=3)", "external(command=mancala,options='level=2')", "mancala"),
        ("connect-four", "openspiel-mcts(simulations=50)", None),
        ("hex(size=5)", "openspiel-mcts(seconds=0.01)", None),
    ],
)
def test_whole_games(game: str, opponent: str, program: str | None) -> None:
    if program is None:
        pytest.importorskip("pyspiel", reason="install 'unbounded[openspiel]'")
    else:
        require_program(program)
    opening = 0 if program == "mancala" else 3
    seats = [read_kind(opponent), read_kind("random")]
    for order in (seats, seats[::-1]):
        record = play_game(ub.load_game(game), order, seed=1, opening=opening)
        assert (record.illegal, record.failed, record.reason) == (None, None, None)


def test_openspiel_plays_the_same_game_again() -> None:
    pytest.importorskip("pyspiel", reason="install 'unbounded[openspiel]'")
    kinds = [read_kind("openspiel-mcts(simulations=50)")] * 2
    records = [play_game(ub.load_game("connect-four"), kinds, seed=5) for _ in range(2)]
    assert records[0].without_times() == records[1].without_times()


# -- the arena -------------------------------------------------------------------------------------


def test_the_arena_continues_where_it_was_interrupted(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    match = arena.Pairing("tic-tac-toe", "greedy", "ubfm(iterations=20)").match(0.1, 6)
    first = arena.play_rest(match, path, 1)
    assert [record.number for record in first] == list(range(6))
    whole = path.read_text("utf-8")
    path.write_text(whole[: len(whole) * 2 // 3], "utf-8")  # cut off in the middle of a game
    again = arena.play_rest(match, path, 1)
    assert [x.without_times() for x in again] == [x.without_times() for x in first]
    assert len(arena.kept_games(path)) == 6
    row = arena.Row(match, again)
    assert row.score.games == 6 == row.score.won + row.score.drawn + row.score.lost
    assert len(list(row.cells())) == len(arena.HEADINGS)
    other = arena.Pairing("tic-tac-toe", "greedy", "ubfm(iterations=30)").match(0.1, 2)
    assert not any(arena.is_of(other, record) for record in again)


def test_the_pairings_of_the_arena_are_games_of_both() -> None:
    """Where an opponent is installed, its pairings can be played."""
    for pairing in arena.PAIRINGS:
        try:
            read_kind(pairing.theirs.replace("{seconds}", "1")).player(
                ub.load_game(pairing.game), 0
            )
        except UsageError as error:
            assert "there is no program" in str(error) or "pip install" in str(error)
