# SPDX-License-Identifier: MIT
"""Files that commands are given and files that they write; and the exit codes of all of them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_cli import Here, here, is_one_line  # noqa: F401

import unbounded as ub
from unbounded.game import UsageError
from unbounded.interfaces.cli.files import check_readable
from unbounded.interfaces.session import Session
from unbounded.interfaces.terminal.play import TerminalGame
from unbounded.learning.positions import write_positions
from unbounded.learning.yardsticks import all_open_positions
from unbounded.solving.certificate import certify
from unbounded.solving.table import export
from unbounded.solving.table_files import KINDS

GAME = "nim(heaps=[1,2])"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One file of each kind that there is, by what it is."""
    folder = tmp_path_factory.mktemp("files")
    search = ub.Search(GAME)
    search.run()
    found = {name: folder / name for name in ("certificate", "search", "game", "match")}
    certify(search, found["certificate"])
    search.save(found["search"])
    Session(search.game, ["human", "human"]).save(found["game"])
    played = {"number": 0, "game": GAME, "moves": [], "seats": [], "outcome": [], "opening": 0}
    found["match"].write_text(json.dumps(played) + "\n", "utf-8")
    found["positions"] = folder / "positions"
    write_positions(found["positions"], search.game, all_open_positions(search.game)[:3])
    for kind in KINDS:
        found[kind] = folder / f"x.{kind}"
        export(search, found[kind])
    return found


READING = {
    "verify": ["certificate"],
    "export": ["search"],
    "solve --resume": ["search"],
    "query": list(KINDS),
    "replay": ["match", "game"],
    f"measure {GAME} --positions": ["positions"],
    f"play {GAME} --load": ["game"],
}
COMMANDS = {"certificate": "verify", "search": "solve --resume", "match": "replay"}
COMMANDS |= {"positions": "measure"}
COMMANDS |= {"game": "play --load"} | dict.fromkeys(KINDS, "query")


@pytest.mark.parametrize("command", READING)
def test_a_file_of_another_kind(command: str, files: dict[str, Path], here: Here) -> None:  # noqa: F811
    """It is said what it is, and what can be done with it."""
    for name, path in files.items():
        if name in READING[command]:
            continue
        assert here(*command.split(), str(path)) == 2, name
        assert here.out == ""
        assert is_one_line(here.err)
        assert f"unbounded {COMMANDS[name]}" in here.err


@pytest.mark.parametrize("command", READING)
def test_what_is_no_file_of_ours(command: str, tmp_path: Path, here: Here) -> None:  # noqa: F811
    contents = {"text": b"hello\n", "empty": b"", "json": b'{"a": 1}\n', "list": b"[1]\n"}
    contents |= {"bytes": bytes(range(256)), "sqlite": b"SQLite format 3\0" + bytes(100)}
    contents |= {"safetensors": (2).to_bytes(8, "little") + b"{}" + bytes(100)}
    for name, content in contents.items():
        path = tmp_path / name
        path.write_bytes(content)
        assert here(*command.split(), str(path)) == 2, (name, here.err)
        assert here.out == ""
        assert is_one_line(here.err)
        assert "Error" not in here.err
    assert here(*command.split(), str(tmp_path)) == 2
    assert "is a directory" in here.err
    assert here(*command.split(), str(tmp_path / "nowhere")) == 2
    assert f"there is no file {tmp_path / 'nowhere'}" in here.err


def test_a_file_that_cannot_be_read(
    files: dict[str, Path],
    here: Here,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real: Callable[..., Any] = Path.open

    def locked(path: Path, *given: Any, **named: Any) -> Any:
        if path in files.values():
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, *given, **named)

    monkeypatch.setattr(Path, "open", locked)
    for command, names in READING.items():
        path = files[names[0]]
        assert here(*command.split(), str(path)) == 2
        assert here.err == f"unbounded: {path} cannot be read: Permission denied\n"
        assert here.out == ""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_what_is_no_ordinary_file(here: Here, tmp_path: Path) -> None:  # noqa: F811
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(UsageError, match="not an ordinary file"):
        check_readable(str(pipe), "a certificate")
    assert here("solve", GAME, "--force", "--certificate", str(pipe)) == 2
    assert "not an ordinary file" in here.err
    assert pipe.is_fifo()


# -- writing over ----------------------------------------------------------------------------------

WRITING = {
    "solve --save": ["solve", GAME, "--quiet", "--save"],
    "solve --certificate": ["solve", GAME, "--quiet", "--certificate"],
    "analyze --save": ["analyze", GAME, "--quiet", "--save"],
    "match": ["match", "random", "random", "--game", GAME, "--games=2", "--jobs=1", "-q", "--save"],
    "ablation": [
        "ablation",
        "--game",
        GAME,
        "--games=2",
        "--jobs=1",
        "-q",
        "--iterations=1",
        "--save",
    ],
    "export": ["export", "SEARCH", "--to", "jsonl", "--output"],
}


@pytest.mark.parametrize("command", WRITING)
def test_nothing_is_written_over_unless_that_is_asked_for(
    command: str,
    files: dict[str, Path],
    tmp_path: Path,
    here: Here,  # noqa: F811
) -> None:
    path = tmp_path / "precious"
    path.write_text("months of work")
    arguments = [str(files["search"]) if x == "SEARCH" else x for x in WRITING[command]]
    assert here(*arguments, str(path)) == 2
    assert here.out == ""
    assert is_one_line(here.err)
    assert "precious exists already" in here.err
    assert "--force" in here.err
    assert path.read_text() == "months of work"
    assert here(*arguments, str(path), "--force") == 0
    assert path.read_bytes() != b"months of work"


