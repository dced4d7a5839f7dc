# SPDX-License-Identifier: MIT
"""Games in progress, and playing them at the terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_cli import Here, here, is_one_line, on_terminal  # noqa: F401

import unbounded as ub
from unbounded.game import UsageError
from unbounded.session import Session
from unbounded.terminal_play import TerminalGame, read_seats

MACHINE = "ubfm(iterations=30)"


def test_people_and_machines() -> None:
    session = Session("tic-tac-toe", ["human", MACHINE])
    assert session.human_to_move
    assert session.play("B2") == "b2"  # as the game writes it
    assert not session.human_to_move
    decision = session.machine_move()
    assert session.moves == ["b2", decision.name]
    with pytest.raises(UsageError, match="not a machine's turn"):
        session.machine_move()
    with pytest.raises(UsageError, match="illegal move"):
        session.play("b2")


def test_machines_alone_play_to_the_end() -> None:
    session = Session(
        "connect-four(width=4,height=4,line=3,players=3)", [MACHINE, "random", MACHINE]
    )
    while not session.over:
        session.machine_move()
    assert session.outcome() == tuple(session.game.outcome(session.state))
    assert session.legal() == []
    assert session.mover is None
    with pytest.raises(UsageError, match="the game is over"):
        session.play("1")


def test_undo_gives_the_move_back() -> None:
    session = Session("tic-tac-toe", ["human", MACHINE])
    with pytest.raises(UsageError, match="nothing to take back"):
        session.undo()
    session.play("a1")
    first = session.machine_move().name
    session.play(session.legal()[0])
    assert session.undo() == 1
    assert session.moves == ["a1", first]
    assert session.undo() == 2
    assert session.moves == []
    session.play("a1")
    assert session.machine_move().name == first  # it thinks as it did before


def test_undo_among_people() -> None:
    session = Session("tic-tac-toe", ["human", "human"])
    session.play("a1")
    session.play("a2")
    assert session.undo() == 1
    assert session.moves == ["a1"]


def test_resigning() -> None:
    session = Session("nim(players=3)", ["human", "human", MACHINE])
    session.play(session.legal()[0])
    session.resign()
    assert session.over
    assert session.outcome() == (1, -1, 1)
    session.undo()
    assert not session.over


def test_analysis() -> None:
    session = Session("tic-tac-toe", ["human", "human"])
    for move in ["a1", "a2", "b1", "b2"]:
        session.play(move)
    result = session.searched(1.0).result
    assert result.outcome == (1, -1)
    assert result.best_action == "c1"


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    session = Session("hex(size=3)", ["human", MACHINE], seed=4)
    session.play("b2")
    session.machine_move()
    session.save(path)
    again = Session.load(path)
    assert again.to_dict() == session.to_dict()
    assert again.state == session.state
    session.resign()
    session.save(path)
    assert Session.load(path).outcome() == (-1, 1)
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(UsageError, match="cannot be written"):
        session.save(tmp_path / "no" / "x")


@pytest.mark.parametrize(
    "changes",
    [
        {"format": "x"},
        {"version": 2},
        {"game": "nothing"},
        {"game": 1},
        {"game": "/etc/passwd.py"},
        {"seats": ["human"]},
        {"seats": [1, 2]},
        {"seats": ["human", "nobody"]},
        {"moves": ["z9"]},
        {"moves": ["a1", "a1"]},
        {"moves": "a1"},
        {"resigned": 5},
        {"seed": "x"},
    ],
    ids=str,
)
def test_files_are_not_believed(changes: dict[str, object], tmp_path: Path) -> None:
    path = tmp_path / "x"
    told = Session("tic-tac-toe", ["human", "human"]).to_dict() | changes
    path.write_text(json.dumps(told), encoding="utf-8")
    with pytest.raises(UsageError):
        Session.load(path)


def test_what_is_no_file_of_a_game(tmp_path: Path) -> None:
    path = tmp_path / "x"
    for content in (b"", b"[]", b"\xff", b"{" * 10**5):
        path.write_bytes(content)
        with pytest.raises(UsageError):
            Session.load(path)
    with pytest.raises(UsageError, match="cannot be read"):
        Session.load(tmp_path)


# -- at the terminal -------------------------------------------------------------------------------


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
    three = ub.game("nim(players=3)")
    assert read_seats(three, "", 2) == ["human", *["ubfm-safest(seconds=2)"] * 2]
    assert read_seats(three, "ubfm(rule=safest)", 3)[0] == "ubfm(seconds=3,rule=safest)"
    assert read_seats(three, "random,human,ubfm(iterations=3,rule=safest)", 1) == [
        "random",
        "human",
        "ubfm(iterations=3,rule=safest)",
    ]
    with pytest.raises(UsageError, match="has 2 seats"):
        read_seats(ub.game("nim"), "human,human,human", 1)
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


def test_redo_plays_again_what_was_taken_back() -> None:
    session = Session("tic-tac-toe", ["human", "greedy"])
    session.play("b2")
    session.machine_move()
    played = list(session.moves)
    assert session.undo() == 2
    assert session.redo() == 2
    assert session.moves == played
    assert session.undo() == 2
    session.play("a1")
    with pytest.raises(UsageError, match="nothing to play again"):
        session.redo()


def test_redo_among_machines_goes_one_move() -> None:
    session = Session("tic-tac-toe", ["greedy", "random"])
    for _ in range(3):
        session.machine_move()
    session.undo()
    session.undo()
    assert (len(session.moves), len(session.undone)) == (1, 2)
    session.redo()
    assert (len(session.moves), len(session.undone)) == (2, 1)
    session.machine_move()
    assert session.undone == []
