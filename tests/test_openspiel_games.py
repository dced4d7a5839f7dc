# SPDX-License-Identifier: MIT
"""Games of OpenSpiel as games of ours: their values, their keys, and what is refused."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from random import Random
from typing import Any

import pytest

pyspiel = pytest.importorskip(
    "pyspiel", reason="OpenSpiel is not installed: pip install 'unbounded[openspiel]'"
)
from interruptions import interrupt, require_sound  # noqa: E402
from open_spiel.python.algorithms import minimax  # noqa: E402
from soaking import repeated  # noqa: E402

import unbounded as ub  # noqa: E402
from unbounded.bridges import openspiel  # noqa: E402
from unbounded.bridges.openspiel import keys, numbering, trial  # noqa: E402
from unbounded.conformance.check import check_game  # noqa: E402
from unbounded.game import RuleError, UsageError  # noqa: E402
from unbounded.interfaces.cli.main import main  # noqa: E402
from unbounded.interfaces.engine import Engine  # noqa: E402
from unbounded.native import object_rules  # noqa: E402
from unbounded.solving.solve import search_to_solve  # noqa: E402

# -- values ---------------------------------------------------------------------------------------

PLIES = {
    "tic_tac_toe": 5,
    "connect_four(rows=4,columns=4)": 6,
    "breakthrough(rows=5,columns=3)": 4,
    "clobber(rows=3,columns=4)": 4,
    "nim(pile_sizes=1;3;3)": 4,
    "nim(pile_sizes=2;3;2,is_misere=false)": 4,
    "hex(board_size=3)": 5,
    "havannah(board_size=2)": 4,
    "y(board_size=3)": 4,
    "mnk(m=4,n=3,k=3)": 4,
    "gomoku(size=3,connect=3,anti=true)": 5,
    "dots_and_boxes(num_rows=2,num_cols=2)": 6,
    "dots_and_boxes(num_rows=1,num_cols=2,utility_margin=true)": 5,
    "othello": 4,
    "mancala": 1,
    "amazons(board_size=6)": 4,
    "connect_four(rows=3,columns=3,x_in_row=3)": 5,
    "mnk(m=3,n=3,k=3)": 5,
    "misere(game=tic_tac_toe())": 4,
}
"""Games, and how many moves before their end they are solved."""


STATES = 75
"""Of each game, fewer where there are not so many."""


def random_states(name: str, count: int, plies: int) -> list[Any]:
    """Different states of random games, some moves before the end."""
    game, random, found = pyspiel.load_game(name), Random(7), dict[Any, Any]()
    for _ in range(4 * count):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(random.choice(state.legal_actions()))
        moves = state.history()
        state = game.new_initial_state()
        for action in moves[: max(0, len(moves) - plies)]:
            state.apply_action(action)
        found.setdefault((state.to_string(), state.current_player()), state)
        if len(found) == count:
            break
    return list(found.values())


@pytest.mark.parametrize("name", PLIES)
def test_values_are_those_of_their_minimax(name: str) -> None:
    """By OpenSpiel's alpha-beta, which merges nothing, so that it needs no key."""
    theirs, ours = pyspiel.load_game(name), openspiel.load(name)
    for state in random_states(name, repeated(STATES, soak=400), PLIES[name]):
        value, _ = minimax.alpha_beta_search(
            theirs, state=state, maximum_depth=10_000, maximizing_player_id=0
        )
        moves = keys.moves_to(state)
        result = ub.solve(ours, moves=moves, exact_score=ours.has_score)
        assert result.score is not None and result.score[0] == value, moves
        assert result.outcome == ((value > 0) - (value < 0), (value < 0) - (value > 0))


def test_there_are_enough_of_them() -> None:
    games = {name.partition("(")[0] for name in PLIES}
    states = sum(len(random_states(name, STATES, plies)) for name, plies in PLIES.items())
    assert len(games) >= 15 and states >= 1000


