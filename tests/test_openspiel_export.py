# SPDX-License-Identifier: MIT
"""Our games in OpenSpiel: its own tests of games pass, and nothing is lost on the way."""

from __future__ import annotations

import pickle
import random
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from broken_games import Sound, SoundObject

import unbounded as ub
from unbounded.bridges import openspiel
from unbounded.conformance.check import random_play
from unbounded.game import Game, UsageError, catalogue

pyspiel = pytest.importorskip(
    "pyspiel", reason="needs OpenSpiel: pip install 'unbounded[openspiel]'"
)

SMALL = (
    "amazons(size=4)", "blokus(size=4,pieces=3)", "blokus(size=4,pieces=2,players=3)",
    "breakthrough(rows=4,columns=3)", "chinese-checkers(size=1,horizon=12)",
    "chinese-checkers(size=1,players=6,horizon=9)", "chomp(rows=3,columns=3)",
    "clobber(rows=3,columns=3)", "clobber(rows=1,columns=2)", "connect-four(width=4,height=3)",
    "connect-four(width=4,height=3,line=3,players=3)", "domineering(first=horizontal)",
    "dots-and-boxes(rows=1,columns=2)", "dots-and-boxes(rows=1,players=4)", "gomoku(size=3)",
    "graph", "havannah(size=2)", "hex(size=3)", "isolation(rows=3,columns=3)",
    "isolation(rows=3,columns=3,players=4)", "kalah(pits=3,seeds=2)", "konane(rows=4,columns=4)",
    "lines-of-action(size=4,horizon=9)", "mnk(rows=3,columns=4,players=3)",
    "nim(heaps=[1,3,5],misere=true)", "nim(heaps=[4,4],players=4)", "othello(size=4)",
    "rolit(size=4)", "rolit(size=4,players=4)", "santorini(size=2,workers=1)",
    "santorini(size=3,players=3,workers=1)", "tic-tac-toe",
    "horizon(konane(rows=4,columns=4),5)", "horizon(graph,1)", "unfolded(nim(heaps=[2,2]))",
    "unfolded(graph)", "quick-wins(tic-tac-toe)", "tie-breaking(nim(players=3))",
)  # fmt: skip
SCORED = ("blokus(size=4,pieces=3)", "dots-and-boxes(rows=1,columns=2)", "graph",
          "kalah(pits=3,seeds=2)", "othello(size=4)", "rolit(size=4)", "quick-wins(chomp)",
          "tic-tac-toe")  # fmt: skip


def played(game: Any, seed: int, moves: int = 10**6) -> Any:
    """Return a state after random moves."""
    choose, state = random.Random(seed), game.new_initial_state()
    while not state.is_terminal() and moves > 0:
        state.apply_action(choose.choice(state.legal_actions()))
        moves -= 1
    return state


def test_every_game_is_registered() -> None:
    names = openspiel.register()
    assert names == openspiel.register()
    assert names == sorted("unbounded_" + name.replace("-", "_") for name in ub.games())
    assert set(names) <= set(pyspiel.registered_names())
    shelf = [n for n, cls in ub.games().items() if cls.__module__.startswith("unbounded.games")]
    assert {text.partition("(")[0] for text in SMALL} >= set(shelf)
    loadable = {x.short_name for x in pyspiel.registered_games() if x.default_loadable}
    assert {f"unbounded_{name.replace('-', '_')}" for name in shelf} <= loadable


@pytest.mark.parametrize("text", SMALL)
def test_openspiel_plays_it_at_random_and_serializes_every_state(text: str) -> None:
    game = openspiel.game_of(text)
    pyspiel.random_sim_test(game, num_sims=4, serialize=True, verbose=False)


@pytest.mark.parametrize("text", SCORED)
def test_the_same_with_scores(text: str) -> None:
    game = openspiel.game_of(text, returns="score")
    pyspiel.random_sim_test(game, num_sims=4, serialize=True, verbose=False)
    ours = ub.load_game(text)
    for seed in range(5):
        state = played(game, seed)
        end = position(ours, state.history())
        assert state.returns() == [float(x) for x in ours.score(end)]
        assert game.min_utility() <= min(state.returns())
        assert max(state.returns()) <= game.max_utility()


def copied(thing: Any) -> Any:
    """Return what comes back from a pickle."""
    return pickle.loads(pickle.dumps(thing))  # noqa: S301 - ours


def position(game: Game[Any, Any], actions: Any) -> Any:
    """Return our state after these actions."""
    state = game.initial()
    for action in actions:
        state = game.next(state, action)
    return state


