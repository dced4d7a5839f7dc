# SPDX-License-Identifier: MIT
"""Printing the catalogue of games, and one game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from unbounded.game import format_value
from unbounded.interfaces.terminal.console import LABEL, colored, grid


def print_games(console: Console, games: Sequence[dict[str, Any]]) -> None:
    """Print a list of games: name, parameters with defaults, and what they are about."""
    for about in games:
        console.print(_call(about))
        console.print(Padding(Text(about["summary"]), (0, 0, 0, 4), expand=False))


def print_game(console: Console, about: dict[str, Any]) -> None:
    """Print all about one game: rules, parameters and how it starts."""
    console.print(_call(about))
    console.print()
    console.print(_reflowed(about["rules"]))
    rows = grid()
    values = about.get("values", {})
    for parameter in about["parameters"]:
        default = "required" if parameter["required"] else f"default {_value(parameter)}"
        given = values.get(parameter["name"], parameter["default"])
        if given != parameter["default"]:
            default = f"{format_value(given)} here, {default}"
        rows.add_row(parameter["name"], f"{parameter['type']}, {default}".lstrip(", "))
    if about["parameters"]:
        console.print()
        console.print(rows)
    if "board" in about:
        console.print()
        console.print(colored(about["board"], about.get("symbols", "")), soft_wrap=True)


def _reflowed(text: str) -> str:
    """Join the lines of each paragraph, so that they can be broken elsewhere."""
    paragraphs = text.split("\n\n")
    return "\n\n".join(p if "\n " in p else p.replace("\n", " ") for p in paragraphs)


def _call(about: dict[str, Any]) -> Text:
    parameters = (
        x["name"] if x["required"] else f"{x['name']}={_value(x)}" for x in about["parameters"]
    )
    listed = ", ".join(parameters)
    return Text.assemble((about["name"], "bold"), (f"({listed})" if listed else "", LABEL))


def _value(parameter: dict[str, Any]) -> str:
    return format_value(parameter["default"]) or '""'
