# SPDX-License-Identifier: MIT
"""One run: self-play, replay, training, generation after generation (the Descent framework).

What happens depends on counts, not on the clock: how much is trained follows from how much was
played. So a run on the CPU is the same whenever it is repeated, up to where the clock ends it.
"""

from __future__ import annotations

import math
import time
from collections import deque
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

from unbounded.game import Game, UsageError
from unbounded.learning.agreement import TURNS_PER_GENERATION, Agreed, Agreement
from unbounded.learning.export import to_file, write_network
from unbounded.learning.metrics import Metrics, row_of
from unbounded.learning.networks.choosing import (
    check_network,
    default_network,
    make_network,
    shape_of,
)
from unbounded.learning.networks.ntuple import NTupleNetwork
from unbounded.learning.networks.shape import planes_are_binary
from unbounded.learning.ntuple_training import NTupleTrainer
from unbounded.learning.past_networks import PastNetworks
from unbounded.learning.progress import Counters, Progress, Report
from unbounded.learning.replay import Lessons, Replay, joined
from unbounded.learning.run_files import MOST_GAMES
from unbounded.learning.run_folder import RunFolder
from unbounded.learning.scoring import scores_of
from unbounded.learning.self_play import (
    BatchedNetworks,
    Conduct,
    NativeNetworks,
    Networks,
    SelfPlay,
    Table,
    networks_of,
    self_play_of,
)
from unbounded.learning.settings import LearnSettings, check_encodes
from unbounded.learning.torch_training import TorchTrainer
from unbounded.learning.training import LossNotFinite, Trainer, TrainingSettings

if TYPE_CHECKING:
    from unbounded.learning.on_ray import BroadcastNetworks

REPORT_SECONDS = 1.0
FIRST_STATES = 10
"""Training begins when the replay holds so many batches."""
REFRESH_STEPS = 20
"""Training steps after which self-play gets the new weights."""
RECENT_GAMES = 2000
ENCODED_AT_ONCE = 4
"""In batches. Threads that encode only a few states mostly wait for the threads of self-play."""


