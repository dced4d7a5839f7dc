# SPDX-License-Identifier: MIT
"""Matches: fair seats, the same games twice, ratings that mean something."""

from __future__ import annotations

import io
import itertools
import json
import math
import signal
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from test_cli import Here, here, is_one_line, on_terminal, run  # noqa: F401

import unbounded as ub
from unbounded.game import UsageError
from unbounded.interfaces.terminal.matches import (
    Following,
    comparisons_overview,
    comparisons_table,
    interval_text,
    match_table,
)
from unbounded.players import Decision, Player, read_kind
from unbounded.players.kinds import RandomKind
from unbounded.players.matches import Comparing, Comparison, Match, compare, play_match, result_of
from unbounded.players.matches.ablation import GAMES, VARIANTS
from unbounded.players.matches.likelihood import caution, log_likelihood
from unbounded.players.matches.match import guess_seconds, results_of_first
from unbounded.players.matches.playing import play_game, random_opening
from unbounded.players.matches.rating import Rating, Sprt, expected, fit, pairs_of, ratings
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
        game = ub.load_game(text)
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

    record = play_game(ub.load_game("tic-tac-toe"), [BlindKind(), read_kind("random")], seed=0)
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


def draws_of(elo: float, drawn: float, bias: float = 0.0) -> np.ndarray:
    """How likely it is to get 0, 1/4, 1/2, 3/4 or 1 from an opening that favors a seat."""

    def game(elo: float) -> list[float]:
        share = expected(elo)
        draw = min(drawn, 1.98 * min(share, 1 - share))
        return [1 - share - draw / 2, draw, share - draw / 2]

    return np.convolve(game(elo + bias), game(elo - bias))


@pytest.mark.parametrize("openings", [1, 4, 20])
def test_intervals_hold_what_they_promise(openings: int) -> None:
    """How often the true mean is held, equal or far apart, with few draws or with many."""
    random = np.random.default_rng(2)
    held = []
    for elo, drawn in itertools.product((0, 100, 400), (0.0, 0.5, 0.9)):
        shares = draws_of(elo, drawn)
        counts = random.multinomial(openings, shares, size=1000)
        away = np.linspace(0, 1, 5) - shares @ np.linspace(0, 1, 5)
        ratio = caution(openings) * log_likelihood(counts, away)
        held.append(float(np.mean(ratio >= -(1.96**2) / 2)))
    assert min(held) > 0.94


def test_an_interval_ends_where_the_ratio_says() -> None:
    """The interval that is shown is the one whose promise is tested above."""
    random = Random(4)
    openings = [
        [(0, 1, random.choice([0.0, 0.5, 1.0])), (1, 0, random.choice([0.0, 0.5]))]
        for _ in range(9)
    ]
    rating = ratings(openings, 2)[0].times(2)
    results = [(a + 1 - b) / 2 for (_, _, a), (_, _, b) in openings]
    counts = [results.count(x / 4) for x in range(5)]
    for end in (rating.low, rating.high):
        ratio = caution(9) * log_likelihood(counts, np.linspace(0, 1, 5) - expected(end))
        assert 2 * ratio == pytest.approx(-(1.96**2), abs=0.01)


def test_intervals_of_three() -> None:
    """Ratings of three who meet in few games hold the true ones as often as they say."""
    random, true = Random(3), (200.0, 0.0, -200.0)
    held = [0, 0, 0]
    for _ in range(15):
        openings = [
            [
                (i, j, float(random.random() < expected(true[i] - true[j])))
                for i, j in itertools.permutations(range(3), 2)
            ]
            for _ in range(4)
        ]
        for k, rating in enumerate(ratings(openings, 3)):
            held[k] += rating.low <= true[k] <= rating.high
    assert min(held) >= 13


def test_nobody_is_known_better_than_those_it_met() -> None:
    """Two who draw with each other are as far below the third as that one is above: not known."""
    best, *others = ratings([[(0, 1, 1.0), (1, 2, 0.5), (0, 2, 1.0)]] * 30, 3)
    assert best.high == math.inf and best.low > 200
    assert all(x.low == -math.inf and x.high < -100 for x in others)


def test_intervals_of_few_games_have_a_width() -> None:
    assert ratings([], 2)[0] == Rating(0.0, -math.inf, math.inf)
    drawn = ratings([[(0, 1, 0.5)]] * 8, 2)[0]
    assert drawn.low == pytest.approx(-drawn.high, abs=0.01)
    assert drawn.high > 40
    (once,) = ratings([[(0, 1, 1.0)]], 2)[:1]
    assert once.low < -300 and once.high == math.inf


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
    for seed in range(5):
        random, results = Random(seed), []
        while sprt.verdict(results) is None:
            results += [float(random.random() < expected(elo)) for _ in range(10)]
        right += sprt.verdict(results) == verdict
    assert right == 5


