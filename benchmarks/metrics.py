# SPDX-License-Identifier: MIT
"""The shape of a checkout in numbers: sizes, repetition, and how far one idea is spread.

    python benchmarks/metrics.py [CHECKOUT] [--json]

Runs on any checkout of this repository, old layouts included: only paths and text are read.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BLOCK = 6
"""How many equal lines in a row count as a repetition."""

WORDS = {
    "option": "resolve_on_win",
    "algorithm": "descent",
    "game": "connect-four",
}
"""One example of each idea, and the files outside tests and docs that name it."""


@dataclass(frozen=True)
class Source:
    """One file of the program."""

    path: str
    text: str

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()


@dataclass(frozen=True)
class Function:
    """A function, where it is, and how many lines it has."""

    name: str
    path: str
    lines: int

    def __str__(self) -> str:
        return f"{self.lines} ({self.name}, {self.path})"


def files(checkout: Path) -> list[str]:
    """What belongs to the checkout: what git tracks, else every file."""
    found = subprocess.run(
        ["git", "-C", str(checkout), "ls-files"], capture_output=True, text=True, check=False
    )
    if found.returncode == 0 and found.stdout:
        return found.stdout.splitlines()
    return [str(p.relative_to(checkout)) for p in checkout.rglob("*") if p.is_file()]


def sources(checkout: Path, *endings: str) -> list[Source]:
    """The program's own files: no tests, no documentation, nothing generated."""
    return [
        Source(name, (checkout / name).read_text("utf-8"))
        for name in sorted(files(checkout))
        if name.startswith(("src/", "core/"))
        and name.endswith(endings)
        and not name.startswith("core/tests/")
        and (checkout / name).is_file()
    ]


def python_functions(source: Source) -> Iterator[Function]:
    """Every function; the lines of those inside it are theirs, not its own."""
    for node in ast.walk(ast.parse(source.text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield Function(node.name, source.path, own_lines(node))


def own_lines(node: Any) -> int:
    length: int = node.end_lineno - node.lineno + 1
    inner = [x for x in node.body if isinstance(x, ast.FunctionDef)]
    return length - sum(x.end_lineno - x.lineno + 1 for x in inner if x.end_lineno)


def without_comments(text: str) -> str:
    """C++ without comments, strings and directives, line by line as it was."""
    left_out = re.compile(
        r"^\s*#[^\n]*|//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'",
        re.DOTALL | re.MULTILINE,
    )
    return left_out.sub(lambda m: "\n" * m.group().count("\n"), text)


def cpp_functions(source: Source) -> Iterator[Function]:
    """What stands in braces after a list of parameters, outside of other functions.

    An approximation: no macros, and a lambda belongs to the function around it.
    """
    code = without_comments(source.text)
    opened: list[tuple[str, int]] = []
    since = 0  # where the statement began that an open brace may end
    for place, char in enumerate(code):
        if char == "{":
            head = code[since:place].strip()
            inside = any(name for name, _ in opened)
            opened.append(("" if inside else called(head), code.count("\n", 0, place)))
        elif char == "}" and opened:
            name, line = opened.pop()
            if name:
                yield Function(name, source.path, code.count("\n", 0, place) - line + 1)
        if char in "{};":
            since = place + 1


def called(head: str) -> str:
    """The name of the function whose body follows this head, or nothing."""
    if re.match(r"(?:namespace|class|struct|enum|union|extern)\b", head) or "(" not in head:
        return ""
    name = re.search(r"([~\w:]+|operator\S+)\s*\(", head)
    return name.group(1) if name and "=" not in head.partition("(")[0] else ""


def repeated_blocks(all_sources: list[Source]) -> int:
    """How many blocks of lines stand elsewhere too; overlapping ones are counted as one.

    Spaces, empty lines, comments and imports do not matter; lines of brackets alone do not count.
    """
    places: dict[tuple[str, ...], list[tuple[int, int]]] = defaultdict(list)
    for number, source in enumerate(all_sources):
        lines = [x for x in (" ".join(line.split()) for line in source.lines) if tells(x)]
        for start in range(len(lines) - BLOCK + 1):
            places[tuple(lines[start : start + BLOCK])].append((number, start))
    starts = sorted(place for found in places.values() if len(found) > 1 for place in found[1:])
    known = set(starts)
    return sum((number, start - 1) not in known for number, start in starts)


def tells(line: str) -> bool:
    """Whether a line says something of its own."""
    quiet = ("#", "//", "import ", "from ")
    return bool(re.search(r"\w", line)) and not line.startswith(quiet)


def naming(all_sources: list[Source], word: str) -> list[str]:
    """The files that name something, written with - or _ or as one CamelCase word."""
    parts = re.split(r"[-_]", word)
    camel = "".join(part.capitalize() for part in parts)
    pattern = re.compile(rf"\b(?:{'[-_ ]'.join(parts)}|{camel})\b")
    return [source.path for source in all_sources if pattern.search(source.text)]


def measure(checkout: Path) -> dict[str, Any]:
    """Every figure of a checkout."""
    python, cpp = sources(checkout, ".py"), sources(checkout, ".cpp", ".h")
    page = sources(checkout, ".js", ".html")
    top = {source.path.split("/")[2] for source in python}
    everything = python + cpp + page
    named = {kind: naming(everything, word) for kind, word in WORDS.items()}
    code = "\n".join(without_comments(source.text) for source in cpp)
    return {
        "modules at the top level": len(top - {"__init__.py"}),
        "of them, folders": sum(not name.endswith(".py") for name in top),
        "Python modules": len(python),
        "C++ files": len(cpp),
        "longest Python module": longest(python),
        "longest C++ file": longest(cpp),
        "modules over 400 lines": sum(len(s.lines) > 400 for s in python + cpp),
        "longest Python function": str(max_of(python, python_functions)),
        "longest C++ function": str(max_of(cpp, cpp_functions)),
        "functions over 40 lines": count_long(python, cpp),
        f"repeated blocks of {BLOCK} lines, Python": repeated_blocks(python),
        f"repeated blocks of {BLOCK} lines, C++": repeated_blocks(cpp),
        "dynamic_cast": len(re.findall(r"\bdynamic_cast\b", code)),
        "friend": len(re.findall(r"\bfriend\b", code)),
        **{f"files naming the {kind} {WORDS[kind]}": len(found) for kind, found in named.items()},
        "which files": {WORDS[kind]: found for kind, found in named.items()},
    }


def longest(all_sources: list[Source]) -> str:
    source = max(all_sources, key=lambda s: len(s.lines))
    return f"{len(source.lines)} ({source.path})"


def max_of(all_sources: list[Source], functions: Any) -> Function:
    found = [function for source in all_sources for function in functions(source)]
    return max(found, key=lambda function: function.lines)


def count_long(python: list[Source], cpp: list[Source]) -> int:
    found = [f for s in python for f in python_functions(s)]
    found += [f for s in cpp for f in cpp_functions(s)]
    return sum(function.lines > 40 for function in found)


def main() -> int:
    """Print the figures as a list, or as JSON with the names of the files."""
    parser = argparse.ArgumentParser(description="The shape of a checkout in numbers.")
    parser.add_argument("checkout", nargs="?", default=Path(__file__).parent.parent, type=Path)
    parser.add_argument("--json", action="store_true", help="print JSON, with the files by name")
    given = parser.parse_args()
    figures = measure(given.checkout)
    if given.json:
        print(json.dumps(figures, indent=2))
        return 0
    del figures["which files"]
    for name, figure in figures.items():
        print(f"{name:40} {figure}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
