# SPDX-License-Identifier: MIT
"""Compile the rules of a record game to native code, with guards.

Numba compiles each rule as it stands, with every index checked. Around it goes a *thunk*: a C
function that the core calls, that catches whatever the rule raises, and that answers by a status.
Two things make compiled rules mean what they mean in Python:

* A rule sees its state where it lies, through types of our own (`native_types`): it reads 64-bit
  integers, and a write of a number that does not fit raises `OverflowError`.
* Numba caches the thunks on disk (where it would cache functions of `thunks`), but does not
  notice that something they call has changed. So names carry a digest (`digest`) of all that the
  machine code depends on, wherever the rules come from: a file, a prompt, a notebook.

Numba and NumPy are imported when a game is compiled, not before.
"""

from __future__ import annotations

import ctypes
import importlib.util
import weakref
from dataclasses import replace
from typing import Any

from unbounded.compiling.building import Builder
from unbounded.game import RecordGame, RuleError, UsageError, require

__all__ = ["CompiledRules", "available", "compile_game"]

_RULES = ("initial", "player", "actions", "next", "outcome")
_OPTIONAL_RULES = ("score", "evaluate", "best_score_from", "symmetry")


def available() -> bool:
    """Whether rules can be compiled here, that is, whether Numba is installed."""
    return importlib.util.find_spec("numba") is not None


def compile_game(game: RecordGame) -> CompiledRules:
    """Compile the rules of a game, or load them from the cache; once per game object."""
    compiled = _compiled.get(id(game))
    if compiled is None:
        require(available(), "compiling rules needs numba, which is not installed")
        compiled = _compiled[id(game)] = CompiledRules(game)
        weakref.finalize(game, _compiled.pop, id(game), None).atexit = False
    return compiled


_compiled: dict[int, CompiledRules] = {}


class CompiledRules:
    """The rules of a game as C functions, and the same questions as `Game` asked of them."""

    addresses: dict[str, int]
    """Where the function of each rule is; valid as long as the process lives."""
    from_cache: int
    """How many functions were loaded from disk."""
    compiled: int
    """How many functions had to be compiled."""

    def __init__(self, game: RecordGame) -> None:
        # A twin with the same rules, to ask again when one fails. It does not keep the game alive.
        self._plain = RecordGame()
        self._plain.state, self._plain.players = game.state, game.players
        self._plain.max_actions = game.max_actions
        self._plain.__dict__["uncompiled"] = replace(game.uncompiled, outcome_at_horizon=None)
        self._game = str(game)
        self.addresses, self._functions = {}, {}
        self.from_cache = self.compiled = 0
        builder = Builder(game)
        for name in (*_RULES, *_OPTIONAL_RULES):
            rule = getattr(game.uncompiled, name)
            if rule is not None:
                thunk, loaded = builder.thunk(name, rule)
                self.addresses[name] = thunk.address
                self._functions[name] = thunk.ctypes
                self.from_cache += loaded == "cache"
                self.compiled += loaded == "compiler"

    def initial(self) -> bytes:
        """As `Game.initial`."""
        state = ctypes.create_string_buffer(self._plain.state.size)
        self._ask("initial", None, state)
        return state.raw

    def player(self, state: bytes) -> int:
        """As `Game.player`."""
        return self._ask("player", state)

    def actions(self, state: bytes) -> list[int]:
        """As `Game.actions`."""
        out = (ctypes.c_int32 * self._plain.max_actions)()
        count = self._ask("actions", state, out)
        if count > self._plain.max_actions:
            raise self.failure("actions", state)
        return out[:count]

    def next(self, state: bytes, action: int) -> bytes:
        """As `Game.next`."""
        if not -(2**31) <= action < 2**31:
            raise UsageError(f"{self._game}: there is no action {action}")
        successor = ctypes.create_string_buffer(state, len(state))
        self._ask("next", state, action, successor)
        return successor.raw

    def symmetry(self, state: bytes, k: int) -> bytes:
        """As `Game.symmetry`."""
        image = ctypes.create_string_buffer(state, self._plain.state.size)
        self._ask("symmetry", state, k, image)
        return image.raw

    def outcome(self, state: bytes) -> list[int]:
        """As `Game.outcome`."""
        out = (ctypes.c_int32 * self._plain.players)()
        self._ask("outcome", state, out)
        return out[:]

    def score(self, state: bytes) -> list[float]:
        """As `Game.score`, rounded to 32 bits."""
        if "score" not in self.addresses:
            return [float(x) for x in self.outcome(state)]
        return self._numbers("score", state)

    def evaluate(self, state: bytes) -> list[float]:
        """As `Game.evaluate`, rounded to 32 bits."""
        return self._numbers("evaluate", state, 1)

    def best_score_from(self, state: bytes) -> list[float]:
        """As `Game.best_score_from`, rounded to 32 bits."""
        return self._numbers("best_score_from", state)

    def failure(self, rule: str, state: bytes | None, action: int | None = None) -> RuleError:
        """Explain why a compiled rule reported failure: ask the plain one, and tell what it raised.

        The error returned has that exception as its cause.
        """
        given = [x for x in (state, action) if x is not None]
        shown = "" if state is None else f" on state {self._plain.state.unpack(state)!r}"
        shown += "" if action is None else f", action {action}"
        try:
            getattr(self._plain, rule)(*given)
        except Exception as cause:
            reason = f"{type(cause).__name__}: {cause}"
            error = RuleError(f"{self._game}: rule {rule!r} failed{shown}: {reason}")
            error.__cause__ = cause
            return error
        return RuleError(
            f"{self._game}: rule {rule!r} failed{shown}, but only when compiled: a number that it "
            "wrote or returned is not an integer, or does not fit"
        )

    def _numbers(self, rule: str, state: bytes, *count: int) -> list[float]:
        if rule not in self.addresses:
            raise NotImplementedError(f"{self._game} has no rule {rule!r}")
        out = (ctypes.c_float * self._plain.players)()
        self._ask(rule, state, *count, out)
        return out[:]

    def _ask(self, rule: str, state: bytes | None, *rest: Any) -> int:
        size = self._plain.state.size
        if state is not None and len(state) != size:
            raise UsageError(f"{self._game}: a state has {size} bytes, not {len(state)}")
        given = rest if state is None else (state, *rest)
        status: int = self._functions[rule](*given)
        if status < 0:
            raise self.failure(rule, state, rest[0] if rule in ("next", "symmetry") else None)
        return status
