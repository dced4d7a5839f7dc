# SPDX-License-Identifier: MIT
"""A program of others at a seat: asked in its protocol, and checked by our rules."""

from __future__ import annotations

from typing import Any

from unbounded.game import Game
from unbounded.players.external.gtp import Gtp
from unbounded.players.external.pipe import Pipe
from unbounded.players.external.process import IllegalMoveError, Program, find_program
from unbounded.players.external.programs import Adapter
from unbounded.players.external.protocol import Move, Protocol
from unbounded.players.external.uci import Uci
from unbounded.players.player import Decision, Player
from unbounded.search.budget import Budget

PROTOCOLS: dict[str, type[Protocol]] = {"uci": Uci, "gtp": Gtp, "pipe": Pipe}


class ExternalPlayer(Player):
    """A program, started at its first move and ended with the game."""

    def __init__(
        self,
        game: Game[Any, Any],
        seed: int,
        *,
        budget: Budget,
        command: list[str],
        adapter: Adapter,
        protocol: str,
        patience: float,
    ) -> None:
        super().__init__(game, seed, budget)
        self._name, self._adapter = command[0], adapter
        # Found now rather than in the middle of a match.
        self._command = [find_program(command[0], adapter.package), *command[1:]]
        self._protocol, self._patience = protocol, patience
        self._played: list[Move] = []
        self._program: Program | None = None
        self._talk: Protocol | None = None

    def prepare(self, seat: int) -> None:
        self._start(seat)

    def see(self, action: Any) -> None:
        move = Move(self.game.player(self.state), self._adapter.move_name(self.state, action))
        super().see(action)
        self._played.append(move)

    def stop(self) -> None:
        if self._talk is not None:
            self._talk.hurry()

    def close(self) -> None:
        if self._program is not None:
            self._program.close()
        self._program = self._talk = None

    def choose(self) -> Decision:
        try:
            talk = self._start(int(self.game.player(self.state)))
            answer = talk.choose(self._played, self.seconds_now())
            return self.decision(self._action(answer))
        except BaseException:
            self.close()  # whatever it is doing now, the next answer would not be to our question
            raise

    def _start(self, seat: int) -> Protocol:
        """Start the program, unless it runs."""
        if self._talk is None:
            words = self._adapter.command(self._command, seat)
            self._program = Program(self._name, words)
            talks = PROTOCOLS[self._protocol]
            self._talk = talks(self._program, self._adapter, seat, self._patience)
        return self._talk

    def _action(self, answer: str) -> Any:
        legal = {
            self._adapter.move_name(self.state, action).lower(): action
            for action in self.game.actions(self.state)
        }
        found = legal.get(answer.lower())
        if found is None:
            assert self._program is not None
            played = " ".join(move.text for move in self._played[-6:]) or "nothing"
            raise IllegalMoveError(
                f"{self._program.name} chose {answer[:100]!r}, which is not legal after {played}; "
                f"legal are {', '.join(list(legal)[:20])}{self._program.last_words()}"
            )
        return found
