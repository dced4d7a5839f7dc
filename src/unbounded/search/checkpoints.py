# SPDX-License-Identifier: MIT
"""Searches as files: saved at any moment, and taken up again exactly where they were.

`docs/checkpoints.md` describes the file. The core gives and takes its memory piece by piece, so
that a graph is never copied as a whole.
"""

from __future__ import annotations

import json
import os
import re
from array import array
from typing import TYPE_CHECKING, Any, TypeVar

from unbounded.evaluation import (
    Evaluation,
    check_evaluation,
    described_evaluation,
    evaluation_name,
)
from unbounded.game import Game, RuleError, UsageError, require, state_text
from unbounded.game.catalogue import is_named, load_game
from unbounded.native import Damaged, ObjectRoute
from unbounded.search.descriptions import described
from unbounded.search.options import SearchOptions
from unbounded.search.tree import Node
from unbounded.storage.atomic_files import Write
from unbounded.storage.fingerprint import Fingerprint, fingerprint
from unbounded.storage.tensor_file import Reader, Tensor, write
from unbounded.version import VERSION

if TYPE_CHECKING:
    from unbounded.search.search import Search

AnySearch = TypeVar("AnySearch", bound="Search")
PathLike = str | os.PathLike[str]

FORMAT = "unbounded search"
FORMAT_VERSION = 3
_ORIGINS = "origins"
_DTYPES = {1: "U8", 4: "U32", 8: "U64"}
_MOST = 1 << 64

ASKED_COMPILED = 1_000_000
ASKED_PLAIN = 20_000
"""When a search is loaded, the rules are called again on at most this many states, spread evenly:
a second or two for compiled rules, and for those in plain Python."""
_ASKED_AT_ONCE = 50_000


# -- saving ---------------------------------------------------------------------------------------


