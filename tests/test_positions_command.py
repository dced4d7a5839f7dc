# SPDX-License-Identifier: MIT
"""Sets of decisive positions: every value is true, whoever proves it again, and none is lost."""

from __future__ import annotations

import hashlib
import json
import re
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

import unbounded as ub
from unbounded.game import Game, UsageError
from unbounded.game.catalogue import load_game
from unbounded.interfaces.cli import positions as positions_command
from unbounded.interfaces.cli.main import main
from unbounded.learning import decisive_sets
from unbounded.learning.decisive import Drawn, _FromGame, _judged
from unbounded.learning.oracle import Solver
from unbounded.learning.positions import SolvedPosition, read_positions
from unbounded.solving.checker_format import as_float32
from unbounded.solving.proven_positions import key_of
from unbounded.storage.fingerprint import fingerprint

DOCS = Path(__file__).parent.parent / "docs"
SETS = sorted((DOCS / "positions").glob("*.jsonl"))
NIM = "nim(heaps=[1,2,3],players=3)"
Worth = tuple[tuple[int, ...], tuple[float, ...]]


def read(path: Path) -> tuple[dict[str, Any], Game[Any, Any], list[SolvedPosition]]:
    """The header of a set, its game and its positions."""
    if path.suffix == ".parquet":
        from pyarrow import parquet

        header = json.loads(parquet.read_schema(path).metadata[b"unbounded"])
    else:
        header = json.loads(path.read_text("utf-8").partition("\n")[0])
    game = load_game(header["game"])
    return header, game, read_positions(game, path)


def equilibria(game: Game[Any, Any], state: Any, known: dict[Any, set[Worth]]) -> set[Worth]:
    """Every pair of outcomes and scores that an equilibrium of the game from here may have.

    Of two players with zero sum there is one. In general a result of one move is that of an
    equilibrium if no other move must be better for the player to move.
    """
    if state in known:
        return known[state]
    children = [game.next(state, action) for action in game.actions(state)]
    if not children:
        scores = tuple(as_float32(float(x)) for x in game.score(state))
        found = {(tuple(int(x) for x in game.outcome(state)), scores)}
    else:
        me, each = game.player(state), [equilibria(game, child, known) for child in children]

        def own(worth: Worth) -> tuple[int, float]:
            return worth[0][me], worth[1][me]

        least = max(min(own(worth) for worth in worths) for worths in each)
        found = {worth for worths in each for worth in worths if own(worth) >= least}
    known[state] = found
    return found


def check_by_brute_force(game: Game[Any, Any], position: SolvedPosition, known: Any) -> None:
    assert position.outcomes is not None
    for action in game.actions(position.state):
        name = game.action_name(position.state, action)
        after = game.next(position.state, action)
        possible = equilibria(game, after, known)
        outcome = position.outcomes[name]
        score = (position.final_scores or {}).get(name)
        if score is None:
            assert outcome in {worth[0] for worth in possible}
        else:
            assert (outcome, score) in possible
        if not game.actions(after):
            assert position.distances is not None and position.distances[name] == 1
    whole = {worth[0] for worth in equilibria(game, position.state, known)}
    assert position.value in whole and position.value in position.outcomes.values()


# -- the three sets of the documentation -----------------------------------------------------------


def test_there_are_three_sets() -> None:
    page = (DOCS / "positions.md").read_text("utf-8")
    told = dict(re.findall(r"^\| \[`([\w.]+)`\].*`([0-9a-f]{64})` \|$", page, re.MULTILINE))
    assert len(SETS) == 3
    assert told == {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in SETS}
    players = [read(path)[0]["players"] for path in SETS]
    assert sorted(players) == [2, 2, 3]
    assert all(path.stat().st_size <= 200_000 for path in SETS)


@pytest.mark.parametrize("path", SETS, ids=lambda path: path.stem)
def test_a_set_is_what_its_header_says(path: Path) -> None:
    header, game, positions = read(path)
    assert header["rules"] == fingerprint(game).answers
    assert header["found"] == len(positions) == 200 and header["stopped"] == "complete"
    assert header["counts"]["unproven"] == 0
    assert len({key_of(game, p.state, canonical=True) for p in positions}) == len(positions)
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()[1:]]
    for position, row in zip(positions, rows, strict=True):
        assert position.is_decisive and row["player"] == position.player
        assert row["state"] == bytes(position.state).hex()
        assert position.value is not None and position.distances is not None
        assert position.value[position.player] == position.best


@pytest.mark.parametrize(
    ("name", "least", "count"),
    [("connect_four_5x4", 11, 12), ("hex_4", 9, 12), ("dots_and_boxes_3_players", 5, 20)],
)
def test_late_positions_by_brute_force(name: str, least: int, count: int) -> None:
    _, game, positions = read(DOCS / "positions" / f"{name}.jsonl")
    late = [p for p in positions if p.ply >= least]
    known: dict[Any, set[Worth]] = {}
    for position in Random(name).sample(late, count):
        check_by_brute_force(game, position, known)


