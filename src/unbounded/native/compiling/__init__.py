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

Numba and NumPy are imported when a game is compiled, not before; and rules that not every search
needs (an evaluation, symmetries, planes) are compiled when they are first asked for.
"""

from __future__ import annotations

import ctypes
import importlib.util
import math
import weakref
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from unbounded.game import ALL_ENDGAMES, RecordGame, RuleError, UsageError, require
from unbounded.native.compiling.building import Builder
from unbounded.native.compiling.cached import LoadedThunk

if TYPE_CHECKING:
    import numpy as np

T = TypeVar("T")

__all__ = ["CompiledRules", "available", "compile_game"]

_EXPANDING = ("actions", "next", "player", "outcome", "score", "is_terminal")
"""The rules that `expand` consists of, as far as the game has them."""

_WITH_A_NUMBER = ("next", "symmetry", "relabel")
"""Rules that get an action, or the number of an image, besides the state."""


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


class _OnDemand(dict[str, T]):
    """What belongs to a rule, made when it is first asked for."""

    def __init__(self, make: Callable[[str], T]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, name: str) -> T:
        made = self[name] = self._make(name)
        return made


class CompiledRules:
    """The rules of a game as C functions, and the same questions as `Game` asked of them."""

    from_cache: int
    """How many functions were loaded from disk."""
    compiled: int
    """How many functions had to be compiled."""

    def __init__(self, game: RecordGame) -> None:
        # A twin with the same rules, to ask again when one fails. It does not keep the game alive.
        self._plain = RecordGame()
        self._plain.state, self._plain.players = game.state, game.players
        self._plain.max_actions, self._plain.planes = game.max_actions, game.planes
        self._plain.symmetries = game.symmetries
        self._plain.__dict__["uncompiled"] = replace(game.uncompiled, outcome_at_horizon=None)
        self._game = str(game)
        self.from_cache = self.compiled = 0
        self._builder = Builder(self._plain, self._game)
        self._thunks: dict[str, LoadedThunk] = _OnDemand(self._make)
        self._functions: dict[str, Any] = _OnDemand(lambda name: self._thunks[name].ctypes)

    def _has(self, name: str) -> bool:
        """Whether the game has a rule."""
        needs_planes = name == "encode" and self._plain.planes is None
        return getattr(self._plain.uncompiled, name) is not None and not needs_planes

    def _rules_of(self, name: str) -> dict[str, Any]:
        """Return the rules that a function consists of, by the names that its template uses."""
        rules = self._plain.uncompiled
        if name == "expand":
            return {f"{x}_rule": getattr(rules, x) for x in _EXPANDING if self._has(x)}
        rule = "symmetry" if name == "canonical" else name
        if not self._has(rule):
            raise NotImplementedError(f"{self._game} has no rule {rule!r}")
        return {"rule": getattr(rules, rule)}

    def _make(self, name: str) -> LoadedThunk:
        """Compile a function, or load it from the cache."""
        try:
            thunk, loaded = self._builder.thunk(name, self._rules_of(name))
        except UsageError:
            for rule in _EXPANDING if name == "expand" else ():
                if self._has(rule):
                    self._thunks[rule]  # which says by which rule `expand` failed
            raise
        self.from_cache += loaded == "cache"
        self.compiled += loaded == "compiler"
        return thunk

    def address(self, function: str) -> int:
        """Where the function of a rule is, or `expand`; valid as long as the process lives."""
        return self._thunks[function].address

    def addresses_for(self, *, canonical: bool) -> dict[str, int]:
        """Where the functions are that the core's rules need, with or without symmetries."""
        names = ["initial", "expand"]
        names += ["best_score_from"] if self._has("best_score_from") else []
        names += ["canonical"] if canonical else []
        names += [name for name in ("forced", "reduced", "endgame") if self._has(name)]
        return {name: self.address(name) for name in names}

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
        return self._listed("actions", state)

    def forced(self, state: bytes) -> list[int]:
        """As `RecordGame.forced`."""
        return self._listed("forced", state)

    def reduced(self, state: bytes) -> tuple[bytes, int]:
        """As `RecordGame.reduced`."""
        lead = (ctypes.c_int32 * 1)()
        left = ctypes.create_string_buffer(len(state))
        if self._functions["reduced"](state, lead, left) < 0:
            raise self.failure("reduced", state)
        return left.raw, lead[0]

    def endgame(self, state: bytes, most: int = ALL_ENDGAMES) -> tuple[int, int]:
        """As `RecordGame.endgame`."""
        number, lead = (ctypes.c_int32 * 1)(), (ctypes.c_int32 * 1)()
        if self._functions["endgame"](state, most, number, lead) < 0:
            raise self.failure("endgame", state)
        return number[0], lead[0]

    def _listed(self, rule: str, state: bytes) -> list[int]:
        out = (ctypes.c_int32 * self._plain.max_actions)()
        count = self._ask(rule, state, out)
        if count > self._plain.max_actions:
            raise self.failure(rule, state)
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
        return self._image("symmetry", state, k)

    def relabel(self, state: bytes, k: int) -> bytes:
        """As `Game.relabel`."""
        return self._image("relabel", state, k)

    def _image(self, rule: str, state: bytes, k: int) -> bytes:
        image = ctypes.create_string_buffer(state, self._plain.state.size)
        self._ask(rule, state, k, image)
        return image.raw

    def outcome(self, state: bytes) -> list[int]:
        """As `Game.outcome`."""
        out = (ctypes.c_int32 * self._plain.players)()
        self._ask("outcome", state, out)
        return out[:]

    def score(self, state: bytes) -> list[float]:
        """As `Game.score`, rounded to 32 bits."""
        if not self._has("score"):
            return [float(x) for x in self.outcome(state)]
        return self._numbers("score", state)

    def evaluate(self, state: bytes) -> list[float]:
        """As `Game.evaluate`, rounded to 32 bits."""
        return self._numbers("evaluate", state, 1)

    def best_score_from(self, state: bytes) -> list[float]:
        """As `Game.best_score_from`, rounded to 32 bits."""
        return self._numbers("best_score_from", state)

    def encode(self, state: bytes) -> list[float]:
        """As `Game.encode`, rounded to 32 bits."""
        planes: list[float] = self.encode_many([state]).ravel().tolist()
        return planes

    def encode_many(self, states: Sequence[bytes] | bytes) -> np.ndarray[Any, np.dtype[np.float32]]:
        """Return the planes of many states: an array of states x planes x rows x columns.

        The states are given one by one, or one after another in the same bytes.
        """
        import numpy as np

        encode, size, shape = self._functions["encode"], self._plain.state.size, self._plain.planes
        assert shape is not None
        packed = states if isinstance(states, bytes) else b"".join(states)
        count, rest = divmod(len(packed), size)
        whole = rest == 0 and (isinstance(states, bytes) or all(len(s) == size for s in states))
        require(whole, f"{self._game}: a state has {size} bytes")
        out = np.empty((count, *shape), dtype=np.float32)
        scratch = (ctypes.c_double * max(1, math.prod(shape)))()
        pointer = out.ctypes.data_as(ctypes.POINTER(ctypes.c_float))
        status: int = encode(packed, count, scratch, pointer)
        if status < 0:
            failed = -1 - status
            raise self.failure("encode", packed[failed * size : (failed + 1) * size])
        return out

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
            raise self.failure(rule, state, rest[0] if rule in _WITH_A_NUMBER else None)
        return status
