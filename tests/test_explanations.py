# SPDX-License-Identifier: MIT
"""Explanations say what is known, and call an estimate an estimate."""

from __future__ import annotations

from random import Random

import pytest

import unbounded as ub
from unbounded.game import UsageError
from unbounded.search.explanations import why


def explained(text: str, moves: str, iterations: int, action: str | None = None) -> str:
    search = ub.Search(text, moves=moves)
    if iterations:
        search.run(iterations=iterations)
    return why(search, action)


@pytest.mark.parametrize(
    ("text", "moves", "iterations", "words"),
    [
        ("tic-tac-toe", "a1 a2 b1 b2", 200, "c1 is proven: player 1 (X) wins in one move, by c1."),
        ("tic-tac-toe", "a1 b1", 3000, "player 1 (X) wins in 5 moves"),
        ("tic-tac-toe", "a1 b2 c3", 5000, "2 other moves are proven to lose; "),
        ("tic-tac-toe", "a1 b2 c3 b3 b1 c1", 5000, "a3 is proven"),
        ("connect-four", "4 4", 2000, "is estimated at"),
        ("nim(players=3)", "", 3000, "in an equilibrium"),
        ("tic-tac-toe", "", 0, "Nothing has been searched yet."),
        ("tic-tac-toe", "a1 a2 b1 b2 c1", 0, "The game is over."),
    ],
)
def test_sentences(text: str, moves: str, iterations: int, words: str) -> None:
    assert words in explained(text, moves, iterations)


def test_another_move() -> None:
    weak = explained("connect-four", "4 4", 2000, "1")
    assert weak.startswith("1 is estimated at")
    assert "4 is preferred: it is estimated better by" in weak
    equal = explained("tic-tac-toe", "a1 b2", 10_000, "c1")
    assert "as well" in equal or equal.startswith("c1 is proven")
    with pytest.raises(UsageError, match="illegal move"):
        explained("connect-four", "4 4", 100, "9")


def test_nothing_is_called_proven_that_is_not() -> None:
    random = Random(4)
    for seed in range(60):
        text = random.choice(["tic-tac-toe", "connect-four(width=4,height=4)", "nim(players=3)"])
        search = ub.Search(text, seed=seed)
        search.run(iterations=random.choice([5, 50, 500]))
        for child in search.root.children:
            first = why(search, child.name).split(". ")[0]
            assert ("is proven: " in first) == child.resolved
            assert ("is estimated" in first) != child.resolved
            if child.resolved:
                assert child.outcome is not None
                word = {1: "wins", 0: "draws", -1: "loses"}[child.outcome[0]]
                assert f"player 1{' (X)' if 'nim' not in text else ''} {word}" in first


def test_bounds_are_proven_though_the_outcome_is_not() -> None:
    search = ub.Search("connect-four(width=4,height=4)", bounds=True, probes=True)
    search.run(iterations=50)
    open_to = [child for child in search.root.children if not child.resolved]
    assert open_to
    for child in open_to:
        said = why(search, child.name)
        assert "it is proven only that player 1 cannot win, player 2 cannot lose" in said
        assert "+" not in said.split(";")[0], "no estimate that contradicts it"
