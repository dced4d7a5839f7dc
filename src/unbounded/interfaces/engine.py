# SPDX-License-Identifier: MIT
"""An engine for other programs: JSON lines in, JSON lines out. See `docs/engine.md`.

Every line that is read is answered: by results, or by an error. One thread reads, another one
searches, so that a search can be ended by a later line.
"""

from __future__ import annotations

import json
import queue
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from unbounded.game import Game, UsageError, did_you_mean, require
from unbounded.game.catalogue import games, load_game
from unbounded.native.failures import error_text
from unbounded.players.clock import seconds_on_clock
from unbounded.search.analysis import DEFAULT_SECONDS, analyze
from unbounded.search.budget import Budget
from unbounded.search.descriptions import check_type, described, schema
from unbounded.search.options import options_schema, search_options
from unbounded.search.search import Search
from unbounded.solving.solve import search_to_solve
from unbounded.version import VERSION

LONGEST_LINE = 1 << 20
MOST_WAITING = 1000
DEFAULT_MEMORY = "1G"
LOOK_EVERY = 0.1
"""Seconds after which a search looks whether it was ended before it began."""

SEARCH_OPTIONS = {option.name: option.kinds for option in search_options()}
LIMITS = {option.name: option.kinds for option in described(Budget)}
OTHERS = {
    "id": (str, int),
    "do": (str,),
    "game": (str,),
    "moves": (str, list),
    "report_every": (float,),
    "solve": (bool,),
    "clock": (str,),
    "ponder": (bool,),
    "target": (str, int),
}

Send = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Request:
    """A line that was understood so far."""

    id: str | int | None
    do: str
    data: dict[str, Any]


def read_request(line: str) -> Request:
    """Parse a line; a line that is not valid is a `UsageError`."""
    require(len(line) <= LONGEST_LINE, f"a line may have {LONGEST_LINE} characters, not more")
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        raise UsageError("this is not JSON") from None
    require(isinstance(data, dict), "a request is a JSON object")
    allowed = {**OTHERS, **LIMITS, **SEARCH_OPTIONS}
    for key, value in data.items():
        if key not in allowed:
            raise UsageError(f"unknown key {key[:60]!r}{did_you_mean(key[:60], allowed)}")
        check_type(key, value, allowed[key])
    do = data.get("do", "analyze")
    if do not in ACTIONS:
        raise UsageError(f"unknown do={do[:60]!r}{did_you_mean(do[:60], ACTIONS)}")
    return Request(data.get("id"), do, data)


