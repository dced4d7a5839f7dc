# SPDX-License-Identifier: MIT
"""The analysis of a room: streaming, following the game, the tree."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator

import pytest
from serving import Page, serving, wait_until

from unbounded.interfaces.web import tree_views
from unbounded.interfaces.web.findings import Findings
from unbounded.interfaces.web.limits import Limits
from unbounded.interfaces.web.server import Server
from unbounded.search.options import ALGORITHMS


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(Limits(move_seconds=2)) as running:
        yield running


@pytest.fixture
def page(server: Server) -> Iterator[Page]:
    with contextlib.closing(Page(server)) as opened:
        yield opened


@pytest.mark.parametrize("algorithm", ["ubfm", "descent"])
def test_tic_tac_toe_is_a_proven_draw(page: Page, algorithm: str) -> None:
    page.begin()
    page.request("analyze", algorithm=algorithm)
    page.until(lambda: page.analysis.get("resolved", False))
    assert page.analysis["outcome"] == [0, 0]
    assert page.analysis["value"] is None, "proven and estimated are not mixed"
    page.until(lambda: page.analysis["state"] == "paused")
    for action in page.analysis["actions"]:
        assert (action["outcome"] is None) != (action["value"] is None)


def test_an_analysis_streams_pauses_and_resumes(page: Page) -> None:
    page.begin("othello")
    page.analyze()
    seen = page.analysis["states"]
    page.until(lambda: page.analysis["states"] > seen)
    page.request("pause")
    page.until(lambda: page.analysis["state"] == "paused")
    rest = page.request("tree", path=[])
    time.sleep(0.4)
    assert page.request("tree", path=[]) == rest, "a paused search does not change"
    states = page.analysis["states"]
    page.request("resume")
    page.until(lambda: page.analysis["state"] == "running" and page.analysis["states"] > states)
    page.request("stop")
    page.until(lambda: page.analysis["state"] == "none")
    with pytest.raises(ValueError, match="no analysis"):
        page.request("tree", path=[])


def test_the_analysis_follows_the_game(page: Page) -> None:
    page.begin("connect-four", "human", "human")
    page.analyze()
    for name in ("4", "4", "3"):
        page.request("move", name=name)
    page.until(lambda: page.analysis.get("moves") == ["4", "4", "3"])
    page.request("undo")
    page.until(lambda: page.analysis.get("moves") == ["4", "4"])
    assert page.analysis["state"] == "running"
    page.request("stop")


def test_a_pause_by_request_has_no_other_reason(server: Server) -> None:
    """Three analyses share the cores; none is short of memory, and none says so when paused."""
    pages = [Page(server) for _ in range(3)]
    for page in pages:
        page.begin("othello", "human", "human")
        page.analyze()
    time.sleep(1)
    for page in pages:
        page.request("pause")
        page.until(lambda: page.analysis["state"] == "paused")  # noqa: B023
        assert page.analysis["pause_reason"] is None
        page.close()


def test_the_analysis_follows_the_game_to_its_end(page: Page) -> None:
    page.begin("connect-four", "human", "human")
    for name in "12121":
        page.request("move", name=name)
    page.analyze()
    for name in "21":
        page.request("move", name=name)
    page.until(lambda: len(page.analysis.get("moves", "")) == 7)
    assert page.analysis["state"] == "paused" and page.analysis["outcome"] == [1, -1]
    assert page.analysis["actions"] == [] and page.request("tree", path=[])["children"] == []


def test_undo_while_the_analysis_is_paused(server: Server, page: Page) -> None:
    """All pages of the room get the same view: paused, at the position of the board."""
    page.begin("othello", "human", "human")
    page.request("move", name=page.position["actions"][0]["name"])
    page.analyze()
    page.request("pause")
    page.request("undo")
    page.until(lambda: page.analysis.get("moves") == [])
    other = Page(server, page.game["room"])
    assert page.analysis == other.analysis and page.analysis["state"] == "paused"
    other.close()


def test_an_analysis_that_cannot_follow_does_not_stop_the_game(
    server: Server, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.begin("tic-tac-toe", "human", "greedy")
    page.analyze()
    broken = server.rooms._rooms[page.game["room"]]
    monkeypatch.setattr(broken.analysis, "follow", lambda session: 1 / 0)
    page.request("move", name="b2")
    page.until(lambda: len(page.game["moves"]) == 2 and page.game["human_to_move"])
    page.until(lambda: page.analysis["state"] == "none")
    assert "ZeroDivisionError" in page.events["error"]


def test_rules_that_fail_in_a_report(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page gets the error, and the thread of the search still runs calls."""
    page.begin("othello")
    monkeypatch.setattr(Findings, "view", lambda *_: 1 / 0)
    page.request("analyze", algorithm="ubfm")
    page.until(lambda: page.analysis.get("failure") is not None)
    assert "ZeroDivisionError" in page.analysis["failure"]
    assert page.analysis["state"] == "paused"
    monkeypatch.undo()
    page.request("resume")
    page.until(lambda: page.analysis["state"] == "running" and page.analysis.get("states", 0) > 0)
    page.request("stop")


