# SPDX-License-Identifier: MIT
"""Compile the rules of a record game as kernels over many states at once, for an NVIDIA GPU.

The rules are the same plain functions that are compiled for the core. A state on the GPU is an
aligned record (`record_type`), because a GPU cannot read numbers that are not aligned; `to_gpu` and
`from_gpu` convert from and to the packed bytes that everything else uses. Rules calculate in 64
bits there too. Three things differ: nothing is checked (an index out of range is undefined, a
number that does not fit its field is cut), `abs` of the least number of a field is that number, and
`encode` accumulates in 32 bits. So only rules that pass `unbounded check` should run there, and
what a GPU finds is never used as a proof.

The kernels are templates (`kernels.py`) around the rules. `LoopRules` compiles the same for a CPU:
equal results where there is no GPU.
"""

from __future__ import annotations

import builtins
import importlib
import math
import re
import warnings
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any

from unbounded.game import Record, RecordGame, UsageError, require
from unbounded.native import kernels
from unbounded.native.compiling.building import CompiledCopies

if TYPE_CHECKING:
    import numpy as np

__all__ = ["CudaRules", "LoopRules", "available", "from_gpu", "record_type", "to_gpu"]

THREADS = 128
"""How many threads a block has."""
_RULES = ("actions", "next", "player", "outcome", "score", "is_terminal", "encode", "symmetry")


# -- states ----------------------------------------------------------------------------------------


def _dtype(record: Record, *, align: bool) -> np.dtype[Any]:
    import numpy as np

    fields = [(f.name, f.type, f.count) if f.count else (f.name, f.type) for f in record.fields]
    return np.dtype([(name, _little(kind), *count) for name, kind, *count in fields], align=align)


def _little(kind: str) -> str:
    """Return what NumPy calls a type of integers: i8 has 8 bits here, and 8 bytes there."""
    return f"<i{int(kind[1:]) // 8}"


def record_type(record: Record) -> np.dtype[Any]:
    """Return the type of a state on the GPU: its fields, aligned."""
    return _dtype(record, align=True)


def to_gpu(record: Record, packed: bytes) -> np.ndarray[Any, Any]:
    """Return states, packed one after another, as rows of bytes of their records on the GPU."""
    import numpy as np

    kind = record_type(record)
    count = len(packed) // record.size
    rows = np.zeros(count, kind)  # zeros, so that bytes between fields are the same everywhere
    given = np.frombuffer(packed, _dtype(record, align=False))
    for field in record.fields:
        rows[field.name] = given[field.name]
    return rows.view(np.uint8).reshape(count, kind.itemsize)


def from_gpu(record: Record, rows: np.ndarray[Any, Any]) -> bytes:
    """Return the packed bytes of states that are given as rows of bytes of their records."""
    import numpy as np

    given = np.ascontiguousarray(rows).view(record_type(record)).reshape(-1)
    packed = np.empty(len(given), _dtype(record, align=False))
    for field in record.fields:
        packed[field.name] = given[field.name]
    return packed.tobytes()


# -- compiling -------------------------------------------------------------------------------------


def _import_cuda() -> Any:
    """Import Numba's CUDA target, which uses names that NumPy 2.5 has dropped."""
    import numpy as np

    for old, new in (("row_stack", "vstack"), ("in1d", "isin"), ("trapz", "trapezoid")):
        if not hasattr(np, old):
            setattr(np, old, getattr(np, new))
    with warnings.catch_warnings():  # of what is old in Numba: users can do nothing about it
        warnings.simplefilter("ignore")
        cuda = importlib.import_module("numba.cuda")
        dispatcher = importlib.import_module("numba.cuda.dispatcher")
    # Tests and the ends of games have few states: no reason to warn that a GPU could do more.
    dispatcher.config.CUDA_LOW_OCCUPANCY_WARNINGS = 0
    return cuda