TWINS = {
    "tic_tac_toe": "tic-tac-toe",
    "connect_four(rows=4,columns=4)": "connect-four(width=4,height=4)",
    "breakthrough(rows=5,columns=3)": "breakthrough(rows=5,columns=3,pawn_rows=1)",
    "hex(board_size=3)": "hex(size=3)",
    "clobber(rows=3,columns=4)": "clobber(rows=3,columns=4)",
}


@pytest.mark.parametrize("name", TWINS)
def test_values_are_those_of_our_own_game(name: str) -> None:
    theirs, ours = ub.load_game(f"open_spiel:{name}"), ub.load_game(TWINS[name])
    assert ub.solve(theirs).outcome == ub.solve(ours).outcome
    assert perft(theirs, 4) == perft(ours, 4)


def perft(game: ub.Game[Any, Any], depth: int, state: Any = None) -> int:
    """The number of ways to play so many moves."""
    state = game.initial() if state is None else state
    following = [game.next(state, action) for action in game.actions(state)]
    if depth == 1:
        return len(following)
    return sum(perft(game, depth - 1, after) for after in following)


def test_a_tree_has_the_value_of_the_graph() -> None:
    graph, tree = (openspiel.load("tic_tac_toe", key=key) for key in (None, "history"))
    assert graph.merges and not tree.merges and tree.symmetries == 1
    position = ["x(1,1)", "o(0,1)", "x(0,0)"]
    found = [ub.solve(game, moves=position) for game in (graph, tree)]
    assert found[0].outcome == found[1].outcome == (1, -1)
    assert str(tree) == "open_spiel_tree:tic_tac_toe"
    assert not ub.load_game(str(tree)).merges


def test_every_way_of_solving_agrees() -> None:
    game = openspiel.load("dots_and_boxes(num_rows=1,num_cols=2,utility_margin=true)")
    outcomes = {
        ub.solve(game, **options).outcome
        for options in ({}, {"probes": False}, {"bounds": False}, {"algorithm": "descent"})
    }
    assert len(outcomes) == 1
    assert game.best_scores == (2, 2) and game.has_score


def test_one_player() -> None:
    game = openspiel.load("cliff_walking(height=2,width=3,horizon=6)")
    result = ub.solve(game)
    assert game.players == 1 and not game.merges
    assert result.outcome == (-1,) and result.score == (-4.0,)
    # Less is lost than the `max_utility` of OpenSpiel says, which is that of the shortest way.
    assert ub.solve("open_spiel:cliff_walking(height=2,width=5,horizon=3)").score == (-3.0,)


def test_more_than_two_players() -> None:
    game = openspiel.load("quoridor(board_size=3,players=3)")
    assert (game.players, game.zero_sum) == (3, False)
    end = random_states(game.name, 1, 0)[0]
    moves = keys.moves_to(end)
    assert sorted(ub.Position(game, moves).outcome)[-1] == 1
    assert ub.solve(game, moves=moves[:-1]).resolved


# -- keys -----------------------------------------------------------------------------------------

SMALL = [
    "breakthrough(rows=4,columns=2)",
    "breakthrough(rows=5,columns=2)",
    "clobber(rows=3,columns=3)",
    "connect_four(rows=3,columns=3,x_in_row=3)",
    "dots_and_boxes(num_rows=2,num_cols=2)",
    "gomoku(size=3,connect=3)",
    "havannah(board_size=2)",
    "hex(board_size=3)",
    "mancala",
    "mnk(m=3,n=3,k=3)",
    "nim(pile_sizes=1;2;3)",
    "othello",
    "tic_tac_toe",
    "y(board_size=3)",
]


def observed(state: keys.SpielState, after: list[str]) -> tuple[Any, ...]:
    """All that can be observed of a state and of its successors."""
    return state.mover, tuple(state.legal), state.returns, after


@pytest.mark.parametrize("name", SMALL)
def test_the_key_of_a_game_that_merges_is_complete(name: str) -> None:
    """States with one key, reached in different ways, have the same successors."""
    game, random, seen = openspiel.load(name), Random(3), dict[str, Any]()
    assert game.merges
    for _ in range(repeated(12, soak=500)):
        state = game.initial()
        while True:
            after = [game.next(state, action).key for action in state.legal]
            about = observed(state, after)
            assert seen.setdefault(state.key, about) == about
            assert (state.mover < 0) == state.spiel.is_terminal()
            if not state.legal:
                break
            state = game.next(state, random.choice(state.legal))


