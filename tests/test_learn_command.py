# SPDX-License-Identifier: MIT
"""`unbounded learn` with a fake learner: what it refuses and shows, how it ends and goes on."""

from __future__ import annotations

import json
import re
import shutil
import signal
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fake_learning
import pytest
from fake_learning import progress_at
from random_networks import random_ntuple
from rich.console import Console
from test_cli import Here, here, is_one_line  # noqa: F401

import unbounded as ub
import unbounded.learning
from unbounded.evaluation import network_file
from unbounded.game import Game, UsageError
from unbounded.interfaces.cli import judging
from unbounded.interfaces.cli.flags import flag_of
from unbounded.interfaces.terminal.curves import curve
from unbounded.interfaces.terminal.learning import (
    History,
    LinesView,
    clock,
    drawing,
    learning_view,
)
from unbounded.learning.defaults import default_opening
from unbounded.learning.metrics import read_rows, row_of
from unbounded.learning.plots import MatchShare, draw_plots
from unbounded.learning.progress import Progress, Report
from unbounded.learning.run_files import SaveError
from unbounded.learning.run_folder import RunFolder
from unbounded.learning.run_yardsticks import PERFECT_GAMES
from unbounded.learning.settings import (
    BY_DEVICE,
    LearnSettings,
    learn_settings,
    settings_of,
)
from unbounded.search.descriptions import described

PAGE = Path(__file__).parent.parent / "docs" / "learning.md"
TIC_TAC_TOE = ub.load_game("tic-tac-toe")


class FakeLoop(types.ModuleType):
    """Stands for `unbounded.learning.loop`; remembers what it was called with."""

    def __init__(self) -> None:
        super().__init__("unbounded.learning.loop")
        self.settings: list[LearnSettings] = []
        self.learner = fake_learning.learn

    def learn(
        self, game: Game[Any, Any], settings: LearnSettings, folder: RunFolder, report: Report
    ) -> None:
        self.settings.append(settings)
        self.learner(game, settings, folder, report)


