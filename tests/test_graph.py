# SPDX-License-Identifier: MIT
"""Games given state by state: reading, checking, writing, and the random ones."""

import json
from pathlib import Path
from typing import Any

import pytest

from unbounded.conformance.random_games import random_graph
from unbounded.game import UsageError
from unbounded.games.graph import Graph
from unbounded.reference.backward_induction import (
    highest_scores,
    is_tie_breaking,
    max_n,
    minimax_scores,
)
from unbounded.reference.definitions import reachable

EXAMPLES = Path(__file__).parent.parent / "examples"

A = {"player": 0, "next": ["b", "c"], "evaluation": [0.1, -0.1]}
B = {"outcome": [1, -1], "score": [3, -3]}
C = {"outcome": [0, 0]}


def text(**changes: Any) -> str:
    """A small graph as JSON; a state's name changes that state, another key the game."""
    states = {"a": A, "b": B, "c": C}
    states.update({k: v for k, v in changes.items() if len(k) == 1})
    game = {k: v for k, v in changes.items() if len(k) > 1}
    return json.dumps({"states": states, **game})


# -- what a graph says of itself -------------------------------------------------------------------


def test_a_graph_is_a_game() -> None:
    game = Graph.from_json(text())
    assert (game.players, game.zero_sum, game.initial(), len(game)) == (2, True, 0, 3)
    assert game.player(0) == 0
    assert list(game.actions(0)) == [1, 2]
    assert [game.next(0, a) for a in (1, 2)] == [1, 2]
    assert [game.action_name(0, a) for a in (1, 2)] == ["b", "c"]
    assert game.parse_action(0, "C") == 2
    assert list(game.actions(1)) == list(game.actions(2)) == []
    assert game.outcome(1) == (1, -1)
    assert game.score(1) == (3.0, -3.0)
    assert game.score(2) == [0.0, 0.0]
    assert game.evaluate(0) == (0.10000000149011612, -0.10000000149011612)
    assert game.best_scores == (3.0, 0.0)
    assert game.best_score_from(0) == (3.0, 0.0)
    assert game.best_score_from(1) == (3.0, -3.0)
    assert game.has_score and game.has_evaluation and game.has_local_best_score


def test_a_graph_without_extras_says_so() -> None:
    game = Graph.from_json(text(a={"player": 1, "next": ["c", "b"]}, b={"outcome": [1, -1]}))
    assert not game.has_score and not game.has_evaluation
    assert game.best_score is None
    assert game.best_scores == (1.0, 1.0)
    assert game.evaluate(0) == (0.0, 0.0)
    assert game.score(1) == [1.0, -1.0]
    assert game.best_score_from(0) == (1.0, 0.0)


def test_show() -> None:
    game = Graph.from_json(text())
    assert game.show(0) == "a: player 0 moves to b, c"
    assert game.show(1) == "b: over, outcome [1, -1], score [3.0, -3.0]"
    plain = Graph.of([[1], []], [0, None], [None, (0, 0)])
    assert plain.show(1) == "1: over, outcome [0, 0]"


@pytest.mark.parametrize(
    ("changes", "declared", "zero_sum"),
    [
        ({}, None, True),
        ({}, False, False),
        ({"b": {"outcome": [1, 0]}}, None, False),
        ({"b": {"outcome": [1, -1], "score": [3, -2]}}, None, False),
    ],
)
def test_zero_sum_is_found_out_or_declared(
    changes: dict[str, Any], declared: bool | None, zero_sum: bool
) -> None:
    extra = {} if declared is None else {"zero_sum": declared}
    assert Graph.from_json(text(**changes, **extra)).zero_sum is zero_sum


def test_one_player_is_never_zero_sum() -> None:
    assert Graph.of([[]], [None], [(0,)], players=1).zero_sum is False


def test_states_as_mappings_or_lists() -> None:
    listed = Graph.of([[1, 2], [], []], [0, None, None], [None, (1, -1), (0, 0)], names="abc")
    mapped = Graph.of([[1, 2], [], []], {0: 0}, {1: (1, -1), 2: (0, 0)}, names=["a", "b", "c"])
    assert listed.to_json() == mapped.to_json()


