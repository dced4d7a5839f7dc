# SPDX-License-Identifier: MIT
"""Matches on a real local Ray: the same games as here, also when an actor is killed."""

from __future__ import annotations

import os
import shutil
import signal
import socket
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer

from unbounded.cluster import ray_connection
from unbounded.cluster.actors import Seat
from unbounded.cluster.ray_connection import chosen_address, connected
from unbounded.evaluation.networks import SHIPPED_FOLDER
from unbounded.game import UnboundedError, UsageError
from unbounded.interfaces.cli.app import app
from unbounded.interfaces.cli.main import main
from unbounded.players.matches import (
    Comparing,
    Comparison,
    GameRecord,
    Match,
    ablation,
    compare,
    on_ray,
    play_match,
)
from unbounded.players.matches.match import play
from unbounded.players.matches.on_ray import MOST_LOSSES, MatchActor, MatchOrders, RayGames

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'unbounded[ray]'")

GAME = "connect-four(width=5,height=4)"
MATCH = Match(GAME, ("ubfm(iterations=30)", "mcts(simulations=50)"), 6, 2, 3)


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    """A local Ray, which all tests of this file use."""
    with connected("local", 2):
        yield
    assert not ray.is_initialized()


def without_times(records: list[GameRecord]) -> list[dict[str, Any]]:
    return [record.without_times() for record in records]


def expected(match: Match) -> list[dict[str, Any]]:
    return without_times([play(task) for task in match.tasks()])


def games_of(match: Match, jobs: int, said: list[str]) -> RayGames:
    return RayGames(match.tasks(), match.games, address="local", jobs=jobs, log=said.append)


# -- games ----------------------------------------------------------------------------------------


def test_a_match_is_the_same_as_here_though_an_actor_waits_for_a_cpu() -> None:
    """The match has more actors than the cluster CPUs."""
    counts: list[int] = []
    jobs = int(ray.cluster_resources()["CPU"]) + 1
    here, _ = play_match(MATCH, jobs=1)
    there, records = play_match(
        MATCH, jobs=jobs, ray="local", progress=lambda played: counts.append(len(played))
    )
    assert without_times(records) == expected(MATCH)
    assert counts == [1, 2, 3, 4, 5, 6]
    assert there.table == here.table and there.played == here.played
    assert ray.is_initialized()  # it was not started for the match


def test_a_comparison_is_the_same_as_here() -> None:
    strong = Comparison("strong", "ubfm(iterations=20)", "random")
    asked = Comparing((strong,), ("tic-tac-toe", "nim(heaps=[2,3])"), games_each=2)
    _, here = compare(asked, jobs=1)
    _, there = compare(asked, jobs=1, ray="local")
    assert [match for match, _ in there] == [match for match, _ in here]
    assert without_times([x for _, x in there]) == without_times([x for _, x in here])


def test_ctrl_c_keeps_the_games_that_were_played() -> None:
    def interrupt(played: Any) -> None:
        if len(played) == 2:
            raise KeyboardInterrupt

    result, records = play_match(MATCH, jobs=1, ray="local", progress=interrupt)
    assert result.played == 2
    assert without_times(records) == expected(MATCH)[:2]


# -- deaths and failures --------------------------------------------------------------------------


def test_the_game_of_a_killed_actor_is_played_again(monkeypatch: pytest.MonkeyPatch) -> None:
    match, said, killed = replace(MATCH, games=8), list[str](), 0
    monkeypatch.setattr(on_ray, "AHEAD_PER_ACTOR", 2)  # some games are left after the first one
    with closing(games_of(match, 2, said)) as games:
        records = []
        for record in games:
            records.append(record)
            if not killed:
                monkeypatch.undo()
                seat = next(x for x in games.seats if x.process)
                killed = seat.process
                os.kill(killed, signal.SIGSTOP)  # what it is given now, it does not finish
                games._give_game(seat)
                assert seat.calls
                os.kill(killed, signal.SIGKILL)
    assert without_times(records) == expected(match)
    (line,) = said
    assert f"(process {killed} on {socket.gethostname()}) died" in line
    assert "its game is played again, and a new actor takes its place" in line


def test_a_game_in_which_all_actors_die_ends_the_match() -> None:
    games, seat = games_of(MATCH, 1, []), Seat(0, host="far")
    for k in range(MOST_LOSSES):
        seat.calls.clear()
        seat.calls.append(k)
        games._playing[k] = 2, MATCH.task(2)
        if k < MOST_LOSSES - 1:
            assert games._lost(seat) == "its game is played again"
            assert games._again == [(2, MATCH.task(2))]
            games._again.clear()
    with pytest.raises(UnboundedError, match=r"5 actors died on Ray in game 2 .* on far"):
        games._lost(seat)


