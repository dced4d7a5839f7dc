# SPDX-License-Identifier: MIT
"""Searches in notebooks and other tools."""

from __future__ import annotations

import re
import sys
from typing import Any
from xml.etree import ElementTree

import pytest
from broken_games import SoundObject

import unbounded as ub
from unbounded.game import UsageError
from unbounded.search import decisions
from unbounded.search.rendering import PROVEN_COLORS


def searched(text: str = "tic-tac-toe", moves: str = "", iterations: int = 200) -> ub.Search:
    search = ub.Search(text, moves=moves)
    search.run(iterations=iterations)
    return search


def test_boards_show_themselves() -> None:
    for text in ("tic-tac-toe", "connect-four", "graph"):
        picture = searched(text).root._repr_svg_()
        assert ElementTree.fromstring(picture).tag.endswith("svg")


def test_results_show_themselves() -> None:
    html = searched("connect-four").result._repr_html_()
    ElementTree.fromstring(html.replace("<br>", "<br/>").replace("colspan=4", 'colspan="4"'))
    assert "not proven" in html
    assert html.count("<tr>") == 8
    whole = searched("connect-four")._repr_html_()
    assert "<svg" in whole and "<table>" in whole


def test_proven_and_estimated_have_their_own_cells() -> None:
    html = searched("tic-tac-toe", "a1 a2 b1 b2", 50).result._repr_html_()
    for row in re.findall("<tr><td>(.*?)</tr>", html):
        _, proven, estimated, _ = row.split("</td>")[:4]
        assert (proven == "<td>") != (estimated == "<td>")
        assert not re.search(r"[-+]?\d\.\d|[-+]\d", proven), "outcomes are in words"
    assert "proven: player 1 wins" in html


def test_the_best_action_is_the_first_row() -> None:
    for text, moves in (("tic-tac-toe", "a1 b2 b1"), ("connect-four", ""), ("nim(players=3)", "")):
        search = searched(text, moves, 400)
        names = re.findall("<tr><td>(.*?)</td>", search.result._repr_html_())
        ranked = [child.name for child in decisions.ranked(search.root)]
        assert names[0] == search.result.best_action
        assert names[:5] == ranked[:5]


def test_bounds_of_actions() -> None:
    search = ub.Search("connect-four(width=4,height=4)", bounds=True, probes=True)
    result = search.run(iterations=50)
    told = result.to_dict()["actions"]
    for action, child, plain in zip(result.actions, search.root.children, told, strict=True):
        assert action.outcome_bounds == child.node.outcome_bounds == plain["outcome_bounds"]
    assert any(action.outcome_bounds == ((-1, 0), (0, 1)) for action in result.actions)
    assert "player 1 cannot win, player 2 cannot lose" in result._repr_html_()


def test_the_tree_in_the_language_of_graphviz() -> None:
    search = searched()
    text = search.to_dot(depth=2, most=50)
    nodes = set(re.findall(r"^  n(\d+) \[label", text, re.MULTILINE))
    edges = re.findall(r"^  n(\d+) -> n(\d+) ", text, re.MULTILINE)
    assert len(nodes) == 50
    assert len(edges) == 49
    assert {x for edge in edges for x in edge} <= nodes
    assert text.startswith("digraph search {") and text.endswith("}\n")
    assert len(re.findall(r"\[label", search.to_dot(depth=0))) == 1


def test_colors_are_seen_by_the_one_who_moves_at_the_root() -> None:
    """A move that wins at once is green, and so is the position after it."""
    text = searched("tic-tac-toe", "a1 a2 b1 b2", 300).to_dot(depth=1)
    number = re.search(r'n(\d+) \[label="c1"\]', text)
    assert number is not None
    assert f'n{number[1]} [label="proven +1, -1", fillcolor="{PROVEN_COLORS[1]}"]' in text


def test_the_tree_as_rows() -> None:
    search = searched("nim(heaps=[2,3],players=3)", "", 500)
    rows = search.to_rows(depth=2)
    assert rows[0]["parent"] is None
    assert {row["ply"] for row in rows} == {0, 1, 2}
    numbers = {row["node"] for row in rows}
    assert len(numbers) == len(rows)
    assert all(row["parent"] in numbers for row in rows[1:])
    for row in rows:
        for player in range(3):
            assert (row[f"outcome_{player}"] is None) != (row[f"value_{player}"] is None)


