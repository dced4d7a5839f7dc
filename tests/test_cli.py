# SPDX-License-Identifier: MIT
"""The command line: what it prints, how it ends, and that it never shows a traceback."""

from __future__ import annotations

import contextlib
import fcntl
import io
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer
from rich.console import Console
from serving import analysis_shown

from unbounded import Search
from unbounded.game import UsageError
from unbounded.game.notices import LONGEST_MESSAGE, one_line
from unbounded.game.wording import counted
from unbounded.interfaces.cli.app import app
from unbounded.interfaces.cli.flags import in_flags, typed
from unbounded.interfaces.cli.main import main
from unbounded.interfaces.process import Signals
from unbounded.interfaces.terminal import progress, results
from unbounded.search.tree import estimates

PROGRAM = [sys.executable, "-m", "unbounded"]
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
ENVIRONMENT = {
    k: v
    for k, v in os.environ.items()
    if k not in ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "UNBOUNDED_DEBUG")
} | {"TERM": "xterm-256color"}

# Proven by others: these are no results of ours.
ORACLES = [
    ("tic-tac-toe", "", [0, 0]),
    ("connect-four(width=4,height=4)", "", [0, 0]),
    ("nim", "", [1, -1]),
    ("nim", "1:1", [-1, 1]),
]

RESULT_TYPES: dict[str, Any] = {
    "game": str,
    "moves": list,
    "players": int,
    "to_move": (int, type(None)),
    "resolved": bool,
    "outcome": list,
    "score": list,
    "value": list,
    "best_action": (str, type(None)),
    "safest_action": (str, type(None)),
    "pv": list,
    "actions": list,
    "iterations": int,
    "expanded": int,
    "states": int,
    "seconds": float,
    "states_per_second": float,
    "memory_bytes": int,
    "algorithm": str,
    "values": str,
    "evaluation": str,
    "stopped": str,
    "version": str,
}
ACTION_TYPES = {"action": str, "resolved": bool, "outcome": list, "value": list, "visits": int}


# -- running the program --------------------------------------------------------------------------


def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[Any]:
    environment = ENVIRONMENT | options.pop("environment", {})
    options = {"capture_output": True, "text": True, "timeout": 60} | options
    return subprocess.run([*PROGRAM, *arguments], check=False, env=environment, **options)


@dataclass
class Here:
    """The program run in this process."""

    capture: pytest.CaptureFixture[str]
    out: str = ""
    err: str = ""

    def __call__(self, *arguments: str) -> int:
        self.capture.readouterr()
        code = main(arguments)
        self.out, self.err = self.capture.readouterr()
        return code


