# SPDX-License-Identifier: MIT
"""What the tools do. They run in the worker, each call with all it needs: nothing is kept there."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unbounded.game import Game, UsageError, catalogue, format_value, require
from unbounded.interfaces.mcp import arguments as given
from unbounded.interfaces.mcp.answers import (
    Answer,
    Catalogue,
    Closed,
    Description,
    Explanation,
    GameSummary,
    LegalMoves,
    MoveValue,
    Parameter,
    Played,
    Position,
    Solution,
    Values,
    Verdict,
)
from unbounded.interfaces.mcp.limits import MOST_MOVE_CHARACTERS, MOST_MOVES, Limits
from unbounded.interfaces.session import HUMAN, Session

if TYPE_CHECKING:
    from unbounded.players import Player

DEFAULT_PLAYER = "ubfm"
CLIENT = "client"
PLAYER_MEMORY = 1 << 28
"""Bytes of a player; little, since it starts anew for every move."""


@dataclass
class Call:
    """One call of a tool: its arguments, and the game that it is about."""

    limits: Limits
    arguments: Any
    game_id: str = ""
    data: dict[str, Any] | None = None
    """The game as `Session.to_dict` wrote it; a tool that changes the game replaces it."""

    def session(self) -> Session:
        """The game in progress."""
        assert self.data is not None
        game = self.game(self.data["game"])
        return Session.from_dict(self.data | {"game": str(game)}, game)

    def game(self, text: str, parameters: Mapping[str, Any] | None = None) -> Game[Any, Any]:
        """A game by name; from a file only if that is allowed."""
        known = catalogue.games()
        return catalogue.read_game(text, known, files=self.limits.files, parameters=parameters)

    def seconds(self) -> float:
        """The seconds of the search that is asked for."""
        return self.limits.seconds_of(self.arguments.seconds)


# -- games -----------------------------------------------------------------------------------------


def list_games(call: Call) -> Catalogue:
    """List the games that can be played and solved, with their parameters."""
    described = [catalogue.describe(kind) for kind in catalogue.games().values()]
    return Catalogue(
        [
            GameSummary(about["name"], about["summary"], _parameters(about["parameters"]))
            for about in described
        ]
    )


def _parameters(described: Sequence[dict[str, Any]]) -> list[Parameter]:
    return [
        Parameter(
            each["name"],
            each["type"],
            each["required"],
            None if each["required"] else format_value(each["default"]),
        )
        for each in described
    ]


def describe_game(call: Call) -> Description:
    """Show the rules of a game, its parameters, its players and the board at its start."""
    game = call.game(call.arguments.game)
    about, state = catalogue.describe(type(game)), game.initial()
    return Description(
        game=str(game),
        rules=about["rules"],
        parameters=_parameters(about["parameters"]),
        players=[game.player_name(p) for p in range(game.players)],
        zero_sum=game.zero_sum,
        has_scores=game.has_score,
        board=game.show(state),
        legal_moves=[game.action_name(state, action) for action in game.actions(state)],
    )


def new_game(call: Call) -> Position:
    """Begin a game, from its start or after some moves; returns the game_id for other tools."""
    wanted: given.NewGame = call.arguments
    require(len(wanted.moves) <= MOST_MOVES, f"at most {MOST_MOVES} moves are taken here")
    require(
        sum(map(len, wanted.moves)) <= MOST_MOVE_CHARACTERS,
        f"the moves may have {MOST_MOVE_CHARACTERS} characters together, not more",
    )
    game = call.game(wanted.game, wanted.parameters)
    session = Session(game, [HUMAN] * game.players)
    for move in wanted.moves:
        session.play(move)
    call.data = session.to_dict()
    return _position(call, session)


def _position(call: Call, session: Session) -> Position:
    game, mover, outcome = session.game, session.mover, session.outcome()
    score = None
    if outcome is not None and game.has_score:
        score = [float(x) for x in game.score(session.state)]
    return Position(
        game_id=call.game_id,
        game=str(game),
        moves=list(session.moves),
        to_move=mover,
        player_name=None if mover is None else game.player_name(mover),
        over=session.over,
        outcome=None if outcome is None else [int(x) for x in outcome],
        score=score,
        legal_moves=session.legal(),
        board=game.show(session.state),
    )


def show_board(call: Call) -> Position:
    """Show the position of an open game: the board as text, the moves so far, the legal moves."""
    return _position(call, call.session())


def legal_moves(call: Call) -> LegalMoves:
    """List the legal moves of the player to move, by name."""
    session = call.session()
    return LegalMoves(call.game_id, session.mover, session.legal())


def close_game(call: Call) -> Closed:
    """Close an open game; its id cannot be used any more."""
    call.data = None
    return Closed(call.game_id, [])  # the server knows which games are left


# -- playing ---------------------------------------------------------------------------------------


def play(call: Call) -> Played:
    """Play a move in an open game, or let a player of the program choose and play one."""
    wanted: given.Play = call.arguments
    require(
        wanted.move is None or (wanted.player is None and wanted.seconds is None),
        "give either a move, or a player with its seconds that chooses one",
    )
    session = call.session()
    require(not session.over, "the game is over")
    require(len(session.moves) < MOST_MOVES, f"at most {MOST_MOVES} moves are taken here")
    if wanted.move is None:
        return _answered(call, session, wanted)
    name = session.play(wanted.move)
    call.data = session.to_dict()
    return Played(name, CLIENT, None, None, "", _position(call, session))


def _answered(call: Call, session: Session, wanted: given.Play) -> Played:
    """Let a player choose the move."""
    from unbounded.players import read_kind

    text = _player(call, wanted)
    assert session.mover is not None
    machine = read_kind(text).player(session.game, session.seed + session.mover)
    for action in session.actions:
        machine.see(action)
    decision = machine.decide(at_most=call.limits.seconds)
    note = _note(machine)
    session.play(decision.name)
    call.data = session.to_dict()
    known = [x for x in decision.outcome if x is not None]
    proven = known if len(known) == session.game.players else None
    value = decision.value
    estimate = None if proven is not None or value is None else [float(x) for x in value]
    note = "" if proven is None else note
    return Played(decision.name, text, proven, estimate, note, _position(call, session))


def _note(machine: Player) -> str:
    """What has to be said with what a player has proven."""
    from unbounded.players.searching import SearchPlayer
    from unbounded.search.result import note_of

    if isinstance(machine, SearchPlayer):
        return machine.search.note
    two = machine.game.players == 2 and machine.game.zero_sum
    return note_of(equilibrium=not two, scores_ignored=False)


def _player(call: Call, wanted: given.Play) -> str:
    """The player that is asked for, within the limits; none that opens a file or a program."""
    from unbounded.interfaces.web import limits as page_limits
    from unbounded.interfaces.web.game_setup import GameSetup
    from unbounded.players import read_kind
    from unbounded.players.kinds import DepthFirst, Greedy, MonteCarlo, RandomKind, Searching

    text = wanted.player or DEFAULT_PLAYER
    allowed = (Searching, DepthFirst, MonteCarlo, Greedy, RandomKind)
    kind = read_kind(text, local=False)
    require(isinstance(kind, allowed), f"the player {text[:60]!r} is not offered here")
    memory = min(PLAYER_MEMORY, call.limits.search_memory())
    limits = page_limits.Limits(move_seconds=call.limits.seconds, player_memory=memory)
    seconds = 1.0 if wanted.seconds is None else call.limits.seconds_of(wanted.seconds)
    (seat,) = GameSetup(limits).seats([text], min(seconds, call.limits.seconds))
    return seat


def undo(call: Call) -> Position:
    """Take back moves of an open game."""
    session, count = call.session(), call.arguments.moves
    played = len(session.moves)
    require(played > 0, "no move has been played, so none can be taken back")
    require(1 <= count <= played, f"moves must be from 1 to {played} here, not {count}")
    for _ in range(count):
        session.undo()
    call.data = session.to_dict()
    return _position(call, session)


# -- proofs ----------------------------------------------------------------------------------------


def proven_values(call: Call) -> Values:
    """Prove what every legal move is worth, as far as the seconds go; estimates stand apart."""
    from unbounded.search.budget import Budget
    from unbounded.solving.move_values import move_values

    search = _search(call, {})
    assert search.root.player is not None
    budget = Budget(seconds=call.seconds(), memory=call.limits.search_memory())
    moves = [
        MoveValue(
            move=known.name,
            proven=_listed(known.outcome),
            proven_score=_listed(known.score),
            distance=known.distance,
            proven_bounds=[list(each) for each in known.outcome_bounds],
            estimate=_listed(known.estimate),
        )
        for known in move_values(search, budget)
    ]
    return Values(
        game_id=call.game_id,
        to_move=search.root.player,
        all_proven=all(move.proven is not None for move in moves),
        proven=_listed(search.root.outcome),
        note=search.note,
        moves=moves,
    )


def _listed(numbers: Sequence[Any] | None) -> list[Any] | None:
    return None if numbers is None else list(numbers)


def _search(call: Call, options: dict[str, Any]) -> Any:
    """The search that solves the position of an open game."""
    from unbounded.solving.solve import search_to_solve

    session = call.session()
    require(not session.over, "the game is over")
    options = {"moves": session.moves, "threads": call.limits.threads} | options
    return search_to_solve(session.game, options)


def why(call: Call) -> Explanation:
    """Explain in words why a move is best, or what is proven and estimated of another one."""
    from unbounded.search.budget import Budget
    from unbounded.search.explanations import why as explain
    from unbounded.solving.move_values import prove

    # Probes prove without storing the states that an explanation names.
    search = _search(call, {"probes": False, "threads": 1})
    move, seconds = call.arguments.move, call.seconds()
    budget = Budget(memory=call.limits.search_memory())
    prove(search, budget, seconds if move is None else seconds / 2)
    if move is not None:  # the proof of the position need not say anything of it
        search.play(move)
        prove(search, budget, seconds / 2)
        search.undo()
    text = explain(search, move)
    return Explanation(call.game_id, text, search.root.resolved)


def solve(call: Call) -> Solution:
    """Prove the outcome of the position under best play, if the seconds suffice."""
    from unbounded.interfaces.mcp.certificates import certificate_of
    from unbounded.solving.solve import solve as prove

    search = _search(call, {})
    memory = call.limits.search_memory()
    result = prove(search, seconds=call.seconds(), memory=memory)
    text = missing = None
    if call.arguments.certificate:
        text, missing = certificate_of(search, call.limits)
    exact = result.resolved and search.game.has_score and None not in result.score
    return Solution(
        game_id=call.game_id,
        proven=_listed(search.root.outcome),
        proven_score=_listed(result.score) if exact else None,
        proven_bounds=[list(each) for each in result.outcome_bounds],
        estimate=None if result.resolved else _listed(result.estimate),
        distance=result.distance,
        line=list(result.pv),
        note=search.note,
        stopped=result.stopped,
        states=result.states + result.probed,
        certificate=text,
        certificate_missing=missing,
    )


def verify(call: Call) -> Verdict:
    """Check by the rules of the game alone whether a certificate proves what it claims."""
    from unbounded.interfaces.mcp.certificates import verdict_on

    wanted: given.Verify = call.arguments
    require(
        (wanted.certificate is None) != (wanted.file is None),
        "give either the text of a certificate, or the name of a file",
    )
    require(
        wanted.file is None or call.limits.files,
        "files are not read here, unless the server is started with --files: give the text",
    )
    game = None if wanted.game is None else call.game(wanted.game)
    return verdict_on(wanted.certificate, wanted.file, game)


# -- all of them -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tool:
    """A tool: what it does, what it is given, and what it returns."""

    run: Callable[[Call], Answer]
    arguments: type[given.Arguments]
    changes: bool = False
    """Whether it changes a game."""

    @property
    def description(self) -> str:
        """What clients read."""
        return inspect.cleandoc(self.run.__doc__ or "")

    @property
    def answer(self) -> type[Answer]:
        """The class of its results."""
        found = inspect.signature(self.run, eval_str=True).return_annotation
        assert isinstance(found, type) and issubclass(found, Answer)
        return found


TOOLS: dict[str, Tool] = {
    "list_games": Tool(list_games, given.NoArguments),
    "describe_game": Tool(describe_game, given.NamedGame),
    "new_game": Tool(new_game, given.NewGame, changes=True),
    "show_board": Tool(show_board, given.OpenGame),
    "legal_moves": Tool(legal_moves, given.OpenGame),
    "play": Tool(play, given.Play, changes=True),
    "undo": Tool(undo, given.Undo, changes=True),
    "proven_values": Tool(proven_values, given.Searching),
    "why": Tool(why, given.Why),
    "solve": Tool(solve, given.Solve),
    "verify": Tool(verify, given.Verify),
    "close_game": Tool(close_game, given.OpenGame, changes=True),
}


def find_tool(name: str) -> Tool:
    """Return a tool by name; an unknown one is a `UsageError`."""
    if name not in TOOLS:
        raise UsageError(f"there is no tool {name[:60]!r}; there are {', '.join(TOOLS)}")
    return TOOLS[name]
