# SPDX-License-Identifier: MIT
"""Whole runs of a second: the same again, killed, ended early, and with losses that are lost."""

from __future__ import annotations

import gzip
import json
import math
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from broken_games import Sound
from self_playing import SMALL, THREE, learn_settings
from test_self_play import EncodesNoNumber, FailsLate

import unbounded as ub
from unbounded.evaluation import network_file
from unbounded.game import RecordGame, RuleError, UnboundedError, UsageError
from unbounded.learning import loop
from unbounded.learning.loop import Learner, learn
from unbounded.learning.progress import Report
from unbounded.learning.run_folder import RunFolder
from unbounded.learning.training import LossNotFinite, Trainer


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def run(
    path: Path, text: str = SMALL, report: Report | None = None, **changed: Any
) -> tuple[Learner, RunFolder]:
    game = ub.load_game(text)
    settings = learn_settings(game, **changed)
    with RunFolder.create(path, settings, game) as folder:
        return learn(game, settings, folder, report), folder


def network_bytes(folder: RunFolder) -> list[bytes]:
    """Of every generation, without what it says about itself, which has the time in it."""
    found = [network_file.read(path) for path in folder.network_paths().values()]
    return [b"".join(x.tobytes() for x in each.tensors.values()) for each in found]


@pytest.mark.parametrize(
    ("text", "network"),
    [
        (SMALL, "ntuple(tuples=8,length=3)"),
        ("tic-tac-toe", "dense(8)"),
        (THREE, "dense(8)"),
        (SMALL, "residual(channels=4,blocks=1)"),
    ],
)
def test_equal_seeds_give_equal_runs(text: str, network: str, tmp_path: Path) -> None:
    first = [run(tmp_path / name, text, network=network)[1] for name in ("a", "b")]
    one, two = (network_bytes(folder) for folder in first)
    assert len(one) >= 3
    # The last two are equal if nothing was trained between them.
    assert len(set(one)) >= len(one) - 1
    assert one == two
    games = [sorted((folder.path / "games").iterdir()) for folder in first]
    assert [x.read_bytes() for x in games[0]] == [x.read_bytes() for x in games[1]]
    other = network_bytes(run(tmp_path / "c", text, network=network, seed=1)[1])
    assert other[0] != one[0]


def test_what_a_run_leaves(tmp_path: Path) -> None:
    learner, folder = run(tmp_path / "run", "tic-tac-toe")
    rows = [json.loads(x) for x in (folder.path / "metrics.jsonl").read_text().splitlines()]
    assert [row["generation"] for row in rows] == list(range(len(rows)))
    last = rows[-1]
    assert last["states"] >= 1500
    assert last["loss"] < rows[1]["loss"] * 2
    # Every state is drawn a bounded number of times.
    assert 0 < last["trained"] <= last["added"] * learner.settings.reuse
    assert sum(last["by_ply"]) >= last["added"] / 2
    game = learner.game
    with gzip.open(folder.path / "games" / "00001.jsonl.gz", "rt") as file:
        games = [json.loads(line) for line in file]
    for played in games:
        state = game.initial()
        for action in played["moves"]:
            state = game.next(state, game.actions(state)[action])
        assert len(played["values"]) == 2
    assert games


def test_a_run_that_was_killed_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "run"
    program = [sys.executable, str(Path(__file__).parent / "killed_learning.py"), str(path)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        safe = next(int(line) for line in process.stdout if int(line) >= 2)
        process.kill()
    game = ub.load_game(SMALL)
    with RunFolder.open(path, game) as folder:
        before = folder.latest
        assert before is not None
        assert before >= safe
        saved = folder.load_latest()
        assert saved is not None
        settings = replace(folder.settings, states=saved.counters["expanded"] + 800)
        learner = learn(game, settings, folder)
        assert folder.latest is not None
        assert folder.latest > before
        assert learner.counters.trained > saved.counters["trained"]
        assert learner.trainer.steps > saved.trainer_state["trainer"]["steps"]
    rows = [json.loads(x) for x in (path / "metrics.jsonl").read_text().splitlines()]
    assert [row["generation"] for row in rows] == list(range(len(rows)))
    states = [row["states"] for row in rows]
    assert states == sorted(states)


def test_ending_by_request_saves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "REPORT_SECONDS", 0.0)
    seen: list[int] = []

    def report(progress: Any) -> bool:
        seen.append(progress.trained)
        return progress.trained > 0

    learner, folder = run(tmp_path / "run", report=report, states=None)
    assert seen[-1] > 0
    assert max(seen[:-1]) == 0
    latest = folder.latest
    assert latest is not None
    saved = json.loads((folder.path / "latest.json").read_text())
    assert saved["counters"]["trained"] == learner.counters.trained == seen[-1]
    assert network_file.read(folder.network_path(latest)).kind == "dense"


@pytest.mark.parametrize("limit", ["minutes", "states", "generations"])
def test_a_limit_of_zero_ends_at_once(limit: str, tmp_path: Path) -> None:
    learner, folder = run(tmp_path / "run", **({"states": None} | {limit: 0}))
    assert learner.counters.trained == 0
    assert folder.latest == 1