USABLE = [
    kind.short_name
    for kind in pyspiel.registered_games()
    if kind.dynamics == kind.Dynamics.SEQUENTIAL
    and kind.chance_mode == kind.ChanceMode.DETERMINISTIC
    and kind.information == kind.Information.PERFECT_INFORMATION
    and not kind.short_name.startswith("unbounded_")
    and kind.default_loadable
]


@pytest.mark.parametrize("name", USABLE)
def test_a_state_stays_what_it_is(name: str) -> None:
    """States that were copied are those that were played to, and remain so."""
    game, random = openspiel.load(name), Random(2)
    played, state, kept = pyspiel.load_game(name).new_initial_state(), game.initial(), list[Any]()
    for _ in range(repeated(30, soak=300)):
        kept.append((state, state.spiel.to_string()))
        assert state.spiel.to_string() == played.to_string()
        assert list(state.legal) == ([] if played.is_terminal() else played.legal_actions())
        if not state.legal:
            break
        action = random.choice(state.legal)
        for other in random.sample(state.legal, min(2, len(state.legal))):
            game.next(state, other)
        state = game.next(state, action)
        played.apply_action(action)
    for earlier, text in kept:
        assert earlier.spiel.to_string() == text
        assert not earlier.legal or list(earlier.legal) == earlier.spiel.legal_actions()


def test_a_game_whose_states_cannot_be_copied() -> None:
    """OpenSpiel 2.0.2 crashes after it copied a state of this game."""
    game = ub.load_game("open_spiel:morpion_solitaire")
    search = ub.Search(game)
    search.run(states=2000)
    assert search.states >= 1000 and not search.root.resolved


def test_every_game_that_merges_is_tried() -> None:
    assert {name.partition("(")[0] for name in SMALL} == keys.COMPLETE


CLASHES = [
    "breakthrough(rows=4,columns=2)",
    "breakthrough(rows=5,columns=2)",
    "checkers",
    "dots_and_boxes(num_rows=2,num_cols=2)",
    "quoridor(board_size=3)",
]


@pytest.mark.parametrize("name", CLASHES)
def test_positions_with_one_text_are_different_states(name: str) -> None:
    """Of two positions that OpenSpiel prints alike, but that are not, none is taken for another."""
    game, random, clashes = openspiel.load(name), Random(1), 0
    by_text: dict[str, list[keys.SpielState]] = {}
    for _ in range(300):
        state = game.initial()
        while state.legal:
            for other in by_text.setdefault(str(state.spiel), []):
                if (other.legal, other.mover) != (state.legal, state.mover):
                    clashes += 1
                    assert state != other and len({state, other}) == 2
            by_text[str(state.spiel)] = [*by_text[str(state.spiel)], state][:3]
            state = game.next(state, random.choice(state.legal))
        if clashes:
            return
    pytest.fail("no two such positions were met")


@pytest.mark.parametrize(
    "name",
    [
        "quoridor(board_size=3)",
        "checkers",
        "amazons(board_size=6)",
        "chinese_checkers",
        "lines_of_action",
        "oware",
        "pentago",
        "hex(board_size=3,swap=true)",
        "misere(game=tic_tac_toe())",
    ],
)
def test_other_games_are_trees(name: str) -> None:
    """Also those that end after a number of moves, or remember positions, and do not print it."""
    game = openspiel.load(name)
    assert not game.merges
    with pytest.raises(UsageError, match="may be the same for different positions"):
        openspiel.load(name, key="checked")


def test_a_game_that_ends_by_its_length() -> None:
    """The same board is the end of one game and not of the other."""
    game = openspiel.load("lines_of_action(max_game_length=4)")
    state = game.initial()
    for action in keys_of_moves(game, 4):
        assert state.legal
        state = game.next(state, action)
    assert not state.legal and list(game.outcome(state)) == [0, 0]


