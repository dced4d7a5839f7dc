# SPDX-License-Identifier: MIT
"""Work for a process of the MCP server that hangs, dies or eats memory; imported by the process."""

from __future__ import annotations

import os
import time
from typing import Any

from unbounded.interfaces.mcp.worker import Reply, _confine, run_tool


def fail(request: tuple[str, Any] | None) -> Reply:
    """Do what the name of the tool says."""
    if request is None:
        return Reply()
    name, call = request
    while name == "hang":
        time.sleep(0.1)
    if name == "die":
        os._exit(3)
    if name == "raise":
        raise ValueError("of the work itself")
    if name == "eat":
        _confine(call.limits.memory)
        try:
            return Reply(error=f"got {len(bytearray(call.limits.memory))} bytes")
        except MemoryError:
            return Reply(error="no memory")
    return run_tool(request)
