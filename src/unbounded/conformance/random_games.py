# SPDX-License-Identifier: MIT
"""Random small games for tests: acyclic graphs of many shapes, made from a seed alone."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING, Any

from unbounded.game import UsageError, require
from unbounded.games.graph import Graph

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_WIDEST = 6  # successors of one state


def random_graph(
    seed: int,
    *,
    states: tuple[int, int] = (5, 200),
    players: tuple[int, int] = (1, 5),
    ties: bool | None = None,
    draws: bool | None = None,
    zero_sum: bool = False,
) -> Graph:
    """Return the game of this seed; half of the games have at most 30 states.

    With `ties=False` the scores are tie-breaking (two ends that are alike for one player are
    alike for all), with `ties=True` they tie often, or are the outcomes. `draws` is whether
    outcomes may be 0. What is None the seed decides. `zero_sum` makes games for two players.

    >>> from unbounded import solve
    >>> game = random_graph(7, zero_sum=True)
    >>> solve(game).resolved
    True
    """
    require(1 <= states[0] <= states[1], f"states={states} is no range of sizes")
    require(1 <= players[0] <= players[1], f"players={players} is no range of players")
    random = Random(seed)
    tied = random.random() < 0.5 if ties is None else ties
    drawn = random.random() < 0.7 if draws is None else draws
    count = 2 if zero_sum else random.randint(*players)
    successors = _random_successors(random, _random_size(random, *states))
    ends = [s for s, below in enumerate(successors) if not below]
    results = [_random_outcome(random, count, drawn, zero_sum) for _ in ends]
    scores = _random_scores(random, results, tied, zero_sum)
    if not tied and len(ends) > 2 and random.random() < 0.3:
        # Two ends may be alike for all players and the score is still tie-breaking.
        results[-1], scores[-1] = results[0], scores[0]
    has_scores = not tied or random.random() < 0.7
    inner = [s for s, below in enumerate(successors) if below]
    return Graph.of(
        successors,
        dict(zip(inner, _random_movers(random, len(inner), count), strict=True)),
        dict(zip(ends, results, strict=True)),
        scores=dict(zip(ends, scores, strict=True)) if has_scores else None,
        evaluations=_random_evaluations(random, inner, count, zero_sum),
        best_score=_loose_bound(random, scores) if has_scores else None,
        players=count,
        zero_sum=zero_sum,
    )


def graph_games(**options: Any) -> SearchStrategy[Graph]:
    """Return a Hypothesis strategy for games of `random_graph`, with the same options.

    >>> from hypothesis import given, settings
    >>> from unbounded import solve
    >>> @settings(max_examples=5, deadline=None, database=None)
    ... @given(graph_games())
    ... def test_every_game_is_solved(game):
    ...     assert solve(game).resolved
    >>> test_every_game_is_solved()
    """
    try:
        from hypothesis import strategies
    except ImportError:
        raise UsageError("graph_games needs Hypothesis: pip install hypothesis") from None
    random_graph(0, **options)  # wrong options are an error here, not inside a test
    return strategies.integers(0, 2**32 - 1).map(lambda seed: random_graph(seed, **options))


def _random_size(random: Random, least: int, most: int) -> int:
    """Half of the sizes are up to 30, few are above 80."""
    kind = random.random()
    low, high = (1, 30) if kind < 0.5 else (30, 80) if kind < 0.95 else (80, most)
    return random.randint(max(least, min(low, most)), max(least, min(high, most)))


def _random_successors(random: Random, count: int) -> list[list[int]]:
    """Grow a tree of random shape, let branches meet, and shuffle the numbers of the states."""
    widest = random.randint(2, _WIDEST)
    window = random.choice([1, 3, 10, count])  # small: deep games, large: shallow ones
    inner_share = random.uniform(0.3, 1.0)
    transpositions = random.choice([0.0, 0.5, 1.0, 3.0])
    successors: list[list[int]] = [[] for _ in range(count)]
    room = {0: random.randint(1, widest)}  # states that may still get successors, and how many
    for s in range(1, count):
        parent = random.choice(list(room)[-window:])
        successors[parent].append(s)
        room[parent] -= 1
        if random.random() < inner_share or len(room) < 3:
            room[s] = random.randint(1, widest)
        if room[parent] == 0:
            del room[parent]
    for _ in range(int(transpositions * count)):
        s, later = sorted(random.choices(range(count), k=2))
        if 0 < len(successors[s]) < widest and s != later and later not in successors[s]:
            successors[s].append(later)
    return _renumbered(random, successors)


def _renumbered(random: Random, successors: Sequence[Sequence[int]]) -> list[list[int]]:
    others = list(range(1, len(successors)))
    random.shuffle(others)
    new = [0, *others]
    renumbered: list[list[int]] = [[] for _ in successors]
    for s, below in enumerate(successors):
        renumbered[new[s]] = random.sample([new[child] for child in below], k=len(below))
    return renumbered


def _random_movers(random: Random, count: int, players: int) -> list[int]:
    """Usually anybody; sometimes mostly one player."""
    favorite = random.randrange(players)
    share = random.choice([0.0, 0.0, 0.0, 0.7])
    return [
        favorite if random.random() < share else random.randrange(players) for _ in range(count)
    ]


def _random_outcome(random: Random, players: int, draws: bool, zero_sum: bool) -> tuple[int, ...]:
    choices = (-1, 0, 1) if draws else (-1, 1)
    if zero_sum:
        x = random.choice(choices)
        return (x, -x)
    return tuple(random.choice(choices) for _ in range(players))


def _random_scores(
    random: Random, outcomes: Sequence[Sequence[int]], tied: bool, zero_sum: bool
) -> list[tuple[float, ...]]:
    """Score each end; half of the time a win scores more than a draw, and that more than a loss."""
    size = len(outcomes)
    agreeing = random.random() < 0.5
    by_player: list[list[float]] = []
    for j in range(1 if zero_sum else len(outcomes[0])):
        choices = range(-2, 3) if tied else range(-2 * size, 2 * size + 1)
        points = random.choices(choices, k=size) if tied else random.sample(choices, k=size)
        step = 4 * size + 4 if agreeing else 0
        by_player.append([x / 4 + step * outcomes[i][j] for i, x in enumerate(points)])
    if zero_sum:
        by_player.append([-x for x in by_player[0]])
    return list(zip(*by_player, strict=True))


def _random_evaluations(
    random: Random, inner: Sequence[int], players: int, zero_sum: bool
) -> dict[int, tuple[float, ...]] | None:
    kind = random.choice(["none", "tied", "varied", "varied"])
    if kind == "none":
        return None
    evaluations = {}
    for s in inner:
        each = [
            random.choice((-0.5, 0.0, 0.5)) if kind == "tied" else random.gauss(0, 3)
            for _ in range(players)
        ]
        evaluations[s] = (each[0], -each[0]) if zero_sum else tuple(each)
    return evaluations


def _loose_bound(random: Random, scores: Sequence[Sequence[float]]) -> list[float] | None:
    """Sometimes declare a best score that no end attains."""
    if random.random() < 0.8:
        return None
    return [max(of_player) + random.randint(0, 1) for of_player in zip(*scores, strict=True)]
