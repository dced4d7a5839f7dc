# SPDX-License-Identifier: MIT
"""Whether to believe an answer: what counts is the certificate, not what the worker says."""

from __future__ import annotations

import contextlib
import hashlib
import re
import secrets
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import SystemRandom

from unbounded.cluster.claims_file import ClaimsFile, Recorded
from unbounded.cluster.facts import ContradictionError, Scale, read_claim
from unbounded.cluster.job import Answer, Job
from unbounded.game import RecordGame, UnboundedError, require
from unbounded.solving import verification
from unbounded.solving.certificate_files import beside, lines_of, opened
from unbounded.solving.checker import root_of
from unbounded.solving.checker_format import CertificateError, Claim, Header, read_header, sealed
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
        most_text: int = 1 << 33,
        most_searched: int = 2_000_000_000,
    ) -> None:
        """share: of the answers that are checked with `sample`.

        most_bytes: of a compressed certificate. most_text: of its text. most_searched: successors
        that the checker is willing to make itself for one certificate.
        """
        require(trust in TRUST, f"`trust` is one of {', '.join(TRUST)}, not {trust!r}")
        self.trust, self._share = trust, share
        self.file, self.scale = file, scale
        self._folder, self._game = file.folder, game
        self._name = file.about.game
        self._most_bytes, self._most_text = most_bytes, most_text
        self._most_searched = most_searched
        self._random = SystemRandom()  # workers cannot know what is drawn

    @property
    def wants_certificates(self) -> bool:
        """Whether workers have to prove what they say."""
        return self.trust != ALL

    def counts(self, claim: Recorded) -> bool:
        """Whether a claim in the file is believed."""
        if self.trust == NONE:
            return claim.checked
        return self.trust == ALL or claim.digest is not None

    def judge(self, job: Job, answer: Answer, *, check: bool = False) -> Accepted:
        """What an answer proves; raises `RefusedError`. check: even if it is not drawn."""
        try:
            return self._judged(job, answer, check=check)
        except UnboundedError:
            raise
        except Exception as error:  # whatever a worker may have sent
            problem = f"it cannot be read: {type(error).__name__}: {error}"
            raise RefusedError(problem) from error

    def _judged(self, job: Job, answer: Answer, *, check: bool) -> Accepted:
        if not self.wants_certificates:
            return Accepted(job.state, job.moves, self._said(answer), None, checked=False)
        text = answer.certificate
        if text is None:
            if answer.claims:
                raise RefusedError("it claims something without a certificate")
            return Accepted(job.state, job.moves, (), None, checked=True)
        if not isinstance(text, bytes):
            raise RefusedError("its certificate is not in bytes")
        if len(text) > self._most_bytes:
            raise RefusedError(
                f"its certificate has {len(text):,} bytes, more than {self._most_bytes:,}"
            )
        return self.of_certificate(text, check=check or self._draw(), state=job.state)

    def _draw(self) -> bool:
        return self.trust == NONE or self._random.random() < self._share

    def _said(self, answer: Answer) -> tuple[Claim, ...]:
        try:
            claims = tuple(read_claim(text, self.scale) for text in answer.claims)
            fact = self.scale.unknown
            for claim in claims:
                fact = self.scale.both(self.scale.of_claim(claim), fact)
        except (CertificateError, TypeError) as error:
            raise RefusedError(f"its claims cannot be read: {error}") from error
        except ContradictionError as error:
            raise RefusedError("its claims cannot all be true") from error
        return claims

    def of_certificate(self, text: bytes, *, check: bool, state: bytes) -> Accepted:
        """Store a certificate about a state under its digest, and return what it proves."""
        temporary = self._folder / f".{secrets.token_hex(8)}.tmp"
        try:
            with writing(temporary):
                atomic_files.replace(temporary, lambda write: write(text))
            found = self.of_file(temporary, check=check, state=state, most=self._most_text)
            with writing(temporary):
                atomic_files.replace_by(
                    self._folder / f"{found.digest}.cert.gz",
                    lambda partial: atomic_files.DISK.rename(temporary, partial),
                )
        finally:
            temporary.unlink(missing_ok=True)
        return found

    def of_file(
        self, path: Path, *, check: bool, state: bytes | None = None, most: int | None = None
    ) -> Accepted:
        """What a certificate in a file proves, or, unchecked, says that it proves.

        state: that it must be about; None: any. most: bytes of its text.
        """
        try:
            header, root, digest = self._unchecked(path, most)
            if state is not None and root != state:
                raise RefusedError("its certificate is about another position")
            if header.scores != self.scale.scores:
                raise RefusedError("its certificate has scores, or none, unlike this run")
            if (header.kind == "bounds") != self.scale.zero_sum:
                raise RefusedError(f"its certificate is of the kind {header.kind}")
            if check:
                verdict = verification.verify(path, self._game, most_searched=self._most_searched)
                header, root, digest = verdict.header, verdict.root, verdict.digest
        except RefusedError:
            raise
        except UnboundedError as error:
            raise RefusedError(f"its certificate is refused: {error}") from error
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
                with writing(self._folder):
                    leans = self._copy(source, digest)
                waiting += [(other, beside(path, other)) for other in leans]
        return found

    def _copy(self, source: Path, digest: str) -> set[str]:
        """Copy a certificate, compressed; return the digests of those that it leans on."""
        leans: set[str] = set()
        read = hashlib.sha256()

        def produce(write: atomic_files.Write) -> None:
            gzip = zlib.compressobj(wbits=_GZIP)
            count = 0
            with opened(source) as file:
                for line in sealed(lines_of(file), read):
                    count += 1
                    leans.update(x.decode() for x in re.findall(rb"%([0-9a-f]{64})", line))
                    write(gzip.compress(line + b"\n"))
            if read.hexdigest() != digest:
                raise RefusedError(f"{source} has changed while it was read")
            write(gzip.compress(f"end {count} {digest}\n".encode()) + gzip.flush())

        atomic_files.replace(self._folder / f"{digest}.cert.gz", produce)
        return leans

    def _unchecked(self, path: Path, most: int | None) -> tuple[Header, bytes, str]:
        """Read a certificate without checking a claim; but it must be whole."""
        first, digest, size = b"", hashlib.sha256(), 0
        try:
            with opened(path) as file:
                for line in sealed(lines_of(file), digest):
                    first = first or line
                    size += len(line) + 1
                    if most is not None and size > most:
                        raise RefusedError(
                            f"its certificate has a text of more than {most:,} bytes"
                        )
            header = read_header(first)
            # The same spelling: those that lean on each other must agree.
            require(header.game == self._name, f"it is about {header.game}, not {self._name}")
            root: bytes = root_of(self._game, header)
        except UnboundedError:
            raise
        except Exception as error:  # by the rules, or because the file is damaged
            raise CertificateError(f"it cannot be read: {error}") from error
        return header, root, digest.hexdigest()


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn the errors of a disk, while a file is written, into one that says what to do."""
    try:
        yield
    except OSError as error:
        raise UnboundedError(
            f"{path} cannot be written: {error.strerror or error}. What was written before is "
            "safe: make room if the disk is full, and start the same command again"
        ) from error