@pytest.fixture
def here(capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(capsys)


class OnTerminal:
    """The program with stderr on a pseudo-terminal of 80 x 24, and stdout too or on a pipe."""

    def __init__(self, *arguments: str, stdout_too: bool = False, term: str = "xterm") -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.process = subprocess.Popen(
            [*PROGRAM, *arguments],
            env=ENVIRONMENT | {"TERM": term},
            stdin=subprocess.DEVNULL,
            stdout=slave if stdout_too else subprocess.PIPE,
            stderr=slave,
            text=True,
        )
        os.close(slave)
        self.seen = ""

    def _read(self, seconds: float) -> bool:
        """Take in what the terminal shows; whether there may be more."""
        if select.select([self.master], [], [], seconds)[0]:
            try:
                self.seen += os.read(self.master, 65536).decode()
            except OSError:  # the other end is closed
                return False
        return True

    def wait_for(self, text: str, seconds: float = 40.0) -> None:
        end = time.monotonic() + seconds
        while text not in self.seen:
            assert time.monotonic() < end, f"{text!r} has not come: {self.seen!r}"
            assert self._read(0.1), f"ended without {text!r}: {self.seen!r}"

    def finish(self) -> tuple[int, str]:
        """Wait for the end; return the exit code and stdout."""
        while self._read(0.1):
            pass
        out = self.process.communicate(timeout=30)[0] or ""
        return self.process.returncode, out

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
        os.close(self.master)


@contextlib.contextmanager
def on_terminal(*arguments: str, **options: Any) -> Iterator[OnTerminal]:
    program = OnTerminal(*arguments, **options)
    try:
        yield program
    finally:
        program.close()


def is_one_line(err: str) -> bool:
    return err.startswith("unbounded: ") and err.count("\n") == 1 and err.endswith("\n")


def check_result(result: dict[str, Any]) -> None:
    """The schema of a result."""
    for key, kind in RESULT_TYPES.items():
        assert isinstance(result[key], kind), key
    players = result["players"]
    for known in (result, *result["actions"]):
        assert len(known["outcome"]) == len(known["value"]) == players
        for x in known["outcome"]:
            assert x in (-1, 0, 1) if known["resolved"] else x is None
        assert all(isinstance(x, float) for x in known["value"])
    for action in result["actions"]:
        for key, kind in ACTION_TYPES.items():
            assert isinstance(action[key], kind), key
    names = [action["action"] for action in result["actions"]]
    assert result["best_action"] in names or (result["best_action"] is None and not names)


GAMES_IN_A_FILE = '''
import time
from unbounded.game import Game

class Count(Game):
    """Count to `last`; whoever says it wins.

    The rules have a \\u00fc in them.
    """
    zero_sum = True
    def __init__(self, last: int = 3):
        self.last = last
    def initial(self): return (0, 0)
    def player(self, s): return s[1]
    def actions(self, s): return [1, 2][: self.last - s[0]]
    def next(self, s, a): return (s[0] + a, 1 - s[1])
    def outcome(self, s): return [-1, 1] if s[1] == 0 else [1, -1]
    def show(self, s): return "\\u265f" * s[0] + " \\u4e16\\x1b[31mred\\x1b[0m"

class Five(Count):
    """Five play, and the last one loses."""
    zero_sum, players = False, 5
    def next(self, s, a): return (s[0] + a, (s[1] + 1) % 5)
    def outcome(self, s): return [1 if who == s[1] else 0 for who in range(4)] + [-1]

class Cycle(Count):
    """It goes round."""
    def actions(self, s): return [1]
    def next(self, s, a): return (0, 1 - s[1])

class Failing(Count):
    """It divides by zero."""
    def next(self, s, a): return (s[0] + a // (1 - s[0]), 1 - s[1])

class Undrawn(Count):
    """It cannot be drawn."""
    def show(self, s): raise ValueError("no\\npicture")

class Nameless(Count):
    """Its actions have no names."""
    def action_name(self, s, a): raise ValueError("no name")

class Sleeping(Count):
    """It takes its time."""
    def next(self, s, a):
        print("asleep", flush=True)
        time.sleep(60)
'''


@pytest.fixture
def game_file(tmp_path: Path) -> Path:
    path = tmp_path / "counting.py"
    path.write_text(GAMES_IN_A_FILE, encoding="utf-8")
    return path


# -- help, version, games -------------------------------------------------------------------------

WITHOUT_THE_CORE = [
    ["--help"],
    ["solve", "--help"],
    ["games"],
    ["games", "tic-tac-toe"],
    ["solve", "no-such-game"],
    ["solve", "tic-tac-toe", "--moves", "z9"],
    ["solve", "tic-tac-toe", "--memory", "much"],
    ["solve", "tic-tac-toe", "--no-completion"],
    ["check", "no-such-game"],
]


def test_help_games_and_bad_input_do_not_import_the_core() -> None:
    program = f"""
import sys
from unbounded.interfaces.cli.main import main
for arguments in {WITHOUT_THE_CORE!r}:
    main(arguments)
    assert "numba" not in sys.modules, arguments
    assert "unbounded.native._core" not in sys.modules, arguments
"""
    command = [sys.executable, "-c", program]
    subprocess.run(command, check=True, capture_output=True, timeout=60)


def test_no_command_shows_the_help(here: Here) -> None:
    assert here() == 0
    assert "solve" in here.out and "analyze" in here.out
    assert "numbered from 1 for people" in " ".join(here.out.split())


@pytest.mark.parametrize("command", ["games", "check", "solve", "analyze"])
def test_every_command_has_help(here: Here, command: str) -> None:
    assert here(command, "--help") == 0
    assert "--json" in here.out and here.err == ""


def commands() -> list[str]:
    return sorted(getattr(typer.main.get_command(app), "commands"))  # noqa: B009


def test_the_help_is_in_plain_words(here: Here) -> None:
    for command in ([], *([name] for name in commands())):
        assert here(*command, "--help") == 0
        for noise in ("<bool>", "<str>", "<list", "[[", "{", "...]..."):
            assert noise not in here.out, (command, noise)
    assert here("match", "--help") == 0 and "[OPTIONS] PLAYER..." in here.out
    assert here("check", "--help") == 0 and "[OPTIONS] GAME" in here.out
    assert here("games", "--help") == 0 and "[OPTIONS] [GAME]" in here.out


def test_analyze_offers_what_it_takes(here: Here) -> None:
    """Whatever is in its help it takes; the shortcuts of solving are not."""
    assert here("analyze", "--help") == 0
    offered = set(re.findall(r"--[a-z][-a-z]+", here.out))
    assert not offered & {"--all", "--certificate", "--exact-score", "--threads", "--no-bounds"}
    assert "analyze" not in here.out.split("Usage:")[1].partition("\n")[2]
    assert here("solve", "--help") == 0
    assert {"--all", "--certificate", "--exact-score"} <= set(
        re.findall(r"--[a-z][-a-z]+", here.out)
    )
    assert "analyze" not in here.out


def test_version(here: Here) -> None:
    assert here("--version") == 0
    assert re.fullmatch(r"unbounded \S+\n", here.out)


def test_games_lists_every_game(here: Here) -> None:
    assert here("games") == 0
    assert "connect-four(width=7, height=6, line=4, players=2)" in here.out
    assert "horizon(game, plies)" in here.out
    assert here("games", "--json") == 0
    listed = {about["name"]: about for about in json.loads(here.out)}
    assert listed["tic-tac-toe"]["summary"].startswith("Two players")
    width = listed["connect-four"]["parameters"][0]
    assert width == {"name": "width", "type": "int", "required": False, "default": 7}
    assert listed["horizon"]["parameters"][0]["required"]


def test_games_shows_one_game(here: Here) -> None:
    assert here("games", "connect-four(width=5)") == 0
    assert "drop a stone into a column" in here.out
    assert "5 here, default 7" in here.out
    assert "X to move" in here.out
    assert here("games", "connect-four(width=5)", "--json") == 0
    about = json.loads(here.out)
    assert about["values"]["width"] == 5 and about["game"] == "connect-four(width=5)"
    assert here("games", "horizon") == 0
    assert "plies" in here.out


# -- check ----------------------------------------------------------------------------------------


def test_check(here: Here) -> None:
    assert here("check", "tic-tac-toe", "--games", "3") == 0
    assert "conforms to the contract" in here.out
    assert here("check", "tic-tac-toe", "--games", "3", "--seed", "1", "--json") == 0
    report = json.loads(here.out)
    assert report["conforms"] is True and report["games"] == 3
    assert {tuple(x["outcome"]) for x in report["outcomes"]} <= {(1, -1), (0, 0), (-1, 1)}


def test_check_of_a_broken_game(here: Here, game_file: Path) -> None:
    assert here("check", f"{game_file}:Cycle") == 1
    assert here.err.startswith("unbounded: ") and "cycle" in here.err
    assert "Traceback" not in here.err and here.out == ""
    assert here("check", f"{game_file}:Failing", "--json") == 1
    report = json.loads(here.out)
    assert report["conforms"] is False and "ZeroDivisionError" in report["broken"]


# -- solve and analyze ----------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "moves", "outcome"), ORACLES)
@pytest.mark.parametrize("algorithm", ["ubfm", "descent"])
def test_values_of_solved_games(
    here: Here, game: str, moves: str, outcome: list[int], algorithm: str
) -> None:
    assert here("solve", game, "--moves", moves, "--algorithm", algorithm, "--json") == 0
    result = json.loads(here.out)
    check_result(result)
    assert result["resolved"] and result["outcome"] == outcome
    assert result["stopped"] == "resolved" and result["algorithm"] == algorithm
    assert here.err == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["connect-four", "--iterations", "10"],
        ["connect-four", "--iterations", "0"],
        ["connect-four", "--states", "100", "--moves", "4 4 3"],
        ["connect-four", "--memory", "1k"],
        ["connect-four", "--seconds", "0"],
        ["tic-tac-toe", "--moves", "a1 a2 b1 b2 c1"],
        ["tic-tac-toe", "--no-completion", "--iterations", "50"],
        ["nim(players=3)"],
        ["nim(players=3)", "--values", "propagated-completion"],
        ["tic-tac-toe", "--paper", "--resolve-on-win"],
        ["tic-tac-toe", "--algorithm", "descent", "--stop-at-draw", "--iterations", "99"],
        ["tic-tac-toe", "--evaluation", "playouts(2)", "--seed", "3", "--iterations", "9"],
        ["graph"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("command", ["solve", "analyze"])
def test_json_is_one_object(here: Here, command: str, arguments: list[str]) -> None:
    code = here(command, *arguments, "--json")
    assert here.out.count("\n") == 1 and here.err == ""
    result = json.loads(here.out)
    check_result(result)
    assert code == (0 if result["resolved"] or command == "analyze" else 3)


def test_limits_are_kept(here: Here) -> None:
    assert here("solve", "connect-four", "--iterations", "10", "--json") == 3
    result = json.loads(here.out)
    assert result["iterations"] == 10 and result["stopped"] == "iterations"
    assert here("solve", "connect-four", "--states", "1000", "--json") == 3
    result = json.loads(here.out)
    assert 1000 <= result["states"] + result["probed"] < 1100 and result["stopped"] == "states"
    assert here("solve", "connect-four", "--states", "1000", "--no-bounds", "--json") == 3
    result = json.loads(here.out)
    assert 1000 <= result["states"] < 1100 and result["stopped"] == "states"
    assert here("solve", "connect-four", "--seconds", "0.3", "--json") == 3
    assert json.loads(here.out)["stopped"] == "seconds"


def test_equal_seeds_give_equal_results(here: Here) -> None:
    found = []
    for seed in ("1", "1", "2"):
        arguments = ["connect-four", "--evaluation", "playouts", "--iterations", "99"]
        assert here("solve", *arguments, "--seed", seed, "--json") == 3
        found.append(json.loads(here.out)["actions"])
    assert found[0] == found[1] != found[2]


def test_the_text_keeps_proven_and_estimated_apart(here: Here) -> None:
    assert here("solve", "tic-tac-toe", "--no-bounds") == 0
    assert "proven: draw" in here.out and "estimated" not in here.out
    assert here("solve", "tic-tac-toe") == 0  # here other actions may be left open
    assert "proven: draw" in here.out and not re.search("^estimated", here.out, re.MULTILINE)
    assert "X to move" in here.out and "best line" in here.out
    assert here("solve", "connect-four", "--iterations", "20") == 3
    assert "not proven (stopped by iterations)" in here.out
    assert re.search(r"estimated +player 1 [+-]\d", here.out)
    assert "proven:" not in here.out
    assert here("solve", "tic-tac-toe", "--moves", "a1 b1 a2 b2 a3") == 0
    assert "the game is over: player 1 wins" in here.out
    assert here("solve", "nim(players=3)") == 0
    assert "(an equilibrium)" in here.out


def test_of_many_players_only_the_one_who_moves_is_estimated(here: Here, game_file: Path) -> None:
    assert here("analyze", f"{game_file}:Five(last=20)", "--iterations", "9", "--moves", "1") == 0
    head = [line for line in here.out.splitlines() if line.startswith("action")]
    assert head[0].split()[:4] == ["action", "proven", "player", "2"]
    assert "player 3" not in head[0]


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        ((0, 0), "draw"),
        ((1, -1), "player 1 wins"),
        ((-1, 1), "player 2 wins"),
        ((1, 1), "players 1 and 2 win"),
        ((-1, -1), "players 1 and 2 lose"),
        ((1, 0), "player 1 wins, player 2 draws"),
        ((0, 0, -1), "player 3 loses"),
        ((1, -1, 1), "players 1 and 3 win"),
        ((-1, 0, 1, 0), "player 3 wins, players 2 and 4 draw, player 1 loses"),
        ((-1, 1, -1, -1), "player 2 wins"),
    ],
)
def test_outcomes_in_words(outcome: tuple[int, ...], words: str) -> None:
    assert results.outcome_text(outcome) == words


