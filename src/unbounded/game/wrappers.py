# SPDX-License-Identifier: MIT
"""Games made from other games: cut at a horizon, with a score that tells ends apart, or unfolded.

A wrapper of a record game is a record game, so it compiles like any other. Its rules call the
wrapped ones by the names in capitals below, which `_rule` replaces by the real ones: a compiled
function may find other functions among its globals, but not in its closure.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

from unbounded.game import Game, Out, Place, Record, RecordGame, Rules, State, require
from unbounded.game.drawing import draw

Rule = Callable[..., Any]
LONGEST = 2**31 - 1
MOST_COUNTED = 2**20
MOST_PLAYERS = 12
_SMALL = 2.0**-21
_PRIME = 2**31 - 1


def _unknown(*_: Any) -> Any:
    raise NotImplementedError


INNER_ACTIONS = INNER_NEXT = INNER_OUTCOME = INNER_SCORE = INNER_BEST = _unknown
OUTCOME_AT_HORIZON = _unknown
LIMIT = MOST_ACTIONS = PLAYERS = 0
BEST_AT_HORIZON = STEP = BONUS = 0.0
BEST: tuple[float, ...] = ()


def horizon(game: Game[Any, Any], plies: int) -> Horizon:
    """Return the game that ends after so many moves, if it has not ended before."""
    return Horizon(game, plies)


class _Wrapper(Game[Any, Any]):
    """What wrappers of any kind have in common: they look like the game inside."""

    game: Game[Any, Any]

    def _wrap(self, game: Game[Any, Any]) -> None:
        require(isinstance(game, Game), "game must be a game")
        self.game = game
        self.players, self.zero_sum, self.best_score = game.players, game.zero_sum, game.best_score
        self.symmetries, self.planes, self.symbols = game.symmetries, game.planes, game.symbols

    def _inner(self, state: Any) -> Any:
        """Return the state of the game inside."""
        return state

    def _ply(self, state: Any) -> int:
        """Return the number of moves made, where it is counted."""
        raise NotImplementedError

    def show(self, state: Any) -> str:
        return self.game.show(self._inner(state))

    def svg(self, state: Any, *, last: Any = None, targets: Sequence[Any] = ()) -> str:
        return draw(self.game, self._inner(state), last=last, targets=targets)

    def places(self, state: Any, action: Any) -> Sequence[Place]:
        return self.game.places(self._inner(state), action)

    def player_name(self, player: int) -> str:
        return self.game.player_name(player)

    def action_name(self, state: Any, action: Any) -> str:
        return self.game.action_name(self._inner(state), action)

    def parse_action(self, state: Any, text: str) -> Any:
        if len(self.actions(state)) == 0:
            return super().parse_action(state, text)
        return self.game.parse_action(self._inner(state), text)


class _ObjectWrapper(_Wrapper):
    """A wrapper of a game whose states are Python objects: asks the game inside."""

    def initial(self) -> Any:
        return self.game.initial()

    def player(self, state: Any) -> int:
        return self.game.player(self._inner(state))

    def actions(self, state: Any) -> Sequence[Any]:
        return self.game.actions(self._inner(state))

    def next(self, state: Any, action: Any) -> Any:
        return self.game.next(self._inner(state), action)

    def outcome(self, state: Any) -> Sequence[int]:
        return self.game.outcome(self._inner(state))

    def score(self, state: Any) -> Sequence[float]:
        return self.game.score(self._inner(state))

    def evaluate(self, state: Any) -> Sequence[float]:
        return self.game.evaluate(self._inner(state))

    def best_score_from(self, state: Any) -> Sequence[float]:
        return self.game.best_score_from(self._inner(state))

    def outcome_at_horizon(self, state: Any) -> Sequence[int]:
        return self.game.outcome_at_horizon(self._inner(state))

    def _with(self, state: Any, inner: Any) -> Any:
        """Return the state with another one inside."""
        return inner

    def symmetry(self, state: Any, k: int) -> Any:
        return self._with(state, self.game.symmetry(self._inner(state), k))

    def relabel(self, state: Any, k: int) -> Any:
        return self._with(state, self.game.relabel(self._inner(state), k))

    def encode(self, state: Any) -> Sequence[float]:
        return self.game.encode(self._inner(state))

    @property
    def has_score(self) -> bool:
        return self.game.has_score

    @property
    def has_evaluation(self) -> bool:
        return self.game.has_evaluation

    @property
    def has_local_best_score(self) -> bool:
        return self.game.has_local_best_score

    @property
    def has_relabelling(self) -> bool:
        return self.game.has_relabelling


class _ObjectCounting(_ObjectWrapper):
    """A state is the state inside and the number of moves made."""

    def initial(self) -> Any:
        return self.game.initial(), 0

    def _inner(self, state: Any) -> Any:
        return state[0]

    def _with(self, state: Any, inner: Any) -> Any:
        return inner, state[1]

    def _ply(self, state: Any) -> int:
        ply: int = state[1]
        return ply


class _RecordExtending(_Wrapper, RecordGame):
    """The record has one field more, at its end; the rules inside do not see it."""

    game: RecordGame

    def _extend(self, name: str, kind: str) -> None:
        """Add the field, by this name or one like it."""
        inner = self.game
        self._field = _free_name(inner.state, name)
        self.state = inner.state.extended(**{self._field: kind})
        self.max_actions = inner.max_actions

    def _inner(self, state: bytes) -> bytes:
        return state[: self.game.state.size]


class _RecordCounting(_RecordExtending):
    """The field is the number of moves made.

    Symmetries and renamed players leave it as it is: an image is made of a copy of the state.
    """

    def _count(self, most: int) -> None:
        """Add the field, for numbers up to `most`."""
        self._extend("ply", "i16" if most < 2**15 else "i32")

    def _ply(self, state: bytes) -> int:
        ply: int = getattr(self.state.unpack(state), self._field)
        return ply


def _free_name(layout: Record, wanted: str) -> str:
    """Return a name for a field that no field has."""
    taken = {field.name for field in layout.fields}
    free = (f"{wanted}{i}" for i in range(len(taken) + 1))
    return wanted if wanted not in taken else next(name for name in free if name not in taken)


# -- a horizon ------------------------------------------------------------------------------------


class Horizon(_Wrapper):
    """Another game, played for at most `plies` moves.

    If it has not ended by then it is a draw, or what the game itself says about being cut there.
    As the number of moves is part of the state, a game that could go round in circles ends too.
    Symmetries, renamed players and planes are those of the game inside; planes do not show how many
    moves are left.
    """

    def __new__(cls, *parameters: Any, **named: Any) -> Horizon:
        # The caller need not know in which form the game is written.
        game = parameters[0] if parameters else named.get("game")
        form = _RecordHorizon if isinstance(game, RecordGame) else _ObjectHorizon
        return super().__new__(form if cls is Horizon else cls)

    def __init__(self, game: Game[Any, Any], plies: int) -> None:
        self._wrap(game)
        allowed = type(plies) is int and 1 <= plies <= LONGEST
        require(allowed, f"plies must be an integer from 1 to {LONGEST}")
        self.plies = plies
        if game.best_score is not None:
            self.best_score = tuple(max(float(x), self._best_at_horizon()) for x in game.best_score)

    @classmethod
    def game_name(cls) -> str:
        return "horizon"

    def show(self, state: Any) -> str:
        return f"{super().show(state)}\nmove {self._ply(state)} of {self.plies}"

    def _best_at_horizon(self) -> float:
        raise NotImplementedError


class _ObjectHorizon(Horizon, _ObjectCounting):
    """Any game with a horizon."""

    def _best_at_horizon(self) -> float:
        return 1.0

    def _is_cut(self, state: Any) -> bool:
        return self._ply(state) >= self.plies and len(self.game.actions(state[0])) > 0

    def actions(self, state: Any) -> Sequence[Any]:
        return () if self._ply(state) >= self.plies else super().actions(state)

    def next(self, state: Any, action: Any) -> Any:
        return super().next(state, action), self._ply(state) + 1

    def outcome(self, state: Any) -> Sequence[int]:
        cut = self._is_cut(state)
        return super().outcome_at_horizon(state) if cut else super().outcome(state)

    def score(self, state: Any) -> Sequence[float]:
        if self._is_cut(state):
            return [float(x) for x in super().outcome_at_horizon(state)]
        return super().score(state)

    def best_score_from(self, state: Any) -> Sequence[float]:
        return [max(float(x), self._best_at_horizon()) for x in super().best_score_from(state)]


class _RecordHorizon(Horizon, _RecordCounting):
    """A record game with a horizon is a record game."""

    def __init__(self, game: RecordGame, plies: int) -> None:
        super().__init__(game, plies)
        self._count(plies)

    def _best_at_horizon(self) -> float:
        return 0.0 if self.game.uncompiled.outcome_at_horizon is None else 1.0

    def rules(self) -> Rules:
        inner = self.game.uncompiled
        known: dict[str, Any] = {
            "INNER_ACTIONS": inner.actions,
            "INNER_NEXT": inner.next,
            "INNER_OUTCOME": inner.outcome,
            "INNER_SCORE": inner.score,
            "INNER_BEST": inner.best_score_from,
            "OUTCOME_AT_HORIZON": inner.outcome_at_horizon or _draw,
            "LIMIT": self.plies,
            "MOST_ACTIONS": self.max_actions,
            "PLAYERS": self.players,
            "BEST_AT_HORIZON": self._best_at_horizon(),
        }

        def rule(template: Rule) -> Rule:
            return _rule(template, known, {"ply": self._field})

        known["_is_cut"] = rule(_is_cut)
        return Rules(
            inner.initial,
            inner.player,
            rule(_actions),
            rule(_next),
            rule(_outcome),
            score=inner.score and rule(_score),
            evaluate=inner.evaluate,
            best_score_from=inner.best_score_from and rule(_best_score_from),
            outcome_at_horizon=inner.outcome_at_horizon,
            symmetry=inner.symmetry,
            relabel=inner.relabel,
            encode=inner.encode,
        )


def _actions(s: State, out: Out) -> int:
    if s.ply >= LIMIT:
        return 0
    count: int = INNER_ACTIONS(s, out)
    return count


def _next(s: State, action: int, t: State) -> None:
    INNER_NEXT(s, action, t)
    t.ply = s.ply + 1


def _is_cut(s: State) -> bool:
    """Whether the horizon ends the game here, and not the rules inside."""
    if s.ply < LIMIT:
        return False
    count: int = INNER_ACTIONS(s, [0] * MOST_ACTIONS)
    return count > 0


def _outcome(s: State, out: Out) -> None:
    if _is_cut(s):
        OUTCOME_AT_HORIZON(s, out)
    else:
        INNER_OUTCOME(s, out)


def _score(s: State, out: Out) -> None:
    if _is_cut(s):
        OUTCOME_AT_HORIZON(s, out)
    else:
        INNER_SCORE(s, out)


def _best_score_from(s: State, out: Out) -> None:
    INNER_BEST(s, out)
    for who in range(PLAYERS):
        out[who] = max(out[who], BEST_AT_HORIZON)


def _draw(s: State, out: Out) -> None:
    pass


# -- a score that breaks ties ---------------------------------------------------------------------


class TieBreaking(_Wrapper):
    """Another game, in which nobody is indifferent between two different ends.

    Then the value of a game of three players or more is unique (in the paper: a tie-breaking
    terminal evaluation). The order of what a player prefers stays; only ties are decided:

    * Zero-sum games have no such ties, and stay as they are.
    * Where the score is the outcome, a little is taken off it that depends on everybody's outcome:
      all different outcomes get different scores, and a win shared with others counts less. For
      up to 12 players, and exact.
    * A score of the game's own loses up to half a `step`, the smallest difference between two
      scores, by a hash of all outcomes and scores. Ties become improbable, not impossible:
      `unbounded.testing.check_tie_breaking` tells.

    A horizon belongs inside, not around: the ends that it makes get no score of their own.

    Images of a state have the same outcomes and scores, so symmetries stay. What is taken off
    depends on who is who, so players cannot be renamed any more, but in a zero-sum game.
    """

    def __new__(cls, *parameters: Any, **named: Any) -> TieBreaking:
        game = parameters[0] if parameters else named.get("game")
        form = _RecordTieBreaking if isinstance(game, RecordGame) else _ObjectTieBreaking
        return super().__new__(form if cls is TieBreaking else cls)

    def __init__(self, game: Game[Any, Any], step: float = 1.0) -> None:
        self._wrap(game)
        number = type(step) in (int, float) and math.isfinite(step) and step > 0
        require(number, "step must be a number greater than 0")
        self.step = float(step)
        if game.zero_sum or game.has_score:
            # Only ever taken off, so that what no score exceeded, none exceeds.
            self.best_score = game.best_score
        else:
            few = game.players <= MOST_PLAYERS
            require(few, f"breaking ties between outcomes is for at most {MOST_PLAYERS} players")
            bounds = game.best_scores or ()
            self.best_score = tuple(
                min(bound, 1 - _SMALL * 2 * 3**who) for who, bound in enumerate(bounds)
            )

    @classmethod
    def game_name(cls) -> str:
        return "tie-breaking"


class _ObjectTieBreaking(TieBreaking, _ObjectWrapper):
    def score(self, state: Any) -> Sequence[float]:
        if self.game.zero_sum:
            return self.game.score(state)
        outcomes = [float(x) for x in self.game.outcome(state)]
        if not self.game.has_score:
            _take_off_code(outcomes, self.players)
            return outcomes
        scores = [float(x) for x in self.game.score(state)]
        _take_off_hash(outcomes, scores, self.players, self.step)
        return scores

    def relabel(self, state: Any, k: int) -> Any:
        if not self.game.zero_sum:
            raise NotImplementedError
        return super().relabel(state, k)

    @property
    def has_score(self) -> bool:
        return self.game.has_score or not self.game.zero_sum

    @property
    def has_relabelling(self) -> bool:
        return self.game.has_relabelling and self.game.zero_sum


class _RecordTieBreaking(TieBreaking, RecordGame):
    game: RecordGame

    def __init__(self, game: RecordGame, step: float = 1.0) -> None:
        super().__init__(game, step)
        self.state, self.max_actions = game.state, game.max_actions

    def rules(self) -> Rules:
        inner = self.game.uncompiled
        if self.zero_sum:
            return inner
        known = {
            "INNER_OUTCOME": inner.outcome,
            "INNER_SCORE": inner.score,
            "PLAYERS": self.players,
            "STEP": self.step,
        }
        template = _outcome_with_code if inner.score is None else _score_with_hash
        return dataclasses.replace(inner, score=_rule(template, known), relabel=None)


def _outcome_with_code(s: State, out: Out) -> None:
    INNER_OUTCOME(s, out)
    _take_off_code(out, PLAYERS)


def _score_with_hash(s: State, out: Out) -> None:
    outcomes = [0.0] * PLAYERS
    INNER_OUTCOME(s, outcomes)
    INNER_SCORE(s, out)
    _take_off_hash(outcomes, out, PLAYERS, STEP)


def _take_off_code(scores: Out, players: int) -> None:
    """Take off a number that is different for each vector of outcomes, and exact in 32 bits."""
    code, weight = 0.0, _SMALL
    for who in range(players):
        code += (scores[who] + 1) * weight
        weight *= 3
    for who in range(players):
        scores[who] -= code


def _take_off_hash(outcomes: Out, scores: Out, players: int, step: float) -> None:
    """Take off up to half a step, by a hash of the whole result."""
    mixed = 1
    for who in range(players):
        mixed = _mix(mixed, outcomes[who] + 1)
        mixed = _mix(mixed, (scores[who] / step + 0.5) // 1)
    for who in range(players):
        scores[who] -= step / 2 * (mixed / _PRIME)


def _mix(mixed: int, number: float) -> int:
    mixed = ((mixed ^ int(number % _PRIME)) * 1597334677) % _PRIME
    return mixed ^ (mixed >> 15)


# -- a score that prefers quick wins and slow losses ----------------------------------------------


class QuickWins(_Wrapper):
    """Another game, in which a win is worth more the quicker it is, and a loss the slower it is.

    To the score of whoever wins, `bonus * (1 - moves / plies)` is added, and the same is taken off
    the score of whoever loses; a draw stays what it is. From `plies` moves on all ends are alike.
    A bonus smaller than the smallest difference between two scores (1, where the score is the
    outcome) keeps the order of what a player prefers.

    The number of moves becomes part of the state, up to `plies`. A horizon belongs inside, not
    around: the ends that it makes get no bonus. Symmetries, renamed players and planes are those
    of the game inside.

    A search of two players by `minimax` is content with any proven win; `resolved_completion`, best
    with `local_maximum`, proves the quickest.
    """

    def __new__(cls, *parameters: Any, **named: Any) -> QuickWins:
        game = parameters[0] if parameters else named.get("game")
        form = _RecordQuickWins if isinstance(game, RecordGame) else _ObjectQuickWins
        return super().__new__(form if cls is QuickWins else cls)

    def __init__(self, game: Game[Any, Any], plies: int = 1000, bonus: float = 0.5) -> None:
        self._wrap(game)
        allowed = type(plies) is int and 1 <= plies <= MOST_COUNTED
        require(allowed, f"plies must be an integer from 1 to {MOST_COUNTED}")
        number = type(bonus) in (int, float) and math.isfinite(bonus) and bonus > 0
        require(number, "bonus must be a number greater than 0")
        self.plies, self.bonus = plies, float(bonus)
        if game.best_scores is not None:
            self.best_score = tuple(best + self.bonus for best in game.best_scores)

    @classmethod
    def game_name(cls) -> str:
        return "quick-wins"

    def show(self, state: Any) -> str:
        late = " or later" if self._ply(state) == self.plies else ""
        return f"{super().show(state)}\nmove {self._ply(state)}{late}"


class _ObjectQuickWins(QuickWins, _ObjectCounting):
    """Any game with quick wins."""

    def next(self, state: Any, action: Any) -> Any:
        return super().next(state, action), min(self._ply(state) + 1, self.plies)

    def score(self, state: Any) -> Sequence[float]:
        scores = [float(x) for x in super().score(state)]
        bonus = _bonus(self._ply(state), self.plies, self.bonus)
        return [x + won * bonus for x, won in zip(scores, self.outcome(state), strict=True)]

    def best_score_from(self, state: Any) -> Sequence[float]:
        local = self.game.has_local_best_score
        best = super().best_score_from(state) if local else self.game.best_scores or ()
        bonus = _bonus(self._ply(state) + 1, self.plies, self.bonus)
        return [float(x) + bonus for x in best]

    @property
    def has_score(self) -> bool:
        return True

    @property
    def has_local_best_score(self) -> bool:
        return self.game.has_local_best_score or self.game.best_scores is not None


class _RecordQuickWins(QuickWins, _RecordCounting):
    """A record game with quick wins is a record game."""

    def __init__(self, game: RecordGame, plies: int = 1000, bonus: float = 0.5) -> None:
        super().__init__(game, plies, bonus)
        self._count(plies)

    def rules(self) -> Rules:
        inner, best = self.game.uncompiled, self.game.best_scores
        known: dict[str, Any] = {
            "INNER_NEXT": inner.next,
            "INNER_OUTCOME": inner.outcome,
            "INNER_SCORE": inner.score or inner.outcome,
            "INNER_BEST": inner.best_score_from,
            "BEST": best,
            "LIMIT": self.plies,
            "BONUS": self.bonus,
            "PLAYERS": self.players,
        }

        def rule(template: Rule) -> Rule:
            return _rule(template, known, {"ply": self._field})

        bound = None
        if inner.best_score_from is not None or best is not None:
            bound = rule(_quick_best if inner.best_score_from is None else _quick_best_from)
        return dataclasses.replace(
            inner, next=rule(_quick_next), score=rule(_quick_score), best_score_from=bound
        )


def _bonus(ply: int, plies: int, bonus: float) -> float:
    """Return what is added for a win after so many moves."""
    return bonus * (max(0, plies - ply) / plies)


def _quick_next(s: State, action: int, t: State) -> None:
    INNER_NEXT(s, action, t)
    t.ply = min(s.ply + 1, LIMIT)


def _quick_score(s: State, out: Out) -> None:
    outcomes = [0.0] * PLAYERS
    INNER_OUTCOME(s, outcomes)
    INNER_SCORE(s, out)
    bonus = _bonus(s.ply, LIMIT, BONUS)
    for who in range(PLAYERS):
        out[who] += outcomes[who] * bonus


# Bounds are asked for only while the game goes on: its end is at least one move away.


def _quick_best(s: State, out: Out) -> None:
    for who in range(PLAYERS):
        out[who] = BEST[who] + _bonus(s.ply + 1, LIMIT, BONUS)


def _quick_best_from(s: State, out: Out) -> None:
    INNER_BEST(s, out)
    for who in range(PLAYERS):
        out[who] += _bonus(s.ply + 1, LIMIT, BONUS)


# -- a tree instead of a graph --------------------------------------------------------------------


class Unfolded(_Wrapper):
    """Another game, in which a state is also how it came about: the graph becomes a tree.

    Actions, ends and guesses are those of the game inside, so a search of it is a search without
    transpositions. Paths that mirror each other are different paths: there are no symmetries.

    A record is given two numbers below 2**31 that depend on the actions since the start. Should two
    paths to the same position ever get the same two, they are one state, which does no harm: the
    position is the same. An object is replaced by all objects since the start.
    """

    def __new__(cls, *parameters: Any, **named: Any) -> Unfolded:
        game = parameters[0] if parameters else named.get("game")
        form = _RecordUnfolded if isinstance(game, RecordGame) else _ObjectUnfolded
        return super().__new__(form if cls is Unfolded else cls)

    def __init__(self, game: Game[Any, Any]) -> None:
        self._wrap(game)
        self.symmetries = 1

    @classmethod
    def game_name(cls) -> str:
        return "unfolded"


class _ObjectUnfolded(Unfolded, _ObjectWrapper):
    """Any game as a tree."""

    def initial(self) -> Any:
        return (self.game.initial(),)

    def next(self, state: Any, action: Any) -> Any:
        return (*state, super().next(state, action))

    def _inner(self, state: Any) -> Any:
        return state[-1]

    @property
    def has_relabelling(self) -> bool:
        return False


class _RecordUnfolded(Unfolded, _RecordExtending):
    """A record game as a tree is a record game."""

    def __init__(self, game: RecordGame) -> None:
        super().__init__(game)
        self._extend("path", "i32[2]")

    def rules(self) -> Rules:
        inner = self.game.uncompiled
        onward = _rule(_unfolded_next, {"INNER_NEXT": inner.next}, {"path": self._field})
        return dataclasses.replace(inner, next=onward, symmetry=None, relabel=None)


def _unfolded_next(s: State, action: int, t: State) -> None:
    INNER_NEXT(s, action, t)
    t.path[0] = (s.path[0] * 48271 + action % _PRIME + 1) % _PRIME
    t.path[1] = _mix(s.path[1], action % _PRIME + 1)


def _rule(template: Rule, known: dict[str, Any], fields: dict[str, str] | None = None) -> Rule:
    """Return a rule that finds what is known among its globals, with fields of its own names."""
    assert isinstance(template, FunctionType)
    code, renamed = template.__code__, fields or {}
    names = tuple(renamed.get(name, name) for name in code.co_names)
    used = {name: known[name] for name in names if name in known}
    return FunctionType(code.replace(co_names=names), {**template.__globals__, **used})
