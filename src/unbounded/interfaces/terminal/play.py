# SPDX-License-Identifier: MIT
"""Playing at the terminal: the board, the question for a move, and what can be said instead."""

from __future__ import annotations

import contextlib
import re
import shlex
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from rich.text import Text

from unbounded.game import Game, UsageError, require
from unbounded.game.catalogue import load_game
from unbounded.game.wording import numbers_text, outcome_text
from unbounded.interfaces.cli.files import check_writable
from unbounded.interfaces.process import Signals
from unbounded.interfaces.session import HUMAN, Session
from unbounded.interfaces.terminal.console import (
    ESTIMATED,
    PROVEN,
    Terminal,
    board,
    colored,
    moves_text,
)
from unbounded.interfaces.terminal.results import actions_table
from unbounded.players import Decision, read_kind
from unbounded.players.external.process import ProgramError
from unbounded.players.kind import Timed
from unbounded.players.kinds import DepthFirst, Searching
from unbounded.search.explanations import why
from unbounded.search.result import note_of, noted

HELP = """A move as it is written on the board, or:
  moves        list the legal moves
  undo         take back your last move
  hint         what would the machine play?
  analysis     what is known of every move
  why [MOVE]   what speaks for a move, the best one or another
  resign       give up
  save FILE    write the game to a file; with --force also over another one
  quit         leave the game
Ctrl-C while a machine thinks: move now. Here, or a second time: pause, and leave if you like."""

Ask = Callable[[str], str]


def read_seats(
    game: Game[Any, Any],
    text: str,
    seconds: float,
    evaluation: str | None = None,
    clock: str | None = None,
) -> list[str]:
    """Read `human,ubfm(seconds=1)`; by default a person begins, and the others are machines.

    seconds, evaluation: for players that name none; `clock` takes the place of the seconds.
    """
    parts = [x.strip() for x in re.split(r",(?![^()]*\))", text)] if text else [HUMAN]
    require(len(parts) <= game.players, f"{game} has {game.players} seats, not {len(parts)}")
    parts += ["ubfm-safest"] * (game.players - len(parts))
    return [_completed(part, seconds, evaluation, clock) for part in parts]


def _completed(text: str, seconds: float, evaluation: str | None, clock: str | None) -> str:
    if text == HUMAN:
        return text
    kind = read_kind(text)
    more: dict[str, Any] = {}
    if isinstance(kind, Timed) and not kind.says_when and kind.seconds_per_move is not None:
        more |= {"seconds": seconds} if clock is None else {"clock": clock}
    if isinstance(kind, Searching | DepthFirst) and kind.evaluation is None and evaluation:
        more["evaluation"] = evaluation
    return str(replace(kind, **more)) if more else text


def ask_person(question: str) -> str:
    """Ask at the terminal; a closed standard input is the end of the input."""
    if sys.stdin is None or sys.stdin.closed:
        raise EOFError
    return input(question)


