# SPDX-License-Identifier: MIT
"""The program and its surroundings: Ctrl-C at any time, and a word where it takes long."""

from __future__ import annotations

import contextlib
import ctypes
import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numba
import pytest

import unbounded as ub
from unbounded.game import notices
from unbounded.interfaces.process import Signals

INTERRUPTED = """
import os, runpy, signal, sys

wanted, seen = int(sys.argv[1]), 0

def hook(event, arguments):
    global seen
    if event == "import" and (seen or arguments[0] == "unbounded.interfaces.cli.main"):
        seen += 1
        if seen == wanted:
            os.kill(os.getpid(), signal.SIGINT)

sys.argv = ["unbounded", "solve", "tic-tac-toe", "--quiet"]
sys.addaudithook(hook)
runpy.run_module("unbounded", run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize("imports", [1, 2, 5, 20, 60, 150, 250])
def test_ctrl_c_while_the_program_is_imported_is_quiet(imports: int) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, str(imports)],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == 130
    assert ended.stdout == "" and ended.stderr in ("", "unbounded: interrupted\n")


def test_ctrl_c_in_a_call_back_of_c_is_not_lost(capfd: pytest.CaptureFixture[str]) -> None:
    """Compiling calls back through ctypes, which prints exceptions and goes on."""

    def called_back() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000):  # the handler runs here
            pass

    hook = sys.unraisablehook
    with Signals(), pytest.raises(KeyboardInterrupt):
        ctypes.CFUNCTYPE(None)(called_back)()
        time.sleep(5)
    assert sys.unraisablehook is hook
    assert capfd.readouterr().err == ""


def test_importing_the_package_is_nothing() -> None:
    """So that the program can take over Ctrl-C before anything slow happens."""
    program = """
import sys
before = set(sys.modules)
import unbounded
print(sorted(set(sys.modules) - before))
"""
    ended = subprocess.run(
        [sys.executable, "-S", "-c", program],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(Path(ub.__file__).parents[1])},
    )
    assert "unbounded" in ended.stdout
    assert not any(name in ended.stdout for name in ("typing", "inspect", "unbounded."))


class Watched:
    """A stderr that somebody looks at, or not."""

    def __init__(self, terminal: bool) -> None:
        self.terminal, self.text, self.told = terminal, "", threading.Event()

    def isatty(self) -> bool:
        return self.terminal

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None:
        self.told.set()


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Watched:
    stream = Watched(terminal=True)
    monkeypatch.setattr(notices, "sys", SimpleNamespace(stderr=stream))
    monkeypatch.setattr(notices, "NOTICE_AFTER", 0.01)
    monkeypatch.delenv("UNBOUNDED_QUIET", raising=False)
    return stream


def slowly(watched: Watched, seconds: float) -> None:
    with notices.notice("this takes long"):
        watched.told.wait(seconds)


def test_what_takes_long_is_said(watched: Watched) -> None:
    slowly(watched, 30)
    assert watched.text == "unbounded: this takes long\n"


@pytest.mark.parametrize("why", ["no terminal", "switched off", "another display", "a thread"])
def test_nothing_is_said_where_nobody_waits(
    watched: Watched, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    watched.terminal = why != "no terminal"
    monkeypatch.setenv("UNBOUNDED_QUIET", "1" if why == "switched off" else "0")
    if why == "another display":
        with notices.without_notices():
            slowly(watched, 0.1)
    elif why == "a thread":
        thread = threading.Thread(target=slowly, args=(watched, 0.1))
        thread.start()
        thread.join()
    else:
        slowly(watched, 0.1)
    assert watched.text == ""


def test_in_a_notebook_it_is_said(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    watched.terminal = False
    monkeypatch.setattr(Watched, "__module__", "ipykernel.iostream")
    slowly(watched, 30)
    assert "this takes long" in watched.text


def test_a_program_that_logs_it_prints_nothing(
    watched: Watched, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="unbounded"):
        slowly(watched, 0.1)
        slowly(watched, 0.1)  # the same again is not logged again
    assert caplog.messages == ["this takes long"]
    assert watched.text == ""


def test_compiling_is_said(
    watched: Watched, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    ub.Search("nim(heaps=[9,7,1])")
    said = "unbounded: compiling the rules of nim(heaps=[9,7,1]) (once, then cached) ...\n"
    assert set(watched.text.splitlines(keepends=True)) == {said}


FIRST_USE = """
import logging, sys
import unbounded as ub
logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(name)s %(levelname)s %(message)s")
print(ub.solve("nim(heaps=[1,2])").outcome)
print(ub.solve("nim(heaps=[1,2])").outcome)
"""  # noqa: E501
COMPILING = "compiling the rules of nim(heaps=[1,2]) (once, then cached) ..."


def test_first_use_says_that_rules_are_compiled_and_later_use_does_not(tmp_path: Path) -> None:
    def said(*words: str) -> tuple[str, str]:
        with_cache = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
        ended = subprocess.run(
            words, capture_output=True, text=True, env=with_cache, check=True, timeout=100
        )
        return ended.stdout, ended.stderr

    program = (sys.executable, "-c", FIRST_USE)
    assert said(*program) == ("(1, -1)\n" * 2, f"unbounded INFO {COMPILING}\n")
    assert said(*program) == ("(1, -1)\n" * 2, "")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_terminal_shows_that_rules_are_compiled_and_only_then(tmp_path: Path) -> None:
    import pty

    command = (sys.executable, "-m", "unbounded", "solve", "nim(heaps=[1,2])", "--json")

    def on_a_terminal() -> tuple[str, str]:
        ours, theirs = pty.openpty()
        words = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "TERM": "xterm", "COLUMNS": "100"}
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, env=words) as program:
            os.close(theirs)
            shown = b""
            with contextlib.suppress(OSError):  # the program has ended
                while piece := os.read(ours, 4096):
                    shown += piece
            assert program.stdout is not None
            printed = program.stdout.read().decode()
        os.close(ours)
        return printed, shown.decode()

    for first in (True, False):
        printed, shown = on_a_terminal()
        assert json.loads(printed)["outcome"] == [1, -1]
        assert (COMPILING in shown) == first
        assert "preparing the search" in shown
