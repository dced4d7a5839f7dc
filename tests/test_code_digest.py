"""Digests of rules: every edit that could matter changes them, and no other does."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import unbounded as ub
from unbounded.game import Game
from unbounded.storage.code_digest import CodeDigest, rules_digest

HELPERS = """
import functools

STEP = 1

def lower(n, by):
    return n - by * STEP

@functools.cache
def half(n):
    return n // 2

def third(n):
    return n // 3
"""

OBJECTS = '''
import enum
import functools
from dataclasses import dataclass
from unbounded import Game
import helpers

TAKE = [1, 2]
LEAST = {"left": 0, "other": 5}
ODD = frozenset({1, 3})

class Kind(enum.Enum):
    LOW = 1
    HIGH = 7

@dataclass(frozen=True)
class Heap:
    left: int
    turn: int = 0

    def over(self):
        return self.left <= LEAST["left"]

    def __repr__(self):
        return f"{self.left} left"

class Base(Game):
    """A base."""

    players, zero_sum = 2, True
    bonus = 0

    def player(self, s):
        return s.turn

class Sticks(Base):
    """Take some."""

    def __init__(self, start: int = 9):
        self.start = start
        self.take = tuple(TAKE)

    def initial(self):
        """Begin."""
        return Heap(self.start)

    def actions(self, s):
        return [] if s.over() else [k for k in self.take if self._fits(s, k)] or [s.left]

    def _fits(self, s, k):
        return k <= s.left + self.bonus and self.most >= k

    @property
    def most(self):
        return Kind.HIGH.value

    @staticmethod
    def _turned(turn, way=1):
        return way - turn

    def next(self, s, k):
        return Heap(helpers.lower(s.left, k), self._turned(s.turn))

    def outcome(self, s):
        from helpers import third

        first = 1 if (s.turn in ODD) != (helpers.half(s.left) > third(s.left)) else -1
        return (first, -first)

    def show(self, s):
        return str(s)
'''

RECORDS = '''
import numpy as np
from unbounded import RecordGame, Rules, record
import helpers

ENDS = np.array([1, -1], np.int8)
WAYS = 2

def least(n):
    return 0 if n < 0 else helpers.lower(n, 0)

class Sticks(RecordGame):
    """Take some."""

    players, zero_sum, max_actions = 2, True, 2
    state = record(left="i8", turn="i8")

    def __init__(self, start: int = 9):
        self.start = start

    def rules(self):
        start, ends = self.start, ENDS

        def initial(s):
            """Begin."""
            s.left = start

        def player(s):
            return s.turn

        def actions(s, out):
            count = min(WAYS, s.left)
            for i in range(count):
                out[i] = i + 1
            return count

        def next(s, take, t):
            t.left = least(s.left - take)
            t.turn = 1 - s.turn

        def outcome(s, out):
            out[0] = -ends[s.turn]
            out[1] = ends[s.turn]

        return Rules(initial, player, actions, next, outcome)

    def show(self, state):
        return str(self.state.unpack(state))
'''

MATTERS = {
    "objects": [
        ("TAKE = [1, 2]", "TAKE = [1, 3]"),
        ('"left": 0', '"left": 1'),
        ("frozenset({1, 3})", "frozenset({0, 3})"),
        ("HIGH = 7", "HIGH = 2"),
        ("turn: int = 0", "turn: int = 1"),
        ("self.left <= LEAST", "self.left < LEAST"),
        ("bonus = 0", "bonus = 1"),
        ("return s.turn", "return 1 - s.turn"),
        ("start: int = 9", "start: int = 8"),
        ("k <= s.left", "k < s.left"),
        ("Kind.HIGH", "Kind.LOW"),
        ("way=1", "way=2"),
        ("way - turn", "turn - way"),
        ("first = 1 if", "first = 0 if"),
        ("[s.left]", "[1]"),
        ("players, zero_sum = 2, True", "players, zero_sum = 2, False"),
    ],
    "records": [
        ("[1, -1]", "[1, 1]"),
        ("WAYS = 2", "WAYS = 1"),
        ("0 if n < 0", "1 if n < 0"),
        ("start: int = 9", "start: int = 8"),
        ("max_actions = 2, True, 2", "max_actions = 2, True, 3"),
        ('left="i8"', 'left="i16"'),
        ("i + 1", "i + 2"),
        ("1 - s.turn", "s.turn"),
        ("out[0] = -ends", "out[0] = ends"),
    ],
    "helpers": [
        ("STEP = 1", "STEP = 2"),
        ("n - by", "n + by"),
        ("n // 2", "n // 4"),
        ("n // 3", "n // 5"),
    ],
}
HARMLESS = [
    ("class Sticks", "# A comment.\n\n\nclass Sticks"),
    ("Take some.", "Take a few."),
    ("Begin.", "Where it begins."),
    ("    def show", "    def svg(self, state, **_):\n        return ''\n\n    def show"),
    ("        return str(", "        return 'board: ' + str("),
    ("class Sticks", "def unused():\n    return 3\n\n\nclass Sticks"),
]


def write(folder: Path, kind: str, edit: Any, helper_edit: Any) -> None:
    """Write a game and its helpers into a folder of its own, after an edit."""
    folder.mkdir()
    sources = {"mine.py": OBJECTS if kind == "objects" else RECORDS, "helpers.py": HELPERS}
    for name, change in (("mine.py", edit), ("helpers.py", helper_edit)):
        if change is not None:
            assert change[0] in sources[name]
            sources[name] = sources[name].replace(*change)
        (folder / name).write_text(sources[name])


def digests(tmp_path: Path, kind: str, cases: dict[str, tuple[Any, Any]]) -> dict[str, str]:
    """The digest of every case: one process for all, each case in modules of its own."""
    program = ["import importlib, sys", "from unbounded.storage.code_digest import rules_digest"]
    for number, (name, edits) in enumerate(cases.items()):
        folder = tmp_path / f"{kind}{number}"
        write(folder, kind, *edits)
        program += [
            f"sys.path.insert(0, {str(folder)!r})",
            "for name in ('mine', 'helpers'): sys.modules.pop(name, None)",
            "importlib.invalidate_caches()",
            f"print({name!r}, rules_digest(importlib.import_module('mine').Sticks()), sep='|')",
        ]
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(program)], capture_output=True, text=True, check=True
    )
    told = dict(line.split("|", 1) for line in done.stdout.splitlines())
    assert told.keys() == cases.keys()
    return told


@pytest.mark.parametrize("kind", ["objects", "records"])
def test_what_matters_and_what_does_not(kind: str, tmp_path: Path) -> None:
    cases: dict[str, tuple[Any, Any]] = {"as it is": (None, None)}
    cases |= {f"matters: {edit}": (edit, None) for edit in MATTERS[kind]}
    used = MATTERS["helpers"] if kind == "objects" else MATTERS["helpers"][:2]
    cases |= {f"matters: helper {edit}": (None, edit) for edit in used}
    cases |= {f"harmless: {edit}": (edit, None) for edit in HARMLESS}
    if kind == "objects":
        cases["matters: repr"] = (("} left", "} sticks"), None)  # states may be compared by it
    else:
        cases["harmless: unused helper"] = (None, MATTERS["helpers"][2])
        # Whatever their type, rules read Python's numbers from constants.
        cases["harmless: narrower constants"] = (("np.int8", "np.int16"), None)
    told = digests(tmp_path, kind, cases)
    same = told["as it is"]
    assert same, "it could be hashed"
    wrong = [name for name, text in told.items() if (text == same) == name.startswith("matters")]
    assert not wrong
    assert len({text for name, text in told.items() if name.startswith("matters")}) == sum(
        name.startswith("matters") for name in told
    )


def test_digests_do_not_depend_on_the_process(tmp_path: Path) -> None:
    program = (
        "import unbounded as ub; from unbounded.storage.code_digest import rules_digest as d; "
        "print(*(d(ub.load_game(x)) for x in ('graph', 'kalah', 'nim', 'horizon(hex,plies=9)')))"
    )
    seen = set()
    for seed in ("0", "1", "77"):
        done = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        seen.add(done.stdout)
    assert len(seen) == 1


def test_every_game_of_ours_can_be_hashed() -> None:
    from unbounded.game.catalogue import games

    kinds = [kind for kind in games().values() if kind.solvable]
    told = [rules_digest(ub.load_game(kind.solvable)) for kind in kinds]
    assert "" not in told
    assert len(set(told)) == len(told) >= 15


def test_parameters_count_and_wrapped_games_too() -> None:
    texts = ["nim", "nim(heaps=[1,2])", "horizon(nim,plies=3)", "horizon(nim,plies=4)"]
    texts += ["tie-breaking(nim)", "hex(size=3)", "hex(size=4)"]
    told = [rules_digest(ub.load_game(text)) for text in texts]
    assert "" not in told
    assert len(set(told)) == len(told)


def test_what_cannot_be_hashed_is_said() -> None:
    class Odd(Game[Any, Any]):
        source = (x for x in range(3))

        def initial(self) -> Any:
            return next(self.source)

    assert rules_digest(Odd()) == ""


def test_a_docstring_that_is_used_counts() -> None:
    def compiled(source: str) -> Any:
        namespace: dict[str, Any] = {"__name__": "somewhere"}
        exec(source, namespace)  # noqa: S102
        return namespace["f"]

    def text(source: str) -> str:
        return CodeDigest.of(compiled(source)).text()

    assert text('def f():\n    "a"\n    return 1') == text('def f():\n    "b"\n    return 1')
    assert text('def f():\n    "a"\n    return "a"') != text('def f():\n    "b"\n    return "b"')


# -- names that are reached in other ways ---------------------------------------------------------

REACHED = """
import collections
import enum
import functools
from typing import NamedTuple
from unbounded import Game
import parts.limit
import chunk  # a file beside this one, named like one of Python's

