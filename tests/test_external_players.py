# SPDX-License-Identifier: MIT
"""Programs of others as players: what they play is checked, and what they break is said."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import unbounded as ub
from unbounded.game import UsageError
from unbounded.interfaces.session import Session
from unbounded.interfaces.terminal.matches import print_match
from unbounded.interfaces.terminal.play import TerminalGame, read_seats
from unbounded.interfaces.web.game_setup import GameSetup
from unbounded.interfaces.web.limits import Limits
from unbounded.players import Kind, read_kind
from unbounded.players.external.player import ExternalPlayer
from unbounded.players.external.process import IllegalMoveError, Program, ProgramError
from unbounded.players.matches import Match, play_game, play_match

FAKE = Path(__file__).parent / "fake_program.py"
GAME = "tic-tac-toe"
PROTOCOLS = ("uci", "gtp", "pipe")
FAULTY = {
    "dies": "ended with exit status 3",
    "hangs": "did not answer",
    "talks nonsense": "did not answer",
    "floods": "did not answer",
    "never ends a line": "did not answer",
}


def external(protocol: str, conduct: str = "right", patience: float = 20.0) -> str:
    """The player that the fake program is."""
    quoted = conduct.replace(" ", "\\\\ ")
    command = f"{sys.executable} -I -S {FAKE} {protocol} {quoted} {{seat}}"
    return f'external(seconds=0.05,command="{command}",protocol={protocol},patience={patience:g})'


def kind(protocol: str, conduct: str = "right", patience: float = 20.0) -> Kind:
    return read_kind(external(protocol, conduct, patience))


def play(kinds: list[Kind], opening: int = 0) -> Any:
    return play_game(ub.load_game(GAME), kinds, seed=3, opening=opening)


def is_alive(pid: int) -> bool:
    """Whether a process runs, or waits to be asked for its exit status."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until_dead(pid: int) -> None:
    for _ in range(500):
        if not is_alive(pid):
            return
        time.sleep(0.02)
    raise AssertionError(f"process {pid} is still there")


def player_of(text: str) -> ExternalPlayer:
    player = read_kind(text).player(ub.load_game(GAME), 0)
    assert isinstance(player, ExternalPlayer)
    return player


def running(player: ExternalPlayer) -> Program:
    assert player._program is not None
    return player._program


# -- protocols -------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("conduct", ["right", "is slow"])
def test_whole_games(protocol: str, conduct: str) -> None:
    game, opening = ub.load_game(GAME), 0 if protocol == "pipe" else 2
    seats = [kind(protocol, conduct), read_kind("random")]
    for order in (seats, seats[::-1]):
        record = play(order, opening)
        assert (record.illegal, record.failed, record.reason) == (None, None, None)
        state = game.initial()
        for move in record.moves:
            state = game.next(state, game.parse_action(state, move))
        assert not game.actions(state)
        assert record.outcome == tuple(game.outcome(state))


@pytest.mark.parametrize("protocol", ["uci", "gtp"])
def test_moves_can_be_taken_back(protocol: str) -> None:
    session = Session(GAME, ["human", external(protocol)])
    session.play("c3")
    assert session.machine_move().name == "a1"
    session.undo()
    session.play("a1")
    assert session.machine_move().name == "b1"


def test_a_program_is_asked_again_after_other_moves() -> None:
    """The same process: it is told the whole game again, since what it knows was not played."""
    player = player_of(external("gtp"))
    assert player.decide().name == "a1"
    pid = running(player).pid
    player.see(player.game.parse_action(player.state, "b2"))
    player.see(player.game.parse_action(player.state, "a1"))
    assert player.decide().name == "b1"
    assert running(player).pid == pid
    player.close()


def test_a_pipe_cannot_be_brought_to_a_position() -> None:
    record = play([kind("pipe"), read_kind("random")], opening=2)
    assert record.failed == 0
    assert "cannot be brought to this position" in record.reason
    assert "without an opening" in record.reason
    with pytest.raises(UsageError, match="opening must be 0, not 2: external"):
        Match(GAME, (external("pipe"), "random"), games=8)


def test_stop_reaches_a_program() -> None:
    player = player_of(external("uci"))
    player.stop()  # not started yet
    player.decide()
    player.stop()
    player.close()
    player.stop()
    assert player.decide().name == "a1"  # a closed one starts again
    player.close()


# -- faults ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("conduct", ["dies", "hangs"])
def test_a_program_that_fails_loses(protocol: str, conduct: str) -> None:
    patience = 20.0 if conduct == "dies" else 1.0
    record = play([read_kind("random"), kind(protocol, conduct, patience)])
    assert record.failed == 1 and record.illegal is None
    assert record.outcome == (1, -1)
    assert sys.executable in record.reason and FAULTY[conduct] in record.reason


