# SPDX-License-Identifier: MIT
"""What a game answers, where it enters a search: refused unless it is what was promised."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from optional_games import ZERO_SUM, record_game

import unbounded as ub
from unbounded.game import Game, Out, RecordGame, RuleError, Rules, State, UsageError, record
from unbounded.interfaces.session import Session
from unbounded.reference.backward_induction import minimax_scores
from unbounded.search.explanations import why
from unbounded.solving.certificate import certify
from unbounded.solving.table import export, query
from unbounded.solving.verification import verify

NAN, INF = math.nan, math.inf

NEXT = {"a": "wb", "b": "xc", "c": "y"}
SCORES = {"w": 1.0, "x": 5.0, "y": 3.0}


class Little(Game[str, int]):
    """One player among three moves: a leads to w and b, b to x and c, c to y."""

    players = 3

    def __init__(self, **answers: Any) -> None:
        self.answers = answers
        """By rule, what it answers instead of the truth."""

    @classmethod
    def signature(cls) -> dict[str, Any]:
        return {}

    def initial(self) -> str:
        return "a"

    def player(self, state: str) -> int:
        return 0

    def actions(self, state: str) -> list[int]:
        return list(range(len(NEXT.get(state, ""))))

    def next(self, state: str, action: int) -> str:
        return NEXT[state][action]

    def outcome(self, state: str) -> Any:
        return self.answers.get("outcome", (1, -1, -1))

    def score(self, state: str) -> Any:
        return self.answers.get("score", (SCORES[state], 0, 0))


class Bounded(Little):
    def best_score_from(self, state: str) -> Any:
        given = self.answers.get("best_score_from", (5, 0, 0))
        return given[state] if isinstance(given, dict) else given


class Guessing(Little):
    def evaluate(self, state: str) -> Any:
        return self.answers.get("evaluate", (0, 0, 0))


def declaring(best_score: Any) -> Little:
    game = Little()
    game.best_score = best_score
    return game


# -- what is missing is not known ------------------------------------------------------------------


@pytest.mark.parametrize("best", [None, (5, 5, 5), (INF, 0, 0)])
@pytest.mark.parametrize("values", ["resolved_completion", "propagated_completion"])
def test_a_score_needs_no_bound(best: Any, values: Any) -> None:
    result = ub.solve(declaring(best), values=values)
    assert result.options.bounds and result.score == (5, 0, 0) and result.pv == ("1", "0")


# -- numbers that are none -------------------------------------------------------------------------

NOT_NUMBERS = [(NAN,) * 3, (1, 2), (1, 2, 3, 4), ("1", "2", "3"), (None,) * 3, None, 5, (1j,) * 3]
NOT_NUMBERS += [{0: 5, 1: 0, 2: 0}, {5, 6, 7}, "123", (10**400, 0, 0)]
BAD = {
    "score": [*NOT_NUMBERS, (INF, 0, 0), (-INF, 0, 0), (1e39, 0, 0)],
    "outcome": [*NOT_NUMBERS, (2, 0, 0), (0.5, 0, 0), (INF, 0, 0)],
    "best_score_from": [*NOT_NUMBERS, (-INF, 5, 5)],
    "evaluate": [*NOT_NUMBERS, (INF, 0, 0), (1e39, 0, 0)],
}
CASES = [(rule, bad) for rule, answers in BAD.items() for bad in answers]


@pytest.mark.parametrize(("rule", "bad"), CASES, ids=str)
def test_what_is_no_number_is_refused_by_name(rule: str, bad: Any) -> None:
    kind = {"best_score_from": Bounded, "evaluate": Guessing}.get(rule, Little)
    with pytest.raises(RuleError, match=rf"^{kind.__name__.lower()}: {rule}\('[abwx]'\)"):
        ub.solve(kind(**{rule: bad}))


@pytest.mark.parametrize("bad", [*NOT_NUMBERS, (-INF, 0, 0)], ids=str)
def test_a_best_score_is_checked_before_the_search(bad: Any) -> None:
    if bad is None:
        return
    with pytest.raises(RuleError, match="best_score"):
        ub.solve(declaring(bad))


def test_infinity_says_that_nothing_is_known() -> None:
    result = ub.solve(Bounded(best_score_from=(INF, INF, INF)))
    assert result.score == (5, 0, 0)


@pytest.mark.parametrize("answer", [[[1, 2], [3]], "abc", [1, 2], None, [["x", "y", "z"]] * 2])
def test_what_an_evaluation_function_gives_is_checked(answer: Any) -> None:
    with pytest.raises(UsageError, match="one row per state and one column per player"):
        ub.Search(Little(), evaluation=lambda states: answer).run()


# -- promises that are broken ----------------------------------------------------------------------


@pytest.mark.parametrize("options", [{"bounds": True}, {"local_maximum": True}], ids=str)
def test_an_end_above_a_bound_is_refused(options: dict[str, Any]) -> None:
    """Of a state whose children are looked at: b promises at most 4, and x scores 5."""
    promised = {"a": (5, 0, 0), "b": (4, 0, 0), "c": (3, 0, 0)}
    search = ub.Search(Bounded(best_score_from=promised), **options)
    words = (
        r"best_score_from\('b'\): declared at most 4.0* for player 0, but a reachable end scores 5"
    )
    with pytest.raises(RuleError, match=words):
        search.run()
    assert not search.root.resolved


# -- compiled --------------------------------------------------------------------------------------

ENDS = np.array([0, 0, 0, 1, 5, 3], np.int64)
BEST = np.array([5, 5, 3], np.int64)


def _initial(s: State) -> None:
    s.at = 0


def _player(s: State) -> int:
    return 0


def _actions(s: State, out: Out) -> int:
    if s.at > 2:
        return 0
    out[0], out[1] = 0, 1
    return 1 if s.at == 2 else 2


def _next(s: State, action: int, t: State) -> None:
    # 0 leads to 3 and 1, 1 to 4 and 2, 2 to 5.
    t.at = s.at + 3 if action == 0 else s.at + 1


def _outcome(s: State, out: Out) -> None:
    out[0], out[1], out[2] = 1, -1, -1


def _score(s: State, out: Out) -> None:
    out[0] = ENDS[s.at]


def _nan_score(s: State, out: Out) -> None:
    out[0] = np.nan


def _bound(s: State, out: Out) -> None:
    out[0] = BEST[s.at]


def _nan_bound(s: State, out: Out) -> None:
    out[0] = np.nan


def _low_bound(s: State, out: Out) -> None:
    out[0] = 5 if s.at == 0 else 4


def _nan_evaluation(s: State, out: Out) -> None:
    out[0] = np.nan


class Compiled(RecordGame):
    """`Little` as a record game."""

    players, max_actions = 3, 2
    state = record(at="i8")

    def __init__(self, score: Any = _score, bound: Any = None, evaluate: Any = None) -> None:
        self.score_rule, self.bound_rule, self.evaluate_rule = score, bound, evaluate

    @classmethod
    def signature(cls) -> dict[str, Any]:
        return {}

    def rules(self) -> Rules:
        return Rules(
            _initial,
            _player,
            _actions,
            _next,
            _outcome,
            self.score_rule,
            best_score_from=self.bound_rule,
            evaluate=self.evaluate_rule,
        )


PROBING = [{"probes": probes} for probes in (True, False)]


@pytest.mark.parametrize("options", PROBING, ids=str)
@pytest.mark.parametrize(
    ("rules", "rule"),
    [
        ({"score": _nan_score}, "score"),
        ({"bound": _nan_bound}, "best_score_from"),
        ({"evaluate": _nan_evaluation}, "evaluate"),
    ],
)
def test_compiled_rules_are_checked_alike(
    rules: dict[str, Any], rule: str, options: dict[str, Any]
) -> None:
    with pytest.raises(RuleError, match=rf"{rule}\(at=[01345]\): the .* player 0 is (not|-?nan)"):
        ub.solve(Compiled(**rules), threads=1, **options)


@pytest.mark.parametrize("options", PROBING, ids=str)
def test_a_compiled_bound_that_is_broken_is_refused(options: dict[str, Any]) -> None:
    assert ub.solve(Compiled(bound=_bound), threads=1, **options).score == (5, 0, 0)
    with pytest.raises(RuleError, match=r"best_score_from\(at=1\): declared at most 4.* 5"):
        ub.solve(Compiled(bound=_low_bound), threads=1, **options)


def _zero_outcome(s: State, out: Out) -> None:
    out[0], out[1] = 1, -1


def _zero_score(s: State, out: Out) -> None:
    out[0], out[1] = ENDS[s.at], -ENDS[s.at]


def _zero_bound(s: State, out: Out) -> None:
    out[0], out[1] = 5 if s.at == 0 else 4, 0


class TwoSided(Compiled):
    """The same for two players."""

    players, zero_sum, max_actions = 2, True, 2

    def rules(self) -> Rules:
        return Rules(
            _initial,
            _player,
            _actions,
            _next,
            _zero_outcome,
            _zero_score,
            best_score_from=self.bound_rule,
        )


def test_a_broken_bound_of_two_players_is_refused_by_the_probe() -> None:
    assert ub.solve(TwoSided(), exact_score=True, threads=1).score == (5, -5)
    with pytest.raises(RuleError, match=r"best_score_from\(at=1\): declared at most 4.* 5"):
        ub.solve(TwoSided(bound=_zero_bound), exact_score=True, threads=1)


@pytest.mark.parametrize("iterations", [1, 2])
def test_a_bound_may_say_less_than_the_best_score(iterations: int, tmp_path: Path) -> None:
    game = record_game(ZERO_SUM, frozenset({"score", "best_score", "best_score_from"}))
    search = ub.Search(game, bounds=True, probes=True, exact_score=True)
    search.run(iterations=iterations)
    search.save(tmp_path / "a.search")
    result = ub.Search.load(tmp_path / "a.search", game).run()
    first = minimax_scores(game)[game.initial()]
    assert (result.outcome[0], result.score[0]) == first


# -- numbers of other libraries --------------------------------------------------------------------

TABLE = np.array([1, 0, -1], np.int8)


class Pick(RecordGame):
    """Pick one of three ends, which are in a table; every rule gives numbers of NumPy."""

    players, zero_sum, max_actions, best_score = 2, True, 3, np.array([2.0, 2.0], np.float32)
    state = record(picked="i8")

    def rules(self) -> Rules:
        ends = TABLE

        def initial(s: State) -> None:
            s.picked = -1

        def player(s: State) -> int:
            return ends[0] - 1

        def actions(s: State, out: Out) -> int:
            if s.picked >= 0:
                return 0
            for i in range(3):
                out[i] = i
            return 3

        def move(s: State, a: int, t: State) -> None:
            t.picked = a

        def outcome(s: State, out: Out) -> None:
            out[0], out[1] = ends[s.picked], -ends[s.picked]

        def score(s: State, out: Out) -> None:
            out[0], out[1] = 2 * ends[s.picked], -2 * ends[s.picked]

        return Rules(initial, player, actions, move, outcome, score)


class PickObject(Game[int, Any]):
    """The same on Python objects."""

    zero_sum, best_score = True, np.array([2.0, 2.0], np.float32)

    def initial(self) -> int:
        return -1

    def player(self, state: int) -> Any:
        return np.int8(0)

    def actions(self, state: int) -> list[Any]:
        return list(np.arange(3)) if state < 0 else []

    def next(self, state: int, action: Any) -> int:
        return int(action)

    def outcome(self, state: int) -> Any:
        return np.array([TABLE[state], -TABLE[state]])

    def score(self, state: int) -> Any:
        return 2 * np.array([TABLE[state], -TABLE[state]], np.float32)

    def evaluate(self, state: int) -> Any:
        return np.zeros(2, np.float32)


@pytest.mark.parametrize("kind", [Pick, PickObject])
def test_numbers_of_numpy_become_plain_ones(kind: type[Game[Any, Any]], tmp_path: Path) -> None:
    game = kind()
    search = ub.Search(game, bounds=True, exact_score=True)
    assert search.run().score == (2, -2)
    certify(search, tmp_path / "pick.cert")
    assert verify(tmp_path / "pick.cert", game).header.value == ((1, 2), (-1, -2))
    for table in ("pick.sqlite", "pick.jsonl"):
        assert export(search, tmp_path / table).positions == 4
        found = query(tmp_path / table, "1", game)
        assert found is not None and found.outcome == (0, 0)
    session = Session(game, ["human", "human"])
    assert type(session.mover) is int
    session.play("0")
    session.save(tmp_path / "pick.game")
    search.play("0")
    for answer in (session.outcome(), search.root.outcome):
        assert answer == (1, -1) and all(type(x) is int for x in answer)
    assert json.loads(json.dumps(search.run().to_dict()))["outcome"] == [1, -1]
    assert json.dumps(search.to_rows()) and why(search) == "The game is over."


# -- lines -----------------------------------------------------------------------------------------


class Corridor(Game[int, int]):
    """So many moves, one after the other."""

    zero_sum = True

    def __init__(self, length: int = 2500) -> None:
        self.length = length

    def initial(self) -> int:
        return 0

    def player(self, state: int) -> int:
        return state % 2

    def actions(self, state: int) -> list[int]:
        return [0] if state < self.length else []

    def next(self, state: int, action: int) -> int:
        return state + 1

    def outcome(self, state: int) -> tuple[int, int]:
        return (1, -1)


def test_a_long_line_is_whole() -> None:
    search = ub.Search(Corridor(), algorithm="descent")
    result = search.run()
    assert (result.distance, len(result.pv)) == (2500, 2500)
    assert "player 1 wins in 2500 moves, beginning with 0 0 0" in why(search)


def test_a_line_into_a_cycle_ends() -> None:
    class Circle(Corridor):
        def next(self, state: int, action: int) -> int:
            return (state + 1) % 3

    search = ub.Search(Circle(), algorithm="ubfm")
    search.run(iterations=3)
    assert len(search.result.pv) == 3


def test_a_proof_by_a_probe_has_no_distance() -> None:
    options: Any = {"bounds": True, "probes": True, "canonical": True}
    search = ub.Search("breakthrough(rows=5,columns=3)", **options)
    result = search.run()
    assert re.search(rf"in {result.distance} moves, by", why(search))
    for action in result.actions:
        text = why(search, action.action)
        assert "in one move" not in text
        child = next(c for c in search.root.children if c.name == action.action)
        ends = [node.is_terminal for _, node in child.node.pv()][-1:] == [True]
        assert (re.search(r" in \d+ moves", text) is not None) == (ends and action.resolved)