def wrong(sprt: Sprt, shares: np.ndarray, verdict: int, matches: int = 400) -> int:
    """How many matches end with a verdict, if these are the shares of the results."""
    random, values = np.random.default_rng(7), np.linspace(0, 1, len(shares))
    counts, ended = np.zeros((matches, len(shares))), 0
    for _ in range(2000):
        counts += random.multinomial(1, shares, size=len(counts))
        ratio = verdict * sprt.ratios(counts, values)
        ended += int(np.sum(ratio >= sprt.limit))
        counts = counts[np.abs(ratio) < sprt.limit]
        if len(counts) == 0:
            break
    return ended


@pytest.mark.parametrize("elo", [100.0, 200.0, 400.0])
@pytest.mark.parametrize("drawn", [0.0, 0.6])
def test_the_sequential_test_keeps_its_error(elo: float, drawn: float) -> None:
    """Of 400 matches 20 may be wrong; more than 32 by chance once in 200 times."""
    sprt, single = Sprt(0, elo), draws_of(0, drawn)
    assert wrong(sprt, single, 1) <= 32
    assert wrong(sprt, draws_of(elo, drawn), -1) <= 32
    assert wrong(sprt, draws_of(0, drawn, bias=300), 1) <= 32
    trinomial = np.array([0.5 - drawn / 2, drawn, 0.5 - drawn / 2])
    assert wrong(sprt, trinomial, 1) <= 32


def test_the_sequential_test_needs_two_hypotheses() -> None:
    for elos in ((50, 0), (10, 10), (0, math.inf), (math.nan, 1)):
        with pytest.raises(UsageError, match="lower one first"):
            Sprt(*elos)
    with pytest.raises(UsageError, match="error must be"):
        Sprt(0, 10, error=0.6)


def test_the_ratio_is_that_of_the_likeliest_shares() -> None:
    """Without draws there is nothing to fit: the ratio is Wald's own."""
    sprt, results = Sprt(0, 100), [1.0] * 7 + [0.0] * 5
    high, low = expected(100), expected(0)
    wald = 7 * math.log(high / low) + 5 * math.log((1 - high) / (1 - low))
    assert sprt.ratio(results) == pytest.approx(caution(12) * wald)
    # Draws alone: whoever is better wins sometimes, and the likeliest is as seldom as can be.
    assert sprt.ratio([0.5] * 9) == pytest.approx(caution(9) * 9 * math.log(2 - 2 * high), abs=0.02)
    assert sprt.ratio([]) == 0


def test_an_opening_counts_when_all_its_games_are_played() -> None:
    match = Match("tic-tac-toe", ("random", "random"), games=5)
    _, records = play_match(match, jobs=1)
    assert len(results_of_first(match, records)) == 2
    three = Match("nim(heaps=[1,2],players=3)", ("random", "greedy"), games=13)
    _, records = play_match(three, jobs=1)
    results = results_of_first(three, records)
    assert len(results) == 2
    assert all(0 <= 12 * x <= 12 and (24 * x).is_integer() for x in results)


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
        ["match", "ubfm", "random", "--game", "tic-tac-toe", "--sprt", "50", "0"],
        ["replay", "nowhere"],
        ["replay", "tests"],
        ["replay", "README.md"],
    ],
    ids=" ".join,
)
def test_wrong_use(here: Here, arguments: list[str]) -> None:  # noqa: F811
    quiet = [] if arguments[0] == "replay" else ["--quiet"]  # where compiling takes long
    assert here(*arguments, *quiet) == 2
    assert is_one_line(here.err)
    assert here.out == ""


def drawn(thing: object, width: int) -> str:
    """What is drawn on a terminal of so many columns, nothing of it too wide or cut."""
    console = Console(width=width, file=io.StringIO(), markup=False, highlight=False)
    console.print(thing)
    shown = console.file.getvalue()
    assert max(map(len, shown.splitlines())) <= width
    assert "..." not in shown and "\u2026" not in shown
    return shown


NAMES = ("ubfm(iterations=10,evaluation=zero,rule=best)", "ubfm(iterations=10,evaluation=zero)")


