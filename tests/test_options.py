# SPDX-License-Identifier: MIT
"""Search options are described once: everything that takes or shows them follows from there."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from test_cli import Here, here, is_one_line  # noqa: F401

import unbounded as ub
from unbounded.game import UsageError
from unbounded.interfaces.cli.flags import flag_of
from unbounded.interfaces.engine import LIMITS, SEARCH_OPTIONS, Engine
from unbounded.players.kinds import read_kind, search_parameters
from unbounded.search import checkpoints
from unbounded.search.budget import Budget
from unbounded.search.descriptions import described, schema
from unbounded.search.options import (
    SOLVING,
    SearchOptions,
    options_of,
    options_schema,
    search_options,
)
from unbounded.solving.strong import solve_all

ONE_MORE_OPTION = """
import contextlib, dataclasses, inspect, io, json, sys
from unbounded.search import descriptions, options

folder = sys.argv[1]

@dataclasses.dataclass(frozen=True)
class More(options.SearchOptions):
    patience: int = descriptions.option(
        3, "Patience of the search.", group=options.VARIANTS, metavar="N", least=1, most=9,
        conflicts=("bounds",), in_core=False, newer=True,
    )

options.SearchOptions = More  # as if the field were in the class

import unbounded
from unbounded.interfaces.cli.main import main
from unbounded.interfaces.engine import Engine
from unbounded.interfaces.web.requests import REQUESTS
from unbounded.players.kinds import read_kind
from unbounded.search import checkpoints

def shown(*arguments):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        code = main(arguments)
    return code, out.getvalue()

seen = {}
for command in ("solve", "analyze"):
    code, text = shown(command, "--help")
    seen[f"help of {command}"] = "--patience" in text and "Patience of the search." in text
