# SPDX-License-Identifier: MIT
"""Games in progress, and files of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_cli import Here, here, is_one_line  # noqa: F401

import unbounded as ub
from unbounded.game import UsageError
from unbounded.interfaces.session import Session

MACHINE = "ubfm(iterations=30)"


def test_people_and_machines() -> None:
    session = Session("tic-tac-toe", ["human", MACHINE])
    assert session.human_to_move
    assert session.play("B2") == "b2"  # in the game's spelling
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
    assert session.machine_move().name == first  # it decides as before


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
    result = session.search(1.0).result
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
def test_invalid_files_are_refused(changes: dict[str, object], tmp_path: Path) -> None:
    path = tmp_path / "x"
    data = Session("tic-tac-toe", ["human", "human"]).to_dict() | changes
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(UsageError):
        Session.load(path)


def test_files_that_are_no_saved_games(tmp_path: Path) -> None:
    path = tmp_path / "x"
    for content in (b"", b"[]", b"\xff", b"{" * 10**5):
        path.write_bytes(content)
        with pytest.raises(UsageError):
            Session.load(path)
    with pytest.raises(UsageError, match="cannot be read"):
        Session.load(tmp_path)


def test_redo_plays_undone_moves() -> None:
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


# -- saved games -----------------------------------------------------------------------------------

MINE = """
from unbounded.games.nim import Nim
class Mine(Nim):
    pass
"""


def test_a_saved_game_knows_its_game(here: Here, tmp_path: Path) -> None:  # noqa: F811
    path = tmp_path / "game.json"
    session = Session("tic-tac-toe", [MACHINE, MACHINE], seed=4)
    session.machine_move()
    session.save(path)
    assert here("play", "--load", str(path)) == 0
    assert "played: " in here.out
    assert here("play", "nim", "--load", str(path)) == 2
    assert "it is a game of tic-tac-toe" in here.err
    assert here("play", "--load", str(path), "--seats", "human") == 2
    assert "--seats is for a new game" in here.err
    assert here("play") == 2
    assert "which game?" in here.err
    assert here("play", "--load", str(tmp_path)) == 2
    assert "is a directory" in here.err


def test_the_rules_of_a_saved_game_are_not_loaded_from_its_file(here: Here, tmp_path: Path) -> None:  # noqa: F811
    mine = tmp_path / "mine.py"
    mine.write_text(MINE, encoding="utf-8")
    path, text = tmp_path / "game.json", f"{mine}:Mine"
    session = Session(text, ["greedy" if ub.load_game(text).has_evaluation else "random", "random"])
    session.machine_move()
    session.save(path)
    assert here("play", "--load", str(path)) == 2
    assert is_one_line(here.err) and "unbounded play FILE.py:NAME --load" in here.err
    assert here("play", text, "--load", str(path)) == 0
    assert here("replay", str(path)) == 2
    assert is_one_line(here.err) and f"--game {text}" in here.err
    assert here("replay", str(path), "--game", text) == 0
    assert "not played to its end" in here.out


def test_replay_of_a_game_that_was_played(here: Here, tmp_path: Path) -> None:  # noqa: F811
    path = tmp_path / "game.json"
    session = Session("tic-tac-toe", ["human", "random"])
    for move in ("a1", "a2", "b1"):
        session.play(move)
    session.save(path)
    assert here("replay", str(path)) == 0
    assert "player 1 (X): human" in here.out
    assert "3. player 1 (X): b1" in here.out
    assert "not played to its end" in here.out
    session.resign()
    session.save(path)
    assert here("replay", str(path)) == 0
    assert "player 1 wins: player 2 (O) resigned" in here.out
    session.undo()
    session.play("b2")
    session.play("c1")
    session.save(path)
    assert here("replay", str(path)) == 0
    assert here.out.endswith("player 1 wins\n")
    assert here("replay", str(path), "--number", "1") == 2
    assert "it has 1 game, numbered" in here.err


@pytest.mark.parametrize(
    "changes",
    [
        {"moves": ["zz"]},
        {"moves": [1]},
        {"seats": ["human"]},
        {"resigned": 7},
        {"resigned": "x"},
        {"outcome": [5, 5]},
        {"outcome": 3},
    ],
    ids=str,
)
def test_replay_refuses_invalid_files(
    changes: dict[str, object],
    here: Here,  # noqa: F811
    tmp_path: Path,
) -> None:
    path = tmp_path / "x"
    data = Session("tic-tac-toe", ["human", "human"]).to_dict() | changes
    path.write_text(json.dumps(data), encoding="utf-8")
    assert here("replay", str(path)) == 2
    assert is_one_line(here.err)
    assert here.out == ""


def test_replay_says_why_it_cannot_read(
    here: Here,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert here("replay", str(tmp_path)) == 2
    assert "is a directory" in here.err
    path = tmp_path / "x"
    path.write_bytes(b"\xff\xfe")
    assert here("replay", str(path)) == 2
    assert "holds no games" in here.err

    def refuse(*_: object, **__: object) -> str:
        raise PermissionError(13, "Permission denied")

    path.write_text("{}", encoding="utf-8")
    monkeypatch.setattr(Path, "read_text", refuse)
    monkeypatch.setattr(Path, "open", refuse)
    for command in (["replay", str(path)], ["play", "--load", str(path)]):
        assert here(*command) == 2
        assert "x cannot be read: Permission denied" in here.err
