# SPDX-License-Identifier: MIT
"""Check a certificate in a file, by the plain checker, the compiled one, or both."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from unbounded.game import Game, did_you_mean, require
from unbounded.game.catalogue import FileRefusedError, is_named, load_game
from unbounded.solving import checker as plain_checker
from unbounded.solving.checker import CertificateError, Verdict

AUTO, PLAIN, COMPILED, BOTH = CHECKERS = ("auto", "plain", "compiled", "both")
_LARGE = 1 << 20
"""Bytes of a certificate that the plain checker takes longer for than compiling the rules does."""

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Verified(Verdict):
    """What an accepted certificate proves, and which checker has accepted it."""

    checker: str  # "plain", "compiled" or "both"
    by_plain: int  # states that the plain checker has checked


def verify(
    path: str | os.PathLike[str],
    game: Game[Any, Any] | str | None = None,
    progress: Progress | None = None,
    *,
    checker: str = AUTO,
) -> Verified:
    """Check a certificate; raise `CertificateError` unless it proves what it claims.

    One that is about another game than the one that is given is a `UsageError`.
    game: for one that is not in the catalogue; certificates are untrusted, so files they name are
    never opened. `progress` is called with the number of bytes that have been read since.
    checker: "plain" checks every line by the plain rules, "compiled" by the compiled ones, and
    lines drawn at random by both; "both" checks all lines twice; "auto" is "compiled" for files of
    1 MiB and more, if the rules can be compiled, else "plain".
    """
    require(
        checker in CHECKERS,
        f"`checker` is one of {', '.join(CHECKERS)}, not {checker!r}"
        + did_you_mean(str(checker), CHECKERS),
    )
    find = _Finder(path, None if game is None else load_game(game))
    try:
        verdict = _check(Path(path), find, progress, checker)
    except OSError as error:
        problem = f"refused, line 1: {type(error).__name__}: {error}"
        raise CertificateError(problem) from error
    except CertificateError:
        find.require_the_game()  # what is wrong then is not the certificate
        raise
    find.require_the_game()
    return verdict


class _Finder:
    """Finds the game that a certificate names, and remembers if it is not the one wanted."""

    def __init__(self, path: str | os.PathLike[str], given: Game[Any, Any] | None) -> None:
        self._path, self._given = path, given
        self._misnamed = ""

    def __call__(self, text: str) -> Game[Any, Any]:
        given = self._given
        if given is not None:
            if not is_named(given, text):
                self._misnamed = f"{self._path} is about {text}, not {given}"
            return given
        try:
            return load_game(text, files=False)
        except FileRefusedError:
            file = f"{self._path} is about a game from a file, {text}"
            self._misnamed = f"{file}, which must be given too"
            raise

    def require_the_game(self) -> None:
        require(not self._misnamed, self._misnamed)


def _check(path: Path, find: _Finder, progress: Progress | None, checker: str) -> Verified:
    if checker == BOTH:
        return _check_twice(path, find, progress)
    if checker == COMPILED:
        return _check_compiled(path, find, progress)
    if checker == AUTO and path.stat().st_size >= _LARGE:
        from unbounded.solving.compiled_checker import NotCompiledError

        try:
            return _check_compiled(path, find, progress)
        except NotCompiledError:  # before anything but the first line was read
            pass
    return _check_plain(path, find, progress)


def _check_plain(path: Path, find: _Finder, progress: Progress | None) -> Verified:
    with path.open("rb") as file:
        found = plain_checker.check(_lines(file, progress), find)
    return Verified(**vars(found), checker=PLAIN, by_plain=found.states)


def _lines(file: BinaryIO, progress: Progress | None) -> Iterator[bytes]:
    while line := file.readline(plain_checker.LONGEST_LINE + 1):
        if progress is not None:
            progress(len(line))
        yield line


def _check_compiled(path: Path, find: _Finder, progress: Progress | None) -> Verified:
    from unbounded.solving import compiled_checker

    with path.open("rb") as file:
        found, again = compiled_checker.check(file, find, progress)
    return Verified(**vars(found), checker=COMPILED, by_plain=again)


def _check_twice(path: Path, find: _Finder, progress: Progress | None) -> Verified:
    """Accept what both accept, and tell if they do not agree."""
    refused: CertificateError | None = None
    try:
        compiled = _check_compiled(path, find, None)
    except CertificateError as error:
        refused = error
    try:
        plain = _check_plain(path, find, progress)
    except CertificateError as error:
        if refused is not None:
            raise
        raise CertificateError(f"{error} (but the compiled checker accepts it)") from error
    if refused is not None:
        raise CertificateError(f"{refused} (but the plain checker accepts it)") from refused
    if (plain.states, plain.most_held) != (compiled.states, compiled.most_held):
        raise CertificateError("refused: the plain and the compiled checker count other states")
    return replace(plain, checker=BOTH)
