# SPDX-License-Identifier: MIT
"""Certificates of version 2 written by hand: both checkers follow the page to the letter."""

from __future__ import annotations

import gzip
import itertools
import json
import subprocess
from pathlib import Path
from typing import Any

from certificate_parts import Lines, digest_of, seal
from second_checker import CHECKER, is_proven, needs_node, verdicts, write

pytestmark = needs_node

NIM = {
    "format": "unbounded certificate",
    "version": 2,
    "game": "nim(heaps=[1,2])",
    "moves": [],
    "kind": "bounds",
    "scores": False,
    "states": "bytes",
    "fields": [["heaps", "i32", 2], ["turn", "i8", 1]],
    "claims": [">=1"],
}
ROOT = "010000000200000000"
EVEN = "010000000100000001"  # one in each heap: whoever moves loses
EMPTY = "000000000000000001"
NEEDED = 9
"""Successors that the search for ">=1" of the root makes: 3, then 2, then 2, 1 and 1."""


def nim(*lines: str, **changed: Any) -> Lines:
    """The heaps of one and two, of which the first player takes the last one."""
    return [json.dumps(NIM | changed).encode() + b"\n", *(f"{line}\n".encode() for line in lines)]


def alone(what: str, **changed: Any) -> Lines:
    return nim(f"{ROOT} 0 {what}", **changed)


def without(key: str, *lines: str, **changed: Any) -> Lines:
    told = {name: value for name, value in (NIM | changed).items() if name != key}
    return [json.dumps(told).encode() + b"\n", *(f"{line}\n".encode() for line in lines)]


def one_cell(line: str, claims: list[str], **changed: Any) -> Lines:
    """A board with one cell, which can only be drawn."""
    told = {
        "game": "connect-four(width=1,height=1)",
        "fields": [["stones", "i64", 2], ["turn", "i8", 1]],
        "claims": claims,
    }
    return nim(f"{'00' * 17} 0 {line}", **told | changed)


def heap(count: int, line: str, claims: list[str], **changed: Any) -> Lines:
    """One heap, of which each player takes one if nothing else is said."""
    told = {
        "game": f"nim(heaps=[{count}],most=1)",
        "fields": [["heaps", "i32", 1], ["turn", "i8", 1]],
        "claims": claims,
    }
    return nim(f"{count.to_bytes(4, 'little').hex()}00 0 {line}", **told | changed)


def equilibrium(line: str, claims: list[str]) -> Lines:
    """Three players, two stones: the first takes both and wins, or one, and the second wins."""
    game = {"game": "nim(heaps=[2],players=3)", "kind": "equilibrium"}
    return heap(2, line, claims, **game)


WITH_SCORES: dict[str, Any] = {"scores": True}

PROVEN: dict[str, Lines] = {
    "as much as is needed": alone(f">=1?{NEEDED}"),
    "more than is needed": alone(">=1?999999999"),
    "more claims than promised": alone(">=1?9 >=0?9 <=1?9"),
    "a bound in one direction": alone(">=0?9", claims=[">=0"]),
    "a witness for the root": nim(f"{EVEN} 1 >=1?4", f"{ROOT} 0 >=1@1"),
    "two reasons on a line": nim(f"{EVEN} 1 >=1?4", f"{ROOT} 0 >=1@1 >=0?9"),
    "paths": nim(".1 1 >=1?4", ". 0 >=1@1", states="paths"),
    "no search and no file": nim(
        f"{EMPTY} 0 >=1", moves=["2:1", "1:1", "2:1"], game="nim(heaps=[1,2])"
    ),
    "both directions": one_cell(">=0?1 <=0?1", [">=0", "<=0"]),
    "both directions, the other first": one_cell(">=0?1 <=0?1", ["<=0", ">=0"]),
    "bounds that do not meet": one_cell(">=-1:0?1 <=0:0.5?1", [">=-1:0", "<=0:0.5"], **WITH_SCORES),
    "the lowest outcome, with a score": one_cell(">=-1:-9?1", [">=-1:-9"], **WITH_SCORES),
    "as deep as may be": heap(400, "<=-1?400", ["<=-1"]),
    "three players": equilibrium("=1,-1,-1?3", ["=1,-1,-1"]),
}

