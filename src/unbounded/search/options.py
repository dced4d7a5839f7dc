# SPDX-License-Identifier: MIT
"""The options of a search, each described once.

`SearchOptions` is the only list of them. `Search` and `solve` take its fields as keywords, the
command line makes flags of them, the engine and the page their schema, players their parameters;
results and checkpoints hold them. A new option is one more field here. One that the core acts on
also needs a line in `core/search/options.h` and one in `bind_options`; one that Python acts on is
declared with `in_core=False`.
"""

from __future__ import annotations

import enum
import os
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from unbounded.game import Game, UsageError, did_you_mean, require
from unbounded.reference import registry
from unbounded.search.descriptions import Option, described, documentation, option, schema

if TYPE_CHECKING:
    from unbounded import native

ALGORITHMS = tuple(registry.ALGORITHMS)
VALUES = ("minimax", "resolved_completion", "propagated_completion")

SEARCH, SOLVING, VARIANTS = "Search", "Solving", "Variants of the paper"
"""Groups. Those of SOLVING prove a value sooner by leaving other moves unexplored."""


@dataclass(frozen=True)
class SearchOptions:
    """How a game is searched; immutable, and checked by `validate`.

    An evaluation can also be a path, or a function: it takes a NumPy array of states and returns an
    array with one row per state and one column per player.

    >>> import unbounded as ub
    >>> options = ub.SearchOptions(algorithm="descent", values="minimax")
    >>> ub.Search("tic-tac-toe", options=options).run().outcome
    (0, 0)
    """

    algorithm: str = option(
        "ubfm",
        f"Search algorithm: {' or '.join(ALGORITHMS)}.",
        group=SEARCH,
        choices=ALGORITHMS,
        metavar="NAME",
    )
    values: str | None = option(
        None,
        "Values to back up: minimax (two players, zero sum), resolved_completion or "
        "propagated_completion (Max^n). Default: minimax where it applies, else "
        "resolved_completion.",
        group=SEARCH,
        choices=VALUES,
        metavar="NAME",
    )
    evaluation: str | os.PathLike[str] | Callable[[Any], Any] | None = option(  # noqa: RUF009
        None,
        "Evaluation of leaves: zero, heuristic, playouts, playouts(N), network (the one shipped "
        "for the game), the file of a network, or the folder of a run. Default: heuristic if the "
        "game has one, else zero.",
        group=SEARCH,
        metavar="NAME",
        in_core=False,
    )
    seed: int = option(0, "Seed of the random playouts.", group=SEARCH, metavar="N", in_core=False)
    leaves: int = option(
        0,
        "Leaves to expand with one call of the evaluation (UBFM without bounds). 0: as many as the "
        "evaluation asks for: 32 for a residual network on a GPU, 1 for most others.",
        group=SEARCH,
        metavar="N",
        least=0,
        most=1024,
        newer=True,
    )
    canonical: bool = option(
        False,
        "Store positions that are equal up to symmetry as one.",
        group=SOLVING,
        in_core=False,
        off_flag="--no-symmetry",
        off_help="Store positions that are equal up to symmetry separately, as --paper does.",
    )
    bounds: bool = option(
        False,
        "Keep bounds of every state's outcome, and prune what can no longer matter.",
        group=SOLVING,
        off_flag="--no-bounds",
        off_help="Keep no bounds; this also switches off probes.",
    )
    probes: bool = option(
        False,
        "Search leaves depth-first to the end of the game before expanding them.",
        group=SOLVING,
        needs={"bounds": True},
        off_flag="--no-probes",
        off_help="Store every state, with no depth-first search of leaves.",
    )
    exact_score: bool = option(
        False,
        "Prove the score (the largest margin) too, not only who wins.",
        group=SOLVING,
        needs={"bounds": True},
    )
    threads: int = option(
        1,
        "Number of threads that search the graph together. Default: one per core when solving, "
        "else 1, with which a limit of iterations gives the same result every time.",
        group=SOLVING,
        metavar="N",
        least=1,
        most=1024,
        conflicts=("paper", "completion", "stop_at_draw"),
    )
    paper: bool = option(
        False,
        "Follow the listing exactly as printed.",
        group=VARIANTS,
        conflicts=("bounds",),
        in_core=False,  # there it is `back_up_on_expansion`, its opposite
    )
    completion: bool = option(
        True,
        "Keep track of what is proven.",
        group=VARIANTS,
        conflicts=("bounds",),
        off_flag="--no-completion",
        off_help="Run the basic algorithm, which proves nothing and needs a limit.",
    )
    resolve_on_win: bool = option(
        False, "The first win found resolves a state.", group=VARIANTS, conflicts=("bounds",)
    )
    stop_at_draw: bool = option(
        False,
        "A descent ends at a proven draw.",
        group=VARIANTS,
        needs={"algorithm": "descent"},
        conflicts=("bounds",),
    )
    local_maximum: bool = option(
        False,
        "The best score that is still reachable resolves a state.",
        group=VARIANTS,
        conflicts=("bounds",),
    )
    hash_bits: int = option(
        64,
        "Bits of the hash that the transposition table uses; fewer only to test collisions.",
        group=SEARCH,
        least=1,
        most=64,
        hidden=True,
    )

    # -- what follows from them -------------------------------------------------------------------

    @property
    def zero_sum(self) -> bool:
        """Whether only the first player's numbers are stored."""
        return self.values == "minimax"

    @property
    def proves_scores(self) -> bool:
        """Whether a proven outcome always comes with its proven score."""
        return self.exact_score if self.zero_sum else not self.resolve_on_win

    @property
    def surely_resolves(self) -> bool:
        """Whether a run without limits always resolves the root in the end."""
        return self.completion and not self.stop_at_draw

    def to_dict(self) -> dict[str, Any]:
        """All options as plain values for JSON; of a function its name, of a network the digest."""
        from unbounded.evaluation import described_evaluation

        values = {x.name: getattr(self, x.name) for x in described(type(self))}
        if self.evaluation is not None:
            values["evaluation"] = described_evaluation(self.evaluation)
        return values

    def to_core(self) -> native.Options:
        """The options of the compiled core."""
        from unbounded import native

        options = native.Options()
        for about in described(type(self)):
            if about.in_core:
                kind = type(getattr(options, about.name))
                value = getattr(self, about.name)
                setattr(options, about.name, kind[value] if issubclass(kind, enum.Enum) else value)
        options.back_up_on_expansion = not self.paper
        return options

    # -- checking ---------------------------------------------------------------------------------

    def validate(self, game: Game[Any, Any]) -> SearchOptions:
        """Check everything; return the options with what was left to the game filled in."""
        from unbounded.evaluation import check_evaluation, default_evaluation

        for about in described(type(self)):
            about.check(getattr(self, about.name))
        chosen = default_evaluation(game) if self.evaluation is None else self.evaluation
        complete = replace(
            self,
            values=self.values or default_values(game),
            evaluation=check_evaluation(game, chosen),
            canonical=self.canonical and game.symmetries > 1,
        )
        complete._check_needs()
        complete._check_conflicts()
        complete._check_leaves()
        complete._check_game(game)
        return complete

    def _set(self) -> list[Option]:
        """The options that differ from their defaults."""
        return [x for x in described(type(self)) if x.is_set(getattr(self, x.name))]

    def _check_needs(self) -> None:
        missing = defaultdict(list)
        for about in self._set():
            for other, value in about.needs.items():
                if getattr(self, other) != value:
                    missing[f"`{other}={value!r}`"].append(f"`{about.name}`")
        for needed, names in missing.items():
            verb = "needs" if len(names) == 1 else "need"
            raise UsageError(f"{' and '.join(names)} {verb} {needed}")

    def _check_conflicts(self) -> None:
        by_name = {about.name: about for about in self._set()}
        clashing = defaultdict(list)
        for about in by_name.values():
            for other in about.conflicts:
                if other in by_name:
                    clashing[other].append(about.text(getattr(self, about.name)))
        for other, texts in clashing.items():
            raise UsageError(f"`{other}` cannot be combined with {', '.join(texts)}")

    def _check_leaves(self) -> None:
        """Refuse several leaves where only one is expanded at a time; 0 is 1 there."""
        if self.leaves <= 1:
            return
        several, alone = f"`leaves={self.leaves}`", "expands one leaf at a time"
        require(
            self.algorithm == "ubfm",
            f"{several} needs `algorithm='ubfm'`; {self.algorithm} {alone}",
        )
        require(not self.bounds, f"{several} needs `bounds=False`; a search with bounds {alone}")
        require(not self.paper, f"{several} cannot be combined with `paper`, which {alone}")
        require(self.threads == 1, f"{several} needs `threads=1`; each of several {alone}")

    def _check_game(self, game: Game[Any, Any]) -> None:
        """Refuse what this game, or the way it is evaluated, does not allow."""
        from unbounded.evaluation import is_gathered, is_shareable
        from unbounded.native import is_compiled

        assert self.evaluation is not None
        two = game.players == 2 and game.zero_sum
        require(
            not self.zero_sum or two,
            f"minimax needs two players and zero sum; {game} is not declared so. "
            "Use resolved_completion or propagated_completion",
        )
        require(
            not self.exact_score or self.zero_sum,
            f"`exact_score` is for `values='minimax'`; {self.values} always proves the score",
        )
        require(
            not self.local_maximum or game.has_local_best_score,
            f"`local_maximum` needs a game with best_score_from; {game} has none",
        )
        require(
            self.threads == 1 or is_compiled(game),
            f"`threads` needs compiled rules; those of {game} are not compiled",
        )
        require(
            not self.probes or self.zero_sum or is_compiled(game),
            f"`probes` needs two players and zero sum, or compiled rules; those of {game} are not "
            "compiled",
        )
        require(
            self.threads == 1
            or is_gathered(self.evaluation)
            or is_shareable(game, self.evaluation),
            "several threads cannot use the evaluation 'playouts'; use 'zero', 'heuristic', "
            "a network or a function",
        )


