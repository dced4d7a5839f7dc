# SPDX-License-Identifier: MIT
"""Printing what is known: results of searches, certificates, tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from unbounded.game.wording import (
    bounds_text,
    counted,
    names,
    number_text,
    numbers_text,
    outcome_text,
    worth_text,
)
from unbounded.interfaces.terminal.columns import Column, Columns
from unbounded.interfaces.terminal.console import (
    ESTIMATED,
    LABEL,
    PROVEN,
    board,
    colored,
    grid,
    memory_text,
    moves_text,
    rounded,
    seconds_text,
)
from unbounded.search import decisions
from unbounded.search.descriptions import described
from unbounded.search.options import SOLVING, SearchOptions
from unbounded.search.result import Result, note_of, noted
from unbounded.search.tree import Child, Node

if TYPE_CHECKING:
    from unbounded.search.search import Search
    from unbounded.solving.certificate import Written
    from unbounded.solving.checker_format import Header
    from unbounded.solving.proven_positions import ProvenPosition
    from unbounded.solving.strong import StrongResult
    from unbounded.solving.table import Written as WrittenTable
    from unbounded.solving.verification import Verified

MOST_ROWS = 20
MOVES_OF_A_REPLY = 8
MOST_PLAYERS_SIDE_BY_SIDE = 4


def verdict(result: Result) -> Text:
    """Say whether the outcome is proven, and what is known of it."""
    if result.resolved:
        said = outcome_text(result.outcome)
        if result.to_move is None:
            return Text(f"the game is over: {said}", style=PROVEN)
        return Text(noted(f"proven: {said}", result.note), style=PROVEN)
    reason = "interrupted" if result.stopped == "interrupted" else f"stopped by {result.stopped}"
    return Text.assemble(("not proven", "yellow"), f" ({reason})")


def summary(result: Result) -> Table:
    """The verdict, what to play, and the best line."""
    rows = grid()
    rows.add_row("verdict", verdict(result))
    if result.distance is not None and result.to_move is not None:
        moves = counted(result.distance, "move")
        rows.add_row("distance", Text(f"{moves} to the end", style=PROVEN))
    bounds = bounds_text(result.outcome_bounds)
    if not result.resolved and bounds:
        rows.add_row("bounds", Text(f"proven: {bounds}", style=PROVEN))
    estimated = numbers_text(result.estimate)
    if not result.resolved and estimated:
        rows.add_row("estimated", Text(estimated, style=ESTIMATED))
    if any(x is not None and x != y for x, y in zip(result.score, result.outcome, strict=True)):
        rows.add_row("score", Text(f"proven: {numbers_text(result.score)}", style=PROVEN))
    if result.best_action is not None:
        rows.add_row("best action", Text(result.best_action, style="bold"))
        rows.add_row("safest action", Text(result.safest_action or ""))
        rows.add_row("best line", Text(moves_text(result.pv)))
    return rows


def spent(result: Result) -> Table:
    """The cost of a search, and its options."""
    rows = grid()
    rows.add_row(
        "spent",
        f"{seconds_text(result.seconds)}, {memory_text(result.memory_bytes)}, "
        f"{counted(result.iterations, 'iteration')}",
    )
    probed = f", {result.probed:,} more visited by probes" if result.options.probes else ""
    rows.add_row(
        "states",
        f"{result.states:,} stored ({result.resolved_states:,} resolved, "
        f"{result.expanded:,} expanded){probed}, {rounded(result.states_per_second)}/s",
    )
    options = result.options
    paper = " (as in the paper)" if options.paper else ""
    used = f"{options.algorithm}{paper}, {options.values}, {result.evaluation}"
    rows.add_row("search", used + shortcuts_text(options))
    return rows


def shortcuts_text(options: SearchOptions) -> str:
    """Name the options for solving that a search used: ", symmetry, bounds, 2 threads"."""
    named = {"canonical": "symmetry"}
    texts = []
    for about in described(type(options)):
        value = getattr(options, about.name)
        if about.group == SOLVING and about.is_set(value):
            name = named.get(about.name, about.name.replace("_", " "))
            texts.append(name if value is True else f"{value} {name}")
    return "".join(f", {text}" for text in texts)


def actions_table(root: Node, *, most: int | None, replies: bool) -> RenderableType | None:
    """A table of the actions at the root, best first; None when there are none to show.

    Where it is too wide, the replies go first and then what is estimated for others: who is who,
    and what is proven, stay.
    """
    children, best = decisions.ranked(root), decisions.best(root)
    if root.player is None or not children:
        return None
    shown = children[:most]
    whose = range(len(root.value)) if any(not child.resolved for child in children) else range(0)
    if len(whose) > MOST_PLAYERS_SIDE_BY_SIDE:
        whose = range(root.player, root.player + 1)
    names = [Text(c.name, "bold" if best and c.name == best.name else "") for c in shown]
    proven = "\n".join([*root.note.replace(", ", ",\n").split("\n"), "proven"]).lstrip()
    columns = [
        Column("action", names, most=20),
        Column(proven, [_proven_text(c) for c in shown], style=PROVEN, most=24),
        *(_estimates(who, shown, rank=1 if who == root.player else 3) for who in whose),
        Column("visits", [f"{c.visits:,}" for c in shown], rank=2, number=True),
    ]
    if replies:
        columns.append(Column("best reply", [_reply(c) for c in shown], rank=4, least=12))
    table = Columns(columns, LABEL)
    hidden = len(children) - len(shown)
    return Group(table, Text(f"... and {hidden} more", style="dim")) if hidden else table


def _proven_text(child: Child) -> str:
    outcome = child.outcome
    return bounds_text(child.node.outcome_bounds) if outcome is None else outcome_text(outcome)


def _estimates(who: int, children: Sequence[Child], *, rank: int) -> Column:
    """What is estimated for one player, where nothing is proven and nothing contradicts it."""
    values = [None if child.resolved else child.estimate[who] for child in children]
    cells = ["" if x is None else number_text(x) for x in values]
    return Column(f"estimated\nplayer {who + 1}", cells, rank, ESTIMATED, number=True)


def _reply(child: Child) -> str:
    """The best line after an action."""
    return moves_text((name for name, _ in child.node.pv()), MOVES_OF_A_REPLY)


def print_result(console: Console, search: Search, result: Result, *, analysis: bool) -> None:
    """Print the result of a search."""
    root = search.root
    drawn = board(search.game, root.state)
    console.print(colored(drawn, search.game.symbols), soft_wrap=True)
    console.print()
    console.print(summary(result))
    table = actions_table(root, most=None if analysis else MOST_ROWS, replies=analysis)
    if table is not None:
        console.print()
        console.print(table)
    console.print()
    console.print(spent(result))


def print_strong(console: Console, result: StrongResult) -> None:
    """Print how many states each player wins, by ply."""
    rows = grid()
    if result.resolved:
        said = noted(f"proven: {outcome_text(result.outcome)}", result.note)
        rows.add_row("verdict", Text(said, style=PROVEN))
    else:
        rows.add_row("verdict", Text(f"not all proven (stopped by {result.stopped})", "yellow"))
    spent = f"{seconds_text(result.seconds)}, {memory_text(result.memory_bytes)}"
    rows.add_row("states", f"{result.states:,}{' up to symmetry' if result.canonical else ''}")
    rows.add_row("spent", spent)
    console.print(rows)
    if not result.plies:
        return
    players = len(result.outcome)
    # Of two players one is enough; of more, who wins.
    heads = ("wins", "draws", "loses") if players == 2 else ("wins",)
    plies = result.plies
    columns = [
        Column("ply", [str(ply.ply) for ply in plies], number=True),
        Column("states", [f"{ply.states:,}" for ply in plies], rank=1, number=True),
        Column("over", [f"{ply.terminal:,}" for ply in plies], rank=2, number=True),
    ]
    for who in range(1 if players == 2 else players):
        counts = ([n[who] for n in (ply.won, ply.drawn, ply.lost)] for ply in plies)
        for head, numbers in zip(heads, zip(*counts, strict=True), strict=False):
            cells = [f"{n:,}" for n in numbers]
            columns.append(Column(f"player {who + 1}\n{head}", cells, style=PROVEN, number=True))
    console.print()
    console.print(Columns(columns, LABEL))


def print_certificate(console: Console, written: Written) -> None:
    """Print where the proof is."""
    rows = grid()
    rows.add_row(
        "certificate",
        f"{written.path}: {counted(written.states, 'state')}, {memory_text(written.bytes)}",
    )
    console.print(rows)


def print_table(console: Console, written: WrittenTable) -> None:
    """Print where a table is."""
    rows = grid()
    rows.add_row("table", f"{written.path} ({written.kind})")
    rows.add_row(
        "positions", f"{written.positions:,} stored and proven, {memory_text(written.bytes)}"
    )
    console.print(rows)


def print_position(console: Console, found: ProvenPosition) -> None:
    """Print what a table has on a position."""
    rows = grid()
    said = outcome_text(found.outcome)
    over = found.player is None
    text = f"the game is over: {said}" if over else noted(f"proven: {said}", found.note)
    rows.add_row("verdict", Text(text, PROVEN))
    if found.score is not None:
        rows.add_row("score", numbers_text(found.score))
    if not over:
        rows.add_row("to move", names([found.player or 0]))
        rows.add_row("best actions", moves_text(found.best))
    if found.distance is not None and not over:
        rows.add_row("distance", f"{counted(found.distance, 'move')} to the end")
    console.print(rows)


def proven_text(header: Header) -> str:
    """Say what a certificate claims: an outcome, or what the first player gets at least or most."""
    if header.value is not None:
        return outcome_text([won for won, _ in header.value])
    said = []
    for claim in sorted(header.claims, key=lambda claim: claim.relation, reverse=True):
        won, points = claim.worth[0]
        words = worth_text(won, points if header.scores else None)
        said.append(f"{'at least' if claim.relation == '>=' else 'at most'} {words}")
    return f"player 1 gets {' and '.join(said)}"


def print_verdict(console: Console, verdict: Verified) -> None:
    """Print what a certificate proves, and how it was checked."""
    header = verdict.header
    note = note_of(equilibrium=header.kind != "bounds", scores_ignored=False)
    text = Text(noted(f"proven: {proven_text(header)}", note), style=PROVEN)
    rows = grid()
    rows.add_row("game", header.game)
    if header.moves:
        rows.add_row("after", moves_text(header.moves))
    rows.add_row("verdict", text)
    if header.scores and header.value is not None:
        rows.add_row("score", numbers_text([points for _, points in header.value]))
    if verdict.files > 1:
        rows.add_row("files", f"{verdict.files:,}: this one and those that it leans on")
    plain = verdict.checker == "plain"
    rules = "the rules alone" if plain else "compiled rules"
    checked = f"{counted(verdict.states, 'state')}, by {rules}"
    rows.add_row("checked", f"{checked}; {verdict.most_held:,} at once")
    if verdict.searched > 0:
        made = counted(verdict.searched, "successor")
        rows.add_row("searched", f"{made}, for claims that are left to the checker")
    if not plain:
        drawn = f"{verdict.by_plain:,} of them, drawn at random"
        again = drawn if verdict.by_plain < verdict.states else "all of them"
        rows.add_row("again", f"{again}, by the plain checker")
    console.print(rows)