REFUSED: dict[str, Lines] = {
    "less than is needed": alone(f">=1?{NEEDED - 1}"),
    "a false claim": alone("<=0?999", claims=["<=0"]),
    "no number": alone(">=1?"),
    "zero": alone(">=1?0"),
    "a zero in front": alone(">=1?09"),
    "ten digits": alone(">=1?1000000000"),
    "a sign": alone(">=1?+9"),
    "a witness and a search": alone(">=1@1?9"),
    "a search and a witness": alone(">=1?9@1"),
    "two searches": alone(">=1?9?9"),
    "the same claim with two reasons": nim(f"{EVEN} 1 >=1?4", f"{ROOT} 0 >=1@1 >=1?9"),
    "a search at the end": nim(f"{EMPTY} 0 >=1?1", moves=["2:1", "1:1", "2:1"]),
    "a state that a search makes useless": nim(f"{EVEN} 1 >=1?4", f"{ROOT} 0 >=1?9"),
    "another claim promised": alone(">=1?9", claims=[">=0"]),
    "less than promised": alone(">=0?9", claims=[">=1"]),
    "no claim promised": alone(">=1?9", claims=[]),
    "three claims promised": one_cell(">=0?1 <=0?1", [">=0", "<=0", ">=0"]),
    "a claim promised twice": one_cell(">=0?1", [">=0", ">=0"]),
    "two of a direction": one_cell(">=0:0?1 >=0:-1?1", [">=0:0", ">=0:-1"], **WITH_SCORES),
    "bounds that contradict each other": one_cell(">=0?1 <=0?1", [">=0", "<=-1"]),
    "always true, below": alone(">=-1?9", claims=[">=-1"]),
    "always true, above": one_cell("<=0?1 <=1?1 >=0?1", [">=0", "<=1"]),
    "a reason in the first line": alone(">=1?9", claims=[">=1?9"]),
    "no list": alone(">=1?9", claims=">=1"),
    "no text": alone(">=1?9", claims=[1]),
    "an equilibrium of bounds": alone(">=1?9", claims=["=1,-1"]),
    "a value too": alone(">=1?9", value="1,-1"),
    "a value instead": without("claims", f"{ROOT} 0 >=1?9", value="1,-1"),
    "claims in version 1": alone(">=1?9", version=1),
    "a search in version 1": without("claims", f"{ROOT} 0 >=1?9", version=1, value="1,-1"),
    "a digest in version 1": without("claims", f"{ROOT} 0 >=1%{'0' * 64}", version=1, value="1,-1"),
    "version 4": alone(">=1?9", version=4),
    "too deep": heap(401, ">=1?999999999", [">=1"]),
    "three players, less than is needed": equilibrium("=1,-1,-1?2", ["=1,-1,-1"]),
    "three players, no equilibrium": equilibrium("=-1,1,-1?99", ["=-1,1,-1"]),
    "two equilibria": equilibrium("=1,-1,-1?3", ["=1,-1,-1", "=1,-1,-1"]),
    "a missing certificate": alone(f">=1%{'0' * 64}"),
}


def test_both_follow_the_page_alone(tmp_path: Path) -> None:
    forms = [*PROVEN.items(), *REFUSED.items()]
    files = write(tmp_path, [b"".join(seal(lines)) for _, lines in forms])
    for (what, _), file, second in zip(forms, files, verdicts(files), strict=True):
        assert second.startswith("proven: ") == (what in PROVEN), (what, second)
        assert is_proven(file) == (what in PROVEN), what


# -- certificates that lean on others --------------------------------------------------------------

BELOW = nim(f"{EVEN} 0 >=1?4", moves=["2:1"])
OLD = without(
    "claims",
    f"{EMPTY} 2 >=1",
    "000000000100000000 1 >=1@0",
    "010000000000000000 1 >=1@0",
    f"{EVEN} 0 >=1",
    version=1,
    value="1,-1",
    moves=["2:1"],
)
END = nim(f"{EMPTY} 0 >=1", moves=["2:1", "1:1", "2:1"])
TWO_PLAYERS: dict[str, Any] = {"kind": "equilibrium", "claims": ["=1,-1"]}


def leaning(below: Lines, state: str = ROOT, claim: str = ">=1", **changed: Any) -> Lines:
    """One line, which leaves everything to another certificate."""
    return nim(f"{state} 0 {claim}%{digest_of(below)}", **{"claims": [claim]} | changed)


def above(below: Lines, claim: str = ">=1", more: str = "", **changed: Any) -> Lines:
    """The root, by a successor that another certificate is about."""
    lines = f"{EVEN} 1 {claim}%{digest_of(below)}{more}", f"{ROOT} 0 {claim}@1"
    return nim(*lines, **{"claims": [claim]} | changed)


