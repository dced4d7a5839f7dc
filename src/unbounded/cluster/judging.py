# SPDX-License-Identifier: MIT
"""Whether to believe an answer: what counts is the certificate, not what the worker says."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import zlib
from dataclasses import dataclass
from pathlib import Path
from random import SystemRandom

from unbounded.cluster.claims_file import ClaimsFile
from unbounded.cluster.facts import Scale, read_claim
from unbounded.cluster.job import Answer, Job
from unbounded.game import RecordGame, UnboundedError, require
from unbounded.solving import verification
from unbounded.solving.certificate_files import beside, lines_of, opened
from unbounded.solving.checker import CertificateError, Claim, Header, read_header, root_of
from unbounded.solving.checker_format import sealed
from unbounded.storage import atomic_files

_GZIP = 31
"""What zlib calls the format of gzip."""
ALL, SAMPLE, NONE = TRUST = ("all", "sample", "none")
"""Whom to trust: all workers; all, but some proofs, drawn at random, are checked; none."""


class RefusedError(UnboundedError):
    """An answer that is not believed, and why."""


@dataclass(frozen=True)
class Accepted:
    """What an answer, or a certificate from elsewhere, proves."""

    state: bytes
    moves: tuple[str, ...]
    claims: tuple[Claim, ...]
    digest: str | None
    checked: bool


class Judge:
    """Accepts or refuses answers; may be used from several threads."""

    def __init__(
        self,
        file: ClaimsFile,
        game: RecordGame,
        scale: Scale,
        trust: str = NONE,
        *,
        share: float = 0.1,
        most_bytes: int = 1 << 30,
        most_searched: int = 2_000_000_000,
    ) -> None:
        """share: of the answers that are checked with `sample`.

        most_bytes: of a compressed certificate. most_searched: successors that the checker is
        willing to make itself for one certificate.
        """
        require(trust in TRUST, f"`trust` is one of {', '.join(TRUST)}, not {trust!r}")
        self.trust, self._share = trust, share
        self._folder, self._game, self._scale = file.folder, game, scale
        self._most_bytes, self._most_searched = most_bytes, most_searched
        self._random = SystemRandom()  # workers cannot know what is drawn

    @property
    def wants_certificates(self) -> bool:
        """Whether workers have to prove what they say."""
        return self.trust != ALL

    def judge(self, job: Job, answer: Answer) -> Accepted:
        """What an answer proves; raises `RefusedError`."""
        if not self.wants_certificates:
            return Accepted(job.state, job.moves, self._said(answer), None, checked=False)
        text = answer.certificate
        if text is None:
            if answer.claims:
                raise RefusedError("it claims something without a certificate")
            return Accepted(job.state, job.moves, (), None, checked=True)
        if len(text) > self._most_bytes:
            raise RefusedError(
                f"its certificate has {len(text):,} bytes, more than {self._most_bytes:,}"
            )
        found = self.of_certificate(text, check=self._draw())
        if found.state != job.state:
            raise RefusedError("its certificate is about another position")
        return found

    def _draw(self) -> bool:
        return self.trust == NONE or self._random.random() < self._share

    def _said(self, answer: Answer) -> tuple[Claim, ...]:
        try:
            return tuple(read_claim(text, scores=self._scale.scores) for text in answer.claims)
        except (CertificateError, AttributeError, TypeError) as error:
            raise RefusedError(f"its claims cannot be read: {error}") from error

    def of_certificate(self, text: bytes, *, check: bool) -> Accepted:
        """Store a certificate under its digest, and return what it proves."""
        temporary = self._folder / f".{secrets.token_hex(8)}.tmp"
        try:
            with temporary.open("xb") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            found = self.of_file(temporary, check=check)
            assert found.digest is not None
            temporary.replace(self._folder / f"{found.digest}.cert.gz")
        finally:
            temporary.unlink(missing_ok=True)
        return found

    def of_file(self, path: Path, *, check: bool) -> Accepted:
        """What a certificate in a file proves, or, unchecked, says that it proves."""
        try:
            if check:
                verdict = verification.verify(path, self._game, most_searched=self._most_searched)
                header, root, digest = verdict.header, verdict.root, verdict.digest
            else:
                header, root, digest = self._unchecked(path)
        except (CertificateError, UnboundedError) as error:
            raise RefusedError(f"its certificate is refused: {error}") from error
        if header.scores != self._scale.scores:
            raise RefusedError("its certificate has scores, or none, unlike this run")
        if (header.kind == "bounds") != self._scale.zero_sum:
            raise RefusedError(f"its certificate is of the kind {header.kind}")
        return Accepted(root, header.moves, header.claims, digest, checked=check)

    def imported(self, path: Path) -> Accepted:
        """Check a certificate from anywhere, and copy it with all that it leans on."""
        found = self.of_file(path, check=True)
        assert found.digest is not None
        copied: set[str] = set()
        waiting: list[tuple[str, Path | None]] = [(found.digest, path)]
        while waiting:
            digest, source = waiting.pop()
            if digest not in copied and source is not None:
                copied.add(digest)
                waiting += [(other, beside(path, other)) for other in self._copy(source, digest)]
        return found

    def _copy(self, source: Path, digest: str) -> set[str]:
        """Copy a certificate, compressed; return the digests of those that it leans on."""
        leans: set[str] = set()

        def produce(write: atomic_files.Write) -> None:
            gzip = zlib.compressobj(wbits=_GZIP)
            with opened(source) as file:
                for line in lines_of(file):
                    leans.update(x.decode() for x in re.findall(rb"%([0-9a-f]{64})", line))
                    write(gzip.compress(line))
            write(gzip.flush())

        atomic_files.replace(self._folder / f"{digest}.cert.gz", produce)
        return leans

    def _unchecked(self, path: Path) -> tuple[Header, bytes, str]:
        """Read a certificate without checking a claim; but it must be whole."""
        first, digest = b"", hashlib.sha256()
        try:
            with opened(path) as file:
                for line in sealed(lines_of(file), digest):
                    first = first or line
        except (OSError, EOFError, zlib.error) as error:
            raise CertificateError(f"it cannot be read: {error}") from error
        header = read_header(first)
        require(header.game == str(self._game), f"it is about {header.game}")
        root: bytes = root_of(self._game, header)
        return header, root, digest.hexdigest()
