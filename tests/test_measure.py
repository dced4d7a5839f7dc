# SPDX-License-Identifier: MIT
"""Positions with known results are read, whatever is in the files, and moves are judged by them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from random_networks import random_ntuple
from test_cli import Here, here, is_one_line  # noqa: F401

from unbounded import load_game
from unbounded.evaluation import BatchEvaluator, NetworkEvaluation, network_file
from unbounded.game import Game, UsageError
from unbounded.learning.measuring import combined, measure
from unbounded.learning.oracle import Solver
from unbounded.learning.positions import SolvedPosition, read_positions, write_positions
from unbounded.learning.yardsticks import all_open_positions

FOUR = load_game("connect-four")
TIC = load_game("tic-tac-toe")
EVERY = all_open_positions(TIC)
HEADER = "moves,ply,scores\n"
ROW = "112233,6,1:-2 2:-2 3:-2 4:18 5:-2 6:-2 7:-2\n"


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "positions"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


# -- reading ---------------------------------------------------------------------------------------


def test_csv(tmp_path: Path) -> None:
    [position] = read_positions(FOUR, written(tmp_path, HEADER + ROW))
    assert position.moves == tuple("112233")
    assert (position.ply, position.player, position.best) == (6, 0, 1)
    assert position.outcomes == {name: (1, -1) if name == "4" else (-1, 1) for name in "1234567"}
    assert position.scores is not None
    assert position.scores["4"] == 18
    assert position.is_decisive


def test_scores_of_the_second_player_are_for_the_second_player(tmp_path: Path) -> None:
    scores = "1:0 2:0 3:0 4:5 5:0 6:0 7:-1"
    [position] = read_positions(FOUR, written(tmp_path, f"{HEADER}1,1,{scores}"))
    assert position.outcomes is not None
    assert position.player == 1
    assert position.outcomes["4"] == (-1, 1)
    assert position.outcomes["7"] == (1, -1)


@pytest.mark.parametrize("moves", ["1 1 2 2 3 3", "112233", "11 22 33", "  112233  "])
def test_lines_with_a_score(tmp_path: Path, moves: str) -> None:
    [position] = read_positions(FOUR, written(tmp_path, f"{moves} 18\n"))
    assert position.moves == tuple("112233")
    assert (position.best, position.outcomes, position.scores) == (1, None, None)


def test_a_line_with_a_score_only_is_the_start(tmp_path: Path) -> None:
    [position] = read_positions(TIC, written(tmp_path, "0\n"))
    assert position.moves == ()
    assert position.best == 0


def test_a_name_of_several_characters_is_one_move(tmp_path: Path) -> None:
    wide = load_game("connect-four(width=12,height=4)")
    [position] = read_positions(wide, written(tmp_path, "12 1 112 0\n"))
    assert position.moves == ("12", "1", "1", "1", "2")
    [position] = read_positions(TIC, written(tmp_path, "a1 b2 0\n"))
    assert position.moves == ("a1", "b2")


def test_our_own_lines_come_back(tmp_path: Path) -> None:
    game = load_game("nim(heaps=[1,2],players=3)")
    positions = all_open_positions(game)
    write_positions(tmp_path / "x", game, positions, seed=7)
    assert read_positions(game, tmp_path / "x") == positions
    assert json.loads((tmp_path / "x").read_text("utf-8").splitlines()[0])["seed"] == 7
    with pytest.raises(UsageError, match=r"line 1: the file is about nim\(heaps=\[1,2\],players=3"):
        read_positions(TIC, tmp_path / "x")


OURS = '{"format": "unbounded test positions", "version": 1, "game": "tic-tac-toe"}\n'


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "has no positions"),
        (HEADER, "has no positions"),
        (b"\xff\xfe\x00", "it is not text"),
        ("x" * 70_000, "line 1: the line is too long"),
        ("12 x\n", "line 1: 'x' is not a score"),
        ("12 nan\n", "line 1: 'nan' is not a score"),
        ("12 inf\n", "line 1: 'inf' is not a score"),
        ("12 1\n\n19 0\n", "line 3: illegal move '9'"),
        ("1111111 0\n", "line 1: illegal move '1'"),
        ("1212121 0\n", "line 1: the game is over after these moves"),
        (HEADER + "1,1\n", "line 2: 2 cells instead of 3"),
        (HEADER + '"1,1\n', "line 2: "),
        (HEADER + "1,2,1:0\n", "line 2: ply is '2', and there are 1 moves"),
        (HEADER + "1,1,1:0 2:0 3:0 4:0 5:0 6:0\n", "line 2: nothing is said of the legal action 7"),
        (HEADER + "1,1,1:0 1:0\n", "line 2: two scores of the action '1'"),
        (HEADER + "1,1,8:0\n", "line 2: illegal move '8'"),
        (HEADER + "1,1,1\n", "line 2: '1' is not action:score"),
        (HEADER + "1,1,1:much\n", "line 2: 'much' is not a score"),
        ("{", "line 1: this is not a JSON object"),
        ('{"a": 1}\n', "line 1: this is not a file of test positions"),
        ("[" * 50_000, "line 1: "),
    ],
)
def test_what_is_wrong_is_said_with_its_line(
    tmp_path: Path, text: str | bytes, problem: str
) -> None:
    with pytest.raises(UsageError) as error:
        read_positions(FOUR, written(tmp_path, text))
    assert problem in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 300


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("[]", "this is not a JSON object"),
        ('{"moves": "a1"}', "moves must be a list of names"),
        ('{"moves": [1]}', "moves must be a list of names"),
        ('{"moves": [], "ply": true}', "ply is True"),
        ('{"moves": [], "ply": 0}', "outcomes must be an object"),
        ('{"moves": [], "ply": 0, "outcomes": {"z9": [0, 0]}}', "z9 is not legal here"),
        ('{"moves": [], "ply": 0, "outcomes": {"a1": [0, 0]}}', "nothing is said of the legal"),
    ],
)
def test_what_is_wrong_in_our_own_lines(tmp_path: Path, row: str, problem: str) -> None:
    with pytest.raises(UsageError, match=r"line 2: ") as error:
        read_positions(TIC, written(tmp_path, OURS + row))
    assert problem in str(error.value)


@pytest.mark.parametrize("outcome", ["[0]", "[2, -2]", "[true, false]", "[0.0, 0.0]", "0"])
def test_what_is_no_outcome(tmp_path: Path, outcome: str) -> None:
    names = [TIC.action_name(TIC.initial(), action) for action in TIC.actions(TIC.initial())]
    outcomes = ", ".join(f'"{name}": {outcome}' for name in names)
    row = f'{{"moves": [], "ply": 0, "outcomes": {{{outcomes}}}}}'
    with pytest.raises(UsageError, match="an outcome is a list of 2 numbers"):
        read_positions(TIC, written(tmp_path, OURS + row))


def test_outcomes_of_a_zero_sum_game_add_up_to_zero(tmp_path: Path) -> None:
    names = [TIC.action_name(TIC.initial(), action) for action in TIC.actions(TIC.initial())]
    outcomes = ", ".join(f'"{name}": [1, 1]' for name in names)
    row = f'{{"moves": [], "ply": 0, "outcomes": {{{outcomes}}}}}'
    with pytest.raises(UsageError, match="line 2: tic-tac-toe has zero sum"):
        read_positions(TIC, written(tmp_path, OURS + row))


def test_one_score_is_not_enough_for_three_players(tmp_path: Path) -> None:
    three = load_game("connect-four(players=3)")
    for text in ("11 0\n", HEADER + "1,1,1:0"):
        with pytest.raises(UsageError, match="one score says too little"):
            read_positions(three, written(tmp_path, text))


# -- evaluating ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["heuristic", "zero", "playouts(3)"])
@pytest.mark.parametrize("text", ["connect-four(width=4,height=4)", "nim(heaps=[2,3],players=3)"])
def test_a_batch_has_the_values_of_the_search(text: str, name: str) -> None:
    from unbounded import Search

    game = load_game(text)
    if name == "heuristic" and not game.has_evaluation:
        pytest.skip("it has none")
    search = Search(game, evaluation=name, seed=5)
    search.run(iterations=1)
    children = [child for child in search.root.children if not child.node.is_terminal]
    values = BatchEvaluator(game, name, seed=5)([child.node.state for child in children])
    assert values.shape == (len(children), game.players)
    for row, child in zip(values, children, strict=True):
        assert tuple(float(x) for x in row) == pytest.approx(child.value)


def test_a_batch_of_none_and_of_many() -> None:
    def count(states: Any) -> Any:
        sizes.append(len(states))
        return np.zeros((len(states), 2))

    sizes: list[int] = []
    evaluate = BatchEvaluator(FOUR, count)
    assert evaluate([]).shape == (0, 2)
    assert evaluate([FOUR.initial()] * 9000).shape == (9000, 2)
    assert sizes == [8192, 808]


def test_a_batch_of_objects() -> None:
    class Count(Game[int, int]):
        zero_sum = True

        def initial(self) -> int:
            return 0

        def player(self, state: int) -> int:
            return state % 2

        def actions(self, state: int) -> list[int]:
            return [1, 2] if state < 5 else []

        def next(self, state: int, action: int) -> int:
            return state + action

        def outcome(self, state: int) -> list[int]:
            return [0, 0]

        def evaluate(self, state: int) -> list[float]:
            return [state, -state]

    values = BatchEvaluator(Count(), "heuristic")([3, 1, 4])
    assert values.tolist() == [[3, -3], [1, -1], [4, -4]]


# -- measuring -------------------------------------------------------------------------------------


def by_outcome(sign: float) -> Any:
    """An evaluation that knows every value, or the opposite of it."""
    known = {p.state: p for p in EVERY}

    def exact(states: Any) -> Any:
        rows = []
        for state in states:
            position = known[state.tobytes()]
            best = sign * position.best
            rows.append([best if p == position.player else -best for p in range(2)])
        return np.array(rows)

    return exact


def test_who_knows_every_value_makes_no_mistake() -> None:
    right = measure(TIC, by_outcome(1), EVERY)
    assert (right.positions, right.value_keeping, right.mistakes) == (4520, 1.0, 0.0)
    assert (right.sign_accuracy, right.value_error) == (1.0, 0.0)
    assert sum(share.positions for share in right.by_ply.values()) == 4520
    assert right.by_ply["0"].positions == 1
    wrong = measure(TIC, by_outcome(-1), EVERY[::7])
    assert wrong.value_keeping is not None
    assert wrong.value_keeping < 0.8
    assert wrong.sign_accuracy == 0.0


def test_ties_go_to_the_first_action_and_ends_of_games_are_exact(tmp_path: Path) -> None:
    rows = ["112233,6,1:-2 2:-2 3:-2 4:18 5:-2 6:-2 7:-2", "11,2,1:0 2:0 3:1 4:2 5:0 6:0 7:0"]
    positions = read_positions(FOUR, written(tmp_path, HEADER + "\n".join(rows)))
    result = measure(FOUR, "zero", positions)
    assert result.value_keeping == 0.5  # the win is found; then 1, the first action
    assert result.perfect == 0.5
    assert {ply: share.value_keeping for ply, share in result.by_ply.items()} == {"2": 0, "6": 1}
    assert result.by_ply_range["0-8"].positions == 2


def test_a_search_sees_more_than_the_evaluation() -> None:
    positions = [p for p in EVERY if p.is_decisive][::20]
    alone = measure(TIC, "zero", positions)
    searching = measure(TIC, "zero", positions, evaluations=2000)
    assert alone.value_keeping is not None
    assert alone.value_keeping < 0.9
    assert searching.value_keeping == 1.0
    assert (searching.sign_accuracy, searching.value_error) == (None, None)
    assert searching.evaluations == 2000


def test_where_only_the_position_is_known_the_solver_judges_the_move(tmp_path: Path) -> None:
    path = written(tmp_path, "112233 18\n1212126 1\n")
    result = measure(FOUR, "heuristic", read_positions(FOUR, path), solver=Solver(FOUR, 10_000_000))
    assert (result.positions, result.undecided) == (2, 0)
    assert result.perfect is None
    nothing = measure(FOUR, "heuristic", read_positions(FOUR, written(tmp_path, "4 1\n")),
                      solver=Solver(FOUR, 100))  # fmt: skip
    assert (nothing.positions, nothing.undecided, nothing.value_keeping) == (0, 1, None)


def test_a_score_that_is_too_low_is_refused(tmp_path: Path) -> None:
    positions = read_positions(FOUR, written(tmp_path, "112233 -5\n"))
    with pytest.raises(UsageError, match=r"the score given for 1 1 2 2 3 3 is too low: 4 reaches"):
        measure(FOUR, "heuristic", positions)


def test_files_together_are_means_and_plies_are_sums() -> None:
    few, many = EVERY[:10], EVERY[10:400]
    parts = [measure(TIC, "zero", part) for part in (few, many)]
    both, one = combined(parts), measure(TIC, "zero", EVERY[:400])
    shares = [part.value_keeping for part in parts]
    assert None not in shares
    assert both.value_keeping == pytest.approx(sum(x for x in shares if x is not None) / 2)
    assert both.positions == 400
    assert both.by_ply.keys() == one.by_ply.keys()
    for ply, share in one.by_ply.items():
        assert both.by_ply[ply].positions == share.positions
        assert both.by_ply[ply].value_keeping == pytest.approx(share.value_keeping)
    assert combined(parts[:1]) == parts[0]


def test_three_players_keep_the_equilibrium() -> None:
    game = load_game("nim(heaps=[1,3],players=3)")
    positions = all_open_positions(game)
    result = measure(game, "zero", positions)
    expected = [p.outcomes[next(iter(p.outcomes))][p.player] for p in positions if p.outcomes]
    best = [p.best for p in positions]
    # Zero takes a win at once, else the first action.
    assert result.value_keeping is not None
    assert result.value_keeping >= sum(map(int.__eq__, expected, best)) / len(best)


def test_searches_with_a_function_share_its_calls() -> None:
    def zero(states: Any) -> Any:
        sizes.append(len(states))
        return np.zeros((len(states), 2))

    sizes: list[int] = []
    positions = [p for p in EVERY if p.is_decisive][::20]
    together = measure(TIC, zero, positions, evaluations=60)
    alone = measure(TIC, "zero", positions, evaluations=60)
    assert together.by_ply == alone.by_ply
    assert max(sizes) > 100  # of many searches at once


def test_a_network_in_a_file_is_measured_by_its_path(here: Here, tmp_path: Path) -> None:  # noqa: F811
    network = random_ntuple(TIC)
    path, positions = tmp_path / "net.safetensors", tmp_path / "positions"
    network_file.write(path, network)
    write_positions(positions, TIC, EVERY[:60])
    by_path = measure(TIC, str(path), EVERY[:60])
    by_network = measure(TIC, NetworkEvaluation("net", network), EVERY[:60])
    assert by_path.by_ply == by_network.by_ply
    assert by_path.evaluation == str(path)
    command = ["measure", "tic-tac-toe", "--evaluation", str(path), "--positions", str(positions)]
    assert here(*command, "--json", "--quiet") == 0
    assert json.loads(here.out)["value_keeping"] == by_path.value_keeping
    assert here(*command[:1], "hex(size=3)", *command[2:], "--quiet") == 2
    assert is_one_line(here.err)


def test_a_failing_function_ends_every_search() -> None:
    def failing(states: Any) -> Any:
        if len(calls) > 3:
            raise OSError("the device is gone")
        calls.append(len(states))
        return np.zeros((len(states), 2))

    calls: list[int] = []
    with pytest.raises(OSError, match="the device is gone"):
        measure(TIC, failing, EVERY[:200], evaluations=60)


# -- the command -----------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Two files of positions of tic-tac-toe."""
    paths = [str(tmp_path / name) for name in ("early.jsonl", "late.jsonl")]
    for path, part in zip(paths, (EVERY[:50], EVERY[1000:1100]), strict=True):
        write_positions(path, TIC, part)
    return paths


