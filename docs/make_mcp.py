# SPDX-License-Identifier: MIT
"""Write the transcript in `mcp.md`: what the SDK's client and the server said to each other.

`python docs/make_mcp.py` replaces it; `tests/test_mcp.py` compares it with a new run.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

PAGE = Path(__file__).with_name("mcp.md")
BLOCK = re.compile(r"(?<=<!-- transcript -->\n```text\n).*?(?=```\n<!-- end -->)", re.DOTALL)
WIDTH = 110
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("new_game", {"game": "connect-four", "parameters": {"width": 4, "height": 4}}),
    ("play", {"game_id": "g1", "move": "2"}),
    ("play", {"game_id": "g1", "player": "ubfm(iterations=100)"}),
    ("new_game", {"game": "tic-tac-toe", "moves": ["b2", "a1", "c3", "b1", "a2"]}),
    ("proven_values", {"game_id": "g2"}),
    ("why", {"game_id": "g2"}),
    ("solve", {"game_id": "g2", "certificate": True}),
    ("verify", {"certificate": "(as above)"}),
    ("new_game", {"game": "nim(heaps=[1,2,2],players=3)"}),
    ("proven_values", {"game_id": "g3"}),
    ("play", {"game_id": "g2", "move": "b2"}),
    ("solve", {"game_id": "g1", "seconds": 1e9}),
    ("new_game", {"game": "mine.py:Mine"}),
]


def server() -> StdioServerParameters:
    """The server as a process of its own."""
    own = {
        name: value for name, value in os.environ.items() if name.startswith(("PYTHON", "NUMBA"))
    }
    return StdioServerParameters(
        command=sys.executable, args=["-m", "unbounded", "mcp", "--seconds", "10"], env=own
    )


async def transcript() -> str:
    """Call the tools one after the other; return what was said."""
    said, certificate = [], ""
    async with Client(server()) as client:
        for name, given in CALLS:
            arguments = {"certificate": certificate} if name == "verify" else given
            result = await client.call_tool(name, arguments)
            answer = result.structured_content
            if answer is None:
                said.append(_said(name, arguments, {"error": result.content[0].text}))
                continue
            certificate = answer.get("certificate") or certificate
            said.append(_said(name, arguments, answer))
    return "\n".join(said)


def _said(name: str, arguments: Any, answer: Any) -> str:
    return f"> {name} {_shown(arguments)}\n{_shown(answer)}\n"


def _shown(value: dict[str, Any]) -> str:
    """JSON; long texts are cut."""
    if isinstance(value.get("certificate"), str):
        value = value | {"certificate": value["certificate"][:44] + "..."}
    text = json.dumps(value)
    return text if len(text) <= WIDTH else _wrapped(value)


def _wrapped(value: dict[str, Any]) -> str:
    """One line per entry; a list of objects has one line for each."""
    lines = []
    for key, entry in value.items():
        if isinstance(entry, list) and entry and isinstance(entry[0], dict):
            inner = ",\n".join(f"    {json.dumps(each)}" for each in entry)
            lines.append(f"  {json.dumps(key)}: [\n{inner}\n  ]")
        else:
            lines.append(f"  {json.dumps(key)}: {json.dumps(entry)}")
    return "{\n" + ",\n".join(lines) + "\n}"


def main() -> None:
    """Replace the transcript."""
    text = anyio.run(transcript)
    PAGE.write_text(BLOCK.sub(lambda _: text, PAGE.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
