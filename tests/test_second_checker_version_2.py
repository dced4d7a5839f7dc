# SPDX-License-Identifier: MIT
"""The checker in JavaScript and the one in Python agree on certificates of version 2 too.

Claims that the checker searches for itself, certificates that lean on others, compressed ones.
"""

from __future__ import annotations

import gzip
import itertools
import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from certificate_parts import Lines, as_version_2
from certificates import (
    Files,
    split,
    spoiled_trees,
    spoiled_version_2,
    tree_verdicts,
    with_searches,
    write_tree,
)
from second_checker import good_ones, needs_node, verdicts
from soaking import repeated

from unbounded.game import Game
from unbounded.solving.checker import CertificateError

pytestmark = needs_node

TRUE = repeated(300, soak=10_000)
FALSE = repeated(600, soak=20_000)
BATCH = 1000
"""Files for each start of node."""


@dataclass(frozen=True)
class Tree:
    """A certificate and those that it leans on."""

    what: str
    game: Game[Any, Any]
    files: Files
    lines: Lines

    def searched(self) -> tuple[int, int] | str:
        """Successors made and files checked by the checker in Python, or why it refuses."""
        try:
            found = tree_verdicts(self.files, self.lines, self.game)
        except CertificateError as error:
            return str(error)
        return sum(each.searched for each in found), len(found)


def true_ones(random: Random) -> Iterator[Tree]:
    """Yield proofs without end, each in other files and with other searches than before."""
    small = [(game, lines) for game, lines in good_ones() if len(lines) <= 200]
    for game, lines in itertools.cycle(small):
        most = random.choice([3, 30, 300])
        files: Files = {}
        shorter = with_searches(lines, game, most, random) if random.random() < 0.8 else lines
        if random.random() < 0.6:
            files, shorter = split(shorter, game, random)
            if files and random.random() < 0.3:
                more, shorter = split(shorter, game, random)
                files |= more
        yield Tree("true", game, files, shorter)


def false_ones(random: Random) -> Iterator[Tree]:
    """Yield without end what proves nothing, some of everything that can be wrong."""
    for tree in true_ones(random):
        header = as_version_2(json.loads(tree.lines[0]))
        lines = [json.dumps(header).encode() + b"\n", *tree.lines[1:]]
        alone = [
            Tree(what, tree.game, tree.files, mutant)
            for what, mutant in spoiled_version_2(lines, tree.game, random)
        ]
        leaning = [
            Tree(what, tree.game, files, mutant)
            for what, files, mutant in spoiled_trees(tree.files, lines, tree.game, random)
        ]
        yield from random.sample(alone, min(4, len(alone)))
        yield from random.sample(leaning, min(4, len(leaning)))


def compressed_in_part(folder: Path, random: Random) -> None:
    """Compress some of the certificates of a folder; those that others name get another name."""
    for file in list(folder.iterdir()):
        if random.random() < 0.3:
            text = gzip.compress(file.read_bytes(), compresslevel=1)
            is_main = file.name == "main.cert"
            file.unlink()
            (file if is_main else file.with_name(f"{file.name}.gz")).write_bytes(text)


def told_in_batches(
    trees: Iterator[Tree], count: int, folder: Path
) -> Iterator[tuple[Tree, Path, str]]:
    """Yield so many trees, each with its file, and what the checker in JavaScript says of it."""
    random = Random(3)
    for start in range(0, count, BATCH):
        batch = list(itertools.islice(trees, min(BATCH, count - start)))
        files = []
        for number, tree in enumerate(batch):
            own = folder / str(start + number)
            own.mkdir()
            files.append(write_tree(own, tree.files, tree.lines))
            compressed_in_part(own, random)
        yield from zip(batch, files, verdicts(files), strict=True)
        for file in files:
            shutil.rmtree(file.parent)


def counted(verdict: str) -> tuple[int, int]:
    """How much was searched, and how many files there were."""
    searched = re.search(r", (\d+) searched", verdict)
    files = re.search(r", (\d+) files", verdict)
    return int(searched[1]) if searched else 0, int(files[1]) if files else 1


def test_what_is_true_is_proven_with_the_same_searches(tmp_path: Path) -> None:
    leaning = searching = 0
    for tree, file, second in told_in_batches(true_ones(Random(4)), TRUE, tmp_path):
        assert second.startswith("proven: "), (file, second)
        made, files = counted(second)
        assert tree.searched() == (made, files), (file, second)
        leaning += files > 1
        searching += made > 0
    assert leaning > TRUE / 10
    assert searching > TRUE / 3


def test_what_is_false_is_refused_by_both(tmp_path: Path) -> None:
    seen = Counter[str]()
    for tree, file, second in told_in_batches(false_ones(Random(5)), FALSE, tmp_path):
        assert second.startswith("refused: "), (tree.what, file, second)
        assert isinstance(tree.searched(), str), (tree.what, file)
        seen[tree.what] += 1
    assert seen["one successor too few"] > 0
    assert seen["missing"] > 0
    assert len(seen) > 20
