# SPDX-License-Identifier: MIT
"""Train a network by the simplest learner, to compare `unbounded learn` with at equal minutes.

    python benchmarks/one_ply.py GAME [--minutes 9] [--network "residual(channels=64,blocks=4)"]
        [--device cuda] [--games 16384] [--out NETWORK.safetensors]

Prints a line of JSON every ten seconds, and writes the network at the end: measure it with
`unbounded measure GAME --evaluation NETWORK.safetensors --positions FILE`.
"""

from __future__ import annotations

import argparse
import json
import time

from unbounded.game import RecordGame
from unbounded.game.catalogue import load_game
from unbounded.learning.networks.choosing import make_network, shape_of
from unbounded.learning.one_ply import OnePlyLearner, OnePlySettings
from unbounded.learning.tensor_rules import TensorRules

EVERY = 10.0
"""Seconds between two lines."""


def scale_of(game: RecordGame) -> float:
    """The value that an output of 1 means: the best score, if the game has scores."""
    return float(max(game.best_score)) if game.has_score and game.best_score else 1.0


def train(learner: OnePlyLearner, seconds: float) -> dict[str, float]:
    """Learn for so long; returns what the last line says."""
    started = told = time.perf_counter()
    told_evaluated, line = 0, {}
    while (now := time.perf_counter()) - started < seconds:
        loss = learner.step((now - started) / seconds)
        if now - told >= EVERY:
            line = {
                "seconds": round(now - started, 1),
                "steps": learner.trainer.steps,
                "loss": round(float(loss), 5),
                "evaluated": learner.evaluated,
                "evaluated_per_second": round((learner.evaluated - told_evaluated) / (now - told)),
            }
            told, told_evaluated = now, learner.evaluated
            print(json.dumps(line), flush=True)
    return line


def main() -> None:
    """Train, and write the network."""
    parser = argparse.ArgumentParser()
    parser.add_argument("game")
    parser.add_argument("--minutes", type=float, default=9.0)
    parser.add_argument("--network", default="residual(channels=64,blocks=4)")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--games", type=int, default=OnePlySettings().games)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="")
    given = parser.parse_args()
    game = load_game(given.game)
    shape = shape_of(game, scale_of(game))
    settings = OnePlySettings(games=given.games, seed=given.seed)
    network = make_network(given.network, shape, given.seed)
    learner = OnePlyLearner(TensorRules(game, given.device), network, settings)
    last = train(learner, given.minutes * 60)
    if given.out:
        from unbounded.learning.export import to_file, write_network

        score = "game" if game.has_score else "outcome"
        trained = {"learner": "one-ply", "minutes": given.minutes, **last}
        averaged = learner.trainer.averaged
        write_network(given.out, to_file(averaged, shape, score, trained), averaged)


if __name__ == "__main__":
    main()
