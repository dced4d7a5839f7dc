# SPDX-License-Identifier: MIT
"""The settings of a run, each described once.

`LearnSettings` is the only list of them: the command line makes flags of its fields, the run folder
stores them in `config.json`, and the documentation has a table of them. A new setting is one more
field here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from unbounded.cluster.ray_connection import chosen_address
from unbounded.game import Game, UsageError, did_you_mean, require
from unbounded.learning.defaults import BY_DEVICE, default_opening, default_score
from unbounded.search.descriptions import Option, check_type, described, documentation, option
from unbounded.search.options import ALGORITHMS, VALUES, default_values

RUN, RAY, SELF_PLAY, TARGETS, TRAINING = "Run", "Ray", "Self-play", "Targets", "Training"
"""Groups, in the order of the help."""

DEVICES = ("auto", "cpu", "cuda")
EXPLORATIONS = ("ordinal", "epsilon-greedy", "softmax")
TARGET_KINDS = ("tree", "root", "terminal")
SCORES = ("auto", "game", "depth", "outcome", "multiplicative-depth", "mobility", "presence")

RAY_EXTRAS = "learn,ray"
"""The extras of this package that self-play on Ray needs, on every machine."""

SESSION = ("minutes", "generations", "states", "threads", "device", "ray", "actors")
"""What may change when a run is resumed; everything else is part of what the run is."""


@dataclass(frozen=True)
class LearnSettings:
    """How an evaluation of a game is learned; immutable, and checked by `validate`."""

    game: str = option("", "The game, as a game string.", group=RUN, metavar="GAME", hidden=True)
    network: str = option(
        "auto",
        "Network: ntuple, dense or residual, with sizes as in 'residual(channels=64,blocks=4)', or "
        "a torch module in a file, my_network.py:MyNetwork. Default: chosen to fit the game and "
        "the device.",
        group=RUN,
        metavar="NETWORK",
    )
    device: str = option(
        "auto",
        "Device: cpu, cuda, or auto, which is cuda where there is one.",
        group=RUN,
        choices=DEVICES,
        metavar="NAME",
    )
    minutes: float | None = option(
        None,
        "Stop after M minutes of learning in all, over all sessions of the run. Default: until "
        "Ctrl-C.",
        group=RUN,
        metavar="M",
        least=0,
    )
    generations: int | None = option(
        None, "Stop after N generations of the run.", group=RUN, metavar="N", least=0
    )
    states: int | None = option(
        None,
        "Stop once self-play has expanded N states in the run, which is reproducible.",
        group=RUN,
        metavar="N",
        least=0,
    )
    seed: int = option(
        0,
        "Seed of all random numbers. On the CPU with one thread, equal seeds give equal runs.",
        group=RUN,
        metavar="N",
        least=0,
        most=(1 << 63) - 1,
    )
    threads: int | None = option(
        None,
        "Threads of self-play, and of the training of ntuple networks; on Ray, of each actor. "
        "Default: one per core; on Ray, one.",
        group=RUN,
        metavar="N",
        least=1,
        most=1024,
    )
    ray: str | None = option(
        None,
        "Self-play by actors on Ray: local starts Ray on this machine, auto or HOST:PORT connects "
        "to a cluster, off is without Ray. The flag alone means local.",
        group=RAY,
        metavar="[ADDRESS]",
    )
    actors: int | None = option(
        None,
        "Actors on Ray. Default: one for every CPU of the cluster but one.",
        group=RAY,
        metavar="N",
        least=1,
        most=1 << 16,
    )
    games: int | None = option(
        None,
        "Games in progress at the same time. Default: 256 on the CPU, 4096 on CUDA. On Ray, each "
        "actor has so many; default: 256.",
        group=SELF_PLAY,
        metavar="N",
        least=1,
        most=1 << 20,
    )
    algorithm: str = option(
        "descent",
        f"Search of self-play: {' or '.join(ALGORITHMS)}.",
        group=SELF_PLAY,
        choices=ALGORITHMS,
        metavar="NAME",
    )
    completion: bool = option(
        True,
        "Keep track of what is proven in self-play.",
        group=SELF_PLAY,
        off_flag="--no-completion",
        off_help="Keep no track of what is proven in self-play, for comparison.",
    )
    values: str | None = option(
        None,
        "Values to back up: minimax (two players, zero sum), resolved_completion or "
        "propagated_completion (Max^n). Default: minimax where it applies, else "
        "resolved_completion.",
        group=SELF_PLAY,
        choices=VALUES,
        metavar="NAME",
    )
    move_states: int = option(
        200,
        "States added to the graph, and evaluated, for each move of self-play.",
        group=SELF_PLAY,
        metavar="N",
        least=1,
        most=1 << 30,
    )
    exploration: str = option(
        "ordinal",
        "How moves of self-play are drawn: ordinal (by rank), epsilon-greedy or softmax (by "
        "value). A proven win is always played.",
        group=SELF_PLAY,
        choices=EXPLORATIONS,
        metavar="NAME",
    )
    epsilon: float | None = option(
        None,
        "Parameter of the exploration, from 0 to 1: with ordinal, 1 always plays the best move and "
        "0 any; with epsilon-greedy, the share of random moves. Default: drawn anew for every "
        "move.",
        group=SELF_PLAY,
        metavar="X",
        least=0,
        most=1,
    )
    anneal: bool = option(
        False,
        "Begin with random moves in self-play, and go over to the given epsilon, or to best moves, "
        "in the course of the run.",
        group=SELF_PLAY,
    )
    temperature: float = option(
        0.1,
        "Temperature of softmax, as a share of the range of values.",
        group=SELF_PLAY,
        metavar="X",
        least=1e-6,
        most=1e6,
    )
    opening: int | None = option(
        None,
        "Most random moves at the start of a game of self-play; their number is drawn. Default: "
        "half the length of random games.",
        group=SELF_PLAY,
        metavar="N",
        least=0,
        most=1 << 16,
    )
    pool: float = option(
        0.2,
        "Share of the games that are played against networks of past generations.",
        group=SELF_PLAY,
        metavar="X",
        least=0,
        most=1,
    )
    pool_size: int = option(
        8,
        "Number of past networks to play against.",
        group=SELF_PLAY,
        metavar="N",
        least=1,
        most=1024,
    )
    targets: str = option(
        "tree",
        "States to learn: tree (all that were expanded, with their values), root (positions of the "
        "games, with the values of their searches) or terminal (positions of the games, with the "
        "final result).",
        group=TARGETS,
        choices=TARGET_KINDS,
        metavar="NAME",
    )
    score: str = option(
        "auto",
        "Score at the end of a game: game (its own), depth (sooner wins count more), outcome, "
        "multiplicative-depth, mobility or presence. Default: game if it has one, else depth.",
        group=TARGETS,
        choices=SCORES,
        metavar="NAME",
    )
    margin: float = option(
        0.5,
        "With scores by depth: the worth of the latest win, as a share of that of the soonest.",
        group=TARGETS,
        metavar="X",
        least=0,
        most=1,
    )
    per_ply: int = option(
        64,
        "Most states of one ply that are learned from one game; the rest of that ply is left out "
        "at random, so that late states do not crowd out early ones. 0: no limit.",
        group=TARGETS,
        metavar="N",
        least=0,
        most=1 << 30,
    )
    replay: int | None = option(
        None,
        "States kept to learn from. Default: 1,000,000 on the CPU, 8,000,000 on CUDA.",
        group=TRAINING,
        metavar="N",
        least=1,
        most=1 << 32,
    )
    reuse: float | None = option(
        None,
        "How often each state is learned from, at most, on average. Default: 1.5 on the CPU, 1 on "
        "CUDA; new states cost little beside the training.",
        group=TRAINING,
        metavar="X",
        least=0.01,
        most=1000,
    )
    batch: int | None = option(
        None,
        "States in one step of the optimizer. Default: 2048 on the CPU, 8192 on CUDA.",
        group=TRAINING,
        metavar="N",
        least=1,
        most=1 << 24,
    )
    learning_rate: float | None = option(
        None,
        "Highest learning rate of the schedule. Default: chosen for the network.",
        group=TRAINING,
        metavar="X",
        least=1e-9,
        most=10,
    )
    generation_states: int | None = option(
        None,
        "Trained states after which a generation ends: its network is saved, measured, and used by "
        "self-play. Default: 8,000,000 on the CPU, 20,000,000 on CUDA.",
        group=TRAINING,
        metavar="N",
        least=1,
        most=1 << 40,
    )

    # -- checking ---------------------------------------------------------------------------------

    def validate(self, game: Game[Any, Any]) -> LearnSettings:
        """Check everything that needs no PyTorch; return the settings themselves."""
        for about in described(type(self)):
            value = getattr(self, about.name)
            if value is not None and about.kinds == (str,):
                check_type(about.name, value, about.kinds)
            about.check(value)
        require(self.network != "", "`network` must not be empty")
        chosen_address(self.ray)
        require(self.actors is None or self.ray is not None, "`actors` needs `ray`")
        _check_game(self, game)
        return self

    def complete(self, game: Game[Any, Any], device: str, cores: int) -> LearnSettings:
        """Return the settings with what was left to the game, the device and the machine filled in.

        device: `cpu` or `cuda`; the network stays as it is.
        """
        ray = chosen_address(self.ray)
        defaults = BY_DEVICE[device]
        if ray is not None:  # actors play on CPUs, whatever the learner has
            defaults = defaults | {"games": BY_DEVICE["cpu"]["games"]}
        filled: dict[str, Any] = {
            name: value for name, value in defaults.items() if getattr(self, name) is None
        }
        return replace(
            self,
            device=device,
            ray=ray,
            threads=self.threads or (cores if ray is None else 1),
            values=self.values or default_values(game),
            score=default_score(game) if self.score == "auto" else self.score,
            opening=default_opening(game) if self.opening is None else self.opening,
            **filled,
        )

    # -- as plain values --------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """All settings as plain values for JSON."""
        return {about.name: getattr(self, about.name) for about in described(type(self))}


LearnSettings.__doc__ = f"{LearnSettings.__doc__}\n{documentation(LearnSettings)}"


def _check_game(settings: LearnSettings, game: Game[Any, Any]) -> None:
    """Refuse what this game does not allow."""
    two = game.players == 2 and game.zero_sum
    require(
        settings.values != "minimax" or two,
        f"minimax needs two players and zero sum; {game} is not declared so. "
        "Use resolved_completion or propagated_completion",
    )
    require(
        settings.score != "game" or game.has_score,
        f"`score='game'` needs a game with a score of its own; {game} has none. Use depth",
    )
    require(
        not settings.anneal or settings.exploration != "softmax",
        "`anneal` changes epsilon, which softmax does not have: use ordinal or epsilon-greedy",
    )
    check_encodes(game)


def check_encodes(game: Game[Any, Any]) -> None:
    """Refuse a game that a network cannot be given."""
    require(
        game.planes is not None,
        f"{game} has no `encode`, so a network cannot be given its states: add the rule encode and "
        "the attribute planes = (planes, rows, columns) to the game; docs/hooks.md shows how",
    )


def choose_device(device: str) -> str:
    """Return `cpu` or `cuda`; needs PyTorch."""
    import torch

    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    require(
        device != "cuda" or torch.cuda.is_available(),
        "`device='cuda'` needs an NVIDIA GPU and a PyTorch that supports it; "
        "torch.cuda.is_available() is False here",
    )
    return device


# -- from plain values ----------------------------------------------------------------------------


def settings_of(given: Mapping[str, Any]) -> LearnSettings:
    """Make settings of plain values, such as those of `config.json`; what is missing is default."""
    known = {about.name: about for about in described(LearnSettings)}
    for name, value in given.items():
        if name not in known:
            raise UsageError(f"unknown setting {name!r}{did_you_mean(name, known)}")
        if value is not None or known[name].default is not None:
            check_type(name, value, known[name].kinds)
    return LearnSettings(**given)


def learn_settings() -> list[Option]:
    """The settings that have a flag."""
    return [about for about in described(LearnSettings) if not about.hidden]
