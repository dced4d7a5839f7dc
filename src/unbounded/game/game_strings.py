# SPDX-License-Identifier: MIT
"""The grammar of game strings: a strict parser, which never evaluates anything."""

# game     = text [ "(" [ argument { "," argument } ] ")" ]
# argument = [ text "=" ] value
# value    = game | "[" [ value { "," value } ] "]"
# text     = a run of characters other than ( ) [ ] , = " ' and space, or any text in quotes
#
# What follows the prefix of a bridge, such as "open_spiel:", is left to the bridge, up to the
# parenthesis that closes the first one.

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from unbounded.game import PLAIN_WORD, Game, UsageError
from unbounded.game.wording import shortened

_T = TypeVar("_T")

BRIDGES = {
    "open_spiel": "unbounded.bridges.openspiel.games",
    "open_spiel_tree": "unbounded.bridges.openspiel.games",
}
"""Prefixes of games of other systems, and the modules that make games of what follows them."""

LONGEST = 10_000
DEEPEST = 20

_FOREIGN = re.compile(rf"({'|'.join(BRIDGES)}):[^\s()\[\],='\"]*")
_QUOTED = re.compile(r"""(["'])((?:\\.|(?!\1)[^\\])*)\1""", re.DOTALL)


@dataclass(frozen=True)
class Text:
    """A word, a number, a file name: what it means depends on where it stands."""

    text: str
    in_quotes: bool = False

    def __str__(self) -> str:
        return shortened(self.text)


@dataclass(frozen=True)
class Items:
    """A list of values in brackets."""

    values: tuple[Node, ...]

    def __iter__(self) -> Iterator[Node]:
        return iter(self.values)

    def __str__(self) -> str:
        return "a list"


@dataclass(frozen=True)
class Call:
    """A game with its arguments, each with the parameter's name or None."""

    name: Text
    arguments: tuple[tuple[str | None, Node], ...]

    def __str__(self) -> str:
        return f"the game {self.name}"


@dataclass(frozen=True)
class Given:
    """A value given in Python, where a game string would have text: text, None or a game."""

    value: str | Game[Any, Any] | None

    def __str__(self) -> str:
        if isinstance(self.value, Game):
            return f"the game {shortened(str(self.value))}"
        return "None" if self.value is None else shortened(self.value)


Node = Text | Items | Call | Given


def split_prefix(text: str) -> tuple[str, str] | None:
    """Return the prefix of a bridge, and what follows it; None for other names."""
    prefix, colon, name = text.partition(":")
    return (prefix, name) if colon and prefix in BRIDGES else None


def read(text: str) -> Node:
    """Parse a game string, or raise a `UsageError` that names the position of the error."""
    if len(text) > LONGEST:
        raise UsageError(f"a game string of {len(text)} characters is too long; at most {LONGEST}")
    reader = _Reader(text)
    node = reader.value(0)
    if reader.at < len(text):
        reader.fail("the end")
    return node


class _Reader:
    def __init__(self, text: str) -> None:
        self.whole = text
        self.at = 0
        self._move_to(0)

    def value(self, depth: int) -> Node:
        if depth > DEEPEST:
            raise UsageError(f"a game string nested deeper than {DEEPEST} levels")
        if self._take("["):
            return Items(tuple(self._list("]", lambda: self.value(depth + 1))))
        foreign = _FOREIGN.match(self.whole, self.at)
        if foreign:
            return self._verbatim(foreign.end())
        name = self._text("a value" if depth else "a game")
        if self._take("("):
            return Call(name, tuple(self._list(")", lambda: self._argument(depth + 1))))
        return name

    def _verbatim(self, end: int) -> Text:
        """Take a name as it is written, with its parameters."""
        start, depth = self.at, 0
        if self.whole.startswith("(", end):
            for parenthesis in re.finditer(r"[()]", self.whole[end:]):
                depth += 1 if parenthesis[0] == "(" else -1
                if depth == 0:
                    end += parenthesis.end()
                    break
            else:
                end = len(self.whole)
        self._move_to(end)
        if depth > 0:
            self.fail("')'")
        return Text(self.whole[start:end])

    def _argument(self, depth: int) -> tuple[str | None, Node]:
        start = self.at
        if not self.whole.startswith("[", start):
            name = self._text("a parameter or a value")
            if self._take("="):
                return name.text, self.value(depth)
            self.at = start
        return None, self.value(depth)

    def _list(self, closing: str, item: Callable[[], _T]) -> Iterator[_T]:
        if self._take(closing):
            return
        yield item()
        while not self._take(closing):
            if not self._take(","):
                self.fail(f"',' or {closing!r}")
            yield item()

    def _text(self, expected: str) -> Text:
        plain = PLAIN_WORD.match(self.whole, self.at)
        if plain:
            self._move_to(plain.end())
            return Text(plain[0])
        in_quotes = _QUOTED.match(self.whole, self.at)
        if not in_quotes:
            opened = self.whole.startswith(("'", '"'), self.at)
            self.fail("text with a quote at its end" if opened else expected)
        self._move_to(in_quotes.end())
        return Text(re.sub(r"\\([\\\"'])", r"\1", in_quotes[2]), in_quotes=True)

    def _take(self, character: str) -> bool:
        found = self.whole.startswith(character, self.at)
        if found:
            self._move_to(self.at + 1)
        return found

    def _move_to(self, at: int) -> None:
        """Go there, and beyond the spaces that follow."""
        spaces = re.compile(r"\s*").match(self.whole, at)
        self.at = spaces.end() if spaces else at

    def fail(self, expected: str) -> NoReturn:
        """Say what should stand here."""
        found = repr(self.whole[self.at]) if self.at < len(self.whole) else "the end"
        start = max(0, self.at - 30)
        near = repr(self.whole[start : self.at + 30])
        place = f"at character {self.at + 1} of the game string"
        raise UsageError(f"{near}: {expected} expected {place}, found {found}")