def test_games_wait_for_an_earlier_one_within_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unbounded.players.matches.on_ray.AHEAD_PER_ACTOR", 3)
    games, seat = games_of(MATCH, 1, []), Seat(0)
    games.seats = [seat]

    class Remote:
        def remote(self, orders: MatchOrders, task: Any) -> int:
            return int(task.number)

    seat.actor = type("Actor", (), {"play": Remote()})
    for _ in range(5):
        games._give_game(seat)
    assert list(seat.calls) == [0, 1, 2]  # none of them is finished
    games._yielded = 2
    for _ in range(5):
        games._give_game(seat)
    assert list(seat.calls) == [0, 1, 2, 3, 4]


def test_what_fails_in_an_actor_ends_the_match_with_its_reason() -> None:
    wrong = replace(MatchOrders.of(MATCH).game, rules="others")
    games = games_of(MATCH, 1, [])
    games._orders = lambda match: MatchOrders(wrong, ())  # type: ignore[assignment]
    with closing(games), pytest.raises(UnboundedError, match="differ from those on"):
        next(iter(games))


# -- an actor, without Ray's processes ------------------------------------------------------------


def test_an_actor_refuses_another_network(tmp_path: Path) -> None:
    path = tmp_path / "mine.safetensors"
    shipped = SHIPPED_FOLDER / "connect-four.safetensors"
    shutil.copy(shipped, path)
    match = Match("connect-four", (f"ubfm(iterations=2,evaluation='{path}')", "random"), 2)
    orders = MatchOrders.of(match)
    ((name, digest),) = orders.networks
    assert name == str(path)
    orders.check()
    with pytest.raises(UnboundedError, match=r"the network .*mine.safetensors on .* differs"):
        replace(orders, networks=((name, digest[::-1]),)).check()


def test_an_actor_checks_its_orders_once(monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[MatchOrders] = []

    def check(orders: MatchOrders) -> None:
        checked.append(orders)

    monkeypatch.setattr(MatchOrders, "check", check)
    actor, orders = MatchActor(), MatchOrders.of(MATCH)
    first = actor.play(orders, MATCH.task(0))
    actor.play(orders, MATCH.task(1))
    assert checked == [orders]
    assert first.without_times() == expected(MATCH)[0]


# -- the command line -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "address"),
    [
        ("ubfm random --game nim --ray", "local"),
        ("--ray ubfm random --game nim", "local"),
        ("--ray auto ubfm random --game nim", "auto"),
        ("ubfm random --game nim --ray=head:6379", "head:6379"),
        ("ubfm random --game nim", None),
    ],
)
def test_the_flag_may_stand_alone(words: str, address: str | None) -> None:
    command = typer.main.get_command(app).commands["match"]  # type: ignore[attr-defined]
    given = command.make_context("match", words.split()).params
    assert (given["ray"], given["contestants"]) == (address, ["ubfm", "random"])


def test_matches_and_ablations_on_the_command_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ablation, "VARIANTS", ablation.VARIANTS[-1:])
    of_match = ["match", "ubfm(iterations=5)", "random", "--game", "tic-tac-toe", "--games", "2"]
    assert main([*of_match, "--ray", "--jobs", "1", "--quiet"]) == 0
    assert "tic-tac-toe: 2 games" in capsys.readouterr().out
    of_ablation = ["ablation", "--iterations", "3", "--games", "2", "--game", "tic-tac-toe"]
    assert main([*of_ablation, "--ray", "local", "--jobs", "1", "--quiet", "--json"]) == 0
    assert '"games": 2' in capsys.readouterr().out


def test_wrong_addresses(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # not listening
        address = f"127.0.0.1:{free.getsockname()[1]}"
        assert main(["match", "ubfm", "random", "--game", "nim", f"--ray={address}"]) == 2
    assert f"cannot use Ray at --ray {address}" in capsys.readouterr().err
    assert main(["match", "ubfm", "random", "--game", "nim", "--ray=head"]) == 2
    assert "--ray must be local, auto, off or an address" in capsys.readouterr().err
    assert chosen_address("off") is None


def test_without_ray_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_connection.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"pip install 'unbounded\[ray\]'"):
        play_match(MATCH, ray="local")
