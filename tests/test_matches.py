# SPDX-License-Identifier: MIT
"""Matches: fair seats, the same games twice, ratings that mean something."""

from __future__ import annotations

import json
import math
import signal
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from test_cli import Here, here, is_one_line, on_terminal  # noqa: F401

import unbounded as ub
from unbounded.game import UsageError
from unbounded.matches import Comparing, Comparison, Match, compare, play_match
from unbounded.matches.ablation import GAMES, VARIANTS
from unbounded.matches.playing import play_game, random_opening
from unbounded.matches.rating import Sprt, expected, fit, pairs_of, ratings
from unbounded.players import Decision, Player, read_kind
from unbounded.players.kinds import RandomKind
from unbounded.players.simple import RandomPlayer

UBFM = "ubfm(iterations=100)"


def test_everybody_sits_everywhere() -> None:
    match = Match("tic-tac-toe", (UBFM, "greedy", "random"), games=12)
    seats = Counter(match.task(number).places for number in range(12))
    assert set(seats.values()) == {2}
    assert len(seats) == 6
    openings = {match.task(number).seed for number in range(12)}
    assert len(openings) == 2


def test_two_at_a_table_for_three() -> None:
    match = Match("nim(players=3)", ("random", "greedy"))
    assert len(match.seatings) == 6
    assert all(len(set(places)) == 2 for places in match.seatings)
    assert Counter(place for places in match.seatings for place in places) == {0: 9, 1: 9}


def test_the_same_match_twice_and_on_several_cores() -> None:
    match = Match("connect-four(width=5,height=4)", (UBFM, "random"), games=6, seed=3)
    result, records = play_match(match, jobs=1)
    again, same = play_match(match, jobs=2)
    assert [r.without_times() for r in records] == [r.without_times() for r in same]
    assert [s.rating for s in result.standings] == [s.rating for s in again.standings]
    other = play_match(Match("connect-four(width=5,height=4)", (UBFM, "random"), 6, 2, 4), jobs=1)
    assert [r.moves for r in other[1]] != [r.moves for r in records]


def test_a_match_counts_what_was_played() -> None:
    match = Match("tic-tac-toe", (UBFM, "greedy", "random"), games=24)
    result, records = play_match(match, jobs=1)
    assert result.played == len(records) == 24
    for k, standing in enumerate(result.standings):
        assert standing.games == 16
        assert sum(standing.won) + sum(standing.drawn) + sum(standing.lost) == 16
        for seat in range(2):
            mine = [r.outcome[seat] for r in records if match.task(r.number).places[seat] == k]
            assert mine.count(1) == standing.won[seat]
            assert mine.count(0) == standing.drawn[seat]
        assert result.table[k][k] is None
    for i in range(3):
        for j in range(3):
            if i != j:
                one, two = result.table[i][j], result.table[j][i]
                assert one is not None and two is not None
                assert one + two == pytest.approx(1)
    assert result.standings[0].rating.elo > result.standings[2].rating.elo


def test_three_players() -> None:
    match = Match("connect-four(width=4,height=4,line=3,players=3)", (UBFM, "random"), games=12)
    result, _ = play_match(match, jobs=1)
    ours, random = result.standings
    assert ours.rating.elo > random.rating.elo
    assert ours.rating.low <= ours.rating.elo <= ours.rating.high


def test_openings_do_not_end_the_game() -> None:
    for text in ("tic-tac-toe", "nim(heaps=[1,1])"):
        game = ub.game(text)
        for seed in range(20):
            state, moves = random_opening(game, seed, 30)
            assert game.actions(state)
            assert len(moves) < 30


def test_an_illegal_move_loses() -> None:
    class Blind(RandomPlayer):
        """Always the first action of an empty board: it does not look."""

        def see(self, action: object) -> None:
            pass

        def choose(self) -> Decision:
            return self.decision(self.game.actions(self.state)[0])

    class BlindKind(RandomKind):
        def player(self, game: ub.Game[Any, Any], seed: int) -> Player:
            return Blind(game, seed)

    record = play_game(ub.game("tic-tac-toe"), [BlindKind(), read_kind("random")], seed=0)
    assert record.illegal == 0
    assert record.outcome == (-1, 1)


# -- comparisons -----------------------------------------------------------------------------------

SMALL = ("connect-four(width=4,height=4)", "nim(heaps=[2,3,4],players=3)")


