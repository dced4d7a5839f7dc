# SPDX-License-Identifier: MIT
"""A claims file behind the page, without a browser: what is sent, when, and to whom."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from serving import GENEROUS, connected, cookie, get, host, http_request, serving
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from written_claims import HOSTILE, write_example, writing

from unbounded.cluster.browsing import ClaimsView
from unbounded.cluster.claims_file import ClaimsFile
from unbounded.game import UsageError
from unbounded.game.catalogue import load_game
from unbounded.interfaces.cli.main import main
from unbounded.interfaces.web import claims
from unbounded.interfaces.web.claims import ClaimsReader, overview_of, position_view
from unbounded.interfaces.web.server import Server


@pytest.fixture
def path(tmp_path: Path) -> Path:
    written = tmp_path / "example.claims"
    write_example(written)
    return written


@pytest.fixture
def server(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(claims, "INTERVAL", 0.05)
    with serving(claims=ClaimsReader(path)) as running:
        yield running


class ClaimsPage:
    """Sends the requests of the page, and keeps the latest event."""

    def __init__(self, server: Server) -> None:
        self._open = contextlib.ExitStack()
        self.connection = self._open.enter_context(connected(server, path="live-claims"))
        self.event: dict[str, Any] = {}
        self.until(lambda event: True)

    def until(self, expected: Any) -> None:
        while not (self.event and expected(self.event)):
            message = self._read()
            assert message["event"] == "claims"
            self.event = message["data"]

    def _read(self) -> Any:
        return json.loads(self.connection.recv(timeout=GENEROUS), parse_constant=pytest.fail)

    def ask(self, request: str, **fields: Any) -> dict[str, Any]:
        self.connection.send(json.dumps({"id": 1, "request": request, **fields}))
        while "id" not in (message := self._read()):
            self.event = message["data"]
        return dict(message)

    def position(self, *moves: str) -> dict[str, Any]:
        return dict(self.ask("position", moves=moves)["result"])

    def close(self) -> None:
        self._open.close()


@pytest.fixture
def page(server: Server) -> Iterator[ClaimsPage]:
    with contextlib.closing(ClaimsPage(server)) as opened:
        yield opened


def test_the_overview(page: ClaimsPage) -> None:
    event = page.event
    assert event["file"] == "example.claims" and event["game"] == "tic-tac-toe"
    assert event["failure"] is None and event["proof"] is None
    assert event["root"]["proven"] == {
        "outcome": [[0, 1], [-1, 0]],
        "score": None,
        "claims": [">=0"],
    }
    assert event["jobs"] == {"open": 3, "solved": 3, "refused": 1, "running": 1}
    assert event["refused"][0]["worker"] == HOSTILE
    rates = {worker["name"]: worker["rate"] for worker in event["workers"]}
    assert rates["worker 2"] == 2500 and event["worker_count"] == 3
    assert 0 <= event["share"] < 1
    assert event["counts"]["claims"] == 3 and event["counts"]["checked"] == 2


def test_a_position(page: ClaimsPage) -> None:
    root = page.position()
    assert root["svg"].startswith("<svg") and root["count"] == len(root["children"]) == 9
    assert {action["name"] for action in root["actions"]} == {
        child["move"] for child in root["children"]
    }
    first = root["children"][0]
    assert first["move"] == "b2" and first["proven"]["claims"] == [">=0"]
    leaf = page.position("b2", "a1")
    assert leaf["leaf"] and leaf["running"] and leaf["proven"] is None and leaf["estimates"]
    assert leaf["actions"] == [] and leaf["action_count"] == 7, "they are not in the file"


def test_three_players(tmp_path: Path) -> None:
    """Whoever takes the third and last stone wins."""
    path = tmp_path / "three"
    with writing(path, "nim(heaps=[1,1,1],players=3)") as write:
        write.expand("", 0.5)
        write.claim("=-1,-1,1", "1:1")
        write.claim("=-1,-1,1", "2:1", checked=False)
    with ClaimsFile.read(path) as file:
        view = ClaimsView(file, file.game())
    overview = overview_of(view, path)
    assert overview["note"] == "an equilibrium" and len(overview["players"]) == 3
    shown = position_view(view, view.root)
    assert shown["proven"] is None and shown["estimates"] is not None
    found = {child["move"]: child for child in shown["children"]}
    assert found["1:1"]["proven"]["outcome"] == [[-1, -1], [-1, -1], [1, 1]]
    assert found["2:1"]["proven"] is None and found["2:1"]["accepted"] is not None
    json.dumps([overview, shown], allow_nan=False)


def test_whose_game_it_is(path: Path, tmp_path: Path) -> None:
    """The server's game, if the file is about it; no file of rules is opened for a claims file."""
    ClaimsReader(path, load_game("nim"))  # another game may be on the board
    name = f"{Path(__file__).with_name('hashed_games.py')}:Hashed(players=2,games=3)"
    with writing(tmp_path / "own", name):
        pass
    ClaimsReader(tmp_path / "own", load_game(name))
    with pytest.raises(UsageError):
        ClaimsReader(tmp_path / "own")