@pytest.mark.parametrize("width", [80, 60, 40])
def test_who_is_who_at_any_width(width: int) -> None:
    match = Match("tic-tac-toe", (*NAMES, "random"), games=6)
    result, _ = play_match(match, jobs=1)
    shown = drawn(match_table(result), width)
    joined = "".join(line.strip() for line in shown.splitlines())
    assert all(name in joined for name in match.contestants)
    headings = ("Elo", "95 %", "won", "drawn", "lost", "by seat", "s/move", "faults", "share")
    assert all(heading in shown for heading in headings)
    for standing in result.standings:
        assert interval_text(standing.rating) in shown


@pytest.mark.parametrize("width", [200, 80, 60, 40])
def test_comparisons_at_any_width(width: int) -> None:
    comparisons = (Comparison("this and that", *NAMES), Comparison("the other", "random", NAMES[0]))
    asked = Comparing(comparisons, ("tic-tac-toe", "nim(heaps=[1,2],players=3)"), 2)
    results, _ = compare(asked, jobs=1)
    shown = drawn(comparisons_table(results), width)
    for result in results:
        assert interval_text(result.whole.difference) in shown
        assert result.about in shown
        assert width == 200 or result.first[:30] in shown
    assert "this and" in drawn(comparisons_overview(results), width)


def test_limits_in_words() -> None:
    assert interval_text(Rating(0.0, -0.2, 51.4)) == "+0 to +51"
    assert interval_text(Rating(9.0, -7.0, math.inf)) == "above -7"
    assert interval_text(Rating(9.0, -math.inf, 12.0)) == "below +12"
    assert interval_text(Rating(0.0, -math.inf, math.inf)) == "unknown"


def test_how_far_and_how_long(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("unbounded.interfaces.terminal.matches.time.monotonic", lambda: now[0])
    shown = Following("match", tables=True)
    now[0] += 3
    assert shown.line() == "match: compiling the rules ..., 3 s"
    shown.begin(20, 1200.0)
    now[0] += 5
    assert shown.line() == "match: 0 of 20 games, 5 s; perhaps 20 min in all"
    shown.played(7, lambda: "table")
    now[0] += 65
    assert shown.line() == "match: 7 of 20 games, 1 min, about 2 min left"
    shown = Following("match", tables=False)
    shown.begin(1, None)
    assert shown.line() == "match: 0 of 1 game, 1 s; how long is known after the first"
    shown.played(1, lambda: "table")
    assert shown.line() == "match: 1 of 1 game"


def test_a_guess_before_the_first_game() -> None:
    match = Match("nim(heaps=[1,1])", ("ubfm(seconds=2)", "mcts(seconds=4)"), games=10)
    assert guess_seconds([match], jobs=2) == pytest.approx(10 * 2 * 3 / 2)
    assert guess_seconds([Match("tic-tac-toe", ("random", "greedy"))]) is None


def test_life_on_a_pipe_goes_to_stderr() -> None:
    """Games that take seconds: something is said before, and stdout is only JSON."""
    arguments = ["match", "ubfm(seconds=0.3)", "random", "--game", "hex(size=7)", "--games", "1"]
    done = run(*arguments, "--jobs", "1", "--opening", "0", "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["played"] == 1
    assert done.stderr.startswith("unbounded: match: ")
    quiet = run(*arguments, "--jobs", "1", "--opening", "0", "--json", "--quiet")
    assert quiet.stderr == ""


def test_a_terminal_sees_life_and_the_count() -> None:
    arguments = ["match", UBFM, "random", "--game", "tic-tac-toe", "--games", "6", "--jobs", "1"]
    with on_terminal(*arguments) as program:
        program.wait_for("match: ")
        code, out = program.finish()
    assert code == 0 and "tic-tac-toe: 6 games" in out
    assert "of 6 games" in program.seen and "tic-tac-toe: 1 games" not in program.seen


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
        assert winner.low < winner.elo < winner.high == math.inf
        assert (winner.low, winner.elo) == pytest.approx((-loser.high, -loser.elo))
        widths.append(winner.low)
    assert widths == sorted(widths)
    sixteen = ratings([[(1, 0, 0.0)]] * 16, 2)[0]
    assert 0.77 < expected(2 * sixteen.low) < 0.025 ** (1 / 40)
    drawn = ratings([[(0, 1, 0.5)]] * 8, 2)
    assert drawn[0].elo == pytest.approx(0, abs=1e-6)


def test_what_is_not_known_is_null_in_json() -> None:
    match = Match("tic-tac-toe", ("random", "random"))
    told = json.loads(json.dumps(result_of(match, []).to_dict(), allow_nan=False))
    assert told["standings"][0]["rating"] == {"elo": 0.0, "low": None, "high": None}
