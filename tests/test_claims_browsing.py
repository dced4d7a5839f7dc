# SPDX-License-Identifier: MIT
"""A claims file position by position: what is proven, what is not checked, what is estimated."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from written_claims import DIGEST, write_example, writing

from unbounded.cluster.browsing import Changes, ClaimsView, Known, fact_values
from unbounded.cluster.claims_file import ClaimsFile
from unbounded.cluster.facts import Bounds, Scale
from unbounded.game import UsageError
from unbounded.game.catalogue import load_game
from unbounded.interfaces.cli.main import main

CORNERS = ("a1", "a3", "c1", "c3")
NOTHING, NOT_LOST, NOT_WON = ((-1, 0.0), (1, 0.0)), ((0, 0.0), (1, 0.0)), ((-1, 0.0), (0, 0.0))
DRAW = ((0, 0.0), (0, 0.0))


def seen(path: Path) -> ClaimsView:
    with ClaimsFile.read(path) as file:
        return ClaimsView(file, file.game())


def bounds(fact: Any) -> Any:
    assert isinstance(fact, Bounds)
    return fact.low, fact.high


@pytest.fixture
def path(tmp_path: Path) -> Path:
    written = tmp_path / "example.claims"
    write_example(written)
    return written


def children(view: ClaimsView, *moves: str) -> dict[str, Known]:
    return dict(view.position(moves).children)


def test_proven_is_what_was_checked(path: Path) -> None:
    found = children(seen(path))
    assert len(found) == 9, "moves to positions that are equal up to symmetry are listed too"
    center = found["b2"]
    assert bounds(center.proven) == bounds(center.accepted) == NOT_LOST
    assert center.by_claims and not center.settled and not center.leaf
    assert [claim.digest for claim in center.claims] == [DIGEST]
    for name in CORNERS:
        corner = found[name]
        assert bounds(corner.proven) == NOTHING, "nothing was checked"
        assert bounds(corner.accepted) == NOT_WON
        assert corner.leaf and [claim.checked for claim in corner.claims] == [False]


def test_estimates_are_apart_from_proofs(path: Path) -> None:
    found = children(seen(path))
    assert found["a2"].estimates == (0.125, -0.125)
    assert found["b2"].estimates == (0.5, -0.5)
    replies = children(seen(path), "b2")
    assert replies["b1"].estimates is None, "it is proven"
    with writing(path) as write:
        write.claim(">=0", "a2 a1")
        write.expand("a2 a1", -0.75)
    assert children(seen(path), "a2")["a1"].estimates == (None, None), "the proof contradicts it"


def test_the_order_is_that_of_the_mover(path: Path) -> None:
    view = seen(path)
    assert next(iter(children(view))) == "b2"
    assert list(children(view, "b2"))[-4:] == ["b1", "a2", "c2", "b3"], "the second player loses"


def test_unchecked_claims_prove_nothing_above(path: Path) -> None:
    """The root cannot be won, if what is claimed of every move is true."""
    with writing(path) as write:
        for name in ("a2", "b2"):
            write.claim("<=0", name)
    known = seen(path).root.known
    assert bounds(known.proven) == NOT_LOST, "by the center"
    assert bounds(known.accepted) == DRAW and known.settled and known.estimates is None
    with writing(path) as write:
        write.claim("<=0", "a1")
    known = seen(path).root.known
    assert bounds(known.proven) == bounds(known.accepted) == DRAW
    assert not known.by_claims and not known.claims, "it follows from the moves"


def test_where_a_position_is(path: Path) -> None:
    view = seen(path)
    replies = children(view, "b2")
    assert replies["b1"].settled and replies["b1"].leaf and not replies["b1"].running
    assert all(replies[name].running for name in CORNERS), "a job is about one, and so about all"
    assert view.position(("b2", "a1")).children == (), "a leaf has no moves in the file"
    with pytest.raises(UsageError, match="not in the claims file"):
        view.position(("a1", "b2"))
    with pytest.raises(UsageError, match="illegal move"):
        view.position(("b2", "b2"))


def test_the_end_of_the_game_is_proven_by_the_rules(tmp_path: Path) -> None:
    with writing(tmp_path / "end", moves="a1 b1 a2 b2") as write:
        write.expand("a1 b1 a2 b2")
    view = seen(tmp_path / "end")
    found = children(view, "a1", "b1", "a2", "b2")["a3"]
    assert found.over and found.settled and found.proven == Bounds((1, 0.0), (1, 0.0))
    assert view.position(("a1", "b1", "a2", "b2", "a3")).mover is None
    assert view.root.known.settled


def test_facts_as_plain_values() -> None:
    plain, exact = (Scale(load_game("nim"), scores=scores) for scores in (False, True))
    exact.best = ((1, math.inf), (1, math.inf))
    assert fact_values(Bounds((-1, 0.0), (1, 0.0)), plain) is None
    found = fact_values(Bounds((0, 0.0), (1, 0.0)), plain)
    assert found == {"outcome": [[0, 1], [-1, 0]], "score": None, "claims": [">=0"]}
    found = fact_values(Bounds((1, 3.0), (1, math.inf)), exact)
    assert found is not None and found["score"] == [[3.0, None], [None, -3.0]]
    found = fact_values(Bounds((0, 3.0), (1, math.inf)), exact)
    assert found is not None and found["score"] is None, "it is the score of which outcome?"
    many = Scale(load_game("nim(players=3)"), scores=False)
    assert fact_values(None, many) is None
    found = fact_values(((1, 0.0), (-1, 0.0), (-1, 0.0)), many)
    assert found is not None and found["outcome"] == [[1, 1], [-1, -1], [-1, -1]]


def test_changes_are_seen(path: Path) -> None:
    changes = Changes(path)
    first = changes.version()
    assert changes.version() == first
    with writing(path) as write:
        write.claim("<=0", "b2")
    second = changes.version()
    assert second != first
    (path.with_name(f"{path.name}.certificates") / "proof.cert").touch()
    third = changes.version()
    assert third != second, "it is written last"
    path.rename(path.with_name("other"))
    with pytest.raises(UsageError, match="cannot be read"):
        changes.version()
    write_example(path)
    assert changes.version() != third
    changes.close()


def test_the_command_lists_the_moves_of_a_position(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["claims", str(path), "--moves", ""]) == 0
    lines = capsys.readouterr().out.splitlines()
    (columns,) = (line.split("  ") for line in lines if line.startswith("move"))
    assert [name.strip() for name in columns if name.strip()] == [
        "move",
        "proven",
        "proof",
        "not checked",
        "estimated",
        "state",
    ]
    (center,) = (line for line in lines if line.startswith("b2 "))
    assert "player 1 cannot lose, player 2 cannot win" in center and DIGEST[:12] in center
    assert main(["claims", str(path), "--moves", "b2 b1"]) == 0
    shown = capsys.readouterr().out
    assert "proven: player 1 wins" in shown and DIGEST in shown and "estimated" not in shown
    assert main(["claims", str(path), "--moves", "b2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["moves"] == ["b2"] and found["mover"] == 1 and len(found["children"]) == 8
    assert found["proven"]["claims"] == [">=0"] and found["accepted"] is None


def test_the_command_refuses_what_it_cannot_show(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["claims", str(path), "--moves", "a1 b2"]) == 2
    assert "not in the claims file" in capsys.readouterr().err
    assert main(["claims", str(path), "--moves", "", "--export-jobs"]) == 2
    assert "give one of them" in capsys.readouterr().err
