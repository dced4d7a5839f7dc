# SPDX-License-Identifier: MIT
"""A run is a folder: its settings, every generation's network, the games, metrics and plots.

A generation is complete once `latest.json` names it. That file is written last, after everything it
names is on the disk: a run that is killed at any moment goes on from the generation that
`latest.json` names, and what was written after it does not count.
"""

from __future__ import annotations

import contextlib
import datetime
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from unbounded.game import Game, UnboundedError, UsageError, require
from unbounded.game.catalogue import is_named
from unbounded.learning.generations import Generation, Saved
from unbounded.learning.run_files import (
    SaveError,
    digest,
    failing_clearly,
    read_json,
    read_state,
    sync,
    write_games,
    write_json,
    write_state,
)
from unbounded.learning.settings import LearnSettings, settings_of
from unbounded.storage import atomic_files
from unbounded.storage.folder_lock import NAME as LOCK
from unbounded.storage.folder_lock import FolderLock
from unbounded.version import VERSION

__all__ = ["Generation", "RunFolder", "SaveError", "Saved", "is_run"]

FORMAT = "unbounded run"
FORMAT_VERSION = 1

CONFIG, LATEST, RETREAT, LOG = "config.json", "latest.json", "retreat.json", "log.txt"
METRICS = "metrics.jsonl"
GENERATIONS, STATES, GAMES, TENSORBOARD, PLOTS = (
    "generations",
    "state",
    "games",
    "tensorboard",
    "plots",
)
STATES_KEPT = 2
"""How many generations can be resumed from: the newest, and one in case its files are damaged."""
WriteNetwork = Callable[[Path], None]
"""Writes a network to the path, and what belongs to it under the same stem (`.onnx`)."""
Tell = Callable[[str], None]


