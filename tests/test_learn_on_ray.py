# SPDX-License-Identifier: MIT
"""Self-play on a real local Ray: actors are killed, weights arrive, runs are resumed."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer

import unbounded as ub
from unbounded.cluster import ray_connection
from unbounded.cluster.actors import Seat
from unbounded.evaluation.network_file import check_fits, read
from unbounded.game import RuleError, UnboundedError, UsageError
from unbounded.interfaces.cli.app import app
from unbounded.learning import on_ray
from unbounded.learning.export import from_file, to_file
from unbounded.learning.loop import Learner
from unbounded.learning.networks.choosing import make_network, shape_of
from unbounded.learning.on_ray import RaySelfPlay, gpus_each, number_of_actors
from unbounded.learning.ray_actor import SelfPlayActor, SelfPlayOrders, Weights
from unbounded.learning.run_folder import RunFolder
from unbounded.learning.self_play import Conduct
from unbounded.learning.settings import LearnSettings

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'unbounded[learn,ray]'")

GAME = ub.load_game("tic-tac-toe")
SETTINGS = LearnSettings(
    game="tic-tac-toe",
    network="ntuple-small",
    ray="local",
    actors=2,
    games=8,
    move_states=30,
    batch=64,
    generation_states=4000,
    replay=5000,
)


def complete(settings: LearnSettings) -> LearnSettings:
    return settings.validate(GAME).complete(GAME, "cpu", 2)


def go_on(learner: Learner, until: Any) -> None:
    """Let a run go on until something is so; turns without any reply take half a second each."""
    for _ in range(2000):
        if until():
            return
        learner._turn()
    raise AssertionError("it did not come about")


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """A local Ray; its address."""
    on_ray.connect_for(complete(SETTINGS))
    yield ray.get_runtime_context().gcs_address
    ray.shutdown()


@pytest.fixture(scope="module")
def killed_run(cluster: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run on this Ray whose learner was killed after its first generation."""
    path = tmp_path_factory.mktemp("ray") / "run"
    given = "--network ntuple-small --games 8 --move-states 30 --batch 64 --replay 5000"
    command = [sys.executable, "-m", "unbounded", "learn", "tic-tac-toe", "--run", str(path)]
    command += [*given.split(), "--generation-states", "4000", "--ray", cluster, "--actors", "1"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as program:
        while not (path / "generations" / "00001.json").exists():
            assert program.poll() is None and program.stderr, program.communicate()
            time.sleep(0.05)
        program.kill()
    return path


@pytest.fixture(scope="module")
def learner(killed_run: Path) -> Iterator[Learner]:
    """The same run, resumed with two actors and one generation older."""
    with RunFolder.open(killed_run, GAME) as folder:
        settings = complete(replace(folder.settings, actors=2))
        before = folder.latest
        made = Learner(GAME, settings, folder, lambda progress: False)
        assert made.counters.trained > 0 and made.counters.games > 0
        go_on(made, lambda: folder.latest != before)
        go_on(made, lambda: all(seat.replies for seat in of(made).seats))
        yield made
        made.play.close()
        made.metrics.close()


def of(learner: Learner) -> RaySelfPlay:
    assert isinstance(learner.play, RaySelfPlay)
    return learner.play


# -- a run ----------------------------------------------------------------------------------------


def test_a_killed_run_goes_on_and_learns_from_what_actors_play(learner: Learner) -> None:
    counts = learner.play.counts()
    assert counts["games"] > 0 and counts["expanded"] > 0
    assert learner.counters.added > 0 and learner.counters.trained >= 2 * 4000
    network = read(learner.folder.path)
    check_fits(network, GAME)
    assert network.trained["generation"] >= 1
    assert {seat.process for seat in of(learner).seats}.isdisjoint({0, os.getpid()})


def test_new_weights_reach_every_actor(learner: Learner) -> None:
    play = of(learner)
    newest = Weights.of(0, learner.trainer.averaged).digest()
    learner.networks.refresh()
    _ = play._networks.current
    number = play._networks.number
    for _ in range(2000):
        if all(play.weights[seat.index] == number for seat in play.seats):
            break
        play.next()
    assert [ray.get(seat.actor.digest.remote()) for seat in play.seats] == [newest, newest]


def test_a_killed_actor_is_replaced_and_what_it_delivered_is_kept(learner: Learner) -> None:
    play, log = of(learner), learner.folder.path / "log.txt"
    seat = play.seats[0]
    killed, before = seat.process, play.counts()["games"]
    ray.wait([seat.calls[0]])
    os.kill(killed, signal.SIGKILL)
    lessons = play._received(seat)
    assert len(lessons["counts"]) == len(lessons["moves"])
    assert play.counts()["games"] == before + len(lessons["counts"])
    assert seat.process == killed  # a reply of before its death
    go_on(learner, lambda: seat.process != killed)
    generation = learner.folder.latest
    go_on(learner, lambda: seat.replies > 2 and learner.folder.latest != generation)
    said = [line for line in log.read_text().splitlines() if "died" in line]
    assert len(said) == 1 and f"process {killed} " in said[0] and "at most 8, are lost" in said[0]
    assert len(play.seats) == 2 and play.counts()["games"] > before


def test_what_fails_in_an_actor_ends_the_run_with_its_reason(learner: Learner) -> None:
    @ray.remote(num_cpus=0)
    def fail(error: Exception) -> None:
        raise error

    play = of(learner)
    for error, said in [
        (RuleError("a bad rule"), "a bad rule"),
        (ValueError("x"), "failed on Ray: x"),
    ]:
        with pytest.raises(UnboundedError, match=said) as raised:
            play._received(Seat(9, calls=deque([fail.remote(error)])))
        assert isinstance(raised.value, RuleError) == isinstance(error, RuleError)


def test_actors_that_die_at_once_end_the_run(
    learner: Learner, monkeypatch: pytest.MonkeyPatch
) -> None:
    play, seat, started = of(learner), Seat(0), []
    monkeypatch.setattr(play, "_start", started.append)
    dead = ray.exceptions.ActorDiedError()
    play._replace(seat, dead)
    play._replace(seat, dead)
    with pytest.raises(UsageError, match="3 actors in a row died on Ray before they had answered"):
        play._replace(seat, dead)
    assert started == [seat, seat]


# -- an actor, without Ray's processes -------------------------------------------------------------


@pytest.fixture
def orders(learner: Learner) -> SelfPlayOrders:
    return of(learner)._orders


def test_an_actor_plays_with_the_weights_it_is_given(
    learner: Learner, orders: SelfPlayOrders
) -> None:
    actor = SelfPlayActor(orders, 1)
    module = learner.trainer.averaged
    past = Weights.of(2, module)
    reply = actor.play(Weights.of(1, module), past, Conduct(0.5))
    assert (reply.weights, reply.process) == (1, os.getpid())
    assert actor.digest() == Weights.of(0, module).digest()
    assert 0 < len(reply.lessons["counts"]) <= 8  # one game ends at each place, at most
    assert reply.counts["games"] == len(reply.lessons["counts"])
    changed = {name: x + 1 if x.dtype == np.float32 else x for name, x in past.arrays.items()}
    actor.play(Weights(3, changed), past, Conduct(0.5))
    assert actor.digest() == Weights(0, changed).digest() != Weights.of(0, module).digest()
    assert actor._player is not None
    actor._player._play.close()


@pytest.mark.parametrize("network", ["dense(8)", "residual(channels=4,blocks=1)"])
def test_past_networks_may_come_from_files(orders: SelfPlayOrders, network: str) -> None:
    shape = shape_of(GAME)
    module = make_network(network, shape, 3)
    past = from_file(to_file(make_network(network, shape, 4), shape, "depth", {}))
    actor = SelfPlayActor(replace(orders, network=network), 1)
    reply = actor.play(Weights.of(1, module), Weights.of(2, past), Conduct(1.0))
    assert len(reply.lessons["counts"]) > 0
    assert actor.digest() == Weights.of(0, module).digest()
    assert actor._player is not None
    assert Weights.of(0, actor._player._past).digest() == Weights.of(0, past).digest()
    actor._player._play.close()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [({"version": "0.0"}, "has unbounded"), ({"rules": "others"}, "differ from those")],
)
def test_an_actor_refuses_another_version(
    learner: Learner, orders: SelfPlayOrders, wrong: dict[str, Any], message: str
) -> None:
    actor = SelfPlayActor(replace(orders, game=replace(orders.game, **wrong)), 1)
    with pytest.raises(UnboundedError, match=message):
        actor.play(Weights.of(1, learner.trainer.averaged), None, Conduct())