class Learner:
    """A run in progress."""

    def __init__(
        self, game: Game[Any, Any], settings: LearnSettings, folder: RunFolder, report: Report
    ) -> None:
        """settings: complete. A folder with generations is gone on with."""
        self.game, self.settings, self.folder, self._report = game, settings, folder, report
        self.device = settings.device
        self.counters = Counters()
        self._set_up()
        self.past = PastNetworks(settings.pool_size, settings.seed)
        self._share_of_past = 0.0
        self._recent: deque[tuple[int, float]] = deque(maxlen=RECENT_GAMES)
        self._kept_games: list[dict[str, Any]] = []
        self._losses: list[torch.Tensor] = []
        self._trained_before = 0  # before the generation in progress
        self._is_last = False  # whether the newest generation ends the session
        self._stop = False
        self._rate = 0.0
        self._began = self._last_report = time.monotonic()
        self._last_counts = (self._began, 0)
        saved = folder.load_latest(folder.log)
        self.metrics = Metrics(
            folder.path / "metrics.jsonl",
            folder.path / "tensorboard",
            after=None if saved is None else saved.generation,
            tell=folder.log,
        )
        if saved is None:
            self.play = self._new_games()
            self._save_generation()
        else:
            self._go_on_from(saved)

    def _set_up(self) -> None:
        game, settings = self.game, self.settings
        check_encodes(game)
        self.table = Table(game)
        with self.table.explained():
            self.scores = scores_of(game, self.table.rules, settings)
        self.shape = shape_of(game, self.scores.scale)
        name = settings.network
        self._network = default_network(game, self.device) if name == "auto" else name
        check_network(self._network, game)
        module = make_network(self._network, self.shape, settings.seed)
        chosen = TrainingSettings(learning_rate=settings.learning_rate)
        self.trainer = self._make_trainer(module, chosen)
        self.replay = self._make_replay()
        self.agreement = self._make_agreement()
        self._agreed: Agreed | None = None
        self.networks = self._make_networks()
        self._owed = 0.0
        self._waiting: list[Lessons] = []

    def _make_agreement(self) -> Agreement:
        settings = self.settings
        assert settings.generation_states is not None
        assert settings.reuse is not None
        states = settings.generation_states / (settings.reuse or 1.0)
        return Agreement(
            self.shape,
            self.table.inputs,
            self.scores.least_win,
            settings.seed,
            every=states / TURNS_PER_GENERATION,
        )

    def _make_trainer(self, module: nn.Module, settings: TrainingSettings) -> Trainer:
        if isinstance(module, NTupleNetwork) and self.device == "cpu":
            return NTupleTrainer(module, settings, self.settings.seed, self.settings.threads or 1)
        return TorchTrainer(module, self.device, settings, self.settings.seed)

    def _make_networks(self) -> Networks | BroadcastNetworks:
        """The networks of self-play, which is here or on Ray."""
        if self.settings.ray is not None:
            from unbounded.learning.on_ray import BroadcastNetworks

            return BroadcastNetworks(self.trainer)
        assert self.settings.games is not None
        batch_size = self.settings.games * self.table.max_actions
        return networks_of(self.trainer, self.table.inputs, batch_size)

    def _new_games(self) -> SelfPlay:
        """Begin all games; a session that resumes the run does not repeat those of the last."""
        seed = Random(f"{self.settings.seed} {self.counters.generation}").getrandbits(63)
        settings, scores, networks = self.settings, self.scores, self.networks
        if isinstance(networks, NativeNetworks | BatchedNetworks):
            return self_play_of(self.table, settings, scores, networks, seed)
        from unbounded.cluster.orders import Orders
        from unbounded.learning.on_ray import RaySelfPlay
        from unbounded.learning.ray_actor import SelfPlayOrders

        orders = SelfPlayOrders(Orders.of(self.game), self._network, settings, scores)
        return RaySelfPlay(orders, networks, seed, self.folder.log)

    def _make_replay(self) -> Replay:
        assert self.settings.replay is not None
        return Replay(
            self.shape,
            self.table.inputs,
            self.settings.replay,
            self.device,
            symmetries=self.game.symmetries,
            as_bytes=planes_are_binary(self.game),
            seed=self.settings.seed,
            threads=self.settings.threads or 1,
        )

    # -- the loop ---------------------------------------------------------------------------------

    def run(self) -> None:
        """Learn until a limit is reached or the end is requested."""
        threads = torch.get_num_threads()
        # Beside self-play in the core, more threads of PyTorch would only be in the way.
        native = isinstance(self.networks, NativeNetworks)
        torch.set_num_threads(1 if native else self.settings.threads or 1)
        try:
            while not self._step():
                pass
        finally:
            torch.set_num_threads(threads)
            self.play.close()
            self.metrics.close()

    def _step(self) -> bool:
        """Go on with the run; return whether it is over."""
        try:
            if self._finished():
                return True
            self._turn()
        except LossNotFinite as error:
            self.play.close()
            self._go_on_from(self.folder.retreat(str(error)))
        return False

    def _turn(self) -> None:
        """Let games go on, keep what they teach, train as much as that is worth."""
        self.play.conduct = Conduct(self._share_of_past, self._epsilon())
        self._keep(self.play.next())
        while self._train():
            over = self._progress() >= 1
            self._save_generation(last=over)
            if over:
                return
        self._tell()

    def _keep(self, lessons: Lessons) -> None:
        """Take what finished games taught; states wait until there are many of them."""
        if len(lessons["counts"]) == 0:
            return
        self._remember_games(lessons)
        self._waiting.append(lessons)
        if self._states_waiting() >= self._states_at_once():
            self._add_to_replay(joined(self._waiting))
            self._waiting = []

    def _states_waiting(self) -> int:
        return sum(len(lessons["kinds"]) for lessons in self._waiting)

    def _states_at_once(self) -> int:
        batch, capacity = self.settings.batch, self.replay.capacity
        assert batch is not None
        if self.replay.size < min(FIRST_STATES * batch, capacity):
            return 0  # the training waits for them
        return min(ENCODED_AT_ONCE * batch, capacity // 4)  # a piece must not fill a small replay

    def _add_to_replay(self, lessons: Lessons) -> None:
        assert self.settings.reuse is not None
        with self.table.explained():
            self.agreement.compare(lessons, self.trainer.averaged, self.trainer.device)
            added = self.replay.add(lessons)
        self.counters.added += added
        self._owed += added * self.settings.reuse

    def _remember_games(self, lessons: Lessons) -> None:
        players, ends = self.game.players, 0
        results = lessons["results"].reshape(-1, players)
        for moves, result in zip(lessons["moves"], results, strict=True):
            ends += int(moves)
            self._recent.append((int(moves), float(result[0])))
            if len(self._kept_games) < MOST_GAMES:
                played = lessons["actions"][ends - int(moves) : ends]
                self._kept_games.append({"moves": played.tolist(), "values": result.tolist()})
        self.counters.add_plies(lessons["by_ply"])

    def _train(self) -> bool:
        """Train what is owed; stop early, and return True, where a generation is complete."""
        batch = self.settings.batch
        assert batch is not None
        if self.replay.size < min(FIRST_STATES * batch, self.replay.capacity):
            self._owed = min(self._owed, float(self.replay.size))
            return False
        self.trainer.set_progress(self._progress())
        while self._owed >= batch and not self._stop:
            self._losses.append(self.trainer.step(*self.replay.sample(batch)))
            self._owed -= batch
            self.counters.trained += batch
            if self.trainer.steps % REFRESH_STEPS == 0:
                self.networks.refresh()
            self._tell()
            assert self.settings.generation_states is not None
            if self.counters.trained >= self._trained_before + self.settings.generation_states:
                return True
        return False

    def _epsilon(self) -> float | None:
        """Of the exploration now; None: as in the settings."""
        settings = self.settings
        if not settings.anneal:
            return None
        ordinal = settings.exploration == "ordinal"
        first, last = (0.0, 1.0) if ordinal else (1.0, 0.0)
        last = last if settings.epsilon is None else settings.epsilon
        return first + min(1.0, self._progress()) * (last - first)

    # -- limits and progress ----------------------------------------------------------------------

    def _seconds(self) -> float:
        """Of the whole run."""
        return self.counters.seconds + time.monotonic() - self._began

    def _expanded(self) -> int:
        return self.counters.expanded + int(self.play.counts()["expanded"])

    def _progress(self) -> float:
        """How much of the run is over, by the limit that comes first."""
        settings = self.settings
        assert settings.generation_states is not None
        begun = (self.counters.trained - self._trained_before) / settings.generation_states
        done = {
            "minutes": self._seconds() / 60,
            "states": self._expanded(),
            "generations": self.counters.generation - 1 + begun,
        }
        limits = [(x, getattr(settings, name)) for name, x in done.items()]
        shares = [x / limit if limit else 1.0 for x, limit in limits if limit is not None]
        return max(shares, default=0.0)

    def _finished(self) -> bool:
        if not self._stop and self._progress() < 1:
            return False
        if not self._is_last:
            self._save_generation(last=True)
        return True

    def _tell(self) -> None:
        now = time.monotonic()
        if self._stop or now - self._last_report < REPORT_SECONDS:
            return
        before, counted = self._last_counts
        expanded = self._expanded()
        rate = (expanded - counted) / max(now - before, 1e-9)
        self._last_report, self._last_counts, self._rate = now, (now, expanded), rate
        self._stop = bool(self._report(self._progress_now())) or self._stop

    def _progress_now(self) -> Progress:
        lengths = [moves for moves, _ in self._recent]
        results = np.array([result for _, result in self._recent])
        known = len(results) > 0
        return Progress(
            seconds=self._seconds(),
            generation=self.counters.generation - 1,
            states=self._expanded(),
            states_per_second=self._rate,
            games=self.counters.games + int(self.play.counts()["games"]),
            trained=self.counters.trained,
            loss=self._mean_loss(),
            learning_rate=self.trainer.learning_rate,
            game_length=float(np.mean(lengths)) if known else None,
            first_wins=float(np.mean(results > 0)) if known else None,
            draws=float(np.mean(results == 0)) if known else None,
            value_error=None if self._agreed is None else self._agreed.error,
            yardstick=None if self._agreed is None else self._agreed.sign,
            yardstick_name="agreement with proven states",
        )

    def _mean_loss(self) -> float | None:
        """Of the last steps; None if there were none, or the training is about to be undone."""
        loss = float(torch.stack(self._losses[-50:]).mean()) if self._losses else math.nan
        return loss if math.isfinite(loss) else None

    # -- generations ------------------------------------------------------------------------------

    def _save_generation(self, *, last: bool = False) -> None:
        """Write a generation; the last one with what it takes to be used without PyTorch."""
        counters = self.counters
        generation = counters.generation
        counts = self.play.counts()
        self._agreed = self.agreement.measure() or self._agreed
        row = row_of(
            self._progress_now(),
            by_ply=counters.by_ply,
            generation=generation,
            added=counters.added,
            evaluated=counters.evaluated + int(counts["evaluated"]),
        )
        self.metrics.append(row)
        network = to_file(
            self.trainer.averaged,
            replace(self.shape, scale=self.scores.worth),
            self.scores.name,
            {key: row[key] for key in ("generation", "seconds", "states", "trained", "games")},
        )
        stored = self._stored_counters(generation + 1)
        state = {"trainer": self.trainer.state_dict(), "replay": self.replay.random_state()}
        self.folder.save_generation(
            generation,
            lambda path: write_network(path, network, self.trainer.averaged, onnx=last),
            state,
            stored,
            self._kept_games,
        )
        counters.generation = generation + 1
        self._trained_before, self._is_last = counters.trained, last
        self._kept_games, self._losses = [], self._losses[-50:]
        if generation > 0 and self.settings.pool > 0:  # the first network knows nothing
            self.past.add(self.trainer.averaged)
        self._choose_past()

    def _stored_counters(self, next_generation: int) -> dict[str, Any]:
        counts = self.play.counts()
        stored = dict(self.counters.__dict__)
        for name in ("evaluated", "expanded", "games", "moves"):
            stored[name] += int(counts[name])
        stored["seconds"], stored["generation"] = self._seconds(), next_generation
        return stored

    def _choose_past(self) -> None:
        """Draw the network of the past that games are played against until the next generation."""
        chosen = self.past.draw()
        if chosen is not None:
            self.networks.set_past(chosen)
            self._share_of_past = self.settings.pool

    def _go_on_from(self, saved: Any) -> None:
        """Take over a saved generation: the games and the replay begin anew."""
        self.trainer.load_state_dict(saved.trainer_state["trainer"])
        self.trainer.rate_factor = saved.learning_rate_factor
        self.replay.set_random_state(saved.trainer_state["replay"])
        self.metrics.cut(saved.generation)
        self.counters = Counters(**saved.counters)
        self._trained_before, self._is_last = self.counters.trained, False
        self._began = time.monotonic()
        self._owed = 0.0
        self._waiting = []
        self.replay.clear()
        self.agreement.forget()
        self._kept_games, self._losses = [], []
        self.networks.refresh()
        self.play = self._new_games()
        self._last_counts = (self._began, self._expanded())
        if self.settings.pool > 0:
            self.past.read_again(self.folder, self.trainer.averaged)
        self._choose_past()


def learn(
    game: Game[Any, Any], settings: LearnSettings, folder: RunFolder, report: Report | None = None
) -> Learner:
    """Learn an evaluation in a run folder; returns the learner, whose folder has everything."""
    try:
        learner = Learner(game, settings, folder, report or (lambda progress: False))
        learner.run()
    except torch.OutOfMemoryError as error:
        raise UsageError(
            f"the memory of {settings.device} is full: begin another run with a smaller `network`, "
            "fewer `games`, or a smaller `batch` or `replay`"
        ) from error
    return learner
