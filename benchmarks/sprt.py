# SPDX-License-Identifier: MIT
"""Do the sequential test and the intervals keep their 5 %? Simulated matches say so.

`python benchmarks/sprt.py [--matches N] [--elo ELO1]... [--kind KIND]... [--only PART]`
prints tables in Markdown; a tenth of the matches where ELO1 is 20 or less. The first player is
truly so many Elo stronger; games are drawn as often as said, or as often as that strength allows.
Results are single games ("game"), openings with both seatings ("pair"), or openings in which one
seat is 300 Elo better off ("biased pair").
"""

from __future__ import annotations

import argparse
import itertools
import sys
from random import Random

import numpy as np

from unbounded.players.matches.likelihood import Numbers, caution, log_likelihood
from unbounded.players.matches.rating import Sprt, expected, ratings

DRAWS = (0.0, 0.3, 0.6, 0.9)
KINDS = ("game", "pair", "biased pair")
BIAS = 300.0
LONGEST = 40_000
LIMIT = 1.959964**2 / 2


def game(elo: float, drawn: float) -> Numbers:
    """How likely a loss, a draw and a win are."""
    share = expected(elo)
    draw = min(drawn, 1.998 * min(share, 1 - share))
    return np.array([1 - share - draw / 2, draw, share - draw / 2])


def shares_of(kind: str, elo: float, drawn: float) -> Numbers:
    """How likely each result is; its mean is always what the Elo say."""
    if kind == "game":
        return game(elo, drawn)
    bias = BIAS if kind == "biased pair" else 0.0
    low, high = -3000.0, 3000.0  # between which the strength lies that gives this mean
    for _ in range(60):
        middle = (low + high) / 2
        mean = (expected(middle + bias) + expected(middle - bias)) / 2
        low, high = (middle, high) if mean < expected(elo) else (low, middle)
    return np.convolve(game(low + bias, drawn), game(low - bias, drawn))


def simulate(sprt: Sprt, shares: Numbers, matches: int, seed: int) -> tuple[Numbers, Numbers]:
    """Play matches until each has a verdict (1, -1, or 0 if it never had); and how long it took."""
    random, values = np.random.default_rng(seed), np.linspace(0, 1, len(shares))
    counts, alive = np.zeros((matches, len(shares))), np.arange(matches)
    verdicts, lengths = np.zeros(matches), np.full(matches, float(LONGEST))
    for length in range(1, LONGEST + 1):
        counts += random.multinomial(1, shares, size=len(alive))
        ratio = sprt.ratios(counts, values)
        ended = np.abs(ratio) >= sprt.limit
        verdicts[alive[ended]], lengths[alive[ended]] = np.sign(ratio[ended]), length
        counts, alive = counts[~ended], alive[~ended]
        if len(alive) == 0:
            break
    return verdicts, lengths * (1 if len(shares) == 3 else 2)


def print_table(headings: list[str], rows: list[list[str]]) -> None:
    print(f"\n| {' | '.join(headings)} |\n|{'---|' * len(headings)}", flush=True)
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)