ABOVE = above(BELOW)
MIDDLE = leaning(BELOW, EVEN, moves=["2:1"])
BY_SCORES = nim(f"{EVEN} 0 >=1:1?4", moves=["2:1"], claims=[">=1:1"], **WITH_SCORES)
EQUILIBRIUM = nim(f"{EVEN} 0 =1,-1?4", moves=["2:1"], **TWO_PLAYERS)
AT_LEAST_A_DRAW = one_cell(">=0?1", [">=0"])

# The first one is about the game, the others are beside it.
PROVEN_TREES: dict[str, list[Lines]] = {
    "one below another": [ABOVE, BELOW],
    "one of version 1": [above(OLD), OLD],
    "less than it proves": [above(BELOW, ">=0"), BELOW],
    "for two claims": [above(BELOW, more=f" >=0%{digest_of(BELOW)}"), BELOW],
    "one below one below another": [above(MIDDLE), MIDDLE, BELOW],
    "one about the same state": [leaning(ABOVE), ABOVE, BELOW],
    "the same one in two ways": [
        nim(
            f"{EVEN} 1 >=1%{digest_of(BELOW)} >=0%{digest_of(MIDDLE)}",
            f"{ROOT} 0 >=1@1",
        ),
        BELOW,
        MIDDLE,
    ],
    "an end": [leaning(END, EMPTY, moves=["2:1", "2:1", "1:1"]), END],
    "scores": [above(BY_SCORES, ">=1:0.5", **WITH_SCORES), BY_SCORES],
    "an equilibrium": [
        nim(
            f"{EVEN} 1 =1,-1%{digest_of(EQUILIBRIUM)}",
            f"{ROOT} 0 =1,-1@1",
            **TWO_PLAYERS,
        ),
        EQUILIBRIUM,
    ],
}

OTHER_TEXT = nim(f"{EVEN} 0 >=1?4", moves=["2:1"], game="nim([1,2])")
WEAK = nim(f"{EVEN} 0 >=0?4", moves=["2:1"], claims=[">=0"])
FALSE = nim(f"{EVEN} 0 >=1?3", moves=["2:1"])

REFUSED_TREES: dict[str, list[Lines]] = {
    "a missing one": [ABOVE],
    "a missing one below another": [above(MIDDLE), MIDDLE],
    "another text for the game": [above(OTHER_TEXT), OTHER_TEXT],
    "another kind": [above(EQUILIBRIUM), EQUILIBRIUM],
    "scores below": [above(BY_SCORES), BY_SCORES],
    "scores above": [above(BELOW, ">=1:1", **WITH_SCORES), BELOW],
    "another state": [above(END), END],
    "less than is needed": [above(WEAK), WEAK],
    "less than is needed by one claim": [above(WEAK, ">=0", f" >=1%{digest_of(WEAK)}"), WEAK],
    "the other direction": [
        one_cell(f">=0?1 <=0%{digest_of(AT_LEAST_A_DRAW)}", [">=0", "<=0"]),
        AT_LEAST_A_DRAW,
    ],
    "a false one": [above(FALSE), FALSE],
    "a false one below a true one": [
        above(wrong := leaning(FALSE, EVEN, moves=["2:1"])),
        wrong,
        FALSE,
    ],
    "a digest in capitals": [
        nim(f"{EVEN} 1 >=1%{digest_of(BELOW).upper()}", f"{ROOT} 0 >=1@1"),
        BELOW,
    ],
    "a digest and a witness": [above(BELOW, more="@0"), BELOW],
    "a state that is not used": [[ABOVE[0], f"{EMPTY} 1 >=1\n".encode(), *ABOVE[1:]], BELOW],
}


def write_forms(folder: Path, forms: list[list[Lines]]) -> list[Path]:
    """Write each tree in a folder of its own; return where its first certificate is."""
    mains = []
    for number, (first, *others) in enumerate(forms):
        own = folder / str(number)
        own.mkdir()
        for name, lines in [("main", first), *((digest_of(lines), lines) for lines in others)]:
            (own / f"{name}.cert").write_bytes(b"".join(seal(lines)))
        mains.append(own / "main.cert")
    return mains


