# SPDX-License-Identifier: MIT
"""A program that asks the engine: `python examples/engine_client.py connect-four "4 4 3"`.

It starts `unbounded engine`, asks for an analysis of two seconds, and shows how it goes.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any


def analyze(game: str, moves: str, seconds: float = 2.0) -> dict[str, Any]:
    """Return the final result; print those on the way."""
    request = {"id": 1, "game": game, "moves": moves, "seconds": seconds, "report_every": 0.5}
    command = [sys.executable, "-m", "unbounded", "engine"]
    with subprocess.Popen(  # noqa: S603
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as engine:
        assert engine.stdin is not None and engine.stdout is not None
        print(json.dumps(request), file=engine.stdin, flush=True)
        for line in engine.stdout:
            answer: dict[str, Any] = json.loads(line)
            if "error" in answer:
                raise SystemExit(answer["error"])
            result: dict[str, Any] = answer["result"]
            print(f"{result['seconds']:.1f} s: {result['best_action']}, {result['value']}")
            if answer["final"]:
                print(json.dumps({"do": "quit"}), file=engine.stdin, flush=True)
                break
    return result


if __name__ == "__main__":
    name, *played = sys.argv[1:] or ["connect-four"]
    analyze(name, " ".join(played))
