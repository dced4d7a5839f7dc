# SPDX-License-Identifier: MIT
"""Playing at the terminal: the board, the question for a move, and what can be said instead."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from rich.text import Text

from unbounded.commands.files import check_writable
from unbounded.explaining import why
from unbounded.game import Game, UsageError, require
from unbounded.players import Decision, read_kind
from unbounded.players.kinds import Limited
from unbounded.result import note_of, noted
from unbounded.session import HUMAN, Session
from unbounded.terminal import (
    ESTIMATED,
    PROVEN,
    Terminal,
    actions_table,
    board,
    coloured,
    moves_text,
)
from unbounded.wording import numbers_text, outcome_text

HELP = """A move as it is written on the board, or:
  moves        list the legal moves
  undo         take back your last move
  hint         what would the machine play?
  analysis     what is known of every move
  why [MOVE]   what speaks for a move, the best one or another
  resign       give up
  save FILE    write the game to a file; with --force also over another one
  quit         leave the game"""

Ask = Callable[[str], str]


def read_seats(game: Game[Any, Any], text: str, seconds: float) -> list[str]:
    """Read `human,ubfm(seconds=1)`; by default a person begins, and the others are machines."""
    parts = [x.strip() for x in re.split(r",(?![^()]*\))", text)] if text else [HUMAN]
    require(len(parts) <= game.players, f"{game} has {game.players} seats, not {len(parts)}")
    parts += ["ubfm-safest"] * (game.players - len(parts))
    return [_with_seconds(part, seconds) for part in parts]


def _with_seconds(text: str, seconds: float) -> str:
    if text == HUMAN:
        return text
    kind = read_kind(text)
    if isinstance(kind, Limited) and not kind.says_when:
        return str(replace(kind, seconds=seconds))
    return text


class TerminalGame:
    """A session, drawn and asked about at the terminal."""

    def __init__(
        self, session: Session, seconds: float, ask: Ask = input, *, file: str | None = None
    ) -> None:
        self.session, self.seconds = session, seconds
        self.file = file
        """Where the game was saved last, or loaded from: it may be written over."""
        self.console = Terminal()
        self._ask = ask
        self._left = False

    def run(self) -> None:
        """Play until the game is over, or somebody leaves."""
        with _completion(self.session):
            self._draw()
            while not self.session.over and not self._left:
                if self.session.human_to_move:
                    self._listen()
                else:
                    self._machine()
        outcome = self.session.outcome()
        if outcome is not None:
            self.console.print(Text(outcome_text(outcome), style=PROVEN))

    def _draw(self) -> None:
        game = self.session.game
        if self.console.animated:
            self.console.clear()
        self.console.print(coloured(board(game, self.session.state), game.symbols))
        if self.session.moves:
            self.console.print(f"played: {moves_text(self.session.moves)}", style="dim")

    # -- machines ---------------------------------------------------------------------------------

    def _machine(self) -> None:
        who = self._name(self.session.mover)
        with self.console.status(f"{who} is thinking ..."):
            decision = self.session.machine_move()
        self._draw()
        known = _knowledge(decision, self.session.game)
        self.console.print(Text.assemble(f"{who} plays {decision.name}; ", known))

    def _name(self, seat: int | None) -> str:
        return "" if seat is None else self.session.game.player_name(seat)

    # -- people -----------------------------------------------------------------------------------

    def _listen(self) -> None:
        """Ask a person, and do what was said."""
        try:
            said = self._ask(f"{self._name(self.session.mover)}, your move (or help): ").strip()
        except EOFError:
            self._left = True
            return
        word, _, rest = said.partition(" ")
        try:
            if word.lower() in COMMANDS and said not in self.session.legal():
                COMMANDS[word.lower()](self, rest.strip())
            elif said:
                self.session.play(said)
                self._draw()
        except UsageError as error:
            self.console.print(str(error), style="red", highlight=False)

    def _help(self, _: str) -> None:
        self.console.print(HELP, highlight=False)

    def _moves(self, _: str) -> None:
        self.console.print(moves_text(self.session.legal(), most=500))

    def _undo(self, _: str) -> None:
        self.session.undo()
        self._draw()

    def _resign(self, _: str) -> None:
        self.session.resign()

    def _quit(self, _: str) -> None:
        self._left = True

    def _save(self, path: str) -> None:
        name, force = path.removesuffix(" --force"), path.endswith(" --force")
        require(bool(name), "save where? Say: save FILE")
        check_writable(name, force=force, own=self.file)
        self.session.save(name)
        self.file = name
        self.console.print(f"saved to {name}")

    def _hint(self, _: str) -> None:
        with self.console.status("thinking ..."):
            result = self.session.searched(self.seconds).result
        known = (
            Text(noted(f"proven: {outcome_text(result.outcome)}", result.note), style=PROVEN)
            if result.resolved
            else Text(f"estimated: {numbers_text(result.estimate)}", style=ESTIMATED)
        )
        self.console.print(Text.assemble(f"{result.best_action}; ", known))

    def _why(self, move: str) -> None:
        with self.console.status("thinking ..."):
            search = self.session.searched(self.seconds)
        self.console.print(why(search, move or None), highlight=False)

    def _analysis(self, _: str) -> None:
        with self.console.status("thinking ..."):
            search = self.session.searched(self.seconds)
        table = actions_table(search.root, most=20, replies=True)
        if table is not None:
            self.console.print(table)


COMMANDS: dict[str, Callable[[TerminalGame, str], None]] = {
    "help": TerminalGame._help,
    "?": TerminalGame._help,
    "moves": TerminalGame._moves,
    "undo": TerminalGame._undo,
    "hint": TerminalGame._hint,
    "analysis": TerminalGame._analysis,
    "why": TerminalGame._why,
    "resign": TerminalGame._resign,
    "save": TerminalGame._save,
    "quit": TerminalGame._quit,
    "exit": TerminalGame._quit,
}


def _knowledge(decision: Decision, game: Game[Any, Any]) -> Text:
    """What a machine knows, proven and estimated told apart."""
    proven = [x for x in decision.outcome if x is not None]
    if len(proven) == len(decision.outcome):
        several = not (game.players == 2 and game.zero_sum)
        note = note_of(equilibrium=several, scores_ignored=False)
        return Text(noted(f"proven: {outcome_text(decision.outcome)}", note), style=PROVEN)
    if decision.value is None:
        return Text("it does not say why", style=ESTIMATED)
    return Text(f"estimated: {numbers_text(decision.value)}", style=ESTIMATED)


@contextlib.contextmanager
def _completion(session: Session) -> Iterator[None]:
    """Complete names of moves and commands with the tab key, where there is one."""
    try:
        import readline
    except ImportError:
        yield
        return

    def complete(text: str, number: int) -> str | None:
        words = [w for w in [*session.legal(), *COMMANDS] if w.lower().startswith(text.lower())]
        return words[number] if number < len(words) else None

    before, delimiters = readline.get_completer(), readline.get_completer_delims()
    readline.set_completer(complete)
    readline.set_completer_delims(" ")
    readline.parse_and_bind("tab: complete")
    try:
        yield
    finally:
        readline.set_completer(before)
        readline.set_completer_delims(delimiters)
