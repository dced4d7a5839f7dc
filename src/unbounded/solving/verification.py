# SPDX-License-Identifier: MIT
"""Check certificates in files, by the plain checker, the compiled one, or both."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections import deque
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from unbounded.game import Game, did_you_mean, require
from unbounded.game.catalogue import FileRefusedError, is_named, load_game
from unbounded.solving import checker as plain_checker
from unbounded.solving.certificate_files import (
    Progress,
    beside,
    header_of,
    lines_of,
    opened,
    takes_long,
)
from unbounded.solving.checker import Verdict, require_support, root_of
from unbounded.solving.checker_format import CertificateError, Header
from unbounded.solving.processes import completed

AUTO, PLAIN, COMPILED, BOTH = CHECKERS = ("auto", "plain", "compiled", "both")
_LARGE = 1 << 20
"""Bytes of a certificate that the plain checker takes longer for than compiling the rules does."""


@dataclass(frozen=True)
class Verified(Verdict):
    """What an accepted certificate proves, and which checker has accepted it.

    Numbers are of all files together: the certificate, and those that it leans on.
    """

    checker: str  # "plain", "compiled" or "both"
    by_plain: int  # states that the plain checker has checked
    files: int = 1


def verify(
    path: str | os.PathLike[str],
    game: Game[Any, Any] | str | None = None,
    progress: Progress | None = None,
    *,
    checker: str = AUTO,
    jobs: int = 1,
    most_searched: int | None = None,
) -> Verified:
    """Check a certificate; raise `CertificateError` unless it proves what it claims.

    The certificates that it leans on are read from its folder and checked too, each once, by
    `jobs` processes. One about another game than the one that is given is a `UsageError`.
    game: for one that is not in the catalogue; certificates are untrusted, so files they name are
    never opened. `progress` is called with the number of bytes that have been read since.
    checker: "plain" checks every line by the plain rules, "compiled" by the compiled ones, and
    lines drawn at random by both; "both" checks all lines twice; "auto" is "compiled" for files of
    1 MiB and more, or with as much to search, if the rules can be compiled, else "plain".
    most_searched: refuse a file that leaves searches of more successors to the checker, in all.

    >>> import unbounded as ub
    >>> search = ub.Search("tic-tac-toe")
    >>> search.run().resolved
    True
    >>> _ = ub.certify(search, "draw.cert")
    >>> ub.verify("draw.cert").header.value  # outcome and score per player
    ((0, 0.0), (0, 0.0))
    """
    require(
        checker in CHECKERS,
        f"`checker` is one of {', '.join(CHECKERS)}, not {checker!r}"
        + did_you_mean(str(checker), CHECKERS),
    )
    require(jobs >= 1, f"`jobs` is 1 or more, not {jobs}")
    require(
        jobs == 1 or game is None or isinstance(game, str),
        "with more than one of `jobs`, the game is needed as a string, which each process reads",
    )
    find = _Finder(path, game)
    settings = _Settings(checker, most_searched)
    try:
        first = _check_with_leans(Path(path), find, progress, settings)
    except OSError as error:
        problem = f"refused, line 1: {type(error).__name__}: {error}"
        raise CertificateError(problem) from error
    except CertificateError:
        find.require_the_game()  # what is wrong then is not the certificate
        raise
    find.require_the_game()
    tree = _Tree(Path(path), first)
    work = partial(_check_below, find if jobs == 1 else _Finder(path, game), settings)
    with contextlib.closing(completed(tree.waiting, work, jobs)) as results:
        for task, checked in results:
            tree.add(task, checked)
            if progress is not None:
                progress(checked.size)
    return tree.verified


class _Finder:
    """Finds the game that a certificate names, and remembers if it is not the one wanted."""

    def __init__(self, path: str | os.PathLike[str], game: Game[Any, Any] | str | None) -> None:
        self._path, self._game = path, game
        self._given = None if game is None else load_game(game)
        self._found: dict[str, Game[Any, Any]] = {}
        self._misnamed = ""

    def __reduce__(self) -> Any:
        return _Finder, (self._path, self._game)  # another process loads the game itself

    def __call__(self, text: str) -> Game[Any, Any]:
        given = self._given
        if given is not None:
            if not is_named(given, text):
                self._misnamed = f"{self._path} is about {text}, not {given}"
            return given
        try:
            if text not in self._found:
                self._found = {text: load_game(text, files=False)}
            return self._found[text]
        except FileRefusedError:
            file = f"{self._path} is about a game from a file, {text}"
            self._misnamed = f"{file}, which must be given too"
            raise

    def require_the_game(self) -> None:
        require(not self._misnamed, self._misnamed)


# -- a tree of files -------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Settings:
    checker: str
    most_searched: int | None


@dataclass(frozen=True)
class _Checked:
    """A file that is accepted if others are: by digest, which headers it read in those."""

    verified: Verified
    leans_on: dict[str, bytes]
    size: int = 0  # bytes that were read


@dataclass(frozen=True)
class _Task:
    """A file to check, since another one leans on it."""

    path: Path
    digest: str
    above: str


class _Tree:
    """The files that were accepted, and those that are left to check."""

    def __init__(self, path: Path, first: _Checked) -> None:
        self.verified = first.verified
        self.waiting: deque[_Task] = deque()
        self._headers: dict[str, bytes] = {}
        self._add_tasks(path, first)

    def add(self, task: _Task, checked: _Checked) -> None:
        """Count a file that was accepted; it must be the one that was read before."""
        one, so_far = checked.verified, self.verified
        if (one.digest, _hashed(one.header)) != (task.digest, self._headers[task.digest]):
            raise CertificateError(
                f"{task.above} leans on {task.path.name}, which has another digest: {one.digest}"
            )
        self.verified = replace(
            so_far,
            files=so_far.files + 1,
            states=so_far.states + one.states,
            searched=so_far.searched + one.searched,
            by_plain=so_far.by_plain + one.by_plain,
            most_held=max(so_far.most_held, one.most_held),
            checker=one.checker if one.checker == so_far.checker else COMPILED,
        )
        self._add_tasks(task.path, checked)

    def _add_tasks(self, path: Path, checked: _Checked) -> None:
        for digest, header in checked.leans_on.items():
            if digest not in self._headers:
                self._headers[digest] = header
                self.waiting.append(_Task(_beside(path, digest), digest, path.name))
            elif self._headers[digest] != header:
                raise CertificateError(f"{path.name} leans on {digest}, which was changed")


def _beside(path: Path, digest: str) -> Path:
    other = beside(path, digest)
    if other is None:
        raise CertificateError(f"{path.name} leans on {digest}.cert, which is not in its folder")
    return other


def _check_below(find: _Finder, settings: _Settings, task: _Task) -> _Checked:
    """Check a file on which another one leans; without its states, which need not be picklable."""
    try:
        size = task.path.stat().st_size
        checked = _check_with_leans(task.path, find, None, settings)
    except (CertificateError, OSError) as error:
        problem = f"{task.above} leans on {task.path.name}: {error}"
        raise CertificateError(problem) from error
    return _Checked(replace(checked.verified, root=None, leans_on=()), checked.leans_on, size)


def _check_with_leans(
    path: Path, find: _Finder, progress: Progress | None, settings: _Settings
) -> _Checked:
    """Check a file, and that others claim what it leans on; those are not checked themselves."""
    verified = _check(path, find, progress, settings)
    found: dict[str, tuple[Header, Any]] = {}
    hashes: dict[str, bytes] = {}
    for lean in verified.leans_on:
        other = _beside(path, lean.digest)
        try:
            if lean.digest not in found:
                header = header_of(other)
                found[lean.digest] = header, root_of(find(verified.header.game), header)
                hashes[lean.digest] = _hashed(header)
            require_support(lean, verified.header, *found[lean.digest])
        except Exception as error:  # also by the rules, if the moves are those of another game
            problem = f"refused: {path.name} leans on {other.name}: {error}"
            raise CertificateError(problem) from error
    return _Checked(verified, hashes)


def _hashed(header: Header) -> bytes:
    return hashlib.sha256(repr(header).encode()).digest()


# -- one file --------------------------------------------------------------------------------------


def _check(path: Path, find: _Finder, progress: Progress | None, settings: _Settings) -> Verified:
    checker = settings.checker
    if checker == BOTH:
        return _check_twice(path, find, progress, settings)
    if checker == COMPILED:
        return _check_compiled(path, find, progress, settings)
    if checker == AUTO and takes_long(path, _LARGE):
        from unbounded.solving.compiled_checker import NotCompiledError

        try:
            return _check_compiled(path, find, progress, settings)
        except NotCompiledError:  # before anything but the first line was read
            pass
    return _check_plain(path, find, progress, settings)


def _check_plain(
    path: Path, find: _Finder, progress: Progress | None, settings: _Settings
) -> Verified:
    with opened(path, progress) as file:
        found = plain_checker.check(lines_of(file), find, most_searched=settings.most_searched)
    return Verified(**vars(found), checker=PLAIN, by_plain=found.states)


def _check_compiled(
    path: Path, find: _Finder, progress: Progress | None, settings: _Settings
) -> Verified:
    from unbounded.solving import compiled_checker

    with opened(path, progress) as file:
        found, again = compiled_checker.check(file, find, most_searched=settings.most_searched)
    return Verified(**vars(found), checker=COMPILED, by_plain=again)


def _check_twice(
    path: Path, find: _Finder, progress: Progress | None, settings: _Settings
) -> Verified:
    """Accept what both accept, and tell if they do not agree."""
    refused: CertificateError | None = None
    try:
        compiled = _check_compiled(path, find, None, settings)
    except CertificateError as error:
        refused = error
    try:
        plain = _check_plain(path, find, progress, settings)
    except CertificateError as error:
        if refused is not None:
            raise
        raise CertificateError(f"{error} (but the compiled checker accepts it)") from error
    if refused is not None:
        raise CertificateError(f"{refused} (but the plain checker accepts it)") from refused
    if replace(plain, checker=COMPILED, by_plain=compiled.by_plain) != compiled:
        raise CertificateError("refused: the plain and the compiled checker count other states")
    return replace(plain, checker=BOTH)
