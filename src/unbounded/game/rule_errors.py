# SPDX-License-Identifier: MIT
"""Error messages for rules that fail: which rule of which game, on which state, and what to do.

Rules are the code of a game's author, and may fail wherever they are called. `located` makes the
message where rule and state are known; `blame` finds them in the traceback where they are not.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from inspect import isfunction
from pathlib import Path
from typing import Any

from unbounded.game import (
    MOST_ACTIONS,
    Game,
    RecordGame,
    RuleError,
    UnboundedError,
    one_per_player,
)

LONGEST_STATE = 160
"""Characters of a state in a message."""

MOST_PLAYERS = 255

PACKAGE = Path(__file__).parent

RULES = frozenset(
    name
    for name, method in [*vars(Game).items(), *vars(RecordGame).items()]
    if isfunction(method) and not name.startswith("_")
)
"""The methods of a game that its author writes."""

CHECK_ADVICE = "'unbounded check' on the game says more"
CYCLE_ADVICE = (
    "only acyclic games can be searched: put a move counter into the state, or wrap the game in "
    "unbounded.horizon"
)
RANDOM_ADVICE = (
    "rules must not depend on chance or memory, only on the state and the action that are given"
)


def describe(game: Game[Any, Any], state: Any, longest: int = LONGEST_STATE) -> str:
    """Return a state in one line: the fields of a record, else its repr."""
    try:
        text = repr(state)
        if isinstance(game, RecordGame) and isinstance(state, bytes):
            text = repr(game.state.unpack(state))
    except Exception:  # perhaps the error to be reported is that this is not a state
        text = object.__repr__(state)
    return text if len(text) <= longest else text[: longest - 3] + "..."


def asked(game: Game[Any, Any], rule: str, *given: Any) -> str:
    """Write the call of a rule for a message: next(left=5, turn=0, action=1)."""
    state, *more = given or ("",)
    shown = [describe(game, state)] if given else []
    name = {"next": "action=", "symmetry": "k=", "relabel": "k="}.get(rule, "")
    return f"{rule}({', '.join(shown + [f'{name}{describe(game, x)}' for x in more])})"


def rule_error(
    game: Game[Any, Any], question: str, problem: str, advice: str, *, cause: Any = None
) -> RuleError:
    """Return the error for a rule that failed: the call, what was wrong, and what to do."""
    error = RuleError(f"{_name(game)}: {question} {problem}".rstrip(), advice=advice)
    error.located, error.__cause__ = True, cause
    return error


def located(game: Game[Any, Any], rule: str, error: BaseException, *given: Any) -> RuleError:
    """Return the error for a rule that raised an exception."""
    if isinstance(error, RuleError):
        if error.located:
            return error
        problem = error.problem.removeprefix(f"{rule} ")
        question = asked(game, rule, *given)
        question += "" if problem != error.problem else ":"
        return rule_error(game, question, problem, error.advice or CHECK_ADVICE, cause=error)
    if isinstance(error, NotImplementedError) and not is_authors(error):
        problem, advice = "was asked, but there is no such rule", f"define {rule} in the game"
    else:
        problem, advice = what_was_raised(error), "correct the rule there"
    return rule_error(game, asked(game, rule, *given), problem, advice, cause=error)


def what_was_raised(error: BaseException) -> str:
    """Return what a rule raised, and in which line of which file."""
    said = str(error)
    written = re.match(r"'State' object has no attribute '(\w+)'", said)
    if isinstance(error, AttributeError) and written:
        said = f"the state has no field {written[1]!r}"
    frames = _outside(error) or list(traceback.extract_tb(error.__traceback__))
    place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return f"raised {type(error).__name__}{': ' if said else ''}{said}{place}"


def wrong_declaration(game: Game[Any, Any]) -> tuple[str, str] | None:
    """Return what is wrong with the attributes of a game, and what to do; None if nothing."""
    players, best = game.players, game.best_score
    if type(players) is not int or not 1 <= players <= MOST_PLAYERS:
        return f"players is {players!r}", "set players to how many there are"
    if game.zero_sum and players != 2:
        problem = f"zero_sum is declared, for {players} players"
        return problem, "only games of two players can declare zero_sum"
    if isinstance(game, RecordGame):
        most = getattr(game, "max_actions", None)
        if type(most) is not int or not 1 <= most <= MOST_ACTIONS:
            advice = f"set max_actions to an integer from 1 to {MOST_ACTIONS}"
            return f"max_actions is {most!r}", advice
        if not hasattr(game, "state"):
            return "state is not set", 'describe it: state = record(cells="i8[9]")'
    try:
        _ = best if best is None else one_per_player(game, "best_score", best)
    except RuleError:
        return f"best_score is {best!r}", f"give {players} numbers, or None"
    return _wrong_promise(game)


def _wrong_promise(game: Game[Any, Any]) -> tuple[str, str] | None:
    for name, least in (("action_count", 1), ("longest_game", 0)):
        promised = getattr(game, name)
        if promised is not None and (type(promised) is not int or promised < least):
            return f"{name} is {promised!r}", f"give an integer from {least}, or None"
    return None


def check_declared(game: Game[Any, Any]) -> None:
    """Raise a `RuleError` if the attributes of a game contradict each other or the contract."""
    wrong = wrong_declaration(game)
    if wrong is not None:
        raise rule_error(game, wrong[0], "", wrong[1])


def is_authors(error: BaseException) -> bool:
    """Whether an exception was raised by a game's author, rather than by the contract itself."""
    frames = traceback.extract_tb(error.__traceback__)
    return not frames or not Path(frames[-1].filename).is_relative_to(PACKAGE)