def test_a_position_that_returns_is_another_state() -> None:
    """OpenSpiel ends this game after a number of moves that its text does not have."""
    game = openspiel.load("chinese_checkers")
    first = state = game.initial()
    for action in (40, 666, 85, 617):  # both players move a piece forth and back
        state = game.next(state, action)
    assert str(state.spiel) == str(first.spiel)
    assert (state.mover, state.legal) == (first.mover, first.legal)
    assert state != first and len({state, first}) == 2


def keys_of_moves(game: openspiel.OpenSpielGame, count: int) -> list[int]:
    """The first actions of a game in which the first legal one is always chosen."""
    state, actions = game.initial(), list[int]()
    for _ in range(count):
        actions.append(state.legal[0])
        state = game.next(state, state.legal[0])
    return actions


@pytest.mark.parametrize("options", [{}, {"probes": False}, {"bounds": False}])
def test_a_false_key_is_found_out(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, bool]
) -> None:
    monkeypatch.setattr(keys, "COMPLETE", frozenset({"amazons"}))
    game = openspiel.load("amazons(board_size=6)")  # which does not print which piece moves
    assert game.merges
    with pytest.raises(RuleError) as caught:
        ub.solve(game, **options)
    said = str(caught.value)
    assert said.count("<amazons after ") >= 2 and "different positions" in said
    assert "open_spiel_tree:amazons" in said


def test_a_false_key_that_makes_a_cycle_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "COMPLETE", frozenset({"quoridor"}))
    with pytest.raises(RuleError, match="cycle"):
        ub.solve(openspiel.load("quoridor(board_size=3)"))


def test_a_false_key_is_found_out_where_states_are_compared() -> None:
    game = openspiel.load("tic_tac_toe")
    one, other = (game.next(game.initial(), action) for action in (0, 1))
    fake = keys.wrapped(other.spiel, one.key, other.mover)
    with pytest.raises(RuleError, match="different positions"):
        _ = one == fake
    assert one != other and one == game.next(game.initial(), 0)
    assert one != 3 and hash(one) == hash(game.next(game.initial(), 0))


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_what_interrupts_it_leaves_no_number_for_two_states(error: type[BaseException]) -> None:
    files = [keys.__file__, numbering.__file__, object_rules.__file__]
    for line in range(30, 1500, 31):
        search = search_to_solve("open_spiel:connect_four(rows=3,columns=4,x_in_row=3)", {})
        interrupt(search, files, line, error)
        require_sound(search.route.bridge)
        search.run()
        assert search.root.outcome == (1, -1)


def test_python_is_called_once_for_a_state_whose_actions_do_not_end_the_game() -> None:
    asked: dict[int, int] = {}

    class Counted(numbering.Numbering):
        def successors_until_end(self, number: int, places: Any) -> Any:
            asked[number] = asked.get(number, 0) + 1
            return super().successors_until_end(number, places)

    game = openspiel.load("connect_four(rows=4,columns=4)")
    game.numbering = Counted  # type: ignore[misc]
    assert ub.solve(game).outcome == (0, 0)
    # Three calls for two states when the action that won last was asked for by itself.
    assert sum(asked.values()) < 1.1 * len(asked)


def test_actions_that_leave_few_replies_are_tried_first() -> None:
    """In clobber, who cannot move has lost; in the order of the rules it takes 5,791 nodes."""
    result = ub.solve("open_spiel:clobber(rows=3,columns=5)")
    assert result.outcome == (1, -1) and result.probed < 4000


def test_a_state_can_be_pickled() -> None:
    game = openspiel.load("breakthrough(rows=5,columns=3)")
    state = game.next(game.initial(), game.actions(game.initial())[1])
    again = pickle.loads(pickle.dumps(state))  # noqa: S301
    assert again == state and game.actions(again) == game.actions(state)
    assert str(again.spiel) == str(state.spiel)


# -- what a game has ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "tic_tac_toe",
        "breakthrough(rows=4,columns=3)",
        "connect_four(rows=3,columns=4,x_in_row=3)",
        "dots_and_boxes(num_rows=1,num_cols=2,utility_margin=true)",
        "nim(pile_sizes=2;2)",
        "cliff_walking(height=2,width=3,horizon=5)",
    ],
)
def test_they_conform_to_the_contract(name: str) -> None:
    assert check_game(f"open_spiel:{name}", games=10).conforms