def test_a_bound_may_be_loose() -> None:
    assert Graph.from_json(text(best_score=[7, 0])).best_scores == (7.0, 0.0)


def test_a_file_is_the_parameter(tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    file.write_text(text(), encoding="utf-8")
    game = Graph(str(file))
    assert str(game) == f"graph(file={file})"
    assert game.parameters == {"file": str(file)}
    assert game.to_json() == Graph.from_json(text()).to_json()
    assert str(Graph()) == "graph"


def test_a_program_s_graph_does_not_pass_for_the_example() -> None:
    for game in (Graph.from_json(text()), Graph.of([[]], [None], [(0, 0)])):
        assert str(game) == "graph(file=<program>)"
        with pytest.raises(UsageError, match="cannot read '<program>'"):
            Graph(game.file)


@pytest.mark.parametrize(
    ("name", "root"),
    [
        ("cheap_win", ((1, -1), (10.0, -10.0))),
        ("three_players", ((-1, -1, 1), (-1.0, -1.0, 3.0))),
    ],
)
def test_examples(name: str, root: Any) -> None:
    game = Graph(str(EXAMPLES / f"{name}.json"))
    assert max_n(game)[game.root] == root
    assert is_tie_breaking(game)


@pytest.mark.parametrize("seed", range(60))
def test_writing_and_reading_changes_nothing(seed: int) -> None:
    game = random_graph(seed, zero_sum=seed % 3 == 0)
    twin = Graph.from_json(game.to_json())
    assert vars(twin) == vars(game)


# -- refusals --------------------------------------------------------------------------------------

BAD_TEXTS: dict[str, tuple[str, str]] = {
    "not json": ("{", "not JSON: .*line 1 column 2"),
    "too deep": ("[" * 100_000, "not JSON: "),
    "a list": ("[]", "a graph must be described by a JSON object"),
    "unknown key": (text(state=1), "a graph: unknown key 'state' .did you mean 'states'"),
    "no states": ('{"states": {}}', '"states" must describe at least one state'),
    "states a list": ('{"states": []}', '"states" must describe at least one state'),
    "no players": (text(players=0), "players is 0, not a positive number"),
    "half a player": (text(players=2.0), "players is 2.0, not a positive number"),
    "players true": (text(players=True), "players is True, not a positive number"),
    "unknown root": (text(root="d"), "root 'd' is not a state"),
    "root a number": (text(root=0), "root 0 is not a state"),
    "state not an object": (text(b=3), "state 'b' must be described by a JSON object"),
    "state key": (text(a={**A, "nxt": []}), "state 'a': unknown key 'nxt' .did you mean 'next'"),
    "state twice": ('{"states": {"a": {}, "a": {}}}', "'a' is described twice"),
    "both": (text(a={**A, "outcome": [0, 0]}), "state 'a': has both successors and an outcome"),
    "neither": (text(b={}), "state 'b': has neither successors nor an outcome"),
    "empty next": (text(a={"player": 0, "next": []}), "state 'a': has neither successors nor an"),
    "next a name": (text(a={"player": 0, "next": "b"}), "state 'a': next must be a list"),
    "unknown next": (text(a={**A, "next": ["b", "x"]}), "state 'a': successor 'x' is not a state"),
    "next a list": (text(a={**A, "next": [["b"]]}), "state 'a': successor .* is not a state"),
    "next twice": (text(a={**A, "next": ["b", "b"]}), "state 'a': successor 'b' is listed twice"),
    "no player": (text(a={"next": ["b", "c"]}), "state 'a': does not say which player moves"),
    "player too high": (text(a={**A, "player": 2}), "state 'a': player 2 is not one of 0 to 1"),
    "player negative": (text(a={**A, "player": -1}), "state 'a': player -1 is not one of 0 to 1"),
    "player true": (text(a={**A, "player": True}), "state 'a': player True is not one of"),
    "outcome 2": (text(b={"outcome": [2, -2]}), "state 'b': outcome 2 is not -1, 0 or 1"),
    "outcome half": (text(b={"outcome": [1.0, -1]}), "state 'b': outcome 1.0 is not -1, 0 or 1"),
    "outcome true": (text(b={"outcome": [True, -1]}), "state 'b': outcome True is not -1"),
    "outcome short": (text(b={"outcome": [1]}), "state 'b': outcome has 1 numbers for 2 players"),
    "outcome a number": (text(b={"outcome": 1}), "state 'b': outcome must be a list"),
    "score long": (text(b={**B, "score": [1, 2, 3]}), "state 'b': score has 3 numbers"),
    "score a word": (text(b={**B, "score": ["3", -3]}), "state 'b': score '3' is no number"),
    "score true": (text(b={**B, "score": [True, -1]}), "state 'b': score True is no number"),
    "score nan": (text(b={**B, "score": [float("nan"), 0]}), "NaN is not a finite number"),
    "score infinite": (text(b={**B, "score": [float("-inf"), 0]}), "-Infinity is not a finite"),
    "score too big": (text(b={**B, "score": [1e39, -1e39]}), "state 'b': score 1e.39 is not a fin"),
    "score on the way": (text(a={**A, "score": [0, 0]}), "state 'a': has a score, but the game is"),
    "evaluation short": (text(a={**A, "evaluation": [1]}), "state 'a': evaluation has 1 numbers"),
    "evaluation at the end": (text(b={**B, "evaluation": [0, 0]}), "state 'b': has an evaluation"),
    "best score low": (text(best_score=[2, 9]), "best_score 2.0 of player 0: an end scores 3.0"),
    "best score short": (text(best_score=[2]), "best_score has 1 numbers for 2 players"),
    "zero sum a word": (text(zero_sum="yes"), "zero_sum is 'yes', not true or false"),
    "zero sum broken": (
        text(zero_sum=True, b={"outcome": [1, -1], "score": [3, -2]}),
        r"state 'b': outcome \[1, -1\] and score \[3.0, -2.0\] do not add up to zero",
    ),
    "zero sum of one": (
        '{"players": 1, "zero_sum": true, "states": {"a": {"outcome": [0]}}}',
        "zero_sum is for 2 players; this game has 1",
    ),
    "itself": (text(a={"player": 0, "next": ["a"]}), "the states run in a cycle: a -> a$"),
    "cycle": (
        text(b={"player": 1, "next": ["d"]}, d={"player": 0, "next": ["c", "b"]}),
        "the states run in a cycle: b -> d -> b$",
    ),
    "unreachable cycle": (
        text(d={"player": 0, "next": ["e"]}, e={"player": 0, "next": ["d"]}),
        "the states run in a cycle: d -> e -> d$",
    ),
    "blank name": ('{"states": {" a": {"outcome": [0, 0]}}}', "' a' is not a name"),
    "empty name": ('{"states": {"": {"outcome": [0, 0]}}}', "'' is not a name"),
    "name of two lines": (r'{"states": {"a\nb": {"outcome": [0, 0]}}}', "is not a name"),
}


@pytest.mark.parametrize("what", BAD_TEXTS)
def test_a_bad_description_is_refused_in_one_line(what: str) -> None:
    bad, message = BAD_TEXTS[what]
    with pytest.raises(UsageError, match=message) as refusal:
        Graph.from_json(bad)
    assert "\n" not in str(refusal.value)


def test_a_long_cycle_is_shown_in_part() -> None:
    with pytest.raises(UsageError, match=r"cycle: 0 -> 1 -> .*9 -> \.\.\. -> 0$"):
        Graph.of([[(s + 1) % 50] for s in range(50)], [0] * 50, {})


BAD_CALLS: dict[str, tuple[dict[str, Any], str]] = {
    "no states": ({"successors": [], "movers": [], "outcomes": []}, "needs at least one state"),
    "root": ({"root": 3}, "root 3 is not a state"),
    "negative root": ({"root": -1}, "root -1 is not a state"),
    "successor": ({"successors": [[1, 3], [], []]}, "state '0': successor 3 is not a state"),
    "successors": ({"successors": [None, [], []]}, "state '0': its successors must be a list"),
    "names": ({"names": ["a", "b"]}, "names: 2 given for 3 states"),
    "same names": ({"names": ["a", "b", "a"]}, "two states have the same name"),
    "movers": ({"movers": [0]}, "movers: 1 given for 3 states"),
    "outcomes": ({"outcomes": {1: (0, 0), 7: (0, 0)}}, "outcomes: 7 is not a state"),
    "nan": ({"evaluations": {0: (float("nan"), 0)}}, "state '0': evaluation nan is not a finite"),
    "inf": ({"scores": {1: (0, float("inf"))}}, "state '1': score inf is not a finite"),
    "huge": ({"scores": {1: (10**400, 0)}}, "state '1': score 10+ is not a finite"),
    "both": ({"outcomes": {0: (0, 0), 1: (0, 0), 2: (0, 0)}}, "state '0': has both successors"),
}


@pytest.mark.parametrize("what", BAD_CALLS)
def test_a_bad_call_is_refused(what: str) -> None:
    changes, message = BAD_CALLS[what]
    good: dict[str, Any] = {
        "successors": [[1, 2], [], []],
        "movers": {0: 0},
        "outcomes": {1: (1, -1), 2: (0, 0)},
    }
    Graph.of(**good)
    with pytest.raises(UsageError, match=message):
        Graph.of(**{**good, **changes})


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot read '.*missing': No such file"):
        Graph(str(tmp_path / "missing"))
    with pytest.raises(UsageError, match="cannot read"):
        Graph(str(tmp_path))
    with pytest.raises(UsageError, match="null"):
        Graph("a\0b")
    file = tmp_path / "bad"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match=r"bad: .*utf-8"):
        Graph(str(file))
    file.write_text(text(root="x"), encoding="utf-8")
    with pytest.raises(UsageError, match="bad: root 'x' is not a state"):
        Graph(str(file))


