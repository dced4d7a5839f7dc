# SPDX-License-Identifier: MIT
"""`unbounded positions`: test positions in which every move is proven."""

from __future__ import annotations

import hashlib
import re
import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unbounded.game import UnboundedError, UsageError, require
from unbounded.game.notices import print_error
from unbounded.interfaces.cli.common import (
    GOOD,
    NOT_PROVEN,
    Debug,
    GameText,
    Job,
    Json,
    Quiet,
    Seed,
    print_json,
)
from unbounded.interfaces.cli.files import POSITIONS, Force, check_readable, check_writable
from unbounded.interfaces.process import Signals

if TYPE_CHECKING:
    from unbounded.learning.decisive_sets import DecisiveSet

BETWEEN_SAVES = 30.0
"""Seconds between two writings of what was found so far."""
ENDINGS = (".jsonl", ".parquet")

Decisive = Annotated[
    bool,
    typer.Option(
        "--decisive",
        metavar="",
        help="Positions in which the player to move can still reach at least two outcomes; the "
        "only kind there is.",
    ),
]
Count = Annotated[int, typer.Option(metavar="N", help="Number of positions.")]
Out = Annotated[str, typer.Option(metavar="FILE", help="File to write: NAME.jsonl, NAME.parquet.")]
Plies = Annotated[
    str, typer.Option(metavar="A..B", help="Only positions after A to B moves from the start.")
]
States = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="States of each proof; what is not proven within them is left out and counted. "
        "Default: about a second.",
    ),
]
Seconds = Annotated[
    float | None, typer.Option(metavar="T", help="Stop after T seconds with what was found.")
]
Scores = Annotated[
    bool,
    typer.Option(
        "--scores/--no-scores", metavar="", help="Prove scores too, where the game has some."
    ),
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume", metavar="", help="Go on with FILE, which --seconds or Ctrl-C has stopped."
    ),
]
Jobs = Annotated[int, typer.Option(metavar="N", help="Processes that play games and prove.")]


def positions(
    *,
    text: GameText,
    decisive: Decisive = False,
    count: Count = 100,
    out: Out,
    seed: Seed = 0,
    plies: Plies = "0..1000",
    states: States = None,
    seconds: Seconds = None,
    scores: Scores = True,
    jobs: Jobs = 1,
    resume: Resume = False,
    force: Force = False,
    quiet: Quiet = False,
    as_json: Json = False,
    debug: Debug = False,
) -> Job:
    """Write positions in which every move is proven, to test learners by."""
    require(decisive, "say which positions: --decisive is the only kind there is")
    require(Path(out).suffix in ENDINGS, f"--out must end in {' or '.join(ENDINGS)}, not {out}")
    how = {"count": count, "seed": seed, "plies": _range(plies), "states": states}
    how |= {"seconds": seconds, "scores": scores, "jobs": jobs}

    def job(_: Signals) -> int:
        check_writable(out, force=force, own=out if resume else None)
        if resume:
            check_readable(out, POSITIONS)
        command = _command(text, out, how)
        found = _collected(text, out, how, command, quiet=quiet, resume=resume)
        if not found.positions:
            print_error(f"no decisive position was found, {_left_out(found)}: {out} is not written")
            return NOT_PROVEN
        _write(found, out, command)
        _print(found, out, as_json=as_json)
        return GOOD if found.stopped in ("complete", "no more found") else NOT_PROVEN

    return job


def _range(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,9})\.\.(\d{1,9})", text)
    if match is None or int(match[1]) > int(match[2]):
        raise UsageError(f"--plies must be like 4..20, from low to high, not {text!r}")
    return int(match[1]), int(match[2])


def _command(text: str, out: str, how: dict[str, Any]) -> str:
    """The command that gives the same positions: without what only makes it faster."""
    plies = "..".join(map(str, how["plies"]))
    words = ["unbounded", "positions", text, "--decisive", "--count", str(how["count"])]
    words += ["--seed", str(how["seed"]), "--plies", plies]
    words += [] if how["states"] is None else ["--states", str(how["states"])]
    words += [] if how["scores"] else ["--no-scores"]
    return shlex.join([*words, "--out", Path(out).name])


def _collected(
    text: str, out: str, how: dict[str, Any], command: str, *, quiet: bool, resume: bool
) -> DecisiveSet:
    """Find the positions; what was found is written now and then, so that no crash loses it."""
    from unbounded.game.catalogue import load_game
    from unbounded.interfaces.terminal.progress import steps
    from unbounded.learning.decisive_sets import collect
    from unbounded.solving.table_files import arrow_modules

    if Path(out).suffix == ".parquet":
        arrow_modules()  # before any work is done
    game, saved = load_game(text), time.monotonic()
    with steps(quiet=quiet) as say:

        def progress(found: DecisiveSet) -> None:
            nonlocal saved
            if say is not None:
                say(f"{len(found.positions)} of {how['count']} positions; {_left_out(found)}")
            if found.positions and time.monotonic() - saved > BETWEEN_SAVES:
                _write(found, out, command)
                saved = time.monotonic()

        return collect(game, progress=progress, resume=out if resume else None, **how)


def _write(found: DecisiveSet, out: str, command: str) -> None:
    try:
        found.write(out, command=command)
    except OSError as error:
        raise UnboundedError(f"{out} cannot be written: {error.strerror or error}") from error


def _left_out(found: DecisiveSet) -> str:
    counts = found.counts
    return (
        f"left out: {counts.get('unproven', 0):,} not proven, "
        f"{counts.get('not_decisive', 0):,} not decisive, {counts.get('repeated', 0):,} repeated"
    )


def _print(found: DecisiveSet, out: str, *, as_json: bool) -> None:
    digest = hashlib.sha256(Path(out).read_bytes()).hexdigest()
    if as_json:
        print_json({**found.about, "file": out, "sha256": digest})
        return
    print(f"{out}: {len(found.positions):,} positions of {found.game}, {found.stopped}")
    print(_left_out(found))
    print(f"sha256 {digest}")
    if found.counts.get("unproven", 0):
        print("positions that are hard to prove are missing: raise --states for fewer of them")