def test_analyze_shows_replies(here: Here) -> None:
    assert here("analyze", "tic-tac-toe") == 0
    assert "best reply" in here.out
    assert here("analyze", "connect-four", "--seconds", "0.1") == 0
    assert "stopped by seconds" in here.out


def test_many_actions_are_cut_by_solve_only(here: Here) -> None:
    arguments = ["mnk(rows=6,columns=6,line=4)", "--iterations", "5"]
    assert here("solve", *arguments) == 3
    assert "... and 16 more" in here.out
    assert here("analyze", *arguments) == 0
    assert "more" not in here.out and len(re.findall(r"(?m)^[a-f][1-6] ", here.out)) == 36


@pytest.mark.parametrize(
    "arguments",
    [
        ["games"],
        ["games", "nim"],
        ["solve", "connect-four", "--iterations", "2000"],
        ["analyze", "nim(players=3)", "--iterations", "20"],
        ["analyze", "mnk(rows=6,columns=6,line=4)", "--iterations", "200"],
    ],
    ids=" ".join,
)
def test_no_line_is_wider_than_the_terminal(here: Here, arguments: list[str]) -> None:
    assert here(*arguments) == (3 if arguments[0] == "solve" else 0)
    assert max(map(len, here.out.splitlines())) <= 80


# -- bad input ------------------------------------------------------------------------------------

