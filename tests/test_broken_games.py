# SPDX-License-Identifier: MIT
"""Whatever is done with a broken game, the answer is a sentence that its author can use."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from broken_games import BROKEN

from unbounded import Search
from unbounded.game import RuleError
from unbounded.interfaces.cli.main import main
from unbounded.interfaces.session import Session
from unbounded.native import compiling, routes
from unbounded.players import read_kind
from unbounded.players.matches.playing import play_game

FILE = Path(__file__).parent / "broken_games.py"
NAMES = [make.__name__ for make, _ in BROKEN]  # type: ignore[attr-defined]
ENDLESS = ("Endless", "GoesRoundSlowly")
"""Nobody can play these to an end."""

ONLY_FOR_CHECK = {
    "CannotSetUp",
    "HasMorePiecesThanCells",
    "SetsUpSomethingElse",
    *("RaisesInEvaluate", "ShowRaises", "ShowsNothing", "EmptyName", "NameTwice", "ActionTwice"),
    *("ParsesCapitalsAsSmall", "CannotParse", "ParseRaises", "InfiniteEvaluation"),
    *("RandomEvaluation", "EvaluationNotZeroSum", "ListAsAction", "ParameterChanged"),
    *("ParameterNotWritable", "WrongLocalBestScore", "ActionsChangeTheState"),
    "NextChangesTheState",
    *(name for name in NAMES if name.startswith(("Draw", "Place"))),
}
"""A search of these asks nothing that is wrong, or is not misled by it."""

COMMANDS: dict[str, list[str]] = {
    "check": ["check", "GAME", "--games", "5", "--quiet"],
    "solve": ["solve", "GAME", "--states", "3000", "--quiet"],
    "analyze": ["analyze", "GAME", "--iterations", "50", "--quiet"],
    "play": ["play", "GAME", "--seats", "ubfm(iterations=50),ubfm(iterations=40)"],
    "match": [
        *(
            "match",
            "ubfm(iterations=50)",
            "ubfm(iterations=40)",
            "--game",
            "GAME",
            "--games",
            "2",
            "--jobs",
            "1",
        ),
        *("--quiet", "--opening", "1"),
    ],
    "engine": ["engine", "--files"],
}

OURS = re.compile(r"AssertionError|--debug shows where|Traceback|object has no attribute")
"""What nobody wants to read: it is about us, or about nothing."""


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "available", lambda: False)
    monkeypatch.setattr(routes, "_warn_uncompiled", lambda _: None)


def run(command: str, name: str, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> tuple[int, str]:
    """Run a command on a broken game; return its exit code and what it said was wrong."""
    game = f"{FILE}:{name}"
    request = json.dumps({"id": 1, "game": game, "iterations": 50}) + "\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(request.encode())))
    code = main([game if word == "GAME" else word for word in COMMANDS[command]])
    said = capsys.readouterr()
    if command != "engine":
        return code, said.err.replace(str(FILE.parent) + "/", "")
    assert code == 0
    answer = json.loads(said.out)
    error = answer.get("error", "").replace(str(FILE.parent) + "/", "")
    return (1 if error else 0), f"unbounded: {error}" if error else ""


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("name", NAMES)
def test_every_command_says_what_is_wrong(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in COMMANDS:
        if name in ENDLESS and command != "check":
            continue
        code, said = run(command, name, monkeypatch, capsys)
        if code == 0 and command != "check" and name in ONLY_FOR_CHECK:
            continue
        assert (code, OURS.search(said)) == (1, None), (command, said)
        assert said.startswith(f"unbounded: broken_games.py:{name}: "), (command, said)
        assert "; " in said or (command == "check" and "what to do: " in said), (command, said)
        assert len(said.splitlines()) == 1 or command == "check", (command, said)


IN_PYTHON = [name for name in NAMES if name not in ONLY_FOR_CHECK and name not in ENDLESS]


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("make", [make for make, _ in BROKEN if make.__name__ in IN_PYTHON])  # type: ignore[attr-defined]
def test_the_library_says_so_too(make: Any) -> None:
    kinds = [read_kind("ubfm(iterations=50)"), read_kind("ubfm(iterations=40)")]
    for ask in (
        lambda: Search(make()).run(iterations=50),
        lambda: play_game(make(), kinds),
        lambda: Session(make(), ["ubfm(iterations=50)"] * make.players).machine_move(),
    ):
        with pytest.raises(RuleError, match="; "):
            ask()


COMPILED = ["TooFewDeclared", "NegativeCount", "UnknownField", "OverflowsField"]


@pytest.mark.parametrize("name", COMPILED)
def test_compiled_rules_are_blamed_in_the_same_words(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("numba")
    code, said = run("solve", name, monkeypatch, capsys)
    assert (code, OURS.search(said)) == (1, None), said
    assert said.startswith(f"unbounded: broken_games.py:{name}: ")
    words = {"TooFewDeclared": "max_actions, which is 1", "NegativeCount": ") returned -1"}
    assert words.get(name, "'remaining'" if name == "UnknownField" else "300 does not fit") in said


def test_an_endless_game_is_no_success(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for limit in ("MOST_MOVES", "LONGEST_IN_PYTHON"):
        monkeypatch.setattr(f"unbounded.conformance.check.{limit}", 11_000)
    code, said = run("check", "Endless", monkeypatch, capsys)
    assert code == 1
    assert re.search("no end of a random game was seen.*unbounded.horizon", said)
