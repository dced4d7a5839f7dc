# SPDX-License-Identifier: MIT
"""Arrays in one file, in the safetensors format, with a checksum of everything as the last array.

Eight bytes hold the length of the header; the header is JSON and lists the arrays, their offsets
and metadata; then come the arrays, one after the other. The reader validates everything: lengths
are compared with the size of the file before they are used.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from unbounded.game import UsageError
from unbounded.storage import atomic_files

ITEM_BYTES = {"U8": 1, "I8": 1, "I16": 2, "I32": 4, "U32": 4, "U64": 8, "F16": 2, "F32": 4}
CHECKSUM = "checksum"
CHECKSUM_BYTES = hashlib.sha256().digest_size
LONGEST_HEADER = 1 << 20
_METADATA = "__metadata__"
_MOST_BYTES = 1 << 62
_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class Tensor:
    """An array: what it is called, of which type its items are, and how many."""

    name: str
    dtype: str
    shape: tuple[int, ...]

    @property
    def bytes(self) -> int:
        """How long it is."""
        return math.prod(self.shape) * ITEM_BYTES[self.dtype]


# -- writing --------------------------------------------------------------------------------------


def write(
    path: str | os.PathLike[str],
    metadata: Mapping[str, str],
    tensors: Sequence[Tensor],
    produce: Callable[[atomic_files.Write], None],
) -> int:
    """Replace a file; `produce` gives the contents of the arrays, in their order, in any pieces.

    Returns how many bytes were written.
    """
    header = _header(metadata, [*tensors, Tensor(CHECKSUM, "U8", (CHECKSUM_BYTES,))])
    expected = len(header) + sum(tensor.bytes for tensor in tensors)

    def contents(put: atomic_files.Write) -> None:
        digest = hashlib.sha256()
        written = 0

        def put_and_count(data: atomic_files.Buffer) -> None:
            nonlocal written
            digest.update(data)
            written += memoryview(data).nbytes
            put(data)

        put_and_count(header)
        produce(put_and_count)
        assert written == expected, "the arrays are as long as they were said to be"
        put(digest.digest())

    atomic_files.replace(path, contents)
    return expected + CHECKSUM_BYTES


def _header(metadata: Mapping[str, str], tensors: Sequence[Tensor]) -> bytes:
    described: dict[str, Any] = {_METADATA: dict(metadata)}
    at = 0
    for tensor in tensors:
        described[tensor.name] = {
            "dtype": tensor.dtype,
            "shape": list(tensor.shape),
            "data_offsets": [at, at + tensor.bytes],
        }
        at += tensor.bytes
    text = json.dumps(described).encode()
    text += b" " * (-len(text) % 8)  # so that arrays of 8-byte items lie at such addresses
    if len(text) > LONGEST_HEADER:
        raise UsageError("there is too much to say about these arrays: a file cannot hold it")
    return len(text).to_bytes(8, "little") + text


# -- reading --------------------------------------------------------------------------------------


class Reader:
    """A file that is read once, from its beginning to its end, and then verified.

    what: what the file should hold, for errors.
    """

    def __init__(self, path: str | os.PathLike[str], what: str = "saved search") -> None:
        self.path = Path(path)
        self._what = what
        if not atomic_files.is_regular(path):
            # No error of its own, however long the name is.
            there = os.path.exists(path)  # noqa: PTH110
            what = "is not a file" if there else "does not exist"
            raise UsageError(f"{path} {what}")
        self._digest = hashlib.sha256()
        try:
            self._file = self.path.open("rb", buffering=0)
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}") from error
        try:
            self._size = os.fstat(self._file.fileno()).st_size
            self.metadata, self.tensors = self._read_header()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def fail(self, why: str) -> NoReturn:
        """Refuse the file."""
        raise UsageError(f"{self.path} is no {self._what}, or damaged: {why}")

    def fill(self, view: memoryview) -> None:
        """Read the next bytes into some memory."""
        with view.cast("B") as whole:
            at = 0
            while at < len(whole):
                try:
                    count = self._file.readinto(whole[at : at + _AT_ONCE])
                except OSError as error:
                    raise UsageError(f"{self.path} cannot be read: {error.strerror}") from error
                if not count:
                    self.fail("it ends too early")
                self._digest.update(whole[at : at + count])
                at += count

    def verify(self) -> None:
        """Compare the checksum with everything that was read, which must be all before it."""
        found = bytearray(CHECKSUM_BYTES)
        expected = self._digest.digest()
        self.fill(memoryview(found))
        if found != expected:
            self.fail("its checksum does not fit")

    def is_intact(self) -> bool:
        """Whether the checksum of the whole file fits; reads the file to its end."""
        digest = hashlib.sha256()
        try:
            self._file.seek(0)
            left = self._size - CHECKSUM_BYTES
            while left > 0:
                block = self._file.read(min(_AT_ONCE, left))
                if not block:
                    return False
                digest.update(block)
                left -= len(block)
            return self._file.read(CHECKSUM_BYTES) == digest.digest()
        except OSError:
            return False

    def _read_header(self) -> tuple[dict[str, str], list[Tensor]]:
        if self._size < 8 + CHECKSUM_BYTES:
            self.fail("it is too short")
        start = bytearray(8)
        self.fill(memoryview(start))
        length = int.from_bytes(start, "little")
        if not 2 <= length <= min(LONGEST_HEADER, self._size - 8 - CHECKSUM_BYTES):
            self.fail("its header cannot be that long")
        text = bytearray(length)
        self.fill(memoryview(text))
        try:
            described = json.loads(text.decode())
        except (ValueError, RecursionError):
            self.fail("its header cannot be read")
        if not isinstance(described, dict):
            self.fail("its header says nothing")
        metadata = described.pop(_METADATA, {})
        if not isinstance(metadata, dict) or not all(isinstance(x, str) for x in metadata.values()):
            self.fail("its header is none of ours")
        tensors = [self._tensor(name, about) for name, about in described.items()]
        self._check_places(tensors, self._size - 8 - length)
        return metadata, [tensor for tensor, _, _ in tensors][:-1]

    def _tensor(self, name: str, about: Any) -> tuple[Tensor, int, int]:
        """Read the description of one array in the header."""
        if not isinstance(about, dict) or set(about) != {"dtype", "shape", "data_offsets"}:
            self.fail("its header is none of ours")
        dtype, shape, offsets = about["dtype"], about["shape"], about["data_offsets"]
        if not isinstance(dtype, str) or dtype not in ITEM_BYTES:
            self.fail("it has an array of an unknown type")
        for numbers, most in ((shape, 4), (offsets, 2)):
            if not isinstance(numbers, list) or len(numbers) > most:
                self.fail("it has an array of an unknown shape")
            if not all(type(x) is int and 0 <= x < _MOST_BYTES for x in numbers):
                self.fail("it has an array of an unknown shape")
        if len(offsets) != 2:
            self.fail("it has an array of an unknown shape")
        return Tensor(name, dtype, tuple(shape)), offsets[0], offsets[1]

    def _check_places(self, tensors: Sequence[tuple[Tensor, int, int]], size: int) -> None:
        """Make sure that the arrays fill the file without gaps, the checksum last."""
        at = 0
        for tensor, start, end in tensors:
            if start != at or end - start != tensor.bytes:
                self.fail("its arrays do not lie one after the other")
            at = end
        if at != size:
            self.fail("its length is not what its header says")
        if not tensors or tensors[-1][0] != Tensor(CHECKSUM, "U8", (CHECKSUM_BYTES,)):
            self.fail("it has no checksum")
