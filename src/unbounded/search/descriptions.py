# SPDX-License-Identifier: MIT
"""Fields of a dataclass as options: one description for the command line, the engine and the page.

A field made by `option` carries its help text, its choices and its relations to other fields.
`described` gives all of them, `schema` the same as plain values for JSON.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from unbounded.game import UsageError, did_you_mean, require

_KEY = "option"
_BASIC = (bool, int, float, str)

_DESCRIBED: dict[type[Any], tuple[Option, ...]] = {}

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Option:
    """The description of one option."""

    help: str
    """One or two sentences: what it does when it is set."""
    group: str
    """The heading under which it is listed."""
    choices: tuple[str, ...] = ()
    """All values that a text may have; empty for any."""
    least: float | None = None
    most: float | None = None
    needs: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Other options with the value that they must have when this one is set."""
    conflicts: tuple[str, ...] = ()
    """Other options that must not be set together with this one."""
    metavar: str = ""
    """The value in help texts, such as N."""
    off_flag: str = ""
    """For an option that is on: the flag that switches it off, such as `--no-bounds`."""
    off_help: str = ""
    """What that flag does."""
    hidden: bool = False
    """Only for callers in Python: no flag, not in the engine, not on the page."""
    in_core: bool = True
    """Whether the core has an option of the same name; else Python acts on it."""
    newer: bool = False
    """Whether older checkpoints lack it; they get the default."""
    name: str = ""
    kinds: tuple[type, ...] = ()
    """The basic types that it may have."""
    default: Any = None

    @property
    def flag(self) -> str:
        """The option on the command line."""
        return self.off_flag or f"--{self.name.replace('_', '-')}"

    def is_set(self, value: Any) -> bool:
        """Whether a value is another than the default."""
        return bool(value != self.default)

    def text(self, value: Any) -> str:
        """The option with a value, marked for `UsageError`."""
        return f"`{self.name}`" if value is True or bool not in self.kinds else self.pair(value)

    def pair(self, value: Any) -> str:
        """The option and its value, marked for `UsageError`."""
        return f"`{self.name}={value!r}`"

    def check(self, value: Any) -> None:
        """Refuse a value that the option cannot have, whatever the game and the other options."""
        if value is None and self.default is None:
            return
        if self.choices and value not in self.choices:
            hint = did_you_mean(str(value), self.choices)
            known = ", ".join(self.choices)
            raise UsageError(f"unknown {self.name} {value!r}{hint}; there are {known}")
        if bool in self.kinds:
            good = isinstance(value, bool)
            require(good, f"`{self.name}` must be True or False, not {value!r}")
        elif int in self.kinds or float in self.kinds:
            self._check_number(value)

    def _check_number(self, value: Any) -> None:
        kinds = (int, float) if float in self.kinds else int
        good = isinstance(value, kinds) and not isinstance(value, bool) and math.isfinite(value)
        low, high = self.least, self.most
        good = good and (low is None or value >= low) and (high is None or value <= high)
        wanted = "a number" if float in self.kinds else "a whole number"
        if low is not None:
            wanted = f"{wanted}, {low} or more" if high is None else f"from {low} to {high}"
        require(good, f"`{self.name}` must be {wanted}, not {value!r}")


def option(default: Any, about: str, **more: Any) -> Any:
    """A field of a dataclass with a description; `more` are the fields of `Option`."""
    return dataclasses.field(default=default, metadata={_KEY: Option(help=about, **more)})


def described(kind: type[Any]) -> tuple[Option, ...]:
    """The options of a dataclass, in their order."""
    if kind not in _DESCRIBED:
        _DESCRIBED[kind] = tuple(_describe(kind))
    return _DESCRIBED[kind]


def _describe(kind: type[Any]) -> Iterator[Option]:
    hints = typing.get_type_hints(kind)
    for field in dataclasses.fields(kind):
        types = typing.get_args(hints[field.name]) or (hints[field.name],)
        yield dataclasses.replace(
            field.metadata[_KEY],
            name=field.name,
            kinds=tuple(basic for basic in _BASIC if basic in types),
            default=field.default,
        )


def schema(options: Iterable[Option]) -> list[dict[str, Any]]:
    """Options as plain values for JSON."""
    return [
        {
            "name": option.name,
            "type": [basic.__name__ for basic in option.kinds],
            "default": option.default,
            "help": option.help,
            "group": option.group,
            "choices": list(option.choices),
            "least": option.least,
            "most": option.most,
            "needs": dict(option.needs),
            "conflicts": list(option.conflicts),
        }
        for option in options
    ]


def check_type(name: str, value: Any, kinds: tuple[type, ...]) -> None:
    """Refuse a value from JSON that has none of these types; a float may be an integer."""
    wanted = (*kinds, int) if float in kinds else kinds
    good = isinstance(value, wanted) and (bool in wanted or not isinstance(value, bool))
    names = " or ".join(kind.__name__ for kind in wanted)
    require(good, f"{name} must be {names}, not {type(value).__name__}")


def documentation(kind: type[Any]) -> str:
    """The options of a dataclass for its docstring."""
    return "".join(f"    {option.name}: {option.help}\n" for option in described(kind))


def taking(kind: type[Any]) -> Callable[[Function], Function]:
    """Let `help` and completion show the fields of `kind` where a function takes `**options`."""

    def show(function: Function) -> Function:
        signature = inspect.signature(function)
        every = list(signature.parameters.values())
        named = [x for x in every if x.kind is not inspect.Parameter.VAR_KEYWORD]
        by_keyword = inspect.Parameter.KEYWORD_ONLY
        fields = [
            inspect.Parameter(x.name, by_keyword, default=x.default, annotation=x.type)
            for x in dataclasses.fields(kind)
        ]
        function.__dict__["__signature__"] = signature.replace(parameters=[*named, *fields])
        return function

    return show
