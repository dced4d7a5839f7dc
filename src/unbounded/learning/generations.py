# SPDX-License-Identifier: MIT
"""A generation of a run: what its manifest says, and whether its files are intact."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from unbounded.game import require
from unbounded.learning.run_files import digest, read_json


@dataclass(frozen=True)
class Saved:
    """A complete generation, as it was saved."""

    generation: int
    network: Path
    trainer_state: dict[str, Any]
    """What `RunFolder.save_generation` was given."""
    counters: dict[str, Any]
    learning_rate_factor: float = 1.0
    """What the learning rate is to be multiplied by: halved by every `RunFolder.retreat`."""


@dataclass(frozen=True)
class Generation:
    """What `generations/00012.json` and `latest.json` say of a generation."""

    generation: int
    network: str
    """The path of the network in the folder."""
    state: str
    counters: dict[str, Any]
    files: dict[str, str]
    """Checksums (SHA-256) of the files that it needs."""

    @classmethod
    def read(cls, path: Path) -> Generation:
        """Read a manifest."""
        said = read_json(path)
        kinds = {"generation": int, "network": str, "state": str, "counters": dict, "files": dict}
        require(
            all(isinstance(said.get(name), kind) for name, kind in kinds.items()),
            f"{path} is damaged: it does not describe a generation",
        )
        return cls(**{x.name: said[x.name] for x in fields(cls)})

    def problem(self, folder: Path) -> str:
        """What is wrong with its files; empty if they are intact."""
        for name, expected in self.files.items():
            path = folder / name
            if not path.is_file():
                return f"{name} is missing"
            if digest(path) != expected:
                return f"{name} is truncated or damaged"
        return ""
