# SPDX-License-Identifier: MIT
"""`unbounded serve`: a page in the browser."""

from __future__ import annotations

import contextlib
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unbounded.game import Game, UsageError, require
from unbounded.game.notices import print_error
from unbounded.interfaces.cli.common import GOOD, Debug, Job
from unbounded.interfaces.cli.files import CERTIFICATE, SEARCH, TABLE, check_readable, kind_of
from unbounded.interfaces.process import Signals
from unbounded.search.budget import Budget, parse_memory

if TYPE_CHECKING:
    from unbounded.interfaces.web.opened_files import OpenedFile
    from unbounded.interfaces.web.server import Server

PORT = 8421


Port = Annotated[int, typer.Option(metavar="N", help="Port to listen on; 0 for any free one.")]
Host = Annotated[
    str,
    typer.Option(
        metavar="NAME", help="Address to listen on; the default admits this machine only."
    ),
]
Origins = Annotated[
    list[str] | None,
    typer.Option(
        metavar="URL",
        help="Another address of the page, such as https://games.example.org; repeatable.",
    ),
]
Browser = Annotated[
    bool, typer.Option("--browser/--no-browser", metavar="", help="Open the page in a browser.")
]
Memory = Annotated[str, typer.Option(metavar="SIZE", help="Memory of all searches together.")]
Searches = Annotated[
    int, typer.Option(metavar="N", help="Number of searches that may run at the same time.")
]
Folder = Annotated[
    str | None,
    typer.Option(metavar="FOLDER", help="Keep games and searches in FOLDER between two runs."),
]
Disk = Annotated[
    str,
    typer.Option(metavar="SIZE", help="Size of that folder; the oldest files are deleted first."),
]
NetworkPath = Annotated[
    str | None,
    typer.Option(
        metavar="PATH",
        help="File of a network for GAME, or folder of a run: what machines and analyses of that "
        "game use.",
    ),
]
Files = Annotated[
    list[str] | None,
    typer.Option(
        "--open",
        metavar="FILE",
        help="A saved search, table, certificate, claims file or folder of a run that the page can "
        "show; repeatable.",
    ),
]
ClaimsPath = Annotated[
    str | None,
    typer.Option(
        "--claims",
        metavar="FILE",
        help="Show a claims file too, also while a run writes to it.",
    ),
]


def serve(
    *,
    text: Annotated[
        str | None, typer.Argument(metavar="GAME", help="The first game on the board.")
    ] = None,
    evaluation: NetworkPath = None,
    opened: Files = None,
    claims: ClaimsPath = None,
    port: Port = PORT,
    host: Host = "127.0.0.1",
    origin: Origins = None,
    browser: Browser = True,
    memory: Memory = "4G",
    searches: Searches = 256,
    save: Folder = None,
    disk: Disk = "2G",
    debug: Debug = False,
) -> Job:
    """Serve a web page: play games, analyze positions, explore the search tree or a claims file."""

    def job(signals: Signals) -> int:
        from unbounded.game import catalogue

        _check_installed()
        from unbounded.interfaces.web.claims import ClaimsReader
        from unbounded.interfaces.web.limits import Limits
        from unbounded.interfaces.web.room_manager import RoomManager
        from unbounded.interfaces.web.server import Server

        require(1 <= searches <= 10_000, f"--searches must be from 1 to 10000, not {searches}")
        limits = Limits(
            memory=Budget(memory=memory).memory_limit(0), searches=searches, disk=_disk(disk)
        )
        game = None if text is None else catalogue.load_game(text)
        _offer(game, evaluation)
        files = _opened(opened or [])
        game = game or _first_game(files)
        rooms = RoomManager(limits, game=game, folder=_folder(save), files=files)
        shown = claims or next((str(x.path) for x in files if x.kind == "claims"), None)
        reader = None if shown is None else ClaimsReader(Path(shown), game)
        server = Server(rooms, host=host, port=port, origins=origin or [], claims=reader)
        _announce(server, public=bool(origin) or not _is_loopback(host))
        _run(server, signals, browser=browser)
        return GOOD

    return job


def _opened(paths: list[str]) -> list[OpenedFile]:
    """The files that pages can open; what is wrong with one is said before the server starts."""
    from unbounded.cluster.claims_file import is_claims_file
    from unbounded.interfaces.web.opened_files import OpenedFile
    from unbounded.learning.run_folder import is_run

    kinds = {SEARCH: "search", TABLE: "table", CERTIFICATE: "certificate"}
    files = []
    for path in paths:
        if Path(path).is_dir():
            require(is_run(path), f"{path} is not the folder of a run of `unbounded learn`")
            files.append(OpenedFile.of(Path(path), "learning"))
            continue
        check_readable(path, *kinds)
        found = kind_of(path)
        claims = found is None and is_claims_file(Path(path))
        require(claims or found is not None, f"{path} is not a file that the page can show")
        files.append(OpenedFile.of(Path(path), "claims" if claims else kinds[str(found)]))
    return files


def _first_game(files: list[OpenedFile]) -> Game[Any, Any] | None:
    """The game of the first file that is about one: the first one on the board."""
    from unbounded.game import catalogue

    named = [file.game for file in files if file.game]
    return catalogue.load_game(named[0], files=False) if named else None


def _offer(game: Game[Any, Any] | None, evaluation: str | None) -> None:
    """Let the page use a network for the game that the server was started with."""
    if evaluation is None:
        return
    if game is None:
        raise UsageError("--evaluation needs the game of the network: unbounded serve GAME ...")
    from unbounded.evaluation import offer_network

    offer_network(game, evaluation)


def _check_installed() -> None:
    try:
        import_module("unbounded.interfaces.web.server")
    except ImportError as error:
        missing = error.name or str(error)
        raise UsageError(f"the page needs {missing}: pip install 'unbounded[serve]'") from None


def _is_loopback(host: str) -> bool:
    from unbounded.interfaces.web.access_control import is_loopback

    return is_loopback(host)


def _announce(server: Server, *, public: bool) -> None:
    """Print the address of the page."""
    print(f"unbounded is at {server.link}", flush=True)
    for link in server.links[1:]:
        print(f"         and at {link}", flush=True)
    print("Ctrl-C ends it.", flush=True)
    if public:
        print_error(
            "warning: others can reach this page by a name of this machine; "
            "anyone with the link can use it"
        )


def _run(server: Server, signals: Signals, *, browser: bool) -> None:
    """Serve until Ctrl-C."""
    from unbounded.interfaces.web.browser import opened

    with contextlib.ExitStack() as until_it_ends:
        if browser:
            until_it_ends.enter_context(opened(server.link, server.access.used))
        until_it_ends.enter_context(signals.stopping_first(server))
        server.serve_until_stopped()


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
