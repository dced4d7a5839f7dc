# SPDX-License-Identifier: MIT
"""Many pages at once on one server: is a move answered in time, and does memory stay in its cap?

    python benchmarks/pages.py [PAGES] [ANALYSES] [SECONDS_PER_MOVE]

Every page plays Connect Four against the machine, all at the same time; some analyze as well.
"""

from __future__ import annotations

import asyncio
import json
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.request import HTTPCookieProcessor, build_opener

from websockets.asyncio.client import ClientConnection, connect

PAGES = int(sys.argv[1]) if len(sys.argv) > 1 else 50
ANALYSES = int(sys.argv[2]) if len(sys.argv) > 2 else 10
SECONDS = float(sys.argv[3]) if len(sys.argv) > 3 else 0.5
CAP = 4 << 30
MOVES = 8
"""Of every page."""


class Page:
    """One page that plays by itself."""

    def __init__(self, line: ClientConnection) -> None:
        self._line = line
        self._number = 0
        self._game: dict[str, Any] = {}
        self._position: dict[str, Any] = {}
        self.waits: list[float] = []

    async def _read(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(await self._line.recv())
        if told.get("event") == "game":
            self._game = told["data"]
        if told.get("event") == "position":
            self._position = told["data"]
        return told

    async def _ask(self, what: str, **fields: Any) -> None:
        self._number += 1
        await self._line.send(json.dumps({"id": self._number, "request": what, **fields}))
        while (told := await self._read()).get("id") != self._number:
            pass
        assert "error" not in told, told

    async def play(self, *, analyze: bool) -> None:
        """Play some moves, and measure how long each reply takes."""
        seats = ["human", "ubfm-safest"]
        await self._ask("new", game="connect-four", seats=seats, seconds=SECONDS)
        if analyze:
            await self._ask("analyze", algorithm="ubfm")
        for turn in range(MOVES):
            while not self._game["human_to_move"] or self._position["ply"] < 2 * turn:
                await self._read()
            started = time.perf_counter()
            choice = self._position["actions"][turn % len(self._position["actions"])]["name"]
            await self._ask("move", name=choice)
            while len(self._game["moves"]) < 2 * turn + 2 and not self._game["over"]:
                await self._read()
            self.waits.append(time.perf_counter() - started)
            if self._game["over"]:
                return


def resident(process: int) -> int:
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    return int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) * 1024


async def health(address: str, waits: list[float]) -> None:
    """Ask how the server is, again and again."""
    opener = build_opener()
    while True:
        started = time.perf_counter()
        await asyncio.to_thread(lambda: opener.open(f"{address}/health", timeout=10).read())
        waits.append(time.perf_counter() - started)
        await asyncio.sleep(0.1)


async def crowd(link: str, process: int) -> None:
    address = link.split("/?", maxsplit=1)[0]
    opener = build_opener(jar := HTTPCookieProcessor())
    opener.open(link).read()
    cookie = "; ".join(f"{c.name}={c.value}" for c in jar.cookiejar)
    headers = {"Cookie": cookie, "Origin": address}
    lines = [
        await connect(
            address.replace("http", "ws") + "/live", additional_headers=headers, max_size=None
        )
        for _ in range(PAGES)
    ]
    pages = [Page(line) for line in lines]
    well: list[float] = []
    asking = asyncio.create_task(health(address, well))
    await asyncio.gather(*(p.play(analyze=i < ANALYSES) for i, p in enumerate(pages)))
    asking.cancel()
    waits = sorted(wait for page in pages for wait in page.waits)
    print(f"{PAGES} pages, {ANALYSES} of them analyzing, {SECONDS} s per move of the machine")
    print(f"moves answered: {len(waits)}")
    show("a move", waits)
    show("/health", sorted(well))
    print(f"most memory: {resident(process) / 1e6:.0f} MB, the cap is {CAP / 1e6:.0f} MB")
    for line in lines:
        await line.close()


def show(what: str, waits: list[float]) -> None:
    later = waits[int(0.95 * (len(waits) - 1))]
    middle = statistics.median(waits)
    print(f"{what}: median {middle:.3f} s, 95 % within {later:.3f} s, longest {waits[-1]:.3f} s")


def main() -> None:
    command = [sys.executable, "-m", "unbounded", "serve", "--no-browser", "--port", "0"]
    command += ["--memory", str(CAP)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        link = server.stdout.readline().split()[-1]
        try:
            asyncio.run(crowd(link, server.pid))
        finally:
            server.terminate()
            started = time.perf_counter()
            server.wait()
            print(f"the server ended in {time.perf_counter() - started:.2f} s")


if __name__ == "__main__":
    main()
