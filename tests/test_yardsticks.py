# SPDX-License-Identifier: MIT
"""Positions found by the solver, games against a perfect opponent, and the verdict."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unbounded import load_game
from unbounded.game import UsageError
from unbounded.learning.decisive import draw_decisive
from unbounded.learning.measuring import Measurement
from unbounded.learning.oracle import Solver
from unbounded.learning.perfect_games import games_against_perfect
from unbounded.learning.positions import read_positions, write_positions
from unbounded.learning.verdict import FIRST, Versus, change, verdict
from unbounded.learning.yardsticks import all_open_positions, positions_for
from unbounded.reference.backward_induction import minimax_outcomes
from unbounded.solving.proven_positions import key_of

sys.path.append(str(Path(__file__).parent.parent / "benchmarks"))

import perfect_opponent

TIC = load_game("tic-tac-toe")
SMALL = load_game("connect-four(width=4,height=3,line=3)")
THREE = load_game("connect-four(width=3,height=2,line=2,players=3)")
EVERY = all_open_positions(TIC)


# -- positions -------------------------------------------------------------------------------------


def test_every_open_position_of_tic_tac_toe() -> None:
    assert len(EVERY) == 4520
    assert len({p.state for p in EVERY}) == 4520
    exact: dict[Any, int] = minimax_outcomes(TIC)
    for position in EVERY:
        sign = 1 if position.player == 0 else -1
        assert position.best == sign * exact[position.state]
        state = TIC.initial()
        for move in position.moves:
            state = TIC.next(state, TIC.parse_action(state, move))
        assert state == position.state


def test_a_large_game_is_not_measured_whole() -> None:
    with pytest.raises(UsageError, match="more than 1000 states"):
        all_open_positions(TIC, most=1000)


def test_positions_of_three_players_have_their_outcomes() -> None:
    positions = all_open_positions(THREE)
    for position in positions:
        assert position.outcomes is not None
        assert all(len(outcome) == 3 for outcome in position.outcomes.values())
        assert position.best == max(x[position.player] for x in position.outcomes.values())
    assert any(p.is_decisive for p in positions)
    solver = Solver(THREE)
    assert solver.outcome([]) is not None


def test_decisive_positions_are_proven_and_differ(tmp_path: Path) -> None:
    drawn = draw_decisive(SMALL, 40, seed=3, plies=(1, 8))
    positions = drawn.positions
    assert len(positions) == 40
    assert drawn.unproven == 0
    assert len({key_of(SMALL, p.state, canonical=True) for p in positions}) == 40
    exact: dict[Any, int] = minimax_outcomes(SMALL)
    for position in positions:
        assert 1 <= position.ply <= 8
        assert position.is_decisive
        assert position.outcomes is not None
        for action in SMALL.actions(position.state):
            proven = position.outcomes[SMALL.action_name(position.state, action)]
            value = exact[SMALL.next(position.state, action)]
            assert proven == (value, -value)
    write_positions(tmp_path / "x", SMALL, positions)
    assert read_positions(SMALL, tmp_path / "x") == positions


def test_the_same_seed_draws_the_same_positions_on_any_number_of_cores() -> None:
    first = draw_decisive(SMALL, 12, seed=1, plies=(2, 8))
    again = draw_decisive(SMALL, 12, seed=1, plies=(2, 8), jobs=2)
    other = draw_decisive(SMALL, 12, seed=2, plies=(2, 8))
    assert first.positions == again.positions
    assert first.positions != other.positions


def test_a_game_of_ones_own_is_drawn_in_this_process() -> None:
    class Own(type(SMALL)):  # type: ignore[misc]
        pass

    game = Own(width=4, height=3, line=3)
    drawn = draw_decisive(game, 4, seed=1, plies=(2, 8), jobs=2)
    assert drawn.positions == draw_decisive(SMALL, 4, seed=1, plies=(2, 8)).positions


def test_what_cannot_be_proven_is_left_out_and_counted() -> None:
    game = load_game("connect-four")
    drawn = draw_decisive(game, 5, plies=(2, 4), states=50, states_per_move=50, seconds=0.5)
    assert drawn.positions == []
    assert drawn.unproven > 0


def test_a_game_with_few_positions_is_drawn_to_its_end() -> None:
    game = load_game("nim(heaps=[1,2])")
    drawn = draw_decisive(game, 1000, plies=(0, 10))
    decisive = [p for p in all_open_positions(game) if p.is_decisive]
    assert 0 < len(drawn.positions) <= len(decisive)


def test_drawing_refuses_what_makes_no_sense() -> None:
    with pytest.raises(UsageError, match="plies must be from low to high"):
        draw_decisive(TIC, 1, plies=(5, 2))
    with pytest.raises(UsageError, match="jobs"):
        draw_decisive(TIC, 1, jobs=0)


def test_positions_for_any_game() -> None:
    sample = positions_for(TIC, 100)
    assert len(sample) == 100
    assert all(p.is_decisive for p in sample)
    assert sample == positions_for(TIC, 100)
    assert sample != positions_for(TIC, 100, seed=1)
    large = positions_for(load_game("connect-four(width=5,height=4)"), 3)
    assert len(large) == 3


# -- the solver as an oracle -----------------------------------------------------------------------


def test_the_solver_goes_from_position_to_position() -> None:
    exact: dict[Any, int] = minimax_outcomes(SMALL)
    solver = Solver(SMALL)
    for moves in (["1", "1", "2"], ["1", "1"], [], ["4", "3", "2", "2"], ["1", "2"]):
        state = SMALL.initial()
        for move in moves:
            state = SMALL.next(state, SMALL.parse_action(state, move))
        assert solver.outcome(moves) == (exact[state], -exact[state])
        scores = solver.scores(moves)
        assert scores is not None
        sign = 1 if SMALL.player(state) == 0 else -1
        assert max(scores.values()) == sign * exact[state]
        assert scores[solver.best_move(moves)] == sign * exact[state]


def test_a_small_budget_proves_nothing_false() -> None:
    solver = Solver(load_game("connect-four"), states=200)
    assert solver.outcome(["4"]) is None
    assert solver.outcomes([]) is None
    assert solver.scores([]) is None
    assert solver.best_move([]) in "1234567"


# -- games against a perfect opponent --------------------------------------------------------------


def knowing(game: Any) -> Any:
    """An evaluation that knows every value."""
    known = {p.state: p for p in all_open_positions(game)}

    def exact(states: Any) -> Any:
        rows = []
        for state in states:
            position = known[state.tobytes()]
            best = position.best if position.player == 0 else -position.best
            rows.append([best, -best])
        return np.array(rows)

    return exact


def test_who_knows_every_value_does_not_lose_to_a_perfect_opponent() -> None:
    result = games_against_perfect(TIC, knowing(TIC), 20)
    assert (result.won, result.drawn, result.lost) == (0, 20, 0)
    won = games_against_perfect(SMALL, knowing(SMALL), 10)  # the first player wins there
    assert (won.won, won.drawn, won.lost) == (10, 0, 0)


def test_who_knows_nothing_loses_some() -> None:
    result = games_against_perfect(TIC, "zero", 20)
    assert result.won == 0
    assert result.lost > 0
    again = games_against_perfect(TIC, "zero", 20)
    assert (again.drawn, again.lost) == (result.drawn, result.lost)
    searching = games_against_perfect(TIC, "zero", 5, evaluations=3000)
    assert (searching.won, searching.drawn, searching.lost) == (0, 5, 0)


def test_an_oracle_of_another_program_can_be_given() -> None:
    class First:
        asked = 0

        def scores(self, moves: Sequence[str]) -> dict[str, float]:
            self.asked += 1
            board = TIC.initial()
            for move in moves:
                board = TIC.next(board, TIC.parse_action(board, move))
            names = [TIC.action_name(board, action) for action in TIC.actions(board)]
            return {name: float(-place) for place, name in enumerate(names)}

    oracle = First()
    result = games_against_perfect(TIC, "zero", 3, oracle=oracle)
    assert result.won + result.drawn + result.lost == 3
    assert oracle.asked > 0


def test_perfect_games_refuse_what_cannot_be_played() -> None:
    with pytest.raises(UsageError, match="two players and zero sum"):
        games_against_perfect(THREE, "zero")
    game = load_game("connect-four")
    with pytest.raises(UsageError, match="could not be proven"):
        games_against_perfect(game, "zero", 1, oracle=Solver(game, 100))


def test_the_benchmark_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    perfect_opponent.main(["tic-tac-toe", "--evaluation", "zero", "--games", "2"])
    result = json.loads(capsys.readouterr().out)
    assert result["games"] == result["won"] + result["drawn"] + result["lost"] == 2
    with pytest.raises(UsageError, match="7x6 only"):
        perfect_opponent.main(["tic-tac-toe", "--oracle", "bitbully"])


# -- the verdict -----------------------------------------------------------------------------------


def measured(share: float | None, positions: int = 1000) -> Measurement:
    wrong = None if share is None else 1 - share
    return Measurement(
        "tic-tac-toe", "zero", 0, positions, 0, share, wrong, None, {}, {}, None, None, 0.0
    )


def test_a_change_has_an_interval() -> None:
    clear = change(measured(0.55), measured(0.90))
    assert clear is not None
    assert (clear.trend, clear.positions) == (1, 1000)
    assert clear.low < 0.35 < clear.high
    none = change(measured(0.80), measured(0.81))
    assert none is not None
    assert none.trend == 0
    few = change(measured(0.0, 3), measured(1.0, 3))
    assert few is not None
    assert few.high - few.low > 0.5
    assert change(measured(None, 0), measured(0.5)) is None


BETTER, SAME, WORSE = (
    Versus(FIRST, score, score - 0.05, score + 0.05, 200) for score in (0.8, 0.5, 0.2)
)


@pytest.mark.parametrize(
    ("shares", "matches", "start"),
    [
        ((0.55, 0.90), [BETTER], "It learns: 90.0 % of its moves keep the value, 55.0 % before"),
        ((0.55, 0.90), [SAME], "It learns: "),
        ((0.80, 0.81), [BETTER], "It learns: "),
        ((0.80, 0.81), [SAME], "No difference can be seen yet: "),
        ((0.90, 0.55), [SAME], "It got worse: "),
        ((0.90, 0.55), [BETTER], "It learns one thing and loses another: "),
        ((0.80, 0.81), [WORSE], "It got worse: "),
        (None, [BETTER], "It learns: it beats the first network (80.0 % of the points, 75.0 % to"),
        (None, [], "Nothing was measured that says whether it learns."),
    ],
)
def test_the_verdict(shares: tuple[float, float] | None, matches: list[Versus], start: str) -> None:
    before, after = (None, None) if shares is None else map(measured, shares)
    assert verdict(before, after, matches).startswith(start)


def test_other_opponents_do_not_decide_whether_it_learns() -> None:
    heuristic = Versus("the heuristic", 0.1, 0.05, 0.2, 100)
    mcts = Versus("MCTS", 0.5, 0.4, 0.6, 100)
    text = verdict(measured(0.5), measured(0.9), [BETTER, heuristic, mcts])
    assert text.startswith("It learns: ")
    assert "Against others: it loses to the heuristic (10.0 % of the points" in text
    assert "it cannot be told apart from MCTS" in text
    third = Versus("MCTS", 0.4, 0.36, 0.44, 300, even=1 / 3)
    assert third.trend == 1
