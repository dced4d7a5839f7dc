# SPDX-License-Identifier: MIT
"""A fingerprint of the rules of a game: it shows whether they have changed.

It has two parts. The results of the rules along some random games are the same on every machine,
but do not cover other games. A digest of their code and constants covers all games, but digests can
be compared only within one version of Python, and only where rules use what can be hashed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple

from unbounded.game import Game, RecordGame, RuleError, UnboundedError
from unbounded.storage.code_digest import rules_digest

GAMES = 8
MOST_STATES = 1200
"""In all games together: rules in plain Python may be slow."""


class Fingerprint(NamedTuple):
    """The fingerprint of the rules of a game."""

    answers: str
    """A digest of their results along some random games."""
    code: str
    """A digest of their code, see `rules_digest`."""

    def can_be_compared(self, other: Fingerprint) -> bool:
        """Whether the digests of the code can be compared."""
        return "" not in (self.code, other.code) and (
            self.code.split()[0] == other.code.split()[0]  # the version of Python
        )


def fingerprint(game: Game[Any, Any]) -> Fingerprint:
    """Return what stands for the rules of a game."""
    try:
        return Fingerprint(_answers(game), rules_digest(game))
    except UnboundedError:
        raise
    except Exception as error:
        raise RuleError(f"{game}: a rule raised {type(error).__name__}: {error}") from error


def has_changed(game: Game[Any, Any], then: Fingerprint) -> bool:
    """Whether the rules of a game are not what they were, as far as is known."""
    now = fingerprint(game)
    return now.answers != then.answers or (now.can_be_compared(then) and now.code != then.code)


def _answers(game: Game[Any, Any]) -> str:
    digest = hashlib.sha256()

    def add(*things: Any) -> None:
        digest.update(repr(things).encode("utf-8", "backslashreplace"))

    add("rules 1", game.players, bool(game.zero_sum), game.best_scores, game.symmetries)
    if game.single_winner and not game.zero_sum:  # proofs rest on it
        add("single winner")
    left = MOST_STATES
    for number in range(GAMES):
        left -= _play(game, Random(number), max(1, left // (GAMES - number)), add)
    return digest.hexdigest()


def _play(game: Game[Any, Any], random: Random, most: int, add: Any) -> int:
    """Add one random game, up to a number of states; return how many there were."""
    state = game.initial()
    for count in range(1, most + 1):
        actions = list(game.actions(state))
        add(_written(game, state), _names(game, state, actions))
        for k in range(1, game.symmetries):
            add(_written(game, game.symmetry(state, k)))
        if not actions:
            add(_integers(game.outcome(state)), [float(x) for x in game.score(state)])
            return count
        add(int(game.player(state)))
        # Only these random numbers are guaranteed to stay the same.
        state = game.next(state, actions[int(random.random() * len(actions))])
    return most


def _integers(numbers: Sequence[Any]) -> list[int]:
    return [int(x) for x in numbers]


def _names(game: Game[Any, Any], state: Any, actions: Sequence[Any]) -> list[Any]:
    if isinstance(game, RecordGame):
        return _integers(actions)
    return [game.action_name(state, action) for action in actions]


def _written(game: Game[Any, Any], state: Any) -> Any:
    """The state in a form that is always the same; nothing where there is none."""
    return bytes(state) if isinstance(game, RecordGame) else _plain(state)


def _plain(value: Any) -> Any:
    """Leave out what prints differently from day to day, such as the order of a set."""
    if value is None or type(value) in (bool, int, float, str, bytes):
        return value
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted(repr(_plain(item)) for item in value)
    return type(value).__name__
