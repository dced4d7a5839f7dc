# SPDX-License-Identifier: MIT
"""Solve a game by jobs, with a claims file: from the first job to the proof of the whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unbounded import native
from unbounded.cluster.claims_file import About, ClaimsFile, Recorded
from unbounded.cluster.claims_schema import REFUSED
from unbounded.cluster.driver import Driver, Pace, Tell
from unbounded.cluster.facts import Bounds, ContradictionError, Fact, Scale
from unbounded.cluster.job import finite
from unbounded.cluster.judging import NONE, Judge, RefusedError
from unbounded.cluster.orders import Orders
from unbounded.cluster.proof import Missing, Proof
from unbounded.cluster.records import WithdrawnError, audit, settle, withdraw_lost
from unbounded.cluster.tally import WorkerStatus
from unbounded.cluster.tasks import ContradictedError
from unbounded.cluster.upper_graph import Node, UpperGraph
from unbounded.cluster.worker import SolvingOrders
from unbounded.cluster.workers import Workers
from unbounded.game import Game, RecordGame, UnboundedError, require
from unbounded.solving.solve import shortcuts

MOST_TRIES, LONGEST_TRY = 200, 3600.0
"""Jobs about one position that lacks only its certificate, refused ones included; each is twice as
long as the one before. And the longest."""

Stop = Callable[[], bool]
Progress = Callable[[Driver], None]
MakeWorkers = Callable[[SolvingOrders], Workers]
AGAIN = Path()
"""Instead of a proof: claims were withdrawn or refused, and a new graph has to be made."""


@dataclass(frozen=True)
class ClusterOptions:
    """How a game is solved by jobs."""

    trust: str = NONE
    pace: Pace = field(default_factory=Pace)
    seed: int = 0
    cores: int = 1
    """Of each worker."""
    memory: int | None = None
    """Bytes of each worker's search."""
    checker_search: int = 1000
    """What certificates leave to the checker; see `certify`."""
    checkers: int = 1
    """Certificates that the driver checks at once."""


@dataclass(frozen=True)
class Outcome:
    """What is known at the end."""

    game: str
    moves: tuple[str, ...]
    fact: Fact
    resolved: bool
    line: tuple[str, ...]
    """The best line, as far as it is known."""
    proof: Path | None
    """The certificate of the whole, which leans on those of the jobs."""
    jobs: dict[str, int]
    states: int
    worked: float
    """Seconds of all workers, in all runs."""
    checked: bool
    """Whether every claim was checked by its certificate; else the workers are believed."""

    @property
    def outcome(self) -> tuple[int | None, ...]:
        """The outcome per player; None where it is not proven."""
        fact = self.fact
        if isinstance(fact, Bounds):
            known = fact.low[0] if fact.low[0] == fact.high[0] else None
            return (known, None if known is None else -known)
        return tuple(worth[0] for worth in fact) if fact is not None else ()


def solve_with_claims(
    game: Game[Any, Any],
    path: Path,
    make_workers: MakeWorkers,
    *,
    moves: tuple[str, ...] = (),
    search: Mapping[str, Any] | None = None,
    options: ClusterOptions | None = None,
    stop: Stop = lambda: False,
    progress: Progress = lambda _: None,
    tell: Tell = lambda _: None,
) -> Outcome:
    """Solve a position of a game by jobs, or continue; everything proven is in the claims file.

    search: options of the workers' searches, as `solve` takes them.
    """
    options = options or ClusterOptions()
    orders = orders_for(game, dict(search or {}), options)
    assert isinstance(game, RecordGame)
    scale = Scale(game, scores=orders.scores)
    symmetric = merges_images(game, orders)
    about = About.of(game, moves, scores=orders.scores, symmetric=symmetric)
    with ClaimsFile.open(path, about, game) as file:
        judge = Judge(file, game, scale, options.trust)
        withdraw_lost(file, tell)
        if options.trust == NONE:
            audit(judge, tell, bare=True)
        workers = make_workers(orders)
        by_worker: dict[str, WorkerStatus] = {}
        while True:
            driver = Driver(
                file,
                _believed(judge, game, tell),
                workers,
                judge,
                pace=options.pace,
                seed=options.seed,
                checkers=options.checkers,
                by_worker=by_worker,
                tell=tell,
            )
            proof = _run(driver, stop, progress, tell)
            if proof is not AGAIN:
                return outcome_of(file, driver.graph, proof)


