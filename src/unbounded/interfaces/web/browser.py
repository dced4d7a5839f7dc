# SPDX-License-Identifier: MIT
"""Opening the page in a browser without telling others the link.

What a program is started with, everybody on the machine can read; the link is a secret. So the
browser is told the name of a file that only its owner can read, and the file leads to the link.
"""

from __future__ import annotations

import contextlib
import tempfile
import threading
import webbrowser
from collections.abc import Iterator
from html import escape
from pathlib import Path

WAY = """<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={link}">
<title>unbounded</title>
<p><a href="{link}">To the page</a>
"""


@contextlib.contextmanager
def opened(link: str, used: threading.Event) -> Iterator[None]:
    """Open a link in the browser; the file that leads there goes once the link was used."""
    with tempfile.TemporaryDirectory(prefix="unbounded-", ignore_cleanup_errors=True) as folder:
        path = way_to(link, Path(folder))
        threading.Thread(target=_open, args=(path, used), daemon=True).start()
        yield


def way_to(link: str, folder: Path) -> Path:
    """Write a page that leads to a link; nobody else can read it."""
    path = folder / "open.html"
    path.touch(mode=0o600, exist_ok=False)
    path.write_text(WAY.format(link=escape(link)), encoding="utf-8")
    return path


def _open(path: Path, used: threading.Event) -> None:
    with contextlib.suppress(Exception):  # no browser: the link is in the terminal too
        webbrowser.open(path.as_uri())
    used.wait()
    with contextlib.suppress(OSError):
        path.unlink()
