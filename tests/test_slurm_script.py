# SPDX-License-Identifier: MIT
"""The script for SLURM, with stand-ins for SLURM, Ray and the program."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "docs" / "slurm_ray.sh"

STAND_INS = {
    "scontrol": "printf 'one\\ntwo\\nthree\\n'",
    "hostname": "echo 'fe80::1 10.0.0.7 10.1.0.7'",
    "srun": """
        echo "srun $*" >> calls.txt
        [ -n "$RAY_AUTH_TOKEN" ] && exec sleep 60
    """,
    "ray": """
        [ -e asked ] || { touch asked; exit 1; }  # the head needs a while
        echo "ray $*" >> calls.txt
    """,
    "unbounded": """
        sleep 0.2  # of the background jobs before it, all have started
        printf '<%s>' "$@"
        [ "$1" = wait ] || exit 3
        trap 'echo stopped; exit 5' TERM
        touch waiting
        while true; do sleep 0.05; done
    """,
}

needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")


def started(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    programs = folder / "bin"
    programs.mkdir()
    for name, text in STAND_INS.items():
        (programs / name).write_text(f"#!/bin/bash\n{text}\n")
        (programs / name).chmod(0o755)
    given = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "SLURM_JOB_NODELIST": "x"}
    return subprocess.Popen(
        ["bash", str(SCRIPT), *arguments],
        cwd=folder,
        env={k: x for k, x in given.items() if not k.startswith("RAY_")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@needs_bash
def test_it_starts_a_head_and_workers_and_one_command(tmp_path: Path) -> None:
    with started(tmp_path, "match", "ubfm(seconds=1)", "--game", "hex") as script:
        out, err = script.communicate()
    assert (script.returncode, err) == (3, "")  # that of the command
    assert out == "<match><ubfm(seconds=1)><--game><hex><--ray><10.0.0.7:6379>"
    head, asked, workers = (tmp_path / "calls.txt").read_text().splitlines()
    assert "--nodelist=one" in head and "ray start --head" in head
    assert "--node-ip-address=10.0.0.7 --port=6379" in head
    assert asked == "ray status --address=10.0.0.7:6379"
    assert "--nodes=2 --ntasks=2" in workers and "--exclude=one" in workers
    assert "ray start --block --address=10.0.0.7:6379" in workers


@needs_bash
def test_the_end_of_the_time_ends_the_command_in_good_order(tmp_path: Path) -> None:
    with started(tmp_path, "wait") as script:
        while not (tmp_path / "waiting").exists():
            assert script.poll() is None
        script.terminate()
        out, err = script.communicate()
    assert (script.returncode, err) == (5, "")
    assert out.endswith("stopped\n")
