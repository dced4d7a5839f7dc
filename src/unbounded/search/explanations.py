# SPDX-License-Identifier: MIT
"""Why a move: sentences made from what a search has proven and estimated, and nothing else.

Only what is proven is called proven; an estimate is called one, with its visits.
"""

from __future__ import annotations

from unbounded.game import action_named, require
from unbounded.game.wording import bounds_text
from unbounded.search.decisions import best
from unbounded.search.search import Search
from unbounded.search.tree import Child, Node, proven_length

MOST_MOVES = 12
RESULTS = {1: "wins", 0: "draws", -1: "loses"}


def why(search: Search, action: str | None = None) -> str:
    """Explain why an action is best, or what is known for and against another one.

    >>> import unbounded as ub
    >>> search = ub.Search("tic-tac-toe", moves="a1 a2 b1 b2")
    >>> search.run().resolved
    True
    >>> print(ub.why(search))
    c1 is proven: player 1 (X) wins in one move, by c1.
    """
    root = search.root
    if root.is_terminal:
        return "The game is over."
    favorite = best(root)
    if favorite is None:
        return "Nothing has been searched yet."
    chosen = favorite
    if action is not None:
        state = search.state
        name = search.game.action_name(state, action_named(search.game, state, action))
        require(any(c.name == name for c in root.children), f"nothing is known of {name}")
        chosen = root.children[name]
    rivals = [child for child in root.children if child.node.number != chosen.node.number]
    sentences = [_about(search, root, chosen)]
    if chosen.node.number != favorite.node.number:
        sentences.append(_instead(root, chosen, favorite))
    elif rivals:
        sentences.append(_compared(search, root, chosen, rivals))
    return " ".join(sentence for sentence in sentences if sentence)


def _about(search: Search, root: Node, child: Child) -> str:
    """What is known of one action."""
    assert root.player is not None
    who = search.game.player_name(root.player)
    if not child.resolved:
        value, sure = child.estimate[root.player], bounds_text(child.node.outcome_bounds)
        proven = f"it is proven only that {sure}" if sure else "nothing is proven of it"
        if value is None:  # it contradicts what is proven
            return f"{child.name} is not settled after {_times(child.visits)}; {proven}."
        return (
            f"{child.name} is estimated at {value:+.3f} for {who}, after "
            f"{_times(child.visits)}; {proven}."
        )
    assert child.outcome is not None
    result = RESULTS[child.outcome[root.player]]
    equilibrium = f" in {search.note}" if search.note else ""
    return f"{child.name} is proven: {who} {result}{_by_pv(child, equilibrium)}."


def _by_pv(child: Child, equilibrium: str) -> str:
    """In how many moves, where that is known, and by which."""
    pv = list(child.node.pv())
    length = proven_length(child.node, pv)
    if length is None and not pv:
        return equilibrium
    moves = [child.name, *(name for name, _ in pv)]
    by = "by" if length is not None and len(moves) <= MOST_MOVES else "beginning with"
    known = "" if length is None else f" in {_moves(1 + length)}"
    return f"{known}{equilibrium}, {by} {' '.join(moves[:MOST_MOVES])}"


def _instead(root: Node, chosen: Child, favorite: Child) -> str:
    """Why not the chosen one."""
    assert root.player is not None
    if favorite.resolved and favorite.outcome is not None:
        result = RESULTS[favorite.outcome[root.player]]
        if chosen.outcome is not None and chosen.outcome == favorite.outcome:
            return f"It is proven that {favorite.name} {result} as well."
        return f"{favorite.name} is preferred: it is proven that it {result}."
    gain = favorite.value[root.player] - chosen.value[root.player]
    if chosen.resolved:
        return f"{favorite.name} is preferred, though its outcome is not proven."
    return (
        f"{favorite.name} is preferred: it is estimated better by {gain:.3f}, after "
        f"{_times(favorite.visits)}."
    )


def _compared(search: Search, root: Node, chosen: Child, rivals: list[Child]) -> str:
    """What is known against the others."""
    assert root.player is not None
    me = root.player
    open_rivals = [child for child in rivals if not child.resolved]
    settled = [child for child in rivals if child.resolved]
    lost = [c for c in settled if c.outcome is not None and c.outcome[me] == -1]
    said = []
    if lost and len(lost) == len(rivals) and not _loses(chosen, me):
        said.append("Every other move is proven to lose.")
    elif lost and not _loses(chosen, me):
        example = max(lost, key=lambda c: c.visits)
        reply = next(iter(example.node.pv()), None)
        against = f" to {reply[0]}" if reply is not None else ""
        number = "One other move" if len(lost) == 1 else f"{len(lost)} other moves"
        verb = "is" if len(lost) == 1 else "are"
        said.append(f"{number} {verb} proven to lose; {example.name} loses{against}.")
    if open_rivals and not chosen.resolved:
        rival = max(open_rivals, key=lambda c: (c.value[me], c.visits))
        gain = chosen.value[me] - rival.value[me]
        said.append(
            f"The best other one is {rival.name}, estimated {_worse(gain)}, after "
            f"{_times(rival.visits)}."
        )
    return " ".join(said)


def _loses(child: Child, player: int) -> bool:
    return child.outcome is not None and child.outcome[player] == -1


def _worse(gain: float) -> str:
    if abs(gain) < 0.0005:
        return "as good"
    return f"{'worse' if gain > 0 else 'better'} by {abs(gain):.3f}"


def _times(visits: int) -> str:
    return "one visit" if visits == 1 else f"{visits:,} visits"


def _moves(count: int) -> str:
    return "one move" if count == 1 else f"{count} moves"