class RunFolder:
    """The folder of a run; made by `create` or `open`."""

    def __init__(self, path: Path, config: Mapping[str, Any], lock: FolderLock | None) -> None:
        self.path = path
        self.settings = settings_of(config["settings"])
        self.game_name = str(config["game"])
        """The game string with all parameters, as network files have it."""
        self._lock = lock

    # -- making and opening -----------------------------------------------------------------------

    @classmethod
    def create(
        cls, path: str | os.PathLike[str], settings: LearnSettings, game: Game[Any, Any]
    ) -> RunFolder:
        """Make the folder of a new run; refuse one that holds anything but a run without networks.

        Such a run ended before anything was learned; it is begun anew.
        """
        folder = Path(path)
        require(not folder.exists() or folder.is_dir(), f"{folder} is not a folder")
        if is_run(folder) and any((folder / GENERATIONS).glob("*")):
            raise UsageError(
                f"{folder} holds a run already: go on with it by `resume`, or choose another folder"
            )
        others = [] if is_run(folder) or not folder.is_dir() else folder.iterdir()
        if any(not _is_left_by_create(x.name) for x in others):
            raise UsageError(f"{folder} is not empty, and is no run: choose another folder")
        config = {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "program": VERSION,
            "game": str(game),
            "settings": settings.to_dict(),
        }
        with failing_clearly(folder, "the run was not begun"):
            folder.mkdir(parents=True, exist_ok=True)
            run = cls(folder, config, FolderLock(folder))
            try:
                write_json(folder / CONFIG, config)
                run._make_folders()
            except BaseException:
                run.close()
                raise
        return run

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        game: Game[Any, Any] | None = None,
        *,
        read_only: bool = False,
    ) -> RunFolder:
        """Open a run; refuse what is no run, a run of another game, and a newer format.

        read_only: only look, also while another process uses it.
        """
        folder = Path(path)
        require(folder.is_dir(), f"there is no folder {folder}")
        require(
            (folder / CONFIG).is_file(), f"{folder} is not the folder of a run: no {CONFIG} in it"
        )
        config = _read_config(folder)
        name = str(config["game"])
        require(
            game is None or is_named(game, name),
            f"{folder} is a run of {name}, not of {game}: choose another folder",
        )
        run = cls(folder, config, None)
        if not read_only:
            run._lock = FolderLock(folder)
            with failing_clearly(folder, "the run cannot be resumed"):
                run._make_folders()
        return run

    def _make_folders(self) -> None:
        for name in (GENERATIONS, STATES, GAMES, TENSORBOARD, PLOTS):
            (self.path / name).mkdir(exist_ok=True)

    def close(self) -> None:
        """Let other processes use the folder."""
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- generations ------------------------------------------------------------------------------

    @property
    def latest(self) -> int | None:
        """The number of the newest complete generation; None before the first."""
        said = self._latest()
        return None if said is None else said.generation

    @property
    def counters(self) -> dict[str, Any] | None:
        """What the newest complete generation has counted; None before the first."""
        said = self._latest()
        return None if said is None else said.counters

    def network_path(self, generation: int) -> Path:
        """Where the network of a generation is, or will be."""
        return self.path / GENERATIONS / f"{generation:05d}.safetensors"

    def network_paths(self) -> dict[int, Path]:
        """The networks of all complete generations, oldest first."""
        latest = self.latest
        found = (int(x.stem) for x in (self.path / GENERATIONS).glob("*.safetensors"))
        numbers = sorted(k for k in found if latest is not None and k <= latest)
        return {k: self.network_path(k) for k in numbers}

    def save_generation(
        self,
        generation: int,
        write_network: WriteNetwork,
        trainer_state: Mapping[str, Any],
        counters: Mapping[str, Any],
        games: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Write a generation; `SaveError` says what failed, and leaves the last one in force.

        trainer_state: tensors and plain values, nested as needed; no NumPy arrays.
        counters: plain values for JSON. games: plain values for JSON, one per finished game.
        Append the generation's row of metrics before: rows after the saved generation are cut off
        when the run is resumed.
        """
        latest = self.latest
        assert latest is None or generation > latest, "a complete generation is never replaced"
        with failing_clearly(self.path, f"generation {generation} was not saved"):
            try:
                manifest = self._write(generation, write_network, trainer_state, counters, games)
                write_json(self.path / LATEST, manifest)
            except BaseException:
                if self.latest != generation:
                    self._remove(generation)
                raise
            self._drop_states(generation)

    def _write(
        self,
        generation: int,
        write_network: WriteNetwork,
        trainer_state: Mapping[str, Any],
        counters: Mapping[str, Any],
        games: Sequence[Mapping[str, Any]],
    ) -> dict[str, Any]:
        """Write all files of a generation but `latest.json`; return what that one will say."""
        self._remove(generation)  # of an attempt that was cut short, perhaps with another network
        network, state = self.network_path(generation), self._state_path(generation)
        write_network(network)
        write_state(state, trainer_state)
        write_games(self.path / GAMES / f"{generation:05d}.jsonl.gz", games)
        needed = sorted((self.path / GENERATIONS).glob(f"{generation:05d}.*"))
        manifest = {
            "generation": generation,
            "network": self._inside(network),
            "state": self._inside(state),
            "counters": dict(counters),
            "files": {self._inside(x): digest(x) for x in [*needed, state]},
        }
        for path in needed:  # the network may have been written by others
            sync(path)
        write_json(self._manifest_path(generation), manifest)
        return manifest

    def load_latest(self, tell: Tell | None = None) -> Saved | None:
        """Read the newest generation whose files are intact; None before the first.

        `tell` is given a line if that is not the newest; then that one is forgotten.
        """
        found = self.newest_intact(tell)
        return None if found is None else self._load(found)

    def newest_intact(self, tell: Tell | None = None) -> Generation | None:
        """Find the generation that `load_latest` reads, and forget later ones as it does."""
        newest = self._latest()
        if newest is None:
            return None
        problems: list[str] = []
        for candidate in (newest, *self._older(newest.generation)):
            problem = candidate.problem(self.path)
            if not problem:
                if problems:
                    self._forget_after(candidate, problems[0], tell)
                return candidate
            problems.append(problem)
        raise UsageError(
            f"{self.path} cannot be resumed: {'; '.join(problems)}. The networks in {GENERATIONS}/ "
            "that are intact can still be used; begin a new run in another folder"
        )

    def retreat(self, why: str) -> Saved:
        """Go back to the newest generation with half the learning rate, after a loss of NaN.

        A second retreat to the same generation is refused: the run ends there.
        """
        newest = self._latest()
        before = read_json(self.path / RETREAT) if (self.path / RETREAT).is_file() else {}
        if newest is None or before.get("generation") == newest.generation:
            again, at = "", "before the first generation"
            if newest is not None:
                again = " again, with half the learning rate"
                at = f"after generation {newest.generation}"
            raise UnboundedError(
                f"{why}{again}: the run ends {at}; what was saved is intact. Begin a new run with "
                "a lower --learning-rate"
            )
        factor = _factor(before) / 2
        with failing_clearly(self.path, "the run ends"):
            write_json(
                self.path / RETREAT, {"generation": newest.generation, "learning_rate": factor}
            )
        self.log(f"{why}: back to generation {newest.generation}, learning rate times {factor:g}")
        saved = self.load_latest(self.log)
        assert saved is not None
        return saved

    # -- the log and the results ------------------------------------------------------------------

    def log(self, line: str) -> None:
        """Add a line with the time to `log.txt`; a log that cannot be written is no failure."""
        now = datetime.datetime.now().astimezone().isoformat(timespec="seconds")
        with contextlib.suppress(OSError), (self.path / LOG).open("a", encoding="utf-8") as file:
            file.write(f"{now} {' '.join(line.split())}\n")

    def write_json(self, name: str, value: Any) -> None:
        """Write a file of results, such as `report.json`."""
        with failing_clearly(self.path, f"{name} was not written"):
            write_json(self.path / name, value)

    def write_text(self, name: str, text: str) -> None:
        """Write a file of text, such as `report.md`."""
        with failing_clearly(self.path, f"{name} was not written"):
            atomic_files.replace(self.path / name, lambda put: put(text.encode()))

    # -- parts ------------------------------------------------------------------------------------

    def _inside(self, path: Path) -> str:
        return path.relative_to(self.path).as_posix()

    def _state_path(self, generation: int) -> Path:
        return self.path / STATES / f"{generation:05d}.pt"

    def _manifest_path(self, generation: int) -> Path:
        return self.path / GENERATIONS / f"{generation:05d}.json"

    def _latest(self) -> Generation | None:
        path = self.path / LATEST
        if not path.is_file():
            return None
        try:
            return Generation.read(path)
        except UsageError:  # damaged: the manifests say the same
            return next(self._older(None), None)

    def _older(self, newest: int | None) -> Iterator[Generation]:
        """The generations before this one that a run may go on from, newest first."""
        numbers = sorted((int(x.stem) for x in (self.path / STATES).glob("*.pt")), reverse=True)
        for number in numbers:
            manifest = self._manifest_path(number)
            if (newest is None or number < newest) and manifest.is_file():
                with contextlib.suppress(UsageError):
                    yield Generation.read(manifest)

    def _load(self, candidate: Generation) -> Saved:
        retreat = self.path / RETREAT
        return Saved(
            candidate.generation,
            self.path / candidate.network,
            read_state(self.path / candidate.state),
            candidate.counters,
            _factor(read_json(retreat)) if retreat.is_file() else 1.0,
        )

    def _forget_after(self, candidate: Generation, problem: str, tell: Tell | None) -> None:
        """Make an older generation the newest, and say why."""
        if self._lock is not None:
            with failing_clearly(self.path, "the run cannot be resumed"):
                write_json(self.path / LATEST, asdict(candidate))
        if tell is not None:
            tell(f"{self.path}: {problem}: going on from generation {candidate.generation}")

    def _remove(self, generation: int) -> None:
        """Remove the files of a generation that is not complete."""
        stem = f"{generation:05d}"
        for folder in (GENERATIONS, STATES, GAMES):
            for path in (self.path / folder).glob(f"{stem}.*"):
                with contextlib.suppress(OSError):
                    atomic_files.DISK.remove(path)

    def _drop_states(self, newest: int) -> None:
        """Keep the states of the last generations only: they are large."""
        numbers = sorted(int(x.stem) for x in (self.path / STATES).glob("*.pt"))
        for number in [k for k in numbers if k <= newest][:-STATES_KEPT]:
            with contextlib.suppress(OSError):
                atomic_files.DISK.remove(self._state_path(number))


def is_run(path: str | os.PathLike[str]) -> bool:
    """Whether a folder is that of a run."""
    config = Path(path) / CONFIG
    try:
        return config.is_file() and read_json(config).get("format") == FORMAT
    except UsageError:
        return False


def _is_left_by_create(name: str) -> bool:
    """Whether a file may be what a program that was killed while it made a run has left."""
    return name == LOCK or name.startswith(f".{CONFIG}.")


def _read_config(folder: Path) -> dict[str, Any]:
    config = read_json(folder / CONFIG)
    require(config.get("format") == FORMAT, f"{folder} is not the folder of a run")
    version = config.get("version")
    require(
        isinstance(version, int) and 1 <= version <= FORMAT_VERSION,
        f"{folder} was made by a newer version of this program (format {version}, here "
        f"{FORMAT_VERSION}): update the package",
    )
    require(
        isinstance(config.get("settings"), dict) and isinstance(config.get("game"), str),
        f"{folder / CONFIG} is damaged: game or settings are missing",
    )
    return config


def _factor(retreat: Mapping[str, Any]) -> float:
    return float(retreat.get("learning_rate", 1.0))
