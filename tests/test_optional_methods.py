# SPDX-License-Identifier: MIT
"""Whatever a game leaves out, it is solved: every subset of the optional methods and attributes.

A little game (`optional_games`) is made with a subset of them, on Python objects and as records,
compiled and not, for two players with and without zero sum and for three. It is checked, solved in
several ways and compared with brute force, certified and verified, saved and loaded, exported and
asked, explained, and written as JSON.

By default a fraction of the subsets is tried, another one for every form. In full it is every
subset of what has to do with proofs, and every pair of the others; -s shows how many that are:

    UNBOUNDED_SOAK=1 python -m pytest tests/test_optional_methods.py -s
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import pytest
from optional_games import (
    KINDS,
    PROVING,
    SHOWING,
    object_game,
    record_game,
)
from soaking import SOAK
from solving_checks import check_line, check_stored_rows, check_stored_states, equilibria, row_of

import unbounded as ub
from unbounded.conformance.check import check_game
from unbounded.game import Game
from unbounded.native import compiling
from unbounded.reference.backward_induction import minimax_scores
from unbounded.search.explanations import why
from unbounded.solving.certificate import certify
from unbounded.solving.solve import shortcuts
from unbounded.solving.table import export, query
from unbounded.solving.verification import verify

ALL = SOAK
SOME = 53
"""Of the subsets one in so many is tried by default: a prime, so that each feature has its turn."""

Features = frozenset[str]
OBJECTS, COMPILED, PLAIN = range(3)


def subsets() -> Iterator[Features]:
    """Every subset of what has to do with proofs; of the rest, all alone, in pairs and together."""
    everything = chain.from_iterable(combinations(PROVING, n) for n in range(len(PROVING) + 1))
    yield from map(frozenset, everything)
    for shown in [*combinations(SHOWING, 1), *combinations(SHOWING, 2), SHOWING]:
        yield frozenset(shown)
        yield frozenset(shown) | frozenset(PROVING)


def chosen(form: int, kind: int) -> list[Features]:
    """The subsets to be tried."""
    every = list(dict.fromkeys(subsets()))
    if form == COMPILED:  # compiled rules write to arrays of NumPy anyway
        every = [features for features in every if "numpy" not in features]
    return every if ALL else every[(17 * form + 7 * kind) % SOME :: SOME]


# -- what is done with each ------------------------------------------------------------------------

WAYS: list[dict[str, Any]] = [
    {},
    {"algorithm": "descent", "values": "propagated_completion"},
    {"values": "resolved_completion", "bounds": False},
    {"algorithm": "descent", "bounds": False},
    {"probes": False, "canonical": False},
]
"""How it is solved: as `solve` does, and otherwise."""


def ways(game: Game[Any, Any], number: int) -> Iterator[dict[str, Any]]:
    """Yield the options of two searches, other ones for every subset."""
    yield {"exact_score": True} if game.zero_sum else {}
    yield WAYS[number % len(WAYS)]
    if game.has_local_best_score:
        yield {"local_maximum": True, "values": "resolved_completion"}


def try_subset(game: Game[Any, Any], number: int, folder: Path) -> int:
    """Do everything with a game; return how many searches that took."""
    check_game(game, games=2)
    tried = 0
    for options in ways(game, number):
        wanted = {k: v for k, v in options.items() if k != "probes" or compiling.available()}
        search = ub.Search(game, **shortcuts(game, {**wanted, "threads": None}))
        search.run(iterations=number % 3)
        search.save(folder / "a.search")
        search = ub.Search.load(folder / "a.search", game)
        assert search.run().resolved, options
        compare(search)
        write_down(search, folder)
        tried += 1
    cut = ub.horizon(game, 2)
    search = ub.Search(cut, **shortcuts(cut, {"threads": 1}))
    assert search.run().resolved
    compare(search)
    return tried + 1


def compare(search: ub.Search) -> None:
    """Everything that is proven is true, and a line leads to it."""
    game, root = search.game, search.root
    if search.zero_sum:
        check_stored_states(search, minimax_scores(game))
    else:
        rows = equilibria(game)
        assert row_of(root) in rows[game.initial()]
        check_stored_rows(search, rows)
    check_line(search)


def write_down(search: ub.Search, folder: Path) -> None:
    """Certificate, table, sentences and JSON."""
    game, result = search.game, search.result
    certify(search, folder / "a.cert")
    assert verify(folder / "a.cert", game).header.game == str(game)
    table = folder / "a.jsonl"
    assert export(search, table).positions == search.resolved_states
    for moves in ((), result.pv[:1], result.pv):
        found = query(table, moves, game)
        assert found is not None
        assert found.outcome == result.outcome
    for action in result.actions:
        assert why(search, action.action)
    told = json.loads(json.dumps(result.to_dict()))
    assert told["outcome"] == list(result.outcome)
    json.dumps(search.to_rows())
    assert search._repr_html_() and search.to_dot()


# -- the forms -------------------------------------------------------------------------------------


def try_all(form: int, kind: int, folder: Path) -> None:
    """Try the subsets of one form and kind; say which of them failed, and how."""
    make = object_game if form == OBJECTS else record_game
    searches, failed, first = 0, list[str](), None
    features = chosen(form, kind)
    for number, wanted in enumerate(features):
        try:
            searches += try_subset(make(kind, wanted), number, folder)
        except Exception as error:
            failed.append(f"{sorted(wanted)}: {type(error).__name__}: {error}")
            first = first or error
    print(f"form {form}, kind {kind}: {len(features)} subsets, {searches} searches")
    if failed:
        raise AssertionError(f"{len(failed)} subsets failed:\n" + "\n".join(failed)) from first


@pytest.mark.parametrize("kind", KINDS)
def test_every_subset_on_python_objects(kind: int, tmp_path: Path) -> None:
    try_all(OBJECTS, kind, tmp_path)


@pytest.mark.parametrize("kind", KINDS)
def test_every_subset_of_rules_compiled(kind: int, tmp_path: Path) -> None:
    try_all(COMPILED, kind, tmp_path)


@pytest.mark.filterwarnings("ignore:numba is not installed")
@pytest.mark.parametrize("kind", KINDS)
def test_every_subset_of_rules_in_plain_python(
    kind: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiling, "available", lambda: False)
    try_all(PLAIN, kind, tmp_path)
