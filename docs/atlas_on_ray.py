# SPDX-License-Identifier: MIT
"""Boards of the atlas on a Ray cluster: one task for each board, on any core with enough memory.

Every machine needs this checkout and its environment at the same path, as in a shared folder. Ray
repeats the task of a worker that dies.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from typing import Any

from unbounded.cluster.ray_connection import connected, error_line
from unbounded.search.budget import parse_memory

PENDING_PER_CORE = 2
"""Tasks that Ray is given at once: the others wait here, not in its memory."""
MOST_RETRIES = 3


def run_on_ray(
    commands: Sequence[Sequence[str]], memory: str, address: str
) -> Iterator[tuple[int, subprocess.CompletedProcess[str] | str]]:
    """Run commands as tasks; yield the number of each and how it ended, or why it could not run.

    memory: what each of them may use; Ray starts it only where so much is left.
    """
    with connected(address):
        import ray

        run = ray.remote(subprocess.run).options(
            num_cpus=1, memory=parse_memory(memory), max_retries=MOST_RETRIES
        )
        waiting = list(enumerate(commands))[::-1]
        running: dict[Any, int] = {}
        while waiting or running:
            most = PENDING_PER_CORE * int(ray.cluster_resources().get("CPU", 1))
            while waiting and len(running) < most:
                number, command = waiting.pop()
                running[run.remote(list(command), capture_output=True, text=True)] = number
            for task in ray.wait(list(running), timeout=1.0)[0]:
                yield running.pop(task), _ended(task)


def _ended(task: Any) -> subprocess.CompletedProcess[str] | str:
    import ray

    try:
        process: subprocess.CompletedProcess[str] = ray.get(task)
    except ray.exceptions.RayError as error:
        return error_line(error)
    return process
