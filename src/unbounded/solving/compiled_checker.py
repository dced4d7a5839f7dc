# SPDX-License-Identifier: MIT
"""Check a certificate by the compiled rules, and lines drawn at random by the plain checker too.

The lines are checked in the core (`core/checking/`), which shares no code with the search. The
first line is read by the plain checker (`checker.py`), which is right where the two differ.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from typing import Any, BinaryIO

from unbounded import native
from unbounded.game import Game, RuleError, UsageError
from unbounded.native.failures import explain
from unbounded.solving.checker import (
    LONGEST_LINE,
    CertificateError,
    Checker,
    Claim,
    Header,
    Verdict,
    as_float32,
    read_header,
)

SAMPLE = 1000
"""Lines that the plain checker checks again."""
_AT_ONCE = 1 << 18
_CUT = "this is no certificate, or it is cut off, or goes on"


class NotCompiledError(UsageError):
    """The rules of a game cannot be used by the compiled checker."""


def check(
    file: BinaryIO,
    load_game: Callable[[str], Game[Any, Any]],
    progress: Callable[[int], None] | None = None,
    *,
    most_searched: int | None = None,
) -> tuple[Verdict, int]:
    """Check a certificate; raise an error unless it proves what it claims.

    Returns also how many of its lines the plain checker has checked again. `progress` is called
    with the number of bytes of each piece that is read. most_searched: as in the plain checker;
    version 1, the only one that is checked here, asks for no searches.
    """
    checker = None
    try:
        first = file.readline(LONGEST_LINE + 1)
        if not first.endswith(b"\n") or len(first) > LONGEST_LINE:
            raise CertificateError(_CUT)
        header = read_header(first[:-1])
        if header.version != 1:
            raise NotCompiledError("it checks version 1 only; use `checker='plain'`")
        checker = CompiledChecker(load_game(header.game), header, first)
        checker.read(file, progress)
        return checker.finish()
    except NotCompiledError:
        raise
    except Exception as error:  # also by the rules, called with states that need not exist
        where = "line 1" if checker is None else checker.where
        ours = isinstance(error, CertificateError | native.Refused)
        kind = "" if ours else f"{type(error).__name__}: "
        raise CertificateError(f"refused, {where}: {kind}{error}") from error


class CompiledChecker:
    """Takes a certificate in pieces, the first line excepted."""

    def __init__(self, game: Game[Any, Any], header: Header, first: bytes) -> None:
        self._judge = Checker(game, header)  # which checks the header, and plays the moves
        self._header, self._game = header, game
        self._route = _compiled(game)
        self._core = native.CertificateChecker(
            self._route.rules,
            header.kind == "equilibrium",
            header.scores,
            header.states == "paths",
            self._judge.root,
            header.value or (),
            SAMPLE,
            secrets.randbits(64),  # nobody can know beforehand which lines are drawn
        )
        self._digest = hashlib.sha256(first)
        self._checked_again: tuple[int, bytes] | None = None

    @property
    def where(self) -> str:
        """The line that was checked last."""
        number, state = self._checked_again or (self._core.lines, self._core.about)
        about = state[:80].decode("ascii", "replace")
        return f"line {number}" + (f" (state {about})" if number > 1 else "")

    def read(self, file: BinaryIO, progress: Callable[[int], None] | None) -> None:
        """Check all lines, the last one too."""
        lines = rest = b""
        taken = 0
        while taken == len(lines) and (piece := file.read(_AT_ONCE)):
            if progress is not None:
                progress(len(piece))
            text = rest + piece
            end = text.rfind(b"\n") + 1
            lines, rest = text[:end], text[end:]
            with explain(self._game, self._route):
                taken = self._core.take(lines)
            self._digest.update(memoryview(lines)[:taken])
            if len(rest) > LONGEST_LINE:
                raise CertificateError(_CUT)
        last = lines[taken:]
        if rest or last.count(b"\n") > 1 or (last and file.read(1)):
            raise CertificateError(_CUT)
        if last != b"end %d %s\n" % (self._core.lines, self._digest.hexdigest().encode()):
            raise CertificateError("the file is damaged or incomplete: its last line does not fit")

    def finish(self) -> tuple[Verdict, int]:
        """The value must be proven, and the plain checker accept the lines that were drawn."""
        self._core.finish()
        drawn = self._core.drawn()
        for number, line, known in drawn:
            self._checked_again = number, line.split(b" ", 1)[0]
            self._check_again(line, known)
        sizes, digest = (self._core.states, self._core.most_held), self._digest.hexdigest()
        return Verdict(self._header, *sizes, self._judge.root, digest, 0, ()), len(drawn)

    def _check_again(self, line: bytes, known: list[tuple[bytes, Any]]) -> None:
        """Check a line by the plain checker, given what is known of the states that it uses."""
        judge = self._judge
        judge.proven = None
        judge.held = {
            state: ([Claim(relation, tuple(row), None) for relation, row in rows], 1)
            for state, rows in known
        }
        try:
            judge.take(line)
            if len(judge.held) != (0 if judge.proven is not None else 1):
                raise CertificateError("it uses other states")
        except Exception as error:
            raise CertificateError(
                f"by the plain checker, though the compiled one accepts it: {error}; do the "
                "compiled rules differ? run 'unbounded check' on the game"
            ) from error


def _compiled(game: Game[Any, Any]) -> native.RecordRoute:
    """Return the compiled rules."""
    advice = "use `checker='plain'`"
    try:
        route = native.route_of(game) if native.is_compiled(game) else None
        for best in game.best_scores or ():
            as_float32(best)
    except RuleError as error:
        raise NotCompiledError(f"{error}; {advice}") from error
    except OverflowError as error:
        raise NotCompiledError(
            f"{game}: its best score needs more than 32 bits; {advice}"
        ) from error
    if not isinstance(route, native.RecordRoute):
        raise NotCompiledError(f"the rules of {game} are not compiled; {advice}")
    return route
