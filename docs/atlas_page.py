# SPDX-License-Identifier: MIT
"""The page docs/atlas.md, made from the entries of docs/atlas.json."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from atlas_published import NOTES
from atlas_values import Contradiction, Entry, contradictions, sources, value_text

from unbounded.game.wording import counted, outcome_text

LONGEST_LINE = 44
"""Characters of a best line in a table."""

INTRODUCTION = """\
# An atlas of solved games

Written by `make atlas` from [atlas.json](atlas.json), which has the full lines and digests.

Every value is proven: `solve` searched from the start of the game, with one thread, until the
value followed from the rules. It is the result if everybody plays best. Where a game has scores,
the score is exact: the margin between two players, or each player's own points among more.

**Equilibria.** With more than two players, best play may have several results, because a player
who is indifferent between two moves decides between the others. What is proven then is *an
equilibrium*: in every position that can arise, nobody gains by deviating alone. Other equilibria
may have other values. `tie-breaking(...)` breaks the ties: then the value is the only one if the
game has no scores of its own, and most probably if it has. `quick-wins(...)` proves how soon the
winner can force the win. Both are [wrappers](adding_a_game.md).

**Certificates.** Where one could be written within three minutes and 300 MB, the table has the
first digits of the SHA-256 in its last line. Every one was accepted by the compiled checker, and
those below 1 MiB also by the plain one ([how they are checked](certificates.md)). The files are
not kept: with one thread, the program that made an entry writes the same file again. Entries are
older than the latest searches, which visit fewer states and may find another proof of a value.

```
unbounded solve "connect-four(width=4,height=4)" --threads 1 --certificate draw.cert
unbounded verify draw.cert
tail -n 1 draw.cert
```

For two players with scores, add `--exact-score`.

The line is one of best play; *states* are those stored or visited by probes, and *seconds* the
processor time of the search. Certifying, and compiling the rules, are not included.
"""


def page(entries: Sequence[Entry], boards: Sequence[str]) -> str:
    """Return the whole page."""
    solved = [entry for entry in entries if entry["solved"]]
    parts = [INTRODUCTION, *contradictions_part(contradictions(solved)), *in_numbers(solved)]
    for name in dict.fromkeys(section_of(entry) for entry in solved):
        parts += table(name, [entry for entry in solved if section_of(entry) == name])
    parts += missing(entries, boards)
    return "\n".join(parts).rstrip() + "\n"


def contradictions_part(found: Sequence[Contradiction]) -> Iterator[str]:
    """Yield the contradictions, which stand first."""
    yield "## Contradictions"
    yield ""
    if not found:
        yield "None: all values agree with the sources that they were compared with."
        yield ""
        return
    yield "All other values agree with the sources that they were compared with."
    yield ""
    for one in found:
        said = f"proven here: {one.proven}; elsewhere: {one.said} ({one.source})"
        yield f"**`{one.board}`**: {said}."
        yield ""
        yield one.examined or "Nobody has looked into this yet."
        yield ""


def in_numbers(solved: Sequence[Entry]) -> Iterator[str]:
    """Yield the totals by number of players."""
    yield "## In numbers"
    yield ""
    yield "| players | boards | with certificate | states | seconds |"
    yield "|---|---|---|---|---|"
    numbers = sorted({entry["players"] for entry in solved})
    for label, group in [(str(n), [e for e in solved if e["players"] == n]) for n in numbers] + [
        ("all", list(solved))
    ]:
        certified = sum(entry["certificate"] is not None for entry in group)
        states = sum(entry["states"] + entry["probed"] for entry in group)
        seconds = sum(entry["seconds"] for entry in group)
        yield f"| {label} | {len(group)} | {certified} | {states:,} | {seconds:,.0f} |"
    yield ""


def section_of(entry: Entry) -> str:
    """Return the name of the game, or of the wrapper, whose table an entry is in."""
    return str(entry["board"]).split("(")[0]


def table(name: str, entries: Sequence[Entry]) -> Iterator[str]:
    """Yield the section of one game."""
    yield f"## {name}"
    yield ""
    if name in NOTES:
        yield NOTES[name]
        yield ""
    yield "| board | players | value | score | line | states | seconds | certificate | source |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for entry in entries:
        states = f"{entry['states'] + entry['probed']:,}"
        cells = [f"`{board_text(entry)}`", str(entry["players"]), value(entry), score(entry)]
        cells += [line(entry), states, seconds_text(entry["seconds"]), certificate(entry)]
        yield f"| {' | '.join(cells)} | {sources(entry)} |"
    yield ""


def board_text(entry: Entry) -> str:
    """Return the parameters alone, or the name of a game that has none."""
    board = str(entry["board"])
    return board.split("(", 1)[1][:-1] if "(" in board else board


def value(entry: Entry) -> str:
    """Write the outcome in words."""
    if not entry["equilibrium"]:
        return value_text(entry["outcome"], None)
    unique = section_of(entry) == "tie-breaking"
    return f"{outcome_text(entry['outcome'])} ({'ties broken' if unique else 'an equilibrium'})"


def score(entry: Entry) -> str:
    """Write the score where it says more than the outcome."""
    if section_of(entry) == "quick-wins":
        return "" if entry["outcome"][0] == 0 else f"in {counted(len(entry['line']), 'move')}"
    if entry["score"] is None or section_of(entry) == "tie-breaking":
        return ""
    if not entry["equilibrium"]:
        return f"{entry['score'][0]:+g}" if entry["score"][0] else "0"
    return ", ".join(f"{points:g}" for points in entry["score"])


def line(entry: Entry) -> str:
    """Write the best line, or its beginning and its length."""
    moves = [str(move).replace("|", "\\|") for move in entry["line"]]
    whole = " ".join(moves)
    if len(whole) <= LONGEST_LINE:
        return whole
    kept: list[str] = []
    while len(" ".join([*kept, moves[len(kept)]])) <= LONGEST_LINE - 16:
        kept.append(moves[len(kept)])
    return f"{' '.join(kept)} ... ({counted(len(moves), 'move')})"


def seconds_text(seconds: float) -> str:
    """Write a time with the digits that mean something."""
    return f"{seconds:.0f}" if seconds >= 10 else f"{seconds:.2g}" if seconds >= 0.01 else "< 0.01"


def certificate(entry: Entry) -> str:
    """Write the beginning of the digest and the size, or why there is none."""
    found = entry["certificate"]
    if found is None:
        return f"none: {entry['no_certificate']}"
    return f"`{found['sha256'][:12]}`, {counted(found['states'], 'state')}"


def missing(entries: Sequence[Entry], boards: Sequence[str]) -> Iterator[str]:
    """Yield what was not solved within the limit, and what has no entry yet."""
    tried = {entry["board"] for entry in entries}
    unsolved = [entry for entry in entries if not entry["solved"]]
    untried = [board for board in boards if board not in tried]
    if unsolved or untried:
        yield "## Not solved"
        yield ""
    for entry in unsolved:
        yield f"- `{entry['board']}`: not within {entry['limit']:g} s ({entry['stopped']})"
    if untried:
        yield f"- without an entry yet: {', '.join(f'`{board}`' for board in untried)}"
