# SPDX-License-Identifier: MIT
"""The review of a game, hints, the graph, ghosts, pictures, rules, seats: what a room is asked."""

from __future__ import annotations

import contextlib
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Any

import pytest
from serving import Page, serving

from unbounded.interfaces.web.game_setup import GameSetup, seat_words
from unbounded.interfaces.web.knowledge import Proven
from unbounded.interfaces.web.limits import Limits
from unbounded.interfaces.web.mistakes import Choice, Ply, mistakes
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
    page.until(lambda: page.position["live"] and page.position["line"] == moves.split())


def reviewed(page: Page, seconds: float = 60) -> list[dict[str, Any]]:
    page.request("review", seconds=seconds)
    page.until(lambda: page.events["review"]["state"] == "done")
    return list(page.events["review"]["mistakes"])


# -- the review ------------------------------------------------------------------------------------


def test_the_mistakes_of_a_game(page: Page) -> None:
    """By hand: a corner is answered in the center only, and b1 then threatens nothing new."""
    begin(page, moves="a1 a2 b1 c1 a3 b2 c3")
    found = reviewed(page)
    first = found[0]
    assert (first["ply"], first["move"], first["mover"], first["kind"]) == (1, "a2", 1, "proven")
    assert (first["before"], first["after"], first["lost"]) == ([0, 0], [1, -1], 1)
    assert first["better"] == ["b2"] and "proven draw" in first["words"]
    assert first["words"].endswith("Move b2 draws.")
    assert all(point["kind"] == "proven" for point in page.curve), "the curve is complete too"
    assert page.events["review"]["done"] == page.events["review"]["of"] == 7
    for each in found:
        assert each["before"][each["mover"]] > each["after"][each["mover"]]


def test_a_game_without_mistakes(page: Page) -> None:
    begin(page, moves="b2 a1 c3 a3 a2 c2 b3 b1 c1")
    assert page.game["outcome"] == [0, 0] and reviewed(page) == []


def test_a_review_is_about_one_game(page: Page) -> None:
    begin(page, moves="b2 a1")
    reviewed(page)
    page.move("c3")
    page.until(lambda: page.events["review"]["state"] == "none")


def test_a_review_can_be_stopped(page: Page) -> None:
    begin(page, "othello", "d3 c5 e6")
    page.request("review", seconds=500)
    page.request("stop_review")
    page.until(lambda: page.events["review"]["state"] == "stopped")
    with pytest.raises(ValueError, match="seconds must be"):
        page.request("review", seconds="long")
    page.begin("othello", "human", "human")
    with pytest.raises(ValueError, match="no move to review"):
        page.request("review")


def test_an_estimated_mistake_is_called_estimated() -> None:
    """Nothing is proven here, or only one of the two sides is."""
    choices = (Choice("a", None, (0.9, -0.9)), Choice("b", None, (-0.4, 0.4)))
    (found,) = mistakes([Ply(3, 0, "b", None, choices)])
    assert found["kind"] == "estimated" and "proven" not in found["words"]
    assert found["lost"] == 1.3 and found["better"] == ["a"]
    won = (Choice("a", Proven((1, -1)), None), Choice("b", None, (-0.4, 0.4)))
    (found,) = mistakes([Ply(3, 0, "b", Proven((1, -1)), won)])
    assert found["kind"] == "estimated" and "proven win: a" in found["words"]
    assert mistakes([Ply(3, 0, "a", None, choices)]) == []
    assert mistakes([Ply(3, 0, "b", None, (Choice("b", None, None),))]) == []


def test_estimates_are_compared_on_their_own_scale() -> None:
    """A loss of half a point is little where estimates reach twenty."""
    large = Ply(0, 0, "x", None, (Choice("x", None, (20.0, -20.0)),))
    small = Ply(1, 0, "b", None, (Choice("a", None, (0.5, -0.5)), Choice("b", None, (0.0, 0.0))))
    assert mistakes([small]) and not mistakes([large, small])


