# SPDX-License-Identifier: MIT
"""Time for a whole game, and thinking in the time of others."""

from __future__ import annotations

import json
import threading
import time
from typing import Any

import pytest

import unbounded as ub
from unbounded.game import UsageError
from unbounded.interfaces.engine import Engine
from unbounded.interfaces.terminal.play import read_seats
from unbounded.players import read_kind
from unbounded.players.clock import Clock, TimeControl, moves_to_go, seconds_on_clock
from unbounded.players.kinds import with_clock
from unbounded.players.matches.playing import _too_long
from unbounded.players.searching import SearchPlayer


@pytest.mark.parametrize(
    ("text", "seconds", "increment"),
    [
        ("5m+3s", 300, 3),
        ("90", 90, 0),
        ("1h", 3600, 0),
        ("0.5+0.1", 0.5, 0.1),
        (" 2M+1M ", 120, 60),
    ],
)
def test_what_a_clock_says(text: str, seconds: float, increment: float) -> None:
    control = TimeControl.parse(text)
    assert (control.seconds, control.increment) == (seconds, increment)
    assert TimeControl.parse(str(control)) == control


@pytest.mark.parametrize("text", ["", "+3", "5x", "5m+", "-1", "0", "1e5", "inf", "99999h"])
def test_what_no_clock_says(text: str) -> None:
    with pytest.raises(UsageError, match="a clock"):
        TimeControl.parse(text)
    with pytest.raises(UsageError, match="a clock"):
        read_kind(f'ubfm(clock="{text}")')


@pytest.mark.parametrize("control", [TimeControl(60), TimeControl(10, 1), TimeControl(1, 5)])
@pytest.mark.parametrize("longest", [None, 42, 400])
def test_no_game_is_lost_on_time(control: TimeControl, longest: int | None) -> None:
    """Even if it lasts to the end, and every move takes a little longer than planned."""
    clock = Clock(control)
    for ply in range(0, longest or 1000, 2):
        planned = clock.seconds_for(moves_to_go(longest, ply, 2))
        assert 0 <= planned <= clock.left
        used = min(planned * 1.05, clock.left)
        assert used <= clock.left
        clock.spend(used)
    assert clock.left > 0


def test_more_time_is_used_when_there_is_more() -> None:
    long, short = Clock(TimeControl(300)), Clock(TimeControl(30))
    assert long.seconds_for(20) == pytest.approx(10 * short.seconds_for(20))
    assert long.seconds_for(10) > long.seconds_for(30)
    assert Clock(TimeControl(30, 2)).seconds_for(20) > short.seconds_for(20)


def test_a_player_spends_its_clock() -> None:
    player = read_kind("ubfm(clock=0.6s)").player(ub.load_game("connect-four"), 0)
    assert player.clock is not None and player.clock.left == 0.6
    decision = player.decide()
    assert player.clock.left == pytest.approx(0.6 - decision.seconds)
    assert decision.work > 0
    # A limit per move holds too, and a limit from outside.
    both = read_kind("ubfm(clock=1h,seconds=0.01)").player(ub.load_game("connect-four"), 0)
    assert both.seconds_per_move == 0.01


def test_who_gets_the_clock() -> None:
    assert with_clock("ubfm", "5m") == "ubfm(clock=5m)"
    assert with_clock("mcts(simulations=10)", "5m") == "mcts(simulations=10)"
    assert with_clock("random", "5m") == "random"
    assert with_clock("ubfm", None) == "ubfm"
    game = ub.load_game("tic-tac-toe")
    assert read_seats(game, "human,ubfm", 2, clock="1m+1s") == ["human", "ubfm(clock=1m+1s)"]


def test_moves_after_the_flag_has_fallen_are_counted() -> None:
    kind = read_kind("ubfm(clock=1s+0.5s)")
    assert _too_long(kind, [0.9, 0.5, 0.5]) == 0
    assert _too_long(kind, [0.9, 0.9, 0.2]) == 1


def _pondering_player() -> SearchPlayer:
    player = read_kind("ubfm(iterations=50,ponder=true)").player(ub.load_game("connect-four"), 0)
    assert isinstance(player, SearchPlayer)
    return player


def test_a_player_ponders_while_others_think() -> None:
    player = _pondering_player()
    decision = player.decide()
    player.see(decision.action)
    deadline = time.monotonic() + 60
    search = player.search
    while True:  # the other one thinks until something has been found
        time.sleep(0.02)
        player._end_pondering()
        if search.iterations > 50 or time.monotonic() > deadline:
            break
        player.see(next(iter(player.game.actions(player.state))))
        player.see(player.decide().action)
    assert search.iterations > 50
    assert "ponder" not in {thread.name for thread in threading.enumerate()}
    # At its own turn it does not.
    player.see(next(iter(player.game.actions(player.state))))
    assert player._pondering is None
    player.close()


def test_pondering_ends_with_the_player() -> None:
    player = _pondering_player()
    player.see(player.decide().action)
    assert player._pondering is not None
    thread = player._pondering._thread
    del player
    thread.join(timeout=60)
    assert not thread.is_alive()


def test_pondering_needs_the_graph() -> None:
    with pytest.raises(UsageError, match="ponder needs keep=true"):
        read_kind("ubfm(ponder=true,keep=false)")


def _ask(*requests: dict[str, Any]) -> list[dict[str, Any]]:
    answers: list[dict[str, Any]] = []
    Engine(answers.append).serve(json.dumps(x) for x in requests)
    return answers


def test_the_engine_goes_on_with_what_it_pondered() -> None:
    first = {"id": 1, "game": "connect-four", "iterations": 100, "ponder": True}
    one, two, three = _ask(
        first,
        {**first, "id": 2, "moves": "4 4"},
        {**first, "id": 3, "moves": "1"},
    )
    assert one["result"]["iterations"] == 100
    # The graph was kept for the position that follows, and not for another one.
    assert two["result"]["iterations"] >= 200
    assert two["result"]["moves"] == ("4", "4")
    assert three["result"]["iterations"] == 100
    # Nor without being asked to.
    plain = {"game": "connect-four", "iterations": 100}
    assert _ask(plain, {**plain, "moves": "4"})[1]["result"]["iterations"] == 100


def test_the_engine_reads_the_clock() -> None:
    game = ub.load_game("connect-four")
    (answer,) = _ask({"game": "connect-four", "clock": "1s+0.1s"})
    assert answer["result"]["stopped"] == "seconds"
    assert seconds_on_clock("1s+0.1s", game, 0) < 0.4
    (wrong,) = _ask({"game": "connect-four", "clock": "soon"})
    assert "a clock is like 5m+3s" in wrong["error"]
