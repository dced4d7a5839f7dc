# SPDX-License-Identifier: MIT
"""A game in progress between people and machines: moves, undo, hints, saving."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unbounded.game import Game, UsageError, action_named, outcome_of, require
from unbounded.game.catalogue import FileRefusedError, is_named, load_game
from unbounded.game.rule_errors import blaming
from unbounded.native.object_rules import try_start
from unbounded.players import Decision, Kind, Player, read_kind
from unbounded.search.budget import Budget
from unbounded.search.search import Search
from unbounded.storage.atomic_files import replace

FORMAT, VERSION = "unbounded game", 1
HUMAN = "human"


class Session:
    """The moves so far, who sits where, and the machines that take part."""

    @blaming()
    def __init__(self, game: Game[Any, Any] | str, seats: Sequence[str], *, seed: int = 0) -> None:
        self.game: Game[Any, Any] = load_game(game)
        try_start(self.game)
        require(
            len(seats) == self.game.players,
            f"{self.game} has {self.game.players} seats; {len(seats)} were given",
        )
        self.seats = tuple(seats)
        self.seed = seed
        self._kinds: list[Kind | None] = [None if s == HUMAN else read_kind(s) for s in seats]
        self.resigned: int | None = None
        self.states: list[Any] = [self.game.initial()]
        self.actions: list[Any] = []
        self.moves: list[str] = []
        self.undone: list[Any] = []
        """Actions that were taken back and can be played again, the next one last."""
        self._machines: list[Player | None] = []
        self._seat_machines()

    def _seat_machines(self) -> None:
        """Give every machine the game so far."""
        self._machines = [
            None if kind is None else kind.player(self.game, self.seed + seat)
            for seat, kind in enumerate(self._kinds)
        ]
        for action in self.actions:
            self._tell(action)

    def _tell(self, action: Any) -> None:
        for machine in self._machines:
            if machine is not None:
                machine.see(action)

    # -- looking ----------------------------------------------------------------------------------

    @property
    def state(self) -> Any:
        """The position now."""
        return self.states[-1]

    @property
    def over(self) -> bool:
        """Whether the game has ended, or somebody has given up."""
        return self.resigned is not None or not self.game.actions(self.state)

    @property
    def mover(self) -> int | None:
        """Whose turn it is, from 0; None when the game is over."""
        return None if self.over else int(self.game.player(self.state))

    @property
    def human_to_move(self) -> bool:
        """Whether a person is asked for a move."""
        return self.mover is not None and self._kinds[self.mover] is None

    def legal(self) -> list[str]:
        """The names of the moves that can be played."""
        if self.over:
            return []
        return [self.game.action_name(self.state, a) for a in self.game.actions(self.state)]

    def outcome(self) -> tuple[int, ...] | None:
        """How the game ended; whoever resigned has lost, and the others have won."""
        if self.resigned is not None:
            return tuple(-1 if p == self.resigned else 1 for p in range(self.game.players))
        return outcome_of(self.game, self.state) if self.over else None

    # -- playing ----------------------------------------------------------------------------------

    @blaming()
    def play(self, text: str) -> str:
        """Play a move by its name; return the name as the game writes it."""
        require(not self.over, "the game is over")
        action = action_named(self.game, self.state, text)
        self.undone.clear()
        return self._play(action)

    def _play(self, action: Any) -> str:
        name = self._step(action)
        self._tell(action)
        return name

    def _step(self, action: Any) -> str:
        name = self.game.action_name(self.state, action)
        self.states.append(self.game.next(self.state, action))
        self.actions.append(action)
        self.moves.append(name)
        return name

    def machine_move(self) -> Decision:
        """Let the machine whose turn it is think, and play its move."""
        decision = self.machine().decide()
        self.accept(decision)
        return decision

    def machine(self) -> Player:
        """The machine whose turn it is."""
        mover = self.mover
        machine = None if mover is None else self._machines[mover]
        if machine is None:
            raise UsageError("it is not a machine's turn")
        return machine

    @blaming()
    def accept(self, decision: Decision) -> None:
        """Play what the machine whose turn it is has decided."""
        self.undone.clear()
        self._play(decision.action)

    def stop(self) -> None:
        """End what machines think in other threads, if they can be stopped."""
        for machine in self._machines:
            if machine is not None:
                machine.stop()

    @property
    def can_undo(self) -> bool:
        """Whether there is something to take back."""
        return bool(self.actions) or self.resigned is not None

    def undo(self) -> int:
        """Take back moves until a person is to move again; return how many."""
        require(self.can_undo, "there is nothing to take back")
        before = len(self.actions)
        if self.resigned is not None:
            self.resigned = None
            return 0
        while self.actions:
            self.undone.append(self.actions.pop())
            self.moves.pop()
            self.states.pop()
            if self.human_to_move or None not in self._kinds:
                break
        self._seat_machines()
        return before - len(self.actions)

    def redo(self) -> int:
        """Play again what was taken back, until a person is to move; return how many moves."""
        require(bool(self.undone), "there is nothing to play again")
        before = len(self.actions)
        while self.undone:
            self._step(self.undone.pop())
            if self.human_to_move or None not in self._kinds:
                break
        self._seat_machines()  # new ones: an old one may be thinking in another thread
        return len(self.actions) - before

    def resign(self) -> None:
        """Give up, for the player whose turn it is."""
        require(self.mover is not None, "the game is over")
        self.resigned = self.mover

    def searched(self, seconds: float) -> Search:
        """Search the position for some time."""
        require(not self.over, "the game is over")
        search = Search(self.game, moves=self.moves)
        search.advance(Budget(seconds=seconds, memory="1G"))  # Ctrl-C: that is enough
        return search

    # -- files ------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Everything that makes the game, for JSON."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "game": str(self.game),
            "seats": list(self.seats),
            "moves": list(self.moves),
            "resigned": self.resigned,
            "seed": self.seed,
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the game to a file; one of this name is replaced when the new one is complete."""
        text = json.dumps(self.to_dict()) + "\n"
        try:
            replace(path, lambda write: write(text.encode()))
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror}") from None

    @classmethod
    def load(cls, path: str | os.PathLike[str], game: Game[Any, Any] | None = None) -> Session:
        """Read a game from a file. No file that it names is run: give the game, if it is one."""
        require(Path(path).exists(), f"there is no file {path}")
        try:
            told = json.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}") from None
        except (ValueError, RecursionError):
            raise UsageError(f"{path} is not a game that was saved") from None
        try:
            return cls.from_dict(told, game)
        except FileRefusedError:
            raise
        except UsageError as error:
            raise UsageError(f"{path}: {error}") from error

    @classmethod
    def from_dict(cls, told: Any, game: Game[Any, Any] | None = None) -> Session:
        """Make a game of what `to_dict` wrote, believing nothing."""
        kinds = {"game": str, "seats": list, "moves": list, "seed": int}
        good = isinstance(told, dict) and told.get("format") == FORMAT
        good = good and all(isinstance(told.get(key), kind) for key, kind in kinds.items())
        require(good, "this is not a game that was saved")
        require(told.get("version") == VERSION, f"version {told.get('version')!r} is not known")
        require(all(isinstance(x, str) for x in told["seats"] + told["moves"]), "not a saved game")
        if game is not None:
            require(is_named(game, told["game"]), f"it is a game of {told['game']}, not of {game}")
        found = load_game(told["game"], files=False) if game is None else game
        session = cls(found, told["seats"], seed=told["seed"])
        for move in told["moves"]:
            session.play(move)
        resigned = told.get("resigned")
        if resigned is not None:
            require(resigned == session.mover, "somebody resigned who was not to move")
            session.resign()
        return session
