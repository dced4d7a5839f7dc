# SPDX-License-Identifier: MIT
"""The layers stay honest: an import, for types too, only goes to a layer below.

The list of layers is the first column of the first table of ARCHITECTURE.md, and nowhere else.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import unbounded

PACKAGE = Path(unbounded.__file__).parent
PAGE = Path(__file__).parent.parent / "ARCHITECTURE.md"


def read_layers() -> list[set[str]]:
    """What stands on one line of the table is one layer, and may import each other."""
    table = PAGE.read_text("utf-8").partition("|---|---|\n")[2].partition("\n\n")[0]
    first_column = [line.split("|")[1] for line in table.splitlines()]
    return [{name.strip("/") for name in re.findall(r"`([\w/]+)", cell)} for cell in first_column]


HEIGHT = {name: height for height, layer in enumerate(read_layers()) for name in layer}
MODULES = sorted(PACKAGE.rglob("*.py"))


def modules_imported(path: Path) -> set[str]:
    """The full names of what a module imports, anywhere in it, at run time or for types only."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def layers_imported(path: Path) -> set[str]:
    names = [name.split(".") for name in modules_imported(path)]
    return {parts[1] for parts in names if parts[0] == "unbounded" and len(parts) > 1}


def layer_of(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def test_every_module_has_a_layer() -> None:
    assert {layer_of(path) for path in MODULES} - {"__init__"} == set(HEIGHT)


def test_imports_go_down_only() -> None:
    wrong = [
        (str(path.relative_to(PACKAGE)), other)
        for path in MODULES
        if layer_of(path) != "__init__"
        for other in layers_imported(path)
        if HEIGHT.get(other, len(HEIGHT)) > HEIGHT[layer_of(path)]
    ]
    assert wrong == []


def test_only_one_module_imports_the_core() -> None:
    core = "unbounded.native._core"
    doors = {
        str(path.relative_to(PACKAGE))
        for path in MODULES
        if any(name == core or name.startswith(core + ".") for name in modules_imported(path))
    }
    assert doors == {"native/core.py"}


def test_the_core_of_a_search_is_private() -> None:
    """What others need of it are properties of `Search`."""
    benchmarks = Path(__file__).parent.parent / "benchmarks"
    outside = [path for path in MODULES if layer_of(path) not in ("search", "native")]
    touching = {
        str(path)
        for path in (*outside, *benchmarks.glob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute)
        and node.attr == "_core"
        and not (isinstance(node.value, ast.Name) and node.value.id == "self")
    }
    assert touching == set()


def roots_of(names: set[str]) -> set[str]:
    return {name.split(".")[0] for name in names}


def test_the_contract_needs_only_the_standard_library() -> None:
    for name in ("contract", "errors", "record", "function_copies", "answers", "board"):
        imported = modules_imported(PACKAGE / "game" / f"{name}.py")
        ours = {x for x in imported if x.startswith("unbounded.")}
        assert all(x.startswith("unbounded.game.") for x in ours), name
        assert roots_of(imported - ours) <= set(sys.stdlib_module_names), name


def test_the_checker_imports_the_contract_only() -> None:
    files = sorted((PACKAGE / "solving").glob("checker*.py"))
    assert [file.stem for file in files] == ["checker", "checker_format", "checker_search"]
    own = {f"unbounded.solving.{file.stem}" for file in files}
    for file in files:
        imported = modules_imported(file)
        ours = {x for x in imported if x.startswith("unbounded.")}
        parts = {x for x in ours if any(x == name or x.startswith(f"{name}.") for name in own)}
        assert {".".join(x.split(".")[:2]) for x in ours - parts} == {"unbounded.game"}
        assert roots_of(imported - ours) <= set(sys.stdlib_module_names)


def test_the_compiled_checker_uses_the_rules_only() -> None:
    """Nothing of the search, whose proofs it checks."""
    folder = Path(__file__).parent.parent / "core" / "checking"
    sources = [path.read_text("utf-8") for path in sorted(folder.iterdir())]
    assert len(sources) > 5
    included = {name for text in sources for name in re.findall(r'#include "(.*)"', text)}
    assert {name.split("/")[0] for name in included} == {"checking", "rules"}


def test_the_stub_of_the_core_is_the_generated_one() -> None:
    kept = Path(__file__).parent.parent / "src" / "unbounded" / "native" / "_core.pyi"
    made = PACKAGE / "native" / "_core.pyi"
    assert kept.read_text("utf-8") == made.read_text("utf-8"), "run make stub"
