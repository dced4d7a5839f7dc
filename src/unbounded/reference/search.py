# SPDX-License-Identifier: MIT
"""The state of a search (S_p, T = (v, c, r) and n), and the loop around its iterations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from unbounded.game import Game, RuleError, did_you_mean, require
from unbounded.reference import definitions, minimax, propagated_completion, resolved_completion
from unbounded.reference.descent import descent_iteration
from unbounded.reference.listings import Listings
from unbounded.reference.ubfm import ubfm_iteration

S = TypeVar("S")

ITERATIONS: dict[str, Callable[[Any, Search[Any]], None]] = {
    "ubfm": ubfm_iteration,
    "descent": descent_iteration,
}
LISTINGS: dict[str, Listings] = {
    "minimax": minimax.LISTINGS,
    "resolved_completion": resolved_completion.LISTINGS,
    "propagated_completion": propagated_completion.LISTINGS,
}


class Search(Generic[S]):
    """A search from the initial state of a game, with every table a dict.

    `evaluate` is f_theta, a number per player; without it every evaluation is 0. The options are
    those of the paper: `paper` runs UBFM as printed (ERRATA 2), `completion=False` gives the
    algorithms without completion, which never resolve anything, and `resolve_on_win`,
    `stop_at_draw` and `local_maximum` are variants of the Remark (`remark.py`).
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
        _require_known("algorithm", algorithm, ITERATIONS)
        _require_known("values", values, LISTINGS)
        if values == "minimax":
            definitions.require_minimax(game)
        if stop_at_draw:
            require(algorithm == "descent", "stop_at_draw is a variant of descent, not of ubfm")
        if local_maximum:
            require(game.has_local_best_score, f"local_maximum: {game} has no best_score_from")
        self.game = game
        self.algorithm, self.values, self.paper = algorithm, values, paper
        self.completes = completion
        self.resolve_on_win, self.stop_at_draw = resolve_on_win, stop_at_draw
        self.local_maximum, self.evaluate = local_maximum, evaluate
        self.best_scores = definitions.best_scores(game)
        self.listings = LISTINGS[values]

        self.expanded: set[S] = set()
        """S_p, without its terminal states."""
        self.children: dict[S, list[S]] = {}
        """A(s) of the expanded states."""
        self.completion: dict[S, Any] = {}
        """c(s): with minimax the first player's, otherwise one per player; likewise c' and v."""
        self.tentative_completion: dict[S, Any] = {}
        """c'(s); differs from c(s) only with resolved_completion."""
        self.value: dict[S, Any] = {}
        """v(s)."""
        self.resolved: dict[S, bool] = {}
        """r(s)."""
        self.visits: dict[tuple[S, S], int] = {}
        """n(s, s')."""
        self.path: list[S] = []
        """The states of the last iteration, from the root on."""
        self.iterations = 0
        self.root = game.initial()
        self.initialize(self.root)  # ERRATA 2: the listings read r(root) before they set it

    def run(self, iterations: int | None = None) -> None:
        """Iterate until the root is resolved (Algorithms 7, 8 and 10, line 3).

        The listings limit the time; here the number of iterations may be limited.
        """
        require(
            iterations is not None or (self.completes and not self.stop_at_draw),
            "this search may never resolve its root: say how many iterations",
        )
        end = None if iterations is None else self.iterations + iterations
        while not self.resolved[self.root] and self.iterations != end:
            self.iterate()

    def iterate(self) -> None:
        """Do one iteration from the root; none if the root is resolved (ERRATA 7)."""
        if self.resolved[self.root]:
            return
        self.path = []
        ITERATIONS[self.algorithm](self.root, self)
        self.iterations += 1

    # -- the steps of an iteration --------------------------------------------------------------

    def visit(self, s: S) -> None:
        """Put s on the path of this iteration; ERRATA 9: twice on it is a cycle."""
        if s in self.path:
            raise RuleError(f"the game runs in a cycle: state {s!r} comes back to itself")
        self.path.append(s)

    def expand(self, s: S) -> None:
        """Lines 7 to 14 of every iteration listing."""
        self.expanded.add(s)  # line 7
        self.children[s] = definitions.successors(self.game, s)
        for child in self.children[s]:  # line 8
            self.visits[s, child] = 0
            if child not in self.resolved:  # otherwise lines 10, 11 and 14 would change nothing
                self.initialize(child)

    def initialize(self, s: S) -> None:
        """Lines 9 to 14 of every iteration listing, for s in place of s'."""
        self.resolved[s], self.completion[s] = False, self.number([0] * self.game.players)
        if self.is_terminal(s):  # line 9
            self.value[s] = self.score(s)  # line 11
            if self.completes:
                self.resolved[s], self.completion[s] = True, self.outcome(s)  # line 11
        else:
            self.value[s] = self.evaluation(s)  # line 14
        self.tentative_completion[s] = self.completion[s]

    def unresolved_children(self, s: S) -> list[S]:
        """A, the children with r(s') = 0."""
        return [child for child in self.children[s] if not self.resolved[child]]

    def back_up(self, s: S) -> None:
        """Set c(s), v(s) and r(s) from the children of s."""
        assert not self.resolved[s], "ERRATA 7: a resolved state never changes"
        self.listings.back_up(s, self)

    # -- the functions of the game --------------------------------------------------------------

    def is_terminal(self, s: S) -> bool:
        """t(s)."""
        return len(self.game.actions(s)) == 0

    def player(self, s: S) -> int:
        """j(s), from 0."""
        return self.game.player(s)

    def outcome(self, s: S) -> Any:
        """f_b(s)."""
        return self.number(definitions.outcome(self.game, s))

    def score(self, s: S) -> Any:
        """f_t(s)."""
        return self.number(definitions.score(self.game, s))

    def evaluation(self, s: S) -> Any:
        """f_theta(s)."""
        given = (0.0,) * self.game.players if self.evaluate is None else self.evaluate(s)
        return self.number(definitions.numbers(self.game, "evaluation", given, s))

    def number(self, vector: Sequence[Any]) -> Any:
        """Give the first player's component with minimax, otherwise the whole vector."""
        return vector[0] if self.values == "minimax" else tuple(vector)


def _require_known(what: str, name: str, known: dict[str, Any]) -> None:
    listed = ", ".join(known)
    require(name in known, f"no {what} {name!r}{did_you_mean(name, known)}; there are {listed}")
