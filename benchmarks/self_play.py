# SPDX-License-Identifier: MIT
"""Self-play on the CPU, states evaluated per second: in batches against one by one, and alone.

    python benchmarks/self_play.py [--seconds S] [--game GAME]

One thread. "One by one" is a single game, whose states are evaluated as its search needs them.
"""

from __future__ import annotations

import argparse
import os
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import torch

import unbounded as ub
from unbounded import native
from unbounded.learning.networks.choosing import make_network, shape_of
from unbounded.learning.scoring import scores_of
from unbounded.learning.self_play import (
    NativeNetworks,
    NativeSelfPlay,
    Table,
    core_settings,
    networks_of,
    self_play_of,
)
from unbounded.learning.settings import LearnSettings
from unbounded.learning.torch_training import TorchTrainer


def rate(play: object, seconds: float) -> float:
    """States evaluated per second, after a start that is not counted."""
    assert hasattr(play, "next")
    begun: tuple[float, int] | None = None
    start = time.perf_counter()
    while True:
        play.next()
        now = time.perf_counter()
        if begun is None and now - start > seconds / 4:
            begun = now, play.counts()["evaluated"]
        elif begun is not None and now - begun[0] > seconds:
            return float(play.counts()["evaluated"] - begun[1]) / (now - begun[0])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--game", default="connect-four")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    game = ub.load_game(arguments.game)
    table = Table(game)

    def settings(games: int) -> LearnSettings:
        return LearnSettings(game=str(game), games=games, threads=1).complete(game, "cpu", 1)

    scores = scores_of(game, table.rules, settings(1))

    def measured(network: str, games: int) -> float:
        trainer = TorchTrainer(make_network(network, shape_of(game, scores.scale), 0), "cpu")
        networks = networks_of(trainer, table.inputs, games * game.max_actions)
        play = self_play_of(table, settings(games), scores, networks, 0)
        try:
            return rate(play, arguments.seconds)
        finally:
            play.close()

    unused = networks_of(
        TorchTrainer(make_network("dense", shape_of(game, scores.scale), 0)), table.inputs, 1
    )
    assert isinstance(unused, NativeNetworks)
    zero = native.ZeroEvaluator(game.players)
    core = native.SelfPlay(
        table.rules,
        table.inputs,
        core_settings(game, settings(64), scores),
        64,
        1,
        1,
        0,
        zero,
        zero,
    )
    play = NativeSelfPlay(core, unused, table)
    print(f"zero, 64 games: {rate(play, arguments.seconds):,.0f} states/s")
    for network in ("ntuple", "dense"):
        print(f"{network}, 64 games: {measured(network, 64):,.0f} states/s")
    alone, batched = measured("residual-small", 1), measured("residual-small", 256)
    print(f"residual-small, one by one: {alone:,.0f} states/s; 256 games: {batched:,.0f} states/s")
    print(f"batched by one by one: {batched / alone:.1f}")


if __name__ == "__main__":
    main()
