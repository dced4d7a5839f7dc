# SPDX-License-Identifier: MIT
"""The layers stay honest: an import only goes to a layer below."""

from __future__ import annotations

import ast
from pathlib import Path

import unbounded

PACKAGE = Path(unbounded.__file__).parent

# Lowest first; what stands on one line is one layer and may import each other.
LAYERS = [
    {"twins"},
    {"game", "version"},
    {"budget", "durable", "process", "rule_errors", "wording"},
    {"tensor_file", "code_digest"},
    {"fingerprint"},
    {"drawing"},
    {"games", "wrappers"},
    {"game_text", "catalogue"},
    {"compiling", "objects"},
    {"_core"},
    {"_native"},
    {"random_graphs"},
    {"testing", "promises"},
    {"reference"},
    {"evaluation", "faults"},
    {"tree", "deciding"},
    {"showing"},
    {"result"},
    {"checkpoints"},
    {"search"},
    {"solving", "explaining"},
    {"players"},
    {"matches", "engine", "session"},
    {"serving"},
    {"columns", "terminal", "terminal_matches", "terminal_play", "commands", "cli"},
    {"__main__"},
]
HEIGHT = {name: height for height, layer in enumerate(LAYERS) for name in layer}


def imports_of(path: Path) -> set[str]:
    """The parts of this package that a module imports at run time, anywhere in it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for inner in ast.walk(node)
    }
    found = set()
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.module == "unbounded":
                found |= {f"unbounded.{alias.name}" for alias in node.names}
            else:
                found.add(node.module)
    return {name.split(".")[1] for name in found if name.startswith("unbounded.")}


MODULES = [path for path in sorted(PACKAGE.rglob("*.py")) if path.parent != PACKAGE or path.stem]


def layer_of(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def test_every_module_has_a_layer() -> None:
    names = {layer_of(path) for path in MODULES} - {"__init__"}
    assert names | {"_core"} == set(HEIGHT)


def test_imports_go_down_only() -> None:
    wrong = [
        (path.name, other)
        for path in MODULES
        if layer_of(path) != "__init__"
        for other in imports_of(path)
        if HEIGHT.get(other, -1) > HEIGHT[layer_of(path)]
    ]
    assert wrong == []


def test_only_one_door_to_the_core() -> None:
    doors = {path.name for path in MODULES if "_core" in imports_of(path)}
    assert doors == {"_native.py"}


def test_the_contract_needs_only_the_standard_library() -> None:
    import sys

    trees = [ast.parse((PACKAGE / name).read_text("utf-8")) for name in ("game.py", "twins.py")]
    roots = {
        name.removeprefix("unbounded.twins").split(".")[0]
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name in (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [alias.name for alias in node.names]
        )
    }
    assert roots - {""} <= set(sys.stdlib_module_names)


def test_the_stub_of_the_core_is_the_generated_one() -> None:
    kept = Path(__file__).parent.parent / "src" / "unbounded" / "_core.pyi"
    assert kept.read_text("utf-8") == (PACKAGE / "_core.pyi").read_text("utf-8"), "run make stub"