def available() -> bool:
    """Whether Numba is installed and finds a GPU."""
    return not _obstacle()


def _obstacle() -> str:
    """Say why there is no GPU for rules; empty if there is one."""
    try:
        return "" if _import_cuda().is_available() else "Numba finds no GPU"
    except Exception as error:  # no Numba, no driver, or libraries that do not fit together
        return f"{type(error).__name__}: {error}"


def _functions(game: RecordGame, compile_function: Callable[[Any], Any]) -> dict[str, Any]:
    """Return the functions of a thread, compiled, as far as the game has their rules."""
    rules, copies = game.uncompiled, CompiledCopies(str(game), compile_function)
    names = _constants(game)
    for name in _RULES:
        rule = getattr(rules, name)
        if isinstance(rule, FunctionType):
            copies.where = f"{game}: rule {name!r}"
            names[f"{name}_rule"] = copies.of(rule)

    def made(function: Any) -> Any:
        return compile_function(FunctionType(function.__code__, names))

    names["is_over"] = made(
        kernels.over_by_actions if rules.is_terminal is None else kernels.over_by_rule
    )
    names["write_scores"] = made(kernels.unscored if rules.score is None else kernels.scored)
    found = {
        "list_actions": made(kernels.list_actions_of_thread),
        "make_child": made(kernels.make_child_of_thread),
    }
    if rules.encode is not None and game.planes is not None:
        found["write_planes"] = made(kernels.write_planes_of_thread)
    if rules.symmetry is not None:
        found["write_image"] = made(kernels.write_image_of_thread)
    return found


def _constants(game: RecordGame) -> dict[str, Any]:
    """Return what the templates have as globals, besides the functions that they call."""
    numba, np = importlib.import_module("numba"), importlib.import_module("numpy")
    return {
        "__builtins__": builtins,
        "__name__": kernels.__name__,
        "int32": numba.int32,
        "int64": numba.int64,
        "float64": numba.float64,
        "empty": np.empty,
        "state_type": numba.from_dtype(record_type(game.state)),
        "OVER": kernels.OVER,
        "players": game.players,
        "max_actions": game.max_actions,
        "inputs": math.prod(game.planes or (0,)),
    }


class _BatchRules:
    """The rules of a game, asked about many states at once.

    Arrays are contiguous, and written in place. States are rows of bytes, as `to_gpu` makes them.
    """

    def __init__(self, game: RecordGame) -> None:
        self._name, self._max_actions = str(game), game.max_actions
        self._record = record_type(game.state)
        self.state_bytes = self._record.itemsize
        self._kernels: dict[str, Any] = {}

    def list_actions(self, states: Any, actions: Any, counts: Any, *, stream: int = 0) -> None:
        """Write the actions of each state, as int32 of states x max_actions, and their counts."""
        if len(states) > 0:
            self._launch("actions", len(states), stream, self._states(states), actions, counts)

    def make_children(  # noqa: PLR0917
        self, states: Any, actions: Any, counts: Any, offsets: Any, children: Any, movers: Any,
        outcomes: Any, scores: Any, *, stream: int = 0,
    ) -> None:  # fmt: skip
        """Write child k of state i to row offsets[i] + k of `children`, and what is known of it.

        That is who moves there (-1 where the game is over; any integers), and where it is over the
        outcome and score of each player (int32 and float32 of rows x players; else 0).
        """
        if len(children) == 0:
            return
        given = (self._states(states), actions, counts, offsets)
        written = (self._states(children), movers, outcomes, scores)
        self._launch("children", len(states) * self._max_actions, stream, *given, *written)

    def encode(self, states: Any, planes: Any, *, stream: int = 0) -> None:
        """Write the planes of each state, flat, as float32 of states x numbers."""
        require("planes" in self._kernels, f"{self._name} has no rule 'encode'")
        if len(states) > 0:
            self._launch("planes", len(states), stream, self._states(states), planes)

    def make_images(self, states: Any, images: Any, made: Any, *, stream: int = 0) -> None:
        """Write the image of each state under the symmetry whose number `images` gives."""
        require("image" in self._kernels, f"{self._name} has no rule 'symmetry'")
        if len(states) > 0:
            given = (self._states(states), images, self._states(made))
            self._launch("image", len(states), stream, *given)

    def _states(self, rows: Any) -> Any:
        raise NotImplementedError

    def _launch(self, name: str, threads: int, stream: int, *arrays: Any) -> None:
        raise NotImplementedError


