# SPDX-License-Identifier: MIT
"""A little game that has any subset of what a game may have, for every kind of player.

Four cells in a row, worth 3, 1, 1 and 3. Whoever moves takes one; the game ends when somebody has
two neighbors, or when all are taken. A pair of neighbors is worth one point more. Mirroring the
row changes nothing, and neither does renaming the players: there are ties, draws, and wins by
different scores.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np

from unbounded.game import Game, Known, Out, Place, RecordGame, Rules, State, record
from unbounded.reference.backward_induction import highest_scores

ZERO_SUM, TWO, THREE = 0, 1, 2
KINDS = (ZERO_SUM, TWO, THREE)
"""Two players and zero sum; two who can both win; three."""
PLAYERS = {ZERO_SUM: 2, TWO: 2, THREE: 3}

PROVING = (
    "score",
    "best_score",
    "best_score_from",
    "symmetry",
    "evaluate",
    "relabel",
    "outcome_at_horizon",
    "numpy",
)
"""What has to do with proofs; with the last one, every number that a rule gives is NumPy's."""
SHOWING = (
    "show",
    "svg",
    "places",
    "action_name",
    "player_name",
    "symbols",
    "encode",
    "action_count",
    "longest_game",
    "solvable",
    "known_values",
)
"""What has not."""

LOOSE = 2.0
"""A best score that no outcome reaches, where the outcome is the score."""


# -- the rules, as functions that can be compiled --------------------------------------------------


def points(s: State, p: int) -> int:
    """What a player has."""
    total = 0
    for i in range(4):
        if s.cells[i] == p + 1:
            total += 3 if i in (0, 3) else 1
            if i > 0 and s.cells[i - 1] == p + 1:
                total += 1
    return total


def initial_zero_sum(s: State) -> None:
    """Say what kind of game it is, so that all kinds have the same rules."""
    s.kind, s.players = 0, 2


def initial_two(s: State) -> None:
    """The same for two who can both win."""
    s.kind, s.players = 1, 2


def initial_three(s: State) -> None:
    """The same for three."""
    s.kind, s.players = 2, 3


INITIAL = {ZERO_SUM: initial_zero_sum, TWO: initial_two, THREE: initial_three}


def player(s: State) -> int:
    """Players take turns."""
    return s.turn


def actions(s: State, out: Out) -> int:
    """List the free cells, unless somebody has a pair."""
    count = 0
    for i in range(4):
        if i > 0 and s.cells[i] != 0 and s.cells[i] == s.cells[i - 1]:
            return 0
        if s.cells[i] == 0:
            out[count] = i
            count += 1
    return count


def following(s: State, action: int, t: State) -> None:
    """Take a cell."""
    t.cells[action] = s.turn + 1
    t.turn = (s.turn + 1) % s.players


def outcome(s: State, out: Out) -> None:
    """Most points win; where both can win, four points do, and three are a draw."""
    if s.kind == 1:
        for p in range(2):
            mine = points(s, p)
            out[p] = 1 if mine >= 4 else 0 if mine == 3 else -1
        return
    most, having = 0, 0
    for p in range(s.players):
        mine = points(s, p)
        if mine > most:
            most, having = mine, 0
        having += mine == most
    for p in range(s.players):
        out[p] = (1 if having == 1 else 0) if points(s, p) == most else -1
    if s.kind == 0 and having == 2:
        out[0], out[1] = 0, 0


def score(s: State, out: Out) -> None:
    """The points; with zero sum, how many more than the other."""
    for p in range(s.players):
        out[p] = points(s, p) - (points(s, 1 - p) if s.kind == 0 else 0)


def best_score_from(s: State, out: Out) -> None:
    """What a player would have with all that is left, and two pairs."""
    left = 2
    for i in range(4):
        if s.cells[i] == 0:
            left += 3 if i in (0, 3) else 1
    for p in range(s.players):
        out[p] = points(s, p) + left - (points(s, 1 - p) if s.kind == 0 else 0)


def best_outcome_from(s: State, out: Out) -> None:
    """The same where the outcome is the score."""
    for p in range(s.players):
        out[p] = 1


def evaluate(s: State, out: Out) -> None:
    """A tenth of the points now, or of the difference."""
    for p in range(s.players):
        mine = points(s, p) - (points(s, 1 - p) if s.kind == 0 else 0)
        out[p] = mine / 10


def outcome_at_horizon(s: State, out: Out) -> None:
    """As if the game were over."""
    outcome(s, out)


def symmetry(s: State, k: int, t: State) -> None:
    """The row from its other end."""
    for i in range(4):
        t.cells[i] = s.cells[3 - i]


def relabel(s: State, k: int, t: State) -> None:
    """The same row with other names."""
    for i in range(4):
        if s.cells[i] != 0:
            t.cells[i] = (s.cells[i] - 1 + k) % s.players + 1
    t.turn = (s.turn + k) % s.players


def encode(s: State, out: Out) -> None:
    """One plane: which cells the mover has."""
    for i in range(4):
        out[i] = 1 if s.cells[i] == s.turn + 1 else 0