def test_generations_are_as_many_as_asked_for(tmp_path: Path) -> None:
    learner, folder = run(tmp_path / "run", states=None, generations=2)
    assert folder.latest == 2
    trained = learner.counters.trained
    with RunFolder.open(tmp_path / "run") as opened:
        longer = replace(learner.settings, generations=3, generation_states=200)
        assert learn(learner.game, longer, opened).counters.trained in range(
            trained + 1, 2 * trained
        )
        assert opened.latest == 3


MODULE = """
import torch

class Mine(torch.nn.Module):
    def __init__(self, planes, players, outputs):
        super().__init__()
        p, h, w = planes
        self.norm = torch.nn.BatchNorm2d(p)
        self.last = torch.nn.Linear(p * h * w, outputs)

    def forward(self, planes, movers):
        return torch.tanh(self.last(self.norm(planes).flatten(1)))
"""


def test_a_resumed_run_plays_against_the_past_of_a_class_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MODULE)
    changed = {"network": f"{tmp_path / 'mine.py'}:Mine", "states": None}
    learner, folder = run(tmp_path / "run", generations=2, generation_states=200, **changed)
    with RunFolder.open(tmp_path / "run") as opened:
        again = Learner(learner.game, learner.settings, opened, lambda progress: False)
        again.play.close()
        assert again._share_of_past == learner.settings.pool
        # The speed is that of this session.
        assert again._last_counts[1] == again._expanded() > 0
        past = [x.state_dict()["last.weight"].numpy() for x in again.past.networks]
    saved = [network_file.read(folder.network_path(k)).tensors["last.weight"] for k in (1, 2)]
    assert [x.tobytes() for x in past] == [x.tobytes() for x in saved]
    assert past[0].tobytes() != past[1].tobytes()


def test_every_lesson_is_added_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    delivered, pieces = [], []
    keep, add = Learner._keep, Learner._add_to_replay

    def count_delivered(learner: Learner, lessons: Any) -> None:
        delivered.extend(lessons["states"].tobytes())
        keep(learner, lessons)

    def count_added(learner: Learner, lessons: Any) -> None:
        pieces.append(lessons["states"].tobytes())
        add(learner, lessons)

    monkeypatch.setattr(Learner, "_keep", count_delivered)
    monkeypatch.setattr(Learner, "_add_to_replay", count_added)
    learner, _ = run(tmp_path / "run", states=20_000, batch=32, replay=4000)
    waiting = b"".join(x["states"].tobytes() for x in learner._waiting)
    assert bytes(delivered) == b"".join(pieces) + waiting
    size = learner.table.route.state_bytes
    assert learner.counters.added == sum(map(len, pieces)) // size
    assert len(pieces[-1]) >= 4 * 32 * size  # many at once, when training has begun
    with RunFolder.open(tmp_path / "run") as opened:
        again = Learner(learner.game, learner.settings, opened, lambda progress: False)
        again._waiting = [{}]  # of games that begin anew
        again.play.close()
        again._go_on_from(opened.load_latest(opened.log))
        again.play.close()
        assert again._waiting == []


def test_the_past_is_what_it_was(tmp_path: Path) -> None:
    """N-tuple networks are trained in place: the pool has copies."""
    changed = {"network": "ntuple(tuples=4,length=3)", "generation_states": 300}
    learner, folder = run(tmp_path / "run", **changed, pool_size=99)
    assert len(learner.past.networks) > 2
    paths = list(folder.network_paths().values())[1:]
    for network, path in zip(learner.past.networks, paths, strict=True):
        saved = network_file.read(path).tensors["tables"]
        assert network.tables.numpy().tobytes() == saved.tobytes()


def test_without_a_pool_no_networks_are_kept(tmp_path: Path) -> None:
    learner, folder = run(tmp_path / "run", pool=0.0, generation_states=200)
    assert (folder.latest or 0) > 2
    assert learner.past.networks == []


# -- losses that are not finite -------------------------------------------------------------------


def losing(monkeypatch: pytest.MonkeyPatch, losses: int) -> list[float]:
    """Make the training fail so often, after a while; returns the factors of the rate then."""
    step, factors = Trainer.step, []

    def broken(self: Trainer, *batch: Any) -> Any:
        if self.steps >= 40 and len(factors) < losses:
            factors.append(self.rate_factor)
            raise LossNotFinite("the loss is nan")
        return step(self, *batch)

    monkeypatch.setattr(Trainer, "step", broken)
    return factors


def test_a_lost_loss_goes_back_with_half_the_rate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    factors = losing(monkeypatch, 1)
    learner, folder = run(tmp_path / "run")
    assert factors == [1.0]
    assert learner.trainer.rate_factor == 0.5
    assert learner.counters.trained > 1000
    assert "back to generation 1" in (folder.path / "log.txt").read_text()
    rows = [json.loads(x) for x in (folder.path / "metrics.jsonl").read_text().splitlines()]
    assert [row["generation"] for row in rows] == list(range(len(rows)))


