# SPDX-License-Identifier: MIT
"""From a name like `ubfm(seconds=2,rule=safest)` to a player."""

from __future__ import annotations

import dataclasses
import inspect
import shlex
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from unbounded.game import Game, UsageError, did_you_mean, require
from unbounded.game.game_strings import Call, Text, read
from unbounded.game.parameters import bind, convert
from unbounded.players.external.openspiel import OpenSpielPlayer
from unbounded.players.external.player import PROTOCOLS, ExternalPlayer
from unbounded.players.external.programs import adapter_of, read_options
from unbounded.players.kind import Kind, Limited, Timed
from unbounded.players.opponents import DepthFirstPlayer, MonteCarloPlayer
from unbounded.players.player import Player
from unbounded.players.searching import SearchPlayer
from unbounded.players.simple import GreedyPlayer, RandomPlayer
from unbounded.reference.registry import ALGORITHMS, Algorithm
from unbounded.search.descriptions import Option
from unbounded.search.options import options_of, search_options

RULES = ("best", "safest")
LOCAL_ONLY = "it runs a program that is not part of this package"

AnyKind = typing.TypeVar("AnyKind", bound="Kind")


def search_parameters() -> list[Option]:
    """The options of a search that a player takes: those of an analysis.

    The kind determines the algorithm, and a match the seed.
    """
    given = search_options(solving=False, threads=True)
    return [x for x in given if x.name not in ("algorithm", "seed")]


@typing.dataclass_transform(frozen_default=True)
def with_search_options(kind: type[AnyKind]) -> type[AnyKind]:
    """Make a frozen dataclass with a field for each of the `search_parameters` as well."""
    for option in search_parameters():
        basic = option.kinds[0]
        kind.__annotations__[option.name] = basic | None if option.default is None else basic
        setattr(kind, option.name, option.default)
    return dataclass(frozen=True)(kind)


@with_search_options
class Searching(Limited):
    """What our own searches have in common."""

    iterations: int | None = None
    states: int | None = None
    rule: str = "best"
    transpositions: bool = True
    keep: bool = True
    ponder: bool = False
    prove: float = 0.0
    if typing.TYPE_CHECKING:
        evaluation: str | None = None  # one of the `search_parameters`

    algorithm: typing.ClassVar[str] = "ubfm"

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.rule in RULES, f"rule must be {' or '.join(RULES)}, not {self.rule!r}")
        require(self.keep or not self.ponder, "ponder needs keep=true: else nothing is left of it")
        require(0 <= self.prove < 1, f"prove must be a share of the time, not {self.prove:g}")
        shared = self.prove == 0 or self.iterations is None
        require(shared, "a solver has other iterations: with prove, give seconds, clock or states")

    def counts(self) -> dict[str, int | None]:
        return {"iterations": self.iterations, "states": self.states}

    def player(self, game: Game[Any, Any], seed: int) -> Player:
        given = {option.name: getattr(self, option.name) for option in search_parameters()}
        player = SearchPlayer(
            game,
            seed,
            budget=self.budget(),
            rule=self.rule,
            keep=self.keep,
            transpositions=self.transpositions,
            ponder=self.ponder,
            prove=self.prove,
            options=options_of({**given, "algorithm": self.algorithm}),
        )
        return self.with_clock(player)


@dataclass(frozen=True)
class UbfmSafest(Searching):
    """UBFM_s: the same search, and the move with the most visits."""

    rule: str = "safest"


@dataclass(frozen=True)
class Perfect(UbfmSafest):
    """Proven moves where a solver can prove them in time, otherwise those of UBFM_s."""

    prove: float = 0.25


@dataclass(frozen=True)
class DepthFirst(Limited):
    """What the searches to a growing depth have in common."""

    nodes: int | None = None
    evaluation: str | None = None
    megabytes: float = 64.0

    search: typing.ClassVar[str] = "alpha_beta"

    def counts(self) -> dict[str, int | None]:
        return {"states": self.nodes}

    def player(self, game: Game[Any, Any], seed: int) -> Player:
        player = DepthFirstPlayer(
            game,
            seed,
            budget=self.budget(),
            nodes=self.nodes,
            kind=self.search,
            evaluation=self.evaluation,
            megabytes=self.megabytes,
        )
        return self.with_clock(player)


@dataclass(frozen=True)
class AlphaBeta(DepthFirst):
    """Alpha-beta for two players: iterative deepening, a table, ordered moves."""


@dataclass(frozen=True)
class MaxN(DepthFirst):
    """Max^n: each player maximizes their own result."""

    search: typing.ClassVar[str] = "max_n"


@dataclass(frozen=True)
class Paranoid(DepthFirst):
    """Paranoid: all the others against the one who moves."""

    search: typing.ClassVar[str] = "paranoid"


@dataclass(frozen=True)
class BestReply(DepthFirst):
    """Best-Reply Search: of the others, the one who hurts most answers."""

    search: typing.ClassVar[str] = "best_reply"


@dataclass(frozen=True)
class MonteCarlo(Limited):
    """UCT with random playouts, for any number of players, with a solver."""

    simulations: int | None = None
    c: float = 1.4
    playouts: int = 1
    solver: bool = True
    megabytes: float = 256.0

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.simulations != 0, "simulations must be 1 or more, not 0")
        require(self.c >= 0, f"c must be 0 or more, not {self.c}")
        require(self.playouts >= 1, f"playouts must be 1 or more, not {self.playouts}")

    def counts(self) -> dict[str, int | None]:
        return {"iterations": self.simulations}

    def player(self, game: Game[Any, Any], seed: int) -> Player:
        player = MonteCarloPlayer(
            game,
            seed,
            budget=self.budget(),
            simulations=self.simulations,
            c=self.c,
            playouts=self.playouts,
            solver=self.solver,
            megabytes=self.megabytes,
        )
        return self.with_clock(player)


