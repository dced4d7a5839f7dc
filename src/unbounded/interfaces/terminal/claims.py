# SPDX-License-Identifier: MIT
"""A position of a claims file on the terminal: the board, what is known, and its moves."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from unbounded.cluster.browsing import Known, Position
from unbounded.cluster.facts import Fact
from unbounded.game import Game
from unbounded.game.wording import numbers_text
from unbounded.interfaces.terminal.cluster import fact_text, fact_words, score_text
from unbounded.interfaces.terminal.console import (
    ESTIMATED,
    LABEL,
    PROVEN,
    board,
    colored,
    grid,
    moves_text,
)

DIGITS = 12
"""Of a certificate's digest."""


def print_position(console: Console, game: Game[Any, Any], position: Position) -> None:
    """Print a position, and a table of its moves."""
    known = position.known
    rows = grid()
    rows.add_row("game", str(game))
    rows.add_row("after", moves_text(position.moves) or "no moves")
    rows.add_row("verdict", fact_text(known.proven))
    if known.accepted != known.proven:
        rows.add_row("not checked", Text(_words(known.accepted), style=ESTIMATED))
    if estimated := _estimate(known):
        rows.add_row("estimated", Text(estimated, style=ESTIMATED))
    rows.add_row("state", _state(known))
    for claim in known.claims:
        proof = "no certificate" if claim.digest is None else claim.digest
        checked = "checked" if claim.checked else "not checked"
        rows.add_row("claim", f"{claim.claim} by {claim.worker}: {proof}, {checked}")
    console.print(colored(board(game, position.state), game.symbols))
    console.print()
    console.print(rows)
    if position.children:
        console.print()
        console.print(_table(position))


def _table(position: Position) -> Table:
    known = [one for _, one in position.children]
    unchecked = any(one.accepted != one.proven for one in known)
    columns = ["move", "proven", "proof", "not checked", "estimated", "state"]
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=LABEL)
    for name in columns:
        if name != "not checked" or unchecked:
            table.add_column(name, overflow="fold")
    for move, one in position.children:
        accepted = Text(_words(one.accepted) if one.accepted != one.proven else "", ESTIMATED)
        table.add_row(
            move,
            Text(_words(one.proven), PROVEN),
            _proof(one),
            *([accepted] if unchecked else []),
            Text(_estimate(one), ESTIMATED),
            _state(one),
        )
    return table


def _words(fact: Fact) -> str:
    return ", ".join(filter(None, (fact_words(fact), score_text(fact))))


def _proof(known: Known) -> str:
    if not _words(known.proven):
        return ""
    if known.over:
        return "the rules"
    digests = [claim.digest[:DIGITS] for claim in known.claims if claim.checked and claim.digest]
    return ", ".join([*digests, *([] if known.by_claims else ["its moves"])])


def _estimate(known: Known) -> str:
    return numbers_text(known.estimates or ())


def _state(known: Known) -> str:
    if known.over:
        return "game over"
    if known.settled:
        return "settled"
    if known.running:
        return "job in progress"
    return "leaf" if known.leaf else "expanded"
