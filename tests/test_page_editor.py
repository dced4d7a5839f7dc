# SPDX-License-Identifier: MIT
"""The position editor: pieces by hand, what the rules refuse, and a game from there."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
from serving import Page, serving

from unbounded.interfaces.web.limits import Limits
from unbounded.interfaces.web.server import Server


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(Limits(move_seconds=2)) as running:
        yield running


@pytest.fixture
def page(server: Server) -> Iterator[Page]:
    with contextlib.closing(Page(server)) as opened:
        opened.begin("tic-tac-toe", "human", "human")
        yield opened


def edit(page: Page, what: str, **fields: Any) -> dict[str, Any]:
    """Change the position, and see it on the page."""
    page.events.pop("edit", None)
    page.request(what, **fields)
    page.until(lambda: "edit" in page.events)
    return dict(page.events["edit"] or {})


def test_a_position_that_is_set_up_and_solved(page: Page) -> None:
    """X on a1 and b1, O on a2 and b2, X to move: X wins at once by c1."""
    page.move("b2")
    shown = edit(page, "edit_start")
    assert shown["symbols"][0] in ". " and sum(map(bool, shown["pieces"])) == 1
    assert len(shown["places"]) == len(shown["pieces"]) == 9 and shown["mover"] == 1
    edit(page, "edit_clear")
    cross, nought = shown["symbols"].index("X"), shown["symbols"].index("O")
    for place, piece in ((0, cross), (1, cross), (3, nought), (4, nought)):
        shown = edit(page, "edit_set", place=place, piece=piece)
    shown = edit(page, "edit_mover", player=0)
    assert shown["message"] == "" and "<svg" in shown["svg"]
    page.request("edit_done")
    page.until(lambda: page.game["game"].startswith("start(") and page.events["edit"] is None)
    page.until(lambda: page.position["line"] == [])
    assert page.game["title"] == "tic-tac-toe, from a position" and page.game["moves"] == []
    assert page.position["text"].splitlines()[1:3] == ["2 O O .", "1 X X ."]
    page.analyze()
    page.until(lambda: page.analysis["resolved"])
    assert page.analysis["outcome"] == [1, -1] and page.analysis["pv"][0] == "c1"
    again = edit(page, "edit_start")
    assert again["pieces"] == [1, 1, 0, 2, 2, 0, 0, 0, 0], "it can be edited again"


def test_what_the_rules_refuse_is_said_and_begins_nothing(page: Page) -> None:
    shown = edit(page, "edit_start")
    for place in (0, 1, 2):
        shown = edit(page, "edit_set", place=place, piece=1)
    assert shown["message"], "three in a row: the game would be over"
    with pytest.raises(ValueError):
        page.request("edit_done")
    edit(page, "edit_cancel")
    assert page.events["edit"] is None and page.game["game"] == "tic-tac-toe"
    with pytest.raises(ValueError, match="no position is being set up"):
        page.request("edit_done")


def test_only_some_games_can_be_edited(page: Page) -> None:
    assert page.game["editable"]
    page.begin("nim", "human", "human")
    assert not page.game["editable"]
    with pytest.raises(ValueError, match="cannot be set up"):
        page.request("edit_start")


def test_another_game_ends_the_editing(page: Page) -> None:
    edit(page, "edit_start")
    page.begin("hex(size=3)", "human", "human")
    page.until(lambda: page.events["edit"] is None)


@pytest.mark.parametrize(
    ("what", "fields"),
    [
        ("edit_set", {"place": 9, "piece": 0}),
        ("edit_set", {"place": -1, "piece": 0}),
        ("edit_set", {"place": 0, "piece": 3}),
        ("edit_set", {"place": 0}),
        ("edit_set", {"place": "0", "piece": [1]}),
        ("edit_mover", {"player": 2}),
        ("edit_mover", {"player": 1e9}),
        ("edit_mover", {}),
    ],
)
def test_hostile_edits_change_nothing(page: Page, what: str, fields: dict[str, Any]) -> None:
    before = edit(page, "edit_start")
    with pytest.raises(ValueError):
        page.request(what, **fields)
    assert edit(page, "edit_mover", player=0) == before
