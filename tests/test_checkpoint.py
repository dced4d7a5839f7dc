# SPDX-License-Identifier: MIT
"""Searches in files: taken up exactly, never lost, and never believed too much."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from checkpoint_disks import FailingDisk, RecordingDisk, StingyDisk, after_power_cuts
from hashed_games import Hashed
from soaking import repeated

import unbounded as ub
from unbounded.conformance.random_games import random_graph
from unbounded.game import Game, RuleError, UsageError
from unbounded.interfaces.cli.main import main
from unbounded.search import checkpoints
from unbounded.search.autosave import Autosave
from unbounded.search.budget import Budget
from unbounded.search.explanations import why
from unbounded.search.search import Search
from unbounded.solving.strong import resolve_all
from unbounded.storage import atomic_files
from unbounded.storage.fingerprint import Fingerprint, fingerprint
from unbounded.storage.memory import process_memory

HERE = Path(__file__).parent
PROGRAM = [sys.executable, "-m", "unbounded"]
DAMAGED = repeated(1_500, soak=50_000)
"""Files that are read."""


class Subtraction(Game[int, int]):
    """Take 1 to 3; whoever takes the last one wins. States are Python objects."""

    zero_sum = True

    def __init__(self, start: int = 14) -> None:
        self.start = start

    def initial(self) -> tuple[int, int]:  # type: ignore[override]
        return self.start, 0

    def player(self, state: Any) -> int:
        return int(state[1])

    def actions(self, state: Any) -> list[int]:
        return [n for n in (1, 2, 3) if n <= state[0]]

    def next(self, state: Any, action: int) -> Any:
        return state[0] - action, 1 - state[1]

    def outcome(self, state: Any) -> list[int]:
        return [1, -1] if state[1] == 1 else [-1, 1]


def saved_and_loaded(search: Search, path: Path, **options: Any) -> Search:
    search.save(path)
    return Search.load(path, **options)


def contents(search: Search) -> tuple[Any, ...]:
    """All that a search is, as it would be written."""
    numbers = {name: x for name, x in search._core.saved().items() if name != "walked"}
    pieces: list[bytes] = []
    search._core.save(lambda view: pieces.append(bytes(view)))
    return search.snapshot(), numbers, b"".join(pieces), search.moves, search.state


@pytest.fixture
def cached_fingerprints(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asking the rules is most of the work of writing and opening a small file."""
    known: dict[int, tuple[Any, Fingerprint]] = {}

    def cached(game: Game[Any, Any]) -> Fingerprint:
        if id(game) not in known:
            known[id(game)] = game, fingerprint(game)
        return known[id(game)][1]

    monkeypatch.setattr("unbounded.search.checkpoints.fingerprint", cached)
    monkeypatch.setattr("unbounded.search.search.fingerprint", cached)


# -- going on exactly -----------------------------------------------------------------------------

GAMES = [
    "tic-tac-toe",
    "connect-four(width=4,height=4)",
    "dots-and-boxes",
    "dots-and-boxes(rows=1,players=3)",
    "nim(heaps=[2,3,3],players=3)",
    "graph",
]
VARIANTS = [
    {},
    {"paper": True},
    {"canonical": True},
    {"resolve_on_win": True},
    {"completion": False},
    {"local_maximum": True},
    {"evaluation": "playouts(2)", "seed": 5},
    {"bounds": True},
    {"bounds": True, "canonical": True, "exact_score": True},
    {"bounds": True, "probes": True},
    {"bounds": True, "probes": True, "canonical": True, "exact_score": True},
    {"bounds": True, "probes": True, "evaluation": "zero"},
    {"hash_bits": 4},
]


def fitting(game: Game[Any, Any]) -> Iterator[dict[str, Any]]:
    """Every combination of options that the game allows."""
    many = ("resolved_completion", "propagated_completion")
    kinds = itertools.product(("ubfm", "descent"), (None, *many), VARIANTS)
    for algorithm, values, variant in kinds:
        options = {"algorithm": algorithm, "values": values, **variant}
        try:
            Search(game, **options)
        except UsageError:
            continue
        yield options


@pytest.mark.usefixtures("cached_fingerprints")
@pytest.mark.parametrize("text", GAMES)
def test_resumed_is_uninterrupted(text: str, tmp_path: Path) -> None:
    game = ub.load_game(text)
    tried = 0
    for options in fitting(game):
        whole = Search(game, **options)
        whole.run(iterations=60)
        for before in (0, 1, 8, 33):
            search = Search(game, **options)
            search.run(iterations=before)
            resumed = saved_and_loaded(search, tmp_path / "a", game=game)
            assert contents(resumed) == contents(search)
            resumed.run(iterations=60 - before)
            assert contents(resumed) == contents(whole), (options, before)
        tried += 1
    assert tried >= 16


@pytest.mark.usefixtures("cached_fingerprints")
def test_random_games_of_both_forms(tmp_path: Path) -> None:
    """States as objects and as records; probes that give up, lines that are cut anywhere."""
    for seed in range(60):
        random = Random(seed)
        game: Game[Any, Any] = random_graph(seed)
        options: dict[str, Any] = {"bounds": random.random() < 0.5}
        if seed % 3 == 0:
            players, scores = random.randint(2, 3), random.randint(0, 2)
            single = players == 3 and seed % 2 == 0
            game = Hashed(players=players, games=30, scores=scores, single=single)
            options = {"bounds": True, "probes": random.random() < 0.7, "canonical": seed % 2 == 0}
        options["algorithm"] = random.choice(("ubfm", "descent"))
        total = random.randint(1, 60)
        whole, search = Search(game, **options), Search(game, **options)
        whole.run(iterations=total)
        done = 0
        while done < total:
            more = random.randint(1, total - done)
            search = saved_and_loaded(search, tmp_path / "a", game=game)
            search.run(iterations=more)
            done += more
        assert contents(search) == contents(whole), seed