def test_the_tree_as_a_data_frame() -> None:
    pandas = pytest.importorskip("pandas")
    frame = searched().to_pandas(depth=1)
    assert isinstance(frame, pandas.DataFrame)
    assert len(frame) == 10
    types = {
        "node": "Int64",
        "parent": "Int64",
        "action": "string",
        "visits": "Int64",
        "player": "Int16",
        "resolved": "boolean",
        "outcome_0": "Int8",
        "score_1": "Float32",
        "low_0": "Int8",
        "value_1": "Float32",
    }
    assert {name: str(frame[name].dtype) for name in types} == types
    assert frame["parent"].isna().sum() == 1, "the root has none"
    resolved = searched("tic-tac-toe", "a1 b2 b1", 5000).to_pandas(depth=1)
    assert resolved["outcome_0"].notna().all() and resolved["value_0"].isna().all()


def test_rows_have_selections_and_scores() -> None:
    search = searched("dots-and-boxes", "", 5000)
    rows = search.to_rows(depth=1)
    children = {child.node.number: child for child in search.root.children}
    assert rows[0]["visits"] is None
    for row in rows[1:]:
        child = children[row["node"]]
        assert row["visits"] == child.visits
        score = child.score
        assert row["score_0"] == (None if score is None else score[0])
        assert (row["low_0"], row["high_0"]) == child.node.outcome_bounds[0]


def test_wrong_use() -> None:
    search = searched()
    for wrong in ({"depth": -1}, {"most": 0}):
        with pytest.raises(UsageError):
            search.to_dot(**wrong)


# -- as a graph -----------------------------------------------------------------------------------


def test_the_graph_for_networkx() -> None:
    search = searched("tic-tac-toe", "a1 b2", 3000)
    graph = search.to_networkx(depth=3)
    assert graph.graph == {"game": "tic-tac-toe", "moves": "a1 b2"}
    rows = {row["node"]: row for row in search.to_rows(depth=3)}
    assert set(graph.nodes) == set(rows)
    for number, row in rows.items():
        facts = {k: v for k, v in row.items() if k not in ("node", "parent", "action", "visits")}
        assert graph.nodes[number] == {k: v for k, v in facts.items() if v is not None}
        if row["parent"] is not None:
            edge = graph.edges[row["parent"], number]
            assert edge == {"action": row["action"], "visits": row["visits"]}
    # Two moves in either order lead to one state: a graph has both edges, a tree only one.
    assert len(graph.edges) > len(rows) - 1


def test_proven_and_estimated_are_attributes_of_their_own() -> None:
    nodes = searched("tic-tac-toe", "a1 a2", 30).to_networkx(depth=3).nodes
    assert len({nodes[number]["resolved"] for number in nodes}) == 2
    for number in nodes:
        known = nodes[number]
        assert ("outcome_0" in known) == known["resolved"] == ("value_0" not in known)


def test_the_graph_for_networkx_is_as_large_as_asked_for() -> None:
    search = searched()
    assert len(search.to_networkx(depth=0).nodes) == 1
    assert len(search.to_networkx(depth=9, most=17).nodes) == 17
    for wrong in ({"depth": -1}, {"most": 0}):
        with pytest.raises(UsageError, match="must be"):
            search.to_networkx(**wrong)


def test_two_actions_to_one_state_are_one_edge() -> None:
    class Twins(SoundObject):
        def initial(self) -> Any:
            return 0

        def player(self, state: Any) -> int:
            return 0

        def actions(self, state: Any) -> Any:
            return ["left", "right"] if state == 0 else []

        def next(self, state: Any, action: Any) -> Any:
            return 1

        def outcome(self, state: Any) -> Any:
            return [1, -1]

    search = ub.Search(Twins())
    search.run()
    (edge,) = dict(search.to_networkx(depth=1).edges).values()
    assert edge["action"] == "left, right"


def test_without_networkx_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(UsageError, match="to_networkx needs networkx: pip install networkx"):
        searched().to_networkx()


# -- children by name -----------------------------------------------------------------------------


def test_children_by_index_and_by_move() -> None:
    root = searched("connect-four").root
    assert root.children["4"] is root.children[3]
    assert root.children["4"].name == "4"
    assert "4" in root.children and "9" not in root.children
    assert root.children[3] in root.children
    assert root.children[-1].name == "7"
    assert [child.name for child in root.children[:2]] == ["1", "2"]
    assert root.children["4"].node.children["4"].name == "4"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("c4", r"there is no child 'c4' \(did you mean 'c.'\?\); there are: a1, b1, c1, "),
        ("x", "there is no child 'x'; there are: a1, b1"),
    ],
)
def test_an_unknown_child(name: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        searched().root.children[name]


def test_children_of_states_without_any() -> None:
    for search in (ub.Search("tic-tac-toe"), searched("tic-tac-toe", "a1 a2 b1 b2 c1")):
        assert search.root.children == ()
        with pytest.raises(UsageError, match="terminal, or not expanded yet"):
            search.root.children["a1"]
    with pytest.raises(IndexError):
        ub.Search("tic-tac-toe").root.children[0]