# -- the forms -------------------------------------------------------------------------------------

LAYOUT = record(cells="i8[4]", turn="i8", kind="i8", players="i8")


def _presented(features: Iterable[str]) -> dict[str, Any]:
    """What a class of either form has beside its rules."""

    def show(self: Any, state: Any) -> str:
        """Draw the row."""
        return "".join(".XYZ"[c] for c in _fields(state).cells)

    def svg(self: Any, state: Any, *, last: Any = None, targets: Any = ()) -> str:
        """Draw nothing much."""
        return '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 1"/>'

    def places(self: Any, state: Any, action: Any) -> list[Place]:
        """Say where a cell is."""
        return [Place(action + 0.5, 0.5)]

    def action_name(self: Any, state: Any, action: Any) -> str:
        """Name a cell by a letter."""
        return "abcd"[action]

    def player_name(self: Any, player: int) -> str:
        """Name a player."""
        return f"number {player + 1}"

    known = [Known("nothing", (0, 0), "nobody")]
    methods = (show, svg, places, action_name, player_name)
    made: dict[str, Any] = {f.__name__: f for f in methods} | {
        "symbols": "XYZ",
        "planes": (1, 1, 4),
        "action_count": 4,
        "longest_game": 4,
        "solvable": "whatever",
        "known_values": known,
    }
    wanted = set(features) | ({"planes"} if "encode" in features else set())
    return {name: made[name] for name in wanted if name in made}


def _fields(state: Any) -> Any:
    return LAYOUT.unpack(state if isinstance(state, bytes) else bytes(state))


def _attributes(kind: int, features: frozenset[str]) -> dict[str, Any]:
    made = _presented(features)
    made |= {"players": PLAYERS[kind], "zero_sum": kind == ZERO_SUM}
    if "symmetry" in features:
        made["symmetries"] = 2
    if "best_score" in features:
        best = _highest(kind) if "score" in features else (LOOSE,) * PLAYERS[kind]
        made["best_score"] = np.array(best, np.float32) if "numpy" in features else best
    return made


@cache
def _highest(kind: int) -> tuple[float, ...]:
    game = object_game(kind, frozenset({"score"}))
    return highest_scores(game)[game.initial()]


def record_game(kind: int, features: frozenset[str]) -> RecordGame:
    """Make the game as records; its rules are the same functions in every subset."""
    given: dict[str, Any] = {name: globals()[name] for name in features & _OPTIONAL}
    if "best_score_from" in given and "score" not in given:
        given["best_score_from"] = best_outcome_from
    if "numpy" in features:
        given = {name: _in_numpy(rule) for name, rule in given.items()}
    required = (INITIAL[kind], player, actions, following, outcome)
    made = {"state": LAYOUT, "max_actions": 4, "rules": lambda self: Rules(*required, **given)}
    return type("Row", (RecordGame,), made | _attributes(kind, features))()


_OPTIONAL = frozenset(
    {
        "score",
        "best_score_from",
        "evaluate",
        "outcome_at_horizon",
        "symmetry",
        "relabel",
        "encode",
    }
)


def _in_numpy(rule: Any) -> Any:
    """Let a rule write numbers of NumPy; only for rules that run uncompiled."""
    if rule.__name__ in ("symmetry", "relabel"):
        return rule

    def written(s: State, out: Any) -> None:
        """Do as the rule does."""
        rule(s, out)
        for i, number in enumerate(out):
            out[i] = np.float32(number) if isinstance(number, float) else np.int8(number)

    return written


def object_game(kind: int, features: frozenset[str]) -> Game[Any, Any]:
    """Make the game on tuples of integers, which ask the same functions."""
    plain = record_game(kind, features - {"numpy"} | {"score", "best_score_from"} - SHOWN)
    made = {"initial": lambda self: tuple(plain.initial())}
    numpy = "numpy" in features
    needed = ("player", "actions", "outcome")
    for name in (*needed, *(features & _OPTIONAL - {"symmetry", "relabel"})):
        asked = plain if name != "best_score_from" or "score" in features else _bounding(kind)
        made[name] = _asking(asked, name, numpy)
    for name in ("next", *(features & {"symmetry", "relabel"})):
        made[name] = _moving(plain, name)
    return type("Tuples", (Game,), made | _attributes(kind, features))()


SHOWN = frozenset(SHOWING) - {"encode"}


def _bounding(kind: int) -> RecordGame:
    return record_game(kind, frozenset({"best_score_from"}))


def _asking(plain: RecordGame, name: str, numpy: bool) -> Any:
    def ask(self: Any, state: Any) -> Any:
        """Ask the game of records."""
        answer = getattr(plain, name)(bytes(state))
        if not numpy:
            return answer
        if name == "player":
            return np.int8(answer)
        kind = np.int8 if name in ("actions", "outcome", "outcome_at_horizon") else np.float32
        return [kind(x) for x in answer]

    return ask


def _moving(plain: RecordGame, name: str) -> Any:
    def move(self: Any, state: Any, number: Any) -> Any:
        """Ask the game of records."""
        return tuple(getattr(plain, name)(bytes(state), number))

    return move