def merges_images(game: RecordGame, orders: SolvingOrders) -> bool:
    """Whether positions that are equal up to symmetry can count as one.

    Only where a position has one value: of several equilibria, a worker that proves the image of a
    position may find another one, and then there is no certificate of what is wanted.
    """
    two = game.players == 2 and game.zero_sum
    return two and game.symmetries > 1 and bool(dict(orders.options).get("canonical"))


def _believed(judge: Judge, game: RecordGame, tell: Tell) -> UpperGraph:
    """The graph of all claims that count; those that are found to be wrong are withdrawn."""
    while True:
        try:
            return graph_of(judge.file, game, judge.scale, judge.counts)
        except ContradictionError as error:
            settle(judge, error, None, tell)


def orders_for(
    game: Game[Any, Any], search: dict[str, Any], options: ClusterOptions
) -> SolvingOrders:
    """What workers are told; refuse games and options that cannot be solved by jobs."""
    require(
        isinstance(game, RecordGame) and native.is_compiled(game),
        f"{game} cannot be solved by jobs: that needs compiled rules, and states that are records",
    )
    chosen = shortcuts(game, {**search, "threads": options.cores})
    require(bool(chosen.get("bounds")), "solving by jobs needs `bounds`: without it nothing prunes")
    two = game.players == 2 and game.zero_sum
    scores = game.has_score and (not two or bool(chosen.get("exact_score")))
    return SolvingOrders(
        **vars(Orders.of(game)),
        options=tuple(sorted(chosen.items())),
        scores=scores,
        memory=options.memory,
        certificates=options.trust != "all",
        checker_search=options.checker_search,
    )


def graph_of(
    file: ClaimsFile,
    game: RecordGame,
    scale: Scale,
    counts: Callable[[Recorded], bool] = lambda _: True,
) -> UpperGraph:
    """The graph as the claims file has it, from the claims that count."""
    about = file.about
    route = native.route_of(game, canonical=about.symmetric)
    facts = file.known_facts(scale, counts)
    graph = UpperGraph(game, about.moves, scale, route.to_core, facts)
    for key, _, estimates in file.expansions():
        node = graph.nodes.get(key)
        if node is not None and node.children is None and not node.terminal:
            graph.expand(node, [finite(one, game.players) for one in estimates])
    for key, spent in file.spent().items():
        if (node := graph.nodes.get(key)) is not None:
            node.spent = spent
    return graph


def _run(driver: Driver, stop: Stop, progress: Progress, tell: Tell) -> Path | None:
    """Run until all is proven, or it is stopped: the proof; `AGAIN` after wrong claims."""
    contradicted = None
    try:
        if not driver.run(stop, progress) or not driver.judge.wants_certificates:
            return None
        return complete_proof(driver, stop, progress)
    except ContradictedError as error:
        contradicted = error
    except WithdrawnError as error:
        _blame(driver, error.workers)
    finally:
        driver.close()
    if contradicted is not None:
        _settle(driver, contradicted, tell)
    return AGAIN


def _settle(driver: Driver, error: ContradictedError, tell: Tell) -> None:
    """After a contradiction: go on if what was wrong had not been checked, else raise."""
    file = driver.file
    try:
        _blame(driver, settle(driver.judge, error.contradiction, error.accepted, tell))
    except RefusedError as refused:
        _blame(driver, [error.worker])
        tell(f"refused: the answer of {error.where} to job {error.job}: {refused}")
        with file.changes():
            file.end(error.job, REFUSED, error.worker, why=str(refused))


def _blame(driver: Driver, workers: list[str]) -> None:
    """Note whose claims were wrong: from now on, each of their answers is checked."""
    for name in workers:
        if name in driver.by_worker:
            driver.by_worker[name].refused += 1


