# SPDX-License-Identifier: MIT
"""The thunks: C functions around the rules, which answer by a status and never raise.

These are templates. Each thunk is one of them, with globals of its own (see `Builder`) that hold
what is declared here.
"""

from __future__ import annotations

from typing import Any

from unbounded.native.compiling.native_types import libraries

rule: Any = None
link: Any = None
reading: Any = None
writing: Any = None
integers: Any = None
doubles: Any = None
floats: Any = None
wide: Any = None
size = players = max_actions = outputs = 0


def _initial_thunk(state: Any) -> int:
    link(rule)
    try:
        rule(writing(state))
    except Exception:
        return -1
    return 0


def _player_thunk(state: Any) -> int:
    link(rule)
    try:
        player = rule(reading(state, 0))
    except Exception:
        return -1
    return as_status(player)


def _actions_thunk(state: Any, out: Any) -> int:
    link(rule)
    # As in Python, an action that is counted but was not written is 0.
    for i in range(max_actions):
        out[i] = 0
    try:
        count = rule(reading(state, 0), integers(out, max_actions))
    except Exception:
        return -1
    return as_status(count)


def _next_thunk(state: Any, action: int, successor: Any) -> int:
    link(rule)
    try:
        rule(reading(state, 0), wide(action), writing(successor))
    except Exception:
        return -1
    return 0


def _outcome_thunk(state: Any, out: Any) -> int:
    link(rule)
    for i in range(players):
        out[i] = 0
    try:
        rule(reading(state, 0), integers(out, players))
    except Exception:
        return -1
    return 0


# Rules add up in 64 bits, as in Python, and only the result is rounded to 32.
def _score_thunk(state: Any, out: Any) -> int:
    link(rule)
    row = floats()
    try:
        rule(reading(state, 0), row)
    except Exception:
        return -1
    for i in range(players):
        out[i] = row[i]
    return 0


def _evaluate_thunk(states: Any, count: int, out: Any) -> int:
    link(rule)
    for k in range(count):
        row = floats()
        try:
            rule(reading(states, k * size), row)
        except Exception:
            return -(k + 1)
        for i in range(players):
            out[k * players + i] = row[i]
    return 0


def _encode_thunk(states: Any, count: int, scratch: Any, out: Any) -> int:
    link(rule)
    planes = doubles(scratch, outputs)
    for k in range(count):
        for i in range(outputs):
            planes[i] = 0.0
        try:
            rule(reading(states, k * size), planes)
        except Exception:
            return -(k + 1)
        for i in range(outputs):
            out[k * outputs + i] = planes[i]
    return 0


def as_status(answer: Any) -> int:
    """Return a rule's answer as a status: what does not fit must not be cut to something legal."""
    if not 0 <= answer < 2**31:
        return -2
    whole: int = wide(answer)
    return whole if whole == answer else -2


def template(name: str) -> tuple[Any, Any]:
    """Return the template of a rule's thunk, and its signature."""
    types = libraries().types
    status, state = types.int32, types.voidptr
    row, numbers = types.CPointer(types.int32), types.CPointer(types.float32)
    scratch = types.CPointer(types.float64)
    return {
        "initial": (_initial_thunk, status(state)),
        "player": (_player_thunk, status(state)),
        "actions": (_actions_thunk, status(state, row)),
        "next": (_next_thunk, status(state, types.int32, state)),
        "symmetry": (_next_thunk, status(state, types.int32, state)),
        "relabel": (_next_thunk, status(state, types.int32, state)),
        "outcome": (_outcome_thunk, status(state, row)),
        "score": (_score_thunk, status(state, numbers)),
        "best_score_from": (_score_thunk, status(state, numbers)),
        "evaluate": (_evaluate_thunk, status(state, types.int64, numbers)),
        "encode": (_encode_thunk, status(state, types.int64, scratch, numbers)),
    }[name]
