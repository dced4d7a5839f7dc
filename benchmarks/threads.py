# SPDX-License-Identifier: MIT
"""What more threads gain a search without bounds: iterations per second, and strength.

    python benchmarks/threads.py [--game GAME]... [--most 2] [--iterations 300000] [--games 40]
                                 [--seconds 0.2] [--opening 6]

Speed: rounds of one run for each number of threads, so that what else the machine does meets them
all; the median over the rounds, by the clock and by processor time. On a busy machine only the
second says how much a second core adds: threads x its ratio. Strength: a match against one thread
with equal iterations (what does a thread's iteration lose by not knowing what the others find?) and
with equal time. Both repeat themselves where a game begins alike, so it begins with random moves.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time

import unbounded as ub
from unbounded.players.matches import Match, play_match

ROUNDS = 5
WARM_UP = 1000


def rates(game: str, threads: int, iterations: int) -> tuple[float, float, float]:
    """Iterations per second, per second of processor time, and states per second."""
    search = ub.Search(game, threads=threads)
    search.run(iterations=WARM_UP)
    states, wall, cpu = search.states, time.perf_counter(), time.process_time()
    search.run(iterations=iterations)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return iterations / wall, iterations / cpu, (search.states - states) / wall


def print_speed(game: str, most: int, iterations: int) -> None:
    """A row for each number of threads."""
    counts = [n for n in (1, 2, 4, 8, 16, 32, 64) if n <= most]
    measured: dict[int, list[tuple[float, float, float]]] = {n: [] for n in counts}
    for _ in range(ROUNDS):
        for n in counts:
            measured[n].append(rates(game, n, iterations))
    print(f"\n{game}: {iterations:,} iterations, median of {ROUNDS} rounds; {os.cpu_count()} cores")
    print("threads  iterations/s  ratio  per processor second  ratio  states/s")
    first: list[float] = []
    for n in counts:
        by_clock, by_cpu, states = (statistics.median(x) for x in zip(*measured[n], strict=True))
        first = first or [by_clock, by_cpu]
        print(
            f"{n:7} {by_clock:13,.0f} {by_clock / first[0]:6.2f} {by_cpu:21,.0f} "
            f"{by_cpu / first[1]:6.2f} {states:9,.0f}",
            flush=True,
        )


def print_strength(game: str, threads: int, limit: str, games: int, opening: int) -> None:
    """The Elo difference to one thread under the same limit."""
    several, one = f"ubfm({limit},threads={threads})", f"ubfm({limit})"
    # One game after the other: the threads need the cores.
    result, _ = play_match(Match(game, (several, one), games, opening), jobs=1)
    rating = next(x.rating for x in result.standings if x.contestant == several)
    # Ratings are relative to the mean of the two.
    elo, low, high = (2 * x for x in (rating.elo, rating.low, rating.high))
    print(f"{game}: {several} against {one}, {games} games: {elo:+.0f} Elo", end="")
    print(f" (95 %: {low:+.0f} to {high:+.0f})", flush=True)


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", action="append")
    parser.add_argument("--most", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--iterations", type=int, default=300_000)
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=0.2)
    parser.add_argument("--opening", type=int, default=6)
    given = parser.parse_args()
    for game in given.game or ["connect-four"]:
        print_speed(game, given.most, given.iterations)
        if given.games > 0:
            for limit in ("iterations=3000", f"seconds={given.seconds:g}"):
                print_strength(game, 2, limit, given.games, given.opening)


if __name__ == "__main__":
    main()