# -- the proof of the whole ------------------------------------------------------------------------


def complete_proof(driver: Driver, stop: Stop, progress: Progress) -> Path | None:
    """Have the certificates made that are missing, and write the one that leans on all of them."""
    asked: dict[tuple[bytes, str], int] = {}
    while not stop():
        proof = Proof(driver.graph, driver.file, checked=driver.judge.trust == NONE)
        missing = proof.missing()
        if not missing:
            return proof.write()
        while (missing or driver.tasks) and not stop():
            missing = _ask_for(driver, missing, asked)
            driver.step(0.2)
            progress(driver)
    return None


def _ask_for(
    driver: Driver, missing: list[Missing], asked: dict[tuple[bytes, str], int]
) -> list[Missing]:
    """Give out jobs about positions that lack a certificate; return what is left.

    A position that is asked for again gets more seconds; one at a time.
    """
    if not missing or driver.workers.free() <= 0:
        return missing
    busy = {task.job.state for task in driver.tasks.values()}
    left = []
    with driver.file.changes():
        for one in missing:
            if driver.workers.free() <= 0 or one.state in busy:
                left.append(one)
                continue
            name = (one.state, one.claim.relation)
            tried = asked.get(name, 0)
            if tried >= MOST_TRIES:
                raise UnboundedError(
                    f"no worker could certify the position after {' '.join(one.moves)} in "
                    f"{MOST_TRIES} jobs; give workers more memory, or longer jobs"
                )
            seconds = min(driver.pace.seconds * 2.0**tried, max(driver.pace.seconds, LONGEST_TRY))
            asked[name] = tried + 1
            given = ""
            while not given and driver.workers.free() > 0:  # another one, if a worker is replaced
                given = driver.begin(None, one.moves, one.state, one.window, seconds)
            if given:
                busy.add(one.state)
            else:
                left.append(one)
    return left


# -- the end ---------------------------------------------------------------------------------------


def outcome_of(file: ClaimsFile, graph: UpperGraph, proof: Path | None) -> Outcome:
    """What is known."""
    states, worked = file.totals()
    return Outcome(
        file.about.game,
        graph.root.moves,
        graph.root.fact,
        graph.is_settled(graph.root),
        best_line(file, graph),
        proof,
        file.job_counts(),
        states,
        worked,
        all(one.checked for one in file.claims()),
    )


def best_line(file: ClaimsFile, graph: UpperGraph) -> tuple[str, ...]:
    """The line of best play from the root, as far as it is known."""
    node, line = graph.root, list[str]()
    if not graph.is_settled(node):
        return ()
    while node.children:
        best = _best_child(graph, node)
        if best is None:
            return tuple(line)
        if best.moves[:-1] != node.moves:  # reached by other moves first, or by a symmetry
            return (*line, *_name(graph, node, best))
        line.append(best.moves[-1])
        node = best
    return (*line, *_playable(graph, node, file.line_of(node.key)))


def _playable(graph: UpperGraph, node: Node, line: tuple[str, ...]) -> tuple[str, ...]:
    """A line that a worker has sent, if it can be played and does not end as it should not."""
    game, state = graph.game, node.state
    try:
        for move in line:
            state = game.next(state, game.parse_action(state, move))
    except UnboundedError:
        return ()
    over = len(game.actions(state)) == 0
    return line if not over or graph.scale.of_end(state) == node.fact else ()


def _best_child(graph: UpperGraph, node: Node) -> Node | None:
    fact, player = node.fact, node.player
    for child in node.children or ():
        if isinstance(fact, Bounds) and isinstance(child.fact, Bounds):
            if child.fact.for_mover(player)[0] >= fact.for_mover(player)[0]:
                return child
        elif child.fact == fact:
            return child
    return None


def _name(graph: UpperGraph, node: Node, child: Node) -> list[str]:
    """The move to a child that has other moves as its own."""
    game = graph.game
    for action in game.actions(node.state):
        if graph.key_of(game.next(node.state, action)) == child.key:
            return [game.action_name(node.state, action)]
    return []