code, text = shown("solve", "nim", "--patience", "5", "--json", "--save", f"{folder}/nim.search")
result = json.loads(text)
seen["solve"] = code == 0 and result["patience"] == 5 and result["bounds"] is False
header = checkpoints.about(f"{folder}/nim.search")["options"]
seen["checkpoint"] = header["patience"] == 5
seen["resumed"] = unbounded.Search.load(f"{folder}/nim.search").options.patience == 5
seen["older checkpoint"] = unbounded.Search.load(f"{folder}/older.search").options.patience == 3
code, text = shown("analyze", "nim", "--patience", "10")
seen["refused"] = code == 2
answers = []
engine = Engine(answers.append)
good, bad = '{"game": "nim", "patience": 4}', '{"game": "nim", "patience": ""}'
engine.serve(['{"do": "options"}', good, bad])
described = [x for x in answers if "options" in x][0]["options"]
seen["engine's schema"] = [x["name"] for x in described].count("patience") == 1
seen["engine"] = [x["result"]["patience"] for x in answers if "result" in x] == [4]
errors = [x["error"] for x in answers if "error" in x]
seen["engine's types"] = errors == ["patience must be int, not str"]
seen["player"] = str(read_kind("ubfm(patience=2)")) == "ubfm(patience=2)"
player = read_kind("ubfm(patience=2)").player(unbounded.load_game("nim"), 0)
seen["player's search"] = player.search.options.patience == 2
seen["Python"] = unbounded.solve("nim", patience=2).options.patience == 2
seen["signature"] = "patience" in inspect.signature(unbounded.Search).parameters
page = REQUESTS["options"](None, {})
seen["page"] = [x["name"] for x in page].count("patience") == 1
print(json.dumps(seen))
"""


def test_a_new_option_is_one_field(tmp_path: Path) -> None:
    """A field more in `SearchOptions`, and nothing else, shows up everywhere."""
    older = ub.Search("nim")
    older.run(iterations=2)
    older.save(tmp_path / "older.search")
    ended = subprocess.run(
        [sys.executable, "-c", ONE_MORE_OPTION, str(tmp_path)],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ended.returncode == 0, ended.stderr
    seen: dict[str, bool] = json.loads(ended.stdout)
    assert len(seen) == 15 and all(seen.values()), seen


# -- descriptions ---------------------------------------------------------------------------------


def test_every_option_is_described() -> None:
    names = [about.name for about in described(SearchOptions)]
    for about in (*described(SearchOptions), *described(Budget)):
        assert about.help.endswith(".") and about.group and about.kinds, about.name
        assert {*about.needs, *about.conflicts} <= set(names), about.name
        assert bool(about.metavar) == (bool not in about.kinds) or about.hidden, about.name
        assert bool(about.off_flag) == bool(about.off_help), about.name
        if about.choices and about.default is not None:
            assert about.default in about.choices
    assert (
        SearchOptions.__doc__ is not None and "resolve_on_win: The first" in SearchOptions.__doc__
    )


def test_the_schema_is_plain() -> None:
    told = options_schema()
    assert json.loads(json.dumps(told)) == told
    assert {x["name"] for x in told} == {x.name for x in described(SearchOptions)} - {"hash_bits"}
    threads = next(x for x in told if x["name"] == "threads")
    assert (threads["type"], threads["least"], threads["most"]) == (["int"], 1, 1024)
    assert "paper" in threads["conflicts"] and threads["group"] == SOLVING
    assert [x["name"] for x in schema(described(Budget))] == [
        "seconds",
        "iterations",
        "states",
        "memory",
    ]


@pytest.mark.parametrize("function", [ub.Search, ub.solve, ub.analyze, solve_all])
def test_signatures_show_the_options(function: Any) -> None:
    parameters = inspect.signature(function).parameters
    for about in described(SearchOptions):
        assert parameters[about.name].default == about.default
    assert {"moves", "options"} <= set(parameters)
    assert not any(x.kind is x.VAR_KEYWORD for x in parameters.values())


# -- giving them ----------------------------------------------------------------------------------


def test_options_as_an_object_and_by_keyword() -> None:
    options = SearchOptions(algorithm="descent", evaluation="playouts(2)", seed=3)
    search = ub.Search("tic-tac-toe", options=options)
    same = ub.Search("tic-tac-toe", algorithm="descent", evaluation="playouts(2)", seed=3)
    assert search.options == same.options == options_of({"values": "minimax"}, options)
    assert search.run(iterations=9).to_dict()["algorithm"] == "descent"
    same.run(iterations=9)
    assert search.snapshot() == same.snapshot()
    assert ub.Search("tic-tac-toe", options=options, seed=4).options.seed == 4
    assert ub.Search("nim", canonical=True).options.canonical is False  # it has no symmetries
    with pytest.raises(TypeError, match=r"unknown option 'algoritm'.*'algorithm'"):
        ub.Search("tic-tac-toe", algoritm="ubfm")
    with pytest.raises(AttributeError):
        search.options.seed = 1  # type: ignore[misc]


def test_solve_uses_an_object_of_options_as_it_is() -> None:
    assert ub.solve("tic-tac-toe", options=SearchOptions()).options.bounds is False
    assert ub.solve("tic-tac-toe").options.bounds is True


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"paper": 1}, "paper must be True or False, not 1"),
        ({"threads": 2.0, "bounds": True}, "threads must be from 1 to 1024, not 2.0"),
        ({"hash_bits": 65}, "hash_bits must be from 1 to 64, not 65"),
        ({"probes": True, "exact_score": True}, "probes and exact_score need bounds=True"),
        (
            {"bounds": True, "paper": True, "completion": False},
            "bounds cannot be combined with paper, completion=False",
        ),
        ({"stop_at_draw": True}, "stop_at_draw needs algorithm='descent'"),
    ],
)
def test_wrong_options(options: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError) as error:
        ub.Search("tic-tac-toe", **options)
    assert str(error.value) == words


def test_every_option_has_a_flag_and_a_key(here: Here) -> None:  # noqa: F811
    assert here("solve", "--help") == 0
    for about in search_options():
        assert flag_of(about.name) in here.out
    assert here("analyze", "--help") == 0
    for about in search_options():
        offered = about.group != SOLVING or about.name == "threads"
        assert (flag_of(about.name) in here.out) == offered
    assert set(SEARCH_OPTIONS) == {about.name for about in search_options()}
    assert set(LIMITS) == {"seconds", "iterations", "states", "memory"}
    assert here("solve", "nim", "--hash-bits", "3") == 2 and is_one_line(here.err)


def test_only_what_is_typed_is_given(here: Here) -> None:  # noqa: F811
    """A flag that is not typed leaves the choice to `solve`."""
    assert here("solve", "tic-tac-toe", "--json", "--values", "resolved-completion") == 0
    result = json.loads(here.out)
    assert (result["values"], result["bounds"]) == ("resolved_completion", True)
    assert (result["completion"], result["resolve_on_win"], result["seed"]) == (True, False, 0)


def test_the_engine_describes_the_options() -> None:
    answers: list[dict[str, Any]] = []
    Engine(answers.append).serve(['{"id": 1, "do": "options"}'])
    assert answers == [{"id": 1, "options": options_schema(), "limits": schema(described(Budget))}]


def test_players_take_the_options_of_an_analysis() -> None:
    names = {about.name for about in search_parameters()}
    assert {"values", "evaluation", "paper", "resolve_on_win", "threads"} <= names
    assert not names & {"algorithm", "seed", "bounds", "hash_bits"}
    assert str(read_kind("descent(stop_at_draw=true)")) == "descent(stop_at_draw=true)"
    with pytest.raises(UsageError, match="stop_at_draw needs algorithm='descent'"):
        read_kind("ubfm(stop_at_draw=true)").player(ub.load_game("nim"), 0)


# -- showing them ---------------------------------------------------------------------------------


def test_results_and_checkpoints_hold_every_option(tmp_path: Path) -> None:
    def halves(states: Any) -> Any:
        return [[0.5, -0.5]] * len(states)

    search = ub.Search("tic-tac-toe", evaluation=halves, resolve_on_win=True)
    result = search.run(iterations=3)
    told = json.loads(result.to_json())
    for about in search_options():
        wanted = "halves" if about.name == "evaluation" else getattr(search.options, about.name)
        assert told[about.name] == wanted
    search.save(tmp_path / "a")
    header = checkpoints.about(tmp_path / "a")["options"]
    assert header == search.options.to_dict() and header["evaluation"] == {"function": "halves"}
    assert set(header) == {about.name for about in described(SearchOptions)}


# -- analyze --------------------------------------------------------------------------------------


def test_analyze_ranks_the_actions() -> None:
    result = ub.analyze("tic-tac-toe", moves="a1 b1 a2", iterations=2000)
    assert result.resolved and not result.options.bounds
    assert [action.rank for action in result.ranked_actions] == list(range(1, 7))
    assert result.ranked_actions[0].action == result.best_action == "a3"
    losing = [action for action in result.ranked_actions if action.outcome == (1, -1)]
    assert losing and losing == result.ranked_actions[-len(losing) :]


def test_analyze_continues_a_search() -> None:
    search = ub.Search("connect-four", algorithm="descent")
    first, second = (ub.analyze(search, iterations=5) for _ in range(2))
    assert (first.iterations, second.iterations) == (5, 10)
    for function in (ub.analyze, ub.solve):
        with pytest.raises(UsageError, match="has its options already"):
            function(search, iterations=1, algorithm="ubfm")
    assert ub.solve(search, iterations=5).iterations == 15


def test_the_reason_to_stop_may_be_given() -> None:
    search = ub.Search("connect-four")
    assert search.run(until=lambda s: "enough", report_every=0.01).stopped == "enough"
    # The same word as for Ctrl-C, and yet no Ctrl-C.
    assert search.run(until=lambda s: "interrupted", report_every=0.01).stopped == "interrupted"
    assert search.run(until=lambda s: s.states > 1, report_every=0.01).stopped == "until"
    told = search.run(iterations=200, progress=lambda s: "ignored", report_every=0.0)  # type: ignore[arg-type, return-value]
    assert told.stopped == "iterations"