BAD_INPUT = [
    # no such command or option
    ["sovle", "tic-tac-toe"],
    ["solve"],
    ["analyze"],
    ["check"],
    ["--nonsense"],
    ["solve", "tic-tac-toe", "--nonsense"],
    ["solve", "tic-tac-toe", "extra"],
    ["solve", "tic-tac-toe", "--seconds"],
    ["solve", "tic-tac-toe", "--json=yes"],
    ["games", "tic-tac-toe", "extra"],
    # games
    ["solve", ""],
    ["solve", " "],
    ["solve", "no-such-game"],
    ["analyze", "no-such-game"],
    ["check", "no-such-game"],
    ["games", "no-such-game"],
    ["solve", "tic-tac"],
    ["solve", "TicTacToe"],
    ["solve", "tic\0tac"],
    ["solve", "tic\ntac"],
    ["solve", "\x1b[31mred"],
    ["solve", "\udcff\udcfe"],
    ["solve", "x" * 5000],
    ["solve", "x" * 20000],
    ["solve", "connect-four("],
    ["solve", "connect-four)"],
    ["solve", "connect-four(width=)"],
    ["solve", "connect-four(wdith=5)"],
    ["solve", "connect-four(width=0)"],
    ["solve", "connect-four(width=1000)"],
    ["solve", "connect-four(width=wide)"],
    ["solve", "connect-four(width=[5])"],
    ["solve", "connect-four(width=5,width=5)"],
    ["solve", "connect-four(7,6,4,2,1)"],
    ["solve", "connect-four(width=99999999999999999999999)"],
    ["solve", "tic-tac-toe(size=3)"],
    ["solve", "horizon"],
    ["solve", "horizon(tic-tac-toe,-1)"],
    ["solve", "[tic-tac-toe]"],
    ["solve", "(" * 100],
    ["solve", "no/such/file.py"],
    ["solve", "/"],
    ["solve", "graph(file=/no/such/file)"],
    # moves
    ["solve", "tic-tac-toe", "--moves", "z9"],
    ["solve", "tic-tac-toe", "--moves", "a1 a1"],
    ["solve", "tic-tac-toe", "--moves", "a1,b2"],
    ["solve", "tic-tac-toe", "--moves", "a1 b1 a2 b2 a3 b3"],
    ["solve", "connect-four", "--moves", "0"],
    ["solve", "connect-four", "--moves", "4 4 4 4 4 4 4"],
    ["analyze", "connect-four", "--moves", "\udcff"],
    # limits
    ["solve", "tic-tac-toe", "--seconds", "-1"],
    ["solve", "tic-tac-toe", "--seconds", "nan"],
    ["solve", "tic-tac-toe", "--seconds", "inf"],
    ["solve", "tic-tac-toe", "--seconds", "soon"],
    ["solve", "tic-tac-toe", "--iterations", "-1"],
    ["solve", "tic-tac-toe", "--iterations", "1.5"],
    ["solve", "tic-tac-toe", "--iterations", ""],
    ["solve", "tic-tac-toe", "--states", "-1"],
    ["solve", "tic-tac-toe", "--states", "many"],
    ["solve", "tic-tac-toe", "--memory", "much"],
    ["solve", "tic-tac-toe", "--memory", "-4G"],
    ["solve", "tic-tac-toe", "--memory", "4X"],
    ["solve", "tic-tac-toe", "--memory", ""],
    ["solve", "tic-tac-toe", "--seed", "seed"],
    # kinds of search
    ["solve", "tic-tac-toe", "--algorithm", "mcts"],
    ["solve", "tic-tac-toe", "--algorithm", ""],
    ["solve", "tic-tac-toe", "--values", "maximin"],
    ["solve", "nim(players=3)", "--values", "minimax"],
    ["solve", "tic-tac-toe", "--evaluation", "zero(3)"],
    ["solve", "tic-tac-toe", "--evaluation", "guess"],
    ["solve", "tic-tac-toe", "--evaluation", "playouts(0)"],
    ["solve", "tic-tac-toe", "--evaluation", ""],
    ["solve", "tic-tac-toe", "--stop-at-draw"],
    ["solve", "tic-tac-toe", "--local-maximum"],
    ["solve", "tic-tac-toe", "--no-completion"],
    ["solve", "tic-tac-toe", "--algorithm", "descent", "--stop-at-draw"],
    # checking
    ["check", "tic-tac-toe", "--games", "0"],
    ["check", "tic-tac-toe", "--games", "few"],
]