# -- what needs no cluster ------------------------------------------------------------------------


def test_how_many_actors_and_on_what() -> None:
    settings = complete(replace(SETTINGS, actors=None))
    assert number_of_actors(settings, {"CPU": 16.0}) == 15
    assert number_of_actors(replace(settings, threads=4), {"CPU": 16.0}) == 3
    assert number_of_actors(settings, {"CPU": 1.0}) == 1
    assert number_of_actors(replace(settings, actors=5), {"CPU": 1.0}) == 5
    on_gpu = replace(settings, device="cuda")
    assert gpus_each(settings, "ntuple", {"GPU": 4.0}, 8) == 0
    assert gpus_each(on_gpu, "residual", {"GPU": 1.0}, 8) == 0
    assert gpus_each(settings, "residual", {"GPU": 1.0}, 3) <= 1 / 3
    assert gpus_each(on_gpu, "residual", {"GPU": 9.0}, 4) == 1


def test_settings_of_ray() -> None:
    assert complete(SETTINGS).threads == 1
    assert complete(replace(SETTINGS, ray="off")).ray is None
    assert complete(replace(SETTINGS, games=None)).games == 256
    for address in ("auto", "10.0.0.1:6379", "head:6379", "ray://head:10001"):
        assert complete(replace(SETTINGS, ray=address)).ray == address
    with pytest.raises(UsageError, match="must be local, auto, off or an address"):
        complete(replace(SETTINGS, ray="head"))
    with pytest.raises(UsageError, match="actors needs ray"):
        complete(replace(SETTINGS, ray=None))


@pytest.mark.parametrize(
    ("words", "address"),
    [
        ("--ray nim", "local"),
        ("nim --ray", "local"),
        ("nim --ray --actors 2", "local"),
        ("--ray auto nim", "auto"),
        ("--ray head:6379 nim", "head:6379"),
        ("nim --ray=off", "off"),
        ("nim", None),
    ],
)
def test_the_flag_may_stand_alone(words: str, address: str | None) -> None:
    command = typer.main.get_command(app).commands["learn"]  # type: ignore[attr-defined]
    given = command.make_context("learn", words.split()).params
    assert (given["ray"], given["text"]) == (address, "nim")


def test_an_address_where_nothing_answers_is_refused() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # not listening
        address = f"127.0.0.1:{free.getsockname()[1]}"
        with pytest.raises(UsageError, match=r"cannot use Ray at ray=.*ray start --head"):
            ray_connection.check_ray(address)


def test_without_ray_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_connection.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"pip install 'unbounded\[learn,ray\]'"):
        on_ray.connect_for(complete(SETTINGS))
