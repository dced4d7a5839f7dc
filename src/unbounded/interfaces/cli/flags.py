# SPDX-License-Identifier: MIT
"""Flags made of described options, and options in messages named by their flags."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Set
from typing import Annotated, Any, TypeVar

import typer

from unbounded.search.descriptions import Option, described
from unbounded.search.options import SOLVING, SearchOptions

Function = TypeVar("Function", bound=Callable[..., Any])

_OFF = {about.name: about.off_flag for about in described(SearchOptions) if about.off_flag}
_OPTION = re.compile(r"`(\w+)(?:=([^`]*))?`")  # as `UsageError` marks them


# -- from options to flags -------------------------------------------------------------------------


def with_flags(
    options: Iterable[Option],
    *,
    defaults: Mapping[str, Any] | None = None,
    helps: Mapping[str, str] | None = None,
    after: str = "moves",
) -> Callable[[Function], Function]:
    """Give a command that takes `**flags` a flag for each option, listed after one of its own.

    defaults, helps: what differs in this command.
    """

    def add(function: Function) -> Function:
        signature = inspect.signature(function, eval_str=True)
        parameters: list[inspect.Parameter] = []
        for parameter in signature.parameters.values():
            if parameter.kind is not inspect.Parameter.VAR_KEYWORD:
                parameters.append(parameter)
            if parameter.name == after:
                parameters += [_parameter(x, defaults or {}, helps or {}) for x in options]
        function.__dict__["__signature__"] = signature.replace(parameters=parameters)
        return function

    return add


def _parameter(
    about: Option, defaults: Mapping[str, Any], helps: Mapping[str, str]
) -> inspect.Parameter:
    is_switch = bool in about.kinds
    text = helps.get(about.name) or (about.off_help if about.off_flag else about.help)
    flag = typer.Option(about.flag, metavar=about.metavar, help=text, rich_help_panel=about.group)
    kind = str if str in about.kinds else about.kinds[0]
    # When solving, what is not given is chosen to fit the game.
    chosen = None if about.group == SOLVING else defaults.get(about.name, about.default)
    return inspect.Parameter(
        about.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=False if is_switch else chosen,
        annotation=Annotated[bool if is_switch else kind | None, flag],
    )


def options_given(context: typer.Context, options: Iterable[Option]) -> dict[str, Any]:
    """The options that were typed, with the values that they have in Python."""
    given = {}
    for about in options:
        source = context.get_parameter_source(about.name)
        if source is None or source.name != "COMMANDLINE":
            continue
        value = context.params[about.name]
        if about.off_flag:
            value = not value
        given[about.name] = _chosen(about, value) if about.choices else value
    return given


def _chosen(about: Option, typed: str) -> str:
    """The choice that was typed, with hyphens or underscores."""
    same = {choice.replace("-", "_"): choice for choice in about.choices}
    return same.get(typed.replace("-", "_"), typed)


# -- from options to words -------------------------------------------------------------------------


def in_flags(message: str, known: Set[str]) -> str:
    """Replace the options in a message of `UsageError` by the flags that the command has."""

    def named(match: re.Match[str]) -> str:
        name, value = match[1], match[2]
        off = _OFF.get(name, "")
        if off in known:
            on = f"{name}, which {off} and the variants of the paper switch off"
            return {"True": on, "False": off}.get(value, name)
        flag = flag_of(name)
        if flag not in known:
            return match[0].strip("`")
        return flag if value in (None, "True") else f"{flag} {value.strip(chr(39))}"

    return _OPTION.sub(named, message)


def flag_of(name: str) -> str:
    """The flag of an option."""
    return _OFF.get(name) or f"--{name.replace('_', '-')}"


def typed(name: str, value: Any) -> str:
    """How an option was given: "with --threads 2", "without --no-bounds"."""
    if isinstance(value, bool):
        return f"{'with' if value != (name in _OFF) else 'without'} {flag_of(name)}"
    if value in (None, [], ""):
        return f"without {flag_of(name)}"
    words = " ".join(map(str, value)) if isinstance(value, list) else str(value)
    return f"with {flag_of(name)} {words}"