def test_wrong_requests(page: ClaimsPage) -> None:
    assert "not in the claims file" in page.ask("position", moves=["a1", "b2"])["error"]
    assert "illegal move" in page.ask("position", moves=[HOSTILE])["error"]
    assert "list of texts" in page.ask("position", moves=3)["error"]
    assert "at most" in page.ask("position", moves=["a1"] * 1500)["error"]
    assert "unknown request" in page.ask("new", game="nim")["error"]
    assert page.position()["count"] == 9


def test_it_follows_a_run(page: ClaimsPage, path: Path) -> None:
    with writing(path) as write:
        write.claim("<=0", "b2")
        page.until(lambda event: event["counts"]["claims"] == 4)
        (center,) = (child for child in page.position()["children"] if child["move"] == "b2")
        assert center["settled"] and center["proven"]["claims"] == [">=0", "<=0"]
        write.claim("<=0", "a1")
        write.claim("<=0", "a2")
        page.until(lambda event: event["root"]["settled"])
    assert page.event["root"]["proven"]["outcome"] == [[0, 0], [0, 0]]
    assert page.event["root"]["accepted"] is None and page.event["seconds_left"] is None


def test_a_file_that_goes_away_and_returns(page: ClaimsPage, path: Path) -> None:
    path.rename(path.with_name("away"))
    page.until(lambda event: event["failure"])
    assert "cannot be read" in page.event["failure"]
    assert page.event["counts"]["claims"] == 3, "what was read stays"
    write_example(path)
    page.until(lambda event: not event["failure"])


def test_claims_that_exclude_each_other_are_an_error(page: ClaimsPage, path: Path) -> None:
    with writing(path) as write:
        write.claim("<=-1", "b2")
        page.until(lambda event: event["failure"])
    assert "exclude each other" in page.event["failure"]


def test_the_file_is_not_written_to(page: ClaimsPage, path: Path, server: Server) -> None:
    before = path.read_bytes()
    page.position("b2")
    with contextlib.closing(ClaimsPage(server)) as other:
        assert other.event == page.event
    assert path.read_bytes() == before


def test_access_control_covers_it(server: Server) -> None:
    for route in ("/claims.html", "/claims.js", "/about.json"):
        assert get(server, route, Host=host(server)).status == 403
        assert get(server, route, Host=host(server), Cookie=cookie(server)).status == 200
    url, origin = f"ws://{host(server)}/live-claims", f"http://{host(server)}"
    with pytest.raises(InvalidStatus):
        connect(url, origin=origin)  # type: ignore[arg-type]
    with pytest.raises(InvalidStatus):
        cookies = {"Cookie": cookie(server)}
        connect(url, origin="http://evil.test", additional_headers=cookies)  # type: ignore[arg-type]


def test_a_server_without_a_claims_file_has_no_such_page() -> None:
    with serving() as running:
        headers = [("Host", host(running)), ("Cookie", cookie(running))]
        assert http_request("GET", running, "/claims.html", headers).status == 404
        assert http_request("GET", running, "/about.json", headers).status == 200
        with pytest.raises(InvalidStatus):
            connected(running, path="live-claims")


@pytest.mark.parametrize("text", [None, "", "no database"])
def test_other_files_are_refused(
    text: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "other"
    if text is not None:
        path.write_text(text)
    assert main(["serve", "--claims", str(path), "--no-browser", "--port", "0"]) == 2
    assert str(path) in capsys.readouterr().err
