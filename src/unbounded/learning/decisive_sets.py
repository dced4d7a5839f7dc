# SPDX-License-Identifier: MIT
"""Sets of decisive positions, to test learners by: every move of every position is proven.

A position is decisive if the player to move can still reach at least two different outcomes: the
proven outcome for that player differs between its moves. With more than two players the outcome
after a move is that of one equilibrium, in which every player maximizes its own outcome, and then
its own score where the game has scores.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from unbounded import native
from unbounded.game import Game, UsageError, require
from unbounded.game.catalogue import load_game
from unbounded.learning.decisive import Drawn, draw_decisive
from unbounded.learning.positions import (
    SolvedPosition,
    read_header,
    read_positions,
    write_positions,
)
from unbounded.learning.yardsticks import QUICK, all_open_positions
from unbounded.storage.fingerprint import fingerprint
from unbounded.version import VERSION

PLIES = (0, 1000)
COUNTS = ("games", "unproven", "not_decisive", "repeated")
"""What is counted while positions are drawn: fields of `Drawn`."""
SOLVED, DRAWN = "solved", "drawn"
COMPLETE, FEWER, SECONDS, INTERRUPTED = "complete", "no more found", "seconds", "interrupted"


@dataclass
class DecisiveSet:
    """Decisive positions of a game, and how they were found."""

    game: Game[Any, Any]
    seed: int
    plies: tuple[int, int]
    states: int
    """Budget of each proof, where positions are drawn."""
    scores: bool = True
    """Whether scores are proven too, where the game has some."""
    method: str = DRAWN
    """"solved": a random sample of all decisive positions; "drawn": from games, see `decisive`."""
    positions: list[SolvedPosition] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    """Of what was left out: positions that were not proven, not decisive, or repeated."""
    stopped: str = INTERRUPTED
    """Why there are no more: complete, no more found, seconds, interrupted (until it is done)."""

    @property
    def about(self) -> dict[str, Any]:
        """The header of a file."""
        return {
            "kind": "decisive positions",
            "program": VERSION,
            "rules": fingerprint(self.game).answers,
            "players": self.game.players,
            "equilibrium": not (self.game.players == 2 and self.game.zero_sum),
            "method": self.method,
            "seed": self.seed,
            "plies": list(self.plies),
            "states": self.states if self.method == DRAWN else None,
            "scores": self.scores and self.game.has_score,
            "stopped": self.stopped,
            "found": len(self.positions),
            "counts": self.counts,
        }

    @property
    def drawn(self) -> Drawn:
        """What was drawn, to go on with."""
        known = {name: number for name, number in self.counts.items() if name != "decisive"}
        return Drawn(list(self.positions), **known)

    def write(self, path: str | os.PathLike[str], **more: Any) -> None:
        """Write JSON lines, or Parquet if the name ends in `.parquet`; `more` is for the header."""
        write_positions(path, self.game, self.positions, **self.about, **more)


def decisive_positions(
    game: Game[Any, Any] | str,
    count: int = 100,
    *,
    seed: int = 0,
    plies: tuple[int, int] = PLIES,
    states: int | None = None,
    seconds: float | None = None,
    scores: bool = True,
    jobs: int = 1,
) -> DecisiveSet:
    """Find positions in which the player to move can still reach at least two outcomes.

    The outcome of every legal move of them is proven; so is its score, if `scores` and if the game
    has scores. A game of at most 50,000 states is solved, and the positions are a random sample of
    all decisive ones; of a larger game they are drawn from games, and what is not proven within
    `states` per proof is left out. No two positions are equal up to symmetry. The same seed gives
    the same positions, on any number of jobs; `seconds` only ends the drawing sooner.

    >>> import unbounded as ub
    >>> found = ub.decisive_positions("nim(heaps=[1,2])", 1)
    >>> found.positions[0].outcomes
    {'2:1': (1, -1), '2:2': (-1, 1)}
    """
    found = collect(
        load_game(game),
        count,
        seed=seed,
        plies=plies,
        states=states,
        seconds=seconds,
        scores=scores,
        jobs=jobs,
    )
    if found.stopped == INTERRUPTED:
        raise KeyboardInterrupt
    return found


def collect(
    game: Game[Any, Any],
    count: int,
    *,
    seed: int,
    plies: tuple[int, int],
    states: int | None,
    seconds: float | None,
    scores: bool,
    jobs: int,
    progress: Callable[[DecisiveSet], None] | None = None,
    resume: str | os.PathLike[str] | None = None,
) -> DecisiveSet:
    """Do the same as `decisive_positions`; Ctrl-C is only the reason why it stopped.

    resume: go on with the set in this file, which time or Ctrl-C has stopped.
    """
    require(count >= 1, f"`count` must be 1 or more, not {count}")
    require(jobs >= 1, f"`jobs` must be 1 or more, not {jobs}")
    require(states is None or states >= 1, f"`states` must be 1 or more, not {states}")
    require(seconds is None or seconds >= 0, f"`seconds` must be 0 or more, not {seconds}")
    first, last = plies
    require(0 <= first <= last, f"`plies` must be from low to high, not {first}..{last}")
    quick = QUICK if native.is_compiled(game) else QUICK // 100
    found = DecisiveSet(game, seed, plies, states or quick, scores)
    if resume is not None:
        _resume(found, resume)
        there = len(found.positions)
        require(count >= there, f"`count` must be {there} or more to resume {resume}, not {count}")
    started = time.monotonic()
    try:
        if resume is not None or not _solve(found, count, seconds):
            left = None if seconds is None else seconds - (time.monotonic() - started)
            _draw(found, count, left, jobs=jobs, progress=progress)
    except KeyboardInterrupt:
        found.stopped = INTERRUPTED
    return found


def _resume(found: DecisiveSet, path: str | os.PathLike[str]) -> None:
    """Go on with a set; one of other settings, or one that is complete, is a `UsageError`."""
    header, new = read_header(path), found.about
    stopped, counts = header.get("stopped"), header.get("counts")
    counts = counts if isinstance(counts, dict) else {}
    whole = f"{path} cannot be resumed: it is {stopped}; --force writes it again"
    require(stopped not in (COMPLETE, FEWER), whole)
    for name in ("kind", "rules", "method", "seed", "plies", "states", "scores"):
        there, here = header.get(name), new[name]
        require(there == here, f"{path} cannot be resumed: its {name} is {there}, not {here}")
    good = stopped in (SECONDS, INTERRUPTED)
    good = good and set(counts) == set(COUNTS)
    good = good and all(type(number) is int and number >= 0 for number in counts.values())
    require(good, f"{path} cannot be resumed: its header is damaged")
    found.positions, found.counts = read_positions(found.game, path), counts


def _solve(found: DecisiveSet, count: int, seconds: float | None) -> bool:
    """Take a sample of all decisive positions; False if the game is too large for that."""
    try:
        every = all_open_positions(found.game, seconds=seconds, details=True, scores=found.scores)
    except UsageError:
        return False
    first, last = found.plies
    within = [p for p in every if first <= p.ply <= last]
    decisive = [p for p in within if p.is_decisive]
    different = {frozenset(native.images(found.game, p.state)): p for p in reversed(decisive)}
    known = list(reversed(different.values()))
    found.method, found.states = SOLVED, 0
    found.counts = {
        "unproven": 0,
        "not_decisive": len(within) - len(decisive),
        "repeated": len(decisive) - len(known),
        "decisive": len(known),
    }
    if len(known) > count:
        chosen = sorted(Random(found.seed).sample(range(len(known)), count))
        known = [known[place] for place in chosen]
    found.positions = known
    found.stopped = COMPLETE if len(known) == count else FEWER
    return True


def _draw(
    found: DecisiveSet,
    count: int,
    seconds: float | None,
    *,
    jobs: int,
    progress: Callable[[DecisiveSet], None] | None,
) -> None:
    """Draw positions from games; what was found is there even if it is interrupted."""

    def take(drawn: Drawn) -> None:
        found.positions = drawn.positions[:count]
        found.counts = {name: getattr(drawn, name) for name in COUNTS}
        if progress is not None:
            progress(found)

    end = None if seconds is None else time.monotonic() + seconds
    drawn = draw_decisive(
        found.game,
        count,
        found.seed,
        jobs=jobs,
        seconds=None if seconds is None else max(0.0, seconds),
        progress=take,
        resume=found.drawn,
        plies=found.plies,
        states=found.states,
        states_per_move=max(1, found.states // 300),
        details=True,
        scores=found.scores,
    )
    late = end is not None and time.monotonic() >= end
    found.stopped = SECONDS if late else FEWER
    if len(drawn.positions) >= count:
        found.stopped = COMPLETE
