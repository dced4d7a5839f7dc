# SPDX-License-Identifier: MIT
"""The public names: one list of them, imported when they are used, shown in one line."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import unbounded as ub
from unbounded.search.budget import Budget

SOURCE = Path(ub.__file__)
PAGE = Path(__file__).parent.parent / "docs" / "api.md"


def typed_names() -> set[str]:
    """The names that type checkers see: those under `if TYPE_CHECKING`."""
    module = ast.parse(SOURCE.read_text("utf-8"))
    (block,) = [node for node in module.body if isinstance(node, ast.If)]
    found = set()
    for node in block.body:
        if isinstance(node, ast.ImportFrom):
            found |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
    return found - {"Any"}


def documented_names() -> list[str]:
    """The first column of the tables of the page."""
    return re.findall(r"^\| `(\w+)` \|", PAGE.read_text("utf-8"), re.MULTILINE)


def test_there_is_one_list_of_public_names() -> None:
    assert ub.__all__ == sorted(set(ub.__all__))
    assert dir(ub) == ub.__all__
    assert typed_names() == set(ub.__all__) == set(ub._WHERE)
    assert sorted(documented_names()) == ub.__all__


@pytest.mark.parametrize("name", ub.__all__)
def test_every_public_name_is_there_and_documented(name: str) -> None:
    thing = getattr(ub, name)
    assert name == "__version__" or thing.__doc__
    page = PAGE.read_text("utf-8")
    examples = "".join(re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE))
    assert f"ub.{name}" in examples or name == "Result", "an example uses it"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'unbounded' has no attribute 'slove'"):
        _ = ub.slove


def imported_after(statement: str) -> set[str]:
    """The modules that a new process has imported after a statement."""
    script = f"import sys; {statement}; print(*sys.modules)"
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


SLOW = {"numpy", "numba", "unbounded.native._core", "rich", "typer", "importlib.metadata"}


def test_importing_the_package_imports_nothing_else() -> None:
    modules = imported_after("import unbounded")
    assert {name for name in modules if name.startswith("unbounded")} == {"unbounded"}
    assert not modules & (SLOW | {"typing", "dataclasses"})


def test_a_position_needs_no_compiled_code() -> None:
    modules = imported_after("import unbounded as ub; ub.Position('tic-tac-toe').push('b2')")
    assert "unbounded.game.position" in modules
    assert not modules & {"numba", "unbounded.native._core"}


def test_games_is_a_function_and_a_package() -> None:
    """Importing a game binds the package's name, and the function must still be there."""
    script = """
import unbounded as ub
first = ub.games()
import unbounded.games.hex
assert ub.games() == first and first["hex"] is ub.games.hex.Hex
from unbounded import games
assert games() == first
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_the_version_is_that_of_the_program() -> None:
    from unbounded.version import VERSION

    assert ub.__version__ == VERSION


# -- results --------------------------------------------------------------------------------------


def test_a_result_as_json() -> None:
    result = ub.solve("nim(heaps=[1,2],players=3)")
    told = json.loads(result.to_json())
    assert told == json.loads(json.dumps(result.to_dict()))
    assert told["pv"] == list(result.pv) and told["outcome"] == list(result.outcome)
    assert "\n" not in result.to_json()
    more = json.loads(result.to_json(saved="six.search"))
    assert more == told | {"saved": "six.search"}
    assert list(more)[-1] == "saved"


# -- in one line ----------------------------------------------------------------------------------


LONG = "nim(heaps=[" + ",".join(["2"] * 40) + "],players=6)"


@pytest.mark.parametrize("game", ["tic-tac-toe", "nim(heaps=[1,2],players=3)", LONG])
def test_what_a_search_shows_is_one_short_line(game: str) -> None:
    search = ub.Search(game)
    search.run(iterations=30)
    things: list[Any] = [search, search.result, search.game, ub.Position(game)]
    things += [x for child in search.root.children for x in (child, child.node)]
    for thing in things:
        text = repr(thing)
        assert "\n" not in text and len(text) < 100, text


def test_what_is_shown() -> None:
    search = ub.Search("tic-tac-toe", moves="a1 a2 b1 b2")
    assert repr(search) == "<Search of tic-tac-toe by ubfm: 5 states, not proven>"
    assert repr(search.game) == "<game tic-tac-toe>"
    assert re.fullmatch(r"<Node 4 of tic-tac-toe: estimated .*>", repr(search.root))
    result = search.run()
    assert repr(result) == "<Result of tic-tac-toe: proven: player 1 wins>"
    assert repr(search.root) == "<Node 4 of tic-tac-toe: proven +1, -1>"
    assert re.fullmatch(
        r"<Child 'c1': proven \+1, -1; \d+ visits?>", repr(search.root.children["c1"])
    )
    three = ub.Search("nim(heaps=[1],players=3)")
    three.run()
    assert "proven" in repr(three.root) and "equilibrium" in repr(three.root)


def test_a_budget_shows_what_is_limited() -> None:
    assert repr(Budget()) == "Budget()"
    assert repr(Budget(seconds=5, memory="1k")) == "Budget(seconds=5, memory=1024)"
    assert eval(repr(Budget(states=7)), {"Budget": Budget}) == Budget(states=7)  # noqa: S307