def test_moves_are_part_of_it(tmp_path: Path) -> None:
    for game in ("tic-tac-toe", "graph", Subtraction()):
        search = Search(game, canonical=True)
        search.run(iterations=3)
        search.play_action(search.game.actions(search.state)[-1])
        search.run(iterations=2)
        resumed = saved_and_loaded(search, tmp_path / "a", game=search.game)
        assert resumed.moves == search.moves and resumed.root.player == search.root.player
        for each in (search, resumed):
            each.run(iterations=20)
            for action in list(each.game.actions(each.state))[:1]:
                each.play_action(action)
            each.run(iterations=20)
        assert contents(resumed) == contents(search)
        assert resumed.result.pv == search.result.pv


def test_a_move_that_failed_is_not_missed(tmp_path: Path) -> None:
    """An evaluation that fails once leaves a number that no state of the graph has."""
    broken = True

    def mine(states: Any) -> Any:
        if broken and any(s == (12, 1) for s in states):
            raise RuntimeError("not now")
        return np.zeros((len(states), 2))

    search = Search(Subtraction(), evaluation=mine)
    with pytest.raises(RuntimeError):
        search.play_action(2)
    broken = False
    search.play_action(1)
    search.run(iterations=3)
    resumed = saved_and_loaded(search, tmp_path / "a", game=Subtraction(), evaluation=mine)
    assert resumed.state == (13, 1)
    assert resumed.run().outcome == search.run().outcome


def test_what_was_forgotten_makes_no_difference(tmp_path: Path) -> None:
    """When memory is short, what is proven is forgotten; the rest goes on as it would have."""
    for options in ({}, {"bounds": True}):
        search = Search("connect-four(width=4,height=4)", algorithm="descent", **options)
        while search.compactions < 2 and not search.root.resolved:
            search.run(iterations=200, memory=600_000)
        assert search.compactions > 0
        resumed = saved_and_loaded(search, tmp_path / "a")
        for each in (search, resumed):
            each.run(iterations=500, memory=600_000)
        assert contents(resumed) == contents(search)
        assert resumed.compactions == search.compactions


def test_strong_solving_goes_on(tmp_path: Path) -> None:
    whole = Search("dots-and-boxes")
    expected = resolve_all(whole, Budget())
    search = Search("dots-and-boxes")
    assert not resolve_all(search, Budget(states=500)).resolved
    resumed = saved_and_loaded(search, tmp_path / "a")
    assert resolve_all(resumed, Budget()).plies == expected.plies
    assert resumed.snapshot() == whole.snapshot()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"algorithm": "descent"},
        {"evaluation": "playouts(3)"},
        {"algorithm": "descent", "bounds": True},
        {"bounds": True, "probes": True},
        {"bounds": True, "probes": True, "threads": 2},
        {"bounds": True, "threads": 3},
    ],
)
def test_saving_in_the_middle_of_a_run(options: dict[str, Any], tmp_path: Path) -> None:
    """It does not disturb the run, and what is in the file is sound."""
    # Long enough that the run is not over before it was asked to save.
    longer = "probes" in options or "threads" in options
    text = "connect-four(width=5,height=4)" if longer else "dots-and-boxes"
    value = (0, 0) if longer else (1, -1)  # known: see the games
    search = Search(text, **options)
    files: list[Path] = []

    def save(running: Search) -> None:
        if len(files) < 12:
            files.append(tmp_path / str(len(files)))
            running.save(files[-1])

    limits = {} if options.get("bounds") else {"iterations": 4000}
    search.run(progress=save, report_every=0.0, **limits)
    assert len(files) > 1
    if options.get("threads", 1) == 1:
        undisturbed = Search(text, **options)
        undisturbed.run(**limits)
        assert contents(undisturbed) == contents(search)
    for file in files:
        assert Search.load(file).run().outcome == value