# -- random graphs ---------------------------------------------------------------------------------


def test_random_graphs_are_as_asked() -> None:
    for seed in range(150):
        game = random_graph(seed, states=(8, 60), players=(2, 4), ties=False, draws=False)
        assert 8 <= len(game) <= 60
        assert 2 <= game.players <= 4
        assert is_tie_breaking(game)
        assert all(0 not in outcome for outcome in game.outcomes if outcome)
        assert sorted(reachable(game)) == list(range(len(game)))
        assert max(map(len, game.successors)) <= 6
        assert [game.best_score_from(s) for s in range(len(game))] == [
            pair[1] for pair in sorted(highest_scores(game).items())
        ]


def test_random_zero_sum_graphs() -> None:
    agreeing = 0
    for seed in range(200):
        game = random_graph(seed, zero_sum=True)
        assert game.zero_sum and game.players == 2
        assert all(x + y == 0 for x, y in filter(None, game.evaluations))
        ends = [s for s in range(len(game)) if not game.successors[s]]
        agreeing += all(game.score(s)[0] * game.outcome(s)[0] >= 0 for s in ends)
        assert len(minimax_scores(game)) == len(game)
    assert 60 < agreeing < 180


def test_random_graphs_are_varied() -> None:
    games = [random_graph(seed) for seed in range(250)]
    assert {game.players for game in games} == {1, 2, 3, 4, 5}
    assert 90 < sum(len(game) <= 30 for game in games) < 160
    assert 0 < sum(len(game) > 80 for game in games) < 30
    assert {len(below) for game in games for below in game.successors} == set(range(7))
    assert 0 < sum(is_tie_breaking(game) for game in games) < 250
    assert 0 < sum(game.has_evaluation for game in games) < 250
    assert 0 < sum(game.has_score for game in games) < 250
    transpositions = [sum(map(len, game.successors)) >= len(game) for game in games]
    assert 60 < sum(transpositions) < 250
    drawn = [any(0 in outcome for outcome in game.outcomes if outcome) for game in games]
    assert 0 < sum(drawn) < 250


def test_only_the_seed_decides() -> None:
    assert random_graph(7).to_json() == random_graph(7).to_json()
    assert random_graph(7).to_json() != random_graph(8).to_json()


def test_impossible_wishes_are_refused() -> None:
    with pytest.raises(UsageError, match="no range of sizes"):
        random_graph(1, states=(9, 3))
    with pytest.raises(UsageError, match="no range of players"):
        random_graph(1, players=(0, 3))
