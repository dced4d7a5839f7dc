# SPDX-License-Identifier: MIT
"""The thunks: C functions around the rules, which answer by a status and never raise.

These are templates. Each thunk is one of them, with globals of its own (see `Builder`) that hold
what is declared here.
"""

from __future__ import annotations

from typing import Any

from unbounded.native.compiling.native_types import libraries

rule: Any = None
actions_rule: Any = None
next_rule: Any = None
player_rule: Any = None
outcome_rule: Any = None
score_rule: Any = None
is_terminal_rule: Any = None
link: Any = None
copied: Any = None
started: Any = None
settled: Any = None
writing: Any = None
kept: Any = None
replaced: Any = None
before: Any = None
finish: Any = None
is_open: Any = None
tried1: Any = None
tried2: Any = None
tried3: Any = None
integers: Any = None
scratch: Any = None
doubles: Any = None
floats: Any = None
wide: Any = None
make_smallest: Any = None
size = stride = players = max_actions = symmetries = outputs = 0

# What `expand` is asked for and answers, by its place in the request (`Request` of
# core/rules/native_rules.h).
COUNT, FIRST, LAST, ROOM, WANTED = range(5)
STOPPING, BARE, ITSELF = 1, 2, 4
UNKNOWN, OPEN, CLOSED, FAILED = range(4)
ACTIONS, NEXT, CHILD_ACTIONS, PLAYER, OUTCOME, SCORE, IS_TERMINAL, CONTRADICTED = range(1, 9)
NUMBERS = {name: value for name, value in list(globals().items()) if name.isupper()}


# A rule works on copies of states that lie on the thunk's own stack. So the optimizer knows that
# nothing else points there, and keeps small states in registers. `tried` calls a rule, and returns
# whether it raised an exception, and its answer. (Numba takes far longer for `try` in Python.)


def _initial_thunk(state: Any) -> int:
    link(rule)
    failed, _ = tried1(rule, writing(state))
    return -1 if failed else 0


def _player_thunk(state: Any) -> int:
    link(rule)
    failed, player = tried1(rule, copied(state, 0))
    return -1 if failed else as_status(player)


def _actions_thunk(state: Any, out: Any) -> int:
    link(rule)
    # As in Python, an action that is counted but was not written is 0.
    for i in range(max_actions):
        out[i] = 0
    failed, count = tried2(rule, copied(state, 0), integers(out, 0, max_actions))
    return -1 if failed else as_status(count)


def _next_thunk(state: Any, action: int, successor: Any) -> int:
    link(rule)
    made = started(state)
    failed, _ = tried3(rule, copied(state, 0), wide(action), made)
    if failed:
        return -1
    kept(made, successor, 0)
    return 0


def _reduced_thunk(state: Any, lead: Any, left: Any) -> int:
    """Write what is left of a state."""
    link(rule)
    made = started(state)
    failed, answer = tried2(rule, copied(state, 0), made)
    if failed or not -(2**31) <= answer < 2**31:
        return -1
    whole = wide(answer)
    if whole != answer:
        return -1
    lead[0] = whole
    kept(made, left, 0)
    return 0


def _endgame_thunk(state: Any, most: int, number: Any, lead: Any) -> int:
    """Write the number of what is left of a state, and the lead of who moves."""
    link(rule)
    lead[0] = 0
    failed, answer = tried3(rule, copied(state, 0), wide(most), integers(lead, 0, 1))
    if failed or not -1 <= answer < 2**31:
        return -1
    whole = wide(answer)
    if whole != answer:
        return -1
    number[0] = whole
    return 0


def _canonical_thunk(state: Any) -> int:
    """Replace a state by the smallest of its images, compared as bytes."""
    link(rule)
    original, best = copied(state, 0), started(state)
    for k in range(1, symmetries):
        image = started(original)
        failed, _ = tried3(rule, original, wide(k), image)
        if failed:
            return -1
        if before(image, best):
            replaced(best, image)
    kept(best, state, 0)
    return 0


def _canonical_by_sources_thunk(state: Any) -> int:
    """Do the same where images only move the items of a field."""
    make_smallest(state)
    return 0


def _outcome_thunk(state: Any, out: Any) -> int:
    link(rule)
    for i in range(players):
        out[i] = 0
    failed, _ = tried2(rule, copied(state, 0), integers(out, 0, players))
    return -1 if failed else 0


# Rules add up in 64 bits, as in Python, and only the result is rounded to 32.
def _score_thunk(state: Any, out: Any) -> int:
    link(rule)
    row = floats()
    failed, _ = tried2(rule, copied(state, 0), row)
    for i in range(0 if failed else players):
        out[i] = row[i]
    return -1 if failed else 0


def _evaluate_thunk(states: Any, count: int, out: Any) -> int:
    link(rule)
    for k in range(count):
        row = floats()
        failed, _ = tried2(rule, copied(states, k * size), row)
        if failed:
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
        failed, _ = tried2(rule, copied(states, k * size), planes)
        if failed:
            return -(k + 1)
        for i in range(outputs):
            out[k * outputs + i] = planes[i]
    return 0


