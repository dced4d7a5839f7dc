# SPDX-License-Identifier: MIT
"""What an open state is worth: nothing, the heuristic, random games, a network or your function.

An evaluation guides the search and never decides what is proven. It is always called with a batch:
all new children of a state at once, or of several (`leaves` in `search/options.py`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Any

from unbounded import native
from unbounded.evaluation.networks import (
    NetworkEvaluation,
    given_network,
    is_default_network,
    make_network_evaluator,
    names_network,
)
from unbounded.game import (
    Game,
    Record,
    RecordGame,
    UsageError,
    did_you_mean,
    one_per_player,
    require,
)

if TYPE_CHECKING:
    import numpy as np

Evaluation = str | os.PathLike[str] | Callable[[Any], Any]
"""A name ("zero", "heuristic", "playouts", "playouts(16)", "network"), the file of a network or
the folder of a run, or a function on a batch of states.

The function gets a NumPy array with one element per state (a structured array with the record's
fields; for games on Python objects an array of them) and returns an array with one row per state
and one column per player. It is called with the new children of one state, or, if it has an
attribute `batch_hint` above 1, of about so many states at once where the search allows it.
"""

NAMES = ("zero", "heuristic", "playouts", "network")
MOST_PLAYOUTS = 1_000_000
MOST_LEAVES = 1024


def default_evaluation(game: Game[Any, Any], *, playing: bool = False) -> str:
    """The evaluation of a search where none is given: the only place that decides it.

    To prove a value, the game's own heuristic if it has one: it is the fastest, and orders the
    moves of probes. Our own players (`playing`) are to choose good moves in little time: they take
    the network that is shipped for the game, if there is one that the core evaluates.
    """
    if playing and is_default_network(game):
        return "network"
    return "heuristic" if game.has_evaluation else "zero"


def evaluation_name(evaluation: Evaluation) -> str:
    """How the evaluation is called in results."""
    if isinstance(evaluation, str | os.PathLike):
        return os.fspath(evaluation)
    return getattr(evaluation, "__name__", type(evaluation).__name__)


def described_evaluation(evaluation: Evaluation) -> str | dict[str, str]:
    """The evaluation as plain values for JSON; the digest tells whether a network is the same."""
    name = evaluation_name(evaluation)
    if isinstance(evaluation, NetworkEvaluation):
        return {"network": name, "digest": evaluation.network.digest}
    return {"function": name} if callable(evaluation) else name


def is_shareable(game: Game[Any, Any], evaluation: Evaluation) -> bool:
    """Whether several threads can use the evaluation at once, from one that fits the game."""
    if evaluation in ("zero", "heuristic"):
        return True
    if isinstance(evaluation, NetworkEvaluation):
        return evaluation.is_native and native.is_compiled(game)
    found = not callable(evaluation) and names_network(evaluation)
    return found and is_shareable(game, check_evaluation(game, evaluation))


def is_gathered(evaluation: Evaluation) -> bool:
    """Whether threads use the evaluation in turn, what they wait for gathered in batches."""
    if isinstance(evaluation, NetworkEvaluation) or callable(evaluation):
        return True
    return names_network(evaluation)


def check_evaluation(game: Game[Any, Any], evaluation: Evaluation) -> Evaluation:
    """Refuse an evaluation that does not exist or that the game does not have.

    Returns the evaluation; a network is read from its file.
    """
    if isinstance(evaluation, NetworkEvaluation):
        evaluation.check_fits(game)
        return evaluation
    if callable(evaluation):
        return evaluation
    if names_network(evaluation):
        return given_network(game, os.fspath(evaluation))
    require(isinstance(evaluation, str), f"an evaluation is a name or a function: {evaluation!r}")
    assert isinstance(evaluation, str)
    _check_name(game, evaluation)
    return evaluation


def _check_name(game: Game[Any, Any], evaluation: str) -> None:
    name, playouts = _parts(evaluation)
    if name not in NAMES:
        raise UsageError(
            f"unknown evaluation {evaluation!r}{did_you_mean(name, NAMES)}; "
            f"there are {', '.join(NAMES)}, files of networks, and in Python any function of a "
            "batch of states"
        )
    require(playouts is None or name == "playouts", f"evaluation {name!r} takes no number")
    require(
        playouts is None or 1 <= playouts <= MOST_PLAYOUTS,
        f"playouts must be from 1 to {MOST_PLAYOUTS}, not {playouts}",
    )
    require(
        name != "heuristic" or game.has_evaluation, f"{game} has no heuristic; use zero or playouts"
    )


def _parts(evaluation: str) -> tuple[str, int | None]:
    """Read "playouts(16)" as a name and a number."""
    match = re.fullmatch(r"\s*(\w+)\s*(?:\(\s*(\d{1,9})\s*\))?\s*", evaluation)
    if match is None:
        return evaluation, None
    return match[1], None if match[2] is None else int(match[2])


def make_evaluator(
    game: Game[Any, Any], route: native.Route, evaluation: Evaluation, seed: int
) -> native.Evaluator:
    """Build the core's evaluator for one search, from an evaluation that has been checked."""
    if isinstance(evaluation, NetworkEvaluation):
        return make_network_evaluator(evaluation.network, game, route)
    if callable(evaluation):
        return _from_function(game, route, evaluation)
    assert isinstance(evaluation, str)
    name, playouts = _parts(evaluation)
    if name == "zero":
        return native.ZeroEvaluator(game.players)
    if name == "playouts":
        return _from_playouts(game, route, playouts or 1, seed)
    if isinstance(route, native.RecordRoute):
        address = route.compiled.address("evaluate")
        return native.NativeEvaluator(route.state_bytes, address)
    return _from_states(game, route, lambda states: [route.bridge.evaluate(s) for s in states])