def errors(elos: list[float], kinds: list[str], matches: int) -> None:
    """Wrong verdicts where a hypothesis is true."""
    wrong, long = [], []
    for elo, kind in itertools.product(elos, kinds):
        wrong.append([f"0 {elo:g}", kind])
        long.append([f"0 {elo:g}", kind])
        number = matches if elo > 20 else max(100, matches // 10)
        for drawn in DRAWS:
            sprt = Sprt(0, elo)
            at0, length0 = simulate(sprt, shares_of(kind, 0, drawn), number, 1)
            at1, length1 = simulate(sprt, shares_of(kind, elo, drawn), number, 2)
            share = [f"{100 * np.mean(x):.1f}" for x in (at0 == 1, at1 == -1)]
            wrong[-1].append("/".join(share))
            both = np.append(length0, length1)
            long[-1].append(f"{np.median(both):.0f}, {np.mean(both):.0f}")
    print("\nwrong, in %: H1 where ELO0 is true / H0 where ELO1 is true")
    print_table(["ELO0 ELO1", "result", *(f"{100 * x:.0f} % drawn" for x in DRAWS)], wrong)
    print("\ngames until the verdict: median, mean of both cases")
    print_table(["ELO0 ELO1", "result", *(f"{100 * x:.0f} % drawn" for x in DRAWS)], long)


def far(elos: list[float], kinds: list[str], matches: int) -> None:
    """Verdicts where the players are far apart."""
    rows, truths = [], (-400.0, -200.0, 200.0, 400.0)
    for elo, kind in itertools.product([x for x in elos if x > 20], kinds):
        rows.append([f"0 {elo:g}", kind])
        for truth in truths:
            wrong, lengths = 0.0, []
            for drawn in DRAWS:
                verdicts, length = simulate(Sprt(0, elo), shares_of(kind, truth, drawn), matches, 3)
                wrong = max(wrong, float(np.mean(verdicts == -np.sign(truth))))
                lengths.append(float(np.median(length)))
            rows[-1].append(f"{100 * wrong:.1f}, {min(lengths):.0f}-{max(lengths):.0f}")
    print("\nwrong in % at the worst share of draws, and median games, by the true Elo")
    print_table(["ELO0 ELO1", "result", *(f"{x:+.0f}" for x in truths)], rows)


def ends(counts: Numbers, values: Numbers) -> tuple[Numbers, Numbers]:
    """The interval of the mean for each row of counts."""
    number, seen = counts.sum(1), counts @ values / counts.sum(1)
    found = []
    for far in (0.0, 1.0):
        inside, outside = seen.copy(), np.full_like(seen, far)
        for _ in range(24):
            middle = (inside + outside) / 2
            middle = np.clip(middle, 1e-9, 1 - 1e-9)
            ratio = caution(number) * log_likelihood(counts, values - middle[:, None])
            inside = np.where(ratio >= -LIMIT, middle, inside)
            outside = np.where(ratio >= -LIMIT, outside, middle)
        found.append(outside)
    return found[0], found[1]


def intervals(matches: int) -> None:
    """How often intervals hold what is true, and how wide they are."""
    rows = []
    for kind, games, truth in itertools.product(KINDS[:2], (2, 8, 40, 400), (0.0, 200.0, 400.0)):
        rows.append([kind, str(games), f"{truth:.0f}"])
        for drawn in DRAWS:
            shares = shares_of(kind, truth, drawn)
            values, number = np.linspace(0, 1, len(shares)), games // (1 if kind == "game" else 2)
            random = np.random.default_rng(4)
            counts = random.multinomial(number, shares, size=matches).astype(float)
            low, high = ends(counts, values)
            held = np.mean((low <= expected(truth)) & (expected(truth) <= high))
            rows[-1].append(f"{100 * held:.1f}, {100 * np.mean(high - low):.0f}")
    print("\nheld in %, and mean width in points of share, by games and true Elo (either sign)")
    print_table(["result", "games", "Elo", *(f"{100 * x:.0f} % drawn" for x in DRAWS)], rows)


def three(matches: int) -> None:
    """The same for the ratings of three players."""
    rows = []
    for games, apart in itertools.product((6, 24, 96), (0.0, 200.0, 400.0)):
        rows.append([str(games), f"{apart:.0f}"])
        for drawn in DRAWS[::2]:
            random, true = Random(5), (apart, 0.0, -apart)
            held = 0
            for _ in range(matches):
                openings = [
                    [
                        (i, j, random.choices((0.0, 0.5, 1.0), game(true[i] - true[j], drawn))[0])
                        for i, j in itertools.permutations(range(3), 2)
                    ]
                    for _ in range(games // 6)
                ]
                rated = ratings(openings, 3)
                held += sum(x.low <= elo <= x.high for x, elo in zip(rated, true, strict=True))
            rows[-1].append(f"{100 * held / matches / 3:.1f}")
    print("\nthree players, each so many Elo above the next: ratings held in %")
    print_table(["games", "Elo", *(f"{100 * x:.0f} % drawn" for x in DRAWS[::2])], rows)


def main() -> int:
    """Simulate what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=2000)
    parser.add_argument("--elo", type=float, action="append", help="ELO1; ELO0 is 0")
    parser.add_argument("--kind", action="append", choices=KINDS, help="of results; else all")
    parser.add_argument("--only", choices=("errors", "far", "intervals", "three"))
    given = parser.parse_args()
    kinds = given.kind or list(KINDS)
    elos = given.elo or [10.0, 50.0, 100.0, 200.0]
    if given.only in (None, "intervals"):
        intervals(given.matches)
    if given.only in (None, "three"):
        three(max(50, given.matches // 20))
    if given.only in (None, "far"):
        far(elos, kinds, given.matches)
    if given.only in (None, "errors"):
        errors(elos, kinds, given.matches)
    return 0


if __name__ == "__main__":
    sys.exit(main())