@pytest.mark.parametrize("name", ["connect_four_5x4", "hex_4"])
def test_any_positions_by_another_search(name: str) -> None:
    """Without probes, bounds and symmetries, which found them."""
    _, game, positions = read(DOCS / "positions" / f"{name}.jsonl")
    middle = [p for p in positions if p.ply >= 5]
    for position in Random(name).sample(middle, 6):
        search = ub.Search(game, moves=position.moves, algorithm="descent")
        for move, outcome in (position.outcomes or {}).items():
            search.play(move)
            assert search.run(memory="400M").outcome == outcome
            search.undo()


def test_a_set_can_be_made_again(tmp_path: Path) -> None:
    path = DOCS / "positions" / "dots_and_boxes_3_players.jsonl"
    header = read(path)[0]
    again = tmp_path / path.name
    words = re.findall(r"'[^']*'|\S+", header["command"])
    arguments = [word.strip("'") for word in words[1:-1]]
    assert main([*arguments, str(again), "-q"]) == 0
    assert again.read_text("utf-8").splitlines()[1:] == path.read_text("utf-8").splitlines()[1:]


# -- the command -----------------------------------------------------------------------------------


def made(path: Path, game: str, *more: str) -> tuple[dict[str, Any], list[SolvedPosition]]:
    assert main(["positions", game, "--decisive", "--out", str(path), "-q", *more]) == 0
    header, _, positions = read(path)
    return header, positions


@pytest.mark.parametrize(
    "game", [NIM, "dots-and-boxes(rows=1,columns=2)", "quick-wins(nim(heaps=[2,3]))"]
)
def test_all_decisive_positions_of_a_small_game(tmp_path: Path, game: str) -> None:
    """All, and no others, up to symmetry; with true values."""
    header, positions = made(tmp_path / "all.jsonl", game, "--count", "100000")
    assert header["method"] == "solved" and header["stopped"] == "no more found"
    found, known = load_game(game), dict[Any, set[Worth]]()
    for position in positions:
        check_by_brute_force(found, position, known)
        assert not found.has_score or None not in (position.final_scores or {"": None}).values()
    if found.players == 2:
        expected = {
            key_of(found, state, canonical=True)
            for state in reached(found)
            if len({w[0] for a in found.actions(state) for w in after(found, state, a, known)}) > 1
        }
        assert {key_of(found, p.state, canonical=True) for p in positions} == expected


def after(game: Game[Any, Any], state: Any, action: Any, known: Any) -> set[Worth]:
    return equilibria(game, game.next(state, action), known)


def reached(game: Game[Any, Any]) -> set[Any]:
    seen, waiting = {game.initial()}, [game.initial()]
    while waiting:
        state = waiting.pop()
        for action in game.actions(state):
            child = game.next(state, action)
            if child not in seen:
                seen.add(child)
                waiting.append(child)
    return {state for state in seen if game.actions(state)}


@cache
def four() -> list[SolvedPosition]:
    return ub.decisive_positions("connect-four(width=5,height=4)", 8, seed=3).positions


def test_the_kinds_say_the_same_and_the_seed_decides(tmp_path: Path) -> None:
    game, count = "connect-four(width=5,height=4)", ("--count", "8")
    header, lines = made(tmp_path / "x.jsonl", game, *count, "--seed", "3")
    about, table = made(tmp_path / "x.parquet", game, *count, "--seed", "3")
    assert lines == table == four()
    assert header | {"command": ""} == about | {"command": ""}
    assert header["command"].endswith("--out x.jsonl") and header["method"] == "drawn"
    _, other = made(tmp_path / "y.jsonl", game, *count, "--seed", "4")
    assert other != lines


def test_more_players_are_drawn_with_their_scores(tmp_path: Path) -> None:
    game = "dots-and-boxes(rows=2,columns=3,players=3)"
    plies = ("--plies", "11..16", "--count", "6")
    header, positions = made(tmp_path / "x.jsonl", game, *plies)
    assert header["method"] == "drawn" and header["equilibrium"]
    found, known = load_game(game), dict[Any, set[Worth]]()
    for position in positions:
        assert 11 <= position.ply <= 16
        assert None not in (position.final_scores or {"": None}).values()
        check_by_brute_force(found, position, known)


def test_a_set_can_be_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made(tmp_path / "x.parquet", NIM, "--count", "5")
    capsys.readouterr()
    measured = ["measure", NIM, "--positions", str(tmp_path / "x.parquet"), "--json", "-q"]
    assert main([*measured, "--evaluation", "zero"]) == 0
    assert json.loads(capsys.readouterr().out)["positions"] == 5


def test_what_is_left_out_is_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.jsonl"
    few = ["--states", "100", "--seconds", "2", "--plies", "0..3", "--count", "3"]
    arguments = ["positions", "connect-four", "--decisive", "--out", str(path), "-q", *few]
    assert main(arguments) == 3
    assert re.search(r"left out: [1-9]\d* not proven", capsys.readouterr().err)
    assert not path.exists()


