# SPDX-License-Identifier: MIT
"""`unbounded serve`: a page in the browser."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated

import typer

from unbounded.game import UsageError, require
from unbounded.game.notices import complain
from unbounded.interfaces.cli.common import GOOD, Debug, Job
from unbounded.interfaces.process import Signals
from unbounded.search.budget import Budget, parse_memory

PORT = 8421


def serve(
    *,
    text: Annotated[
        str | None, typer.Argument(metavar="GAME", help="The game on the board at first.")
    ] = None,
    port: Annotated[int, typer.Option(metavar="N", help="Where to listen; 0 for any.")] = PORT,
    host: Annotated[
        str, typer.Option(metavar="NAME", help="The address; others can come in then.")
    ] = "127.0.0.1",
    origin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="URL",
            help="Where else the page is reached, such as https://games.example.org; repeatable.",
        ),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", metavar="", help="Open the page.")
    ] = True,
    memory: Annotated[str, typer.Option(metavar="SIZE", help="For all pages together.")] = "4G",
    searches: Annotated[
        int, typer.Option(metavar="N", help="How many may think at the same time.")
    ] = 256,
    save: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="Keep games and searches there between two runs."),
    ] = None,
    disk: Annotated[
        str, typer.Option(metavar="SIZE", help="For all that --save keeps; the oldest goes first.")
    ] = "2G",
    debug: Debug = False,
) -> Job:
    """Open a page in the browser: play, watch the search think, look into its tree."""

    def job(signals: Signals) -> int:
        from unbounded.game import catalogue

        try:
            from unbounded.interfaces.web.server import Server
        except ImportError as error:
            missing = error.name or str(error)
            raise UsageError(f"the page needs {missing}: pip install 'unbounded[serve]'") from None
        from unbounded.interfaces.web.access_control import is_loopback
        from unbounded.interfaces.web.browser import opened
        from unbounded.interfaces.web.limits import Limits
        from unbounded.interfaces.web.room_manager import RoomManager

        require(1 <= searches <= 10_000, f"--searches must be from 1 to 10000, not {searches}")
        limits = Limits(
            memory=Budget(memory=memory).memory_limit(0), searches=searches, disk=_disk(disk)
        )
        game = None if text is None else catalogue.load_game(text)
        rooms = RoomManager(limits, game=game, folder=_folder(save))
        origins = origin or []
        server = Server(rooms, host=host, port=port, origins=origins)
        print(f"unbounded is at {server.link}", flush=True)
        for link in server.links[1:]:
            print(f"         and at {link}", flush=True)
        print("Ctrl-C ends it.", flush=True)
        if origins or not is_loopback(host):
            complain(
                "warning: others can reach this page by a name of this machine; "
                "whoever has the link can use it"
            )
        with contextlib.ExitStack() as until_it_ends:
            if browser:
                until_it_ends.enter_context(opened(server.link, server.access.used))
            until_it_ends.enter_context(signals.stopping_first(server))
            server.serve_until_stopped()
        return GOOD

    return job


def _disk(size: str) -> int:
    try:
        return parse_memory(size)
    except UsageError:
        raise UsageError(f"--disk must be a size such as 500M or 2G, not {size}") from None


def _folder(path: str | None) -> Path | None:
    if path is None:
        return None
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{path} cannot be made: {error.strerror}") from None
    return folder