@pytest.mark.parametrize("conduct", ["talks nonsense", "floods", "never ends a line"])
def test_a_program_that_never_answers_loses(conduct: str) -> None:
    record = play([kind("uci", conduct, 1.0), read_kind("random")])
    assert record.failed == 0
    assert record.outcome == (-1, 1)
    assert FAULTY[conduct] in record.reason
    assert record.reason.isprintable() and len(record.reason) < 3000


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_error_names_the_program_the_question_and_its_last_words(protocol: str) -> None:
    player = player_of(external(protocol, "dies"))
    with pytest.raises(ProgramError) as caught:
        player.decide()
    question = {"uci": "go movetime 50", "gtp": "genmove black", "pipe": "the first move"}[protocol]
    for words in (sys.executable, question, "exit status 3", "on stderr: now it dies"):
        assert words in str(caught.value)


ILLEGAL = [(protocol, "plays an illegal move") for protocol in PROTOCOLS]
NO_MOVE = [("uci", "says nothing"), ("gtp", "says nothing")]  # on a pipe an empty line is no answer


@pytest.mark.parametrize(("protocol", "conduct"), ILLEGAL + NO_MOVE)
def test_an_illegal_move_loses(protocol: str, conduct: str) -> None:
    record = play([read_kind("random"), kind(protocol, conduct)])
    assert record.illegal == 1 and record.failed is None
    assert "which is not legal after" in record.reason
    player = player_of(external(protocol, conduct))
    with pytest.raises(IllegalMoveError):
        player.decide()


def test_a_match_counts_and_tells_faults() -> None:
    match = Match(GAME, (external("uci", "dies"), "random"), games=8, opening=0)
    result, records = play_match(match, jobs=1)
    first, second = result.standings
    assert (first.failed, first.illegal, second.failed) == (8, 0, 0)
    assert len(result.reasons) == len(records) == 8
    console = Console(width=200)
    with console.capture() as capture:
        print_match(console, result)
    assert "0 illegal, 8 failed, 0 slow" in capture.get()
    assert "game 0 was forfeited" in capture.get() and "and 5 more" in capture.get()


def test_play_goes_on_after_a_fault(capsys: pytest.CaptureFixture[str]) -> None:
    answers = iter(["a1", "", "quit"])
    session = Session(GAME, ["human", external("uci", "dies")])
    TerminalGame(session, 1.0, lambda _: next(answers)).run()
    said = capsys.readouterr().out
    assert said.count("ended with exit status 3") == 2  # Enter tries again
    assert session.moves == ["a1"]


# -- processes -------------------------------------------------------------------------------------


@pytest.mark.parametrize("conduct", ["right", "hangs"])
def test_no_process_is_left(conduct: str) -> None:
    player = player_of(external("uci", conduct, 1.0))
    player.prepare(0)
    pid = running(player).pid
    assert is_alive(pid)
    if conduct == "right":
        player.decide()
    else:
        with pytest.raises(ProgramError):
            player.decide()
    del player
    gc.collect()
    assert not is_alive(pid)


OWNER = """
import sys, time
from unbounded import load_game
from unbounded.players import read_kind
player = read_kind(sys.argv[1]).player(load_game("tic-tac-toe"), 0)
player.prepare(0)
print(player._program.pid, flush=True)
if sys.argv[2] == "ends":
    sys.exit(0)
player.decide()
"""


@pytest.mark.parametrize("end", ["ends", "SIGINT", "SIGTERM", "SIGKILL"])
def test_programs_end_with_their_owner(end: str) -> None:
    """Whether it ends by itself, is interrupted or is killed, while the program hangs."""
    words = [sys.executable, "-c", OWNER, external("uci", "hangs", 600.0), end]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdout=pipe, stderr=pipe, text=True) as owner:
        assert owner.stdout is not None
        pid = int(owner.stdout.readline())
        if end != "ends":
            time.sleep(0.2)  # long enough to be asked, most of the time
            owner.send_signal(getattr(signal, end))
        owner.wait(60)
        wait_until_dead(pid)


