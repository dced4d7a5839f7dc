# SPDX-License-Identifier: MIT
"""Playing at the terminal: what can be typed, Ctrl-C, leaving."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_cli import ENVIRONMENT, PROGRAM, Here, OnTerminal, here, is_one_line, run  # noqa: F401

import unbounded as ub
from unbounded.game import UsageError
from unbounded.interfaces.session import Session
from unbounded.interfaces.terminal.play import TerminalGame, read_seats

MACHINE = "ubfm(iterations=30)"


def said(*words: str) -> Iterator[str]:
    yield from words


def play(capsys: pytest.CaptureFixture[str], session: Session, *words: str) -> str:
    """Play by saying these words; return what was shown."""
    lines = said(*words)

    def ask(_: str) -> str:
        try:
            return next(lines)
        except StopIteration:
            raise EOFError from None

    TerminalGame(session, 0.05, ask).run()
    return capsys.readouterr().out


def test_a_whole_game(capsys: pytest.CaptureFixture[str]) -> None:
    session = Session("tic-tac-toe", ["human", "human"])
    shown = play(capsys, session, "a1", "a2", "b1", "b2", "c1", "c2")
    assert "player 1 wins" in shown
    assert session.moves == ["a1", "a2", "b1", "b2", "c1"]


def test_what_can_be_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    session = Session("tic-tac-toe", ["human", MACHINE])
    words = [
        "help",
        "moves",
        "zz",
        "a1",
        "hint",
        "why",
        "why b3",
        "analysis",
        "undo",
        "undo",
        "",
        f"save {path}",
    ]
    shown = play(capsys, session, *words, "save", "quit")
    assert "take back" in shown
    assert "a1 b1 c1" in shown
    assert "illegal move 'zz'" in shown
    assert "estimated" in shown or "proven" in shown
    assert "nothing to take back" in shown
    assert "save where?" in shown
    assert Session.load(path).moves == []
    assert "wins" not in shown


def test_a_machine_says_what_it_knows(capsys: pytest.CaptureFixture[str]) -> None:
    session = Session("tic-tac-toe", ["human", "ubfm(iterations=2000)"])
    shown = play(capsys, session, "a1")
    assert "player 2 (O) plays" in shown
    assert "proven: draw" in shown


def test_seats() -> None:
    three = ub.load_game("nim(players=3)")
    assert read_seats(three, "", 2) == ["human", *["ubfm-safest(seconds=2)"] * 2]
    assert read_seats(three, "ubfm(rule=safest)", 3)[0] == "ubfm(seconds=3,rule=safest)"
    assert read_seats(three, "random,human,ubfm(iterations=3,rule=safest)", 1) == [
        "random",
        "human",
        "ubfm(iterations=3,rule=safest)",
    ]
    with pytest.raises(UsageError, match="has 2 seats"):
        read_seats(ub.load_game("nim"), "human,human,human", 1)
    with pytest.raises(UsageError, match="unknown player"):
        read_seats(three, "humam", 1)


@pytest.mark.parametrize(
    "arguments",
    [
        ["play", "nothing"],
        ["play", "nim", "--seats", "human,human,human"],
        ["play", "nim", "--seats", "nobody"],
        ["play", "nim", "--load", "nowhere"],
    ],
    ids=" ".join,
)
def test_wrong_use(here: Here, arguments: list[str]) -> None:  # noqa: F811
    assert here(*arguments) == 2
    assert is_one_line(here.err)


def test_machines_meet_on_the_command_line(here: Here) -> None:  # noqa: F811
    assert here("play", "tic-tac-toe", "--seats", f"{MACHINE},{MACHINE}") == 0
    assert "played: " in here.out
    assert "draw" in here.out or "wins" in here.out


CTRL_C = "\x03"


SLOW = "ubfm(seconds=60)"


def _own_the_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # so that Ctrl-C is a signal


class AtTheKeyboard(OnTerminal):
    """The program on a terminal of its own, where keys are pressed."""

    def __init__(self, *arguments: str) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.process = subprocess.Popen(
            [*PROGRAM, "play", *arguments],
            env=ENVIRONMENT | {"TERM": "xterm"},
            stdin=slave,
            stdout=slave,
            stderr=slave,
            text=True,
            start_new_session=True,
            preexec_fn=_own_the_terminal,  # noqa: PLW1509
        )
        os.close(slave)
        self.seen = ""

    def press(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def leave(self) -> int:
        """Press Ctrl-C until it has gone: just before a prompt, one can be lost on readline."""
        end = time.monotonic() + 60
        while time.monotonic() < end and self._read(0.5):
            if self.process.poll() is None and "left" not in self.seen:
                self.press(CTRL_C)
        return self.process.wait(timeout=30)

    def next(self, text: str) -> None:
        """Wait until something is shown that was not there before."""
        self.wait_for(text)
        self.seen = self.seen[self.seen.index(text) + len(text) :]


@contextlib.contextmanager
def at_the_keyboard(*arguments: str) -> Iterator[AtTheKeyboard]:
    program = AtTheKeyboard(*arguments)
    try:
        yield program
    finally:
        program.close()


def test_ctrl_c_pauses_machines_and_they_go_on(tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    with at_the_keyboard("connect-four", "--seats", f"random,{SLOW}") as program:
        program.next("plays")
        program.next("Ctrl-C: pause")
        time.sleep(0.3)
        program.press(CTRL_C)
        program.next("paused: ")
        program.press("dance\n")
        program.next("say save FILE")
        program.press("\n")
        program.next("is thinking")
        time.sleep(0.3)
        program.press(CTRL_C)
        program.next("paused: ")
        program.press(f"save {path}\n")
        program.next("go on with: unbounded play --load")
        assert program.leave() == 0
    assert "left; go on with: unbounded play --load" in program.seen
    assert "Traceback" not in program.seen
    assert len(Session.load(path).moves) == 1  # the move that was not thought out is not played


def test_ctrl_c_makes_a_machine_move_and_a_second_one_pauses() -> None:
    with at_the_keyboard("connect-four", "--seats", f"{SLOW},human") as program:
        program.next("Ctrl-C: move now")
        time.sleep(0.3)
        program.press(CTRL_C)
        program.next("plays")
        program.next("your move")
        program.press("1\n")
        program.next("Ctrl-C: move now")
        time.sleep(0.3)
        program.press(CTRL_C)
        program.next("your move")
        time.sleep(0.3)
        program.press(CTRL_C)
        program.next("quit leaves")
        assert program.leave() == 0
    assert "left after 3 moves, not saved" in program.seen
    assert "Traceback" not in program.seen


def test_any_number_of_ctrl_c_leaves_in_good_order() -> None:
    with at_the_keyboard("connect-four", "--seats", f"{SLOW},{SLOW}") as program:
        program.wait_for("is thinking")
        for _ in range(3):
            program.press(CTRL_C)
            time.sleep(0.02)
        # Where one comes after it has left, nothing is left to do but to end.
        assert program.leave() in (0, 128 + signal.SIGINT)
    assert "Traceback" not in program.seen


def test_ctrl_c_while_the_program_ends_does_not_kill_it() -> None:
    for _ in range(3):
        command = [*PROGRAM, "games"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
            assert program.stdout is not None
            assert program.stdout.read(1)
            while program.poll() is None:
                program.send_signal(signal.SIGINT)
                time.sleep(0.001)
        assert program.returncode in (0, 128 + signal.SIGINT)


def test_sigterm_leaves_without_a_question() -> None:
    with at_the_keyboard("connect-four", "--seats", f"{SLOW},human") as program:
        program.next("is thinking")
        time.sleep(0.3)
        program.process.send_signal(signal.SIGTERM)
        code, _ = program.finish()
    assert code == 128 + signal.SIGTERM
    assert "Traceback" not in program.seen


def test_ctrl_c_where_nobody_answers(capsys: pytest.CaptureFixture[str]) -> None:
    session = Session("tic-tac-toe", ["human", "human"])

    def ask(_: str) -> str:
        if not session.moves:
            return "a1"
        raise KeyboardInterrupt

    TerminalGame(session, 0.05, ask).run()
    shown = capsys.readouterr().out
    assert "paused" in shown
    assert "left after 1 move, not saved" in shown


def test_saving_does_not_overwrite_another_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("precious", encoding="utf-8")
    session = Session("tic-tac-toe", ["human", "human"])
    shown = play(capsys, session, f"save {old}", f"save {new}", "a1", f"save {new}", "quit")
    assert "exists already" in " ".join(shown.split())
    assert old.read_text(encoding="utf-8") == "precious"
    assert Session.load(new).moves == ["a1"]
    play(capsys, session, f"save {old} --force")
    assert Session.load(old).moves == ["a1"]


def test_closed_input() -> None:
    done = run("play", "tic-tac-toe", stdin=None, preexec_fn=lambda: os.close(0))
    assert done.returncode == 2
    assert is_one_line(done.stderr) and "the standard input is closed" in done.stderr
    machines = ["play", "tic-tac-toe", "--seats", "random,random"]
    assert run(*machines, stdin=None, preexec_fn=lambda: os.close(0)).returncode == 0