SearchOptions.__doc__ = f"{SearchOptions.__doc__}\n{documentation(SearchOptions)}"


def default_values(game: Game[Any, Any]) -> str:
    """The value rule that fits the game."""
    return "minimax" if game.players == 2 and game.zero_sum else "resolved_completion"


def options_of(given: Mapping[str, Any], base: SearchOptions | None = None) -> SearchOptions:
    """The options given by keyword, on top of `base` or the defaults."""
    known = [about.name for about in described(SearchOptions)]
    for name in given:
        if name not in known:
            raise TypeError(f"unknown option {name!r}{did_you_mean(name, known)}")
    return replace(base or SearchOptions(), **given)


def search_options(*, solving: bool = True, threads: bool = False) -> list[Option]:
    """The options that people and programs can give.

    solving: also those of that group; of these, `threads` alone for who may use all cores.
    """
    also = {"threads"} if threads else set()
    return [
        about
        for about in described(SearchOptions)
        if not about.hidden and (solving or about.group != SOLVING or about.name in also)
    ]


def options_schema(*, solving: bool = True) -> list[dict[str, Any]]:
    """The `search_options` as plain values for JSON: types, defaults, help texts, relations."""
    return schema(search_options(solving=solving))


def variants_without(name: str) -> list[Option]:
    """The options that conflict with the one of this name."""
    return [about for about in described(SearchOptions) if name in about.conflicts]
