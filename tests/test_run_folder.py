# SPDX-License-Identifier: MIT
"""A run survives what happens to programs, disks and folders."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from checkpoint_disks import FailingDisk
from fake_learning import STATES, learn, total_at, write_network

import unbounded as ub
from unbounded.game import UnboundedError, UsageError
from unbounded.learning import run_files
from unbounded.learning.metrics import Metrics, numbers_of, read_rows
from unbounded.learning.run_files import SaveError, read_games, write_games
from unbounded.learning.run_folder import RunFolder, is_run
from unbounded.learning.settings import LearnSettings
from unbounded.storage import atomic_files

TIC_TAC_TOE = ub.load_game("tic-tac-toe")
SETTINGS = LearnSettings(game="tic-tac-toe")


def run_of(path: Path, generations: int) -> Path:
    """A run with so many generations after the first, which is 0."""
    with RunFolder.create(path, SETTINGS, TIC_TAC_TOE) as folder:
        learn(TIC_TAC_TOE, LearnSettings(generations=generations), folder, lambda _: False)
    return path


def contents(path: Path) -> dict[str, bytes]:
    return {str(x.relative_to(path)): x.read_bytes() for x in path.rglob("*") if x.is_file()}


# -- saving and loading ---------------------------------------------------------------------------


def test_a_generation_is_loaded_as_it_was_saved(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", 3)
    with RunFolder.open(run, TIC_TAC_TOE) as folder:
        saved = folder.load_latest()
        assert saved is not None and folder.latest == saved.generation == 3
        assert int(saved.trainer_state["total"][0]) == total_at(3)
        assert saved.counters == {"expanded": 3 * STATES, "seconds": 3.0}
        assert saved.learning_rate_factor == 1.0
        assert saved.network == folder.network_path(3) and saved.network.is_file()
        assert sorted(folder.network_paths()) == [0, 1, 2, 3]
        assert folder.settings == SETTINGS and folder.game_name == str(TIC_TAC_TOE)
    kept = sorted(x.name for x in (run / "state").iterdir())
    assert kept == ["00002.pt", "00003.pt"]
    latest = json.loads((run / "latest.json").read_text())
    assert latest["generation"] == 3 and latest["network"] == "generations/00003.safetensors"
    assert "generations/00003.onnx" in latest["files"]
    assert len(read_games(run / "games" / "00003.jsonl.gz")) == 3


def test_a_new_run_has_no_generation(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path / "deep" / "run", SETTINGS, TIC_TAC_TOE) as folder:
        assert folder.latest is None and folder.load_latest() is None
        assert folder.network_paths() == {}
    assert is_run(tmp_path / "deep" / "run") and not is_run(tmp_path)


def test_many_games_are_sampled(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl.gz"
    write_games(file, [{"moves": [str(k)]} for k in range(3 * run_files.MOST_GAMES)])
    kept = [int(game["moves"][0]) for game in read_games(file)]
    assert kept == list(range(0, 3 * run_files.MOST_GAMES, 3))
    before = file.read_bytes()
    write_games(file, [{"moves": [str(k)]} for k in range(3 * run_files.MOST_GAMES)])
    assert file.read_bytes() == before
    write_games(file, [])
    assert read_games(file) == []


def test_a_state_cannot_run_code(tmp_path: Path) -> None:
    import pickle

    import torch

    class Evil:
        def __reduce__(self) -> Any:
            return os.mkdir, (str(tmp_path / "evil"),)

    torch.save({"x": Evil()}, tmp_path / "evil.pt")
    with pytest.raises(pickle.UnpicklingError):
        run_files.read_state(tmp_path / "evil.pt")
    assert not (tmp_path / "evil").exists()


# -- folders that are refused ---------------------------------------------------------------------


def test_a_run_of_another_game_is_refused(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", 1)
    before = contents(run)
    with pytest.raises(UsageError, match="is a run of tic-tac-toe, not of nim"):
        RunFolder.open(run, ub.load_game("nim"))
    assert contents(run) == before


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("{", "damaged"),
        ("[]", "damaged"),
        ('{"format": "something"}', "is not the folder of a run"),
        ('{"format": "unbounded run", "version": 2}', "newer version"),
        ('{"format": "unbounded run", "version": 1}', "game or settings are missing"),
        ('{"format": "unbounded run", "version": 1, "game": "nim", "settings": {"x": 1}}', "x"),
        (
            '{"format": "unbounded run", "version": 1, "game": "nim", "settings": {"pool": "a"}}',
            "pool must be",
        ),
    ],
)
def test_what_is_no_run_is_refused(tmp_path: Path, config: str, message: str) -> None:
    (tmp_path / "config.json").write_text(config)
    with pytest.raises(UsageError, match=message):
        RunFolder.open(tmp_path)


def test_folders_that_hold_something_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    before = contents(tmp_path)
    with pytest.raises(UsageError, match="is not empty, and is no run"):
        RunFolder.create(tmp_path, SETTINGS, TIC_TAC_TOE)
    with pytest.raises(UsageError, match=r"no config\.json"):
        RunFolder.open(tmp_path)
    with pytest.raises(UsageError, match="is not a folder"):
        RunFolder.create(tmp_path / "thesis.txt", SETTINGS, TIC_TAC_TOE)
    with pytest.raises(UsageError, match="there is no folder"):
        RunFolder.open(tmp_path / "nowhere")
    assert contents(tmp_path) == before
    run = run_of(tmp_path / "run", 1)
    with pytest.raises(UsageError, match="holds a run already"):
        RunFolder.create(run, SETTINGS, TIC_TAC_TOE)


def test_two_processes_do_not_use_one_folder(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "run", SETTINGS, TIC_TAC_TOE)
    with pytest.raises(UsageError, match="in use by another process"):
        RunFolder.open(folder.path)
    RunFolder.open(folder.path, read_only=True)
    folder.close()
    RunFolder.open(folder.path).close()


def test_a_run_without_networks_is_begun_anew(tmp_path: Path) -> None:
    RunFolder.create(tmp_path / "run", SETTINGS, TIC_TAC_TOE).close()
    nim = ub.load_game("nim")
    with RunFolder.create(tmp_path / "run", LearnSettings(game="nim", seed=3), nim) as folder:
        with pytest.raises(UsageError, match="in use by another process"):
            RunFolder.create(tmp_path / "run", SETTINGS, TIC_TAC_TOE)
        assert folder.game_name == "nim"
    assert RunFolder.open(tmp_path / "run", nim, read_only=True).settings.seed == 3


# -- damage ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["generations/00003.safetensors", "state/00003.pt"])
@pytest.mark.parametrize("damage", ["truncated", "changed", "removed"])
def test_a_damaged_generation_is_not_used(tmp_path: Path, name: str, damage: str) -> None:
    run = run_of(tmp_path / "run", 3)
    data = bytearray((run / name).read_bytes())
    data[len(data) // 2] ^= 1
    match damage:
        case "truncated":
            (run / name).write_bytes(data[: len(data) // 2])
        case "changed":
            (run / name).write_bytes(data)
        case "removed":
            (run / name).unlink()
    told: list[str] = []
    with RunFolder.open(run) as folder:
        saved = folder.load_latest(told.append)
        assert saved is not None and saved.generation == folder.latest == 2
        assert int(saved.trainer_state["total"][0]) == total_at(2)
        assert len(told) == 1 and name in told[0] and "generation 2" in told[0]
        learn(TIC_TAC_TOE, LearnSettings(generations=4), folder, lambda _: False)
        again = folder.load_latest()
    assert again is not None and int(again.trainer_state["total"][0]) == total_at(4)
    assert [row["generation"] for row in read_rows(run / "metrics.jsonl")] == [0, 1, 2, 3, 4]


def test_a_run_with_no_intact_state_is_refused(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", 3)
    for state in (run / "state").iterdir():
        state.write_bytes(b"")
    before = contents(run)
    with (
        RunFolder.open(run) as folder,
        pytest.raises(UsageError, match=r"00003\.pt .*00002\.pt .*a new run"),
    ):
        folder.load_latest()
    assert contents(run) == before


def test_a_damaged_latest_json_is_replaced_by_the_manifests(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", 3)
    (run / "latest.json").write_text('{"generation": 3')
    with RunFolder.open(run) as folder:
        saved = folder.load_latest()
    assert saved is not None and saved.generation == 3


# -- no space left --------------------------------------------------------------------------------


def calls_of_a_save(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    disk = FailingDisk(0, errno.ENOSPC)
    with RunFolder.open(run_of(tmp_path / "counted", 1)) as folder, monkeypatch.context() as patch:
        patch.setattr(atomic_files, "DISK", disk)
        save_second(folder)
    return disk.calls


def save_second(folder: RunFolder) -> None:
    import torch

    total = torch.full((2_000,), total_at(2))
    games = [{"moves": ["1"]}]
    folder.save_generation(2, lambda path: write_network(path, 2), {"total": total}, {}, games)


def test_a_full_disk_leaves_the_run_usable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = calls_of_a_save(tmp_path, monkeypatch)
    assert calls > 15
    run = run_of(tmp_path / "run", 1)
    for fail_at in range(1, calls + 1):
        before = contents(run)
        with RunFolder.open(run) as folder:
            with monkeypatch.context() as patch:
                patch.setattr(atomic_files, "DISK", FailingDisk(fail_at, errno.ENOSPC))
                with pytest.raises(SaveError, match=r"No space left .* is intact; free some space"):
                    save_second(folder)
            if folder.latest == 2:  # only the folder's own entry was not forced to the disk
                assert fail_at >= calls - 1
                break
            assert contents(run) == before
            saved = folder.load_latest()
            assert saved is not None and saved.generation == 1
    with RunFolder.open(run) as folder:
        learn(TIC_TAC_TOE, LearnSettings(generations=3), folder, lambda _: False)
        saved = folder.load_latest()
    assert saved is not None and int(saved.trainer_state["total"][0]) == total_at(3)


def test_no_run_begins_on_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(atomic_files, "DISK", FailingDisk(2, errno.ENOSPC))
        with pytest.raises(SaveError, match="the run was not begun: No space left"):
            RunFolder.create(tmp_path / "run", SETTINGS, TIC_TAC_TOE)
    run_of(tmp_path / "run", 1)


# -- a loss that is no number ---------------------------------------------------------------------


def test_one_retreat_from_each_generation(tmp_path: Path) -> None:
    with RunFolder.open(run_of(tmp_path / "run", 2)) as folder:
        saved = folder.retreat("the loss is NaN")
        assert (saved.generation, saved.learning_rate_factor) == (2, 0.5)
        with pytest.raises(UnboundedError, match=r"NaN again, .* rate: .* generation 2; .*lower"):
            folder.retreat("the loss is NaN")
        learn(TIC_TAC_TOE, LearnSettings(generations=3), folder, lambda _: False)
        saved = folder.retreat("the loss is NaN")
        assert (saved.generation, saved.learning_rate_factor) == (3, 0.25)
    with RunFolder.open(tmp_path / "run") as folder:
        again = folder.load_latest()
        assert again is not None and again.learning_rate_factor == 0.25
    assert "NaN" in (tmp_path / "run" / "log.txt").read_text()


def test_there_is_no_retreat_before_the_first_generation(tmp_path: Path) -> None:
    with (
        RunFolder.create(tmp_path / "run", SETTINGS, TIC_TAC_TOE) as folder,
        pytest.raises(UnboundedError, match="before the first generation"),
    ):
        folder.retreat("the loss is NaN")


# -- kill -9 --------------------------------------------------------------------------------------


def test_killed_at_any_moment_a_run_goes_on(tmp_path: Path) -> None:
    """Killed again and again while it saves; nothing that was saved is lost or counted twice."""
    program = Path(__file__).parent / "killed_runs.py"
    kills = 400 if os.environ.get("UNBOUNDED_SOAK") else 24
    ended = subprocess.run(
        [sys.executable, str(program), str(tmp_path / "run"), str(kills)],
        check=False,
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    seen = json.loads(ended.stdout)
    assert seen["kills"] == kills and seen["generations"] > kills / 8
    assert seen["unfinished"] > 0, "some kills came in the middle of a save"


# -- metrics --------------------------------------------------------------------------------------


def test_a_torn_line_is_dropped(tmp_path: Path) -> None:
    file = tmp_path / "metrics.jsonl"
    metrics = Metrics(file)
    for k in range(3):
        metrics.append({"generation": k, "states": k, "loss": float("nan") if k == 1 else 0.1})
    whole = file.read_bytes()
    for length in range(0, len(whole), 3):
        file.write_bytes(whole[:length])
        Metrics(file, after=9).append({"generation": 9})
        rows = read_rows(file)
        assert [row["generation"] for row in rows] == [*range(whole[:length].count(b"\n")), 9]
    file.write_bytes(whole)
    assert read_rows(file)[1]["loss"] is None
    Metrics(file, after=1)
    assert [row["generation"] for row in read_rows(file)] == [0, 1]


def test_numbers_have_names() -> None:
    row = {"loss": 1, "name": "x", "on": True, "yardstick": {"T2": {"alone": 0.5}}, "plies": [1, 2]}
    assert dict(numbers_of(row)) == {"loss": 1.0, "yardstick/T2/alone": 0.5}


def test_events_for_tensorboard(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    for after in (None, 1):
        metrics = Metrics(tmp_path / "metrics.jsonl", tmp_path / "events", after=after)
        for k in range(0 if after is None else after + 1, 4):
            value = k if after is None else 10 * k
            metrics.append({"generation": k, "states": 100 * k, "loss": value})
        metrics.close()
    events = EventAccumulator(str(tmp_path / "events")).Reload()
    assert [(x.step, x.value) for x in events.Scalars("loss")] == [
        (0, 0.0),
        (100, 1.0),
        (200, 20.0),
        (300, 30.0),
    ]


def test_without_tensorboard_there_is_one_notice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    told: list[str] = []
    metrics = Metrics(tmp_path / "metrics.jsonl", tmp_path / "events", tell=told.append)
    metrics.append({"generation": 0, "states": 0})
    metrics.cut(0)
    assert len(told) == 1 and "pip install 'unbounded[learn]'" in told[0]
    assert len(read_rows(tmp_path / "metrics.jsonl")) == 1
