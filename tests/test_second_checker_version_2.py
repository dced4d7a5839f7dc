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

import pytest
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
from second_checker import good_ones, needs_node, verdicts, with_other_worth
from soaking import repeated

from unbounded.game import Game
from unbounded.search.search import Search
from unbounded.solving.certificate import certify
from unbounded.solving.checker_format import CertificateError
from unbounded.solving.verification import verify

pytestmark = needs_node

TRUE = repeated(200, soak=10_000)
FALSE = repeated(400, soak=20_000)
FORGED = repeated(300, soak=5_000)
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


def true_ones(random: Random, *, splits: int) -> Iterator[Tree]:
    """Yield proofs without end, each in other files and with other searches than before."""
    small = [(game, lines) for game, lines in good_ones() if len(lines) <= 200]
    for game, lines in itertools.cycle(small):
        most = random.choice([3, 30, 300])
        files: Files = {}
        shorter = with_searches(lines, game, most, random) if random.random() < 0.8 else lines
        for _ in range(random.randint(0, splits)):
            more, shorter = split(shorter, game, random)
            files |= more
        yield Tree("true", game, files, shorter)


def false_ones(random: Random) -> Iterator[Tree]:
    """Yield without end what proves nothing, some of everything that can be wrong."""
    # Split once: what is split again has several certificates of a state, each as good.
    for tree in true_ones(random, splits=1):
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


def forged_ones(random: Random) -> Iterator[Tree]:
    """Yield without end proofs with a little change, which may or may not leave them proofs."""
    for tree in true_ones(random, splits=1):
        lines = list(tree.lines)
        if random.random() < 0.1:
            told = as_version_2(json.loads(lines[0]))
            told["claims"] = [with_other_worth(random.choice(told["claims"]), random)]
            lines[0] = json.dumps(told).encode() + b"\n"
        else:
            at = random.randrange(1, len(lines))
            lines[at] = forged_line(lines[at], list(tree.files), random)
        yield Tree("forged", tree.game, tree.files, lines)


def forged_line(line: bytes, digests: list[str], random: Random) -> bytes:
    """Give one claim another worth or another reason, or add a claim."""
    state, uses, *claims = line.decode().split()
    k = random.randrange(len(claims))
    body, mark, reason = re.fullmatch(r"([^@?%]*)([@?%]?)(.*)", claims[k]).groups()
    reasons = ["", f"@{random.randrange(4)}", f"?{random.choice([1, 3, 10, 100, 1000])}"]
    if mark == "?":
        reasons += [f"?{max(1, int(reason) + change)}" for change in (-2, -1, 1)]
    reasons += [f"%{digest}" for digest in random.sample(digests, min(3, len(digests)))]
    match random.randrange(3):
        case 0:
            claims[k] = with_other_worth(body, random) + mark + reason
        case 1:
            claims[k] = body + random.choice(reasons)
        case 2:
            reason = random.choice([*reasons, mark + reason])
            claims.insert(k, with_other_worth(body, random) + reason)
    return " ".join([state, uses, *claims]).encode() + b"\n"


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
    for tree, file, second in told_in_batches(true_ones(Random(4), splits=2), TRUE, tmp_path):
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


def test_both_say_the_same_of_what_may_be_true(tmp_path: Path) -> None:
    proven = 0
    for tree, file, second in told_in_batches(forged_ones(Random(6)), FORGED, tmp_path):
        found = tree.searched()
        if second.startswith("proven: "):
            assert found == counted(second), (file, second)
            proven += 1
        else:
            assert isinstance(found, str), (file, second)
    assert FORGED / 20 < proven < FORGED * 19 / 20


@pytest.mark.parametrize(
    "text",
    [
        "connect-four(width=4,height=4)",
        "connect-four(width=3,height=3,line=3,players=3)",
        "dots-and-boxes(rows=1,columns=2,players=3)",
    ],
)
def test_what_the_certifier_leaves_to_the_checker_is_proven(text: str, tmp_path: Path) -> None:
    search = Search(text)
    search.run()
    files = [tmp_path / "all.cert", tmp_path / "some.cert", tmp_path / "some.cert.gz"]
    for file, most in zip(files, (0, 50, 50), strict=True):
        certify(search, file, checker_search=most)
    told = verdicts(files)
    assert [x for x in told if not x.startswith("proven: ")] == []
    assert counted(told[0])[0] == 0
    assert counted(told[1])[0] == verify(files[1]).searched > 0
    assert told[1] == told[2]
