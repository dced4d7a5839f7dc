# SPDX-License-Identifier: MIT
"""The counterexamples to the printed listings, as explicit little games.

The keys of `GAMES` name what each shows; the tests of the reference and of the core share them.
States are numbered from 0, the root; the first player is player 0.
"""

from unbounded.games.graph import Graph


def _zero_sum(numbers: dict[int, float]) -> dict[int, tuple[float, float]]:
    """Give the second player the opposite of what the first one gets."""
    return {s: (x, -x) for s, x in numbers.items()}


def _two_players(
    successors: list[list[int]],
    outcomes: dict[int, int],
    evaluations: dict[int, float],
    scores: dict[int, float] | None = None,
    movers: list[int] | None = None,
) -> Graph:
    return Graph.of(
        successors,
        movers or [0] * len(successors),
        {s: (x, -x) for s, x in outcomes.items()},
        scores=_zero_sum(scores) if scores else None,
        evaluations=_zero_sum(evaluations),
        zero_sum=True,
    )


GAMES: dict[str, Graph] = {
    # 1. Descent: both children of 1 are resolved through other parents.
    "empty_argmax": _two_players([[1, 2], [2, 3], [4], [4], []], {4: 0}, {1: 0.9, 2: 0.5, 3: 0.8}),
    # 2. UBFM: a state whose only child is terminal stays unresolved when it is expanded.
    "forced_end": _two_players([[1], []], {1: 1}, {}),
    # 2. UBFM: an immediate win is not noticed until the next visit.
    "unnoticed_win": _two_players([[1, 2], [], [3], []], {1: 1, 3: 0}, {2: 0.9}),
    # 3. The dual over all children prefers the resolved draw forever.
    "resolved_draw": Graph.of(
        [[1, 2], [], [3], []],
        [0, 0, 0, 0],
        {1: (0, 0, 0), 3: (1, -1, -1)},
        evaluations={2: (-0.5, 0.2, 0.3)},
        players=3,
    ),
    # 4. The paper's example: what the second generalization propagates.
    "example": Graph.of(
        [[1, 2], [], [3], []],
        [0, 0, 0, 0],
        {1: (0, 0, 0, -1), 3: (-1, 1, 1, 1)},
        evaluations={2: (-1, 1, 1, 1)},
        players=4,
    ),
    # 5. The first win found is not the one of the highest score.
    "better_win": _two_players([[1, 2], [], [3], []], {1: 1, 3: 1}, {}, {1: 1, 3: 10}),
    # 6. The generalizations differ although the game has no draws.
    "no_draws": _two_players(
        [[1, 4], [2, 3, 4], [], [4, 5], [5], []],
        {2: -1, 5: -1},
        {1: 111.2, 3: 108.4, 4: -86.4},
        {2: -86, 5: -99},
        [0, 1, 0, 0, 1, 0],
    ),
    # 7. Player 0 is indifferent, and the algorithms find different equilibria.
    "indifferent": Graph.of(
        [[1, 2], [2, 4], [3, 4], [], []],
        [0, 1, 0, 0, 0],
        {3: (1, 0, 1), 4: (1, 0, 0)},
        scores={3: (10, 0, 10), 4: (10, 1, 0)},
        evaluations={1: (-1, 4, -1), 2: (-2, 3, 12)},
        players=3,
    ),
    # 9. The safest child has the worse score.
    "worse_score": _two_players(
        [[1, 2], [3], [4], [5], [], []],
        {4: 0, 5: 0},
        {1: 0.9, 2: 0.1, 3: 0.8},
        {4: 1, 5: 0},
    ),
    # 10. After a draw, the opponent's draw in 2 makes 4 irrelevant; completion cannot express it.
    "bounded_draw": _two_players(
        [[1, 2], [], [3, 4], [], [5], []],
        {1: 0, 3: 0, 5: 1},
        {2: 0.5, 4: -0.5},
        movers=[0, 0, 1, 0, 0, 0],
    ),
    # 11. Without completion the search never expands the child beside the draw.
    "stuck": _two_players([[1, 2], [], [3], []], {1: 0, 3: 1}, {2: -0.5}),
}
