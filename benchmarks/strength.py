# SPDX-License-Identifier: MIT
"""UBFM with the safest decision against Monte Carlo tree search: who wins, and how surely.

`python benchmarks/strength.py [--seconds T] [--games N] [--game GAME]... [--to FOLDER]`
prints a table in Markdown, and writes it as strength.json to the folder, beside all games played.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from unbounded.players.matches import Comparing, Comparison, ComparisonResult, compare
from unbounded.players.matches.comparing import Played, Score

GAMES = ("connect-four", "breakthrough", "hex(size=7)", "othello")
HEADINGS = ("game", "games", "won", "drawn", "lost", "share", "Elo", "95 %", "illegal", "slow")


def row(game: str, score: Score) -> str:
    """One line of the table."""
    counts = (score.games, score.won, score.drawn, score.lost)
    share = "" if score.share is None else f"{100 * score.share:.1f} %"
    elo = score.difference
    cells = (game, *counts, share, f"{elo.elo:+.0f}", f"{elo.low:+.0f} to {elo.high:+.0f}")
    return f"| {' | '.join(map(str, (*cells, score.illegal, score.overruns)))} |"


def table(result: ComparisonResult) -> str:
    """The result as Markdown."""
    lines = [f"| {' | '.join(HEADINGS)} |", "|" + "---|" * len(HEADINGS)]
    lines += [row(game, score) for game, score in result.by_game.items()]
    return "\n".join([*lines, row("all", result.whole)])


def main() -> int:
    """Play, print, write; fail if a move was not legal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", default="ubfm-safest")
    parser.add_argument("--second", default="mcts")
    parser.add_argument("--seconds", type=float, default=1.0, help="for a move")
    parser.add_argument("--games", type=int, default=100, help="of each kind")
    parser.add_argument("--game", action="append", help="instead of the usual ones")
    parser.add_argument("--jobs", type=int, help="games at a time, else one for each core")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--to", type=Path, default=Path(), help="a folder")
    given = parser.parse_args()
    comparison = Comparison("strength", given.first, given.second).within(seconds=given.seconds)
    asked = Comparing(
        (comparison,),
        tuple(given.game or GAMES),
        games_each=given.games,
        seed=given.seed,
    )
    with (given.to / "strength-games.jsonl").open("w", encoding="utf-8") as file:

        def keep(played: Sequence[Played]) -> None:
            print(json.dumps(played[-1][1].to_dict()), file=file, flush=True)

        (result,), _ = compare(asked, jobs=given.jobs, progress=keep)
    (given.to / "strength.json").write_text(json.dumps(result.to_dict(), indent=1) + "\n", "utf-8")
    print(f"{result.first} against {result.second}\n\n{table(result)}")
    return 1 if result.whole.illegal else 0


if __name__ == "__main__":
    sys.exit(main())
