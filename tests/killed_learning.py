# SPDX-License-Identifier: MIT
"""Learn in a folder until killed; a program, as `python killed_learning.py FOLDER`.

Prints the newest complete generation at every report.
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from self_playing import SMALL, learn_settings

import unbounded as ub
from unbounded.learning import loop
from unbounded.learning.progress import Progress
from unbounded.learning.run_folder import RunFolder


def main(path: Path) -> None:
    torch.set_num_threads(1)
    loop.REPORT_SECONDS = 0.0
    game = ub.load_game(SMALL)
    settings = learn_settings(game, states=None, generation_states=400)

    def report(progress: Progress) -> bool:
        print(progress.generation, flush=True)
        return False

    loop.learn(game, settings, RunFolder.create(path, settings, game), report)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