@dataclass(frozen=True)
class RandomKind(Kind):
    """Any legal move."""

    def player(self, game: Game[Any, Any], seed: int) -> Player:
        return RandomPlayer(game, seed)


@dataclass(frozen=True)
class Greedy(Kind):
    """The move that the heuristic likes best, one move deep."""

    def player(self, game: Game[Any, Any], seed: int) -> Player:
        return GreedyPlayer(game, seed)


@dataclass(frozen=True)
class External(Timed):
    """Another program, run as a process: see `players/external/`."""

    command: str = ""
    protocol: str | None = None
    options: str = ""
    patience: float = 10.0

    local_only: typing.ClassVar[bool] = True

    def __post_init__(self) -> None:
        require(bool(self.words), "external needs a command: external(command=fairy-stockfish)")
        known = ", ".join(PROTOCOLS)
        require(
            self.spoken in PROTOCOLS,
            f"external(command={self.words[0]}) needs a protocol, one of {known}"
            + (f", not {self.protocol!r}" if self.protocol else ""),
        )
        require(self.patience > 0, f"patience must be more than 0 seconds, not {self.patience:g}")
        read_options(self.options)
        super().__post_init__()

    @property
    def words(self) -> list[str]:
        """The command line."""
        try:
            return shlex.split(self.command)
        except ValueError as error:
            raise UsageError(f"the command {self.command!r} cannot be read: {error}") from None

    @property
    def spoken(self) -> str | None:
        """The protocol: the given one, or what a known program speaks."""
        return self.protocol or adapter_of(self.words[0]).protocol

    @property
    def only_from_start(self) -> bool:
        return self.spoken == "pipe"

    @property
    def seconds_per_move(self) -> float | None:
        has_clock = adapter_of(self.words[0]).has_clock
        return super().seconds_per_move if has_clock else self.seconds

    def player(self, game: Game[Any, Any], seed: int) -> Player:
        assert self.spoken is not None
        player = ExternalPlayer(
            game,
            seed,
            budget=self.budget(),
            command=self.words,
            adapter=adapter_of(self.words[0])(game, read_options(self.options)),
            protocol=self.spoken,
            patience=self.patience,
        )
        return self.with_clock(player)


@dataclass(frozen=True)
class OpenSpielMcts(Timed):
    """OpenSpiel's MCTS, on its own rules of the same game."""

    simulations: int | None = None
    c: float = 2.0
    solver: bool = True
    megabytes: int = 1000

    local_only: typing.ClassVar[bool] = True
    # No other thread runs while OpenSpiel searches, so a page would not answer.

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.simulations != 0, "simulations must be 1 or more, not 0")
        require(self.c >= 0, f"c must be 0 or more, not {self.c}")
        require(self.megabytes >= 1, f"megabytes must be 1 or more, not {self.megabytes}")

    def counts(self) -> dict[str, int | None]:
        return {"iterations": self.simulations}

    def player(self, game: Game[Any, Any], seed: int) -> Player:
        player = OpenSpielPlayer(
            game,
            seed,
            budget=self.budget(),
            simulations=self.simulations,
            c=self.c,
            solver=self.solver,
            megabytes=self.megabytes,
        )
        return self.with_clock(player)


def _searching_kind(algorithm: Algorithm) -> type[Kind]:
    """Make the kind of player that searches by this algorithm."""
    about = f"{algorithm.title}: an iteration expands {algorithm.expands}."
    members = {"__doc__": about, "__module__": __name__, "algorithm": algorithm.name}
    return dataclass(frozen=True)(type(algorithm.name.title(), (Searching,), members))


KINDS: dict[str, type[Kind]] = {
    **{name: _searching_kind(algorithm) for name, algorithm in ALGORITHMS.items()},
    "ubfm-safest": UbfmSafest,
    "perfect": Perfect,
    "alpha-beta": AlphaBeta,
    "max-n": MaxN,
    "paranoid": Paranoid,
    "best-reply": BestReply,
    "mcts": MonteCarlo,
    "greedy": Greedy,
    "random": RandomKind,
    "external": External,
    "openspiel-mcts": OpenSpielMcts,
}


def read_kind(text: str, *, local: bool = True) -> Kind:
    """Return the kind of player that a text names.

    `local=False` refuses kinds that are `local_only`: for texts that come from strangers.
    """
    node = read(text)
    call = node if isinstance(node, Call) else Call(node, ()) if isinstance(node, Text) else None
    if call is None:
        raise UsageError(f"a player is needed, not {node}")
    kind = KINDS.get(call.name.text)
    if kind is None:
        known = [name for name, each in KINDS.items() if local or not each.local_only]
        hint = did_you_mean(call.name.text, known)
        raise UsageError(f"unknown player {call.name.text!r}{hint}; there are {', '.join(known)}")
    if kind.local_only and not local:
        raise UsageError(f"the player {call.name.text} is not allowed here: {LOCAL_ONLY}")
    maker: Callable[..., Kind] = kind
    bound = bind(call.name.text, inspect.signature(maker).parameters, call.arguments)
    hints = typing.get_type_hints(kind)
    where = call.name.text
    return maker(**{n: convert(v, hints[n], f"{where}: {n}") for n, v in bound.items()})


def with_clock(text: str, clock: str | None) -> str:
    """Name the same player with a clock for the whole game, unless it has a limit of its own."""
    kind = read_kind(text)
    if clock is None or not isinstance(kind, Timed) or kind.says_when:
        return text
    return str(dataclasses.replace(kind, clock=clock))
