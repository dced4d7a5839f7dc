# SPDX-License-Identifier: MIT
"""The graph above the jobs: positions, what is proven of them, and which to work on next.

A leaf is a position that a job can be about. A job that leaves it open expands it: its children are
the next leaves. So a run ends, however small the budget of a job is, because the game does: it is
the unbounded best-first search of the paper, with jobs as its evaluations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from random import Random

from unbounded.cluster.facts import Bounds, ContradictionError, Fact, Scale
from unbounded.cluster.job import Estimates, Window
from unbounded.game import RecordGame

Key = bytes


@dataclass(eq=False)
class Node:
    """A position, or several that are equal up to symmetry."""

    key: Key
    """The whole state; of states that are equal up to symmetry, the smallest."""
    state: bytes
    """The one that was reached first: jobs are about this one."""
    moves: tuple[str, ...]
    """From the start of the game to that state."""
    player: int
    terminal: bool
    fact: Fact
    estimates: Estimates
    """By which children are chosen; of a leaf as a job, or the job of its parent, has found."""
    depth: int
    """Moves below the root."""
    parents: list[Node] = field(default_factory=list)
    children: list[Node] | None = None
    """None: a leaf."""
    pending: bool = False
    """A job about it is in progress."""
    visits: int = 0
    spent: float = 0.0
    """Seconds of the jobs that have left it open."""
    deaths: int = 0
    """Workers that have died in jobs about it."""
    worker: str = ""
    """Whose tables have most about it: it had the last job, or the last one of its parent."""


class UpperGraph:
    """The positions above the jobs, from a root down."""

    def __init__(
        self,
        game: RecordGame,
        moves: tuple[str, ...],
        scale: Scale,
        key_of: Callable[[bytes], Key],
        claimed: dict[Key, Fact] | None = None,
    ) -> None:
        """key_of: what identifies a state here: itself, or the smallest of its images.

        claimed: what is claimed of positions, those included that have not been reached yet.
        """
        self.game, self.scale, self.key_of = game, scale, key_of
        self.claimed = claimed or {}
        self.nodes: dict[Key, Node] = {}
        self.leaves = self.settled_nodes = 0
        state = game.initial()
        for move in moves:
            state = game.next(state, game.parse_action(state, move))
        self.root = self._node(state, moves, None)

    # -- positions --------------------------------------------------------------------------------

    def node_of(self, state: bytes) -> Node | None:
        """The node of a state, if it was reached."""
        return self.nodes.get(self.key_of(state))

    def _node(self, state: bytes, moves: tuple[str, ...], parent: Node | None) -> Node:
        key = self.key_of(state)
        node = self.nodes.get(key)
        if node is None:
            node = self.nodes[key] = self._made(key, state, moves, parent)
            self.leaves += not self.is_settled(node)
            self.settled_nodes += self.is_settled(node)
        if parent is not None and parent not in node.parents:
            node.parents.append(parent)
        return node

    def _made(self, key: Key, state: bytes, moves: tuple[str, ...], parent: Node | None) -> Node:
        game, scale = self.game, self.scale
        terminal = len(game.actions(state)) == 0
        known = scale.of_end(state) if terminal else self.claimed.get(key)
        fact = self._together(key, known, scale.unknown)
        return Node(
            key,
            state,
            moves,
            0 if terminal else int(game.player(state)),
            terminal,
            fact=fact,
            estimates=(0.0,) * game.players,
            depth=0 if parent is None else parent.depth + 1,
        )

    def is_settled(self, node: Node) -> bool:
        """Whether nothing is left to prove about a position."""
        return self.scale.settled(node.fact)

    def expand(self, node: Node, estimates: Iterable[Estimates] = ()) -> None:
        """Add the positions after a leaf, in the order of its actions; each of them once."""
        game, guessed = self.game, list(estimates)
        children: dict[Key, Node] = {}
        for place, action in enumerate(game.actions(node.state)):
            state = game.next(node.state, action)
            new = len(self.nodes)
            child = self._node(state, (*node.moves, game.action_name(node.state, action)), node)
            if len(self.nodes) > new:
                child.estimates = guessed[place] if place < len(guessed) else node.estimates
                child.worker = node.worker
            children[child.key] = child
        node.children = list(children.values())
        self.leaves -= not self.is_settled(node)
        self.update(node)

    # -- what is proven ---------------------------------------------------------------------------

    def says_more(self, key: Key, claimed: Fact) -> bool:
        """Whether a claim says more about a position than the claims before."""
        known = self.claimed.get(key)
        return known is None or self._together(key, known, claimed) != known

    def _together(self, key: Key, one: Fact, other: Fact) -> Fact:
        try:
            return self.scale.both(one, other)
        except ContradictionError as error:
            raise ContradictionError(key) from error

    def learn(self, key: Key, claimed: Fact) -> None:
        """Add what a claim says about a position; raises `ContradictionError`."""
        self.claimed[key] = self._together(key, self.claimed.get(key), claimed)
        if (node := self.nodes.get(key)) is not None:
            self.update(node)

    def set_pending(self, node: Node, *, pending: bool) -> None:
        """A job about a leaf begins or ends."""
        node.pending = pending
        for parent in node.parents:
            self.update(parent)

    def update(self, node: Node) -> None:
        """Bring a position and everything above it up to date."""
        waiting = [node]
        while waiting:
            one = waiting.pop()
            try:
                changed = self._update(one)
            except ContradictionError as error:
                raise ContradictionError(one.key, one) from error
            if changed:
                waiting.extend(one.parents)

    def _update(self, node: Node) -> bool:
        scale, before = self.scale, (node.fact, node.estimates)
        settled = self.is_settled(node)
        if (claimed := self.claimed.get(node.key)) is not None:
            node.fact = scale.both(node.fact, claimed)
        if node.children:
            followed = scale.above(node.player, [child.fact for child in node.children])
            node.fact = scale.both(node.fact, followed)
            best = max(node.children, key=lambda child: self._promise(child, node.player))
            node.estimates = self._estimates(best, node.player)
        if self.is_settled(node) and not settled:
            self.settled_nodes += 1
            self.leaves -= node.children is None
        return (node.fact, node.estimates) != before

    def _estimates(self, child: Node, chooser: int) -> Estimates:
        """The estimates by which a child is chosen; one that is worked on looks lost."""
        fact = child.fact
        if self.is_settled(child):
            low = fact.low if isinstance(fact, Bounds) else None
            if low is not None:
                return float(low[0]), float(-low[0])
            assert isinstance(fact, tuple)
            return tuple(float(worth[0]) for worth in fact)
        if child.pending and child.children is None:
            lost = [math.inf] * self.game.players
            lost[chooser] = -math.inf
            return tuple(lost)
        return child.estimates

    def _promise(self, child: Node, chooser: int) -> float:
        return self._estimates(child, chooser)[chooser]

    # -- what to do next --------------------------------------------------------------------------

    def select(
        self,
        random: Random,
        spread: int = 1,
        avoid: Callable[[Node], bool] = lambda _: False,
    ) -> tuple[Node, Window | None] | None:
        """The next leaf to work on, and the window that matters there; None: there is none.

        Best first, for the player to move in each position; `spread`: one of so many best, drawn.
        Leaves to `avoid` are left out.
        """
        return next(self.leaves_to_work_on(random, spread, avoid), None)

    def leaves_to_work_on(
        self, random: Random, spread: int, avoid: Callable[[Node], bool]
    ) -> Iterator[tuple[Node, Window | None]]:
        """What `select` would return, then more leaves near it, as if it were the only one."""
        if self.is_settled(self.root):
            return
        fact = self.root.fact
        window = (fact.low, fact.high) if isinstance(fact, Bounds) else None
        path = [(self.root, window, iter([self.root]))]
        spent: set[Key] = set()
        while path:
            above, window, candidates = path[-1]
            node = next(candidates, None)
            if node is None:
                spent.add(above.key)
                path.pop()
            elif node.key in spent:
                continue
            elif node.children is not None:
                below = self._narrowed(node, window)
                path.append((node, below, self._candidates(node, below, random, spread)))
            elif node.pending or avoid(node):
                spent.add(node.key)
            else:
                for visited in {one.key: one for one, _, _ in path}.values():
                    visited.visits += 1
                spent.add(node.key)
                yield node, self._narrowed(node, window)

    def _narrowed(self, node: Node, window: Window | None) -> Window | None:
        fact = node.fact
        if window is None or not isinstance(fact, Bounds):
            return None
        return max(window[0], fact.low), min(window[1], fact.high)

    def _candidates(
        self, node: Node, window: Window | None, random: Random, spread: int
    ) -> Iterator[Node]:
        """The children that can still matter, best first, but for the first `spread` drawn."""
        left = [child for child in node.children or () if self.can_matter(node, child, window)]
        left.sort(key=lambda child: (-self._promise(child, node.player), child.visits))
        while left:
            yield left.pop(random.randrange(min(spread, len(left))) if spread > 1 else 0)

    def can_matter(self, node: Node, child: Node, window: Window | None) -> bool:
        """Whether a child that is not settled can change what its parent is worth."""
        if self.is_settled(child):
            return False
        fact, above = child.fact, node.fact
        if not (isinstance(fact, Bounds) and isinstance(above, Bounds)) or window is None:
            return True
        low, high = above.meet(Bounds(*window)).for_mover(node.player)
        return low < high and fact.for_mover(node.player)[1] > low

    def mattering(self) -> set[Key]:
        """The open positions that the value of the root may still depend on."""
        fact = self.root.fact
        window = (fact.low, fact.high) if isinstance(fact, Bounds) else None
        waiting = [] if self.is_settled(self.root) else [(self.root, window)]
        windows: dict[Key, Window | None] = {}
        while waiting:
            node, window = waiting.pop()
            if node.key in windows:  # reached by another way, perhaps with another window
                window = _hull(windows[node.key], window)
                if window == windows[node.key]:
                    continue
            windows[node.key] = window
            for child in node.children or ():
                if self.can_matter(node, child, window):
                    waiting.append((child, self._narrowed(child, window)))
        return set(windows)

    def waiting(self, most: int) -> int:
        """How many leaves without a job can matter; so many at most are counted."""
        fact = self.root.fact
        window = (fact.low, fact.high) if isinstance(fact, Bounds) else None
        left = [] if self.is_settled(self.root) else [(self.root, window)]
        seen, found = {self.root.key}, 0
        while left and found < most:
            node, window = left.pop()
            found += node.children is None and not node.pending
            for child in node.children or ():
                if child.key not in seen and self.can_matter(node, child, window):
                    seen.add(child.key)
                    left.append((child, self._narrowed(child, window)))
        return found

    # -- how far it is ----------------------------------------------------------------------------

    def share_settled(self) -> float:
        """A guess of how much of the proof is done: 1 when the root is settled.

        Each position shares its weight equally among the children that must be settled; where one
        is enough, the one that has come farthest counts.
        """
        shares: dict[Key, float] = {}
        for node in self.children_first():
            shares[node.key] = self._share(node, shares)
        return shares[self.root.key]

    def _share(self, node: Node, shares: dict[Key, float]) -> float:
        if self.is_settled(node):
            return 1.0
        if not node.children:
            return 0.0
        parts = [shares[child.key] for child in node.children]
        hopeful = self._promise_of_win(node)
        return max((p for p in parts if p < 1), default=0.0) if hopeful else sum(parts) / len(parts)

    def _promise_of_win(self, node: Node) -> bool:
        """Whether the mover seems to win, so that one child may be enough."""
        return node.estimates[node.player] > 0

    def children_first(self) -> Iterator[Node]:
        """All positions, each after those that its moves lead to."""
        seen = {self.root.key}
        path: list[tuple[Node, Iterator[Node]]] = [(self.root, iter(self.root.children or ()))]
        while path:
            node, left = path[-1]
            child = next(left, None)
            if child is None:
                path.pop()
                yield node
            elif child.key not in seen:
                seen.add(child.key)
                path.append((child, iter(child.children or ())))


def _hull(one: Window | None, other: Window | None) -> Window | None:
    """The narrowest window that contains both."""
    if one is None or other is None:
        return None
    return min(one[0], other[0]), max(one[1], other[1])