@pytest.mark.parametrize("text", SMALL)
def test_the_rules_are_ours(text: str) -> None:
    ours, game = ub.load_game(text), openspiel.game_of(text)
    assert (game.num_players(), game.num_distinct_actions()) == (ours.players, ours.action_count)
    assert game.max_game_length() == ours.longest_game
    assert (game.get_type().utility.name == "ZERO_SUM") == ours.zero_sum
    state, here = game.new_initial_state(), ours.initial()
    choose = random.Random(1)
    while not state.is_terminal():
        actions = state.legal_actions()
        assert actions == sorted(ours.actions(here)) == sorted(set(actions))
        assert state.current_player() == ours.player(here)
        assert state.returns() == [0.0] * ours.players
        assert [state.action_to_string(a) for a in actions] == [
            ours.action_name(here, a) for a in actions
        ]
        if ours.players > 1:
            assert state.legal_actions((state.current_player() + 1) % ours.players) == []
        action = choose.choice(actions)
        state.apply_action(action)
        here = ours.next(here, action)
    assert len(ours.actions(here)) == 0
    assert state.returns() == [float(x) for x in ours.outcome(here)]


@pytest.mark.parametrize("text", SMALL)
def test_copies_are_equal_and_independent(text: str) -> None:
    game = openspiel.game_of(text)
    assert str(copied(game)) == str(game)
    state = played(game, 3, moves=3)
    twins = [state.clone(), copied(state)]
    other, restored = pyspiel.deserialize_game_and_state(
        pyspiel.serialize_game_and_state(game, state)
    )
    assert str(other) == str(game)
    for twin in (*twins, restored):
        assert (str(twin), twin.history()) == (str(state), state.history())
        assert twin.legal_actions() == state.legal_actions()
    if not state.is_terminal():
        before = str(state)
        twins[0].apply_action(state.legal_actions()[0])
        assert str(state) == before != str(twins[0])


@pytest.mark.parametrize("text", ["amazons(size=4)", "chomp(rows=3,columns=3)", "unfolded(graph)"])
def test_different_states_have_different_texts(text: str) -> None:
    """OpenSpiel takes states for equal if their texts are."""
    ours, game = ub.load_game(text), openspiel.game_of(text)
    texts: dict[str, Any] = {}
    for seed in range(20):
        state = game.new_initial_state()
        for action in played(game, seed).history():
            state.apply_action(action)
            here = position(ours, state.history())
            assert texts.setdefault(str(state), here) == here
    assert len(texts) > 3


@pytest.mark.parametrize("text", [t for t in SMALL if not t.startswith(("graph", "unfolded(g"))])
def test_observations_are_the_planes_of_the_game(text: str) -> None:
    ours, game = ub.load_game(text), openspiel.game_of(text)
    if ours.planes is None:
        assert not game.get_type().provides_observation_tensor
        return
    assert tuple(game.observation_tensor_shape()) == ours.planes
    for moves in (0, 2):
        state = played(game, 5, moves)
        planes = np.array(ours.encode(position(ours, state.history())), np.float32)
        for player in range(ours.players):
            assert np.array_equal(np.array(state.observation_tensor(player), np.float32), planes)
            assert state.observation_string(player) == str(state)
            assert state.information_state_string(player) == state.history_str()


def test_openspiel_solves_our_games_as_we_do() -> None:
    from open_spiel.python.algorithms import minimax

    for text in ("nim(heaps=[1,2,3])", "hex(size=2)", "mnk(rows=2,columns=3,line=2)"):
        game = openspiel.game_of(text)
        value, _ = minimax.alpha_beta_search(game)
        assert value == ub.solve(text).outcome[0]


def test_strings_of_openspiel_name_our_games() -> None:
    openspiel.register()
    for theirs, ours in (
        ("unbounded_hex(size=7)", "hex(size=7)"),
        ("unbounded_nim(heaps=[1;3;5],misere=true)", "nim(heaps=[1,3,5],misere=true)"),
        ("unbounded_horizon(game=konane{rows:4;columns:4},plies=20)",
         "horizon(konane(rows=4,columns=4),20)"),
        ("unbounded_domineering(first=horizontal)", "domineering(first=horizontal)"),
        ("unbounded_quick_wins(game=nim{heaps:[1;2]},bonus=0.25)",
         "quick-wins(nim(heaps=[1,2]),bonus=0.25)"),
    ):  # fmt: skip
        game = pyspiel.load_game(theirs)
        assert game.exported.game.is_same_game(ub.load_game(ours))
        assert str(pyspiel.load_game(str(game))) == str(game) == str(openspiel.game_of(ours))


def test_kinds_of_players_are_declared() -> None:
    openspiel.register()
    kinds = {x.short_name: x for x in pyspiel.registered_games()}
    four = kinds["unbounded_connect_four"]
    assert (four.min_num_players, four.max_num_players) == (2, 4)
    assert kinds["unbounded_hex"].utility.name == "ZERO_SUM"
    assert pyspiel.load_game("unbounded_connect_four(players=3)").num_players() == 3


def test_a_pickled_state_can_be_read_in_another_process() -> None:
    state = played(openspiel.game_of("hex(size=3)"), 1, moves=4)
    program = "import pickle, sys; print(pickle.loads(sys.stdin.buffer.read()))"
    found = subprocess.run(
        [sys.executable, "-c", program], input=pickle.dumps(state), capture_output=True, check=True
    )
    assert found.stdout.decode().rstrip("\n") == str(state)