def test_both_follow_the_page_in_trees(tmp_path: Path) -> None:
    forms = [*PROVEN_TREES.items(), *REFUSED_TREES.items()]
    files = write_forms(tmp_path, [lines for _, lines in forms])
    for (what, lines), file, second in zip(forms, files, verdicts(files), strict=True):
        assert second.startswith("proven: ") == (what in PROVEN_TREES), (what, second)
        assert is_proven(file) == (what in PROVEN_TREES), what
        if what in PROVEN_TREES:
            assert f", {len(lines)} files)" in second


# -- files -----------------------------------------------------------------------------------------


def files_with(folder: Path, named: dict[str, bytes]) -> Path:
    folder.mkdir()
    for name, text in named.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(text)
    return folder / "main"


def test_files_may_be_compressed_and_must_be_there(tmp_path: Path) -> None:
    main, below = (b"".join(seal(lines)) for lines in (ABOVE, BELOW))
    digest = digest_of(BELOW)
    packed = gzip.compress(below)
    proven = {
        "as it is": {"main": main, f"{digest}.cert": below},
        "the first compressed": {"main": gzip.compress(main), f"{digest}.cert": below},
        "the second compressed": {"main": main, f"{digest}.cert.gz": packed},
        "compressed without its name": {"main": main, f"{digest}.cert": packed},
        "the name without the compression": {"main": main, f"{digest}.cert.gz": below},
        "in two pieces": {
            "main": gzip.compress(main[:70]) + gzip.compress(main[70:]),
            f"{digest}.cert": below,
        },
    }
    refused = {
        "another name": {"main": main, digest: below},
        "a folder of its name": {"main": main, f"{digest}.cert/{digest}.cert": below},
        "another folder": {"main": main, f"more/{digest}.cert": below},
        "another under its name": {"main": main, f"{digest}.cert": b"".join(seal(OLD))},
        "damaged": {"main": main, f"{digest}.cert": below[:-2] + b"\n"},
        "empty": {"main": main, f"{digest}.cert": b""},
        "compressed and cut off": {"main": main, f"{digest}.cert": packed[:-1]},
        "compressed and damaged": {"main": main, f"{digest}.cert": packed[:-8] + bytes(8)},
        "compressed twice": {"main": main, f"{digest}.cert": gzip.compress(packed)},
        "something after it": {"main": main, f"{digest}.cert": packed + b"more"},
        "a piece that begins after it": {"main": main, f"{digest}.cert": packed + packed[:9]},
        "the magic bytes alone": {"main": packed[:2]},
    }
    forms = [*proven.items(), *refused.items()]
    files = [files_with(tmp_path / what.replace(" ", "-"), named) for what, named in forms]
    for (what, _), file, second in zip(forms, files, verdicts(files), strict=True):
        assert second.startswith("proven: ") == (what in proven), (what, second)
        assert is_proven(file) == (what in proven), what


def test_a_little_file_cannot_fill_the_memory(tmp_path: Path) -> None:
    """A line without end, and more states than anybody needs at once."""
    endless = gzip.compress(b"0" * (1 << 26), compresslevel=1)
    fields = [["heaps", "i32", 1000], ["turn", "i8", 1]]
    text = bytearray(nim(game=f"nim(heaps=[{','.join(['9'] * 1000)}])", fields=fields)[0])
    for at, left in itertools.product(range(1000), range(1, 6)):
        # All heaps are empty but one, which the first player takes.
        heaps = (left << 32 * at).to_bytes(4000, "little")
        text += f"{heaps.hex()}00 1 >=1?9\n".encode()
    files = write(tmp_path, [endless, gzip.compress(text, compresslevel=1)])
    assert files[1].stat().st_size < 1 << 20
    told = subprocess.run(
        ["node", "--max-old-space-size=200", str(CHECKER), "--many"],
        input="".join(f"{file}\n" for file in files),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "a line of more than" in told.stdout
    assert "too many states are known at once" in told.stdout


def test_searches_can_be_limited(tmp_path: Path) -> None:
    texts = [nim(f"{EVEN} 1 >=1?5 >=0?6", f"{ROOT} 0 >=1@1 >=0?10"), alone(">=1?22")]
    files = write(tmp_path, [b"".join(seal(lines)) for lines in texts])
    for most, proven in ((22, [True, True]), (21, [True, False]), (20, [False, False])):
        told = verdicts(files, "--most-searched", str(most))
        assert [x.startswith("proven: ") for x in told] == proven
    wrong = subprocess.run(
        ["node", str(CHECKER), "--most-searched", "many", str(files[0])],
        capture_output=True,
        check=False,
    )
    assert wrong.returncode == 2
    assert wrong.stdout == b""