def test_names_are_words() -> None:
    for name in ("amazons(board_size=6)", "nim", "ultimate_tic_tac_toe", "morpion_solitaire"):
        game = openspiel.load(name)
        state = game.initial()
        names = [game.action_name(state, action) for action in game.actions(state)]
        assert len(set(names)) == len(names) and not any(len(n.split()) != 1 for n in names)
        assert [game.parse_action(state, n) for n in names] == list(state.legal)


def test_actions_of_one_name_are_told_apart_by_number() -> None:
    class Spiel:
        def current_player(self) -> int:
            return 0

        def action_to_string(self, player: int, action: int) -> str:
            return ["up", "u p", "up"][action]

    assert keys.names_of(Spiel(), [0, 1]) == {0: "up", 1: "u_p"}
    assert keys.names_of(Spiel(), [0, 1, 2]) == {0: "0", 1: "1", 2: "2"}


def test_what_a_network_is_given() -> None:
    for name, planes in {
        "tic_tac_toe": (4, 3, 3),
        "mancala": (2, 1, 16),
        "gomoku(size=3,connect=3)": (2, 3, 9),
        "morpion_solitaire": None,
    }.items():
        game = openspiel.load(name)
        assert game.planes == planes
        if planes is not None:
            after = game.next(game.initial(), game.initial().legal[0])
            numbers = game.encode(after)
            assert len(numbers) == planes[0] * planes[1] * planes[2]
            assert set(numbers[-planes[1] * planes[2] :]) == {1.0}


def test_string_forms() -> None:
    nested = ub.load_game("horizon(open_spiel:breakthrough(rows=5,columns=3),40)")
    assert str(nested) == "horizon(game=open_spiel:breakthrough(rows=5,columns=3),plies=40)"
    assert ub.load_game(str(nested)).is_same_game(nested)
    assert ub.solve(nested).outcome == (1, -1)
    fen = "antichess(fen=k7/8/8/8/8/8/8/K7 w - - 0 1)"
    assert str(ub.load_game(f"open_spiel:{fen}")) == f"open_spiel:{fen}"
    given = ub.load_game("open_spiel:breakthrough(rows=5)", columns=3)
    assert str(given) == "open_spiel:breakthrough(rows=5,columns=3)"
    assert str(ub.load_game("open_spiel:nim", pile_sizes="1;2")) == "open_spiel:nim(pile_sizes=1;2)"


# -- bad input ------------------------------------------------------------------------------------

BAD = [
    ("open_spiel:tic_tac_tow", "no game 'tic_tac_tow' .did you mean 'tic_tac_toe'"),
    ("open_spiel:", "no game ''"),
    ("open_spiel:goofspiel", "do not move one after the other"),
    ("open_spiel:matrix_rps", "do not move one after the other"),
    ("open_spiel:backgammon", "there is chance"),
    ("open_spiel:chess(chess960=true)", "there is chance"),
    ("open_spiel:kuhn_poker", "do not see everything"),
    ("open_spiel:phantom_ttt", "do not see everything"),
    ("open_spiel:breakthrough(row=5)", "Unknown parameter 'row'"),
    ("open_spiel:hex(board_size=big)", "Wrong type"),
    ("open_spiel:hex(board_size=0)", "OpenSpiel refuses it"),
    ("open_spiel:breakthrough(rows=0,columns=0)", "OpenSpiel refuses it"),
    ("open_spiel:go(board_size=1000)", "OpenSpiel refuses it"),
    ("open_spiel:hex(board_size=300)", "has 90,000 actions in its first state"),
    ("open_spiel:hex(board_size=3", r"'\)' expected"),
    ("open_spiel:hex(board_size=3) x", "the end expected"),
    ("open_spiel:efg_game(filename=/nowhere)", "OpenSpiel refuses it"),
]


