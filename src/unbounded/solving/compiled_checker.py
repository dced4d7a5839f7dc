# SPDX-License-Identifier: MIT
"""Check a certificate by the compiled rules, and lines drawn at random by the plain checker too.

The lines are checked in the core (`core/checking/`), which shares no code with the search. The
first line is read by the plain checker (`checker.py`), which is right where the two differ.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import Any, BinaryIO

from unbounded import native
from unbounded.game import Game, RuleError, UsageError
from unbounded.native.failures import explain
from unbounded.solving.checker import Checker, Lean, Verdict
from unbounded.solving.checker_format import (
    LONGEST_LINE,
    CertificateError,
    Claim,
    Header,
    as_float32,
    read_header,
)

SAMPLE = 1000
"""Lines that the plain checker checks again."""
SEARCHED_AGAIN, SHARE_AGAIN = 50_000, 200
"""It stops when their searches add up to so many successors, which takes half a second, or to one
in so many of all, for which it takes about as long as the compiled rules for all."""
_AT_ONCE = 1 << 16
_UNLIMITED = 2**64 - 1
"""The most that the core can count to, which no certificate asks for."""
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
    with the number of bytes of each piece that is read. What the certificate leans on, and
    `most_searched`: as in the plain checker.
    """
    checker = None
    try:
        first = file.readline(LONGEST_LINE + 1)
        if not first.endswith(b"\n") or len(first) > LONGEST_LINE:
            raise CertificateError(_CUT)
        header = read_header(first[:-1])
        checker = CompiledChecker(load_game(header.game), header, first, most_searched)
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

    def __init__(
        self, game: Game[Any, Any], header: Header, first: bytes, most_searched: int | None
    ) -> None:
        self._judge = Checker(game, header)  # which checks the header, and plays the moves
        self._header, self._game = header, game
        self._route = _compiled(game)
        self._core = native.CertificateChecker(
            self._route.rules,
            header.version,
            header.kind == "equilibrium",
            header.scores,
            header.states == "paths",
            self._judge.root,
            [(claim.relation, claim.worth) for claim in header.claims],
            SAMPLE,
            secrets.randbits(64),  # nobody can know beforehand which lines are drawn
            None if most_searched is None else min(max(most_searched, 0), _UNLIMITED),
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
        """The root must be proven, and the plain checker accept the lines that were drawn."""
        core, judge = self._core, self._judge
        core.finish()
        judge.proven = list(self._header.claims)  # which it may still find wrong
        found = replace(
            judge.finish(self._digest.hexdigest()),
            states=core.states,
            most_held=core.most_held,
            searched=core.searched,
            leans_on=tuple(
                Lean(digest, state, Claim(relation, tuple(worths), digest=digest))
                for digest, state, (relation, worths) in core.leans_on()
            ),
        )
        return found, self._check_sample()

    def _check_sample(self) -> int:
        """Check lines by the plain checker too; return how many."""
        drawn, again = self._core.drawn(), 0
        secrets.SystemRandom().shuffle(drawn)  # for the searches may not allow to check them all
        most = max(SEARCHED_AGAIN, self._core.searched // SHARE_AGAIN)
        while again < len(drawn) and self._judge.to_search < most:
            number, line, known = drawn[again]
            self._checked_again = number, line.split(b" ", 1)[0]
            self._check_again(line, known)
            again += 1
        return again

    def _check_again(self, line: bytes, known: list[tuple[bytes, Any]]) -> None:
        """Check a line by the plain checker, given what is known of the states that it uses."""
        judge = self._judge
        judge.proven = None
        judge.held = {
            state: ([Claim(relation, tuple(worths)) for relation, worths in claims], 1)
            for state, claims in known
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
