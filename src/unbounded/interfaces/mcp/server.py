# SPDX-License-Identifier: MIT
"""The server: lists the tools, checks arguments, and passes calls to the worker.

Nothing is written to standard output but the protocol: while the server runs, the SDK points file
descriptor 1 at standard error, also for the worker.
"""

from __future__ import annotations

import asyncio
import json
import threading
from dataclasses import asdict, is_dataclass, replace
from typing import Any

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from pydantic import TypeAdapter, ValidationError

from unbounded.game import UnboundedError, UsageError, require
from unbounded.interfaces.mcp.answers import Answer, Closed
from unbounded.interfaces.mcp.arguments import NewGame, OpenGame
from unbounded.interfaces.mcp.input_lines import InputLines
from unbounded.interfaces.mcp.limits import MOST_WAITING, Limits
from unbounded.interfaces.mcp.open_games import OpenGames
from unbounded.interfaces.mcp.tools import TOOLS, Call, find_tool
from unbounded.interfaces.mcp.worker import Reply, Worker
from unbounded.version import VERSION

INSTRUCTIONS = (
    "Exact values and strong moves of perfect-information games. Begin with list_games and "
    "new_game; proven_values has what every move is worth. Fields called proven are mathematical "
    "facts, and null where nothing is proven; fields called estimate are guesses. Never report an "
    "estimate as proven. Where `note` speaks of an equilibrium, best play may have other outcomes "
    "too: say so. Players are numbered from 0; an outcome is 1 won, 0 drawn, -1 lost."
)


class GameServer:
    """Answers the calls of one client."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._games = OpenGames(limits.games)
        self._worker = Worker(limits)
        self._waiting = 0
        self._turn: anyio.Lock | None = None
        self._scope: anyio.CancelScope | None = None
        self._stopped = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._adapters: dict[str, TypeAdapter[Any]] = {
            name: TypeAdapter(tool.arguments) for name, tool in TOOLS.items()
        }

    def serve(self) -> None:
        """Serve on standard input and output until the input ends, or `stop`."""
        try:
            anyio.run(self._serve)
        finally:
            self._worker.end()

    def stop(self) -> None:
        """End the server; called by a signal handler."""
        self._stopped = True
        if self._scope is not None and self._loop is not None:
            self._loop.call_soon_threadsafe(self._scope.cancel)

    async def _serve(self) -> None:
        self._turn, self._loop = anyio.Lock(), asyncio.get_running_loop()
        server: Any = Server(
            "unbounded",
            version=VERSION,
            instructions=INSTRUCTIONS,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )
        with anyio.CancelScope() as self._scope:
            if self._stopped:  # before there was anything to cancel
                return
            async with stdio_server(InputLines()) as (read, write):
                await server.run(read, write, server.create_initialization_options())

    # -- requests ---------------------------------------------------------------------------------

    async def _list_tools(self, _: Any, __: Any) -> Any:
        return types.ListToolsResult(tools=[_listed(name) for name in TOOLS])

    async def _call_tool(self, _: Any, params: Any) -> Any:
        try:
            answer = await self._answer(params.name, params.arguments or {})
        except UnboundedError as error:
            line = " ".join(str(error).split())
            return types.CallToolResult(content=[_text(line)], is_error=True)
        plain = asdict(answer)  # type: ignore[call-overload]
        return types.CallToolResult(
            content=[_text(json.dumps(plain, ensure_ascii=False))], structured_content=plain
        )

    async def _answer(self, name: str, given: dict[str, Any]) -> Answer:
        """Run a tool; a failure is an `UnboundedError`."""
        tool = find_tool(name)
        call = self._call(self._arguments(name, given))
        reply = await self._run(name, call)
        if reply.error or reply.answer is None:
            raise UnboundedError(reply.error)
        return self._kept(call, reply, changes=tool.changes)

    def _arguments(self, name: str, given: dict[str, Any]) -> Any:
        try:
            return self._adapters[name].validate_python(given)
        except ValidationError as error:
            raise UsageError(f"{name}: {_wrong(error)}") from None

    def _call(self, arguments: Any) -> Call:
        """Add the game that the arguments name, or the id of a new one."""
        if isinstance(arguments, NewGame):
            self._games.require_room()
            return Call(self._limits, arguments, self._games.new_id())
        if isinstance(arguments, OpenGame):
            game_id = arguments.game_id
            return Call(self._limits, arguments, game_id, self._games.find(game_id))
        return Call(self._limits, arguments)

    async def _run(self, name: str, call: Call) -> Reply:
        """Wait for the worker, and let it run the call; a canceled call ends the worker."""
        assert self._turn is not None
        require(
            self._waiting < MOST_WAITING,
            f"{MOST_WAITING} calls are waiting already, the most allowed here: wait for answers",
        )
        self._waiting += 1
        try:
            async with self._turn:
                if call.data is not None:  # calls before this one may have changed the game
                    call.data = self._games.find(call.game_id)
                return await self._run_now(name, call)
        finally:
            self._waiting -= 1

    async def _run_now(self, name: str, call: Call) -> Reply:
        canceled = threading.Event()
        try:
            return await anyio.to_thread.run_sync(
                self._worker.run, name, call, canceled, abandon_on_cancel=True
            )
        except anyio.get_cancelled_exc_class():
            canceled.set()
            self._worker.end()
            raise

    def _kept(self, call: Call, reply: Reply, *, changes: bool) -> Answer:
        """Keep what a call has made of its game."""
        answer = reply.answer
        assert answer is not None
        if isinstance(answer, Closed):
            self._games.close(call.game_id)
            return replace(answer, open_games=self._games.ids)
        if changes and reply.data is not None:
            if isinstance(call.arguments, NewGame):
                self._games.require_room()  # others may have begun meanwhile
            self._games.keep(call.game_id, reply.data)
        return answer


def _text(text: str) -> Any:
    return types.TextContent(type="text", text=text)


def _listed(name: str) -> Any:
    """A tool as clients see it, with the schemas of its arguments and its results."""
    tool = TOOLS[name]
    return types.Tool(
        name=name,
        description=tool.description,
        input_schema=_schema(tool.arguments, "validation"),
        output_schema=_schema(tool.answer, "serialization"),
        annotations=types.ToolAnnotations(
            read_only_hint=not tool.changes, destructive_hint=False, open_world_hint=False
        ),
    )


def _schema(kind: type[Any], mode: Any) -> dict[str, Any]:
    """The schema of a class, with the descriptions that it inherits, which the library drops."""
    schema = TypeAdapter(kind).json_schema(mode=mode)
    for base in (each for each in kind.__mro__[1:] if is_dataclass(each)):
        inherited = TypeAdapter(base).json_schema(mode=mode)["properties"]
        for name, about in inherited.items():
            schema["properties"][name] = about | schema["properties"][name]
    return schema


def _wrong(error: ValidationError) -> str:
    """What is wrong with arguments, in one line that repeats little of them."""
    found = []
    for each in error.errors(include_url=False, include_input=False)[:3]:
        where = ".".join(str(part)[:60] for part in each["loc"][:3])
        found.append(f"{where}: {each['msg']}" if where else str(each["msg"]))
    return "; ".join(dict.fromkeys(found))