class Taken(Sound):
    """A game that is not in the catalogue."""

    action_count, longest_game = 3, 5

    def __init__(self, unused: int = 0) -> None:
        self.unused = unused


class TakenObject(SoundObject):
    action_count, longest_game = 3, 5


def test_a_class_of_your_own_is_exported_too() -> None:
    game = openspiel.game_of(Taken(7))
    pyspiel.random_sim_test(game, num_sims=3, serialize=True, verbose=False)
    assert "unbounded_taken" in openspiel.register(Taken)
    assert pyspiel.load_game("unbounded_taken(unused=7)").exported.game.is_same_game(Taken(7))
    game = openspiel.game_of(TakenObject())
    pyspiel.random_sim_test(game, num_sims=3, serialize=True, verbose=False)


def test_a_class_that_is_defined_again_has_its_new_rules() -> None:
    def made(first: int) -> Any:
        class Again(Taken):
            def initial(self) -> bytes:
                return bytes([first, *super().initial()[1:]])

        return Again()

    for first in (5, 4):
        state = openspiel.game_of(made(first)).new_initial_state()
        assert str(state).startswith(f"left={first}")


def test_a_wrapped_game_from_a_file_keeps_its_name(tmp_path: Any) -> None:
    code = "from unbounded.games.nim import Nim\n\nclass Heaps(Nim):\n    pass\n"
    (tmp_path / "heaps.py").write_text(code)
    game = openspiel.game_of(f"horizon({tmp_path / 'heaps.py'}:Heaps(heaps=[1,2]),3)")
    assert "heaps.py::Heaps{heaps:[1;2]}" in str(game)
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)


def test_games_of_openspiel_go_there_and_back() -> None:
    assert str(openspiel.game_of("open_spiel:tic_tac_toe")) == "tic_tac_toe()"
    cut = openspiel.game_of("horizon(open_spiel:breakthrough(rows=4,columns=3),5)")
    assert "game=open_spiel::breakthrough{rows:4;columns:3}" in str(cut)
    pyspiel.random_sim_test(cut, num_sims=2, serialize=True, verbose=False)
    back = ub.load_game("open_spiel:unbounded_hex(size=2)")
    assert (back.action_count, back.longest_game) == (4, 4)
    assert ub.solve(back).outcome == ub.solve("hex(size=2)").outcome


@pytest.mark.parametrize(
    "name", ["tic_tac_toe", "breakthrough(rows=4,columns=3)", "nim", "othello"]
)
def test_openspiel_says_how_many_actions_its_games_have(name: str) -> None:
    game = ub.load_game(f"open_spiel:{name}")
    for seed in range(3):
        play = random_play(game, seed)
        assert game.longest_game is not None and len(play.actions) <= game.longest_game
        assert game.action_count is not None and max(play.actions) < game.action_count


# -- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("unbounded_hex(size=99)", "size must be an integer from 1 to 19"),
        ("unbounded_hex(size=3,returns=fun)", "returns must be outcome or score, not 'fun'"),
        ("unbounded_horizon", "needs a parameter 'game'"),
        ("unbounded_horizon(game=nonsense,plies=3)", "unknown game 'nonsense'"),
        ("unbounded_rolit(players=3,returns=score)", "no lower bound"),
        ("unbounded_graph(file=no.json)", "cannot read 'no.json'"),
    ],
)
def test_bad_parameters_are_refused_with_the_reason(text: str, words: str) -> None:
    openspiel.register()
    with pytest.raises(UsageError, match=words):
        pyspiel.load_game(text)


def test_a_game_without_promises_is_refused() -> None:
    with pytest.raises(UsageError, match="wants to know its action_count before it begins"):
        openspiel.game_of(Sound())

    class Endless(Sound):
        action_count = 3

    with pytest.raises(UsageError, match=r"longest_game .* or wrap the game in a horizon"):
        openspiel.game_of(Endless())


def test_a_class_with_the_name_of_another_game_is_refused() -> None:
    class Hex(Taken):
        """Not the game that people know by this name."""

    with pytest.raises(UsageError, match="there is another game 'hex': rename the class"):
        openspiel.register(Hex)


def test_a_game_that_only_this_program_has_is_refused() -> None:
    ours = ub.load_game("graph")
    made = type(ours).from_json(ours.to_json())  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match="<program>"):
        openspiel.game_of(made)
    with pytest.raises(UsageError, match="unknown game"):
        openspiel.game_of("nonsense")


def test_illegal_actions_and_other_starts_are_refused() -> None:
    game = openspiel.game_of("tic-tac-toe")
    state = game.new_initial_state()
    state.apply_action(4)
    with pytest.raises(UsageError, match="illegal action 4"):
        state.apply_action(4)
    with pytest.raises(UsageError, match="starts in one position only"):
        game.new_initial_state({"board": "whatever"})


def test_without_openspiel_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(UsageError, match=r"unbounded\[openspiel\]"):
        openspiel.register()
    assert "hex" in catalogue.games()