def test_a_loss_that_is_lost_again_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    factors = losing(monkeypatch, 5)
    with pytest.raises(UnboundedError, match="lower --learning-rate"):
        run(tmp_path / "run")
    assert factors == [1.0, 0.5]
    with RunFolder.open(tmp_path / "run") as folder:
        assert folder.latest == 1
        assert len(network_bytes(folder)) == 2


def test_memory_of_the_gpu_that_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One clear line, and the run is usable."""
    step = Trainer.step

    def full(self: Trainer, *batch: Any) -> Any:
        if self.steps == 3:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB")
        return step(self, *batch)

    monkeypatch.setattr(Trainer, "step", full)
    with pytest.raises(UsageError, match="memory of cpu is full: begin another run"):
        run(tmp_path / "run")
    monkeypatch.setattr(Trainer, "step", step)
    with RunFolder.open(tmp_path / "run") as folder:
        game, settings = ub.load_game(SMALL), folder.settings
        assert learn(game, settings, folder).trainer.steps > 3


def test_reports_show_no_loss_that_is_not_finite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A curve or JSON cannot show it; what happens then is in the log."""
    monkeypatch.setattr(loop, "REPORT_SECONDS", 0.0)
    seen: list[float | None] = []

    def report(progress: Any) -> bool:
        seen.append(progress.loss)
        return len([x for x in seen if x is not None]) > 5

    step, times = Trainer.step, []

    def broken(self: Trainer, *batch: Any) -> Any:
        times.append(self.steps)
        loss = step(self, *batch)
        return loss * float("nan") if len(times) == 2 else loss

    monkeypatch.setattr(Trainer, "step", broken)
    run(tmp_path / "run", report=report)
    assert None in seen[seen.index(next(x for x in seen if x is not None)) :]
    assert all(x is None or math.isfinite(x) for x in seen)


@pytest.mark.parametrize(
    "network", ["dense(8)", "ntuple(tuples=4,length=3)", "residual(channels=4,blocks=1)"]
)
def test_weights_that_are_lost_in_training(
    network: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Self-play notices before the loss is looked at."""
    step, times = Trainer.step, []

    def broken(self: Trainer, *batch: Any) -> Any:
        if self.steps == 39 and not times:
            times.append(self.steps)
            for parameter in self.module.parameters():
                parameter.data.fill_(float("nan"))
        return step(self, *batch)

    monkeypatch.setattr(Trainer, "step", broken)
    learner, folder = run(tmp_path / "run", network=network)
    assert times
    assert learner.trainer.rate_factor == 0.5
    assert "back to generation" in (folder.path / "log.txt").read_text()
    weights = network_file.read(folder.network_path(folder.latest or 0)).tensors
    assert all((abs(x.astype(float)) < 1e6).all() for x in weights.values())


# -- games that fail ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (EncodesNoNumber, r"encode\(left=1.*ZeroDivisionError"),
        (FailsLate, r"next\(left=2.*IndexError"),
    ],
)
def test_rules_that_fail(made: type[RecordGame], words: str, tmp_path: Path) -> None:
    game = made()
    settings = learn_settings(ub.load_game("tic-tac-toe"))
    folder = RunFolder.create(tmp_path / "run", settings, game)
    with folder, pytest.raises(RuleError, match=words):
        learn(game, settings, folder)


def test_a_game_without_encode(tmp_path: Path) -> None:
    game = Sound()
    settings = learn_settings(ub.load_game(SMALL))
    folder = RunFolder.create(tmp_path / "run", settings, game)
    with folder, pytest.raises(UsageError, match="no encode"):
        learn(game, settings, folder)


# -- annealing ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("law", "given", "first", "last"),
    [
        ("ordinal", None, 0.0, 1.0),
        ("ordinal", 0.5, 0.0, 0.5),
        ("epsilon-greedy", None, 1.0, 0.0),
        ("epsilon-greedy", 0.25, 1.0, 0.25),
    ],
)
def test_annealing_reaches_the_core(
    law: str, given: float | None, first: float, last: float, tmp_path: Path
) -> None:
    learner, _ = run(tmp_path / "run", anneal=True, exploration=law, epsilon=given)
    progress = learner._progress()
    assert progress >= 1
    assert learner._epsilon() == pytest.approx(last)
    play: Any = learner.play
    told = play.core.settings.exploration.epsilon
    assert min(first, last) < told < max(first, last)  # that of the last turn


def test_without_annealing_epsilon_is_left_alone(tmp_path: Path) -> None:
    learner, _ = run(tmp_path / "run")
    play: Any = learner.play
    assert learner._epsilon() is None
    assert play.core.settings.exploration.epsilon == -1


def test_a_network_is_worth_what_the_games_scores_are(tmp_path: Path) -> None:
    """Learned in units of its own, stored in those of the game, where a search uses it."""
    learner, folder = run(tmp_path / "run", "dots-and-boxes(rows=1,columns=2)", score="depth")
    latest = folder.latest
    assert latest is not None
    assert learner.shape.scale == 1
    assert network_file.read(folder.network_path(latest)).scale == 2