def blame(error: BaseException) -> RuleError | None:
    """Return the error to raise for an exception that a rule raised; None if no rule did."""
    if not isinstance(error, Exception) or isinstance(error, MemoryError):
        return None
    if isinstance(error, UnboundedError) and (not isinstance(error, RuleError) or error.located):
        return None
    question: tuple[Any, ...] = ()
    for frame, _ in traceback.walk_tb(error.__traceback__):
        names = frame.f_code.co_varnames[: frame.f_code.co_argcount]
        given = [frame.f_locals.get(name) for name in names]
        if not given or not isinstance(given[0], Game) or frame.f_code.co_name not in RULES:
            continue
        # The innermost of the rules that call each other, but not one of a game inside the game.
        if not question or question[0] is given[0]:
            question = (given[0], frame.f_code.co_name, *given[1:])
    return located(question[0], question[1], error, *question[2:]) if question else None


@contextmanager
def blaming() -> Iterator[None]:
    """Turn an exception of a rule into a `RuleError` that names the rule, state and action."""
    try:
        yield
    except Exception as error:
        blamed = blame(error)
        if blamed is None:
            raise
        raise blamed from error


def actions_of(game: Game[Any, Any], answer: Any, state: Any) -> Sequence[Any]:
    """Return what `actions` returned, if it is a list or something like it."""
    if not hasattr(answer, "__len__") or not hasattr(answer, "__getitem__"):
        problem, advice = f"returned {kind(answer)}", LIST_ADVICE
    elif len(answer) > MOST_ACTIONS:
        problem, advice = f"gave {len(answer)} actions, more than {MOST_ACTIONS}", SPLIT_ADVICE
    else:
        return answer  # type: ignore[no-any-return]
    raise rule_error(game, asked(game, "actions", state), problem, advice)


SPLIT_ADVICE = "split a move into several, one after the other"
LIST_ADVICE = "return a list or a tuple of the actions, an empty one when the game is over"


def kind(answer: Any) -> str:
    """Name the type of a value that a rule should not have returned."""
    return "None" if answer is None else type(answer).__name__


def changed(game: Game[Any, Any], state: Any, *action_and_child: Any) -> RuleError:
    """Return the error for a state whose successors have changed."""
    if not action_and_child:
        question, problem = asked(game, "next", state), "does not lead where it led before"
    else:
        action, child = action_and_child
        question = asked(game, "next", state, action)
        problem = f"gave {describe(game, child)}, and another state before"
    return rule_error(game, question, problem, RANDOM_ADVICE)


def _name(game: Game[Any, Any]) -> str:
    try:
        return str(game)
    except RuleError:  # the game does not store its parameters
        return game.game_name()


def _outside(error: BaseException) -> list[traceback.FrameSummary]:
    """The frames of a traceback that are not in this package."""
    frames = traceback.extract_tb(error.__traceback__)
    return [frame for frame in frames if not Path(frame.filename).is_relative_to(PACKAGE)]
