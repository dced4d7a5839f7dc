# SPDX-License-Identifier: MIT
"""Disks that fail, and disks that lose what was not forced to them, for tests of saving."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from unbounded.storage.atomic_files import Buffer, Disk

TORN_AT = (512, 4096)


class FailingDisk(Disk):
    """Fails at one call, or from it on; counts them all."""

    def __init__(self, fail_at: int, error: int, *, for_good: bool = False) -> None:
        self.fail_at, self.error, self.for_good = fail_at, error, for_good
        self.calls = 0
        self.failed = 0

    def _count(self) -> None:
        self.calls += 1
        if self.calls == self.fail_at or (self.for_good and self.calls > self.fail_at):
            self.failed += 1
            raise OSError(self.error, os.strerror(self.error))

    def open(self, path: Path, flags: int) -> int:
        self._count()
        return super().open(path, flags)

    def write(self, file: int, data: Buffer) -> int:
        self._count()
        return super().write(file, data)

    def sync(self, file: int) -> None:
        self._count()
        super().sync(file)

    def rename(self, old: Path, new: Path) -> None:
        self._count()
        super().rename(old, new)


class StingyDisk(Disk):
    """Takes a few bytes at a time, and is interrupted again and again."""

    def __init__(self) -> None:
        self.random = Random(0)

    def write(self, file: int, data: Buffer) -> int:
        if self.random.random() < 0.3:
            raise InterruptedError(errno.EINTR, "interrupted")
        return super().write(file, bytes(data[: self.random.randint(1, 700)]))


# -- a power cut ----------------------------------------------------------------------------------


@dataclass
class Call:
    """Something that was asked of a disk; `file` tells apart the files that were opened."""

    kind: str
    file: int = 0
    data: bytes = b""
    old: str = ""
    new: str = ""


class RecordingDisk(Disk):
    """Does everything, and keeps a log of it."""

    def __init__(self, *, sync: bool = True) -> None:
        self.log: list[Call] = []
        self.sync_too = sync
        self._files: dict[int, int] = {}
        self._opened = 0

    def open(self, path: Path, flags: int) -> int:
        file = super().open(path, flags)
        self._opened += 1
        self._files[file] = self._opened
        kind = "create" if flags & os.O_CREAT else "folder"
        self.log.append(Call(kind, self._opened, new=path.name))
        return file

    def write(self, file: int, data: Buffer) -> int:
        self.log.append(Call("write", self._files[file], bytes(data)))
        return super().write(file, data)

    def sync(self, file: int) -> None:
        if self.sync_too:
            self.log.append(Call("sync", self._files[file]))
        super().sync(file)

    def rename(self, old: Path, new: Path) -> None:
        self.log.append(Call("rename", old=old.name, new=new.name))
        super().rename(old, new)


def after_power_cuts(
    log: list[Call], before: bytes, name: str, random: Random, tries: int
) -> Iterator[bytes]:
    """What the file may hold after a power cut: at any call, and whatever was not forced."""
    for end in range(len(log) + 1):
        for _ in range(tries):
            yield _after_power_cut(log[:end], before, name, random)


def _after_power_cut(log: list[Call], before: bytes, name: str, random: Random) -> bytes:
    names = {name: 0}
    contents = {0: before}
    for call in log:
        if call.kind == "create":
            names[call.new] = call.file
            contents[call.file] = _content(log, call.file, random)
    for at, call in enumerate(log):
        if call.kind != "rename":
            continue
        folders = {c.file for c in log if c.kind == "folder"}
        forced = any(c.kind == "sync" and c.file in folders for c in log[at:])
        if forced or random.random() < 0.5:
            names[call.new] = names.pop(call.old)
    return contents[names[name]]


def _content(log: list[Call], file: int, random: Random) -> bytes:
    """What was written to a file: all that was forced, and of the rest some pieces in any order."""
    calls = [c for c in log if c.file == file]
    last_sync = max((i for i, c in enumerate(calls) if c.kind == "sync"), default=-1)
    content = bytearray()
    at = 0
    loose: list[tuple[int, bytes]] = []
    for i, call in enumerate(calls):
        if call.kind != "write":
            continue
        if i < last_sync:
            content[at : at + len(call.data)] = call.data
        else:
            loose += _pieces(at, call.data, random.choice(TORN_AT))
        at += len(call.data)
    kept = [piece for piece in loose if random.random() < random.choice((0.2, 0.8, 1.0))]
    random.shuffle(kept)
    for place, data in kept:
        if len(content) < place:
            content.extend(bytes(place - len(content)))
        content[place : place + len(data)] = data
    return bytes(content)


def _pieces(start: int, data: bytes, size: int) -> list[tuple[int, bytes]]:
    """Cut what was written where sectors or pages end."""
    pieces = []
    at = 0
    while at < len(data):
        length = size - (start + at) % size
        pieces.append((start + at, data[at : at + length]))
        at += length
    return pieces
