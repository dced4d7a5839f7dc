# SPDX-License-Identifier: MIT
"""States of OpenSpiel as states of a search: hashable, and equal only if they are the same.

`str(state)` of OpenSpiel may be the same for different positions: it can lack the player to move,
a counter of moves, earlier positions that may not be repeated, a move that is half done. A search
that took such positions for one would prove false values. So two states are equal if their
histories are, which is always right. Only for the games in `COMPLETE`, whose text lacks nothing,
equal positions are equal states; and whenever two of them meet, what can be observed of them is
compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

from unbounded.game import RuleError

COMPLETE = frozenset(
    {
        "breakthrough",
        "clobber",
        "connect_four",
        "dots_and_boxes",
        "gomoku",
        "havannah",
        "hex",
        "mancala",
        "mnk",
        "nim",
        "othello",
        "tic_tac_toe",
        "y",
    }
)
"""Games whose text and player to move determine everything that can follow.

The tests compare positions with the same key that were reached in different ways: they have the
same player to move, legal actions, returns, and successors. A game that ends after a number of
moves is here only if the text has that number, as that of mancala has. Not here, although their
text looks complete: lines_of_action, chess and others, which remember earlier positions.
"""

NO_COPIES = ("morpion_solitaire",)
"""Games of OpenSpiel 2.0.2 whose states crash after they were copied: they are played again from
the start instead. Of the others, tests compare copies with states that were played to."""

HISTORY = "history"
CHECKED = "checked"
CHANCE = -1
"""Stands for the player to move where OpenSpiel draws lots."""


def is_complete(name: str, parameters: dict[str, Any]) -> bool:
    """Whether the text of a game, with these parameters, says all there is to say.

    After the swap move of hex and havannah it may not say whose the stone was.
    """
    return name in COMPLETE and not parameters.get("swap", False)


def child_of(spiel: Any, action: int) -> Any:
    """Return the state after an action, in which the first state is not changed.

    As `spiel.child` does, but without a copy: the game is played again.
    """
    at = spiel.get_game().new_initial_state()
    for played in [*spiel.history()[len(at.history()) :], action]:
        at.apply_action(played)
    return at


class _Held(NamedTuple):
    key: str
    """States are equal if these are."""
    spiel: Any
    """The state of OpenSpiel, which nobody changes."""
    mover: int
    """The player to move; in a terminal state, OpenSpiel's number for none."""
    legal: Sequence[int]
    """The legal actions; none in a terminal state."""
    returns: list[float] | None
    """Of a terminal state, what each player gets."""


class SpielState(_Held):
    """A state of an OpenSpiel game, with all that will be asked of it."""

    # A tuple, because many are made, and nothing is made faster.

    @cached_property
    def names(self) -> dict[int, str]:
        """The names of the legal actions."""
        return names_of(self.spiel, self.legal)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(other) is not SpielState or self.key != other.key:
            return False
        if self[2:] != other[2:]:
            raise clash(self, other)
        return True

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        moves = " ".join(moves_to(self.spiel))
        return f"<{self.spiel.get_game().get_type().short_name} after {moves or 'no move'}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return wrapped, (self.spiel, self.key, self.mover)


def state_by_text(spiel: Any) -> SpielState:
    """Make the state of a position, whose key is OpenSpiel's text and who moves."""
    mover = spiel.current_player()
    return wrapped(spiel, f"{spiel.to_string()}|{mover}", mover)


def wrapped(spiel: Any, key: str, mover: int) -> SpielState:
    """Make a state with this key."""
    legal = spiel.legal_actions()
    if legal and mover >= 0:  # OpenSpiel has no player to move at the end of a game
        return SpielState(key, spiel, mover, legal, None)
    return ended(spiel, key, mover)


def ended(spiel: Any, key: str, mover: int) -> SpielState:
    """Make a terminal state with this key."""
    state = SpielState(key, spiel, mover, (), spiel.returns())
    if not spiel.is_terminal():
        problem = "has no legal action" if mover != CHANCE else "leaves the next move to chance"
        raise RuleError(f"{problem} in {state!r}, which does not end the game")
    return state


def clash(one: SpielState, other: SpielState) -> RuleError:
    """Return the error for two states that were taken for one and are not the same."""
    name = one.spiel.get_game().get_type().short_name
    return RuleError(
        f"OpenSpiel's text of a position of {name} stands for different positions: {one!r} and "
        f"{other!r} have the same text, but not the same mover, legal actions or returns",
        advice=f"name the game open_spiel_tree:{name}(...), which never merges positions",
    )


def names_of(spiel: Any, legal: Sequence[int]) -> dict[int, str]:
    """Name the legal actions: as OpenSpiel does but without spaces, which separate names.

    Where that would give two of them the same name, or none, they are named by their numbers.
    """
    mover = spiel.current_player()
    names = {action: _one_word(spiel.action_to_string(mover, action)) for action in legal}
    distinct = set(names.values())
    if len(distinct) == len(names) and "" not in distinct:
        return names
    return {action: str(action) for action in legal}


def _one_word(text: str) -> str:
    return "_".join(text.replace(", ", ",").replace(": ", ":").split())


def moves_to(spiel: Any) -> list[str]:
    """Return the names of the moves that lead to a state from the start."""
    at, names = spiel.get_game().new_initial_state(), list[str]()
    for action in spiel.history()[len(at.history()) :]:
        names.append(names_of(at, at.legal_actions())[action])
        at.apply_action(action)
    return names