def _from_playouts(
    game: Game[Any, Any], route: native.Route, playouts: int, seed: int
) -> native.Evaluator:
    if isinstance(route, native.ObjectRoute):
        # In Python, so that the states of random games are not kept by the core.
        return _from_states(game, route, lambda states: _playouts(game, states, playouts, seed))
    return native.PlayoutEvaluator(route.rules, playouts, seed & 0xFFFFFFFFFFFFFFFF)


def _playouts(
    game: Game[Any, Any], states: list[Any], playouts: int, seed: int
) -> list[list[float]]:
    """The mean scores of random games; the random numbers depend on seed and state alone."""
    means = []
    for start in states:
        random = Random(f"{seed} {start!r}")
        total = [0.0] * game.players
        for _ in range(playouts):
            state = start
            while actions := list(game.actions(state)):
                state = game.next(state, random.choice(actions))
            scores = one_per_player(game, "score", game.score(state), state)
            total = [a + b for a, b in zip(total, scores, strict=True)]
        means.append([x / playouts for x in total])
    return means


def record_dtype(layout: Record) -> np.dtype[Any]:
    """Describe a record to NumPy: the same fields at the same places."""
    import numpy as np

    shapes = [() if f.count is None else (f.count,) for f in layout.fields]
    fields = zip(layout.fields, shapes, strict=True)
    return np.dtype([(f.name, f"<i{f.bits // 8}", shape) for f, shape in fields])


def _from_function(
    game: Game[Any, Any],
    route: native.Route,
    function: Callable[[Any], Any],
) -> native.Evaluator:
    """Let a Python function on a NumPy array of states answer the core."""
    import numpy as np

    def evaluate(states: list[Any]) -> Any:
        if isinstance(game, RecordGame):
            return function(np.frombuffer(b"".join(states), dtype=record_dtype(game.state)))
        batch = np.empty(len(states), dtype=object)
        for i, state in enumerate(states):  # one by one: states may be sequences themselves
            batch[i] = state
        return function(batch)

    hint = getattr(function, "batch_hint", 1)
    good = isinstance(hint, int) and 1 <= hint <= MOST_LEAVES
    require(
        good, f"batch_hint of {function!r} must be from 1 to {MOST_LEAVES} leaves, not {hint!r}"
    )
    return _from_states(game, route, evaluate, hint)


def _from_states(
    game: Game[Any, Any],
    route: native.Route,
    evaluate: Callable[[list[Any]], Any],
    batch_hint: int = 1,
) -> native.Evaluator:
    """Let a function on a list of states answer the core."""
    import numpy as np

    size = route.state_bytes

    def answer(stored: bytes) -> np.ndarray[Any, Any]:
        states = [route.from_core(stored[i : i + size]) for i in range(0, len(stored), size)]
        given, wanted = evaluate(states), (len(states), game.players)
        try:
            with np.errstate(over="ignore"):  # the core refuses what is infinite, by its state
                rows = np.ascontiguousarray(given, dtype=np.float32)
        except (TypeError, ValueError):
            rows = None
        if rows is None or rows.shape != wanted:
            what = repr(given) if rows is None else f"an array of shape {rows.shape}"
            raise UsageError(
                f"the evaluation returned {what}; it must be {wanted}: one row per state and one "
                "column per player"
            )
        return rows

    return native.PythonEvaluator(game.players, size, answer, batch_hint)
