# SPDX-License-Identifier: MIT
"""Certificates in files: compressed or not, beside the certificates that they lean on."""

from __future__ import annotations

import contextlib
import gzip
import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from unbounded.solving.checker_format import LONGEST_LINE, CertificateError, Header, read_header
from unbounded.storage.atomic_files import is_regular

GZIP = b"\x1f\x8b"
"""How a compressed file begins."""
_AT_ONCE = 1 << 16
_BYTES_PER_SUCCESSOR = 25
"""Of a line that takes the plain checker as long as one successor in a search."""

Progress = Callable[[int], None]


@contextlib.contextmanager
def opened(path: Path, progress: Progress | None = None) -> Iterator[BinaryIO]:
    """Open a certificate, for its text; `progress` is given the bytes read of the file itself."""
    with path.open("rb", buffering=0) as raw:
        file = io.BufferedReader(_Counted(raw, progress), _AT_ONCE)
        if file.peek(len(GZIP))[: len(GZIP)] == GZIP:
            yield cast(BinaryIO, gzip.GzipFile(fileobj=file))
        else:
            yield file


class _Counted(io.RawIOBase):
    """Reports how much is read."""

    def __init__(self, raw: io.FileIO, progress: Progress | None) -> None:
        self._raw, self._progress = raw, progress

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        count = self._raw.readinto(buffer)
        if self._progress is not None and count:
            self._progress(count)
        return count


def lines_of(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines; of one that is too long, only a part."""
    while line := file.readline(LONGEST_LINE + 1):
        yield line


def header_of(path: Path) -> Header:
    """Read the first line of a certificate."""
    with opened(path) as file:
        line = next(lines_of(file), b"")
    if not line.endswith(b"\n") or len(line) > LONGEST_LINE:
        raise CertificateError("this is no certificate, or it is cut off")
    return read_header(line[:-1])


def beside(path: Path, digest: str) -> Path | None:
    """Return where the certificate is on which one leans; None: it is missing."""
    names = (f"{digest}.cert", f"{digest}.cert.gz")
    return next((file for name in names if is_regular(file := path.with_name(name))), None)


def takes_long(path: Path, least: int) -> bool:
    """Whether a certificate is as much work for the plain checker as a text of so many bytes."""
    work = 0
    with opened(path) as file, contextlib.suppress(Exception):  # the checker will say what is wrong
        while work < least and (piece := file.read(_AT_ONCE)):
            searched = sum(int(number) for number in re.findall(rb"\?([0-9]{1,9})", piece))
            work += len(piece) + _BYTES_PER_SUCCESSOR * searched
    return work >= least