def wrapping(rule):
    @functools.wraps(rule)
    def wrapped(self, *given):
        return rule(self, *given)
    return wrapped

def asked(game, s):
    return game.hidden(s)

class Heap(NamedTuple):
    left: int
    turn: int

    def over(self):
        return self.left <= 0

class Way(enum.Enum):
    UP = 1

    def step(self):
        return 1 + 0

class Ways(list):
    def first(self):
        return self[0]

WAYS = Ways([1, 2])
TABLE = collections.defaultdict(lambda: 5, {1: 1})

class Sticks(Game):
    players, zero_sum = 2, True

    def initial(self):
        return Heap(7, 0)

    def player(self, s):
        return s.turn

    @wrapping
    def actions(self, s):
        return [] if s.over() else self.listed(s)

    def listed(self, s):
        return [k for k in (1, 2) if k <= s.left]

    @property
    def odd(self):
        return self.deep(3)

    def deep(self, n):
        return n % 2

    def hidden(self, s):
        return s.left * 3

    @functools.cache
    def kept(self, n):
        return self.inside(n)

    def inside(self, n):
        return n + 4

    def next(self, s, k):
        asked(self, s), self.odd, self.kept(2), WAYS.first(), TABLE[2]
        Way.UP.step(), chunk.piece(1)
        return Heap(max(parts.limit.limit, s.left - k), 1 - s.turn)

    def outcome(self, s):
        return (-1, 1) if s.turn == 0 else (1, -1)