def test_a_better_score_is_a_mistake_too() -> None:
    best, worse = Proven((1, -1), (6.0, -6.0)), Proven((1, -1), (2.0, -2.0))
    choices = (Choice("a", best, None), Choice("b", worse, None))
    (found,) = mistakes([Ply(0, 0, "b", best, choices)])
    assert found["lost"] == 4 and found["better"] == ["a"] and found["kind"] == "proven"


# -- hints -----------------------------------------------------------------------------------------


def test_a_hint_without_an_analysis(page: Page) -> None:
    begin(page, moves="a1 a2 b1 b2")
    found = page.request("hint")
    assert (found["name"], found["outcome"], found["value"]) == ("c1", [1, -1], None)
    assert "proven" in found["words"]
    again = page.request("hint")
    assert again["name"] == "c1" and page.analysis["state"] == "none", "remembered"


def test_a_hint_from_the_analysis_at_the_cursor(page: Page) -> None:
    begin(page, "connect-four", "4 4")
    page.analyze()
    page.request("pause")
    found = page.request("hint")
    assert found["name"] == page.analysis["actions"][0]["name"] == page.request("hint")["name"]
    page.request("go", ply=0)
    assert page.request("hint")["words"]


def test_there_is_no_hint_after_the_end(page: Page) -> None:
    begin(page, moves="a1 a2 b1 b2 c1")
    with pytest.raises(ValueError, match="the game is over"):
        page.request("hint")


# -- the graph -------------------------------------------------------------------------------------


def test_the_graph_has_every_state_once(page: Page) -> None:
    begin(page)
    page.analyze()
    page.until(lambda: page.analysis["state"] == "paused")
    graph = page.request("graph", depth=2, most=300)
    numbers = [node["number"] for node in graph["nodes"]]
    # By hand: 1 + 9 + 9 * 8 states, of which none is reached twice within two moves.
    assert len(numbers) == len(set(numbers)) == 82 and len(graph["edges"]) == 81
    deeper = page.request("graph", depth=3, most=300)
    numbers = [node["number"] for node in deeper["nodes"]]
    assert len(numbers) == len(set(numbers)) == 300
    shared = [edge["to"] for edge in deeper["edges"]]
    assert len(shared) > len(set(shared)), "a state that is reached twice has two edges"
    for node in deeper["nodes"]:
        below = [edge for edge in deeper["edges"] if edge["from"] == node["number"]]
        assert node["more"] >= 0 and (node["expanded"] or not below)
        assert (node["outcome"] is None) != (node["value"] is None)
    further = page.request("graph", path=["b2"], depth=1)
    assert further["nodes"][0]["path"] == ["b2"] and len(further["nodes"]) == 9


def test_the_graph_of_a_proof(page: Page) -> None:
    begin(page, moves="a1 a2 b1 b2")
    page.analyze()
    page.until(lambda: page.analysis["resolved"])
    proof = page.request("graph", proof=True)
    assert [node["path"] for node in proof["nodes"]] == [[], ["c1"]]
    assert proof["nodes"][0]["more"] == 4 and proof["edges"][0]["name"] == "c1"


def test_a_hostile_graph(page: Page) -> None:
    begin(page)
    page.analyze()
    for fields in ({"most": -1}, {"depth": "x"}, {"path": [1]}, {"path": ["zz"]}, {"most": 1e30}):
        with pytest.raises(ValueError):
            page.request("graph", **fields)
    assert len(page.request("graph", most=10**9, depth=10**9)["nodes"]) <= 300


# -- boards ----------------------------------------------------------------------------------------


def test_ghosts(page: Page) -> None:
    begin(page, moves="b2")
    ghosts = page.request("ghosts", path=["a1", "c3"])
    assert [(ghost["name"], ghost["mover"]) for ghost in ghosts] == [("a1", 1), ("c3", 0)]
    assert all(len(ghost["places"][0]) == 4 for ghost in ghosts)
    with pytest.raises(ValueError):
        page.request("ghosts", path=["b2"])
    with pytest.raises(ValueError, match="at most"):
        page.request("ghosts", path=["a1"] * 3000)


