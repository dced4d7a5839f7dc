# SPDX-License-Identifier: MIT
"""Opening the page in a browser without disclosing the link.

Every user of a machine can read the arguments of a program, and the link is a secret. So the
browser is given the name of a file that only its owner can read, which redirects to the link.
"""

from __future__ import annotations

import contextlib
import tempfile
import threading
import webbrowser
from collections.abc import Iterator
from html import escape
from pathlib import Path

REDIRECT = """<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={link}">
<title>unbounded</title>
<p><a href="{link}">Open the page</a>
"""


@contextlib.contextmanager
def opened(link: str, used: threading.Event) -> Iterator[None]:
    """Open a link in the browser; the redirecting file is removed once the link was used."""
    with tempfile.TemporaryDirectory(prefix="unbounded-", ignore_cleanup_errors=True) as folder:
        path = write_redirect(link, Path(folder))
        threading.Thread(target=_open, args=(path, used), daemon=True).start()
        yield


def write_redirect(link: str, folder: Path) -> Path:
    """Write a page that redirects to a link and that only its owner can read."""
    path = folder / "open.html"
    path.touch(mode=0o600, exist_ok=False)
    path.write_text(REDIRECT.format(link=escape(link)), encoding="utf-8")
    return path


def _open(path: Path, used: threading.Event) -> None:
    with contextlib.suppress(Exception):  # no browser: the link is printed too
        webbrowser.open(path.as_uri())
    used.wait()
    with contextlib.suppress(OSError):
        path.unlink()