def _expand_thunk(  # noqa: PLR0917  # a C function: arrays are given one by one
    state: Any, request: Any, actions: Any, states: Any, counts: Any, movers: Any, outcomes: Any,
    scores: Any,
) -> int:  # fmt: skip
    """Tell everything about the successors of a state, or, in the same way, about itself."""
    link(actions_rule)
    link(next_rule)
    link(player_rule)
    link(outcome_rule)
    link(score_rule)
    link(is_terminal_rule)
    # Wide from the start: what `tell` is called with would be compiled for either width.
    parent, wanted, at = copied(state, 0), request[WANTED], wide(request[FIRST])
    if request[COUNT] < 0:
        for i in range(max_actions):
            actions[i] = 0
        failed, listed = tried2(actions_rule, parent, integers(actions, 0, max_actions))
        if failed:
            return -ACTIONS
        request[COUNT] = as_status(listed)
    last = min(request[LAST], request[COUNT])
    if request[COUNT] > min(request[ROOM], max_actions):
        last = at
    while at < last:
        child = started(parent)
        request[FIRST] = at
        if wanted & ITSELF == 0:
            failed, _ = tried3(next_rule, parent, wide(actions[at]), child)
            if failed:
                return -NEXT
            kept(child, states, 0 if wanted & BARE != 0 else at * stride)
        if wanted & BARE == 0:
            quick = wanted & STOPPING != 0
            broken = tell(settled(child), quick, at, counts, movers, outcomes, scores)
            if broken != 0:
                return -broken
        at += 1
        if wanted & STOPPING != 0 and counts[at - 1] == 0:
            break
    request[FIRST] = at
    return 0


def tell(  # noqa: PLR0917
    state: Any, quick: bool, row: int, counts: Any, movers: Any, outcomes: Any, scores: Any
) -> int:
    """Write what the rules say about a state into a row; return the rule that failed, or 0.

    quick: the number of actions does not matter, only whether there are any. A rule `is_terminal`
    that is true is still compared with the actions, because proofs rest on it; where it is false,
    the actions are listed when the state is searched.
    """
    known = is_open(state) if quick else UNKNOWN
    if known == FAILED:
        return IS_TERMINAL
    count = 1
    if known != OPEN:
        failed, listed = tried2(actions_rule, state, scratch())
        if failed:
            return CHILD_ACTIONS
        count = as_status(listed)
        if known == CLOSED and count != 0:
            return CONTRADICTED
    counts[row] = count
    if count != 0:
        failed, player = tried1(player_rule, state)
        movers[row] = as_status(player)
        return PLAYER if failed else 0
    for i in range(players):
        outcomes[row * players + i] = 0
    failed, _ = tried2(outcome_rule, state, integers(outcomes, row * players, players))
    return OUTCOME if failed else finish(state, row * players, outcomes, scores)


def open_by_rule(state: Any) -> int:
    """Say what the rule `is_terminal` says about a state."""
    failed, over = tried1(is_terminal_rule, state)
    return FAILED if failed else CLOSED if over else OPEN


def not_known(state: Any) -> int:
    """Say that there is no such rule."""
    return UNKNOWN


def scored(state: Any, offset: int, outcomes: Any, scores: Any) -> int:
    """Write the scores of a terminal state."""
    row = floats()
    failed, _ = tried2(score_rule, state, row)
    for i in range(players):
        scores[offset + i] = row[i]
    return SCORE if failed else 0


def unscored(state: Any, offset: int, outcomes: Any, scores: Any) -> int:
    """Write the outcomes of a terminal state as its scores."""
    for i in range(players):
        scores[offset + i] = outcomes[offset + i]
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
        "is_terminal": (_player_thunk, status(state)),
        "actions": (_actions_thunk, status(state, row)),
        "forced": (_actions_thunk, status(state, row)),
        "next": (_next_thunk, status(state, types.int32, state)),
        "symmetry": (_next_thunk, status(state, types.int32, state)),
        "relabel": (_next_thunk, status(state, types.int32, state)),
        "reduced": (_reduced_thunk, status(state, row, state)),
        "endgame": (_endgame_thunk, status(state, types.int32, row, row)),
        "canonical": (_canonical_thunk, status(state)),
        "canonical_by_sources": (_canonical_by_sources_thunk, status(state)),
        "expand": (_expand_thunk, status(state, row, row, state, row, row, row, numbers)),
        "outcome": (_outcome_thunk, status(state, row)),
        "score": (_score_thunk, status(state, numbers)),
        "best_score_from": (_score_thunk, status(state, numbers)),
        "evaluate": (_evaluate_thunk, status(state, types.int64, numbers)),
        "encode": (_encode_thunk, status(state, types.int64, scratch, numbers)),
    }[name]
