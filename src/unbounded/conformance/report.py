# SPDX-License-Identifier: MIT
"""What `check_game` reports of a game that conforms to the contract."""

from __future__ import annotations

from dataclasses import dataclass

from unbounded.conformance.ties import Ties

SEARCHED_PER_SECOND = 1_500_000
"""About as many states as a search stores; rules much faster than that are fast enough."""


@dataclass(frozen=True)
class Report:
    """What `check_game` found in a game that conforms to the contract.

    >>> from unbounded import check_game, load_game
    >>> report = check_game(load_game("nim"))
    >>> report.conforms, report.warnings
    (True, ())
    """

    game: str
    states: int
    """How many different states were checked in full."""
    games: int
    """How many random games were played."""
    longest: int
    """The number of moves of the longest of them."""
    most_actions: int
    outcomes: dict[tuple[int, ...], int]
    """How often each outcome was seen, among the states checked."""
    perft: tuple[int, ...]
    compiled: bool
    """Whether the compiled rules were compared with the Python ones."""
    rules_loaded: int
    """How many rules came from the cache on disk, where earlier processes left them."""
    rules_compiled: int
    """How many rules had to be compiled."""
    ties: Ties
    states_per_second: float
    """In plain Python."""
    compiled_states_per_second: float | None
    seconds: float
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    ended: bool = True
    """Whether every random game came to an end, as far as it was played."""

    @property
    def conforms(self) -> bool:
        """Whether no rule was violated, and every random game ended."""
        return self.ended

    @property
    def bottleneck(self) -> str:
        """Whether the game or the search will take more of the time."""
        rate = self.compiled_states_per_second or self.states_per_second
        return "the search" if rate > 2 * SEARCHED_PER_SECOND else "the game"

    def __str__(self) -> str:
        compiled = self.compiled_states_per_second
        fast = "not measured" if compiled is None else f"{compiled:,.0f}"
        unknown = self.compiled and compiled is None
        slowest = "" if unknown else f"; {self.bottleneck} will be the bottleneck"
        ends = ", ".join(f"{list(o)} {n:,}" for o, n in sorted(self.outcomes.items(), reverse=True))
        states = f"{self.states:,} states, up to {self.most_actions:,} actions"
        played = f"{self.games:,} random games, up to {self.longest:,} moves"
        lines = [
            f"{self.game}: {'conforms to the contract' if self.conforms else 'does it ever end?'}",
            f"  checked       {states}; {played}",
            f"  ends          {ends or 'none seen'}",
            f"  perft         {', '.join(f'{n:,}' for n in self.perft)}",
            f"  compiled      {self._how_compiled()}",
            f"  tie-breaking  {self.ties}",
            f"  states/s      {self.states_per_second:,.0f} in Python, compiled {fast}{slowest}",
        ]
        lines += [f"  note: {note}" for note in self.notes]
        lines += [f"  warning: {warning}" for warning in self.warnings]
        return "\n".join(lines)

    def _how_compiled(self) -> str:
        if not self.compiled:
            return "not compared"
        made = f"rules compiled: {self.rules_compiled}, from the cache: {self.rules_loaded}"
        return f"the same answers; {made}"