@pytest.mark.parametrize("arguments", BAD_INPUT, ids=lambda x: ascii(" ".join(x))[1:60])
def test_bad_input_is_answered_by_one_line(here: Here, arguments: list[str]) -> None:
    assert here(*arguments) == 2
    assert is_one_line(here.err), here.err
    assert len(here.err) < LONGEST_MESSAGE + 50
    assert here.out == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["solve", "tic-tac"], "did you mean 'tic-tac-toe'?"),
        (["solve", "connect-four(wdith=5)"], "did you mean 'width'?"),
        (["solve", "tic-tac-toe", "--algorithm", "descend"], "did you mean 'descent'?"),
        (["solve", "tic-tac-toe", "--moves", "a1 b1 a2 b2 a3 b3"], "the game is over"),
        (["solve", "tic-tac-toe", "--moves", "a1 a1"], "illegal move 'a1'"),
        (["solve", "tic-tac-toe", "--secnods", "1"], "--secnods"),
    ],
    ids=" ".join,
)
def test_bad_input_gets_a_hint(here: Here, arguments: list[str], words: str) -> None:
    assert here(*arguments) == 2
    assert words in here.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--no-bounds", "--exact-score"], "--exact-score needs bounds, which --no-bounds and"),
        (["--stop-at-draw", "--iterations", "9"], "--stop-at-draw needs --algorithm des"),
        (["--local-maximum"], "--local-maximum needs a game"),
        (["--seconds", "-1"], "--seconds must be a number, 0 or more"),
        (["--iterations", "-1"], "--iterations must be a whole number"),
        (["--memory", "much"], "--memory must be bytes or like 4G"),
        (["--threads", "0"], "--threads must be from 1"),
        (["--evaluation", "guess"], "in Python any function"),
        (["--seed", "seed"], "--seed must be a whole number, not 'seed'"),
        (["--seconds", "soon"], "--seconds must be a number, not 'soon'"),
    ],
    ids=lambda x: " ".join(x) if isinstance(x, list) else "",
)
def test_options_are_called_as_they_are_typed(here: Here, arguments: list[str], words: str) -> None:
    assert here("solve", "tic-tac-toe", *arguments) == 2
    assert words in here.err
    said = here.err.replace("best_score_from", "")  # a rule of the game
    assert not re.search(r"\w_\w|`|=True|=False", said)