def save(search: Search, path: PathLike) -> int:
    """Write a search to a file, which is replaced whole or not at all; return its length."""
    numbers = search._core.saved()
    metadata = {
        "format": FORMAT,
        "version": str(FORMAT_VERSION),
        "program": VERSION,
        "game": str(search.game),
        "rules": search.fingerprint.answers,
        "code": search.fingerprint.code,
        "form": _form(search),
        "options": json.dumps(search.options.to_dict()),
        "moves": json.dumps(search.moves),
        "numbers": json.dumps(numbers),
        "seconds": repr(search.seconds),
        "stopped": search.stopped,
    }
    origins = search.route.bridge.origins if isinstance(search.route, ObjectRoute) else None

    def produce(put: Write) -> None:
        if origins:
            put(memoryview(origins).cast("B"))
        search._core.save(put)

    return write(path, metadata, _tensors(search, numbers, len(origins or ()) // 2), produce)


def _form(search: Search) -> str:
    """How states are stored: as they are, or by number."""
    return "objects" if isinstance(search.route, ObjectRoute) else "record"


def _tensors(search: Search, numbers: dict[str, int], objects: int) -> list[Tensor]:
    """The arrays of a search with these numbers, in their order."""
    arrays = [
        Tensor(name, _DTYPES[item_bytes], (rows, columns))
        for name, item_bytes, rows, columns in search._core.arrays(numbers)
    ]
    by_number = isinstance(search.route, ObjectRoute)
    return [Tensor(_ORIGINS, "I32", (objects, 2)), *arrays] if by_number else arrays


# -- loading --------------------------------------------------------------------------------------


def load(
    kind: type[AnySearch],
    path: PathLike,
    game: Game[Any, Any] | str | None = None,
    *,
    evaluation: Evaluation | None = None,
    threads: int | None = None,
) -> AnySearch:
    """Make the search that was written to a file; see `Search.load`."""
    with Reader(path) as reader:
        try:
            search = _prepared(kind, reader, game, evaluation, threads)
            _fill(search, reader)
            _compare_with_rules(search, reader)
        except UsageError:
            if not reader.is_intact():  # then its contents do not matter
                reader.fail("its checksum does not fit")
            raise
    return search


def about(path: PathLike) -> dict[str, Any]:
    """The header of a file, without reading the rest: game, options, moves, seconds."""
    with Reader(path) as reader:
        said = _said(reader)
        return {
            "game": said["game"],
            "options": _saved_options(reader),
            "moves": _parsed(reader, "moves", list),
            "seconds": _seconds(reader),
        }


def _said(reader: Reader) -> dict[str, str]:
    """The metadata of a file, if this program understands it."""
    said = reader.metadata
    if said.get("format") != FORMAT:
        reader.fail("it does not say that it is one")
    version = said.get("version", "")
    if not re.fullmatch("[1-9][0-9]{0,8}", version):
        reader.fail("it does not say which version it is")
    if int(version) > FORMAT_VERSION:
        raise UsageError(
            f"{reader.path} was written by a newer version of this program (format {version}; "
            f"this one reads up to {FORMAT_VERSION})"
        )
    missing = {"game", "rules", "form", "options", "moves", "numbers", "seconds"} - set(said)
    if missing:
        reader.fail(f"it does not say its {min(missing)}")
    return said


def _prepared(
    kind: type[AnySearch],
    reader: Reader,
    given: Game[Any, Any] | str | None,
    evaluation: Evaluation | None,
    threads: int | None,
) -> AnySearch:
    """Make a new search of the same game with the same options."""
    said = _said(reader)
    game = _game(reader, said["game"], given)
    print_now = fingerprint(game)
    require(print_now.answers == said["rules"], _other_rules(reader))
    options = _checked_options(reader, game, evaluation)
    require(
        int(said["version"]) >= FORMAT_VERSION or not options.get("probes"),
        f"{reader.path} was written by an older version of this program, whose probes kept other "
        "tables: search again",
    )
    if threads is not None:
        options["threads"] = threads
    search = kind(game, **options)
    search.fingerprint = print_now
    require(
        _form(search) == said["form"],
        f"{reader.path} was made {'with' if said['form'] == 'record' else 'without'} compiled "
        f"rules, and now there are {'none' if said['form'] == 'record' else 'some'}",
    )
    return search


def _other_rules(reader: Reader) -> str:
    return (
        f"{reader.path} holds a search of {reader.metadata['game']} by other rules than those of "
        "today: their code, a helper or a constant has changed. Start again, or bring the old "
        "rules back"
    )


def _fingerprint_of(said: dict[str, str]) -> Fingerprint:
    return Fingerprint(said["rules"], said.get("code", ""))  # version 1 knew nothing of the code


def _game(reader: Reader, text: str, given: Game[Any, Any] | str | None) -> Game[Any, Any]:
    """Find the game of a file; one that is itself in a file is never opened because of a name."""
    if given is None:
        try:
            return load_game(text, files=False)
        except UsageError as error:
            raise UsageError(f"{reader.path} needs its game to be given: {error}") from error
    game = load_game(given)
    require(
        is_named(game, text),
        f"{reader.path} holds a search of {text}, not of {game}",
    )
    return game


def _parsed(reader: Reader, name: str, kind: type[Any]) -> Any:
    try:
        value = json.loads(reader.metadata[name])
    except (ValueError, RecursionError):
        reader.fail(f"its {name} cannot be read")
    if not isinstance(value, kind):
        reader.fail(f"its {name} cannot be read")
    return value


def _saved_options(reader: Reader) -> dict[str, Any]:
    """The options in a file; those that are newer than the file have their defaults."""
    newer = {about.name: about.default for about in described(SearchOptions) if about.newer}
    return newer | dict(_parsed(reader, "options", dict))


def _checked_options(
    reader: Reader, game: Game[Any, Any], evaluation: Evaluation | None
) -> dict[str, Any]:
    options = _saved_options(reader)
    known = {about.name: about for about in described(SearchOptions)}
    if set(options) != set(known) or not all(
        about.name == "evaluation" or type(options[about.name]) in about.kinds
        for about in known.values()
    ):
        reader.fail("its options are none of ours")
    saved = options["evaluation"]
    if isinstance(saved, dict) and "network" in saved:
        options["evaluation"] = _same_network(reader, game, saved, evaluation)
    elif isinstance(saved, dict):
        name = saved.get("function")
        require(
            callable(evaluation) and evaluation_name(evaluation) == name,
            f"{reader.path} was made with a function as evaluation, {name!r}: give it again",
        )
        options["evaluation"] = evaluation
    else:
        require(
            evaluation is None or evaluation == saved,
            f"{reader.path} was made with the evaluation {saved!r}",
        )
    return options


def _same_network(
    reader: Reader, game: Game[Any, Any], saved: dict[str, Any], given: Evaluation | None
) -> Evaluation:
    """The network of a saved search, from its old file or the one given; its weights decide."""
    name = saved["network"]
    if not isinstance(name, str):
        reader.fail("its options are none of ours")
    try:
        found = check_evaluation(game, name if given is None else given)
    except UsageError as error:
        if given is not None:
            raise
        raise UsageError(
            f"{reader.path} was made with the network {name}, which cannot be used ({error}): "
            "give the same network by `evaluation`"
        ) from error
    require(
        described_evaluation(found) == {**saved, "network": evaluation_name(found)},
        f"{reader.path} was made with the network {name}; {evaluation_name(found)} is another one",
    )
    return found


def _seconds(reader: Reader) -> float:
    try:
        seconds = float(reader.metadata["seconds"])
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < 1e12:
        reader.fail("its seconds cannot be read")
    return seconds


def _fill(search: Search, reader: Reader) -> None:
    """Read the graph into a new search."""
    numbers = _numbers(search, reader)
    by_number = isinstance(search.route, ObjectRoute)
    first = reader.tensors[0] if reader.tensors else None
    objects = first.shape[0] if by_number and first and first.name == _ORIGINS else 0
    if reader.tensors != _tensors(search, numbers, objects):
        reader.fail("its arrays are not those of such a search")
    origins = array("i", bytes(8 * objects))
    if objects:
        with memoryview(origins) as view:
            reader.fill(view)
    played = _played(search.game, reader)
    try:
        search._core.load(numbers, reader.fill, reader.verify)
    except Damaged as error:
        reader.fail(str(error))
    if isinstance(search.route, ObjectRoute):
        try:
            search.route.bridge.rebuild(origins, played)
        except UsageError as error:
            raise UsageError(f"{reader.path} does not fit the rules of today: {error}") from error
        _check_objects(search, reader, objects)
    search.state, search.moves = played[-1], _parsed(reader, "moves", list)
    search._passed = played[:-1]
    if search.route.to_core(search.state) != search._core.state(search._core.root):
        reader.fail("its root is not where its moves lead")
    search._stopwatch.before = _seconds(reader)
    search.stopped = reader.metadata.get("stopped", "new")


def _compare_with_rules(search: Search, reader: Reader) -> None:
    """Compare what was loaded with the rules; refuse it if they differ.

    In a large graph only some states are compared. But if the rules may differ from those that made
    the graph, all states are, also those below proven ones: if everything stored agrees with
    today's rules, so does everything that follows from it.
    """
    states, then = search._core.states, _fingerprint_of(reader.metadata)
    comparable = search.fingerprint.can_be_compared(then)
    known = comparable and search.fingerprint.code == then.code
    most = ASKED_PLAIN if isinstance(search.route, ObjectRoute) else ASKED_COMPILED
    whole = known or _holds_every_reason(search)
    require(whole or not comparable, _other_rules(reader))
    require(
        whole,
        f"{reader.path} cannot be trusted: it does not tell whether its rules are those of today "
        "(it was saved by another version of Python, by an older version of this program, or "
        "its rules use something that cannot be compared), and not all of its proofs are in it",
    )
    step = -(-states // most) if known else 1
    for begin in range(0, states, step * _ASKED_AT_ONCE):
        try:
            differs = search._core.disagreement(begin, begin + step * _ASKED_AT_ONCE, step)
        except RuleError as error:
            raise UsageError(f"{reader.path} does not fit the rules: {error}") from error
        if differs is not None:
            number, rule = differs
            raise UsageError(
                f"{reader.path} does not fit the rules of today: {rule} says something else about "
                f"the state ({state_text(search.game, Node(search, number).state)})"
            )
    search.checked_states = len(range(0, states, step))


def _holds_every_reason(search: Search) -> bool:
    """Whether all that was proven follows from stored states: no probes, nothing forgotten."""
    bounded = search.options.bounds or search.options.local_maximum
    if bounded and search.game.has_local_best_score:
        return False
    return search._core.probed == 0 and search._core.compactions == 0


def _check_objects(search: Search, reader: Reader, objects: int) -> None:
    """Make sure that every number that the core holds is that of an object."""
    core = search._core
    if any(int.from_bytes(core.state(i), "little") >= objects for i in range(core.states)):
        reader.fail("it has a state that comes from nowhere")


def _numbers(search: Search, reader: Reader) -> dict[str, int]:
    numbers: dict[str, int] = _parsed(reader, "numbers", dict)
    fits = set(numbers) == set(search._core.saved())
    if not fits or not all(type(x) is int and 0 <= x < _MOST for x in numbers.values()):
        reader.fail("its numbers are none of ours")
    return numbers


def _played(game: Game[Any, Any], reader: Reader) -> list[Any]:
    """Play the moves of a file by the rules; return all states on the way."""
    states = [game.initial()]
    for move in _parsed(reader, "moves", list):
        if not isinstance(move, str):
            reader.fail("its moves cannot be read")
        states.append(game.next(states[-1], game.parse_action(states[-1], move)))
    return states
