# SPDX-License-Identifier: MIT
"""Positions with known results, to measure an evaluation by: the files they are read from.

Three kinds of files, told apart by their first line, and one by its name:

* lines `MOVES SCORE`: the score of the position for the player to move; its sign is the outcome;
* CSV with the columns `moves,ply,scores`, where scores are `action:score ...`, one for every legal
  action, for the player to move: positive wins, and a larger score is a sooner win or a later loss;
* our own JSON lines, written by `write_positions`: the proven outcome of every action, per player;
* the same in Parquet, in files whose names end in `.parquet`.

Moves are separated by blanks, and named as the game names them. Where every name is one character,
they may also be written without blanks: 4455.
"""

from __future__ import annotations

import csv
import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unbounded.game import Game, RecordGame, UsageError, require
from unbounded.game.catalogue import is_named
from unbounded.learning.position_parquet import PARQUET, read_parquet, write_parquet
from unbounded.storage.atomic_files import replace_by

FORMAT, FORMAT_VERSION = "unbounded test positions", 1
COLUMNS = ["moves", "ply", "scores"]
LONGEST_LINE = 1 << 16
MOST_MOVES = 100_000

Outcomes = dict[str, tuple[int, ...]]
FinalScores = dict[str, tuple[float, ...] | None]
Distances = dict[str, int | None]


@dataclass(frozen=True)
class SolvedPosition:
    """A position whose value is known, and in most files also that of every move."""

    moves: tuple[str, ...]
    """From the start of the game."""
    state: Any
    player: int
    """Who moves."""
    best: int
    """The outcome for the player to move, under best play."""
    outcomes: Outcomes | None = None
    """The outcome after each legal action by name, per player; None where it is not given."""
    scores: dict[str, float] | None = None
    """Where it is known how soon each action wins: larger is better for the player to move."""
    final_scores: FinalScores | None = None
    """The proven score after each action, per player; None where it is not given."""
    distances: Distances | None = None
    """How many moves the proven line of best play takes after each action, that one included."""
    value: tuple[int, ...] | None = None
    """The proven outcome of the position itself, per player; None where it is not given."""

    @property
    def ply(self) -> int:
        """The number of moves played."""
        return len(self.moves)

    @property
    def is_decisive(self) -> bool:
        """Whether the player to move can still reach at least two different outcomes."""
        known = self.outcomes or {}
        return len({outcome[self.player] for outcome in known.values()}) > 1


def solved_position(
    game: Game[Any, Any], moves: Sequence[str], state: Any, outcomes: Outcomes, **details: Any
) -> SolvedPosition:
    """Make a position of the outcomes of its actions, with more of its fields as `details`."""
    player = int(game.player(state))
    best = max(outcome[player] for outcome in outcomes.values())
    return SolvedPosition(tuple(moves), state, player, best, outcomes, **details)


# -- reading ---------------------------------------------------------------------------------------


def read_positions(game: Game[Any, Any], path: str | os.PathLike[str]) -> list[SolvedPosition]:
    """Read a file of positions; a `UsageError` names the line that is wrong."""
    positions = list(_read(game, Path(path)))
    require(len(positions) > 0, f"{path} has no positions")
    return positions


