# SPDX-License-Identifier: MIT
"""Files that the page opens: saved searches, tables, certificates, runs; and what it refuses."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from serving import GENEROUS, Page, serving

import unbounded as ub
from unbounded.game import UsageError
from unbounded.interfaces.web.opened_files import OpenedFile, OpenedFiles
from unbounded.interfaces.web.server import Server
from unbounded.solving.certificate import certify
from unbounded.solving.table import export

BOARD = "connect-four(width=4,height=4)"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("files")


@pytest.fixture(scope="module")
def files(folder: Path) -> list[OpenedFile]:
    search = ub.Search(BOARD, moves="1 2")
    search.run()
    search.save(folder / "board.search")
    export(search, folder / "board.sqlite")
    solver = ub.Search("tic-tac-toe", moves="b2")
    solver.run()
    certify(solver, folder / "draw.cert")
    text = (folder / "draw.cert").read_text()
    (folder / "bad.cert").write_text(text.replace("<=0", "<=1", 1))
    run = folder / "run"
    run.mkdir()
    config = {"format": "unbounded run", "version": 1, "game": "tic-tac-toe"}
    (run / "config.json").write_text(json.dumps(config))
    rows = [{"generation": k, "loss": 1 / (k + 1), "yardsticks": {"x": 0.5}} for k in range(1200)]
    (run / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    kinds = {
        "board.search": "search",
        "board.sqlite": "table",
        "draw.cert": "certificate",
        "bad.cert": "certificate",
        "run": "learning",
    }
    return [OpenedFile.of(folder / name, kind) for name, kind in kinds.items()]


@pytest.fixture(scope="module")
def server(files: list[OpenedFile]) -> Iterator[Server]:
    with serving(files=files) as running:
        yield running


@pytest.fixture
def page(server: Server) -> Iterator[Page]:
    with contextlib.closing(Page(server)) as opened:
        yield opened


def index(page: Page, name: str) -> int:
    return next(file["index"] for file in page.request("files") if file["name"] == name)


def test_the_list_of_files(page: Page) -> None:
    listed = {file["name"]: file for file in page.request("files")}
    assert listed["board.search"] == {
        "index": 0,
        "kind": "search",
        "name": "board.search",
        "game": BOARD,
        "moves": ["1", "2"],
    }
    assert listed["draw.cert"]["game"] == "tic-tac-toe" and listed["draw.cert"]["moves"] == ["b2"]


def test_a_saved_search_is_the_analysis(page: Page) -> None:
    page.begin("tic-tac-toe", "human", "human")
    page.request("open_file", index=index(page, "board.search"))
    page.until(lambda: page.game["game"] == BOARD and page.analysis["resolved"])
    assert page.analysis["moves"] == page.position["line"] == ["1", "2"]
    assert page.analysis["state"] == "paused" and page.analysis["states"] > 0
    assert page.analysis["actions"] and page.request("tree", path=[])["children"]
    page.request("go", ply=0)
    page.until(lambda: page.analysis["ply"] == 0)


def test_a_table_is_looked_up(page: Page) -> None:
    page.begin(BOARD, "human", "human")
    page.request("go", line=["1", "2"], ply=2)
    page.until(lambda: page.analysis["moves"] == ["1", "2"])
    assert not page.analysis["resolved"]
    page.request("open_file", index=index(page, "board.sqlite"))
    page.until(lambda: page.analysis["resolved"] and page.curve[2]["kind"] == "proven")
    truth = ub.solve(BOARD, moves="1 2")
    assert tuple(page.analysis["outcome"]) == truth.outcome
    by_hand = {action.action: action.outcome for action in truth.actions if action.resolved}
    shown = {a["name"]: tuple(a["outcome"]) for a in page.analysis["actions"] if a["resolved"]}
    assert shown and all(by_hand.get(name, shown[name]) == shown[name] for name in shown)


def test_a_certificate_is_checked_with_progress(page: Page) -> None:
    page.begin(BOARD, "human", "human")
    number = index(page, "draw.cert")
    page.request("open_file", index=number)
    page.until(lambda: page.game["game"] == "tic-tac-toe" and page.position["line"] == ["b2"])
    assert not page.analysis["resolved"], "nothing is believed before it is checked"
    page.request("verify", index=number)
    page.until(lambda: page.events["verify"]["state"] == "accepted")
    told = page.events["verify"]
    assert told["share"] == 1 and "draw" in told["words"] and told["verdict"]["states"] > 10
    page.until(lambda: page.analysis["resolved"])
    assert page.analysis["outcome"] == [0, 0] and page.analysis["state"] == "none"


def test_a_certificate_that_proves_nothing_is_refused(page: Page) -> None:
    page.begin("tic-tac-toe", "human", "human")
    page.request("verify", index=index(page, "bad.cert"))
    page.until(lambda: page.events["verify"]["state"] == "refused")
    assert "refused" in page.events["verify"]["words"]
    page.request("go", line=["b2"], ply=1)
    page.until(lambda: page.analysis["moves"] == ["b2"])
    assert not page.analysis["resolved"] and page.curve[1]["kind"] == "unknown"


def test_a_certificate_that_is_sent(page: Page, folder: Path) -> None:
    page.begin("tic-tac-toe", "human", "human")
    data = base64.b64encode((folder / "draw.cert").read_bytes()).decode()
    assert len(data) < 60_000
    page.request("open", kind="certificate", data=data)
    page.until(lambda: page.events["verify"]["state"] == "accepted")
    page.request("go", line=["b2"], ply=1)
    page.until(lambda: page.analysis["moves"] == ["b2"] and page.analysis["resolved"])
    assert not list(Path("/tmp").glob("unbounded-*/sent.cert")), "nothing is left behind"  # noqa: S108


def test_a_game_that_is_sent(page: Page) -> None:
    page.begin("tic-tac-toe", "human", "human")
    page.move("b2")
    sent = base64.b64encode(json.dumps(page.request("export")).encode()).decode()
    page.begin("hex(size=3)", "human", "human")
    page.request("open", kind="game", data=sent)
    page.until(lambda: page.game["game"] == "tic-tac-toe" and page.game["moves"] == ["b2"])


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "search", "data": ""},
        {"kind": "table", "data": "AAAA"},
        {"kind": "certificate", "data": "AAAA"},
        {"kind": "certificate", "data": "not base64"},
        {"kind": "certificate", "data": None},
        {"kind": "game", "data": "AAAA"},
        {"kind": 3},
        {},
    ],
)
def test_other_files_that_are_sent_are_refused(page: Page, fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        page.request("open", **fields)


def test_files_are_chosen_by_number(page: Page) -> None:
    for what in ("open_file", "verify", "learning"):
        for wrong in (99, -1, "0", "/etc/passwd", [0], True):
            with pytest.raises(ValueError):
                page.request(what, index=wrong)
    with pytest.raises(ValueError, match="not a certificate"):
        page.request("verify", index=index(page, "board.search"))


def test_the_curve_of_a_run(page: Page) -> None:
    told = page.request("learning")
    assert (told["name"], told["count"], len(told["rows"])) == ("run", 1200, 500)
    assert told["rows"][-1] == {"generation": 1199.0, "loss": 1 / 1200, "yardsticks/x": 0.5}


def test_without_a_run_there_is_no_curve() -> None:
    with pytest.raises(UsageError, match="without a learning"):
        OpenedFiles().first("learning")


def test_a_table_that_fails_is_reported_once(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "gone.sqlite"
    copy.write_bytes((folder / "board.sqlite").read_bytes())
    with serving(files=[OpenedFile.of(copy, "table")]) as running:
        page = Page(running)
        page.begin(BOARD, "human", "human")
        page.request("open_file", index=0)
        copy.unlink()
        page.request("move", name="1")
        page.until(lambda: "error" in page.events)
        page.until(lambda: page.position["ply"] == 1)
        page.close()


def test_the_command_says_what_it_cannot_open(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing of ours")
    for path, said in (
        (tmp_path / "notes.txt", "not a file that the page can show"),
        (tmp_path / "missing", "there is no file"),
        (tmp_path, "not the folder of a run"),
    ):
        command = [sys.executable, "-m", "unbounded", "serve", "--port", "0", "--open", str(path)]
        done = subprocess.run(
            command, check=False, capture_output=True, text=True, timeout=GENEROUS
        )
        assert done.returncode == 2 and said in done.stderr


def test_a_sent_certificate_cannot_want_endless_searches(page: Page, folder: Path) -> None:
    """It is refused for that, by its one line: all else about it is in order."""
    lines = (folder / "draw.cert").read_bytes().splitlines(keepends=True)
    header = json.loads(lines[0]) | {"version": 2, "claims": [">=0", "<=0"]}
    del header["value"]
    content = json.dumps(header).encode() + b"\n"
    content += lines[-2].split(b" ")[0] + b" 0 >=0?900000000 <=0?900000000\n"
    digest = hashlib.sha256(content).hexdigest()
    content += f"end 2 {digest}\n".encode()
    page.begin("tic-tac-toe", "human", "human")
    page.request("open", kind="certificate", data=base64.b64encode(content).decode())
    page.until(lambda: page.events["verify"]["state"] == "refused")
    assert "search" in page.events["verify"]["words"]


def test_a_check_can_be_stopped(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is believed then."""
    waiting, stopped = threading.Event(), threading.Event()

    def endless(path: Path, game: Any, progress: Any, **_: Any) -> None:
        waiting.set()
        assert stopped.wait(GENEROUS)
        progress(1)

    monkeypatch.setattr("unbounded.interfaces.web.certificates.verify", endless)
    page.begin("tic-tac-toe", "human", "human")
    number = index(page, "draw.cert")
    page.request("verify", index=number)
    assert waiting.wait(GENEROUS)
    with pytest.raises(ValueError, match="checked already"):
        page.request("verify", index=number)
    page.request("stop_verify")
    stopped.set()
    page.until(lambda: page.events["verify"]["state"] == "stopped")
    page.request("go", line=["b2"], ply=1)
    page.until(lambda: page.analysis["moves"] == ["b2"])
    assert not page.analysis["resolved"]
