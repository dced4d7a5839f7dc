# SPDX-License-Identifier: MIT
"""The tools for assistants, called by the SDK's client in a real process."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from unbounded.game import UsageError
from unbounded.interfaces.cli.main import main
from unbounded.interfaces.mcp.answers import Values
from unbounded.interfaces.mcp.arguments import NoArguments, Searching
from unbounded.interfaces.mcp.limits import Limits
from unbounded.interfaces.mcp.open_games import OpenGames
from unbounded.interfaces.mcp.tools import TOOLS, Call, proven_values
from unbounded.interfaces.mcp.worker import Worker

if importlib.util.find_spec("mcp") is None:
    pytest.skip("these tests need the SDK of MCP: pip install mcp", allow_module_level=True)

import anyio
import failing_tools
from anyio.from_thread import start_blocking_portal
from mcp import Client, MCPError, StdioServerParameters

from unbounded.interfaces.mcp.input_lines import LONGEST_LINE, InputLines, lines_of

DOCS = Path(__file__).parent.parent / "docs"
LONG = 600
"""Seconds: more than a test lasts unless something that should end it does not."""
COMMAND = ["-m", "unbounded", "mcp"]
HANGING = '''
from unbounded import Game

class Hanging(Game):
    """Count to three; the second move never ends."""
    players, zero_sum = 2, True
    def initial(self): return 0
    def player(self, state): return state % 2
    def actions(self, state):
        while state == 2: pass
        return [1] if state < 3 else []
    def next(self, state, action): return state + 1
    def outcome(self, state): return (1, -1)
'''

Ask = Callable[..., Any]


def environment() -> dict[str, str]:
    """What the client of the SDK does not hand on by itself."""
    return {name: x for name, x in os.environ.items() if name.startswith(("PYTHON", "NUMBA"))}


def served(*flags: str) -> Any:
    """A client of a new server."""
    command = StdioServerParameters(
        command=sys.executable, args=[*COMMAND, *flags], env=environment()
    )
    return Client(command)


@pytest.fixture(scope="module")
def ask() -> Iterator[Ask]:
    """Call a tool of one server for all tests; returns the result, or the text of the error."""
    with start_blocking_portal() as portal:
        flags = ("--seconds", "20", "--games", "40")
        with portal.wrap_async_context_manager(served(*flags)) as client:

            def call(name: str, /, **arguments: Any) -> Any:
                result = portal.call(client.call_tool, name, arguments)
                if result.is_error:
                    assert result.structured_content is None
                    return result.content[0].text
                assert json.loads(result.content[0].text) == result.structured_content
                return result.structured_content

            call.client, call.portal = client, portal  # type: ignore[attr-defined]
            yield call


@pytest.fixture(scope="module")
def board(ask: Ask) -> str:
    """The id of an open game: Connect Four, at its start."""
    return str(ask("new_game", game="connect-four")["game_id"])


# -- what is there ---------------------------------------------------------------------------------


def test_every_tool_is_described(ask: Ask) -> None:
    listed = ask.portal.call(ask.client.list_tools).tools  # type: ignore[attr-defined]
    assert [tool.name for tool in listed] == list(TOOLS)
    for tool in listed:
        assert tool.description and "\n" not in tool.description
        assert tool.input_schema["additionalProperties"] is False
        for name, about in tool.input_schema["properties"].items():
            assert about.get("description"), f"{tool.name}: {name}"
        assert tool.output_schema["type"] == "object"
        page = (DOCS / "mcp.md").read_text("utf-8")
        row = re.search(rf"^\| `{tool.name}` \|(.*?)\|", page, re.MULTILINE)
        assert row is not None
        assert set(re.findall(r"`(\w+)`", row[1])) == set(tool.input_schema["properties"])


def test_proven_and_estimated_never_share_a_field() -> None:
    """The names say what a number is."""
    known = {"proven", "proven_score", "distance", "proven_bounds", "estimate", "move"}
    assert set(TOOLS["proven_values"].answer.__dataclass_fields__) >= {"proven", "note"}  # type: ignore[attr-defined]
    from unbounded.interfaces.mcp.answers import MoveValue

    assert set(MoveValue.__dataclass_fields__) == known


def test_the_transcript_on_the_page_is_a_new_one() -> None:
    spec = importlib.util.spec_from_file_location("make_mcp", DOCS / "make_mcp.py")
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    shown = made.BLOCK.search((DOCS / "mcp.md").read_text("utf-8"))
    assert shown is not None and shown[0] == anyio.run(made.transcript), "run docs/make_mcp.py"


def test_games_and_one_of_them(ask: Ask) -> None:
    games = {game["name"]: game for game in ask("list_games")["games"]}
    assert games["hex"]["parameters"][0] == {
        "name": "size",
        "type": "int",
        "required": False,
        "default": "5",
    }
    described = ask("describe_game", game="hex(size=3)")
    assert described["players"] == ["player 1 (R)", "player 2 (B)"] and described["zero_sum"]
    assert len(described["legal_moves"]) == 9 and "a b c" in described["board"]


# -- playing and proving ---------------------------------------------------------------------------


def test_a_whole_game(ask: Ask) -> None:
    begun = ask("new_game", game="tic-tac-toe", moves=["a1", "b2"])
    here = begun["game_id"]
    assert ask("legal_moves", game_id=here)["legal_moves"] == begun["legal_moves"]
    ask("play", game_id=here, move="A2")  # the game's own spelling is returned
    assert ask("show_board", game_id=here)["moves"] == ["a1", "b2", "a2"]
    answered = ask("play", game_id=here, player="ubfm(iterations=200)")
    assert answered["move"] == "a3" and answered["by"].startswith("ubfm(")
    known = answered["proven_before"], answered["estimate_before"]
    assert (known[0] is None) != (known[1] is None)
    assert ask("undo", game_id=here, moves=2)["moves"] == ["a1", "b2"]
    for move in ("a2", "c3", "a3"):
        last = ask("play", game_id=here, move=move)
    assert last["position"]["over"] and last["position"]["outcome"] == [1, -1]
    assert ask("play", game_id=here) == "the game is over"
    assert ask("proven_values", game_id=here) == "the game is over"
    assert here not in ask("close_game", game_id=here)["open_games"]
    assert "no game" in ask("show_board", game_id=here)


def test_a_proof_that_can_be_checked(ask: Ask) -> None:
    here = ask("new_game", game="nim", parameters={"heaps": [1, 2]})["game_id"]
    values = ask("proven_values", game_id=here)
    assert values["all_proven"] and values["proven"] == [1, -1]
    assert {m["move"]: m["proven"][0] for m in values["moves"]} == {"1:1": -1, "2:1": 1, "2:2": -1}
    assert all(move["estimate"] is None for move in values["moves"])
    assert "2:1 is proven" in ask("why", game_id=here)["text"]
    assert "loses" in ask("why", game_id=here, move="1:1")["text"]
    solved = ask("solve", game_id=here, certificate=True)
    text = solved["certificate"]
    verdict = ask("verify", certificate=text)
    assert verdict["accepted"] and verdict["proven"] == solved["proven"] == [1, -1]
    wrong = ask("verify", certificate=text.replace('"1,-1"', '"-1,1"'))
    assert not wrong["accepted"] and "refused" in wrong["reason"] and wrong["proven"] is None
    assert "nim" in ask("verify", certificate=text, game="hex")


def test_games_of_openspiel(ask: Ask) -> None:
    pytest.importorskip("pyspiel", reason="pip install 'unbounded[openspiel]'")
    begun = ask("new_game", game="open_spiel:connect_four", parameters={"rows": 4, "columns": 4})
    here = begun["game_id"]
    assert begun["legal_moves"] == ["x0", "x1", "x2", "x3"]
    assert ask("play", game_id=here, move="x1")["position"]["legal_moves"][0] == "o0"
    values = ask("proven_values", game_id=here)
    assert values["all_proven"] and values["proven"] == [0, 0]
    verdict = ask("verify", certificate=ask("solve", game_id=here, certificate=True)["certificate"])
    assert verdict["accepted"] and verdict["proven"] == [0, 0]
    for name, said in {
        "havannah(board_size=99)": "crashes, hangs or runs out of memory",
        "efg_game(filename=/etc/passwd)": "games from files are not allowed",
        "backgammon": "there is chance",
        "tic_tac_tow": "did you mean 'tic_tac_toe'",
    }.items():
        assert said in ask("new_game", game=f"open_spiel:{name}")


def test_a_budget_that_is_too_small(ask: Ask, board: str) -> None:
    values = ask("proven_values", game_id=board, seconds=0.2)
    assert not values["all_proven"] and values["proven"] is None
    assert all(move["proven"] is None for move in values["moves"])
    solved = ask("solve", game_id=board, seconds=0.1, certificate=True)
    assert solved["proven"] is None and solved["stopped"] == "seconds"
    assert solved["certificate_missing"] == "the outcome is not proven"
    assert ask("why", game_id=board, seconds=0.1)["proven"] is False


def test_more_than_two_players_have_a_note() -> None:
    data = {"format": "unbounded game", "version": 1, "game": "nim(heaps=[2,1],players=3)"}
    data |= {"seats": ["human"] * 3, "moves": [], "seed": 0}
    values = proven_values(Call(Limits(), Searching("g1"), "g1", data))
    assert isinstance(values, Values) and values.note == "an equilibrium"
    assert all(move.proven is not None and len(move.proven) == 3 for move in values.moves)


def test_what_others_prove_of_more_than_two_players_has_a_note_too(ask: Ask) -> None:
    """Two players may prove different outcomes of the same position."""
    for player in ("ubfm(iterations=1000)", "max-n", "mcts"):
        game = ask("new_game", game="nim(heaps=[2,1],players=3)")
        played = ask("play", game_id=game["game_id"], player=player)
        assert played["proven_before"] is not None and played["note"] == "an equilibrium"
        moved = ask("play", game_id=game["game_id"], move=played["position"]["legal_moves"][0])
        assert moved["note"] == ""
    game = ask("new_game", game="nim(heaps=[2,1],players=3)")
    solved = ask("solve", game_id=game["game_id"], certificate=True)
    verdict = ask("verify", certificate=solved["certificate"])
    assert verdict["accepted"] and verdict["note"] == solved["note"] == "an equilibrium"


# -- bad input -------------------------------------------------------------------------------------

HUGE = "x" * 1_000_000
BAD: list[tuple[str, dict[str, Any], str]] = [
    ("list_games", {"more": 1}, "list_games: more: Unexpected keyword argument"),
    ("describe_game", {}, "describe_game: game: Field required"),
    ("describe_game", {"game": "hexx"}, "did you mean 'hex'"),
    ("describe_game", {"game": 7}, "game: Input should be a valid string"),
    ("describe_game", {"game": HUGE}, "is too long; at most 10000"),
    ("describe_game", {"game": "quick-wins(" * 800}, "nested"),
    ("new_game", {"game": "hex(size=1000000000)"}, "hex: size must be"),
    ("new_game", {"game": "hex", "parameters": {"sise": 3}}, "hex"),
    ("new_game", {"game": "hex", "parameters": {"size": [[[[3]]]]}}, "parameters.size"),
    ("new_game", {"game": "hex", "parameters": [1]}, "parameters: Input should be"),
    ("new_game", {"game": "hex", "moves": ["a1", "a1"]}, "illegal move 'a1'"),
    ("new_game", {"game": "hex", "moves": ["a1"] * 6000}, "at most 5000 moves"),
    ("new_game", {"game": "hex", "moves": [HUGE]}, "100000 characters together"),
    ("new_game", {"game": "./mine.py:Mine"}, "games from files are not allowed here"),
    ("new_game", {"game": "graph(file=/etc/passwd)"}, "games from files are not allowed here"),
    ("new_game", {"game": "graph", "parameters": {"file": "/etc/passwd"}}, "games from files are"),
    ("new_game", {"game": "hex", "parameters": {"files": True}}, "hex has no parameter 'files'"),
    ("show_board", {"game_id": "g999"}, "no game 'g999' is open"),
    ("legal_moves", {"game_id": HUGE}, "is open"),
    ("play", {"game_id": "g1", "move": "9"}, "illegal move '9'"),
    ("play", {"game_id": "g1", "move": "1", "player": "ubfm"}, "give either a move, or a player"),
    ("play", {"game_id": "g1", "player": "ubmf"}, "best-reply, mcts, greedy, random"),
    ("play", {"game_id": "g1", "player": "external"}, "external is not allowed here: it runs"),
    ("play", {"game_id": "g1", "player": "ubfm(evaluation=/etc/passwd)"}, "evaluation must be"),
    ("play", {"game_id": "g1", "seconds": 1e9}, "seconds must be from 0 to 20 here, not 1e+09"),
    ("play", {"game_id": "g1", "seconds": -1}, "seconds must be from 0 to 20 here"),
    ("undo", {"game_id": "g1"}, "no move has been played"),
    ("undo", {"game_id": "g1", "moves": "many"}, "moves: Input should be a valid integer"),
    ("proven_values", {"game_id": "g1", "seconds": 1e9}, "seconds must be from 0 to 20"),
    ("proven_values", {"game_id": "g1", "seconds": "soon"}, "seconds: Input should be"),
    ("why", {"game_id": "g1", "seconds": 1e9}, "seconds must be from 0 to 20"),
    ("why", {"game_id": "g1", "move": "9", "seconds": 0.1}, "illegal move '9'"),
    ("solve", {"game_id": "g1", "seconds": 1e9}, "seconds must be from 0 to 20"),
    ("solve", {"game_id": "g1", "certificate": "perhaps"}, "certificate: Input should be"),
    ("verify", {}, "give either the text of a certificate, or the name of a file"),
    ("verify", {"file": "/etc/passwd"}, "unless the server is started with --files"),
    ("verify", {"certificate": HUGE * 2}, "a message takes a certificate of 1,048,576 bytes"),
    ("close_game", {"game_id": ""}, "no game '' is open"),
    ("no_such_tool", {}, "there is no tool 'no_such_tool'"),
]


@pytest.mark.parametrize(("tool", "arguments", "said"), BAD)
def test_bad_input_is_a_tool_error(
    ask: Ask, board: str, tool: str, arguments: dict[str, Any], said: str
) -> None:
    if arguments.get("game_id") == "g1":
        arguments = arguments | {"game_id": board}
    error = ask(tool, **arguments)
    assert isinstance(error, str) and said in error
    assert "\n" not in error and len(error) < 700 and "Traceback" not in error


def test_every_tool_has_bad_input() -> None:
    assert set(TOOLS) <= {tool for tool, _, _ in BAD}


@pytest.mark.parametrize("text", ["", "x", '{"format": "unbounded certificate"}\n', HUGE])
def test_what_is_no_certificate_is_refused(ask: Ask, text: str) -> None:
    verdict = ask("verify", certificate=text)
    assert verdict["accepted"] is False and verdict["reason"] and verdict["proven"] is None


# -- calls that do not end -------------------------------------------------------------------------


def test_a_hung_call_can_be_canceled(tmp_path: Path) -> None:
    """Rules that never return: the call goes, and the game stays."""
    (tmp_path / "hanging.py").write_text(HANGING, "utf-8")

    async def talk() -> None:
        async with served("--files") as client:
            name = f"{tmp_path}/hanging.py:Hanging"
            begun = await client.call_tool("new_game", {"game": name, "moves": ["1"]})
            assert not begun.is_error, begun.content
            with pytest.raises(MCPError):
                arguments = {"game_id": "g1", "move": "1"}
                await client.call_tool("play", arguments, read_timeout_seconds=0.5)
            shown = await client.call_tool("show_board", {"game_id": "g1"})
            assert shown.structured_content["moves"] == ["1"]

    anyio.run(talk)


def worker(**limits: Any) -> Worker:
    return Worker(Limits(**limits), failing_tools.fail)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("hang", "hang did not end within 2 seconds and was stopped; the game is as it was"),
        ("die", "die needed more than the 512M of memory that are allowed here, or was stopped"),
        ("eat", "no memory"),
    ],
)
def test_a_worker_that_fails_is_replaced(name: str, said: str) -> None:
    limits = Limits(seconds=0.5, grace=1.5, memory=1 << 29)
    works = worker(seconds=0.5, grace=1.5, memory=1 << 29)
    try:
        assert said in works.run(name, Call(limits, NoArguments())).error
        again = works.run("no_such_tool", Call(limits, NoArguments()))
        assert "there is no tool" in again.error
    finally:
        works.end()


# -- the process -----------------------------------------------------------------------------------

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def request(number: int, name: str, **arguments: Any) -> str:
    params = {"name": name, "arguments": arguments}
    call = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
    return json.dumps(call) + "\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_though_a_call_runs(number: int) -> None:
    """And whatever was sent, only the protocol is on standard output."""
    process = subprocess.Popen(
        [sys.executable, *COMMAND, "--seconds", str(LONG)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdin.write("no JSON\n{}\n" + "[" * 100_000 + "\n" + json.dumps(HELLO) + "\n")
        process.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        process.stdin.write(request(2, "new_game", game="connect-four"))
        process.stdin.flush()
        answers = {1: "", 2: ""}
        while not all(answers.values()):
            answer = json.loads(process.stdout.readline())
            answers[answer["id"]] = answer["result"]
        process.stdin.write(request(3, "solve", game_id="g1", seconds=LONG))
        process.stdin.flush()
        process.send_signal(number)
        rest, errors = process.communicate(timeout=LONG)
        assert process.returncode == 0 and "Traceback" not in errors
        assert all(json.loads(line)["jsonrpc"] == "2.0" for line in rest.splitlines())
    finally:
        process.kill()


def test_a_signal_before_it_serves_ends_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    from unbounded.interfaces.mcp import server as module

    reading, writing = os.pipe()
    monkeypatch.setattr(module, "InputLines", lambda: InputLines(reading))
    server = module.GameServer(Limits())
    server.stop()
    server.serve()  # does not wait for the end of the input
    os.close(writing)


@pytest.mark.skipif(os.name != "posix", reason="no other system has pseudo-terminals")
def test_a_person_is_told_what_it_waits_for() -> None:
    terminal, other = os.openpty()
    command = [sys.executable, *COMMAND]
    with subprocess.Popen(command, stdin=other, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert "waiting for requests of an assistant" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) in (0, 130), "130 if it was not serving yet"
    os.close(terminal)
    os.close(other)


def test_lines_that_are_too_long_are_dropped() -> None:
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as file:
        import threading

        def write() -> None:
            file.write(b"a\n" + b"b" * (LONGEST_LINE + 9) + b"\n\xffc\nd")
            file.close()

        thread = threading.Thread(target=write)
        thread.start()
        assert list(lines_of(reading)) == ["a\n", "\n", "\ufffdc\n"]
        thread.join()
    os.close(reading)


def test_the_number_of_games_is_limited() -> None:
    games = OpenGames(2)
    for _ in range(2):
        games.require_room()
        games.keep(games.new_id(), {})
    with pytest.raises(UsageError, match="2 games are open already"):
        games.require_room()
    games.close("g1")
    games.require_room()
    assert games.new_id() == "g3"


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--seconds", "0"], "--seconds must be more than 0"),
        (["--grace", "1e9"], "--grace must be more than 0 and at most 86400"),
        (["--memory", "1M"], "--memory must be 512M or more"),
        (["--memory", "much"], "--memory must be bytes or like 4G"),
        (["--games", "0"], "--games must be from 1"),
        (["--threads", "0"], "--threads must be from 1"),
    ],
)
def test_bad_limits(flags: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mcp", *flags]) == 2
    assert said in capsys.readouterr().err


def test_the_missing_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert main(["mcp"]) == 2
    assert "pip install 'unbounded[mcp]'" in capsys.readouterr().err