"""
REACHED_EDITS = [
    ("self.left <= 0", "self.left <= 1"),
    ("if k <= s.left", "if k < s.left"),
    ("n % 2", "n % 3"),
    ("s.left * 3", "s.left * 4"),
    ("n + 4", "n + 5"),
    ("self[0]", "self[1]"),
    ("1 + 0", "2 + 0"),
    ("lambda: 5", "lambda: 6"),
    ("limit = 0", "limit = -1"),
    ("return 8", "return 9"),
]


def test_whatever_way_a_name_is_reached(tmp_path: Path) -> None:
    told = []
    for number, edit in enumerate([("class", "class"), *REACHED_EDITS]):
        folder = tmp_path / str(number)
        (folder / "parts").mkdir(parents=True)
        (folder / "parts" / "__init__.py").write_text("")
        (folder / "parts" / "limit.py").write_text("limit = 0\n".replace(*edit))
        (folder / "chunk.py").write_text("def piece(n):\n    return 8\n".replace(*edit))
        (folder / "mine.py").write_text(REACHED.replace(*edit))
        program = "import mine; from unbounded.storage.code_digest import rules_digest as digest; "
        program += "print(digest(mine.Sticks()))"
        done = subprocess.run(
            [sys.executable, "-c", program],
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
        )
        told.append(done.stdout.strip())
    assert "" not in told
    assert len(set(told)) == len(told)


def test_a_copy_of_a_file_has_the_same_digest(tmp_path: Path) -> None:
    source = REACHED.replace("import parts.limit\n", "").replace("parts.limit.limit", "0")
    source = source.replace(", chunk.piece(1)", "").replace("import chunk ", "")
    told = set()
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mine.py").write_text(source)
        told.add(rules_digest(ub.load_game(f"{tmp_path / name / 'mine.py'}:Sticks")))
    assert len(told) == 1 and "" not in told


class Cell:
    """One of many that hold each other."""

    def __init__(self) -> None:
        self.beside: list[Cell] = []


CELLS = [Cell() for _ in range(3000)]
for _one, _other in itertools.pairwise(CELLS):
    _one.beside.append(_other)


def test_what_is_too_deep_to_be_hashed_is_said() -> None:
    class Linked(Game[Any, Any]):
        def initial(self) -> Any:
            return len(CELLS[0].beside)

    assert rules_digest(Linked()) == ""