class Engine:
    """Answers requests one after the other, and those that need no search at once."""

    def __init__(self, send: Send, *, files: bool = False) -> None:
        self._send_line = send
        self._sending = threading.Lock()
        self._files = files
        self._waiting: queue.Queue[Request | None] = queue.Queue()
        self._lock = threading.Lock()  # of what follows
        self._running: tuple[str | int | None, Search | None] | None = None
        self._pending: Counter[str | int] = Counter()  # the ids that wait or run
        self._ended: set[str | int] = set()  # of them, those that are to end
        self._quitting = False
        self._pondered: tuple[dict[str, Any], Search] | None = None  # what it is about, of `_work`
        self._worker = threading.Thread(target=self._work, daemon=True)
        self._worker.start()

    def serve(self, lines: Iterable[str]) -> None:
        """Answer lines until they end, or until a request to quit; then end what is running."""
        for line in lines:
            if line.strip() and not self.take(line):
                break
        self.close()

    def take(self, line: str) -> bool:
        """Handle a line; returns False if it is the request to quit."""
        try:
            request = read_request(line)
        except UsageError as error:
            self._send({"id": _id_in(line), "error": str(error)})
            return True
        if request.do == "analyze":
            if self._waiting.qsize() >= MOST_WAITING:
                self._send({"id": request.id, "error": "too many requests are waiting"})
            else:
                self._wait(request)
        else:
            ACTIONS[request.do](self, request)
        return request.do != "quit"

    def close(self) -> None:
        """Finish what waits, and return when it is done."""
        self._waiting.put(None)
        self._worker.join()

    # -- requests ---------------------------------------------------------------------------------

    def _version(self, request: Request) -> None:
        self._send({"id": request.id, "unbounded": VERSION})

    def _games(self, request: Request) -> None:
        self._send({"id": request.id, "games": sorted(games())})

    def _options(self, request: Request) -> None:
        """Describe the search options and the limits: types, defaults, choices, help texts."""
        answer = {"options": options_schema(), "limits": schema(described(Budget))}
        self._send({"id": request.id, **answer})

    def _terminate(self, request: Request) -> None:
        """End a search, or all of them; each is still answered."""
        target = request.data.get("target")
        with self._lock:
            known = target is None or target in self._pending
            if target is not None and known:
                self._ended.add(target)
            running = self._running
            if running is not None and running[1] is not None and target in (None, running[0]):
                running[1].stop()
        if known:
            self._send({"id": request.id, "terminating": target})
        else:
            wrong = f"no request {target!r:.60} is running or waiting"
            self._send({"id": request.id, "error": wrong})

    def _quit(self, request: Request) -> None:
        """End what runs and what waits."""
        with self._lock:
            self._quitting = True
        self._terminate(Request(request.id, "terminate", {}))

    # -- searching --------------------------------------------------------------------------------

    def _wait(self, request: Request) -> None:
        with self._lock:
            if request.id is not None:
                self._pending[request.id] += 1
        self._waiting.put(request)

    def _done(self, request: Request) -> None:
        with self._lock:
            self._running = None
            if request.id is None:
                return
            self._pending[request.id] -= 1
            if self._pending[request.id] == 0:
                del self._pending[request.id]
                self._ended.discard(request.id)

    def _work(self) -> None:
        while (request := self._waiting.get()) is not None:
            try:
                self._send({"id": request.id, "final": True, "result": self._analyze(request)})
            except Exception as error:
                self._pondered = None
                self._send({"id": request.id, "error": error_text(error)})
            finally:
                self._done(request)
            self._ponder(request)

    def _analyze(self, request: Request) -> dict[str, Any]:
        data = request.data
        require("game" in data, "an analysis needs a game")
        game = load_game(data["game"], files=self._files)
        options = {key: data[key] for key in SEARCH_OPTIONS if key in data}
        moves = options["moves"] = data.get("moves", "")
        require(all(isinstance(x, str) for x in moves), "moves must be names of actions")
        limits = {key: data[key] for key in LIMITS if key in data}
        limits.setdefault("memory", DEFAULT_MEMORY)
        search = self._search(request, game, options)
        if "clock" in data:
            seconds = seconds_on_clock(data["clock"], game, len(search.moves))
            limits["seconds"] = min(seconds, limits.get("seconds", seconds))
        if not {"seconds", "iterations", "states"} & set(limits):
            limits["seconds"] = DEFAULT_SECONDS
        Budget(**limits)
        with self._lock:
            self._running = (request.id, search)
        return self._run(request, search, limits)

    def _search(self, request: Request, game: Game[Any, Any], options: dict[str, Any]) -> Search:
        """Go on with the search that pondered if the position follows from its own, else anew."""
        pondered, self._pondered = self._pondered, None
        about = {key: request.data.get(key) for key in ("game", "solve", *SEARCH_OPTIONS)}
        moves = options["moves"]
        names = moves.split() if isinstance(moves, str) else list(moves)
        if pondered is not None and pondered[0] == about:
            search, known = pondered[1], len(pondered[1].moves)
            if names[:known] == list(search.moves):
                for name in names[known:]:
                    search.play(name)
                self._pondered = (about, search)
                return search
        if request.data.get("solve", False):
            search = search_to_solve(game, options, counted="iterations" in request.data)
        else:
            search = Search(game, **options)
        self._pondered = (about, search)
        return search

    def _ponder(self, request: Request) -> None:
        """Go on with the search until the next request comes, if that is wanted."""
        if not request.data.get("ponder", False) or self._pondered is None:
            self._pondered = None
            return
        search = self._pondered[1]
        with self._lock:
            self._running = (None, search)
        try:
            search.advance(
                Budget(memory=request.data.get("memory", DEFAULT_MEMORY)),
                until=lambda _: self._quitting or not self._waiting.empty(),
                report_every=LOOK_EVERY,
            )
        except Exception:  # of the rules: the next request will hear of it
            self._pondered = None
        finally:
            with self._lock:
                self._running = None

    def _run(self, request: Request, search: Search, limits: dict[str, Any]) -> dict[str, Any]:
        every = request.data.get("report_every")

        def report(looked: Search) -> None:
            if every is not None and not looked.root.resolved:
                self._send({"id": request.id, "final": False, "result": looked.result.to_dict()})

        if self._is_ended(request):
            limits["seconds"] = 0.0
        result = analyze(
            search,
            **limits,
            progress=report,
            until=lambda _: self._is_ended(request),
            report_every=LOOK_EVERY if every is None else every,
        )
        return result.to_dict()

    def _is_ended(self, request: Request) -> bool:
        with self._lock:
            return self._quitting or request.id in self._ended

    def _send(self, answer: dict[str, Any]) -> None:
        with self._sending:
            self._send_line(answer)


ACTIONS: dict[str, Callable[[Engine, Request], None]] = {
    "analyze": lambda engine, request: None,
    "games": Engine._games,
    "options": Engine._options,
    "quit": Engine._quit,
    "terminate": Engine._terminate,
    "version": Engine._version,
}


def _id_in(line: str) -> str | int | None:
    """The id of a request that was not understood, if it has a good one."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return None
    given = data.get("id") if isinstance(data, dict) else None
    return given if isinstance(given, (str, int)) and not isinstance(given, bool) else None
