# SPDX-License-Identifier: MIT
"""A game in progress between humans and machines: moves, undo, redo, saving."""

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
from unbounded.players.pondering import Cores
from unbounded.players.searching import SearchPlayer
from unbounded.search.budget import Budget
from unbounded.search.search import Search
from unbounded.storage.atomic_files import replace

FORMAT, VERSION = "unbounded game", 1
HUMAN = "human"


class Session:
    """The moves so far, the player at each seat, and the machine players."""

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
        """Actions that were undone and can be redone, the next one last."""
        self._machines: list[Player | None] = []
        self._seat_machines()

    def _seat_machines(self) -> None:
        """Make new machine players, at the current position."""
        self._machines = [
            None if kind is None else kind.player(self.game, self.seed + seat)
            for seat, kind in enumerate(self._kinds)
        ]
        for action in self.actions:
            self._notify(action)

    def _notify(self, action: Any) -> None:
        for machine in self._machines:
            if machine is not None:
                machine.see(action)

    def ponder_on(self, cores: Cores) -> None:
        """Let machines that think on while others do so wait for a core that is free."""
        for machine in self._machines:
            if isinstance(machine, SearchPlayer):
                machine.cores = cores

    def close(self) -> None:
        """End what the machines do in the background."""
        for machine in self._machines:
            if machine is not None:
                machine.close()

    # -- the position -----------------------------------------------------------------------------

    @property
    def state(self) -> Any:
        """The present position."""
        return self.states[-1]

    @property
    def over(self) -> bool:
        """Whether the game has ended, or a player has resigned."""
        return self.resigned is not None or not self.game.actions(self.state)

    @property
    def mover(self) -> int | None:
        """The player to move, from 0; None when the game is over."""
        return None if self.over else int(self.game.player(self.state))

    @property
    def human_to_move(self) -> bool:
        """Whether it is the turn of a human."""
        return self.mover is not None and self._kinds[self.mover] is None

    @property
    def machine_to_move(self) -> bool:
        """Whether it is the turn of a machine."""
        return self.mover is not None and self._kinds[self.mover] is not None

    def legal(self) -> list[str]:
        """The names of the legal moves."""
        if self.over:
            return []
        return [self.game.action_name(self.state, a) for a in self.game.actions(self.state)]

    def outcome(self) -> tuple[int, ...] | None:
        """The outcome per player, None before the end; a resignation is a win of all others."""
        if self.resigned is not None:
            return tuple(-1 if p == self.resigned else 1 for p in range(self.game.players))
        return outcome_of(self.game, self.state) if self.over else None

    # -- playing ----------------------------------------------------------------------------------

    @blaming()
    def play(self, text: str) -> str:
        """Play a move by its name; return the name in the game's own spelling."""
        require(not self.over, "the game is over")
        action = action_named(self.game, self.state, text)
        self.undone.clear()
        return self._play(action)

    def _play(self, action: Any) -> str:
        name = self._step(action)
        self._notify(action)
        return name

    def _step(self, action: Any) -> str:
        name = self.game.action_name(self.state, action)
        self.states.append(self.game.next(self.state, action))
        self.actions.append(action)
        self.moves.append(name)
        return name

    def machine_move(self) -> Decision:
        """Let the machine whose turn it is decide, and play its move."""
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
        """Play the decision of the machine whose turn it is."""
        self.undone.clear()
        self._play(decision.action)

    @property
    def can_undo(self) -> bool:
        """Whether there is a move or a resignation to take back."""
        return bool(self.actions) or self.resigned is not None

    def undo(self) -> int:
        """Take back moves until a human is to move again; return how many."""
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

    def take_back_to(self, count: int) -> None:
        """Take back moves until `count` are left, whoever is to move then."""
        require(
            0 <= count <= len(self.moves),
            f"there are {len(self.moves)} moves; {count} of them cannot be kept",
        )
        require(self.can_undo, "there is nothing to take back")
        self.resigned = None
        while len(self.actions) > count:
            self.undone.append(self.actions.pop())
            self.moves.pop()
            self.states.pop()
        self._seat_machines()

    def redo(self) -> int:
        """Play undone moves again until a human is to move; return how many."""
        require(bool(self.undone), "there is nothing to play again")
        before = len(self.actions)
        while self.undone:
            self._step(self.undone.pop())
            if self.human_to_move or None not in self._kinds:
                break
        self._seat_machines()  # not the old ones: one may be thinking in another thread
        return len(self.actions) - before

    def resign(self) -> None:
        """Resign for the player whose turn it is."""
        require(self.mover is not None, "the game is over")
        self.resigned = self.mover

    def search(self, seconds: float) -> Search:
        """Return a search of the position that has run for some seconds."""
        require(not self.over, "the game is over")
        search = Search(self.game, moves=self.moves)
        search.advance(Budget(seconds=seconds, memory="1G"))  # Ctrl-C ends it early
        return search

    # -- files ------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """The whole game, for JSON."""
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
        """Write the game to a file, which is replaced atomically if it exists."""
        text = json.dumps(self.to_dict()) + "\n"
        try:
            replace(path, lambda write: write(text.encode()))
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror}") from None

    @classmethod
    def load(cls, path: str | os.PathLike[str], game: Game[Any, Any] | None = None) -> Session:
        """Read a game from a file. It loads no file of rules: for such a game, give `game`."""
        require(Path(path).exists(), f"there is no file {path}")
        try:
            data = json.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}") from None
        except (ValueError, RecursionError):
            raise UsageError(f"{path} is not a saved game") from None
        try:
            return cls.from_dict(data, game)
        except FileRefusedError:
            raise
        except UsageError as error:
            raise UsageError(f"{path}: {error}") from error

    @classmethod
    def from_dict(cls, data: Any, game: Game[Any, Any] | None = None) -> Session:
        """Make a game of what `to_dict` wrote; nothing in it is trusted."""
        kinds = {"game": str, "seats": list, "moves": list, "seed": int}
        valid = isinstance(data, dict) and data.get("format") == FORMAT
        valid = valid and all(isinstance(data.get(key), kind) for key, kind in kinds.items())
        require(valid, "this is not a saved game")
        require(
            data.get("version") == VERSION,
            f"version {data.get('version')!r} of a saved game is not known",
        )
        require(all(isinstance(x, str) for x in data["seats"] + data["moves"]), "not a saved game")
        if game is not None:
            require(is_named(game, data["game"]), f"it is a game of {data['game']}, not of {game}")
        found = load_game(data["game"], files=False) if game is None else game
        for seat in data["seats"]:
            if seat != HUMAN:
                read_kind(seat, local=False)  # no file starts a program
        session = cls(found, data["seats"], seed=data["seed"])
        for move in data["moves"]:
            session.play(move)
        resigned = data.get("resigned")
        if resigned is not None:
            require(resigned == session.mover, "the player who resigned was not to move")
            session.resign()
        return session