def test_a_comparison_counts_what_was_played() -> None:
    strong = Comparison("strong", "ubfm(iterations=50)", "random")
    weak = Comparison("weak", "random", "ubfm(iterations=50)")
    results, played = compare(Comparing((strong, weak), SMALL, games_each=12), jobs=1)
    assert len(played) == 48
    for result in results:
        assert list(result.by_game) == list(SMALL)
        scores = list(result.by_game.values())
        assert [s.games for s in scores] == [12, 12]
        assert scores[0].won + scores[0].drawn + scores[0].lost == 12
        assert scores[1].won + scores[1].drawn + scores[1].lost == 24  # the pairs of three
        for name in ("games", "won", "drawn", "lost", "illegal", "overruns"):
            assert getattr(result.whole, name) == sum(getattr(s, name) for s in scores)
        assert result.whole.share == pytest.approx((result.whole.won + result.whole.drawn / 2) / 36)
        elo = result.whole.difference
        assert elo.low <= elo.elo <= elo.high
        assert expected(elo.elo) == pytest.approx(result.whole.share, abs=0.01)
    best, worst = (result.whole.difference for result in results)
    assert best.elo > 0 > worst.elo


def test_a_comparison_is_a_match_on_each_game() -> None:
    asked = Comparing((Comparison("x", "ubfm(iterations=20)", "greedy"),), SMALL, 6, seed=5)
    _, played = compare(asked, jobs=1)
    for text in SMALL:
        match = Match(text, ("ubfm(iterations=20)", "greedy"), games=6, seed=5)
        _, records = play_match(match, jobs=1)
        mine = [record for of, record in played if of == match]
        assert [r.without_times() for r in mine] == [r.without_times() for r in records]
    _, same = compare(asked, jobs=2)
    assert [r.without_times() for _, r in same] == [r.without_times() for _, r in played]


def test_a_comparison_with_oneself_is_even() -> None:
    """Every opening is played in all seatings, so that nothing but the seats is left."""
    asked = Comparing((Comparison("x", UBFM, f"{UBFM[:-1]},memory=2G)"),), SMALL[:1], 8)
    (result,), _ = compare(asked, jobs=1)
    assert result.whole.share == 0.5
    assert result.whole.difference.elo == pytest.approx(0)


def test_limits_are_given_to_both() -> None:
    limited = VARIANTS[0].within(seconds=None, iterations=7)
    assert limited.first == "ubfm(iterations=7,completion=false)"
    assert limited.second == "ubfm(iterations=7)"


@pytest.mark.parametrize("game", GAMES)
def test_the_usual_games_fit_the_variants(game: str) -> None:
    variants = tuple(x.within(iterations=1) for x in VARIANTS)
    assert len(Comparing(variants, (game,)).matches) == len(VARIANTS)


# -- ratings ---------------------------------------------------------------------------------------


def test_ratings_of_known_strengths() -> None:
    """From results made by the model itself, the strengths are found again."""
    random = Random(1)
    true = [150.0, 0.0, -150.0]
    games = []
    for _ in range(3000):
        i, j = random.sample(range(3), 2)
        games.append([(i, j, float(random.random() < expected(true[i] - true[j])))])
    found = ratings(games, 3)
    for rating, elo in zip(found, true, strict=True):
        assert rating.low <= elo <= rating.high
        assert rating.elo == pytest.approx(elo, abs=25)


def test_intervals_hold_what_they_promise() -> None:
    random = Random(2)
    true = expected(60)
    inside = 0
    for trial in range(60):
        games = [[(0, 1, float(random.random() < true))] for _ in range(100)]
        rating = ratings(games, 2, seed=trial)[0]
        inside += rating.low <= 30 <= rating.high
    assert inside >= 50


def test_extremes_are_finite() -> None:
    assert all(math.isfinite(x) for x in fit([(0, 1, 1.0)] * 50, 2))
    assert fit([(0, 1, 0.5)] * 10, 2) == pytest.approx([0, 0])
    assert ratings([], 2)[0].high == math.inf


def test_pairs_of_a_game_for_many() -> None:
    assert pairs_of((0, 1, 0), [(1, 5.0), (-1, 2.0), (-1, 3.0)]) == [(0, 1, 1.0), (1, 0, 0.0)]
    assert pairs_of((0, 1), [(0, 0.0), (0, 0.0)]) == [(0, 1, 0.5)]


@pytest.mark.parametrize(("elo", "verdict"), [(40, "H1"), (-20, "H0")])
def test_the_sequential_test(elo: float, verdict: str) -> None:
    sprt = Sprt(0, 20)
    right = 0
    for seed in range(20):
        random, results = Random(seed), []
        while sprt.verdict(results) is None:
            results.append(float(random.random() < expected(elo)))
        right += sprt.verdict(results) == verdict
    assert right >= 17