def test_in_python_options_are_called_as_python_does() -> None:
    with pytest.raises(UsageError, match=r"^exact_score needs bounds=True$"):
        Search("tic-tac-toe", exact_score=True)
    with pytest.raises(UsageError, match=r"^stop_at_draw needs algorithm='descent'$"):
        Search("tic-tac-toe", stop_at_draw=True)
    with pytest.raises(UsageError, match=r"^seconds must be a number"):
        Search("tic-tac-toe").run(seconds=-1)


def test_a_flag_that_a_command_does_not_have_is_not_named() -> None:
    known = {"--seconds", "--no-bounds", "--values", "--exact-score"}
    assert in_flags("`seconds` and `memory`", known) == "--seconds and memory"
    assert in_flags("`values='minimax'`", known) == "--values minimax"
    assert in_flags("`bounds=False`, `bounds`, `x`", known) == "--no-bounds, bounds, x"
    assert typed("completion", False) == "with --no-completion"
    assert typed("moves", ["a1", "b2"]) == "with --moves a1 b2"


def test_things_are_counted(here: Here) -> None:
    assert counted(1, "game") == "1 game" and counted(1200, "game") == "1,200 games"
    assert counted(2, "ply", "plies") == "2 plies"
    assert here("solve", "connect-four", "--iterations", "1") == 3
    assert "1 iteration\n" in re.sub(" +\n", "\n", here.out)


def test_symmetry_is_named_where_there_is_one(here: Here) -> None:
    assert here("solve", "tic-tac-toe") == 0 and "symmetry" in here.out
    assert here("solve", "nim") == 0 and "symmetry" not in here.out


def test_estimates_never_contradict_what_is_proven(here: Here) -> None:
    assert estimates((0.5, -0.5), ((-1, 1), (-1, 1))) == (0.5, -0.5)
    assert estimates((0.5, -0.5), ((-1, 0), (0, 1))) == (None, None)
    assert estimates((-0.5, 0.5), ((-1, 0), (0, 1))) == (-0.5, 0.5)
    # Here some are: what the search goes by is that of the last visit.
    search = Search("connect-four(width=4,height=4)", bounds=True, probes=True)
    search.run(iterations=50)
    wrong = [c for c in search.root.children if not c.resolved and c.value != c.estimate]
    assert wrong
    table = Console(file=io.StringIO(), width=100)
    table.print(results.actions_table(search.root, most=None, replies=False))
    assert isinstance(table.file, io.StringIO)
    shown = [line for line in table.file.getvalue().splitlines() if line.startswith(wrong[0].name)]
    assert "cannot win" in shown[0] and not re.search(r"[-+]\d", shown[0])
    html = search.result._repr_html_()
    assert f"{wrong[0].value[0]:+.3f}" not in html


