# SPDX-License-Identifier: MIT
"""Templates of the kernels over many states: what one thread does, and what calls it.

As those of `compiling/thunks.py`, each function gets globals of its own (see `cuda_rules`), which
hold what is declared here. The functions of a thread take its number, and the memory that it has of
its own. So they compile for a CPU as well, where loops call them instead of kernels.
"""

from __future__ import annotations

from typing import Any

OVER = -1
"""Who moves in a state without actions."""

actions_rule: Any = None
next_rule: Any = None
player_rule: Any = None
outcome_rule: Any = None
score_rule: Any = None
is_terminal_rule: Any = None
encode_rule: Any = None
symmetry_rule: Any = None
list_actions: Any = None
make_child: Any = None
is_over: Any = None
write_scores: Any = None
write_planes: Any = None
write_image: Any = None
cuda: Any = None
empty: Any = None
state_type: Any = None
int32: Any = None
int64: Any = None
float64: Any = None
players = max_actions = inputs = 0


# -- the functions of a thread ---------------------------------------------------------------------


def list_actions_of_thread(thread: int, states: Any, actions: Any, counts: Any) -> None:
    """List the actions of a state; those that are not used are 0."""
    if thread < states.shape[0]:
        for k in range(max_actions):
            actions[thread, k] = 0
        counts[thread] = actions_rule(states[thread], actions[thread])


def make_child_of_thread(  # noqa: PLR0917  # arrays are given one by one
    thread: int, states: Any, actions: Any, counts: Any, offsets: Any, children: Any, movers: Any,
    outcomes: Any, scores: Any, child: Any, numbers: Any, listed: Any,
) -> None:  # fmt: skip
    """Write one child of a state, and what the rules say about it, into a row.

    `child`, `numbers` and `listed` are memory of this thread: a state, a number per player, and
    room for actions.
    """
    i, k = thread // max_actions, thread % max_actions
    if i >= states.shape[0] or k >= counts[i]:
        return
    row = offsets[i] + k
    child[0] = states[i]
    next_rule(states[i], int64(actions[i, k]), child[0])
    children[row] = child[0]
    for who in range(players):
        outcomes[row, who] = 0
        scores[row, who] = 0
    if is_over(child[0], listed):
        movers[row] = OVER
        outcome_rule(child[0], outcomes[row])
        write_scores(child[0], outcomes[row], numbers, scores[row])
    else:
        movers[row] = player_rule(child[0])


def write_planes_of_thread(thread: int, states: Any, planes: Any) -> None:
    """Write the planes of a state, flat."""
    if thread < states.shape[0]:
        for i in range(inputs):
            planes[thread, i] = 0
        encode_rule(states[thread], planes[thread])


def write_image_of_thread(thread: int, states: Any, images: Any, made: Any) -> None:
    """Write the image of a state under the symmetry whose number is given."""
    if thread < states.shape[0]:
        made[thread] = states[thread]
        if images[thread] > 0:
            symmetry_rule(states[thread], int64(images[thread]), made[thread])


def over_by_rule(state: Any, listed: Any) -> bool:
    """Say what the rule `is_terminal` says."""
    return bool(is_terminal_rule(state))


def over_by_actions(state: Any, listed: Any) -> bool:
    """Say whether there are no actions."""
    for k in range(max_actions):
        listed[k] = 0
    return bool(actions_rule(state, listed) == 0)


def scored(state: Any, outcome: Any, numbers: Any, scores: Any) -> None:
    """Write the scores of a terminal state."""
    # As on a CPU, rules add up in 64 bits, and only the result is rounded to 32.
    for who in range(players):
        numbers[who] = 0
    score_rule(state, numbers)
    for who in range(players):
        scores[who] = numbers[who]


def unscored(state: Any, outcome: Any, numbers: Any, scores: Any) -> None:
    """Write the outcomes of a terminal state as its scores."""
    for who in range(players):
        scores[who] = outcome[who]


# -- the kernels -----------------------------------------------------------------------------------


def actions_kernel(states: Any, actions: Any, counts: Any) -> None:
    """List actions: a thread per state."""
    list_actions(cuda.grid(1), states, actions, counts)


def children_kernel(  # noqa: PLR0917
    states: Any, actions: Any, counts: Any, offsets: Any, children: Any, movers: Any,
    outcomes: Any, scores: Any,
) -> None:  # fmt: skip
    """Make children: a thread for each that there can be."""
    child = cuda.local.array(1, state_type, alignment=16)  # a record says nothing of its own
    numbers = cuda.local.array(players, float64)
    listed = cuda.local.array(max_actions, int32)
    make_child(
        cuda.grid(1), states, actions, counts, offsets, children, movers, outcomes, scores, child,
        numbers, listed,
    )  # fmt: skip


def image_kernel(states: Any, images: Any, made: Any) -> None:
    """Write images: a thread per state."""
    write_image(cuda.grid(1), states, images, made)


def planes_kernel(states: Any, planes: Any) -> None:
    """Write planes: a thread per state."""
    write_planes(cuda.grid(1), states, planes)


# -- the same without a GPU ------------------------------------------------------------------------


def actions_loop(threads: int, states: Any, actions: Any, counts: Any) -> None:
    """As the kernel."""
    for thread in range(threads):
        list_actions(thread, states, actions, counts)


def children_loop(  # noqa: PLR0917
    threads: int, states: Any, actions: Any, counts: Any, offsets: Any, children: Any, movers: Any,
    outcomes: Any, scores: Any,
) -> None:  # fmt: skip
    """As the kernel."""
    child, numbers = empty(1, state_type), empty(players, float64)
    listed = empty(max_actions, int32)
    for thread in range(threads):
        make_child(
            thread, states, actions, counts, offsets, children, movers, outcomes, scores, child,
            numbers, listed,
        )  # fmt: skip


def image_loop(threads: int, states: Any, images: Any, made: Any) -> None:
    """As the kernel."""
    for thread in range(threads):
        write_image(thread, states, images, made)


def planes_loop(threads: int, states: Any, planes: Any) -> None:
    """As the kernel."""
    for thread in range(threads):
        write_planes(thread, states, planes)