class TerminalGame:
    """A session played at the terminal."""

    def __init__(
        self,
        session: Session,
        seconds: float,
        ask: Ask = ask_person,
        *,
        signals: Signals | None = None,
        file: str | None = None,
    ) -> None:
        self.session, self.seconds = session, seconds
        self.file = file
        """Where the game was saved last, or loaded from: it may be written over."""
        self.console = Terminal()
        self._ask = ask
        self._signals = signals or Signals()
        self._hurried = False
        """Whether the last machine had to move at once."""
        self._left = False
        self._saved_moves = None if file is None else list(session.moves)
        """What was played when the game was saved last."""

    def run(self) -> None:
        """Play until the game is over, or the user leaves."""
        with _completion(self.session):
            try:
                self._draw()
                while not self.session.over and not self._left:
                    self._turn()
            except KeyboardInterrupt:  # a second Ctrl-C
                self._left = True
        outcome = self.session.outcome()
        if outcome is not None:
            self.console.print(Text(outcome_text(outcome), style=PROVEN))
        elif self._left:
            self._say_goodbye()
        if self._ordered:
            raise KeyboardInterrupt

    @property
    def _ordered(self) -> bool:
        """Whether SIGTERM was sent, whose sender answers no questions."""
        return self._signals.last == signal.SIGTERM

    def _turn(self) -> None:
        try:
            if self.session.human_to_move:
                self._listen()
            else:
                self._machine()
        except KeyboardInterrupt:
            self._pause()
        except ProgramError as error:
            self.console.print(Text(str(error), style="red"), soft_wrap=True)
            self._pause()  # to try again, or to save the game

    def _draw(self) -> None:
        game = self.session.game
        if self.console.animated:
            self.console.clear()
        drawn = colored(board(game, self.session.state), game.symbols)
        self.console.print(drawn, soft_wrap=True)
        if self.session.moves:
            self.console.print(f"played: {moves_text(self.session.moves)}", style="dim")

    # -- machines ---------------------------------------------------------------------------------

    def _machine(self) -> None:
        """Let a machine move; Ctrl-C makes it move at once, or pauses where only machines play."""
        who, machine = self._name(self.session.mover), self.session.machine()
        pauses = self._hurried or HUMAN not in self.session.seats
        note = "pause" if pauses else "move now"
        self._signals.forget()
        with (
            self.console.status(f"{who} is thinking ... (Ctrl-C: {note})"),
            self._signals.stopping_first(machine),
        ):
            decision = machine.decide()
        # An interrupted search returns as usual, so check whether it was interrupted.
        asked = self._signals.stopping
        if self._signals.insisting or (asked and (pauses or self._ordered)):
            raise KeyboardInterrupt
        self._hurried = asked
        with self._signals.held():
            self.session.accept(decision)
        self._draw()
        known = _knowledge(decision, self.session.game)
        self.console.print(Text.assemble(f"{who} plays {decision.name}; ", known))

    def _name(self, seat: int | None) -> str:
        return "" if seat is None else self.session.game.player_name(seat)

    # -- leaving ----------------------------------------------------------------------------------

    def _pause(self) -> None:
        """Ask what is to become of the game; Ctrl-C once more leaves it."""
        self._hurried = False
        self._left = self._ordered
        self.console.show_cursor()
        if not self._left:
            self.console.print("\npaused: Enter goes on, save FILE keeps the game, quit leaves")
        while not self._left:
            try:
                word, _, rest = self._ask("paused: ").strip().partition(" ")
                if not word:
                    return
                self._paused(word.lower(), rest.strip())
            except (EOFError, KeyboardInterrupt):
                self._left = True
            except UsageError as error:
                self.console.print(str(error), style="red", highlight=False)

    def _paused(self, word: str, rest: str) -> None:
        require(word in ("save", "quit", "exit"), "say save FILE, quit, or nothing to go on")
        COMMANDS[word](self, rest)

    def _say_goodbye(self) -> None:
        """Print where the game is saved, and how to continue it."""
        count = len(self.session.moves)
        if self.file is not None and self._saved_moves == self.session.moves:
            self.console.print(f"left; go on with: {self._command(self.file)}", soft_wrap=True)
            return
        moves = "1 move" if count == 1 else f"{count} moves"
        self.console.print(f"left after {moves}, not saved" if count else "left")

    def _command(self, path: str) -> str:
        """The command to continue a saved game; a game from a file is not found by its name."""
        game = str(self.session.game)
        try:
            load_game(game, files=False)
        except UsageError:
            return f"unbounded play {shlex.quote(game)} --load {shlex.quote(path)}"
        return f"unbounded play --load {shlex.quote(path)}"

    # -- people -----------------------------------------------------------------------------------

    def _listen(self) -> None:
        """Read a command from the user, and run it."""
        try:
            said = self._ask(f"{self._name(self.session.mover)}, your move (or help): ").strip()
        except EOFError:
            self._left = True
            return
        self._hurried = False
        word, _, rest = said.partition(" ")
        try:
            if word.lower() in COMMANDS and said not in self.session.legal():
                COMMANDS[word.lower()](self, rest.strip())
            elif said:
                with self._signals.held():
                    self.session.play(said)
                self._draw()
        except UsageError as error:
            self.console.print(str(error), style="red", highlight=False)

    def _help(self, _: str) -> None:
        self.console.print(HELP, highlight=False)

    def _moves(self, _: str) -> None:
        self.console.print(moves_text(self.session.legal(), most=500))

    def _undo(self, _: str) -> None:
        with self._signals.held():
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
        self.file, self._saved_moves = name, list(self.session.moves)
        said = f"saved to {name}; go on with: {self._command(name)}"
        self.console.print(said, soft_wrap=True)

    def _hint(self, _: str) -> None:
        with self.console.status("thinking ..."):
            result = self.session.search(self.seconds).result
        known = (
            Text(noted(f"proven: {outcome_text(result.outcome)}", result.note), style=PROVEN)
            if result.resolved
            else Text(f"estimated: {numbers_text(result.estimate)}", style=ESTIMATED)
        )
        self.console.print(Text.assemble(f"{result.best_action}; ", known))

    def _why(self, move: str) -> None:
        with self.console.status("thinking ..."):
            search = self.session.search(self.seconds)
        self.console.print(why(search, move or None), highlight=False)

    def _analysis(self, _: str) -> None:
        with self.console.status("thinking ..."):
            search = self.session.search(self.seconds)
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
    """A decision's values, proven and estimated ones kept apart."""
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
