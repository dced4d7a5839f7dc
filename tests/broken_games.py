# SPDX-License-Identifier: MIT
"""Little games, each of which violates the contract once, with the words of the error."""

from __future__ import annotations

import dataclasses
import itertools
import math
import random
from collections.abc import Callable, Sequence
from typing import Any

from unbounded.game import Game, Out, Place, RecordGame, Rules, State, record
from unbounded.game.drawing import Canvas

BROKEN: list[tuple[Callable[[], Game[Any, Any]], str]] = []
"""How to make each broken game, and a regular expression that its error must match."""

BROKEN_COMPILED: list[tuple[Callable[[], Game[Any, Any]], str]] = []
"""The same for games that only break when compiled."""

NON_CANONICAL: list[Callable[[], Game[Any, Any]]] = []
"""Games that keep in the state what does not matter."""


def breaks(words: str, games: list[Any] = BROKEN) -> Callable[[type], type]:
    def add(cls: type) -> type:
        games.append((cls, words))
        return cls

    return add


def keeps_too_much(cls: type) -> type:
    NON_CANONICAL.append(cls)
    return cls


class Sound(RecordGame):
    """Take one or two of five; whoever takes the last wins. Breaks nothing."""

    zero_sum = True
    max_actions = 2
    state = record(left="i8", turn="i8", marks="i8[3]")

    def rules(self) -> Rules:
        def initial(s: State) -> None:
            s.left = 5

        def player(s: State) -> int:
            turn: int = s.turn
            return turn

        def actions(s: State, out: Out) -> int:
            for i in range(min(2, s.left)):
                out[i] = i + 1
            count: int = min(2, s.left)
            return count

        def take(s: State, action: int, t: State) -> None:
            t.left = s.left - action
            t.turn = 1 - s.turn

        def outcome(s: State, out: Out) -> None:
            out[s.turn] = -1
            out[1 - s.turn] = 1

        return Rules(initial, player, actions, take, outcome)


def sound(**broken: Any) -> Rules:
    """Return the rules of the sound game, with some of them broken."""
    return dataclasses.replace(Sound().rules(), **broken)


class SoundObject(Game[Any, Any]):
    """The same with tuples (left, turn) as states. Breaks nothing."""

    zero_sum = True

    def initial(self) -> Any:
        return 5, 0

    def player(self, state: Any) -> int:
        return int(state[1])

    def actions(self, state: Any) -> Sequence[Any]:
        return [1, 2][: state[0]]

    def next(self, state: Any, action: Any) -> Any:
        return state[0] - action, 1 - state[1]

    def outcome(self, state: Any) -> Sequence[int]:
        return [1, -1] if state[1] else [-1, 1]


# -- rules that fail ------------------------------------------------------------------------------


@breaks(r"initial raised ValueError: no start \(broken_games.py, line \d+\)")
class RaisesInInitial(Sound):
    def rules(self) -> Rules:
        def initial(s: State) -> None:
            raise ValueError("no start")

        return sound(initial=initial)


@breaks(r"next raised ZeroDivisionError(.|\n)*state: left=5(.|\n)*action: 1")
class RaisesInNext(Sound):
    def rules(self) -> Rules:
        def take(s: State, action: int, t: State) -> None:
            t.left = s.left // (action - 1)

        return sound(next=take)


@breaks("evaluate raised KeyError")
class RaisesInEvaluate(SoundObject):
    def evaluate(self, state: Any) -> Sequence[float]:
        worth: dict[Any, float] = {}
        return [worth[state], 0.0]


@breaks("actions wrote more than max_actions, which is 2(.|\n)*the most actions that any state")
class WritesBeyondActions(Sound):
    def rules(self) -> Rules:
        def actions(s: State, out: Out) -> int:
            out[2] = 7
            return 2

        return sound(actions=actions)


@breaks("next raised IndexError")
class WritesBeyondField(Sound):
    def rules(self) -> Rules:
        def take(s: State, action: int, t: State) -> None:
            t.left = s.left - action
            t.marks[action + 1] = 1

        return sound(next=take)


@breaks("outcome raised IndexError")
class WritesBeyondOutcome(Sound):
    def rules(self) -> Rules:
        def outcome(s: State, out: Out) -> None:
            out[2] = 1

        return sound(outcome=outcome)


