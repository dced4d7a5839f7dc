# SPDX-License-Identifier: MIT
"""The line that a room looks at: one cursor for the board, the analysis and the curve."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import Any

import pytest
from serving import Page, Steps, serving

import unbounded as ub
from unbounded.interfaces.session import Session
from unbounded.interfaces.web.findings import Findings
from unbounded.interfaces.web.knowledge import Knowledge, Proven
from unbounded.interfaces.web.limits import Limits
from unbounded.interfaces.web.line import MAX_LINE, Line
from unbounded.interfaces.web.server import Server


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(Limits(move_seconds=2)) as running:
        yield running


@pytest.fixture
def page(server: Server) -> Iterator[Page]:
    with contextlib.closing(Page(server)) as opened:
        yield opened


def begin(page: Page, game: str = "tic-tac-toe", moves: str = "") -> None:
    page.begin(game, "human", "human")
    for name in moves.split():
        page.move(name)
    seen(page, moves.split())


def seen(page: Page, line: list[str], ply: int | None = None) -> dict[str, Any]:
    """Wait until board, analysis and curve show the same place; return the position."""
    played = len(line) if ply is None else ply

    def shown() -> bool:
        there = page.position["line"] == line == page.events["curve"]["line"]
        there = there and page.position["ply"] == played == page.analysis["ply"]
        return there and page.analysis["moves"] == line[:played]

    page.until(shown)
    assert len(page.curve) == len(line) + 1
    return page.position


# -- the cursor ------------------------------------------------------------------------------------


def test_the_cursor_follows_the_game(page: Page) -> None:
    begin(page, moves="b2 a1")
    position = page.position
    assert position["live"] and position["main"] == 2 and position["mover"] == 0
    assert position["text"].count("X") == 2 and position["action_count"] == 7


def test_walking_through_a_game(page: Page) -> None:
    begin(page, moves="b2 a1 c3")
    page.request("go", ply=1)
    position = seen(page, ["b2", "a1", "c3"], 1)
    assert not position["live"] and position["main"] == 3 and position["text"].count("O") == 1
    assert page.game["moves"] == ["b2", "a1", "c3"], "looking changes nothing"
    page.request("move", name="a1")  # the next move of the line: a step
    assert not seen(page, ["b2", "a1", "c3"], 2)["live"]
    page.request("go", ply=3)
    assert seen(page, ["b2", "a1", "c3"], 3)["live"]


def test_a_move_elsewhere_is_a_variation(page: Page) -> None:
    begin(page, moves="b2 a1 c3")
    page.request("go", ply=1)
    page.request("move", name="c1")
    position = seen(page, ["b2", "c1"])
    assert (position["main"], position["live"]) == (1, False)
    page.request("move", name="a3")
    seen(page, ["b2", "c1", "a3"])
    page.request("go", ply=1)
    page.request("move", name="a1")  # the game's own move leads back to the game
    assert seen(page, ["b2", "a1", "c3"], 2)["main"] == 3
    assert page.game["moves"] == ["b2", "a1", "c3"]


def test_a_line_from_the_start(page: Page) -> None:
    begin(page, moves="b2 a1")
    page.request("go", line=["b2", "c3", "a1"], ply=2)
    position = seen(page, ["b2", "c3", "a1"], 2)
    assert position["main"] == 1 and not position["live"]
    page.request("go", line=["b2"], ply=1)
    position = seen(page, ["b2", "a1"], 1)
    assert position["main"] == 2, "the beginning of the game is the game"
    page.request("go", line=["b2", "a1"], ply=2)
    assert seen(page, ["b2", "a1"], 2)["live"]


def test_a_machine_does_not_move_the_cursor_of_someone_who_looks_elsewhere(page: Page) -> None:
    page.begin("connect-four", "human", "ubfm-safest", seconds=1.0)
    page.request("move", name="4")
    page.request("go", ply=0)
    page.until(lambda: len(page.game["moves"]) == 2)
    position = seen(page, page.game["moves"], 0)
    assert not position["live"] and position["mover"] == 0
    page.request("go", ply=2)
    assert seen(page, page.game["moves"])["live"]


def test_undo_shows_the_game_again(page: Page) -> None:
    begin(page, moves="b2 a1 c3")
    page.request("go", line=["a1", "b1"], ply=2)
    seen(page, ["a1", "b1"])
    page.request("undo")
    assert seen(page, ["b2", "a1"])["live"]


def test_playing_the_variation_at_the_cursor(page: Page) -> None:
    begin(page, moves="b2")
    for name in ("a1", "c3"):
        page.request("go", line=[*page.position["line"], name], ply=len(page.position["line"]) + 1)
        page.until(lambda: page.position["line"][-1] == name)  # noqa: B023
    assert page.game["moves"] == ["b2"]
    page.request("play_line")
    page.until(lambda: page.game["moves"] == ["b2", "a1", "c3"])
    assert seen(page, ["b2", "a1", "c3"])["live"]
    page.request("go", line=["b2", "b1"], ply=2)
    with pytest.raises(ValueError, match="begins where the game ends"):
        page.request("play_line")


def test_pages_of_a_room_share_the_cursor(server: Server, page: Page) -> None:
    begin(page, moves="b2 a1")
    other = Page(server, page.game["room"])
    other.request("go", ply=1)
    seen(page, ["b2", "a1"], 1)
    late = Page(server, page.game["room"])
    assert late.position == page.position and late.events["curve"] == page.events["curve"]
    late.close(), other.close()


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"ply": -1},
        {"ply": 3},
        {"ply": 1.5},
        {"ply": True},
        {"ply": "1"},
        {"ply": 10**30},
        {"line": "b2", "ply": 0},
        {"line": [1], "ply": 0},
        {"line": ["b2", "b2"], "ply": 1},
        {"line": ["x"] * 4000, "ply": 0},
        {"line": ["b2"], "ply": 2},
        {"line": {"b2": 1}, "ply": 0},
    ],
)
def test_a_hostile_cursor_changes_nothing(page: Page, fields: dict[str, Any]) -> None:
    begin(page, moves="b2 a1")
    with pytest.raises(ValueError):
        page.request("go", **fields)
    page.request("games")
    assert page.position["line"] == ["b2", "a1"] and page.position["live"]


def test_a_line_is_limited_in_length() -> None:
    """A request cannot hold such a line; a variation made move by move ends there too."""
    session = Session(Steps(), ["human", "human"])
    line = Line(session)
    with pytest.raises(Exception, match=f"at most {MAX_LINE} moves"):
        line.go(session, ["1"] * 10**6, 0)
    line.moves = ["1"] * MAX_LINE
    line.ply = MAX_LINE
    with pytest.raises(Exception, match=f"at most {MAX_LINE} moves"):
        line.step(session, "2")


# -- the analysis at the cursor --------------------------------------------------------------------


def test_undo_keeps_the_proof(page: Page) -> None:
    """What was proven of a position is there again at once, without another search."""
    begin(page, "connect-four(width=4,height=4)", "1 1 2 2")
    page.analyze()
    page.until(lambda: page.analysis["resolved"])
    proven, states = page.analysis["outcome"], page.analysis["states"]
    best = page.analysis["pv"][0]
    page.move(best)
    page.request("pause")
    page.request("undo")
    seen(page, ["1", "1", "2", "2"])
    assert page.analysis["resolved"] and page.analysis["outcome"] == proven
    assert page.analysis["states"] >= states, "the graph was kept"


def test_a_proof_outlives_the_analysis(page: Page) -> None:
    begin(page, moves="a1 a2 b1 b2")
    page.analyze()
    page.until(lambda: page.analysis["resolved"])
    page.request("stop")
    page.until(lambda: page.analysis["state"] == "none")
    assert page.analysis["outcome"] == [1, -1] and page.analysis["value"] is None
    winning = page.analysis["actions"][0]
    assert (winning["name"], winning["outcome"], winning["distance"]) == ("c1", [1, -1], 1)
    page.request("move", name="c3")
    page.request("go", ply=4)
    seen(page, ["a1", "a2", "b1", "b2", "c3"], 4)
    assert page.analysis["outcome"] == [1, -1]
    page.begin("tic-tac-toe", "human", "human")
    assert page.request("go", line=["a1", "a2", "b1", "b2"], ply=4) is None
    seen(page, ["a1", "a2", "b1", "b2"])
    assert page.analysis["resolved"], "also in another game by the same rules"
    page.begin("hex(size=3)", "human", "human")
    assert not page.analysis["resolved"]


def test_a_finished_game_can_be_analyzed(page: Page) -> None:
    begin(page, moves="a1 a2 b1 b2 c1")
    assert page.game["over"] and page.position["over"]
    assert page.analysis["outcome"] == [1, -1] and page.analysis["distance"] == 0
    page.request("analyze", algorithm="ubfm")
    page.until(lambda: page.analysis["state"] == "paused")
    assert page.analysis["outcome"] == [1, -1] and page.analysis["actions"] == []
    page.request("go", ply=2)
    seen(page, ["a1", "a2", "b1", "b2", "c1"], 2)
    page.until(lambda: page.analysis["resolved"])
    assert page.analysis["actions"], "it runs where there is something to search"


def test_after_a_proof_an_unproven_move_is_searched(page: Page) -> None:
    """It paused because all was proven, not because it was told to."""
    begin(page, "connect-four", "1 2 1 2 1 2")
    page.request("analyze", algorithm="ubfm")
    page.until(lambda: page.analysis["resolved"] and page.analysis["state"] == "paused")
    before = page.analysis["iterations"]
    unproven = [a["name"] for a in page.analysis["actions"] if not a["resolved"]]
    assert unproven, "one winning move proves the win"
    page.move(unproven[0])
    page.until(lambda: page.analysis["ply"] == 7 and page.analysis["iterations"] > before)


def test_a_pause_that_was_asked_for_lasts(page: Page) -> None:
    begin(page, "othello")
    page.analyze()
    page.request("pause")
    page.move(page.position["actions"][0]["name"])
    page.until(lambda: page.analysis["ply"] == 1)
    time.sleep(0.3)
    page.request("games")
    assert page.analysis["state"] == "paused"


def test_the_fields_of_an_analysis(page: Page) -> None:
    begin(page, "connect-four", "4 4")
    page.request("analyze", algorithm="descent")
    page.until(lambda: page.analysis.get("iterations", 0) > 100)
    page.request("pause")
    page.until(lambda: page.analysis["state"] == "paused")
    analysis = page.analysis
    assert analysis["algorithm"] == analysis["options"]["algorithm"] == "descent"
    assert analysis["action_count"] == len(analysis["actions"]) == 7
    assert [line["moves"][0] for line in analysis["lines"]] == [
        action["name"] for action in analysis["actions"][:5]
    ]
    for action in analysis["actions"]:
        assert (
            (action["outcome"] is None) == (action["distance"] is None) == (not action["resolved"])
        )
        assert (action["value"] is None) == action["resolved"]


def test_a_compaction_is_told_and_forgets_no_proof() -> None:
    """The number of compactions says why states fall; what was proven of the moves stays."""
    with serving(Limits(room_memory=6 << 20)) as small:
        page = Page(small)
        begin(page, "connect-four(width=5,height=5)")
        page.request("analyze", algorithm="ubfm")
        seen_proven = set[str]()
        while page.analysis.get("compactions", 0) < 5:
            page.read()
            proven = {a["name"] for a in page.analysis["actions"] if a["resolved"]}
            assert seen_proven <= proven
            seen_proven |= proven
        page.close()


def test_an_analysis_keeps_its_name_for_pages_that_come_later(server: Server, page: Page) -> None:
    begin(page, "othello")
    page.analyze("descent")
    other = Page(server, page.game["room"])
    assert other.analysis["algorithm"] == other.analysis["options"]["algorithm"] == "descent"
    other.close()


# -- the curve -------------------------------------------------------------------------------------


def test_the_curve_of_a_game(page: Page) -> None:
    begin(page, moves="a1 a2 b1 b2 c1")
    assert [point["kind"] for point in page.curve] == ["unknown"] * 5 + ["proven"]
    page.request("go", ply=0)
    page.request("analyze", algorithm="ubfm")
    page.until(lambda: page.analysis["resolved"] and page.curve[0]["kind"] == "proven")
    for ply in range(6):
        page.request("go", ply=ply)
        page.until(lambda: page.analysis["ply"] == ply and page.analysis["resolved"])  # noqa: B023
    page.until(lambda: all(point["kind"] == "proven" for point in page.curve))
    # O's first reply loses, and X takes the win: by hand.
    assert [point["outcome"] for point in page.curve] == [[0, 0], [0, 0], *[[1, -1]] * 4]
    assert [point["mover"] for point in page.curve] == [0, 1, 0, 1, 0, None]
    assert all(point["value"] is None for point in page.curve)


def test_estimates_on_the_curve(page: Page) -> None:
    begin(page, "othello")
    page.analyze()
    page.until(lambda: page.curve[0]["kind"] == "estimated")
    assert page.curve[0]["outcome"] is None and len(page.curve[0]["value"]) == 2
    page.request("stop")


# -- what is known ---------------------------------------------------------------------------------


def test_what_is_proven_is_never_replaced() -> None:
    known = Knowledge()
    known.add_estimate("s", (0.5, -0.5))
    known.add_proof("s", Proven((-1, 1)))
    known.add_estimate("s", (0.9, -0.9))
    known.add_proof("s", Proven((1, -1), (5.0, -5.0), 3))  # cannot be, and changes nothing
    assert known.proven("s") == Proven((-1, 1))
    known.add_proof("s", Proven((-1, 1), None, 4))
    known.add_proof("s", Proven((-1, 1), (-2.0, 2.0), 6))
    assert known.proven("s") == Proven((-1, 1), (-2.0, 2.0), 4)
    known.forget_estimates()
    assert known.proven("s") is not None and known.estimated("s") is None


def test_what_is_known_of_a_move_that_is_not_in_the_graph() -> None:
    """As after a compaction, or where a table knows more than a search that has just begun."""
    search = ub.Search("tic-tac-toe", moves="a1 a2 b1 b2")
    session = Session("tic-tac-toe", ["human", "human"])
    line = Line(session)
    line.go(session, ["a1", "a2", "b1", "b2"], 4)
    known = Knowledge()
    known.add_proof(ub.Position("tic-tac-toe", "a1 a2 b1 b2 c1").state, Proven((1, -1), None, 0))
    view = Findings(known).view(search, line.cursor())
    assert not search.root.expanded and not view["resolved"]
    assert [(a["name"], a["outcome"], a["distance"]) for a in view["actions"]] == [
        ("c1", (1, -1), 1)
    ]


def test_proofs_for_the_outcomes_alone_are_apart() -> None:
    """With scores the outcomes of best play may be others, so neither stands for the other."""
    known = Knowledge()
    known.add_proof("s", Proven((1, -1, -1)), scores_ignored=True)
    assert known.proven("s") is None
    known.add_proof("s", Proven((0, 0, -1)))
    assert known.proven("s", scores_ignored=True) == Proven((1, -1, -1))
    assert known.proven("s") == Proven((0, 0, -1))


def test_what_is_known_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unbounded.interfaces.web.knowledge.MAX_POSITIONS", 10)
    known = Knowledge()
    for number in range(100):
        known.add_proof(number, Proven((0, 0)))
        known.add_estimate(number, (0.0, 0.0))
    assert sum(known.proven(number) is not None for number in range(100)) == 10
    assert sum(known.estimated(number) is not None for number in range(100)) == 10
    assert known.proven(99) and not known.proven(0)