def test_the_command_prints_json(here: Here, files: list[str]) -> None:  # noqa: F811
    command = ["measure", "tic-tac-toe", "--evaluation", "zero", "--positions", *files]
    assert here(*command, "--json", "--quiet") == 0
    result = json.loads(here.out)
    assert {"positions", "value_keeping", "perfect", "by_ply", "seconds"} <= result.keys()
    assert result["positions"] == 150
    assert result["perfect"] is None
    assert [each["file"] for each in result["files"]] == files
    assert [each["positions"] for each in result["files"]] == [50, 100]
    shares = [each["value_keeping"] for each in result["files"]]
    assert result["value_keeping"] == pytest.approx(sum(shares) / 2)
    assert result["by_ply"]["0"] == {"positions": 1, "value_keeping": 1.0}


def test_the_command_prints_a_table(here: Here, files: list[str]) -> None:  # noqa: F811
    assert here("measure", "tic-tac-toe", "--positions", files[0], "--quiet") == 0
    assert "early.jsonl" in here.out
    assert "\nmean " not in here.out
    command = ["--positions", files[0], "--positions", files[1], "--evaluations", "50"]
    assert here("measure", "tic-tac-toe", *command, "--quiet") == 0
    assert "\nmean " in here.out
    assert "50 states a move" in here.out
    assert max(map(len, here.out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["tic-tac-toe"], "--positions FILE"),
        (["nothing", "--positions", "FILE"], "unknown game"),
        (["tic-tac-toe", "--positions", "nowhere"], "there is no file nowhere"),
        (["tic-tac-toe", "--positions", "FILE", "--evaluation", "best"], "unknown evaluation"),
        (["tic-tac-toe", "--positions", "FILE", "--evaluations", "-1"], "--evaluations"),
        (["tic-tac-toe", "--positions", "FILE", "--evaluations", "x"], "--evaluations"),
        (["tic-tac-toe", "--positions", "FILE", "--rule", "worst"], "--rule must be"),
        (["hex", "--positions", "FILE"], "the file is about tic-tac-toe, not hex"),
    ],
)
def test_wrong_use_of_the_command(
    here: Here,  # noqa: F811
    files: list[str],
    arguments: list[str],
    problem: str,
) -> None:
    given = [files[0] if word == "FILE" else word for word in arguments]
    assert here("measure", *given, "--quiet") == 2
    assert problem in here.err
    assert is_one_line(here.err)
    assert here.out == ""


def test_positions_compare_by_what_they_hold() -> None:
    start = TIC.initial()
    assert SolvedPosition((), start, 0, 0) == SolvedPosition((), start, 0, 0)