def read_header(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the header of a file that `write_positions` wrote."""
    file = Path(path)
    if file.suffix == PARQUET:
        header, _ = read_parquet(file)
    else:
        _, line = next(_lines(file), (0, ""))
        header = _json_object(line) if line.startswith("{") else {}
    require(header.get("format") == FORMAT, f"{path} is not a file of test positions")
    return header


def _read(game: Game[Any, Any], path: Path) -> Iterator[SolvedPosition]:
    if path.suffix == PARQUET:
        header, rows = read_parquet(path)
        _check_header(game, header)
        yield from (_from_row(game, row) for row in rows)
        return
    reader: Callable[[Game[Any, Any], str], SolvedPosition] | None = None
    for number, line in _lines(path):
        try:
            if reader is None:
                reader, is_header = _reader_for(game, line)
                if is_header:
                    continue
            yield reader(game, line)
        except UsageError as error:
            raise UsageError(f"{path}, line {number}: {error}") from None


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank, with their numbers."""
    require(path.exists(), f"there is no file {path}")
    require(path.is_file(), f"{path} is not an ordinary file")
    try:
        with path.open(encoding="utf-8-sig") as file:
            number = 0
            while line := file.readline(LONGEST_LINE + 1):
                number += 1
                require(len(line) <= LONGEST_LINE, f"{path}, line {number}: the line is too long")
                if line.strip():
                    yield number, line.strip()
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not a file of positions: it is not text") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None


def _reader_for(
    game: Game[Any, Any], first: str
) -> tuple[Callable[[Game[Any, Any], str], SolvedPosition], bool]:
    """Choose the reader by the first line; also say whether that line is a header."""
    if first.startswith("{"):
        _check_header(game, _json_object(first))
        return _from_json, True
    if [cell.strip() for cell in first.split(",")] == COLUMNS:
        return _from_csv, True
    return _from_line, False


def _check_header(game: Game[Any, Any], header: dict[str, Any]) -> None:
    require(header.get("format") == FORMAT, "this is not a file of test positions")
    require(
        header.get("version") == FORMAT_VERSION,
        f"the file is of version {header.get('version')!r}; this program reads {FORMAT_VERSION}",
    )
    named = header.get("game")
    require(
        isinstance(named, str) and is_named(game, named), f"the file is about {named}, not {game}"
    )


def _json_object(line: str) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise UsageError("this is not a JSON object")
    return data


def _from_json(game: Game[Any, Any], line: str) -> SolvedPosition:
    return _from_row(game, _json_object(line))


def _from_row(game: Game[Any, Any], data: dict[str, Any]) -> SolvedPosition:
    moves, outcomes = data.get("moves"), data.get("outcomes")
    require(
        isinstance(moves, list) and all(isinstance(move, str) for move in moves),
        "moves must be a list of names",
    )
    assert isinstance(moves, list)
    names, state = _played(game, moves)
    _check_ply(data.get("ply"), names)
    require(isinstance(outcomes, dict), "outcomes must be an object")
    assert isinstance(outcomes, dict)
    _check_every_action(game, state, outcomes)
    good = all(_is_outcome(x, game.players) for x in outcomes.values())
    require(good, f"an outcome is a list of {game.players} numbers, each -1, 0 or 1")
    fair = not game.zero_sum or all(sum(outcome) == 0 for outcome in outcomes.values())
    require(fair, f"{game} has zero sum, and outcomes here do not add up to zero")
    vectors = {name: tuple(outcome) for name, outcome in outcomes.items()}
    return solved_position(game, names, state, vectors, **_details(game, data, set(vectors)))


def _details(game: Game[Any, Any], data: dict[str, Any], names: set[str]) -> dict[str, Any]:
    """What a line has beside the outcomes: scores and distances, where they are known."""
    scores, distances, value = (data.get(key) for key in ("scores", "distances", "value"))
    found: dict[str, Any] = {}
    if value is not None:
        require(_is_outcome(value, game.players), f"value must be {game.players} outcomes")
        found["value"] = tuple(value)
    if scores is not None:
        good = isinstance(scores, dict) and set(scores) == names
        require(
            good and all(x is None or _is_score(x, game.players) for x in scores.values()),
            f"scores must have a list of {game.players} numbers, or null, for each legal action",
        )
        found["final_scores"] = {k: None if x is None else tuple(x) for k, x in scores.items()}
    if distances is not None:
        good = isinstance(distances, dict) and set(distances) == names
        require(
            good and all(x is None or (type(x) is int and x > 0) for x in distances.values()),
            "distances must have a number of moves, or null, for each legal action",
        )
        found["distances"] = distances
    return found


def _is_outcome(given: Any, players: int) -> bool:
    numbers = isinstance(given, list) and len(given) == players
    return numbers and all(type(x) is int and x in (-1, 0, 1) for x in given)


def _is_score(given: Any, players: int) -> bool:
    numbers = isinstance(given, list) and len(given) == players
    return numbers and all(type(x) in (int, float) and math.isfinite(x) for x in given)


def _from_csv(game: Game[Any, Any], line: str) -> SolvedPosition:
    try:
        cells = next(csv.reader([line]))
    except csv.Error as error:
        raise UsageError(f"this is not a line of CSV ({error})") from None
    require(len(cells) == 3, f"{len(cells)} cells instead of 3: {','.join(COLUMNS)}")
    _check_two_players(game)
    names, state = _played(game, cells[0].split())
    _check_ply(cells[1].strip(), names)
    scores = {}
    for item in cells[2].split():
        name, colon, score = item.rpartition(":")
        require(bool(colon), f"{item!r} is not action:score")
        name = game.action_name(state, game.parse_action(state, name))
        require(name not in scores, f"two scores of the action {name!r}")
        scores[name] = _score(score)
    _check_every_action(game, state, scores)
    player = int(game.player(state))
    outcomes = {name: _outcome(player, score) for name, score in scores.items()}
    return SolvedPosition(names, state, player, _sign(max(scores.values())), outcomes, scores)


def _from_line(game: Game[Any, Any], line: str) -> SolvedPosition:
    *moves, score = line.split()
    best = _sign(_score(score))
    _check_two_players(game)
    names, state = _played(game, moves)
    return SolvedPosition(names, state, int(game.player(state)), best)


def _played(game: Game[Any, Any], moves: Sequence[str]) -> tuple[tuple[str, ...], Any]:
    """Play the moves; return their names and the position, which must not be the end of a game."""
    state, names = game.initial(), list[str]()
    for word in moves:
        for move in _split(game, state, word):
            action = game.parse_action(state, move)
            names.append(game.action_name(state, action))
            state = game.next(state, action)
        require(len(names) <= MOST_MOVES, "too many moves")
    require(len(game.actions(state)) > 0, "the game is over after these moves")
    return tuple(names), state


def _split(game: Game[Any, Any], state: Any, word: str) -> Sequence[str]:
    """Return a word as one move, or else as a run of moves of one character each."""
    if len(word) == 1:
        return [word]
    legal = [game.action_name(state, action) for action in game.actions(state)]
    is_run = word not in legal and any(name == word[0] for name in legal)
    return list(word) if is_run else [word]


def _score(text: str) -> float:
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    require(math.isfinite(score), f"{text[:40]!r} is not a score")
    return score


def _check_two_players(game: Game[Any, Any]) -> None:
    require(
        game.players == 2 and game.zero_sum,
        f"one score says too little for {game}: positions of more than two players, or without "
        "zero sum, are read from JSON lines",
    )


def _check_ply(given: Any, moves: Sequence[str]) -> None:
    require(
        type(given) is not bool and str(given) == str(len(moves)),
        f"ply is {given!r}, and there are {len(moves)} moves",
    )


def _check_every_action(game: Game[Any, Any], state: Any, given: Iterable[str]) -> None:
    legal = {game.action_name(state, action) for action in game.actions(state)}
    unknown, missing = set(given) - legal, legal - set(given)
    require(not unknown, f"{', '.join(sorted(unknown)[:3])} is not legal here")
    require(not missing, f"nothing is said of the legal action {', '.join(sorted(missing)[:3])}")


def _sign(score: float) -> int:
    return (score > 0) - (score < 0)


def _outcome(player: int, score: float) -> tuple[int, ...]:
    sign = _sign(score)
    return (sign, -sign) if player == 0 else (-sign, sign)


# -- writing ---------------------------------------------------------------------------------------


def write_positions(
    path: str | os.PathLike[str],
    game: Game[Any, Any],
    positions: Iterable[SolvedPosition],
    **about: Any,
) -> None:
    """Write positions as JSON lines, or as Parquet if the name ends in `.parquet`.

    `about` goes into the header. The file is replaced whole.
    """
    header = {"format": FORMAT, "version": FORMAT_VERSION, "game": str(game), **about}
    rows = (_row(game, position) for position in positions)

    def make(draft: Path) -> None:
        if Path(path).suffix == PARQUET:
            write_parquet(draft, header, rows)
            return
        with draft.open("w", encoding="utf-8") as file:
            file.write(json.dumps(header) + "\n")
            for row in rows:
                file.write(json.dumps(row) + "\n")

    replace_by(path, make)


def _row(game: Game[Any, Any], position: SolvedPosition) -> dict[str, Any]:
    """A position as plain values; what is not known is left out."""
    state = bytes(position.state).hex() if isinstance(game, RecordGame) else None
    row = {
        "moves": position.moves,
        "ply": position.ply,
        "state": state,
        "player": position.player,
        "value": position.value,
        "outcomes": position.outcomes,
        "scores": position.final_scores,
        "distances": position.distances,
    }
    return {name: known for name, known in row.items() if known is not None}