@pytest.mark.parametrize(("text", "words"), BAD)
def test_what_is_refused(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        ub.load_game(text)


def test_no_file_is_opened_for_strangers() -> None:
    text = "open_spiel:efg_game(filename=/etc/passwd)"
    for named in (text, f"horizon({text},3)", "open_spiel_tree:start_at(game=efg_game())"):
        with pytest.raises(UsageError, match="games from files are not allowed"):
            ub.load_game(named, files=False)
    with pytest.raises(UsageError, match="games from files"):
        openspiel.load("efg_game(filename=x)", files=False)
    with pytest.raises(UsageError, match="numbers above 1,000 are not allowed"):
        ub.load_game("open_spiel:hex(board_size=100000)", files=False)
    assert ub.load_game("open_spiel:tic_tac_toe", files=False).players == 2


def test_no_name_of_a_game_ends_the_process() -> None:
    for files in (False, True):
        for name in ("havannah(board_size=99)", "gomoku(size=1000,dims=3)"):
            with pytest.raises(UsageError, match="crashes, hangs or runs out of memory"):
                ub.load_game(f"open_spiel:{name}", files=files)
    # What OpenSpiel itself refuses is reported in its own words.
    with pytest.raises(UsageError, match="Wrong type"):
        ub.load_game("open_spiel:hex(board_size=big)", files=False)


def test_a_game_that_does_not_load_in_time_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "SECONDS", 0)
    assert not trial.is_harmless("hex(board_size=4)")
    assert trial.is_harmless("hex") and trial.is_harmless(" hex() ")


def test_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(UsageError, match=r"pip install 'unbounded\[openspiel\]'"):
        ub.load_game("open_spiel:tic_tac_toe")


# -- everywhere a game is named -------------------------------------------------------------------


def run(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What a command prints."""
    assert main(list(words)) == 0
    return capsys.readouterr().out


def test_the_command_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    game = "open_spiel:tic_tac_toe"
    told = json.loads(run(capsys, "solve", game, "--moves", "x(1,1) o(0,1)", "--json"))
    assert (told["game"], told["outcome"]) == (game, [1, -1])
    told = json.loads(run(capsys, "analyze", game, "--iterations", "50", "--json"))
    assert told["best_action"].startswith("x(")
    assert "o" in run(capsys, "match", "random", "ubfm", "--game", game, "--games", "2")
    assert "conforms" in run(capsys, "check", game)


def test_certificates(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    proof = str(tmp_path / "proof.cert")
    for game in ("open_spiel:connect_four(rows=4,columns=4)", "open_spiel:hex(board_size=3)"):
        run(capsys, "solve", game, "--certificate", proof, "--force")
        run(capsys, "verify", proof)  # which ends well only if the certificate holds
        assert game in Path(proof).read_text("utf-8")


def test_checkpoints(tmp_path: Path) -> None:
    for name in ("connect_four(rows=4,columns=4)", "oware(num_houses_per_player=2)"):
        search = ub.Search(openspiel.load(name), bounds=True, canonical=True)
        search.run(iterations=30)
        search.save(tmp_path / "saved")
        again = ub.Search.load(tmp_path / "saved")
        assert again.snapshot() == search.snapshot()
        again.run(iterations=30)
        search.run(iterations=30)
        assert again.snapshot() == search.snapshot()


def test_a_checkpoint_of_a_search_with_probes(tmp_path: Path) -> None:
    search = search_to_solve("open_spiel:connect_four(rows=4,columns=4)", {})
    search.run(states=2000)
    assert not search.root.resolved and search.probed_states > 0
    search.save(tmp_path / "saved")
    assert ub.solve(ub.Search.load(tmp_path / "saved")).outcome == (0, 0)


def test_the_engine() -> None:
    answers: list[dict[str, Any]] = []
    requests = [
        {"id": 1, "game": "open_spiel:tic_tac_toe", "solve": True},
        {"id": 2, "game": "open_spiel:efg_game(filename=/etc/passwd)", "solve": True},
    ]
    Engine(answers.append).serve(json.dumps(request) for request in requests)
    by_id = {answer["id"]: answer for answer in answers}
    assert by_id[1]["result"]["outcome"] == (0, 0)
    assert "games from files are not allowed" in by_id[2]["error"]
