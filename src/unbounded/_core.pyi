"""
The native search of unbounded. Import it through unbounded._native only.
"""

from collections.abc import Callable, Sequence
import enum


version: str = '0.1.0'

class Busy(RuntimeError):
    pass

class NotProvenAgain(RuntimeError):
    pass

class Damaged(ValueError):
    pass

class RuleFailure(Exception):
    pass

class Rules:
    pass

class NativeRules(Rules):
    def __init__(self, players: int, state_bytes: int, max_actions: int, best_score: Sequence[float], addresses: dict[str, int], symmetries: int = 1) -> None: ...

    def canonical(self, state: bytes) -> bytes: ...

class ObjectRules(Rules):
    def __init__(self, players: int, max_actions: int, best_score: Sequence[float], bridge: object) -> None: ...

def perft(rules: Rules, depth: int) -> int: ...

class Evaluator:
    pass

class ZeroEvaluator(Evaluator):
    def __init__(self, players: int) -> None: ...

class NativeEvaluator(Evaluator):
    def __init__(self, state_bytes: int, address: int) -> None: ...

class PlayoutEvaluator(Evaluator):
    def __init__(self, rules: Rules, playouts: int, seed: int) -> None: ...

class PythonEvaluator(Evaluator):
    def __init__(self, players: int, state_bytes: int, function: object) -> None: ...

class Algorithm(enum.Enum):
    ubfm = 0

    descent = 1

class ValueRule(enum.Enum):
    minimax = 0

    resolved_completion = 1

    propagated_completion = 2

class Stop(enum.Enum):
    resolved = 0

    iterations = 1

    states = 2

    memory = 3

    seconds = 4

    interrupted = 5

class Options:
    def __init__(self) -> None: ...

    @property
    def algorithm(self) -> Algorithm: ...

    @algorithm.setter
    def algorithm(self, arg: Algorithm, /) -> None: ...

    @property
    def values(self) -> ValueRule: ...

    @values.setter
    def values(self, arg: ValueRule, /) -> None: ...

    @property
    def back_up_on_expansion(self) -> bool: ...

    @back_up_on_expansion.setter
    def back_up_on_expansion(self, arg: bool, /) -> None: ...

    @property
    def completion(self) -> bool: ...

    @completion.setter
    def completion(self, arg: bool, /) -> None: ...

    @property
    def resolve_on_win(self) -> bool: ...

    @resolve_on_win.setter
    def resolve_on_win(self, arg: bool, /) -> None: ...

    @property
    def stop_at_draw(self) -> bool: ...

    @stop_at_draw.setter
    def stop_at_draw(self, arg: bool, /) -> None: ...

    @property
    def local_maximum(self) -> bool: ...

    @local_maximum.setter
    def local_maximum(self, arg: bool, /) -> None: ...

    @property
    def bounds(self) -> bool: ...

    @bounds.setter
    def bounds(self, arg: bool, /) -> None: ...

    @property
    def probes(self) -> bool: ...

    @probes.setter
    def probes(self, arg: bool, /) -> None: ...

    @property
    def exact_score(self) -> bool: ...

    @exact_score.setter
    def exact_score(self, arg: bool, /) -> None: ...

    @property
    def threads(self) -> int: ...

    @threads.setter
    def threads(self, arg: int, /) -> None: ...

    @property
    def hash_bits(self) -> int: ...

    @hash_bits.setter
    def hash_bits(self, arg: int, /) -> None: ...

class Node:
    @property
    def player(self) -> int: ...

    @property
    def expanded(self) -> bool: ...

    @property
    def terminal(self) -> bool: ...

    @property
    def resolved(self) -> bool: ...

    @property
    def value(self) -> list[float]: ...

    @property
    def completion(self) -> list[int]: ...

    @property
    def tentative_completion(self) -> list[int]: ...

class Claims:
    def __len__(self) -> int: ...

    def text(self, first: int, count: int, scores: bool, paths: bool) -> bytes: ...

class Search:
    def __init__(self, rules: object, evaluator: object, options: Options) -> None: ...

    def saved(self) -> dict[str, int]: ...

    def arrays(self, saved: dict[str, int]) -> list[tuple[str, int, int, int]]: ...

    def save(self, sink: Callable[[memoryview], None]) -> None: ...

    def load(self, saved: dict[str, int], source: Callable[[memoryview], None], verify: Callable[[], None]) -> None: ...

    def want_rest(self) -> None: ...

    def run(self, iterations: int, states: int, memory: int, seconds: float, report: Callable[[], bool] | None = None, every: float = 0.0, at_rest: Callable[[], object] | None = None) -> Stop: ...

    def resolve_all(self, states: int, memory: int, seconds: float, report: Callable[[], bool] | None = None, every: float = 0.0) -> Stop: ...

    def count_by_ply(self) -> list[tuple[int, int, list[tuple[int, int, int]]]]: ...

    def complete_line(self, memory: int, seconds: float) -> bool: ...

    def certify(self, rules: Rules, locate: Callable[[bytes], bytes] | None, bounds_scores: bool, root: bytes, memory: int, seconds: float, report: Callable[[], bool] | None = None, every: float = 0.0) -> Claims | None: ...

    def stop(self) -> None: ...

    def clear_stop(self) -> None: ...

    @property
    def busy(self) -> bool: ...

    def set_root(self, state: bytes) -> None: ...

    @property
    def root(self) -> int: ...

    @property
    def iterations(self) -> int: ...

    @property
    def expanded(self) -> int: ...

    @property
    def resolved(self) -> int: ...

    @property
    def walked(self) -> int: ...

    @property
    def compactions(self) -> int: ...

    @property
    def probed(self) -> int: ...

    @property
    def states(self) -> int: ...

    @property
    def edges(self) -> int: ...

    @property
    def path(self) -> list[int]: ...

    @property
    def memory(self) -> dict[str, int]: ...

    def node(self, id: int) -> Node: ...

    def outcome_bounds(self, id: int) -> tuple[int, int]: ...

    def state(self, id: int) -> bytes: ...

    def find(self, state: bytes) -> int | None: ...

    def children(self, id: int) -> list[tuple[int, int]]: ...

    def best_child(self, id: int) -> int: ...

    def snapshot(self) -> bytes: ...