def test_no_two_files_are_one(tmp_path: Path, here: Here) -> None:  # noqa: F811
    path = str(tmp_path / "x")
    assert here("solve", GAME, "--save", path, "--certificate", path) == 2
    assert here("solve", GAME, "--save", path, "--quiet") == 0
    assert here("solve", "--resume", path, "--certificate", path, "--force") == 2
    assert here("export", path, "--to", "jsonl", "--output", path, "--force") == 2
    assert here("solve", "--resume", path, "--save", path, "--quiet") == 0  # its own file


def test_a_game_is_saved_over_itself_only(tmp_path: Path) -> None:
    session = Session(ub.load_game(GAME), ["human", "human"])
    mine, other = tmp_path / "mine", tmp_path / "other"
    other.write_text("something else")
    said = iter([f"save {mine}", f"save {mine}", f"save {other}"])

    def ask(_: str) -> str:
        try:
            return next(said)
        except StopIteration:
            raise EOFError from None

    TerminalGame(session, 0.1, ask).run()
    assert Session.load(mine).moves == []
    assert other.read_text() == "something else"
    said = iter(["1:1", f"save {mine}", f"save {other} --force"])
    TerminalGame(Session.load(mine), 0.1, ask, file=str(mine)).run()
    assert Session.load(mine).moves == Session.load(other).moves == ["1:1"]


def test_a_match_goes_on_though_games_cannot_be_saved(
    tmp_path: Path,
    here: Here,  # noqa: F811
) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no disk that is always full")
    path = tmp_path / "games"
    with pytest.MonkeyPatch.context() as patch:
        real: Callable[..., Any] = Path.open
        patch.setattr(
            Path,
            "open",
            lambda p, *a, **k: real(Path("/dev/full") if p == path else p, *a, **k),
        )
        assert here(*WRITING["match"], str(path), "--json") == 1
    assert sum(json.loads(here.out)["standings"][0]["won"]) >= 0
    assert is_one_line(here.err)
    assert "cannot be written" in here.err


# -- exit codes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "command"),
    [
        (0, f"solve {GAME}"),
        (0, f"solve {GAME} --all"),
        (0, f"analyze {GAME} --iterations 1"),
        (2, "solve nimm"),
        (3, "solve connect-four --iterations 5"),
        (3, "solve connect-four --states 100"),
        (3, "solve connect-four --all --states 100"),
        (3, "solve connect-four --no-completion --iterations 5"),
    ],
)
@pytest.mark.parametrize("form", [["--quiet"], ["--json"]])
def test_the_exit_code_says_whether_it_is_proven(
    code: int,
    command: str,
    form: list[str],
    here: Here,  # noqa: F811
) -> None:
    assert here(*command.split(), *form) == code


def test_the_exit_codes_are_in_the_help(here: Here) -> None:  # noqa: F811
    assert here("--help") == 0
    assert "3 stopped before it was proven" in " ".join(here.out.split())


# -- going on --------------------------------------------------------------------------------------


def test_it_is_said_how_to_go_on(tmp_path: Path, here: Here) -> None:  # noqa: F811
    path = str(tmp_path / "my search")
    said = f"unbounded: saved in {path}; go on with: unbounded"
    asked = ["connect-four", "--states", "100", "--quiet"]
    assert here("solve", *asked, "--save", path) == 3
    assert here.err == f"{said} solve --resume '{path}'\n"
    assert here("solve", "--resume", path, "--states", "100", "--quiet") == 3
    assert here.err == f"{said} solve --resume '{path}'\n"
    assert here("solve", *asked, "--save", path, "--force", "--all") == 3
    assert here.err == f"{said} solve --all --resume '{path}'\n"
    assert here("analyze", *asked, "--save", path, "--force") == 0
    assert here.err == f"{said} analyze --resume '{path}'\n"
    assert here("solve", *asked, "--save", path, "--force", "--json") == 3
    assert json.loads(here.out)["saved"] == path
    assert here.err == ""
    assert here("solve", GAME, "--save", path, "--force", "--quiet") == 0
    assert here.err == ""  # there is nothing to go on with


def test_a_game_in_a_file_is_named(tmp_path: Path, here: Here) -> None:  # noqa: F811
    game = tmp_path / "taking.py"
    game.write_text(TAKING, "utf-8")
    path = str(tmp_path / "x")
    assert here("solve", str(game), "--iterations=1", "--quiet", "--save", path) == 3
    command = here.err.partition("go on with: unbounded ")[2].split()
    assert command == ["solve", str(game), "--resume", path]
    assert here(*command) == 0


TAKING = """
from unbounded import Game

class Taking(Game):
    zero_sum = True

    def initial(self):
        return (5, 0)

    def player(self, state):
        return state[1]

    def actions(self, state):
        return [n for n in (1, 2) if n <= state[0]]

    def next(self, state, action):
        return (state[0] - action, 1 - state[1])

    def outcome(self, state):
        return [-1, 1] if state[1] == 0 else [1, -1]
"""


def test_nothing_is_said_to_be_saved_that_is_not(
    tmp_path: Path,
    here: Here,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("unbounded.storage.atomic_files.DISK.write", full)
    asked = ["solve", "connect-four", "--states", "100", "--save", str(tmp_path / "x")]
    assert here(*asked, "--quiet") == 1
    assert "saved in" not in here.err
    assert "not proven" in here.out
    assert here(*asked, "--json") == 1
    assert json.loads(here.out)["saved"] is None
