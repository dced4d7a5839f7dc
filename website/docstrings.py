# SPDX-License-Identifier: MIT
"""Docstrings as the site shows them: with sections for parameters and examples.

In the sources they are written for `help()`: a parameter is a line `name: what it is`, and an
example is a session.
"""

from __future__ import annotations

import re
from typing import Any

from griffe import Class, Docstring, Extension, Function

from unbounded.search.options import SearchOptions

PARAMETER = re.compile(r"(\w+): \S")
DESCRIBED = {f"{SearchOptions.__module__}.{SearchOptions.__qualname__}": SearchOptions}
"""Classes whose fields are described by their options."""


def with_sections(text: str, parameters: set[str]) -> str:
    """Return a docstring with "Args:" and "Examples:" where there are parameters and sessions."""
    parts: list[str] = []
    examples: list[str] = []
    for paragraph in text.split("\n\n"):
        if paragraph.startswith(">>>") or (examples and paragraph.startswith("    ")):
            examples.append(paragraph)
        else:
            parts += sections_of(paragraph.splitlines(), parameters)
    if examples:
        parts.append(f"Examples:\n{indented(chr(10).join(examples))}")
    return "\n\n".join(parts)


def sections_of(lines: list[str], parameters: set[str]) -> list[str]:
    """Split a paragraph where its list of parameters begins, if it has one."""
    names = [(found := PARAMETER.match(line)) and found[1] for line in lines]
    first = next((i for i, name in enumerate(names) if name in parameters), None)
    if first is None:
        return ["\n".join(lines)]
    listed: list[str] = []
    for line, name in zip(lines[first:], names[first:], strict=True):
        listed.append(line if name in parameters else f"    {line.strip()}")
    before = ["\n".join(lines[:first])] if first else []
    return [*before, f"Args:\n{indented(chr(10).join(listed))}"]


def indented(text: str) -> str:
    """Return a text four columns to the right."""
    return "\n".join(f"    {line}" if line else line for line in text.splitlines())


class HouseStyle(Extension):
    """What mkdocstrings is given to read docstrings with."""

    def on_function(self, *, func: Function, **_: Any) -> None:
        """Rewrite the docstring of a function."""
        rewrite(func, {parameter.name for parameter in func.parameters})

    def on_class(self, *, cls: Class, **_: Any) -> None:
        """Rewrite the docstring of a class, and describe its fields."""
        made = cls.members.get("__init__")
        names = {p.name for p in made.parameters} if isinstance(made, Function) else set()
        rewrite(cls, names | set(cls.members))
        if cls.path in DESCRIBED:
            from unbounded.search.descriptions import described

            for option in described(DESCRIBED[cls.path]):
                cls.members[option.name].docstring = Docstring(option.help, lineno=1, endlineno=1)


def rewrite(thing: Class | Function, parameters: set[str]) -> None:
    """Change a docstring, if there is one."""
    if thing.docstring is not None:
        thing.docstring.value = with_sections(thing.docstring.value, parameters)