def test_checkpoints_between_iterations_go_on_exactly(tmp_path: Path) -> None:
    """Whatever moment a run with one thread is cut at, the result is that of one that was not."""
    for options in ({}, {"algorithm": "descent"}, {"bounds": True, "exact_score": True}):
        copies: list[bytes] = []

        class Copying(Autosave):
            def save(self, search: Search, copies: list[bytes] = copies) -> None:
                super().save(search)
                copies.append(Path(self.path).read_bytes())

        path = tmp_path / "a"
        search = Search("dots-and-boxes", **options)
        search.run(save=Copying(path, every=0.0, share=1e9), report_every=0.0, iterations=3000)
        assert len(copies) > 1
        for copy in copies[:: max(1, len(copies) // 4)]:
            path.write_bytes(copy)
            resumed = Search.load(path)
            resumed.run(iterations=3000 - resumed.iterations)
            assert contents(resumed) == contents(search)


# -- what else comes back -------------------------------------------------------------------------


def test_everything_that_makes_a_search(tmp_path: Path) -> None:
    search = Search("nim", evaluation="playouts(3)", seed=7, algorithm="descent", moves="1:1")
    search.run(iterations=5)
    resumed = saved_and_loaded(search, tmp_path / "a")
    assert (resumed.options, resumed.stopped) == (search.options, search.stopped)
    assert str(resumed.game) == str(search.game)
    assert resumed.seconds == pytest.approx(search.seconds)
    assert resumed.result.pv == search.result.pv
    assert checkpoints.about(tmp_path / "a")["game"] == "nim"


def test_a_game_of_your_own_is_given_again(tmp_path: Path) -> None:
    path = tmp_path / "a"
    search = Search(Subtraction(10))
    search.run(iterations=4)
    search.save(path)
    with pytest.raises(UsageError, match="needs its game to be given: unknown game 'subtraction"):
        Search.load(path)
    with pytest.raises(UsageError, match=r"holds a search of subtraction\(start=10\), not of"):
        Search.load(path, Subtraction(11))
    assert contents(Search.load(path, Subtraction(10))) == contents(search)

    class Misere(Subtraction):
        """Has the same name and other rules."""

        def outcome(self, state: Any) -> list[int]:
            return [-x for x in super().outcome(state)]

    Misere.__name__ = "Subtraction"
    with pytest.raises(UsageError, match="by other rules than those of today"):
        Search.load(path, Misere(10))


def test_a_game_in_a_file_is_not_run_because_a_name_says_so(tmp_path: Path) -> None:
    source = tmp_path / "mine.py"
    source.write_text("print('ran')\n" + _SOURCE)
    search = Search(f"{source}:Mine")
    search.run(iterations=3)
    search.save(tmp_path / "a")
    with pytest.raises(UsageError, match="games from files are not allowed here"):
        Search.load(tmp_path / "a")
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    shutil.copy(source, moved / "mine.py")
    for file in (source, moved / "mine.py"):
        assert contents(Search.load(tmp_path / "a", f"{file}:Mine")) == contents(search)


_SOURCE = '''
from unbounded import Game


class Mine(Game):
    """Count to 3."""

    zero_sum = True

    def initial(self):
        return 0

    def player(self, state):
        return state % 2

    def actions(self, state):
        return [1, 2][: 3 - state]

    def next(self, state, action):
        return state + action

    def outcome(self, state):
        return [1, -1]
'''


def test_a_function_as_evaluation_is_given_again(tmp_path: Path) -> None:
    def mine(states: Any) -> Any:
        return np.zeros((len(states), 2))

    def other(states: Any) -> Any:
        return np.ones((len(states), 2))

    path = tmp_path / "a"
    search = Search("tic-tac-toe", evaluation=mine)
    search.run(iterations=30)
    search.save(path)
    for wrong in (None, "zero", other):
        with pytest.raises(UsageError, match="with a function as evaluation, 'mine': give it"):
            Search.load(path, evaluation=wrong)
    assert contents(Search.load(path, evaluation=mine)) == contents(search)
    Search("tic-tac-toe").save(path)
    with pytest.raises(UsageError, match="was made with the evaluation"):
        Search.load(path, evaluation=mine)


def test_another_number_of_threads(tmp_path: Path) -> None:
    search = Search("connect-four(width=5,height=4)", bounds=True, probes=True, threads=2)
    search.run(states=20_000)
    for threads in (1, 2, 3):
        resumed = saved_and_loaded(search, tmp_path / "a", threads=threads)
        assert resumed.options.threads == threads
        assert resumed.run().outcome == (0, 0)


def test_the_fingerprint_of_rules() -> None:
    assert fingerprint(ub.load_game("tic-tac-toe")) == fingerprint(ub.load_game("tic-tac-toe"))
    prints = {
        fingerprint(ub.load_game(text))
        for text in ("tic-tac-toe", "nim", "nim(misere=true)", "graph", "chomp", "gomoku(size=4)")
    }
    assert len(prints) == 6
    program = "import unbounded as ub; from unbounded.storage.fingerprint import fingerprint as f; "
    program += "print(f(ub.load_game('graph')), f(ub.load_game('kalah')))"
    seen = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert seen == {f"{fingerprint(ub.load_game('graph'))} {fingerprint(ub.load_game('kalah'))}\n"}


def test_rules_that_fail_have_no_fingerprint() -> None:
    class Broken(Subtraction):
        def outcome(self, state: Any) -> list[int]:
            raise ZeroDivisionError("oh")

    with pytest.raises(RuleError, match="a rule raised ZeroDivisionError: oh"):
        fingerprint(Broken())


# -- rules that have changed ----------------------------------------------------------------------

TIC_TAC_TOE = """
from unbounded import RecordGame, Rules, record
import numpy as np

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
FORGOTTEN = None

class Mine(RecordGame):
    players, zero_sum, max_actions = 2, True, 9
    state = record(cells="i8[9]", turn="i8")

    def rules(self):
        lines = np.array([x for x in LINES if x != FORGOTTEN])

        def won(s):
            for j in range(len(lines)):
                c = s.cells[lines[j, 0]]
                if c != 0 and c == s.cells[lines[j, 1]] and c == s.cells[lines[j, 2]]:
                    return c
            return 0

        def initial(s):
            s.turn = 0

        def player(s):
            return s.turn

        def actions(s, out):
            k = 0
            if won(s) == 0:
                for i in range(9):
                    if s.cells[i] == 0:
                        out[k] = i
                        k += 1
            return k

        def next(s, a, t):
            t.cells[a] = s.turn + 1
            t.turn = 1 - s.turn

        def outcome(s, out):
            winner = won(s)
            if winner:
                out[winner - 1] = 1
                out[2 - winner] = -1

        return Rules(initial, player, actions, next, outcome)
"""


@pytest.mark.parametrize("probes", [False, True])
def test_a_line_that_was_forgotten_is_noticed(probes: bool, tmp_path: Path) -> None:
    """Every single one of the eight, where it matters: eight random games met three of them."""
    source = tmp_path / "mine.py"
    path = tmp_path / "a.search"
    source.write_text(TIC_TAC_TOE)
    right = ub.load_game(f"{source}:Mine")
    truth, refused = ub.solve(right, moves="3 6").outcome, 0
    for line in right.uncompiled.actions.__globals__["LINES"]:
        source.write_text(TIC_TAC_TOE.replace("FORGOTTEN = None", f"FORGOTTEN = {line}"))
        search = Search(f"{source}:Mine", moves="3 6", bounds=True, probes=probes)
        search.run()
        search.save(path)
        assert Search.load(path, search.game).checked_states == search.states
        if probes:
            with pytest.raises(UsageError, match="by other rules than those of today"):
                Search.load(path, right)
            continue
        try:  # without probes all that is stored can be asked again, and may be right
            resumed = Search.load(path, right)
        except UsageError as error:
            # Noticed along the random games, or by what is stored.
            assert re.search("by other rules|does not fit the rules of today", str(error))
            refused += 1
        else:
            assert resumed.checked_states == search.states
            assert resumed.run().outcome == truth
    assert probes or refused > 0


class Counting(Game[tuple[int, int], int]):
    """Take one or two of nine; a game whose rules can be changed one by one."""

    players, zero_sum = 2, True
    changed = ""

    def initial(self) -> tuple[int, int]:
        return 9, 0

    def player(self, state: tuple[int, int]) -> int:
        return state[1] ^ (self.changed == "player" and state[0] == 3)

    def actions(self, state: tuple[int, int]) -> list[int]:
        if self.changed == "actions" and state[0] == 1:
            return []
        return [1, 2][: state[0]]

    def next(self, state: tuple[int, int], action: int) -> tuple[int, int]:
        if self.changed == "next" and state == (4, 1):
            action = 3 - action
        return state[0] - action, 1 - state[1]

    def outcome(self, state: tuple[int, int]) -> list[int]:
        lost = state[1] ^ (self.changed == "outcome" and state[1] == 1)
        return [-1, 1] if lost == 0 else [1, -1]

    def score(self, state: tuple[int, int]) -> list[float]:
        won = 2.0 if self.changed == "score" and state[1] == 1 else 1.0
        return [-won, won] if self.outcome(state)[0] < 0 else [won, -won]


@pytest.mark.parametrize("options", [{}, {"bounds": True}, {"bounds": True, "exact_score": True}])
@pytest.mark.parametrize("rule", ["player", "actions", "next", "outcome", "score", "raises"])
def test_rules_are_asked_again(
    rule: str, options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even where nothing else has noticed that they changed."""
    monkeypatch.setattr("unbounded.storage.fingerprint._answers", lambda game: "")
    monkeypatch.setattr("unbounded.storage.fingerprint.rules_digest", lambda game: "the same")
    path = tmp_path / "a"
    game = Counting()
    game.best_score = (2.0, 2.0)
    search = Search(game, **options)
    search.run()
    search.save(path)
    assert Search.load(path, game).checked_states == search.states > 5
    if rule == "raises":
        rules = Counting.player
        monkeypatch.setattr(
            Counting, "player", lambda self, s: rules(self, s) if s[0] != 3 else s[5]
        )
        expected = r"does not fit the rules.*player.*IndexError"
    else:
        game.changed = rule
        said = "next does not lead to" if rule == "next" else f"{rule} says"
        expected = f"does not fit the rules of today: {said}"
    with pytest.raises(UsageError, match=expected):
        Search.load(path, game)


def test_a_large_search_is_asked_about_in_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unbounded.search.checkpoints.ASKED_COMPILED", 100)
    monkeypatch.setattr("unbounded.search.checkpoints._ASKED_AT_ONCE", 7)
    search = Search("tic-tac-toe")
    search.run(iterations=300)
    resumed = saved_and_loaded(search, tmp_path / "a")
    assert 50 <= resumed.checked_states <= 100 < search.states
    assert contents(resumed) == contents(search)


@pytest.mark.parametrize(
    ("version", "code"), [("1", ""), ("2", "cpython-27 0123"), ("3", ""), ("3", "cpython-27 0123")]
)
def test_rules_that_cannot_be_compared(
    version: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then all that was proven must follow from what is stored, and all of that is asked again."""
    monkeypatch.setattr("unbounded.search.checkpoints.ASKED_COMPILED", 10)
    path = tmp_path / "a"

    def saved(game: str, **options: Any) -> Search:
        search = Search(game, **options)
        search.run()
        search.save(path)
        path.write_bytes(with_metadata(path.read_bytes(), version=version, code=code))
        return search

    for options in ({}, {"bounds": True, "canonical": True}):
        search = saved("tic-tac-toe", **options)
        assert Search.load(path).checked_states == search.states
    for game, options in (
        ("tic-tac-toe", {"bounds": True, "probes": True}),
        ("dots-and-boxes(rows=1)", {"bounds": True}),  # whose bounds cannot be asked again
    ):
        saved(game, **options)
        old_probes = "probes" in options and int(version) < 3
        problem = "older version" if old_probes else "cannot be trusted: it does not tell whether"
        with pytest.raises(UsageError, match=problem):
            Search.load(path)


# -- the file -------------------------------------------------------------------------------------


def test_the_library_of_the_format_reads_it(tmp_path: Path) -> None:
    safetensors = pytest.importorskip("safetensors")
    path = tmp_path / "a"
    for game, options in (
        ("connect-four(width=4,height=4)", {"bounds": True, "probes": True}),
        ("dots-and-boxes(players=3)", {"bounds": True, "probes": True}),
        ("graph", {}),
    ):
        search = Search(game, **options)
        search.run(iterations=50)
        search.save(path)
        with safetensors.safe_open(path, framework="numpy") as file:
            names = file.keys()
            said, arrays = file.metadata(), {name: file.get_tensor(name) for name in names}
        assert said["game"] == game and said["format"] == "unbounded search"
        assert arrays["states"].shape[0] == arrays["nodes"].shape[0] == search.states
        assert arrays["edges"].shape == (search.edges, 2)
        for i in range(search.states):
            assert arrays["states"][i].tobytes() == search._core.state(i)
        whole = path.read_bytes()
        assert arrays["checksum"].tobytes() == hashlib.sha256(whole[:-32]).digest() == whole[-32:]


def repaired(data: bytes) -> bytes:
    """The same with a checksum that fits."""
    return data[:-32] + hashlib.sha256(data[:-32]).digest()


def with_metadata(data: bytes, **changes: Any) -> bytes:
    """The same saying something else of itself, with a checksum that fits."""
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    for name, value in changes.items():
        header["__metadata__"][name] = value if isinstance(value, str) else json.dumps(value)
    text = json.dumps(header).encode()
    return repaired(len(text).to_bytes(8, "little") + text + data[8 + length :])


def refused(path: Path, data: bytes, **options: Any) -> str:
    """Refuse a file, in one line, and leave it alone."""
    path.write_bytes(data)
    with pytest.raises(UsageError) as caught:
        Search.load(path, **options)
    message = str(caught.value)
    assert "\n" not in message and len(message) < 400
    assert path.read_bytes() == data
    return message


def test_files_that_are_none(tmp_path: Path) -> None:
    path = tmp_path / "a"
    for name in ("missing", "missing/a", "a\0b", ""):
        with pytest.raises(UsageError, match=r"does not exist|is not a file"):
            Search.load(tmp_path / name if name else "")
    with pytest.raises(UsageError, match="is not a file"):
        Search.load(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="is not a file"):
        Search.load(tmp_path / "pipe")
    for data in (b"", b"hello", bytes(100), b"\xff" * 100, b"{}" * 50, b"\n" * 5000):
        assert "no saved search, or damaged" in refused(path, data)


def test_files_that_say_something_else(tmp_path: Path) -> None:
    path = tmp_path / "a"
    search = Search("tic-tac-toe", moves="b2")
    search.run(iterations=10)
    search.save(path)
    good = path.read_bytes()
    numbers = json.loads(_metadata(good)["numbers"])
    options = json.loads(_metadata(good)["options"])
    for change, expected in (
        ({"version": "4"}, "newer version of this program (format 4; this one reads up to 3)"),
        ({"version": "0"}, "which version"),
        ({"format": "other"}, "does not say that it is one"),
        ({"game": "nim"}, "by other rules"),
        ({"game": "no-such-game"}, "unknown game"),
        ({"game": "./mine.py:Mine"}, "not allowed here"),
        ({"rules": "0"}, "by other rules"),
        ({"form": "objects"}, "without compiled rules"),
        ({"moves": ["a1"]}, "root is not where its moves lead"),
        ({"moves": ["z9"]}, "illegal move"),
        ({"moves": [1]}, "moves cannot be read"),
        ({"moves": "[["}, "moves cannot be read"),
        ({"seconds": "nan"}, "seconds cannot be read"),
        ({"options": {}}, "options are none of ours"),
        ({"options": {**options, "bounds": 1}}, "options are none of ours"),
        ({"options": {**options, "threads": 2, "stop_at_draw": True}}, "stop_at_draw"),
        ({"options": {**options, "bounds": True}}, "bounds that"),
        ({"options": {**options, "values": "resolved_completion"}}, "arrays are not those"),
        ({"options": {**options, "evaluation": "perfect"}}, "unknown evaluation"),
        ({"options": {**options, "hash_bits": 0}}, "hash_bits"),
        ({"numbers": {**numbers, "root": numbers["states"]}}, "no root"),
        ({"numbers": {**numbers, "states": 2**64}}, "numbers are none of ours"),
        ({"numbers": {**numbers, "states": 2**64 - 1}}, "arrays are not those"),
        ({"numbers": {**numbers, "states": 10**6}}, "arrays are not those"),
        ({"numbers": {**numbers, "states": -1}}, "numbers are none of ours"),
        ({"numbers": {**numbers, "proven": 5}}, "counts of probes"),
        ({"numbers": {**numbers, "layered": 2}}, "an unknown flag"),
        ({"numbers": {}}, "numbers are none of ours"),
    ):
        try:
            message = refused(path, with_metadata(good, **change))
        except BaseException as error:
            raise AssertionError(change) from error
        assert any(part in message for part in expected.split("|")), (change, message)
    assert "holds a search of tic-tac-toe, not of nim" in refused(path, good, game="nim")


def _metadata(data: bytes) -> dict[str, str]:
    length = int.from_bytes(data[:8], "little")
    said: dict[str, str] = json.loads(data[8 : 8 + length])["__metadata__"]
    return said


@pytest.mark.usefixtures("cached_fingerprints")
def test_every_flipped_bit_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a"
    game = ub.load_game("nim(heaps=[1,2])")
    search = Search(game)
    search.run(iterations=2)
    search.save(path)
    good = bytearray(path.read_bytes())
    assert len(good) < 2500
    accepted = []
    with path.open("r+b", buffering=0) as file:
        for bit in range(8 * len(good)):
            at, mask = divmod(bit, 8)
            os.pwrite(file.fileno(), bytes([good[at] ^ 1 << mask]), at)
            try:
                Search.load(path, game)
            except UsageError:
                pass
            else:
                accepted.append(bit)
            os.pwrite(file.fileno(), good[at : at + 1], at)
    assert accepted == []
    assert contents(Search.load(path, game)) == contents(search)


def mutated(data: bytes, random: Random) -> bytes:
    """The same with a few bytes changed, cut, doubled, or exchanged for telling ones."""
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
        at = random.randrange(len(changed))
        kind = random.random()
        if kind < 0.35:
            changed[at] ^= 1 << random.randrange(8)
        elif kind < 0.6:
            changed[at] = random.choice((0, 1, 2, 3, 4, 127, 128, 255, random.randrange(256)))
        elif kind < 0.8:
            word = random.choice((0, 1, 2**31 - 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1, len(data)))
            size = random.choice((2, 4, 8))
            changed[at : at + size] = word.to_bytes(8, "little")[:size]
        elif kind < 0.9:
            del changed[at : at + random.randint(1, 64)]
        else:
            changed[at:at] = changed[at : at + random.randint(1, 64)]
        if len(changed) < 40:
            break
    return bytes(changed)


@pytest.mark.usefixtures("cached_fingerprints")
def test_no_file_can_do_harm(tmp_path: Path) -> None:
    """Whatever is in a file: it is refused in good order, or it is a search that can be run."""
    path = tmp_path / "a"
    seeds = []
    for game, options in (
        ("tic-tac-toe", {}),
        ("tic-tac-toe", {"bounds": True, "canonical": True}),
        ("dots-and-boxes(rows=1)", {"bounds": True, "exact_score": True}),
        ("connect-four(width=4,height=4)", {"bounds": True, "probes": True}),
        ("nim(heaps=[2,3],players=3)", {"bounds": True, "probes": True}),
        ("graph", {}),
    ):
        search = Search(game, **options)
        search.run(iterations=12)
        search.save(path)
        seeds.append((search.game, path.read_bytes()))
    random = Random(int(os.environ.get("UNBOUNDED_FUZZ_SEED", "0")))
    opened = 0
    most = 0
    for case in range(DAMAGED):
        game, good = seeds[min(case % 9, len(seeds) - 1)]
        data = mutated(good, random)
        path.write_bytes(repaired(data) if case % 4 and len(data) > 32 else data)
        memory = process_memory()
        try:
            search = Search.load(path, random.choice((None, game)))
        except UsageError:
            continue
        finally:
            most = max(most, process_memory() - memory)
        opened += 1
        with contextlib.suppress(RuleError):  # it says something that the rules do not
            search.run(iterations=20, memory="16M", seconds=2)
            assert json.dumps(search.result.to_dict())
            assert all(why(search, action.action) for action in search.result.actions)
            assert search.to_rows()
    assert most < 64 << 20
    assert opened > DAMAGED // 100


def test_lengths_are_checked_before_memory_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "a"
    huge = {"states": {"dtype": "U8", "shape": [2**61, 1], "data_offsets": [0, 2**61]}}
    tracemalloc.start()
    for header in (
        huge,
        {"a": {"dtype": "U8", "shape": [2**61, 2**61], "data_offsets": [0, 0]}},
        {"a": {"dtype": "U8", "shape": [-1], "data_offsets": [0, -1]}},
        {"a": {"dtype": "U8", "shape": [True], "data_offsets": [0, 1]}},
        {"a": {"dtype": "F64", "shape": [1], "data_offsets": [0, 8]}},
        {"a": {"dtype": "U8", "shape": [1] * 9, "data_offsets": [0, 1]}},
        {"a": {"dtype": "U8", "shape": [32], "data_offsets": [0]}},
        {"a": [], "__metadata__": {"format": 1}},
        {"checksum": {"dtype": "U8", "shape": [31], "data_offsets": [0, 31]}},
        {},
        [],
    ):
        text = json.dumps(header).encode()
        refused(path, repaired(len(text).to_bytes(8, "little") + text + bytes(32)))
    deep = b"[" * 10**5
    refused(path, repaired(len(deep).to_bytes(8, "little") + deep + bytes(32)))
    for length in (2**20 + 1, 2**40, 2**64 - 1):
        refused(path, repaired(length.to_bytes(8, "little") + bytes(2**21)))
    assert tracemalloc.get_traced_memory()[1] < 64 << 20
    tracemalloc.stop()


# -- disks ----------------------------------------------------------------------------------------


@pytest.fixture
def on_disk(monkeypatch: pytest.MonkeyPatch) -> Callable[[atomic_files.Disk], None]:
    return lambda disk: monkeypatch.setattr(atomic_files, "DISK", disk)


def two_states(path: Path) -> tuple[Search, bytes, bytes]:
    """A search that is saved, what was saved, and what will be saved next."""
    search = Search("connect-four(width=4,height=4)")
    search.run(iterations=300)
    search._stopwatch.before = 1.0
    search.save(path)
    before = path.read_bytes()
    search.run(iterations=300)
    search._stopwatch.before = 2.0
    search.save(path)
    after = path.read_bytes()
    path.write_bytes(before)
    return search, before, after


ERRORS = (errno.ENOSPC, errno.EIO, errno.EROFS, errno.EACCES)


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("for_good", [False, True])
def test_a_disk_that_fails_at_any_call(
    error: int, for_good: bool, tmp_path: Path, on_disk: Callable[[atomic_files.Disk], None]
) -> None:
    path = tmp_path / "a"
    search, before, after = two_states(path)
    for call in range(1, 100):
        path.write_bytes(before)
        disk = FailingDisk(call, error, for_good=for_good)
        on_disk(disk)
        if not disk.failed and call > 60:
            break
        try:
            search.save(path)
        except OSError as failure:
            assert failure.errno == error
            assert path.read_bytes() in (before, after)
        else:
            assert disk.failed == 0
            assert path.read_bytes() == after
            break
        on_disk(atomic_files.Disk())
        assert list(tmp_path.iterdir()) == [path]  # nothing is left over
    assert call > 8


def test_a_disk_that_takes_little_at_a_time(
    tmp_path: Path, on_disk: Callable[[atomic_files.Disk], None]
) -> None:
    path = tmp_path / "a"
    search, _, after = two_states(path)
    on_disk(StingyDisk())
    search.save(path)
    assert path.read_bytes() == after


def solve_with(autosave: Autosave, progress: Callable[[Search], None] | None = None) -> Search:
    search = Search("dots-and-boxes", bounds=True)
    search.run(save=autosave, report_every=0.0, progress=progress)
    assert search.root.resolved
    return search


@pytest.mark.parametrize("error", ERRORS)
def test_a_solve_outlives_its_disk(
    error: int, tmp_path: Path, on_disk: Callable[[atomic_files.Disk], None]
) -> None:
    path = tmp_path / "a"
    _, before, _ = two_states(path)
    said: list[str] = []
    on_disk(FailingDisk(1, error, for_good=True))
    autosave = Autosave(path, every=0.0, share=1e9, tell=said.append)
    solve_with(autosave)
    assert len(said) == 1  # once for each kind of failure
    assert os.strerror(error) in said[0] and "what was saved before is still there" in said[0]
    assert autosave.failure == os.strerror(error)
    assert path.read_bytes() == before
    on_disk(FailingDisk(1, error))  # then there is room again
    said.clear()
    autosave = Autosave(path, every=0.0, share=1e9, tell=said.append)
    search = solve_with(autosave)
    assert len(said) == 1 and not autosave.failure
    assert contents(Search.load(path)) == contents(search)


def test_a_directory_that_vanishes_and_comes_back(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    said: list[str] = []
    for back in (False, True):
        folder.mkdir(exist_ok=True)
        autosave = Autosave(folder / "a", every=0.0, share=1e9, tell=said.append)
        seen: list[str] = []

        def disturb(search: Search, seen: list[str] = seen, back: bool = back) -> None:
            seen.append(search.autosave.failure if search.autosave else "")
            if len(seen) == 1:
                shutil.rmtree(folder)
            if back and len(seen) == 3:
                folder.mkdir()

        search = solve_with(autosave, disturb)
        if back and len(seen) > 3:
            assert not autosave.failure
            assert contents(Search.load(folder / "a")) == contents(search)
        elif not back:
            assert autosave.failure == os.strerror(errno.ENOENT)
    assert said and all("the search goes on" in line for line in said)


def test_power_cuts(tmp_path: Path, on_disk: Callable[[atomic_files.Disk], None]) -> None:
    """Writes that were not forced are lost, torn and reordered: there is the old file or the new.

    The same with a program that forces nothing shows that this test would notice.
    """
    path = tmp_path / "a"
    search, before, after = two_states(path)
    random = Random(1)
    for forced in (True, False):
        path.write_bytes(before)
        disk = RecordingDisk(sync=forced)
        on_disk(disk)
        search.save(path)
        found = set(after_power_cuts(disk.log, before, "a", random, 200))
        if forced:
            assert found == {before, after}
        else:
            assert len(found - {before, after}) > 10
    assert path.read_bytes() == after
    on_disk(atomic_files.Disk())
    for data in (before, after):
        path.write_bytes(data)
        Search.load(path)
    for data in sorted(found - {before, after})[:20]:
        refused(path, data)


def test_leftovers_of_the_killed_are_removed(tmp_path: Path) -> None:
    path = tmp_path / "a"
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    dead = [tmp_path / f".a.{process.pid}-0.partial", tmp_path / f".a.{os.getpid()}-0.partial"]
    alive = tmp_path / f".a.{os.getppid()}-0.partial"
    others = [tmp_path / f".b.{process.pid}-0.partial", tmp_path / ".a.partial", tmp_path / "a.1"]
    for file in (*dead, alive, *others):
        file.write_bytes(b"part")
    Search("nim").save(path)
    assert sorted(tmp_path.iterdir()) == sorted([path, alive, *others])


def test_links_stay_links(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    link, target = tmp_path / "a", tmp_path / "folder" / "b"
    link.symlink_to(target)
    Search("nim").save(link)
    assert link.is_symlink() and target.is_file()
    assert Search.load(link).states == 1


def test_killed_at_any_moment(tmp_path: Path) -> None:
    """Solves are killed: every file can be read, and nothing that was safe is lost."""
    count = repeated(60, soak=500)
    done = subprocess.run(
        [sys.executable, str(HERE / "killed_solves.py"), str(tmp_path), str(count)],
        capture_output=True,
        text=True,
        check=False,
        timeout=3600,
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen.pop("killed") == count
    assert seen.pop("told") > count // 4
    assert set(seen.values()) == {0}, (seen, done.stderr)


# -- how often ------------------------------------------------------------------------------------


def test_saving_takes_little_of_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock of our own: a save that takes long is made seldom."""
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    search = Search("nim")
    spent = 0.0

    def save(*_: Any) -> int:
        nonlocal spent
        spent += 7.0
        now[0] += 7.0
        return 10**6

    monkeypatch.setattr(checkpoints, "save", save)
    autosave = Autosave(tmp_path / "a")
    autosave.begin(search)
    saves = 0
    while now[0] < 100_000:
        now[0] += 0.2
        before = spent
        autosave.watch(search)
        saves += spent > before
        if now[0] < 30:
            assert saves == 0
    assert saves > 10
    assert spent / now[0] < 0.05


@pytest.mark.parametrize("every", [-1, float("nan"), "often", True])
def test_odd_intervals(every: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="save_every must be seconds"):
        Autosave(tmp_path / "a", every=every)


# -- the command line -----------------------------------------------------------------------------


def test_save_and_resume(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = str(tmp_path / "a.search")
    game = "connect-four(width=4,height=4)"
    assert main(["solve", game, "--no-probes", "--states", "500", "--json", "--save", file]) == 3
    first = json.loads(capsys.readouterr().out)
    assert not first["resolved"] and first["stopped"] == "states"
    assert main(["solve", "--resume", file, "--states", "700", "--json"]) == 3
    second = json.loads(capsys.readouterr().out)
    assert second["states"] > first["states"] and second["seconds"] > first["seconds"]
    assert Search.load(file).states == second["states"]  # saved there again
    elsewhere = str(tmp_path / "b.search")
    assert main(["solve", game, "--resume", file, "--save", elsewhere, "--json"]) == 0
    third = json.loads(capsys.readouterr().out)
    assert third["outcome"] == [0, 0] and third["resolved"]
    assert Search.load(file).states == second["states"]
    assert Search.load(elsewhere).root.resolved
    before = Path(elsewhere).read_bytes()
    assert main(["analyze", "--resume", elsewhere]) == 0
    assert "proven: draw" in capsys.readouterr().out
    assert Path(elsewhere).read_bytes() == before  # analyze only looks


def test_resuming_what_does_not_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.search"
    assert main(["solve", "tic-tac-toe", "--iterations", "5", "--save", str(file), "-q"]) == 3
    before = file.read_bytes()
    bad = tmp_path / "bad"
    bad.write_bytes(before[:-1])
    folder = tmp_path / "no" / "a"
    for arguments, expected in (
        (["--resume", str(bad)], "damaged"),
        (["--resume", str(tmp_path / "none")], "there is no file"),
        (["nim", "--resume", str(file)], "holds a search of tic-tac-toe, not of nim"),
        (
            ["--resume", str(file), "--algorithm", "descent"],
            "algorithm ubfm, not with --algor",
        ),
        (["--resume", str(file), "--no-bounds"], "without --no-bounds, not with --no-bounds"),
        (["--resume", str(file), "--moves", "a1"], "without --moves, not with --moves a1"),
        (["--resume", str(file), "--exact-score"], "without --exact-score, not with --exact-score"),
        (["--resume", str(file), "--seed", "3"], "with --seed 0, not with --seed 3"),
        (["--resume", str(file), "--all"], "was not made by --all"),
        ([], "give a game, or --resume FILE"),
        (["nim", "--save-every", "3"], "--save-every needs --save FILE"),
        (["nim", "--save", str(file)], "exists already"),
        (["nim", "--save", str(folder)], "no such directory"),
        (["nim", "--save", str(tmp_path)], "it is a directory"),
        (["nim", "--save", str(tmp_path / "x"), "--save-every", "-1"], "save_every must be"),
    ):
        capsys.readouterr()
        assert main(["solve", *arguments]) == 2, arguments
        out, err = capsys.readouterr()
        assert out == "" and expected in err and err.count("\n") == 1, (arguments, err)
    assert file.read_bytes() == before
    assert main(["solve", "--resume", str(file), "--algorithm", "ubfm", "-q"]) == 0


def test_strong_solving_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(tmp_path / "a")
    given = ["solve", "--all", "--json"]
    assert main([*given, "dots-and-boxes", "--states", "500", "--save", file]) == 3
    assert not json.loads(capsys.readouterr().out)["resolved"]
    assert main([*given, "--resume", file]) == 0
    resumed = json.loads(capsys.readouterr().out)
    assert main([*given, "dots-and-boxes"]) == 0
    assert resumed["plies"] == json.loads(capsys.readouterr().out)["plies"]


def test_what_could_not_be_saved_is_said(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    on_disk: Callable[[atomic_files.Disk], None],
) -> None:
    on_disk(FailingDisk(1, errno.ENOSPC, for_good=True))
    assert main(["solve", "tic-tac-toe", "--json", "--save", str(tmp_path / "a")]) == 1
    out, err = capsys.readouterr()
    assert json.loads(out)["outcome"] == [0, 0]
    assert err.count("\n") == 1 and "cannot be written (No space left on device)" in err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_saves(number: int, tmp_path: Path) -> None:
    file = tmp_path / "a"
    # Slow enough to be saved before it fills any memory.
    arguments = ["solve", "connect-four", "--no-probes", "--evaluation", "playouts(500)", "--json"]
    process = subprocess.Popen(
        [*PROGRAM, *arguments, "--save", str(file), "--save-every", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    end = time.monotonic() + 60
    while not file.exists():
        assert time.monotonic() < end and process.poll() is None
        time.sleep(0.02)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 3, err
    result = json.loads(out)
    assert result["stopped"] == "interrupted"
    search = Search.load(file)
    assert search.iterations == result["iterations"]
    assert not list(tmp_path.glob(".*"))


def test_progress_says_when_it_was_saved(tmp_path: Path) -> None:
    from unbounded.interfaces.terminal.console import Terminal
    from unbounded.interfaces.terminal.progress import drawing

    seen: list[str] = []
    console = Terminal()

    def look(search: Search) -> None:
        with console.capture() as shown:
            console.print(drawing(search, console, analysis=False))
        seen.append(shown.get())

    solve_with(Autosave(tmp_path / "a", every=0.0, share=1e9), look)
    assert any("saved" in picture and "not yet" in picture for picture in seen)
    assert any("s ago, " in picture for picture in seen)