@pytest.fixture
def loop(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[FakeLoop]:
    fake = FakeLoop()
    monkeypatch.setitem(sys.modules, fake.__name__, fake)
    monkeypatch.setattr(unbounded.learning, "loop", fake, raising=False)
    monkeypatch.setattr(judging, "draw", lambda folder: None)  # which takes a second
    monkeypatch.chdir(tmp_path)
    return fake


DRAW = judging.draw


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two generations, which is the end of it."""
    path = tmp_path_factory.mktemp("finished") / "run"
    settings = LearnSettings(game="tic-tac-toe", generations=2)
    with RunFolder.create(path, settings, TIC_TAC_TOE) as folder:
        fake_learning.learn(TIC_TAC_TOE, settings, folder, lambda _: False)
    return path


def learned(here: Here, run: str = "run", generations: int = 2) -> None:  # noqa: F811
    words = ("--run", run, "--generations", str(generations), "--judge", "0", "--quiet")
    assert here("learn", "tic-tac-toe", *words) == 0, here.err


# -- a run from its beginning to its end ----------------------------------------------------------


def test_a_run_is_begun_and_resumed(
    here: Here,  # noqa: F811
    loop: FakeLoop,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    learned(here)
    monkeypatch.setattr(judging, "draw", DRAW)
    said = "generation 2 is saved in run; go on with: unbounded learn --resume --run run"
    assert f"{said} --generations 4\n" in here.err
    assert re.search(r"generations +2 *\n", here.out) and "tic-tac-toe" in here.out
    assert here("learn", "--resume", "--run", "run", "--generations", "4", "--judge", "0") == 0
    with RunFolder.open("run", TIC_TAC_TOE) as folder:
        assert folder.latest == 4 and folder.settings.generations == 2
    assert [row["generation"] for row in read_rows(Path("run/metrics.jsonl"))] == [0, 1, 2, 3, 4]
    assert [x.generations for x in loop.settings] == [2, 4]
    names = {x.name for x in Path("run/plots").iterdir()}
    assert {"loss.png", "yardsticks.png", "speed.png", "plies.png"} <= names


def test_settings_reach_the_learner_complete(here: Here, loop: FakeLoop) -> None:  # noqa: F811
    words = "--seed 7 --exploration epsilon_greedy --no-completion --epsilon 0.1 --pool 0"
    more = "--generations 0 --run run --judge 0 --device cpu --threads 2"
    assert here("learn", "tic-tac-toe", *words.split(), *more.split()) == 0, here.err
    (got,) = loop.settings
    assert (got.seed, got.exploration, got.epsilon, got.pool) == (7, "epsilon-greedy", 0.1, 0.0)
    assert not got.completion and got.threads == 2 and got.device == "cpu"
    assert {name: getattr(got, name) for name in BY_DEVICE["cpu"]} == BY_DEVICE["cpu"]
    assert (got.values, got.score, got.opening) == ("minimax", "depth", 3)
    stored = json.loads(Path("run/config.json").read_text())["settings"]
    assert stored["exploration"] == "epsilon-greedy" and stored["games"] is None
    # Chosen when the run is begun: on another device it would be another one.
    assert stored["network"] == "ntuple"


def test_a_folder_is_named_after_the_game(here: Here, loop: FakeLoop) -> None:  # noqa: F811
    game = "connect-four(width=5,height=4)"
    assert here("learn", game, "--generations", "0", "--judge", "0", "--quiet") == 0, here.err
    (folder,) = Path("runs").iterdir()
    assert re.fullmatch(r"connect-four-width-5-height-4-\d{8}-\d{6}", folder.name)


def test_progress_for_programs(here: Here, loop: FakeLoop) -> None:  # noqa: F811
    words = ("--run", "run", "--generations", "1", "--judge", "0", "--json")
    assert here("learn", "tic-tac-toe", *words) == 0
    *lines, last = map(json.loads, here.out.splitlines())
    assert [Progress(**line["progress"]).generation for line in lines] == [0, 1]
    assert last["generation"] == 1 and last["report"] is None and here.err == ""


def test_ctrl_c_ends_a_run_in_good_order(here: Here, loop: FakeLoop) -> None:  # noqa: F811
    def learner(game: Any, settings: LearnSettings, folder: RunFolder, report: Report) -> None:
        def interrupted(progress: Progress) -> bool:
            if progress.generation == 3:
                signal.raise_signal(signal.SIGINT)
            return report(progress)

        fake_learning.learn(game, settings, folder, interrupted)

    loop.learner = learner
    assert here("learn", "tic-tac-toe", "--run", "run", "--judge", "0") == 0
    assert "generation 3 is saved in run; go on with: unbounded learn --resume" in here.err


def test_a_second_ctrl_c_ends_a_run_at_once(here: Here, loop: FakeLoop) -> None:  # noqa: F811
    def learner(game: Any, settings: LearnSettings, folder: RunFolder, report: Report) -> None:
        def interrupted(progress: Progress) -> bool:
            if progress.generation == 2:
                signal.raise_signal(signal.SIGINT)
                signal.raise_signal(signal.SIGINT)
            return report(progress)

        fake_learning.learn(game, settings, folder, interrupted)

    loop.learner = learner
    assert here("learn", "tic-tac-toe", "--run", "run", "--judge", "0", "-q") == 128 + 2
    assert "generation 1 is saved in run; go on with" in here.err
    assert here("learn", "--resume", "--run", "run", "--generations", "1", "-q") == 2


def test_the_report_of_a_run(
    here: Here,  # noqa: F811
    loop: FakeLoop,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    learned(here)
    assert here("learn", "--run", "run", "--report") == 0
    assert "not judged yet: unbounded learn --run run --report --judge 2" in here.out
    match = {"opponent": "MCTS", "share": 0.75, "low": 0.6, "high": 0.9, "games": 40}
    more = {"won": 30, "drawn": 0, "lost": 10, "seconds_per_move": 0.05}
    report = {"verdict": "It learns.", "matches": [match | more], "yardsticks": []}
    Path("run/report.json").write_text(json.dumps(report))
    monkeypatch.setattr(judging, "draw", DRAW)
    assert here("learn", "--run", "run", "--report") == 0
    assert Path("run/plots/matches.png").exists()
    assert "It learns." in here.out and re.search(r"MCTS +75 % +60 to 90 % +30 +0 +10", here.out)
    assert here("learn", "--run", "run", "--report", "--json") == 0
    assert json.loads(here.out)["report"] == report


# -- bad input ------------------------------------------------------------------------------------


def contents(path: Path) -> dict[str, bytes]:
    return {str(x.relative_to(path)): x.read_bytes() for x in path.rglob("*") if x.is_file()}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "which game? Say its name"),
        ("nothing-like-it", "unknown game"),
        ("tic-tac-toe --resume", "which run? Give its folder with --run"),
        ("--resume --run nowhere", "there is no folder nowhere"),
        ("--report --run nowhere", "there is no folder nowhere"),
        ("--report --run run --seed 1", "--report does not learn: leave out the settings"),
        ("tic-tac-toe --run other", "other is not empty, and is no run"),
        ("--resume --run other", "other is not the folder of a run"),
        ("tic-tac-toe --run run", "go on with it by --resume"),
        ("nim --resume --run run", "run is a run of tic-tac-toe, not of nim"),
        ("--resume --run run --seed 3", "begun with --seed 0, not with --seed 3"),
        ("--resume --run run --no-completion", "begun without --no-completion, not with --no-co"),
        ("--resume --run run --network dense", "begun with --network auto, not with --network d"),
        ("--resume --run run", "run has reached its end, 2 generations: go on with more --gen"),
        ("--resume --run run --generations 5 --states 1", "has reached its end, 1 states"),
        ("--resume --run run --generations 5 --minutes 0.01", "has reached its end, 0.01 minutes"),
        ("tic-tac-toe --network densse", "unknown network 'densse' (did you mean 'dense'?)"),
        ("tic-tac-toe --network residual(rooms=3)", "network residual has no parameter 'rooms'"),
        ("tic-tac-toe --exploration bold", "unknown exploration 'bold'"),
        ("tic-tac-toe --pool 1.5", "--pool must be from 0 to 1, not 1.5"),
        ("tic-tac-toe --pool nan", "--pool must be from 0 to 1, not nan"),
        ("tic-tac-toe --games 0", "--games must be from 1 to"),
        ("tic-tac-toe --minutes -1", "--minutes must be a number, 0 or more, not -1.0"),
        ("tic-tac-toe --minutes soon", "--minutes must be a number, not 'soon'"),
        ("tic-tac-toe --judge -1", "--judge must be 0 or more"),
        ("tic-tac-toe --score game", "needs a game with a score of its own; tic-tac-toe has none"),
        ("rolit(players=3) --values minimax", "minimax needs two players and zero sum"),
        ("domineering --network ntuple", "an ntuple network does not fit domineering"),
        ("othello --network ntuple(rooms=3)", "network ntuple has no parameter 'rooms'"),
    ],
)
def test_bad_input_is_one_line_and_changes_nothing(
    *,
    here: Here,  # noqa: F811
    loop: FakeLoop,
    tmp_path: Path,
    finished: Path,
    words: str,
    message: str,
) -> None:
    shutil.copytree(finished, tmp_path / "run")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("mine")
    before = contents(tmp_path)
    assert here("learn", *words.split()) == 2, here.out
    assert message in here.err
    is_one_line(here.err)
    assert contents(tmp_path) == before


WITHOUT_ENCODE = '''
import unbounded as ub

class Bare(ub.Game):
    """Take one or two of five sticks."""
    players, zero_sum = 2, True

    def initial(self):
        return 5, 0

    def player(self, state):
        return state[1]

    def actions(self, state):
        return [k for k in (1, 2) if k <= state[0]]

    def next(self, state, action):
        return state[0] - action, 1 - state[1]

    def outcome(self, state):
        return (-1, 1) if state[1] == 0 else (1, -1)
'''


def test_a_game_without_encode_is_refused(here: Here, loop: FakeLoop, tmp_path: Path) -> None:  # noqa: F811
    (tmp_path / "bare.py").write_text(WITHOUT_ENCODE)
    assert here("learn", "bare.py:Bare", "--run", "run") == 2
    assert "has no encode" in here.err and "add the rule encode" in here.err
    assert "docs/hooks.md" in here.err and not Path("run").exists()
    is_one_line(here.err)


def test_a_game_that_does_not_compile_is_refused(here: Here, loop: FakeLoop) -> None:  # noqa: F811
    encode = "    planes = (1, 1, 1)\n\n    def encode(self, state):\n        return [state[0]]\n"
    Path("shown.py").write_text(WITHOUT_ENCODE + "\n" + encode)
    assert here("learn", "shown.py:Bare", "--run", "run") == 2
    assert "self-play needs rules that compile" in here.err and not Path("run").exists()
    is_one_line(here.err)


def test_learning_needs_pytorch(
    here: Here,  # noqa: F811
    loop: FakeLoop,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = __import__("importlib.util").util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name, *x: None if name == "torch" else found(name, *x)
    )
    assert here("learn", "tic-tac-toe", "--run", "run") == 2
    assert "learning needs PyTorch: pip install 'unbounded[learn]'" in here.err
    assert not Path("run").exists()


def test_cuda_must_be_there(
    here: Here,  # noqa: F811
    loop: FakeLoop,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert here("learn", "tic-tac-toe", "--run", "run", "--device", "cuda") == 2
    assert "--device cuda needs an NVIDIA GPU" in here.err and not Path("run").exists()


def test_a_run_in_use_is_refused(here: Here, loop: FakeLoop) -> None:  # noqa: F811
    learned(here)
    with RunFolder.open("run"):
        assert here("learn", "--resume", "--run", "run", "--generations", "9") == 2
    assert "run is in use by another process" in here.err


def test_a_run_that_cannot_be_saved_says_so(here: Here, loop: FakeLoop) -> None:  # noqa: F811
    def learner(game: Any, settings: LearnSettings, folder: RunFolder, report: Report) -> None:
        raise SaveError("run: generation 3 was not saved: No space left on device; free some space")

    learned(here)
    loop.learner = learner
    assert here("learn", "--resume", "--run", "run", "--generations", "9") == 1
    assert "No space left on device; free some space" in here.err
    is_one_line(here.err)


def test_a_game_from_a_file_must_be_named_again(
    here: Here,  # noqa: F811
    loop: FakeLoop,
    tmp_path: Path,
) -> None:
    mine = "from unbounded.games.nim import Nim\n\nclass Mine(Nim):\n    pass\n"
    (tmp_path / "mine.py").write_text(mine)
    words = ("--run", "run", "--judge", "0", "-q")
    assert here("learn", "mine.py:Mine", "--generations", "1", *words) == 0, here.err
    assert "go on with: unbounded learn mine.py:Mine --resume --run run" in here.err
    more = ("--resume", "--generations", "3", *words)
    assert here("learn", *more) == 2
    assert "run is of a game from a file, which must be named too" in here.err
    assert here("learn", "mine.py:Mine", *more) == 0, here.err


# -- settings -------------------------------------------------------------------------------------


def test_every_setting_is_described() -> None:
    for about in described(LearnSettings):
        assert about.help.endswith(".") and about.group and about.kinds, about.name
        assert bool(about.metavar) == (bool not in about.kinds), about.name
        assert bool(about.off_flag) == bool(about.off_help), about.name
        if about.default is not None and about.name != "game":
            about.check(about.default)
    assert "pool_size: Number of past networks" in str(LearnSettings.__doc__)


def test_settings_survive_json() -> None:
    settings = LearnSettings(game="nim", epsilon=0.25, minutes=3, completion=False)
    assert settings_of(json.loads(json.dumps(settings.to_dict()))) == settings
    for wrong in ({"pol": 1}, {"pool": None}, {"pool": True}, {"seed": 1.5}, {"network": 3}):
        with pytest.raises(UsageError):
            settings_of(wrong)


def test_openings_are_shorter_than_games() -> None:
    assert [default_opening(ub.load_game(x)) for x in ("tic-tac-toe", "othello")] == [3, 30]


def test_the_page_lists_every_setting() -> None:
    """The table in docs/learning.md has the flags and the help texts of the settings."""
    rows = re.findall(r"^\| `(--[\w-]+)` \| (.*) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    expected = [(flag_of(x.name), x.off_help if x.off_flag else x.help) for x in learn_settings()]
    assert rows == expected, "run python docs/make_settings.py"


# -- what is shown --------------------------------------------------------------------------------


def shown(width: int, progress: Progress, history: History, foot: str = "") -> list[str]:
    console = Console(
        width=width, height=24, file=None, record=True, quiet=False, color_system=None
    )
    with console.capture() as captured:
        console.print(drawing(progress, history, "tic-tac-toe in run", width, foot))
    return captured.get().splitlines()


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_live_view_fits(width: int) -> None:
    history = History([row_of(progress_at(k)) for k in range(40)])
    lines = shown(width, progress_at(40), history)
    assert max(map(len, lines)) <= width and len(lines) <= 16
    if width >= 80:
        text = "\n".join(lines)
        for said in ("0:40", "40 k, 1 k/s", "400, 20.0 moves each", "first wins 55 %, drawn 5 %"):
            assert said in text
        assert "98.8 %" in text and "50.0 %" in text, "the scale of the curve"


def test_the_first_picture_has_no_numbers() -> None:
    start = Progress(0.0, -1, 0, 0.0, 0, note="compiling the rules")
    assert "compiling the rules" in "\n".join(shown(80, start, History([])))


def test_curves() -> None:
    rising = curve([(0, 0), (1, 1)], 4, 2)
    assert [len(line) for line in rising] == [4, 4]
    assert rising[0][0] == "⠀" and rising[1][-1] == "⠀", "from the bottom left to the top right"
    assert rising[1][0] != "⠀" and rising[0][-1] != "⠀"
    falling = curve([(0, 1), (1, 0)], 4, 2)
    assert falling[0][0] != "⠀" and falling[1][-1] != "⠀"
    assert curve([], 3, 1) == ["⠀⠀⠀"]
    flat = curve([(0, 5), (1, 5)], 3, 1)
    assert len(set(flat[0])) == 1 and flat[0] != "⠀⠀⠀"
    assert curve([(0, 1), (0, 2)], 1, 1)[0] != "⠀"


def test_lines_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    view = LinesView()
    for k in (0, 1, 9, 10, 11, 25):
        view.show(progress_at(k), stopping=False)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(",")[1] for line in lines] == [f" generation {k}" for k in (0, 10, 25)]
    assert lines[1].startswith("unbounded: 0:10,") and "value-keeping 95.5 %" in lines[1]


def test_quiet_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with learning_view("x", [], quiet=True, as_json=False) as view:
        view.show(progress_at(1), stopping=False)
    assert capsys.readouterr() == ("", "")


def test_clock() -> None:
    assert [clock(x) for x in (0.9, 59.9, 61, 3723)] == ["0:00", "0:59", "1:01", "1:02:03"]


def test_plots_are_pictures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    rows = [row_of(progress_at(k), yardsticks={"T3": 0.5}, by_ply=[1, 2]) for k in range(3)]
    matches = [MatchShare("MCTS", 0.6, 0.5, 0.7, 40)]
    made = draw_plots(tmp_path / "plots", rows, matches, title="tic-tac-toe")
    names = ["loss", "yardsticks", "speed", "plies", "matches"]
    assert [x.stem for x in made] == names
    assert all(x.read_bytes().startswith(b"\x89PNG") for x in made)
    assert draw_plots(tmp_path / "none", []) == []


# -- judging --------------------------------------------------------------------------------------


@pytest.fixture
def judged(tmp_path: Path) -> Iterator[RunFolder]:
    """A run with two random networks."""
    with RunFolder.create(
        tmp_path / "run", LearnSettings(game="tic-tac-toe"), TIC_TAC_TOE
    ) as folder:
        for k in range(2):
            network = random_ntuple(TIC_TAC_TOE, tuples=8, seed=k)
            folder.save_generation(
                k, lambda path, network=network: network_file.write(path, network), {}, {}
            )
        yield folder


def test_a_run_is_judged(
    judged: RunFolder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By all positions of a small game, a perfect opponent, and matches."""
    monkeypatch.setattr("unbounded.solving.solve.available_cores", lambda: 1)  # no new processes
    monkeypatch.setattr(judging, "SECONDS_PER_MOVE", (0.001, 0.001))
    monkeypatch.setattr(judging, "MOST_GAMES", 4)
    said: list[str] = []
    report = judging.final_report(judged, TIC_TAC_TOE, 0.5, say=said.append)
    assert set(report["measured"]) == {"first", "network", "searched"} | (
        {"heuristic"} if TIC_TAC_TOE.has_evaluation else set()
    )
    assert all(x["positions"] > 100 for x in report["measured"].values())
    assert report["measured"]["searched"]["value_keeping"] > 0.9
    assert sum(report["perfect"][x] for x in ("won", "drawn", "lost")) == PERFECT_GAMES
    assert report["perfect"]["won"] == 0, "tic-tac-toe is a draw"
    names = [x["opponent"] for x in report["matches"]]
    assert names[0] == "the first network" and names[-1] == "MCTS" and len(names) == 3
    assert all(x["games"] == 4 and x["low"] <= x["share"] <= x["high"] for x in report["matches"])
    assert "before training" in report["verdict"] and said
    judging._store(judged, report)
    judging.show(judged, as_json=False)
    out = capsys.readouterr().out
    assert "newest network, 600 states a move" in out and "perfect opponent" in out
    page = (judged.path / "report.md").read_text()
    assert page.startswith("# tic-tac-toe\n") and "| MCTS | " in page
    assert json.loads((judged.path / "report.json").read_text()) == report


def test_ctrl_c_ends_the_judgement_with_what_is_known(
    judged: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(judging, "_measured", interrupted)
    report = judging.final_report(judged, TIC_TAC_TOE, 0.5)
    assert report["interrupted"] and report["matches"] == []
    assert report["verdict"] == "Nothing was measured that says whether it learns."
    whole = report | {"interrupted": False, "verdict": "It learns."}
    judging._store(judged, whole)
    monkeypatch.setattr(judging, "draw", lambda folder: None)
    judging.judge(judged, TIC_TAC_TOE, 0.5, quiet=True, as_json=True)
    assert judging.report_in(judged) == whole, "an unfinished report does not replace a whole one"


def test_shares_and_opponents() -> None:
    assert judging.share_of(0) == 0.5 and judging.share_of(float("inf")) > 0.999
    networks = {0: Path("g/0.safetensors"), 5: Path("a b/5.safetensors")}
    first, zero, mcts = judging.opponents_of(ub.load_game("hex"), networks, 5)
    assert first[0] == "the first network" and "g/0.safetensors" in first[1]
    assert zero[1].startswith("ubfm(rule=safest,evaluation=") and mcts == ("MCTS", "mcts")
    assert len(judging.opponents_of(ub.load_game("hex"), {0: networks[0]}, 0)) == 2