def test_the_sequential_test_ends_a_match() -> None:
    match = Match("tic-tac-toe", (UBFM, "random"), games=400)
    result, records = play_match(match, jobs=1, sprt=Sprt(0, 100))
    assert result.verdict == "H1"
    assert len(records) < 400
    with pytest.raises(UsageError, match="for two players"):
        play_match(Match("tic-tac-toe", (UBFM, "random", "greedy")), sprt=Sprt(0, 10))


# -- the command line ------------------------------------------------------------------------------


def test_on_the_command_line(here: Here, tmp_path: Path) -> None:  # noqa: F811
    path = tmp_path / "games.jsonl"
    arguments = ["match", UBFM, "random", "--game", "tic-tac-toe", "--games", "6", "--jobs", "1"]
    assert here(*arguments, "--save", str(path), "--json") == 0
    told = json.loads(here.out)
    assert told["played"] == 6
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [r["number"] for r in records] == list(range(6))
    assert here(*arguments) == 0
    assert "Elo" in here.out
    assert here("replay", str(path), "--number", "2") == 0
    assert here.out.count("X") > 3
    assert here("replay", str(path), "--json") == 0
    assert json.loads(here.out) == records[0]


def test_an_ablation_on_the_command_line(here: Here, tmp_path: Path) -> None:  # noqa: F811
    path = tmp_path / "games.jsonl"
    arguments = ["ablation", "--iterations", "10", "--games", "2", "--jobs", "1"]
    arguments += ["--game", "tic-tac-toe", "--game", "nim(heaps=[1,2],players=3)"]
    assert here(*arguments, "--save", str(path), "--json") == 0
    told = json.loads(here.out)
    assert [x["about"] for x in told] == [x.about for x in VARIANTS]
    assert all(x["whole"]["games"] == 4 for x in told)
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [r["number"] for r in records] == list(range(4 * len(VARIANTS)))
    assert here(*arguments, "--json") == 0
    assert json.loads(here.out) == told
    assert here("replay", str(path), "--number", "3") == 0
    assert here(*arguments) == 0
    assert "without" in here.out
    assert "tic-tac-toe" in here.out


@pytest.mark.parametrize(
    "arguments",
    [
        ["ablation", "--game", "nothing"],
        ["ablation", "--games", "0"],
        ["ablation", "--jobs", "0"],
        ["ablation", "--seconds", "-1"],
        ["ablation", "--iterations", "0.5"],
        ["match", "ubfm", "--game", "tic-tac-toe"],
        ["match", "ubfm", "nobody", "--game", "tic-tac-toe"],
        ["match", "ubfm", "random"],
        ["match", "ubfm", "random", "--game", "nothing"],
        ["match", "ubfm", "random", "--game", "tic-tac-toe", "--games", "0"],
        ["match", "ubfm", "random", "--game", "tic-tac-toe", "--jobs", "0"],
        ["match", "ubfm", "random", "--game", "tic-tac-toe", "--save", "no/where"],
        ["match", "ubfm", "greedy", "random", "--game", "tic-tac-toe", "--sprt", "0", "10"],
        ["replay", "nowhere"],
        ["replay", "README.md"],
    ],
    ids=" ".join,
)
def test_wrong_use(here: Here, arguments: list[str]) -> None:  # noqa: F811
    assert here(*arguments) == 2
    assert is_one_line(here.err)
    assert here.out == ""


def test_ctrl_c_ends_a_match_with_its_table() -> None:
    arguments = ["match", UBFM, "random", "--game", "tic-tac-toe", "--games", "1000000", "--json"]
    with on_terminal(*arguments, "--jobs", "1") as program:
        program.wait_for("Elo")
        time.sleep(0.3)
        program.process.send_signal(signal.SIGINT)
        code, out = program.finish()
    assert code == 0
    assert json.loads(out)["played"] > 0
    assert "Traceback" not in program.seen


def test_who_wins_everything_is_not_known_exactly() -> None:
    """Sixteen wins of sixteen do not make an interval of no width, and fewer make a wider one."""
    widths = []
    for count in (4, 16, 64):
        winner, loser = ratings([[(0, 1, 1.0)]] * count, 2)
        assert winner.low < winner.elo and loser.high > loser.elo
        assert (winner.low, winner.elo) == (-loser.high, -loser.elo)
        widths.append(winner.low)
    assert widths == sorted(widths)
    sixteen = ratings([[(1, 0, 0.0)]] * 16, 2)[0]
    assert expected(2 * sixteen.low) == pytest.approx(0.025 ** (1 / 16), abs=1e-6)
    drawn = ratings([[(0, 1, 0.5)]] * 8, 2)
    assert drawn[0].elo == pytest.approx(0, abs=1e-6)