@breaks("next raised AttributeError: the state has no field 'remaining'; it has left, turn, marks")
class UnknownField(Sound):
    def rules(self) -> Rules:
        def take(s: State, action: int, t: State) -> None:
            t.left = s.remaining - action

        return sound(next=take)


@breaks("rules raised NotImplementedError")
class NoRules(RecordGame):
    max_actions = 1
    state = record(left="i8")


@breaks("show raised TypeError")
class ShowRaises(SoundObject):
    def show(self, state: Any) -> str:
        text: str = state[0] + " left"
        return text


@breaks("there is no rule actions(.|\n)*define actions")
class NoActions(Game[Any, Any]):
    def initial(self) -> Any:
        return 5, 0


@breaks(r"svg raised ZeroDivisionError(.|\n)*repair the rule svg")
class DrawingRaises(SoundObject):
    def svg(self, state: Any, *, last: Any = None, targets: Sequence[Any] = ()) -> str:
        return str(1 // 0)


@breaks("svg gave something that is not well-formed XML(.|\n)*html.escape")
class DrawingNotXml(SoundObject):
    def svg(self, state: Any, *, last: Any = None, targets: Sequence[Any] = ()) -> str:
        return "<svg><text>a < b</text></svg>"


@breaks("svg gave <p>(.|\n)*one <svg> element")
class DrawingNotSvg(SoundObject):
    def svg(self, state: Any, *, last: Any = None, targets: Sequence[Any] = ()) -> str:
        return "<p/>"


@breaks("svg returned None")
class DrawsNothing(SoundObject):
    def svg(self, state: Any, *, last: Any = None, targets: Sequence[Any] = ()) -> Any:
        return None


class SetUp(SoundObject):
    """A game whose only cell holds nothing, and can be set up so."""

    piece_symbols = ".X"

    def piece_places(self) -> Any:
        return [Place(0.5, 0.5)]

    def pieces_on(self, state: Any) -> Any:
        return [0]

    def set_up(self, pieces: Sequence[int], player: int) -> Any:
        return self.initial()


@breaks("pieces_on gave")
class HasMorePiecesThanCells(SetUp):
    def pieces_on(self, state: Any) -> Any:
        return [0, 0]


@breaks("set_up gave other pieces")
class SetsUpSomethingElse(SetUp):
    def pieces_on(self, state: Any) -> Any:
        return [0 if state == self.initial() else 1]


@breaks("set_up")
class CannotSetUp(SetUp):
    def set_up(self, pieces: Sequence[int], player: int) -> Any:
        raise KeyError(player)


class Drawn(SoundObject):
    """Two cells to click on, drawn as they should be."""

    def svg(self, state: Any, *, last: Any = None, targets: Sequence[Any] = ()) -> str:
        canvas = Canvas(2, 1)
        for x in range(2):
            canvas.rectangle(x, 0)
        return canvas.svg()

    def places(self, state: Any, action: Any) -> Any:
        return [Place.from_corner(action - 1, 0)]


@breaks("places raised KeyError")
class PlacesRaise(Drawn):
    def places(self, state: Any, action: Any) -> Any:
        where: dict[Any, Any] = {}
        return where[action]


@breaks(r"places gave \[\(0, 1, 0, 1\)\](.|\n)*Place\(x, y, width, height\)")
class PlaceWithoutWidth(Drawn):
    def places(self, state: Any, action: Any) -> Any:
        return [(0, action, 0, 1)]


# -- answers out of range -------------------------------------------------------------------------


@breaks("actions returned 99; max_actions is 2")
class TooManyActions(Sound):
    def rules(self) -> Rules:
        def actions(s: State, out: Out) -> int:
            return 99

        return sound(actions=actions)


@breaks("actions returned -1")
class NegativeCount(Sound):
    def rules(self) -> Rules:
        def actions(s: State, out: Out) -> int:
            return -1

        return sound(actions=actions)


@breaks("actions returned int")
class ActionsIsANumber(SoundObject):
    def actions(self, state: Any) -> Any:
        return state[0]


@breaks("actions returned None(.|\n)*return a list or a tuple")
class ActionsIsNone(SoundObject):
    def actions(self, state: Any) -> Any:
        return None


@breaks("actions returned generator(.|\n)*return a list or a tuple")
class ActionsIsAGenerator(SoundObject):
    def actions(self, state: Any) -> Any:
        yield from super().actions(state)


@breaks("actions returned None(.|\n)*return how many there are")
class ForgetsTheCount(Sound):
    def rules(self) -> Rules:
        def actions(s: State, out: Out) -> Any:
            out[0] = 1

        return sound(actions=actions)


@breaks("actions wrote more than max_actions, which is 1(.|\n)*set max_actions")
class TooFewDeclared(Sound):
    max_actions = 1


@breaks("actions gave 70000 actions, more than 65535")
class FarTooManyActions(SoundObject):
    def actions(self, state: Any) -> Sequence[int]:
        return range(70_000)


@breaks("player returned 2; there are 2 players")
class PlayerTooLarge(Sound):
    def rules(self) -> Rules:
        def player(s: State) -> int:
            turn: int = s.turn
            return turn + 1 if s.left < 5 else 0

        return sound(player=player)


@breaks("player returned -1")
class NegativePlayer(Sound):
    def rules(self) -> Rules:
        def player(s: State) -> int:
            return -1

        return sound(player=player)


@breaks("player returned None")
class NoPlayer(SoundObject):
    def player(self, state: Any) -> Any:
        return None


@breaks(r"outcome gave \[2, -2\](.|\n)*-1, 0 or \+1")
class OutcomeOutOfRange(Sound):
    def rules(self) -> Rules:
        def outcome(s: State, out: Out) -> None:
            out[0], out[1] = 2, -2

        return sound(outcome=outcome)


@breaks(r"outcome gave \[0.5, -0.5\]")
class OutcomeOfHalves(SoundObject):
    def outcome(self, state: Any) -> Any:
        return [0.5, -0.5]


@breaks("outcome gave .* not one number for each player")
class OutcomeTooLong(SoundObject):
    def outcome(self, state: Any) -> Sequence[int]:
        return [1, -1, 0]


@breaks("score gave .* not one number for each player")
class ScoreTooShort(SoundObject):
    def score(self, state: Any) -> Sequence[float]:
        return [1.0]


@breaks("score gave .*nan(.|\n)*finite")
class ScoreNotANumber(SoundObject):
    def score(self, state: Any) -> Sequence[float]:
        return [math.nan, math.nan]


@breaks("score gave .*(.|\n)*rounded to 32 bits")
class ScoreTooLarge(Sound):
    def rules(self) -> Rules:
        def score(s: State, out: Out) -> None:
            out[0], out[1] = 1e39, -1e39

        return sound(score=score)


@breaks("evaluate gave .*inf(.|\n)*finite")
class InfiniteEvaluation(Sound):
    def rules(self) -> Rules:
        def evaluate(s: State, out: Out) -> None:
            out[0], out[1] = math.inf, -math.inf

        return sound(evaluate=evaluate)


@breaks("player 0 scores 10.0, more than best_score allows: 9.0")
class ScoreAboveBest(SoundObject):
    best_score = (9.0, 10.0)

    def score(self, state: Any) -> Sequence[float]:
        return [10.0 * x for x in self.outcome(state)]


@breaks("scores 1.0, more than best_score_from allows: 0.0")
class WrongLocalBestScore(Sound):
    def rules(self) -> Rules:
        def best_score_from(s: State, out: Out) -> None:
            out[0] = 1.0 if s.left > 3 else 0.0
            out[1] = 1.0

        return sound(best_score_from=best_score_from)


@breaks("best_score is ")
class BestScoreTooLong(SoundObject):
    best_score = (1.0, 1.0, 1.0)


@breaks("best_score is ")
class BestScoreNotANumber(SoundObject):
    best_score = (math.nan, 1.0)


# -- cycles ---------------------------------------------------------------------------------------


@breaks("a cycle of length 1(.|\n)*horizon")
class StaysPut(SoundObject):
    def next(self, state: Any, action: Any) -> Any:
        return state


@breaks("a cycle of length 2(.|\n)*move counter")
class GoesBack(Sound):
    def rules(self) -> Rules:
        def take(s: State, action: int, t: State) -> None:
            t.left = 9 - s.left

        return sound(next=take)


@breaks("a cycle of length 12")
class GoesRound(SoundObject):
    def next(self, state: Any, action: Any) -> Any:
        return state[0] % 12 + 1, 0


@breaks("a cycle of length 50000")
class GoesRoundSlowly(SoundObject):
    def actions(self, state: Any) -> Sequence[Any]:
        return [0]

    def next(self, state: Any, action: Any) -> Any:
        return (state[0] + 1) % 50_000, 0


# -- answers that change --------------------------------------------------------------------------


@breaks("actions returned .*, then .* when called again(.|\n)*must not depend on chance")
class RandomActions(SoundObject):
    def actions(self, state: Any) -> Sequence[Any]:
        return random.sample(range(1000), 3)


@breaks("next returned .*, then .* when called again")
class RandomNext(SoundObject):
    def next(self, state: Any, action: Any) -> Any:
        return state[0] - action, random.random()


@breaks("initial returned .*, then .* when called again")
class RandomStart(SoundObject):
    def initial(self) -> Any:
        return 5, random.random()


@breaks("evaluate returned .*, then .* when called again")
class RandomEvaluation(SoundObject):
    def evaluate(self, state: Any) -> Sequence[float]:
        x = random.random()
        return [x, -x]


@breaks("player returned 0, then 1 when called again")
class RemembersItsLastAnswer(SoundObject):
    def __init__(self) -> None:
        self._turns = itertools.cycle([0, 1])

    def player(self, state: Any) -> int:
        return next(self._turns)


# -- states that change, or are none --------------------------------------------------------------


@breaks("actions changed its state to left=4")
class ActionsChangeTheState(Sound):
    def rules(self) -> Rules:
        def actions(s: State, out: Out) -> int:
            s.left -= 1
            out[0] = 1
            return 1 if s.left > 0 else 0

        return sound(actions=actions)


@breaks("next changed its state to left=5, turn=1(.|\n)*next writes to t")
class NextChangesTheState(Sound):
    def rules(self) -> Rules:
        def take(s: State, action: int, t: State) -> None:
            t.left = s.left - action
            s.turn = 1 - s.turn
            t.turn = s.turn

        return sound(next=take)


@dataclasses.dataclass(unsafe_hash=True)
class Table:
    left: int
    turn: int


@breaks(r"player changed the state(.|\n)*state: Table\(left=5, turn=0\)(.|\n)*must not change")
class ChangesTheObject(SoundObject):
    def initial(self) -> Any:
        return Table(5, 0)

    def player(self, state: Any) -> int:
        state.turn += 2
        return 0

    def actions(self, state: Any) -> Sequence[Any]:
        return [1, 2][: state.left]

    def next(self, state: Any, action: Any) -> Any:
        return Table(state.left - action, 0)


@breaks(r"next changed the state(.|\n)*state: Table\(left=5, turn=0\)(.|\n)*makes a new state")
class MovesInPlace(SoundObject):
    def initial(self) -> Any:
        return Table(5, 0)

    def player(self, state: Any) -> int:
        return int(state.turn)

    def actions(self, state: Any) -> Sequence[Any]:
        return [1, 2][: state.left]

    def next(self, state: Any, action: Any) -> Any:
        state.left, state.turn = state.left - action, 1 - state.turn
        return state


@breaks("initial gave a state that is not hashable(.|\n)*tuples")
class ListAsState(SoundObject):
    def initial(self) -> Any:
        return [5, 0]


@breaks("next gave a state that is not hashable")
class ListAsNextState(SoundObject):
    def next(self, state: Any, action: Any) -> Any:
        return [state[0] - action, 1 - state[1]]


@breaks("actions are not hashable")
class ListAsAction(SoundObject):
    def actions(self, state: Any) -> Sequence[Any]:
        return [[1], [2]]


@breaks("initial returned .*(.|\n)*states need __eq__ and __hash__")
class StateWithoutEquality(SoundObject):
    def initial(self) -> Any:
        return object()


@breaks("next: 2.5 in field 'left' is not an integer")
class FloatInField(Sound):
    def rules(self) -> Rules:
        def take(s: State, action: int, t: State) -> None:
            t.left = s.left / 2

        return sound(next=take)


@breaks("next: 300 does not fit field 'left' \\(i8\\)")
class OverflowsField(Sound):
    def rules(self) -> Rules:
        def take(s: State, action: int, t: State) -> None:
            t.left = 300

        return sound(next=take)


@breaks("next: field 'marks' has 4 values, not 3")
class GrowsField(Sound):
    def rules(self) -> Rules:
        def take(s: State, action: int, t: State) -> None:
            t.left = s.left - action
            t.marks.append(1)

        return sound(next=take)


@breaks("next gave None(.|\n)*a state is 5 bytes")
class OverridesNext(Sound):
    def next(self, state: bytes, action: int) -> Any:
        return None


# -- actions and their names ----------------------------------------------------------------------


@breaks("actions gave an action twice(.|\n)*action: 1")
class ActionTwice(Sound):
    def rules(self) -> Rules:
        def actions(s: State, out: Out) -> int:
            out[0] = out[1] = 1
            return 2 if s.left else 0

        return sound(actions=actions)


@breaks("not an integer of 32 bits")
class ActionTooLarge(Sound):
    def rules(self) -> Rules:
        def actions(s: State, out: Out) -> int:
            out[0] = 1 << 40
            return 1

        return sound(actions=actions)


@breaks("two actions have the same name 'take'")
class NameTwice(SoundObject):
    def action_name(self, state: Any, action: Any) -> str:
        return "take"


@breaks("action_name gave ' '")
class EmptyName(SoundObject):
    def action_name(self, state: Any, action: Any) -> str:
        return " "


@breaks("parse_action reads the name .* as(.|\n)*what action_name writes")
class ParsesCapitalsAsSmall(SoundObject):
    def action_name(self, state: Any, action: Any) -> str:
        return "aA"[action - 1]

    def parse_action(self, state: Any, text: str) -> Any:
        return super().parse_action(state, text.lower())


@breaks("parse_action reads the name '[12]' as UsageError")
class CannotParse(SoundObject):
    def parse_action(self, state: Any, text: str) -> Any:
        return super().parse_action(state, text + "!")


@breaks("parse_action raised KeyError")
class ParseRaises(SoundObject):
    def parse_action(self, state: Any, text: str) -> Any:
        return {"one": 1}[text]


@breaks("show returned NoneType")
class ShowsNothing(SoundObject):
    def show(self, state: Any) -> Any:
        return None


# -- declarations ---------------------------------------------------------------------------------


@breaks(r"the outcome \[1, 1\] does not add up to zero")
class OutcomeNotZeroSum(SoundObject):
    def outcome(self, state: Any) -> Sequence[int]:
        return [1, 1]


@breaks(r"the score \[3.0, -2.0\] does not add up to zero")
class ScoreNotZeroSum(SoundObject):
    def score(self, state: Any) -> Sequence[float]:
        return [3.0, -2.0]


@breaks("the evaluation .* does not add up to zero")
class EvaluationNotZeroSum(SoundObject):
    def evaluate(self, state: Any) -> Sequence[float]:
        return [0.5, 0.5]


@breaks("zero_sum is declared, for 3 players")
class ZeroSumOfThree(SoundObject):
    players = 3


@breaks("players is 0")
class NobodyPlays(SoundObject):
    players = 0


@breaks("max_actions is None")
class NoMaxActions(RecordGame):
    state = record(left="i8")

    def rules(self) -> Rules:
        return sound()


@breaks("max_actions is 70000")
class MaxActionsTooLarge(Sound):
    max_actions = 70_000


@breaks("state is not set")
class NoState(RecordGame):
    max_actions = 2

    def rules(self) -> Rules:
        return sound()


@breaks("the constructor parameter 'size' is not kept(.|\n)*self.size = size")
class ParameterNotKept(SoundObject):
    def __init__(self, size: int = 3) -> None:
        self._size = size


@breaks("gives another game")
class ParameterChanged(SoundObject):
    def __init__(self, size: int = 3) -> None:
        self.size = size + 1


@breaks("does not give the game back")
class ParameterNotWritable(SoundObject):
    def __init__(self, weights: dict[str, int] | None = None) -> None:
        self.weights = {"a": 1} if weights is None else weights


# -- only when compiled ---------------------------------------------------------------------------


@breaks("next compiled differs from next in Python(.|\n)*64 bits", BROKEN_COMPILED)
class OverflowsWhenCompiled(Sound):
    def rules(self) -> Rules:
        def take(s: State, action: int, t: State) -> None:
            product = 1
            for _ in range(s.left):
                product *= 43046721
            t.left = s.left - action
            t.turn = product % 1000003 % 2

        return sound(next=take)


@breaks("the rules cannot be compiled", BROKEN_COMPILED)
class UsesADictionary(Sound):
    def rules(self) -> Rules:
        taken = {1: 1, 2: 2}

        def take(s: State, action: int, t: State) -> None:
            t.left = s.left - taken[action]
            t.turn = 1 - s.turn

        return sound(next=take)


# -- states that say too much ---------------------------------------------------------------------


@keeps_too_much
class KeepsTheLastMove(Sound):
    def rules(self) -> Rules:
        def take(s: State, action: int, t: State) -> None:
            t.left = s.left - action
            t.turn = 1 - s.turn
            t.marks[0] = action

        return sound(next=take)


@keeps_too_much
class KeepsTheLastMoveUnseen(KeepsTheLastMove):
    def show(self, state: bytes) -> str:
        fields = self.state.unpack(state)
        return f"{fields.left} left, {fields.turn} to move"


@keeps_too_much
class KeepsTheHistory(SoundObject):
    def initial(self) -> Any:
        return 5, 0, ()

    def next(self, state: Any, action: Any) -> Any:
        return state[0] - action, 1 - state[1], (*state[2], action)

    def show(self, state: Any) -> str:
        return f"{state[0]} left, {state[1]} to move"


# -- games that do not end, and drawings that cannot be clicked -----------------------------------


class Endless(SoundObject):
    """Conforms in everything but that it does not end."""

    def actions(self, state: Any) -> Sequence[Any]:
        return [1]

    def next(self, state: Any, action: Any) -> Any:
        return state[0] + 1, 1 - state[1]


ODD_DRAWINGS: list[tuple[Callable[[], Game[Any, Any]], str]] = []
"""Games whose drawings are odd, with the words of the warning."""


@breaks(r"middle of a place of '1', \(0, 0\), lies on nothing.*Place.from_corner", ODD_DRAWINGS)
class PlacesByCorner(Drawn):
    def places(self, state: Any, action: Any) -> Any:
        return [Place(action - 1, 0)]


@breaks("is outside the drawing", ODD_DRAWINGS)
class PlacesOutside(Drawn):
    def places(self, state: Any, action: Any) -> Any:
        return [Place(10 * action, 0.5)]


@breaks("'1' and '2' have the same places", ODD_DRAWINGS)
class SamePlaces(Drawn):
    def places(self, state: Any, action: Any) -> Any:
        return [Place(0.5, 0.5)]


@breaks("places of '1' and '2' are hard to tell apart", ODD_DRAWINGS)
class NearPlaces(Drawn):
    def places(self, state: Any, action: Any) -> Any:
        return [Place(0.5 + 0.01 * action, 0.5)]


@breaks("places is written, but svg is not", ODD_DRAWINGS)
class PlacesOnNothing(SoundObject):
    def places(self, state: Any, action: Any) -> Any:
        return [Place(0.5, 0.5)]


@breaks("svg has '<script>'", ODD_DRAWINGS)
class DrawsAScript(SoundObject):
    def svg(self, state: Any, *, last: Any = None, targets: Sequence[Any] = ()) -> str:
        return '<svg viewBox="0 0 1 1"><script>1</script></svg>'


@breaks("svg has 'onload'", ODD_DRAWINGS)
class DrawsWithAHandler(SoundObject):
    def svg(self, state: Any, *, last: Any = None, targets: Sequence[Any] = ()) -> str:
        return '<svg viewBox="0 0 1 1" onload="x"/>'


@breaks("svg has a declaration", ODD_DRAWINGS)
class DrawsAnEntity(SoundObject):
    def svg(self, state: Any, *, last: Any = None, targets: Sequence[Any] = ()) -> str:
        return '<!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>'


@breaks("svg has no viewBox", ODD_DRAWINGS)
class NoViewBox(Drawn):
    def svg(self, state: Any, *, last: Any = None, targets: Sequence[Any] = ()) -> str:
        return '<svg><rect width="2" height="1"/></svg>'
