# SPDX-License-Identifier: MIT
"""Two checkers of certificates, written apart from each other, must agree on every file.

The second one is in JavaScript, has the rules of three games of its own, and was written from
`docs/certificates.md` alone. Where the two disagree, one of them is wrong, or the page is.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from certificates import Lines, certificate, of_outcomes_alone, seal, spoiled, why_refused
from second_checker import (
    CHECKER,
    SCORES,
    Options,
    good_ones,
    is_proven,
    needs_node,
    verdicts,
    with_other_worth,
    write,
)
from solving_checks import equilibria

from unbounded.game import Game, RecordGame
from unbounded.game.catalogue import load_game
from unbounded.reference.backward_induction import minimax_outcomes
from unbounded.search.search import Search
from unbounded.solving.certificate import certify
from unbounded.solving.checker_format import CertificateError
from unbounded.solving.verification import verify

pytestmark = needs_node


# -- forging ---------------------------------------------------------------------------------------
# Other than what `spoiled` makes, this may still be a proof: the checkers have to look closely.


def forged(lines: Lines, random: Random) -> Lines:
    """Change a line, as little as one well can."""
    at = random.randrange(1, len(lines))
    state, uses, *claims = lines[at].decode().split()
    number = random.randrange(len(claims))
    match random.randrange(8):
        case 0:
            claims[number] = with_other_worth(claims[number], random)
        case 1:
            claims.append(with_other_worth(random.choice(claims), random))
        case 2:
            what, *_ = claims[number].split("@")
            claims[number] = random.choice([what, f"{what}@{random.randrange(4)}"])
        case 3:
            claims[number] = random.choice(lines[random.randrange(1, len(lines))].decode().split())
        case 4:
            claims.remove(claims[number])
        case 5:
            uses = str(max(0, int(uses) + random.choice([-1, 1])))
        case 6:
            digit = random.randrange(1, len(state) + 1)
            state = state[: digit - 1] + random.choice("0123.f") + state[digit:]
        case 7:
            other = random.randrange(1, len(lines))
            swapped = list(lines)
            swapped[at], swapped[other] = lines[other], lines[at]
            return swapped
    return [*lines[:at], " ".join([state, uses, *claims]).encode() + b"\n", *lines[at + 1 :]]


def all_files(*, forgeries: int) -> Iterator[tuple[str, Game[Any, Any], Lines]]:
    random = Random(2)
    for game, lines in good_ones():
        yield "good", game, lines
        for what, changed in spoiled(lines, random):
            yield what, game, changed
        for _ in range(forgeries):
            yield "forged", game, forged(lines, random)


def test_both_say_the_same(tmp_path: Path) -> None:
    told = list(all_files(forgeries=3))
    assert len(good_ones()) >= 60
    assert len(told) >= 600
    files = write(tmp_path, [b"".join(seal(lines)) for _, _, lines in told])
    accepted = {"good": 0, "forged": 0}
    for (what, game, lines), file, second in zip(told, files, verdicts(files), strict=True):
        refused = why_refused(lines, game)
        assert second.startswith("proven: ") == (refused is None), (what, file, refused, second)
        assert (what == "good") <= (refused is None)
        if refused is None:
            accepted[what] = accepted.get(what, 0) + 1
    # Forgeries that are proofs all the same: claims of less than is known, and such.
    assert accepted["good"] == len(good_ones())
    assert accepted["forged"] > 0


def test_positions_are_of_all_kinds() -> None:
    headers = [json.loads(lines[0]) for _, lines in good_ones()]
    kinds = {(told["kind"], told["scores"]) for told in headers}
    assert kinds == {
        (kind, scores) for kind in ("bounds", "equilibrium") for scores in (False, True)
    }
    values = [told["value"] if "value" in told else told["claims"][0][1:] for told in headers]
    assert {value.split(",")[0][:2].strip(":") for value in values} == {"-1", "0", "1"}
    assert {2, 3, 4, 100} <= {len(value.split(",")) for value in values}
    assert any(told["moves"] for told in headers)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("connect-four(width=4,height=4)", {"bounds": True, "probes": True, "canonical": True}),
        ("dots-and-boxes", SCORES | {"probes": True, "canonical": True}),
    ],
)
def test_what_a_compiled_search_writes_is_proven(
    text: str, options: Options, tmp_path: Path
) -> None:
    search = Search(text, **options)
    search.run()
    certify(search, tmp_path / "one")
    told = subprocess.run(
        ["node", str(CHECKER), str(tmp_path / "one")], capture_output=True, text=True, check=False
    )
    assert (told.returncode, told.stderr) == (0, "")
    assert told.stdout.startswith(f"proven: {text}: ")
    with (tmp_path / "one").open("ab") as file:
        file.write(b"\n")
    told = subprocess.run(
        ["node", str(CHECKER), str(tmp_path / "one")], capture_output=True, text=True, check=False
    )
    assert (told.returncode, told.stderr) == (1, "")
    assert told.stdout.startswith("refused: line ")
    assert told.stdout.endswith(": something after the last line\n")


# -- how it is written -----------------------------------------------------------------------------

SMALL = [
    b'{"format": "unbounded certificate", "version": 1, "game": "nim(heaps=[1,2])", "moves": [], '
    b'"kind": "bounds", "scores": false, "states": "bytes", '
    b'"fields": [["heaps", "i32", 2], ["turn", "i8", 1]], "value": "1,-1"}\n',
    b"000000000000000001 2 >=1\n",
    b"000000000100000000 1 >=1@0\n",
    b"010000000000000000 1 >=1@0\n",
    b"010000000100000001 1 >=1\n",
    b"010000000200000000 0 >=1@1\n",
]


def flips(text: bytes, places: Sequence[int]) -> Iterator[bytes]:
    """Yield the text with each single bit of these bytes flipped."""
    for place in places:
        for bit in range(8):
            changed = bytearray(text)
            changed[place] ^= 1 << bit
            yield bytes(changed)


def test_every_flipped_bit_is_refused(tmp_path: Path) -> None:
    text = b"".join(seal(SMALL))
    files = write(tmp_path, [text, *flips(text, range(len(text)))])
    first, *others = verdicts(files)
    assert first == "proven: nim(heaps=[1,2]): 1,-1 (5 states)"
    assert is_proven(files[0])
    for file, second in zip(files[1:], others, strict=True):
        assert second.startswith("refused: "), file
        assert not is_proven(file), file


def test_both_say_the_same_of_flipped_bits_under_a_digest_that_fits(tmp_path: Path) -> None:
    text = b"".join(SMALL)
    places = [
        place
        for place in range(len(text))
        if not text.index(b'"fields"') <= place < text.index(b'"value"')
    ]
    texts = [b"".join(seal(changed.splitlines(keepends=True))) for changed in flips(text, places)]
    files = write(tmp_path, texts)
    for file, second in zip(files, verdicts(files), strict=True):
        assert second.startswith("proven: ") == is_proven(file), (file, second)


def header(**changed: Any) -> bytes:
    return json.dumps(json.loads(SMALL[0]) | changed).encode() + b"\n"


def edited(*changes: tuple[int, bytes, bytes]) -> Lines:
    """The small certificate with parts of lines replaced."""
    lines = list(SMALL)
    for at, old, new in changes:
        assert old in lines[at]
        lines[at] = lines[at].replace(old, new, 1)
    return lines


def drawn(claims: bytes, **changed: Any) -> Lines:
    """A board of one cell, already full, with scores, which are the outcomes."""
    told = {
        "game": "connect-four(width=1,height=1)",
        "moves": ["1"],
        "scores": True,
        "fields": [["stones", "i64", 2], ["turn", "i8", 1]],
        "value": "0:0,0:0",
    }
    return [
        header(**told | changed),
        b"01000000000000000000000000000000" + b"01 0 " + claims + b"\n",
    ]


def badly_played(scores: bool) -> Lines:
    """One heap of two, and a first player who takes one of them instead of both."""
    won, lost = ("1:1,-1:-1", "-1:-1,1:1") if scores else ("1,-1", "-1,1")
    told: dict[str, Any] = {"game": "nim(heaps=[2])", "kind": "equilibrium", "scores": scores}
    told |= {"fields": [["heaps", "i32", 1], ["turn", "i8", 1]], "value": lost}
    lines = [
        f"0000000000 1 ={lost}\n",
        f"0100000001 1 ={lost}@0\n",
        f"0000000001 1 ={won}\n",
        f"0200000000 0 ={lost}@0\n",
    ]
    return [header(**told), *(line.encode() for line in lines)]


PROVEN: dict[str, Lines] = {
    "as it is": SMALL,
    "a claim of less too": edited((1, b">=1", b">=0 >=1 >=-1")),
    "a claim that is true of anything too": edited((1, b">=1", b">=1 <=1")),
    "forgotten, and proven again": [
        *edited((1, b" 2 ", b" 1 "))[:3],
        SMALL[1].replace(b" 2 ", b" 1 "),
        *SMALL[3:],
    ],
    "other spaces in the first line": [b"  " + SMALL[0][:-1] + b" \t\r\n", *SMALL[1:]],
    "all parameters": [header(game="nim(heaps=[1,2],players=2,misere=false,most=0)"), *SMALL[1:]],
    "parameters by place": [header(game="nim([1,2], 2)"), *SMALL[1:]],
    "paths": [
        header(states="paths"),
        b".1.0.0 2 >=1\n",
        b".1.0 1 >=1@0\n",
        b".1.1 1 >=1@0\n",
        b".1 1 >=1\n",
        b". 0 >=1@1\n",
    ],
    "scores that are outcomes": drawn(b">=0:0 <=0:0"),
    "scores written in other ways": drawn(b">=0:-0.0 <=0:0e1 >=0:-1.5e+01 <=0:1e-05"),
    "scores nearer than 32 bits can tell": drawn(b">=0:1e-60 <=0:-1e-400", value="0:0,0:1e-99"),
    "no look where the best score is the outcome": [
        header(kind="equilibrium", scores=True, value="1:1,-1:-1"),
        b"000000000000000001 2 =1:1,-1:-1\n",
        b"000000000100000000 1 =1:1,-1:-1@0\n",
        b"010000000000000000 1 =1:1,-1:-1@0\n",
        b"010000000100000001 1 =1:1,-1:-1@0\n",
        b"010000000200000000 0 =1:1,-1:-1@1\n",
    ],
}

REFUSED: dict[str, Lines] = {
    "another version": [header(version=2), *SMALL[1:]],
    "another format": [header(format="certificate"), *SMALL[1:]],
    "another kind": [header(kind="guesses"), *SMALL[1:]],
    "scores that are a number": [header(scores=0), *SMALL[1:]],
    "no list of moves": [header(moves="1:1"), *SMALL[1:]],
    "no such move": [header(moves=["1:2"]), *SMALL[1:]],
    "a worth too few": [header(value="1"), *SMALL[1:]],
    "no zero sum": [header(value="1,0"), *SMALL[1:]],
    "a plus": [header(value="+1,-1"), *SMALL[1:]],
    "an unknown game": [header(game="nimm(heaps=[1,2])"), *SMALL[1:]],
    "an unknown parameter": [header(game="nim(heaps=[1,2],size=1)"), *SMALL[1:]],
    "a parameter twice": [header(game="nim(heaps=[1,2],heaps=[1,2])"), *SMALL[1:]],
    "a parameter of another type": [header(game="nim(heaps=[1,2],misere=0)"), *SMALL[1:]],
    "a place after a name": [header(game="nim(players=2,[1,2])"), *SMALL[1:]],
    "a parameter that cannot be": [header(game="nim(heaps=[1,2],players=1)"), *SMALL[1:]],
    "an unfinished game string": [header(game="nim(heaps=[1,2]"), *SMALL[1:]],
    "no JSON": [b"nim\n", *SMALL[1:]],
    "an empty line": [SMALL[0], b"\n", *SMALL[1:]],
    "a space at the end": edited((1, b"\n", b" \n")),
    "two spaces": edited((1, b" ", b"  ")),
    "capital digits": edited((1, b"00", b"0A")),
    "a short state": edited((1, b"00", b"")),
    "no claim": edited((1, b" >=1", b"")),
    "a claim of the other kind": edited((1, b">=1", b"=1,-1")),
    "a score too many": edited((1, b">=1", b">=1:1")),
    "a worth too many": edited((1, b">=1", b">=1,-1")),
    "the same claim twice": edited((1, b">=1", b">=1 >=1")),
    "the same claim with another witness": edited((5, b">=1@1", b">=1@1 >=1@2")),
    "a witness at the end": edited((1, b">=1", b">=1@0")),
    "a witness of the other player": edited((4, b">=1", b">=1@0")),
    "no witness": edited((3, b"@0", b"")),
    "an action that does not exist": edited((3, b"@0", b"@1")),
    "a negative place": edited((5, b"@1", b"@-2")),
    "two witnesses": edited((3, b"@0", b"@0@0")),
    "never looked at": [SMALL[0], b"000000000000000000 1 >=-1\n", *SMALL[1:]],
    "no state of the game": [SMALL[0], b"ffffffff0000000077 1 >=-1\n", *SMALL[1:]],
    "the root too weak": edited((5, b">=1", b">=0")),
    "the root on its way": [*SMALL, SMALL[1].replace(b" 2 ", b" 0 ")],
    "one path to a state, and another": [
        header(states="paths"),
        b".1.0.0 1 >=1\n",
        b".1.1.0 1 >=1\n",
        b".1.0 1 >=1@0\n",
        b".1.1 1 >=1@0\n",
        b".1 1 >=1\n",
        b". 0 >=1@1\n",
    ],
    "a better action than the witness": badly_played(scores=False),
    "a better action than the witness, with scores": badly_played(scores=True),
    "half a draw": drawn(b">=0:0"),
    "no digit before the point": drawn(b">=0:.0 <=0:0"),
    "no digit after the point": drawn(b">=0:0. <=0:0"),
    "no number": drawn(b">=0:0 <=0:0 <=0:nan"),
    "infinity": drawn(b">=0:0 <=0:0 <=0:inf"),
    "too large for 32 bits": drawn(b">=0:0 <=0:0 <=0:1e39"),
    "a very long score": drawn(b">=0:0 <=0:0." + b"0" * 41),
    "a very long exponent": drawn(b">=0:0 <=0:0e1000"),
    "the same claim after rounding": drawn(b">=0:0 <=0:0 <=0:1 <=0:1.00000000001"),
}

# What the page forbids and the checker in Python lets pass. None of it makes a false claim proven.
REFUSED |= {
    "a line of the root twice": [*drawn(b">=0:0 <=0:0"), drawn(b">=0:0 <=0:0")[1]],
    "another key": [header(comment=""), *SMALL[1:]],
    "other fields": [header(fields=[["heaps", "i64", 1], ["turn", "i8", 1]]), *SMALL[1:]],
    "no fields": [SMALL[0].replace(b'"fields"', b'"value"'), *SMALL[1:]],
    "a version that is true": [header(version=True), *SMALL[1:]],
    "a mark of the order of bytes": [b"\xef\xbb\xbf" + SMALL[0], *SMALL[1:]],
    "the first line in UTF-16": [SMALL[0][:-1].decode().encode("utf-16-le") + b"\n", *SMALL[1:]],
    "a move with a space": drawn(b">=0:0 <=0:0", moves=["1 "]),
    "lines that end as in Windows": [line[:-1] + b"\r\n" for line in SMALL],
    "a tab between claims": edited((1, b">=1", b">=1\t>=0")),
    "uses with a zero in front": edited((1, b" 2 ", b" 02 ")),
    "a place with a zero in front": edited((2, b"@0", b"@00")),
    "a score too large for any float": drawn(b">=0:0 <=0:0 <=0:1e400"),
}


def test_both_follow_the_page(tmp_path: Path) -> None:
    forms = [*PROVEN.items(), *REFUSED.items()]
    files = write(tmp_path, [b"".join(seal(lines)) for _, lines in forms])
    for (what, _), file, second in zip(forms, files, verdicts(files), strict=True):
        assert second.startswith("proven: ") == (what in PROVEN), (what, second)
        assert is_proven(file) == (what in PROVEN), what


def test_scores_cannot_be_ignored(tmp_path: Path) -> None:
    """If only outcomes mattered, player 1 could win; by its scores this game can only be drawn."""
    game = load_game("dots-and-boxes(rows=1,columns=3,players=3)")
    assert isinstance(game, RecordGame)
    assert {tuple(won for won, _ in row) for row in equilibria(game)[game.initial()]} == {(0, 0, 0)}
    lines = of_outcomes_alone(game, (1, -1, -1))
    files = write(tmp_path, [b"".join(seal(lines))])
    (second,) = verdicts(files)
    assert "the game has scores, and they are ignored" in second
    with pytest.raises(CertificateError, match="has scores, and the certificate ignores them"):
        verify(files[0])


def test_scores_of_two_opponents_can_be_ignored(tmp_path: Path) -> None:
    """The outcome comes before the score: the value has the same outcome with and without."""
    game = load_game("dots-and-boxes(rows=1,columns=2)")
    search = Search(game, values="resolved_completion", resolve_on_win=True)
    search.run()
    lines = certificate(search)
    assert json.loads(lines[0])["scores"] is False
    files = write(tmp_path, [b"".join(seal(lines))])
    assert verdicts(files)[0].startswith("proven: ")
    ((won, _), _) = verify(files[0]).header.value
    assert won == minimax_outcomes(game)[game.initial()]


def test_last_lines(tmp_path: Path) -> None:
    """Neither takes a last line that is not written as it should be."""
    *before, last = seal(SMALL)
    _, count, digest = last.split()
    ends = [
        b"",
        last[:-1],
        last + b"\n",
        last + last,
        last[:-1] + b" \n",
        last[:-1] + b"\r\n",
        b"end 0%b %b\n" % (count, digest),
        b"end %b %b\n" % (count, digest.upper()),
        b"END %b %b\n" % (count, digest),
        b"end 5 %b\n" % digest,
        b"end %b %b\n" % (count, digest[:-1]),
    ]
    texts = [b"".join(before) + end for end in ends]
    files = write(tmp_path, [*texts, b"", last])
    assert [x for x in verdicts(files) if not x.startswith("refused: ")] == []
    assert [file for file in files if is_proven(file)] == []


def test_a_file_that_is_not_there_is_not_proven(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    told = subprocess.run(["node", str(CHECKER), missing], capture_output=True, check=False)
    assert told.returncode == 1
    assert told.stdout.startswith(b"refused: line 0: ")