def test_an_equilibrium_is_called_one_everywhere(here: Here) -> None:
    game, said = "nim(heaps=[1,2],players=3)", re.compile(r"player \d wins \(an equilibrium\)")
    for arguments in (["solve"], ["solve", "--all"]):
        assert here(arguments[0], game, *arguments[1:]) == 0
        assert said.search(here.out)
        assert here(arguments[0], game, *arguments[1:], "--json") == 0
        assert json.loads(here.out)["equilibrium"] is True
    search = Search(game)
    result = search.run()
    assert str(result).startswith(f"{game}: proven: player") and said.search(str(result))
    assert said.search(result.summary()) and said.search(result._repr_html_())
    assert analysis_shown(search)["equilibrium"] is True
    over = Search(game, moves="1:1 2:1 2:1").result
    assert "equilibrium" not in over.summary() and over.summary().startswith("the game is over")
    assert Search("tic-tac-toe").run().summary() == "proven: draw"


def test_messages_are_made_one_line() -> None:
    assert one_line("a\n  b\tc\x1b[31m") == "a b c\\x1b[31m"
    assert len(one_line("x" * 10_000)) == LONGEST_MESSAGE


# -- broken games ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Cycle", "Failing", "Nameless"])
@pytest.mark.parametrize("more", [[], ["--json"], ["--moves", "1"]], ids=" ".join)
def test_broken_rules_are_answered_by_one_line(
    here: Here, game_file: Path, name: str, more: list[str]
) -> None:
    assert here("solve", f"{game_file}:{name}", *more) == 1
    assert is_one_line(here.err) and "Traceback" not in here.err
    assert here.out == ""