def test_ctrl_c_keeps_what_was_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, game = tmp_path / "x.jsonl", "connect-four(width=5,height=4)"
    original, saved = decisive_sets.draw_decisive, list[str]()
    monkeypatch.setattr(positions_command, "BETWEEN_SAVES", -1.0)

    def interrupted(*given: Any, progress: Any, **how: Any) -> Drawn:
        def tell(drawn: Drawn) -> None:
            progress(drawn)
            saved.append(json.loads(path.read_text("utf-8").partition("\n")[0])["stopped"])
            if len(drawn.positions) >= 3:
                raise KeyboardInterrupt

        return original(*given, progress=tell, **how)

    assert len(four()) == 8  # made before drawing is interrupted
    monkeypatch.setattr(decisive_sets, "draw_decisive", interrupted)
    arguments = ["positions", game, "--decisive", "--seed", "3", "--json", "-q", "--out", str(path)]
    assert main(arguments) == 3
    assert saved == ["interrupted"] * len(saved)  # as after a crash
    told = json.loads(capsys.readouterr().out)
    header, _, positions = read(path)
    assert header["stopped"] == told["stopped"] == "interrupted"
    assert told["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert 3 <= len(positions) == told["found"] < 8 and positions == four()[: len(positions)]
    with pytest.raises(KeyboardInterrupt):
        ub.decisive_positions(game, 8, seed=3)
    monkeypatch.setattr(decisive_sets, "draw_decisive", original)
    check_resumed(path, arguments, monkeypatch, capsys)


def check_resumed(
    path: Path,
    arguments: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It goes on as if nothing had happened; not with other settings, and not when complete."""
    resume = [*arguments, "--resume", "--count", "8"]
    assert main([*resume, "--count", "2"]) == 2, "nothing that was found is dropped"
    kept = path.read_bytes()
    path.write_bytes(kept.replace(b'"counts": {', b'"counts": 7, "x": {', 1))
    assert main(resume) == 2
    path.write_bytes(kept)
    assert main(arguments) == main([*resume, "--seed", "4"]) == 2
    assert main([*resume, "--states", "999"]) == main([*resume, "--plies", "0..9"]) == 2
    with monkeypatch.context() as patch:
        patch.setattr(decisive_sets, "all_open_positions", None)  # it is known to be large
        assert main(resume) == 0
    header, _, positions = read(path)
    assert header["stopped"] == "complete" and positions == four()
    capsys.readouterr()
    assert main(resume) == 2
    assert "it is complete; --force writes it again" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "say which positions: --decisive"),
        (["--decisive", "--plies", "5..2"], "--plies must be like 4..20"),
        (["--decisive", "--plies", "x"], "--plies must be like 4..20"),
        (["--decisive", "--count", "0"], "--count must be 1 or more, not 0"),
        (["--decisive", "--jobs", "0"], "--jobs must be 1 or more, not 0"),
        (["--decisive", "--states", "0"], "--states must be 1 or more, not 0"),
        (["--decisive", "--seconds", "-1"], "--seconds must be 0 or more, not -1"),
    ],
)
def test_bad_input(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "x.jsonl")
    assert main(["positions", "nim", "--out", path, *arguments]) == 2
    assert said in capsys.readouterr().err


def test_files_are_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("mine", "utf-8")
    command = ["positions", NIM, "--decisive", "--count", "2", "-q", "--out"]
    assert main([*command, str(path)]) == 2
    assert main([*command, str(tmp_path / "x.txt")]) == 2
    errors = capsys.readouterr().err
    assert "exists already" in errors and "must end in .jsonl or .parquet" in errors
    assert path.read_text("utf-8") == "mine"
    assert main([*command, str(path), "--force"]) == 0


@pytest.mark.parametrize(
    ("key", "given", "said"),
    [
        ("value", [0, 2, 0], "value must be 3 outcomes"),
        ("distances", {}, "distances must have"),
        ("distances", {"1:1": 0}, "distances must have"),
        ("scores", {"1:1": [1.0]}, "scores must have"),
    ],
)
def test_lines_that_are_wrong(tmp_path: Path, key: str, given: Any, said: str) -> None:
    made(tmp_path / "x.jsonl", NIM, "--count", "1")
    header, line = (tmp_path / "x.jsonl").read_text("utf-8").splitlines()
    changed = json.loads(line) | {key: given}
    (tmp_path / "y.jsonl").write_text(f"{header}\n{json.dumps(changed)}\n", "utf-8")
    with pytest.raises(UsageError, match=f"line 2: {said}"):
        read_positions(load_game(NIM), tmp_path / "y.jsonl")


def test_a_damaged_table_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(UsageError, match=r"x\.parquet"):
        read_positions(load_game(NIM), tmp_path / "x.parquet")


def test_a_value_of_another_equilibrium_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A value that is not that of a best move was proven after states had been forgotten."""
    solver = Solver(ub.load_game("nim(heaps=[1,2,2],players=3)"))
    assert len(_judged(_FromGame(), solver, [], details=True).positions) == 1
    outcomes = solver.outcomes([])
    assert outcomes is not None
    worst = min(outcomes.values())
    monkeypatch.setattr(solver, "outcomes", lambda moves: outcomes)
    monkeypatch.setattr(solver, "outcome", lambda moves: worst)
    assert worst[0] == -1
    result = _judged(_FromGame(), solver, [], details=True)
    assert result.unproven == 1 and not result.positions