@pytest.mark.skipif(os.name != "posix", reason="no other system has groups of processes")
def test_what_a_program_has_started_ends_when_its_owner_is_killed(tmp_path: Path) -> None:
    script, child = tmp_path / "program.sh", tmp_path / "child"
    fake = f"{sys.executable} -I -S {FAKE} uci hangs"
    script.write_text(f"#!/bin/sh\nsleep 600 &\necho $! > {child}\n{fake}\n")
    script.chmod(0o755)
    player = f"external(command={script},protocol=uci,patience=600)"
    words = [sys.executable, "-c", OWNER, player, "is killed"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        pid = int(owner.stdout.readline())
        owner.kill()
        owner.wait(60)
        wait_until_dead(pid)
        wait_until_dead(int(child.read_text()))


# -- who may name them -----------------------------------------------------------------------------


@pytest.mark.parametrize("text", [external("uci"), "openspiel-mcts"])
def test_strangers_cannot_start_programs(text: str) -> None:
    setup = GameSetup(Limits())
    with pytest.raises(UsageError, match="not allowed here"):
        read_kind(text, local=False)
    with pytest.raises(UsageError, match="not allowed here"):
        setup.new_session(GAME, ["human", text], 1.0)
    saved = Session(GAME, ["human", "random"]).to_dict() | {"seats": ["human", text]}
    with pytest.raises(UsageError, match="not allowed here"):
        setup.saved_session(saved)
    with pytest.raises(UsageError, match="not allowed here"):
        Session.from_dict(saved)
    assert not {"external", "openspiel-mcts"} & set(setup.offer()["players"])


def test_a_program_starts_only_when_it_plays(tmp_path: Path) -> None:
    """Naming, checking and seating a player runs nothing."""
    trace = tmp_path / "trace"
    script = tmp_path / "program"
    script.write_text(f"#!/bin/sh\ntouch {trace}\n")
    script.chmod(0o755)
    text = f"external(command={script},protocol=uci,seconds=0.05)"
    Match(GAME, (text, "random"))
    session = Session(GAME, [text, "human"])
    assert not trace.exists()
    with pytest.raises(ProgramError, match="exit status 0"):
        session.machine_move()
    assert trace.exists()


# -- names -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "external(command=fairy-stockfish)",
        'external(seconds=2.0,command="fairy-stockfish \\"y z\\"",options="Hash=64; Threads=2")',
        "external(command=mine,protocol=gtp,patience=3.0)",
        "openspiel-mcts(simulations=100)",
    ],
)
def test_names_are_read_and_written(text: str) -> None:
    assert read_kind(str(read_kind(text))) == read_kind(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("external", "needs a command"),
        ("external(command=mine)", "needs a protocol, one of uci, gtp, pipe"),
        ("external(command=mine,protocol=xboard)", "not 'xboard'"),
        ("external(command='\"x',protocol=uci)", "cannot be read"),
        ("external(command=fairy-stockfish,options=Hash)", "options must be like"),
        ("external(command=fairy-stockfish,patience=0)", "patience must be"),
        ("external(command=fairy-stockfish,seconds=-1)", "seconds must be"),
        ("openspiel-mcts(c=-1)", "c must be"),
        ("openspiel-mcts(simulations=0)", "simulations must be 1 or more, not 0"),
        ("mcts(simulations=0)", "simulations must be 1 or more, not 0"),
    ],
)
def test_wrong_names(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        read_kind(text)


@pytest.mark.parametrize(
    ("text", "game", "words"),
    [
        ("external(command=no-such-program,protocol=uci)", GAME, "there is no program"),
        ("external(command=fairy-stockfish)", "hex", "plays breakthrough and clobber"),
        ("external(command=fairy-stockfish)", "clobber(rows=11)", "at most 10 x 10"),
        ("external(command=gtp-rhino)", "othello(size=6)", "othello on 8 x 8"),
        ("external(command=gtp-rhino,options='depth=3')", "othello", "no option 'depth'"),
        ("external(command=mancala)", "kalah", r"plays kalah\(pits=6\)"),
        ("openspiel-mcts", "santorini", "no game with the same rules"),
        ("openspiel-mcts", "breakthrough(rows=5,columns=5)", "no game with the same rules"),
        ("openspiel-mcts", "othello(size=6)", "no game with the same rules"),
    ],
)
def test_games_that_a_program_does_not_play(text: str, game: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        read_kind(text).player(ub.load_game(game), 0)


def test_the_time_of_play_is_for_programs_with_a_clock() -> None:
    game = ub.load_game("othello")
    seats = read_seats(game, "external(command=gtp-rhino),openspiel-mcts", 2)
    assert seats == ["external(command=gtp-rhino)", "openspiel-mcts(seconds=2)"]
    assert read_kind(seats[0]).seconds_per_move is None
    assert read_kind("external(command=fairy-stockfish)").seconds_per_move == 1.0