def test_a_traceback_only_for_those_who_ask(
    here: Here, game_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert here("solve", f"{game_file}:Failing", "--debug") == 1
    assert "Traceback" in here.err and "ZeroDivisionError" in here.err
    monkeypatch.setenv("UNBOUNDED_DEBUG", "1")
    assert here("solve", "no-such-game") == 2
    assert "Traceback" in here.err
    monkeypatch.setenv("UNBOUNDED_DEBUG", "0")
    assert here("solve", "no-such-game") == 2
    assert is_one_line(here.err)


def test_a_game_that_cannot_be_drawn_is_solved(here: Here, game_file: Path) -> None:
    assert here("solve", f"{game_file}:Undrawn") == 0
    assert "show failed: ValueError" in here.out and "proven: player 2 wins" in here.out
    assert here("games", f"{game_file}:Undrawn") == 0


def test_warnings_are_one_line(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    def games() -> dict[str, Any]:
        warnings.simplefilter("always")
        warnings.warn("look\nout", stacklevel=1)
        return {}

    monkeypatch.setattr("unbounded.game.catalogue.games", games)
    assert here("games") == 0
    assert here.err == "unbounded: warning: look out\n"


# -- streams --------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [["--help"], ["games"], ["solve", "graph"]])
def test_a_closed_stdout_is_no_error(arguments: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    ended = run(*arguments, capture_output=False, stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert ended.returncode == 128 + signal.SIGPIPE
    assert ended.stderr == ""


def test_a_full_disk_is_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        ended = run("games", capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert ended.returncode == 1 and is_one_line(ended.stderr)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_any_encoding_will_do(game_file: Path, encoding: str) -> None:
    for arguments in (["games"], ["solve"], ["analyze", "--json"]):
        command, *options = arguments
        ended = run(
            command,
            f"{game_file}:Count",
            *options,
            environment={"PYTHONIOENCODING": encoding},
            text=False,
        )
        assert ended.returncode == 0 and ended.stderr == b""
        ended.stdout.decode(encoding)
    ended = run("--help", environment={"PYTHONIOENCODING": encoding}, text=False)
    assert ended.returncode == 0 and ended.stderr == b""


def test_nothing_but_the_answer_where_there_is_no_terminal() -> None:
    ended = run("solve", "connect-four", "--seconds", "0.5")
    assert ended.returncode == 3
    assert ended.stderr == "" and "\x1b" not in ended.stdout


def test_lines_of_progress_where_there_is_no_terminal(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0.3)
    assert here("solve", "connect-four", "--seconds", "1", "--json") == 3
    lines = here.err.splitlines()
    assert 1 <= len(lines) <= 3
    for line in lines:
        assert re.match(r"unbounded: \d+ s, [\d,]+ states, [\d,]+ resolved, .* estimated: ", line)
    json.loads(here.out)
    assert here("solve", "connect-four", "--seconds", "0.7", "--json", "--quiet") == 3
    assert here.err == ""


def test_live_display_on_a_terminal() -> None:
    with on_terminal("solve", "connect-four", "--seconds", "1", "--json") as program:
        code, out = program.finish()
    assert code == 3
    check_result(json.loads(out))
    assert "\x1b[" in program.seen
    shown = ESCAPE.sub("", program.seen)
    for words in ("preparing", "estimated: player 1", "best line", "resolved)", "MiB", "Ctrl-C"):
        assert words in shown
    assert program.seen.count("Ctrl-C") <= 8, "about five drawings per second"
    assert program.seen.rstrip().endswith("\x1b[2K"), "nothing of it stays"


def test_analysis_on_a_terminal_fits_it() -> None:
    arguments = ["mnk(rows=6,columns=6,line=4)", "--seconds", "1"]
    with on_terminal("analyze", *arguments, stdout_too=True) as program:
        code, _ = program.finish()
    assert code == 0
    shown = ESCAPE.sub("", program.seen).replace("\r", "\n")
    assert "... and" in shown and "best reply" in shown and "verdict" in shown
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize("term", ["dumb", "xterm"])
def test_quiet_and_dumb_terminals_show_no_display(term: str) -> None:
    options = ["--quiet"] if term == "xterm" else []
    with on_terminal("solve", "graph", "--json", *options, term=term) as program:
        code, out = program.finish()
    assert code == 0 and program.seen == ""
    json.loads(out)


# -- signals and memory ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "options"),
    [(signal.SIGINT, ["--json"]), (signal.SIGINT, []), (signal.SIGTERM, ["--json"])],
)
def test_a_signal_ends_the_search_with_what_is_known(
    number: signal.Signals, options: list[str]
) -> None:
    with on_terminal("solve", "connect-four(width=7,height=6)", *options) as program:
        program.wait_for("estimated")
        time.sleep(0.3)
        program.process.send_signal(number)
        code, out = program.finish()
    assert code == 3
    assert "Traceback" not in program.seen
    if options:
        result = json.loads(out)
        check_result(result)
        assert result["stopped"] == "interrupted" and not result["resolved"]
        assert result["best_action"] in set("1234567")
    else:
        assert "not proven (interrupted)" in out


def test_a_signal_before_the_search_ends_the_program(tmp_path: Path) -> None:
    path = tmp_path / "slow.py"
    path.write_text("import time\nprint('asleep', flush=True)\ntime.sleep(60)\n")
    for number in (signal.SIGINT, signal.SIGTERM):
        with subprocess.Popen(
            [*PROGRAM, "solve", str(path)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "asleep\n"
            process.send_signal(number)
            _, err = process.communicate(timeout=10)
        assert process.returncode == 128 + number
        assert err == "unbounded: interrupted\n"


def test_a_second_signal_ends_the_program_at_once(game_file: Path) -> None:
    with subprocess.Popen(
        [*PROGRAM, "solve", f"{game_file}:Sleeping"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "asleep\n"
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=10)
    assert process.returncode == 130 and err == "unbounded: interrupted\n"


def test_signals_are_given_back() -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with Signals():
        assert signal.getsignal(signal.SIGINT) not in before
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_ignored_signals_stay_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with Signals():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_memory_is_that_of_the_whole_process() -> None:
    limit = 600 << 20  # the program itself, with compiled rules, takes up to 200 of them
    peak = 0
    with subprocess.Popen(
        [
            *PROGRAM,
            "solve",
            "mnk(6,6,4)",
            "--evaluation",
            "zero",
            "--no-probes",
            "--memory",
            "600M",
            "--json",
        ],
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        # Not ru_maxrss, which counts what this process held when it started the other.
        while process.poll() is None:
            status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
            found = re.search(r"VmHWM:\s*(\d+) kB", status)
            peak = max(peak, int(found[1]) * 1024) if found else peak
            time.sleep(0.01)
        result = json.loads(process.stdout.read())
    assert process.returncode == 3 and result["stopped"] == "memory"
    assert limit / 2 <= result["memory_bytes"] <= limit
    assert 0.8 * limit <= peak <= 1.1 * limit


def test_a_little_memory_is_respected(here: Here) -> None:
    assert here("solve", "connect-four", "--no-probes", "--memory", "2M", "--json") == 3
    result = json.loads(here.out)
    assert result["stopped"] == "memory" and result["memory_bytes"] <= 1 << 20
