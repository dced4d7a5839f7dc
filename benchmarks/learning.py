# SPDX-License-Identifier: MIT
"""The Descent framework with one thing changed at a time: equal time, several games, intervals.

    PYTHONPATH=src python benchmarks/learning.py --minutes 5 --out results.jsonl

Every variant learns each game for the same time on the same number of threads. Then the network of
the base plays each other network at equal states per move, and all of them choose the moves of
decisive positions alone, without search. Results are appended to the file game by game.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import unbounded as ub
from unbounded.game.contract import format_value
from unbounded.learning.decisive import draw_decisive
from unbounded.learning.loop import learn
from unbounded.learning.measuring import measure
from unbounded.learning.run_folder import RunFolder
from unbounded.learning.settings import LearnSettings, choose_device
from unbounded.players.matches import Comparing, Comparison, compare

GAMES = ("connect-four(width=6,height=5)", "breakthrough(rows=5,columns=5)")
BASE = "descent, tree, completion, pool"
VARIANTS: dict[str, dict[str, Any]] = {
    BASE: {},
    "UBFM as the training search": {"algorithm": "ubfm"},
    "root targets": {"targets": "root"},
    "terminal targets": {"targets": "terminal"},
    "without completion": {"completion": False},
    "without the pool": {"pool": 0.0},
    "plain outcome": {"score": "outcome"},
}
PUBLISHED = {
    "UBFM as the training search": "64.0 % of the points in a round robin, Descent 82.4 %",
    "root targets": "MCTS with root targets 61.6 %, alpha-beta with tree targets 70.7 %",
    "without completion": "-5.0 points at play, 22 games",
    "without the pool": "534 Elo, with it 764 (one game)",
    "plain outcome": "40.3 %, additive depth 54.9 %",
}


def trained(game: str, changed: dict[str, Any], given: argparse.Namespace, folder: Path) -> Path:
    """Learn a game with changed settings; the path of the last network."""
    played = ub.load_game(game)
    settings = LearnSettings(
        game=game,
        minutes=given.minutes,
        network=given.network,
        device=given.device,
        seed=given.seed,
        **changed,
    )
    device = choose_device(given.device)
    settings = replace(settings.complete(played, device, given.threads), threads=given.threads)
    with RunFolder.create(folder, settings, played) as run:
        learn(played, settings, run)
        latest = run.latest
        assert latest is not None
        return run.network_path(latest)


def versus_base(game: str, paths: dict[str, Path], given: argparse.Namespace) -> dict[str, Any]:
    """Matches of every other network against that of the base, at equal states per move."""

    def player(path: Path) -> str:
        return f"ubfm(rule=safest,evaluation={format_value(str(path))})"

    comparisons = tuple(
        Comparison(name, player(path), player(paths[BASE])).within(states=given.states)
        for name, path in paths.items()
        if name != BASE
    )
    results, _ = compare(Comparing(comparisons, (game,), given.matches, given.opening))
    return {
        result.about: {
            "share": result.whole.share,
            "elo": [result.whole.difference.low, result.whole.difference.high],
            "games": result.whole.games,
        }
        for result in results
    }


def compare_variants(game: str, given: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Everything about one game."""
    chosen = [BASE, *(name for name in VARIANTS if name != BASE and name in given.variants)]
    paths = {}
    for number, name in enumerate(chosen):
        paths[name] = trained(game, VARIANTS[name], given, folder / f"{number}")
        print(f"{game}: {name}: learned for {given.minutes:g} minutes", flush=True)
    played = ub.load_game(game)
    drawn = draw_decisive(played, given.positions, given.seed + 1, seconds=given.drawing)
    alone = {
        name: measure(played, path, drawn.positions).value_keeping for name, path in paths.items()
    }
    return {
        "game": game,
        "minutes": given.minutes,
        "threads": given.threads,
        "positions": len(drawn.positions),
        "value_keeping": alone,
        "against_base": versus_base(game, paths, given),
        "published": PUBLISHED,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", nargs="*", default=GAMES)
    parser.add_argument("--variants", nargs="*", default=list(VARIANTS))
    parser.add_argument("--minutes", type=float, default=5.0, help="of learning, per variant")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--network", default="auto")
    parser.add_argument("--matches", type=int, default=200, help="games per variant")
    parser.add_argument("--states", type=int, default=600, help="per move of a match")
    parser.add_argument("--opening", type=int, default=4, help="random moves before a match")
    parser.add_argument("--positions", type=int, default=300)
    parser.add_argument("--drawing", type=float, default=120.0, help="seconds to draw positions")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=None)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for number, game in enumerate(given.games):
            row = compare_variants(game, given, Path(folder) / f"{number}")
            print(json.dumps(row, indent=2), flush=True)
            if given.out is not None:
                with given.out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