def test_a_call_to_an_ended_search_fails_at_once(server: Server, page: Page) -> None:
    page.begin("othello")
    page.analyze()
    ended = server.rooms._rooms[page.game["room"]].analysis._active()
    page.request("stop")
    with pytest.raises(Exception, match="has ended"):
        ended.call(lambda search: search.root)


def test_the_tree(page: Page) -> None:
    page.begin()
    page.request("analyze", algorithm="ubfm")
    page.until(lambda: page.analysis.get("resolved", False))
    root = page.request("tree", path=[])
    assert (root["count"], root["outcome"]) == (9, [0, 0])
    ranked = [child["name"] for child in root["children"]]
    assert ranked[0] == page.analysis["pv"][0]
    path: list[str] = []
    for _ in range(3):
        view = page.request("tree", path=path)
        child = next(c for c in view["children"] if c["expanded"])
        path.append(child["name"])
    assert [ghost["mover"] for ghost in page.request("ghosts", path=path)] == [0, 1, 0]
    with pytest.raises(ValueError, match="not in the tree"):
        page.request("tree", path=["a1", "a1"])
    with pytest.raises(ValueError):
        page.request("ghosts", path=["nowhere"])


def test_the_proof_of_a_win_needs_one_move(page: Page) -> None:
    page.begin("tic-tac-toe", "human", "human")
    for name in ("a1", "a2", "b1", "b2"):
        page.request("move", name=name)
    page.request("analyze", algorithm="ubfm")
    page.until(lambda: page.analysis.get("resolved", False))
    assert page.request("tree", path=[])["count"] == 5
    proof = page.request("tree", path=[], proof=True)
    assert [c["name"] for c in proof["children"]] == ["c1"]
    assert proof["children"][0]["outcome"] == [1, -1]
    assert "c1 is proven" in page.request("why", action=None)
    assert "b3" in page.request("why", action="b3")


def test_there_is_no_proof_of_what_is_not_proven(page: Page) -> None:
    page.begin("othello")
    page.analyze()
    page.request("pause")
    assert page.request("tree", path=[])["count"] == 4
    unproven = page.request("tree", path=[], proof=True)
    assert unproven["children"] == [] and not unproven["resolved"]
    page.request("stop")


def test_a_large_tree_is_sent_a_level_at_a_time(page: Page) -> None:
    page.begin("othello")
    page.analyze()
    page.until(lambda: page.analysis["states"] > 300_000)
    root = page.request("tree", path=[])
    below = page.request("tree", path=[root["children"][0]["name"]])
    assert root["children"] and below["children"]
    for view in (root, below):
        assert len(view["children"]) == min(view["count"], tree_views.MAX_CHILDREN)
    page.request("stop")


def test_an_analysis_without_a_viewer_pauses(server: Server) -> None:
    page = Page(server)
    page.begin("othello")
    page.analyze()
    room = page.game["room"]
    page.close()
    again: list[Page] = []
    wait_until(lambda: not any(t.name == "move" for t in threading.enumerate()))
    time.sleep(0.5)
    again.append(Page(server, room))
    assert again[0].analysis["state"] == "paused" and again[0].analysis["states"] > 0
    again[0].close()


def test_an_analysis_takes_options(page: Page) -> None:
    described = {option["name"]: option for option in page.request("options")}
    assert described["algorithm"]["choices"] == list(ALGORITHMS)
    assert "threads" not in described, "an analysis takes no shortcuts"
    page.begin()
    for wrong, said in (
        ({"paper": "yes"}, "paper must be bool, not str"),
        ({"values": "minmax"}, "did you mean 'minimax'"),
        ({"evaluation": "playouts(1000)"}, "zero or heuristic here"),
        ({"stop_at_draw": True}, "needs algorithm='descent'"),
    ):
        with pytest.raises(ValueError, match=said):
            page.request("analyze", **wrong)
    page.request("analyze", values="resolved_completion", paper=True)
    page.until(lambda: page.analysis.get("resolved", False))
    assert page.analysis["equilibrium"] is True
    page.request("move", name="a1")
    page.request("undo")
    page.until(lambda: page.analysis["moves"] == [])
    assert page.analysis["equilibrium"] is True, "a new graph has the same options"
