# SPDX-License-Identifier: MIT
"""The tables of a search (S_p, c, c', v, r and n), and the loop around its iterations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from unbounded.game import Game, RuleError, did_you_mean, require
from unbounded.reference import definitions
from unbounded.reference.completion import (
    Completion,
    Minimax,
    PropagatedCompletion,
    ResolvedCompletion,
)
from unbounded.reference.registry import ALGORITHMS, having

S = TypeVar("S")

RULES: dict[str, type[Completion[Any]]] = {
    "minimax": Minimax,
    "resolved_completion": ResolvedCompletion,
    "propagated_completion": PropagatedCompletion,
}


class Search(Generic[S]):
    """A search from a game's first state; every table is a dict, and starts when a state is seen.

    `evaluate` is f_theta (a number per player); without it every state is worth 0. The switches
    are those of the paper: `paper` leaves a state that UBFM has just expanded as it was,
    `completion=False` never resolves anything (the algorithms without completion), and
    `resolve_on_win`, `stop_at_draw` and `local_maximum` are the variants of the paper's Remark.
    """

    def __init__(
        self,
        game: Game[S, Any],
        *,
        algorithm: str = "ubfm",
        values: str = "minimax",
        paper: bool = False,
        completion: bool = True,
        resolve_on_win: bool = False,
        stop_at_draw: bool = False,
        local_maximum: bool = False,
        evaluate: Callable[[S], Sequence[float]] | None = None,
    ) -> None:
        _require_known("algorithm", algorithm, ALGORITHMS)
        _require_known("values", values, RULES)
        if values == "minimax":
            definitions.require_minimax(game)
        if stop_at_draw:
            known = having("stop_at_draw")
            require(
                algorithm in known,
                f"stop_at_draw is a variant of {', '.join(known)}, not of {algorithm}",
            )
        if local_maximum:
            require(game.has_local_best_score, f"local_maximum: {game} has no best_score_from")
        self.game = game
        self.algorithm, self.values, self.paper = algorithm, values, paper
        self.completes = completion
        self.resolve_on_win, self.stop_at_draw = resolve_on_win, stop_at_draw
        self.local_maximum, self.evaluate = local_maximum, evaluate
        self.best_scores = definitions.best_scores(game)
        self.rule: Completion[S] = RULES[values](self)

        self.expanded: set[S] = set()
        """S_p, without the ends of the game."""
        self.children: dict[S, list[S]] = {}
        """A(s) of the expanded states."""
        self.completion: dict[S, Any] = {}
        """c(s): with minimax the first player's, otherwise a tuple; as are c' and v."""
        self.tentative_completion: dict[S, Any] = {}
        """c'(s); differs from c(s) only with resolved_completion."""
        self.value: dict[S, Any] = {}
        """v(s)."""
        self.resolved: dict[S, bool] = {}
        """r(s)."""
        self.visits: dict[tuple[S, S], int] = {}
        """n(s, s')."""
        self.path: list[S] = []
        """The states visited in the last iteration, from the root to the last one."""
        self.iterations = 0
        self.root = game.initial()
        self._initialise(self.root)  # ERRATA 2: the listings read r(root) before they set it

    def run(self, iterations: int | None = None) -> None:
        """Iterate until the root is resolved, or at most so many times."""
        require(
            iterations is not None or (self.completes and not self.stop_at_draw),
            "this search may never resolve its root: say how many iterations",
        )
        end = None if iterations is None else self.iterations + iterations
        while not self.resolved[self.root] and self.iterations != end:
            self.iterate()

    def iterate(self) -> None:
        """Do one iteration from the root; nothing if the root is resolved (ERRATA 7)."""
        if self.resolved[self.root]:
            return
        self.path = []
        ALGORITHMS[self.algorithm].iteration(self, self.root)
        self.iterations += 1

    # -- the steps of an iteration --------------------------------------------------------------

    def visit(self, s: S) -> None:
        """Put the state on the path; that it is there already means a cycle (ERRATA 9)."""
        if s in self.path:
            raise RuleError(f"the game runs in a cycle: state {s!r} comes back to itself")
        self.path.append(s)

    def is_terminal(self, s: S) -> bool:
        """t(s)."""
        return len(self.game.actions(s)) == 0

    def unresolved_children(self, s: S) -> list[S]:
        """A, the children that are not resolved."""
        return [child for child in self.children[s] if not self.resolved[child]]

    def expand(self, s: S) -> None:
        """Add the state to S_p and give its new children their first numbers."""
        self.expanded.add(s)
        self.children[s] = definitions.successors(self.game, s)
        for child in self.children[s]:
            self.visits[s, child] = 0
            if child not in self.resolved:
                self._initialise(child)

    def back_up(self, s: S) -> None:
        """Recompute the numbers of the state from its children; never those of a resolved one."""
        assert not self.resolved[s], "ERRATA 7: a resolved state never changes"
        self.rule.back_up(s)

    def _initialise(self, s: S) -> None:
        game = self.game
        self.resolved[s], c = False, tuple([0] * game.players)
        if not self.is_terminal(s):
            v = self._evaluation(s)
        else:
            v = definitions.score(game, s)
            if self.completes:
                self.resolved[s], c = True, definitions.outcome(game, s)
        self.completion[s] = self.tentative_completion[s] = self.rule.stored(c)
        self.value[s] = self.rule.stored(v)

    def _evaluation(self, s: S) -> tuple[float, ...]:
        if self.evaluate is None:
            return (0.0,) * self.game.players
        return definitions.numbers(self.game, "evaluation", self.evaluate(s), s)


def _require_known(what: str, name: str, known: dict[str, Any]) -> None:
    listed = ", ".join(known)
    require(name in known, f"no {what} {name!r}{did_you_mean(name, known)}; there are {listed}")
