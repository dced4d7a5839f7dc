# SPDX-License-Identifier: MIT
"""The games that clients have begun: what `Session.to_dict` makes of each."""

from __future__ import annotations

from typing import Any

from unbounded.game import UsageError, did_you_mean, require


class OpenGames:
    """Games by id. Only their moves are kept; the worker makes the position of them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._games: dict[str, dict[str, Any]] = {}
        self._count = 0

    @property
    def ids(self) -> list[str]:
        """The ids of the open games, oldest first."""
        return list(self._games)

    def require_room(self) -> None:
        """Refuse one game more than there may be."""
        require(
            len(self._games) < self._most,
            f"{self._most} games are open already, the most allowed here: close one by close_game",
        )

    def new_id(self) -> str:
        """Return an id that was never used."""
        self._count += 1
        return f"g{self._count}"

    def find(self, game_id: str) -> dict[str, Any]:
        """Return a game; one that is not open is a `UsageError`."""
        if game_id not in self._games:
            hint = did_you_mean(game_id[:60], self._games)
            known = ", ".join(self.ids[:20]) or "none: begin one by new_game"
            raise UsageError(f"no game {game_id[:60]!r} is open{hint}; there are {known}")
        return self._games[game_id]

    def keep(self, game_id: str, data: dict[str, Any]) -> None:
        """Keep a game as it is now."""
        self._games[game_id] = data

    def close(self, game_id: str) -> None:
        """Forget a game."""
        self.find(game_id)
        del self._games[game_id]