def test_a_picture_stands_alone(page: Page) -> None:
    begin(page, moves="a1 a2 b1 b2")
    plain = page.request("picture")
    ET.fromstring(plain["svg"])
    assert plain["text"] == page.position["text"]
    assert "<style>" in plain["svg"] and "<style>" not in page.position["svg"]
    page.request("hint")
    valued = page.request("picture", values=True)
    ET.fromstring(valued["svg"])
    assert ">+1<" in valued["svg"] and ">+1<" not in plain["svg"]


def test_the_rules(page: Page) -> None:
    begin(page)
    rules = page.request("rules")
    assert rules["title"] == "tic-tac-toe" and len(rules["players"]) == 2 and rules["text"]
    ET.fromstring(rules["picture"])
    other = page.request("rules", game="hex(size=4)")
    assert [x["value"] for x in other["parameters"] if x["name"] == "size"] == ["4"]
    for hostile in ("./mine.py:Mine", "/etc/passwd", "no such game"):
        with pytest.raises(ValueError):
            page.request("rules", game=hostile)


# -- seats -----------------------------------------------------------------------------------------


def test_swapping_sides(page: Page) -> None:
    page.begin("tic-tac-toe", "human", "greedy")
    page.request("swap_sides")
    page.until(lambda: len(page.game["moves"]) == 1)
    assert page.game["seats"] == ["greedy", "human"] and page.game["human_to_move"]
    assert page.game["seat_words"] == ["greedy", "you"] and page.game["movers"] == [0]


def test_a_rematch(page: Page) -> None:
    begin(page, moves="a1 a2 b1 b2 c1")
    page.request("rematch", swap=False)
    page.until(lambda: not page.game["moves"])
    assert page.game["seats"] == ["human", "human"] and not page.game["over"]
    page.begin("nim(players=3)", "human", "greedy", "random")
    page.request("rematch", swap=True)
    page.until(lambda: page.game["seats"] == ["random", "human", "greedy"])
    with pytest.raises(ValueError, match="over"):
        page.begin("tic-tac-toe", "human", "human")
        page.request("resign")
        page.request("swap_sides")


def test_taking_back_several_moves(page: Page) -> None:
    begin(page, moves="a1 a2 b1 b2 c1")
    page.request("take_back_to", ply=2)
    page.until(lambda: page.game["moves"] == ["a1", "a2"])
    assert not page.game["over"] and page.position["live"] and page.game["can_redo"]
    page.request("redo")
    page.until(lambda: page.game["moves"] == ["a1", "a2", "b1"])
    for wrong in (-1, 9, "2", None):
        with pytest.raises(ValueError):
            page.request("take_back_to", ply=wrong)


def test_the_decision_on_a_position_that_is_gone_is_not_shown(page: Page) -> None:
    page.begin("tic-tac-toe", "human", "ubfm-safest")
    page.request("move", name="b2")
    page.until(lambda: page.game["decision"] is not None)
    page.request("undo")
    page.until(lambda: not page.game["moves"])
    assert page.game["decision"] is None


def test_strengths_in_words() -> None:
    setup = GameSetup(Limits())
    offered = setup.offer()["strengths"]
    assert [x["name"] for x in offered] == ["novice", "casual", "strong", "best", "perfect"]
    for strength in offered:
        seats = setup.seats(["human", strength["seat"]], 1.0)
        assert seats[1] != strength["seat"], "the server's limits are added"
        words = seat_words(seats)
        assert words[0] == "you" and words[1].startswith(f"{strength['name']} (")
    assert seat_words(setup.seats(["human", "ubfm(seconds=0.5)"], 1.0)) == ["you", "ubfm, 0.5 s"]
    assert seat_words(["human", "human", "random"]) == ["human", "human", "random"]