class CudaRules(_BatchRules):
    """The rules as kernels; arrays are anything with `__cuda_array_interface__`, like tensors.

    A stream is the address that CUDA knows it by; kernels on it run one after another.
    """

    def __init__(self, game: RecordGame) -> None:
        obstacle = _obstacle()
        needed = "rules on the GPU need numba, numba-cuda and an NVIDIA GPU"
        require(not obstacle, f"{needed} ({obstacle})")
        super().__init__(game)
        self._cuda = _import_cuda()
        self._kernels = kernels_for(game, self._cuda)

    def _states(self, rows: Any) -> Any:
        return self._cuda.as_cuda_array(rows).view(self._record).reshape(len(rows))

    def _on_device(self, array: Any) -> Any:
        # An array of records must not be converted again: that forgets their fields.
        is_array = hasattr(array, "copy_to_host")
        return array if is_array else self._cuda.as_cuda_array(array)

    def _launch(self, name: str, threads: int, stream: int, *arrays: Any) -> None:
        on = self._cuda.external_stream(stream) if stream else 0
        kernel = self._kernels[name][-(-threads // THREADS), THREADS, on]
        try:
            kernel(*map(self._on_device, arrays))
        except importlib.import_module("numba.core.errors").NumbaError as error:
            raise UsageError(f"{self._name}: {_explained(error)}") from error


class LoopRules(_BatchRules):
    """The same on one core of a CPU; arrays are of NumPy."""

    def __init__(self, game: RecordGame) -> None:
        super().__init__(game)
        jit = importlib.import_module("numba").njit(nogil=True)
        self._kernels = _made(_constants(game) | _functions(game, jit), "loop", jit)

    def _states(self, rows: Any) -> Any:
        return rows.view(self._record).reshape(len(rows))

    def _launch(self, name: str, threads: int, stream: int, *arrays: Any) -> None:
        # As on a GPU, some threads of the last block have nothing to do.
        self._kernels[name](-(-threads // THREADS) * THREADS, *arrays)


def kernels_for(game: RecordGame, target: Any) -> dict[str, Any]:
    """Return the kernels of a game, which are compiled when they are first used."""
    names = _constants(game) | _functions(game, target.jit(device=True)) | {"cuda": target}
    return _made(names, "kernel", target.jit)


def _made(
    names: dict[str, Any], what: str, compile_function: Callable[[Any], Any]
) -> dict[str, Any]:
    """Return kernels or loops around the functions of a thread that there are."""
    around = {"actions": "list_actions", "children": "make_child"}
    around |= {"planes": "write_planes", "image": "write_image"}
    made = {}
    for name, function in around.items():
        if function in names:
            template = getattr(kernels, f"{name}_{what}")
            made[name] = compile_function(FunctionType(template.__code__, names))
    return made


def _explained(error: Exception) -> str:
    """Say in one line why rules cannot be compiled for a GPU: Numba says it in hundreds."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    called = re.search(r">>> (.+)", text)
    lines = [x.strip() for x in text.splitlines() if x.strip()]
    told = [x for x in lines if not re.match(r"Failed in \w+ mode pipeline", x)]
    reason = (told or [type(error).__name__])[0]
    reason = f"they call {called[1]}, which Numba does not offer there" if called else reason
    return f"the rules cannot be compiled for a GPU: {reason}"
