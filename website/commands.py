# SPDX-License-Identifier: MIT
"""The page of every command with all its options, from the command line itself."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

import typer

from unbounded.interfaces.cli.app import app
from unbounded.interfaces.cli.common import EXIT_CODES

HEAD = """# Every command

Made from the command line of this version: `unbounded COMMAND --help` shows the same.
[The command line](../command_line.md) explains games, files, output and exit codes.
"""


def commands() -> dict[str, Any]:
    """Return the commands by name, in the order of the help."""
    return dict(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


def commands_page() -> str:
    """Return the whole page."""
    parts = [HEAD, "| command | |", "|---|---|"]
    for name, command in commands().items():
        parts.append(f"| [`{name}`](#{name}) | {cell(first_sentence(command.help))} |")
    for name, command in commands().items():
        parts += ["", *section(name, command)]
    return "\n".join([*parts, "", EXIT_CODES, ""])


def section(name: str, command: Any) -> Iterator[str]:
    """Describe one command: how it is called, what it does, and a table for each panel."""
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option" and not p.hidden]
    usage = " ".join(["unbounded", name, "[OPTIONS]", *map(argument_usage, arguments)])
    yield from (f"## {name}", "", "```text", usage, "```", "", (command.help or "").strip(), "")
    if arguments:
        yield from ("| argument | |", "|---|---|")
        for argument in arguments:
            yield f"| {code(argument.metavar)} | {cell(argument.help or '')} |"
        yield ""
    panels = {option.rich_help_panel or "Options" for option in options}
    for panel in sorted(panels, key=lambda title: title != "Options"):
        yield from (f"| {panel.lower()} | | default |", "|---|---|---|")
        for option in options:
            if (option.rich_help_panel or "Options") == panel:
                yield f"| {flags(option)} | {cell(option.help or '')} | {default(option)} |"
        yield ""


def argument_usage(argument: Any) -> str:
    """Write an argument as the usage line has it."""
    many = "..." if argument.nargs == -1 else ""
    name = f"{argument.metavar.strip('[]')}{many}"
    return name if argument.required else f"[{name}]"


def flags(option: Any) -> str:
    """Write the flags of an option, and what follows them."""
    names = " ".join(code(name) for name in (*option.opts, *option.secondary_opts))
    return f"{names} {code(option.metavar)}" if option.metavar else names


def default(option: Any) -> str:
    """Write the default of an option, if there is one to speak of."""
    value = option.default
    if value is None or value is False or value == "" or callable(value) or option.required:
        return ""
    if value is True:
        return code(option.opts[0])
    return code(value)


def first_sentence(text: str | None) -> str:
    """Return the first sentence of a help text."""
    return " ".join((text or "").split("\n\n")[0].split())


def code(text: object) -> str:
    """Write a text as code in a cell of a table, where backticks would show the entity of a bar."""
    return f"<code>{escape(str(text), quote=False).replace('|', '&#124;')}</code>"


def cell(text: object) -> str:
    """Write a text as a cell of a table."""
    return " ".join(str(text).split()).replace("|", "&#124;")
