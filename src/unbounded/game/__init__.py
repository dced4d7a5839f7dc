# SPDX-License-Identifier: MIT
"""Games: the contract, and all that is known of a game without searching it."""

from __future__ import annotations

from unbounded.game.answers import checked_outcome, one_per_player, outcome_of, state_text
from unbounded.game.contract import (
    PLAIN_WORD,
    Game,
    Known,
    Place,
    action_named,
    format_value,
    move_names,
    plain,
    quoted,
)
from unbounded.game.errors import RuleError, UnboundedError, UsageError, did_you_mean, require
from unbounded.game.record import (
    LONGEST_LINE,
    MOST_ACTIONS,
    Field,
    Fields,
    Record,
    RecordGame,
    record,
)
from unbounded.game.rules import ALL_ENDGAMES, Out, Permutation, Rules, State, with_plain_numbers

__all__ = [
    "ALL_ENDGAMES",
    "LONGEST_LINE",
    "MOST_ACTIONS",
    "PLAIN_WORD",
    "Field",
    "Fields",
    "Game",
    "Known",
    "Out",
    "Permutation",
    "Place",
    "Record",
    "RecordGame",
    "RuleError",
    "Rules",
    "State",
    "UnboundedError",
    "UsageError",
    "action_named",
    "checked_outcome",
    "did_you_mean",
    "format_value",
    "move_names",
    "one_per_player",
    "outcome_of",
    "plain",
    "quoted",
    "record",
    "require",
    "state_text",
    "with_plain_numbers",
]
