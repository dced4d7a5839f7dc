# SPDX-License-Identifier: MIT
from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest
from broken_games import (
    BROKEN,
    BROKEN_COMPILED,
    NON_CANONICAL,
    ODD_DRAWINGS,
    Drawn,
    Endless,
    GoesRound,
    RaisesInNext,
    Sound,
    SoundObject,
)
from hypothesis import given, settings

from unbounded import testing
from unbounded.game import Game, Out, Place, RecordGame, RuleError, Rules, State, UsageError, record
from unbounded.game.catalogue import load_game
from unbounded.games.connect_four import ConnectFour
from unbounded.games.graph import Graph
from unbounded.games.mnk import Mnk
from unbounded.games.nim import Nim
from unbounded.solving.solve import solve
from unbounded.testing import (
    check_game,
    check_tie_breaking,
    graph_games,
    perft,
    random_play,
)

AnyGame = Game[Any, Any]


@pytest.mark.parametrize(("make", "words"), BROKEN, ids=lambda x: getattr(x, "__name__", ""))
def test_broken_games_are_rejected(make: Callable[[], AnyGame], words: str) -> None:
    with pytest.raises(RuleError, match=words) as caught:
        check_game(make(), compiled=False)
    first, *_, last = str(caught.value).splitlines()
    assert first.startswith(make.game_name() + ": ")  # type: ignore[attr-defined]
    assert last.startswith("  what to do: ")


@pytest.mark.parametrize(
    ("make", "words"), BROKEN_COMPILED, ids=lambda x: getattr(x, "__name__", "")
)
def test_what_breaks_only_when_compiled(make: Callable[[], AnyGame], words: str) -> None:
    pytest.importorskip("numba")
    check_game(make(), compiled=False)
    with pytest.raises(RuleError, match=words):
        check_game(make())


@pytest.mark.parametrize("make", [Sound, SoundObject])
def test_a_state_is_terminal_if_it_has_no_actions(make: Callable[[], AnyGame]) -> None:
    game = make()
    states = random_play(game, 3).states
    assert [game.is_terminal(state) for state in states] == [False] * (len(states) - 1) + [True]


@pytest.mark.parametrize("answer", [True, False, 0, 1, None])
def test_is_terminal_may_not_contradict_the_actions(answer: Any) -> None:
    class Wrong(SoundObject):
        def is_terminal(self, state: Any) -> bool:
            return answer  # type: ignore[no-any-return]

    with pytest.raises(RuleError, match=r"is_terminal gave .* for a state with \d actions"):
        check_game(Wrong(), compiled=False)


def test_is_terminal_may_be_written_again() -> None:
    class Quicker(SoundObject):
        def is_terminal(self, state: Any) -> bool:
            return bool(state[0] == 0)

    assert check_game(Quicker(), games=5, compiled=False).conforms


@pytest.mark.parametrize("make", NON_CANONICAL)
def test_needless_states_are_warned_of(make: Callable[[], AnyGame]) -> None:
    report = check_game(make(), compiled=False)
    (warning,) = report.warnings
    assert warning.startswith("non-canonical: two different states seem to be the same")
    if issubclass(make, Sound):  # type: ignore[arg-type]
        assert "but for marks" in warning


@pytest.mark.parametrize("make", [Sound, SoundObject])
def test_sound_games_pass_without_a_warning(make: Callable[[], AnyGame]) -> None:
    report = check_game(make(), games=20, compiled=False)
    assert report.warnings == ()
    assert report.states == 10
    assert report.games == 20
    assert report.longest == 5
    assert report.perft == (2, 4, 7, 5, 1)
    assert report.ties.tie_breaking is True
    assert "these are all states of the game" in report.notes


def test_the_error_says_what_where_and_what_to_do() -> None:
    with pytest.raises(RuleError) as caught:
        check_game(RaisesInNext(), compiled=False)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    message = str(caught.value)
    assert "raises-in-next: next raised ZeroDivisionError" in message
    assert "state: left=5, turn=0, marks=[0, 0, 0]" in message
    assert "broken_games.py, line" in message


BUILT_IN = ["tic-tac-toe", "connect-four", "nim", "horizon(nim,4)", "tie-breaking(mnk(players=3))"]


@pytest.mark.parametrize("text", BUILT_IN)
def test_our_games_conform(text: str) -> None:
    pytest.importorskip("numba")
    report = check_game(text, games=30)
    assert report.compiled
    assert report.warnings == ()


MORE = [
    "mnk(rows=4,columns=5,line=3,players=4)",
    "mnk(rows=7,columns=7,line=5)",
    "mnk(rows=1,columns=1,line=1)",
    "connect-four(width=4,height=5,line=3,players=3)",
    "connect-four(width=1,height=61)",
    "connect-four(width=31,height=1,line=2)",
    "connect-four(width=2,height=2,line=62)",
    "nim(heaps=[2,0,3],players=5)",
    "nim(heaps=[7,7],misere=true,most=2)",
    "graph",
    "horizon(graph,1)",
    "horizon(horizon(tic-tac-toe,7),5)",
    "tie-breaking(graph)",
    "tie-breaking(horizon(nim(players=3),5))",
    "horizon(tie-breaking(connect-four(players=3)),9)",
]


@pytest.mark.parametrize("text", MORE)
def test_more_of_our_games_uncompiled(text: str) -> None:
    report = check_game(text, games=10, compiled=False)
    assert report.warnings == ()
    assert not report.compiled
    assert report.compiled_states_per_second is None


@pytest.mark.parametrize("endless", [Endless(), "nim(heaps=[1000000],most=1)"])
def test_a_game_that_does_not_end_does_not_conform(
    endless: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for limit in ("MOST_MOVES", "LONGEST_IN_PYTHON"):
        monkeypatch.setattr(f"unbounded.conformance.check.{limit}", 11_000)
    report = check_game(endless, games=3, compiled=False)
    assert not report.conforms
    assert "conforms to the contract" not in str(report)
    (warning,) = report.warnings
    assert "a random game had not ended after 11,000 moves" in warning
    assert "unbounded.horizon" in warning


def test_a_long_game_is_played_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unbounded.conformance.check.MOST_MOVES", 10_500)
    report = check_game("nim(heaps=[12000],most=1)", games=3, compiled=False)
    assert report.conforms
    assert report.warnings == ()
    assert "random games were cut after 10,500 moves in all" in report.notes


def test_what_is_done_is_told_meanwhile() -> None:
    told: list[str] = []
    check_game(Sound(), games=12, compiled=False, progress=told.append)
    assert "game 12 of 12" in told


@pytest.mark.parametrize(("make", "words"), ODD_DRAWINGS, ids=lambda x: getattr(x, "__name__", ""))
def test_odd_drawings_are_warned_of(make: Callable[[], AnyGame], words: str) -> None:
    (warning,) = check_game(make(), games=5, compiled=False).warnings
    assert re.search(words, warning)


def test_good_drawings_are_not_warned_of() -> None:
    assert check_game(Drawn(), games=5, compiled=False).warnings == ()


def test_a_place_by_its_corner() -> None:
    assert Place.from_corner(2, 3, 4, 1) == Place(4, 3.5, 4, 1)
    assert Place.from_corner(0, 0) == Place(0.5, 0.5)


def test_report_is_readable_and_frozen() -> None:
    report = check_game("tic-tac-toe", games=5, compiled=False)
    text = str(report)
    assert text.startswith("tic-tac-toe: conforms to the contract\n")
    assert "perft         9, 72, 504, 3,024" in text
    assert "; 5 random games, up to " in text
    assert report.bottleneck == "the game"
    assert "  compiled      not compared\n" in text
    loaded = str(replace(report, compiled=True, rules_compiled=1, rules_loaded=5))
    assert "  compiled      the same answers; rules compiled: 1, from the cache: 5\n" in loaded
    with pytest.raises(FrozenInstanceError):
        report.games = 6  # type: ignore[misc]


def test_the_same_seed_gives_the_same_report() -> None:
    a, b = (check_game("connect-four", games=5, seed=3, compiled=False) for _ in range(2))
    assert (a.states, a.longest, a.outcomes) == (b.states, b.longest, b.outcomes)


def test_a_name_that_is_taken_is_warned_of() -> None:
    class Nim(SoundObject):
        pass

    (warning,) = check_game(Nim(), compiled=False).warnings
    assert "another game is named 'nim' too" in warning


@pytest.mark.parametrize("games", [0, -1, 1.5, True, "many"])
def test_check_game_refuses_nonsense(games: Any) -> None:
    with pytest.raises(UsageError, match="games must be an integer"):
        check_game("nim", games=games)


# -- random games ---------------------------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(graph_games(states=(1, 12), players=(2, 3)))
def test_random_games_as_a_strategy(game: Graph) -> None:
    assert 2 <= game.players <= 3
    assert len(game.names) <= 12
    assert game.is_terminal(random_play(game, 1).states[-1])


def test_random_games_take_the_options_of_their_maker() -> None:
    with pytest.raises(UsageError, match="no range of players"):
        graph_games(players=(3, 2))


def test_random_games_as_a_strategy_need_hypothesis(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    with pytest.raises(UsageError, match="pip install hypothesis"):
        graph_games()


def test_the_public_module_names_what_it_has() -> None:
    assert testing.__all__ == sorted(testing.__all__)
    assert all(getattr(testing, name).__doc__ for name in testing.__all__)


# -- perft and random play ------------------------------------------------------------------------


def test_perft_starts_with_the_start_and_ends_with_nothing() -> None:
    assert perft(Sound(), 0) == [1]
    assert perft(Sound(), 6) == [1, 2, 4, 7, 5, 1, 0]
    with pytest.raises(UsageError, match="depth"):
        perft(Sound(), -1)


def test_random_play_is_a_game() -> None:
    connect_four = load_game("connect-four")
    play = random_play(connect_four, 7)
    assert play == random_play(connect_four, 7)
    assert play != random_play(connect_four, 8)
    assert not connect_four.actions(play.states[-1])
    assert len(play.states) == len(play.actions) + 1
    for before, action, after in zip(play.states, play.actions, play.states[1:], strict=False):
        assert connect_four.next(before, action) == after


def test_random_play_stops_at_a_cycle_and_at_its_limit() -> None:
    with pytest.raises(RuleError, match="a cycle of length 12"):
        random_play(GoesRound())
    assert len(random_play(load_game("nim(heaps=[1000000],most=1)"), longest=100).actions) == 100


# -- ties -----------------------------------------------------------------------------------------


def test_zero_sum_games_break_ties() -> None:
    ties = check_tie_breaking("tic-tac-toe")
    assert ties.tie_breaking is True
    assert ties.ends == 958
    assert str(ties) == "yes: all 958 ends are told apart"
    assert check_tie_breaking("connect-four", 1000).tie_breaking is True


def test_losers_do_not_care_who_wins() -> None:
    ties = check_tie_breaking("mnk(players=3)")
    assert ties.tie_breaking is False
    assert ties.states is not None
    assert ties.player is not None
    assert "indifferent" in str(ties)


def test_beyond_the_limit_nothing_is_known() -> None:
    ties = check_tie_breaking("tie-breaking(connect-four(players=3))", 500)
    assert ties.tie_breaking is None
    assert str(ties).startswith("unknown: no tie among the ")
    with pytest.raises(UsageError, match="limit"):
        check_tie_breaking("nim", 0)


# -- what is said of records ----------------------------------------------------------------------


class Sticks(RecordGame):
    """Take one to three sticks; whoever takes the last one wins. Shows nothing but its fields."""

    players, zero_sum, max_actions = 2, True, 3
    state = record(sticks="i8", turn="i8")

    def rules(self) -> Rules:
        def initial(s: State) -> None:
            s.sticks = 20

        def player(s: State) -> int:
            turn: int = s.turn
            return turn

        def actions(s: State, out: Out) -> int:
            count = min(3, s.sticks)
            for i in range(count):
                out[i] = i + 1
            return int(count)

        def take(s: State, action: int, t: State) -> None:
            t.sticks = s.sticks - action
            t.turn = 1 - s.turn

        def outcome(s: State, out: Out) -> None:
            out[1 - s.turn] = 1
            out[s.turn] = -1

        return Rules(initial, player, actions, take, outcome)


def plain(cls: Any) -> Any:
    """The same game without a `show` of its own."""
    return type("Plain" + cls.__name__, (cls,), {"show": RecordGame.show})


@pytest.mark.parametrize("make", [Sticks, plain(Mnk), plain(ConnectFour), plain(Nim)])
def test_records_without_a_board_draw_no_false_warning(make: Callable[[], AnyGame]) -> None:
    assert check_game(make(), games=10, compiled=False).warnings == ()


def test_a_record_shows_its_fields() -> None:
    sticks = Sticks()
    assert sticks.show(sticks.initial()) == "sticks=20, turn=0"
    wide = plain(Mnk)(rows=5, columns=5)
    lines = wide.show(wide.initial()).splitlines()
    assert len(lines) == len(wide.state.fields)
    assert lines[0].startswith(f"{wide.state.fields[0].name}=[0, 0, ")


# -- images ---------------------------------------------------------------------------------------


class Turned(Game[tuple[int, ...], int]):
    """Fill a row of four by turns; the images of a row are itself and its mirror image."""

    players, zero_sum, symmetries = 2, True, 2
    planes = (1, 1, 4)

    def initial(self) -> tuple[int, ...]:
        return (0,) * 4

    def player(self, state: tuple[int, ...]) -> int:
        ones, twos = state.count(1), state.count(2)
        return int(ones > twos)

    def actions(self, state: tuple[int, ...]) -> list[int]:
        return [i for i, x in enumerate(state) if x == 0]

    def next(self, state: tuple[int, ...], action: int) -> tuple[int, ...]:
        return (*state[:action], 1 + self.player(state), *state[action + 1 :])

    def outcome(self, state: tuple[int, ...]) -> list[int]:
        won = (state[0] == state[3]) * (3 - 2 * state[0])
        return [won, -won]

    def symmetry(self, state: tuple[int, ...], k: int) -> tuple[int, ...]:
        return state[::-1] if k else state

    def encode(self, state: tuple[int, ...]) -> list[float]:
        return [float(x) for x in state]


def _swapped(state: tuple[int, ...]) -> tuple[int, ...]:
    return (state[1], state[0], *state[2:])


def _rotated(state: tuple[int, ...]) -> tuple[int, ...]:
    return state[1:] + state[:1]


@pytest.mark.parametrize(
    ("image", "said"),
    [
        (_swapped, "turns the outcome"),  # moves fit, but ends do not
        (_rotated, "has other images|turns the outcome"),
        (lambda s: tuple({1: 2, 2: 1}.get(x, 0) for x in s), "where player|and the rules"),
        (lambda s: (*s[:3], 0), "actions, not|and the rules"),
        (lambda s: s if s.count(0) != 1 else s[::-1], "and the rules disagree"),
    ],
)
def test_false_symmetries_are_noticed(image: Any, said: str) -> None:
    class Wrong(Turned):
        def symmetry(self, state: tuple[int, ...], k: int) -> tuple[int, ...]:
            turned: tuple[int, ...] = image(state)
            return turned if k else state

    assert check_game(Turned()).conforms
    with pytest.raises(RuleError, match=rf"(?s)(symmetry 1|an image).*({said}).*what to do"):
        check_game(Wrong())


def test_a_symmetry_that_would_prove_a_falsehood_is_noticed() -> None:
    """Two cells of the row are taken for each other."""

    class Shifted(Turned):
        def symmetry(self, state: tuple[int, ...], k: int) -> tuple[int, ...]:
            return _swapped(state) if k else state

    honest = solve(Turned(), canonical=False).outcome
    assert solve(Turned()).outcome == honest != solve(Shifted()).outcome
    with pytest.raises(RuleError, match="symmetry"):
        check_game(Shifted())


def test_the_first_image_is_the_state_itself() -> None:
    class Moved(Turned):
        def symmetry(self, state: tuple[int, ...], k: int) -> tuple[int, ...]:
            return state if k else state[::-1]

    with pytest.raises(RuleError, match="symmetry 0 changes the state"):
        check_game(Moved())


def test_players_that_are_renamed() -> None:
    class Renamed(Turned):
        symmetries = 1

        def relabel(self, state: tuple[int, ...], k: int) -> tuple[int, ...]:
            return tuple({1: 2, 2: 1}.get(x, 0) for x in state) if k else state

    # Who moves is told by the pieces, so renaming them changes it only when both have as many.
    with pytest.raises(RuleError, match="relabel 1 leads to a state where player 0 moves"):
        check_game(Renamed())
    assert check_game("nim(players=3)").conforms


@pytest.mark.parametrize(("numbers", "said"), [(3, "3 numbers"), (4, "not finite")])
def test_planes(numbers: int, said: str) -> None:
    class Encoded(Turned):
        def encode(self, state: tuple[int, ...]) -> list[float]:
            return [float("nan")] * numbers

    with pytest.raises(RuleError, match=said):
        check_game(Encoded())


def test_names_with_spaces_are_noted() -> None:
    class Spaced(Turned):
        def action_name(self, state: tuple[int, ...], action: int) -> str:
            return f"to {action}"

    assert any("such as 'to 0': --moves" in note for note in check_game(Spaced()).notes)
    assert not any("--moves" in note for note in check_game(Turned()).notes)


def test_a_symmetry_that_nobody_will_ask_for_is_a_warning() -> None:
    class Forgotten(Turned):
        symmetries = 1

    assert any("symmetries is 1" in warning for warning in check_game(Forgotten()).warnings)
    assert not check_game(Turned()).warnings


@pytest.mark.parametrize("name", [None, " ", 3])
def test_names_of_players(name: Any) -> None:
    class Named(Turned):
        def player_name(self, player: int) -> str:
            return name if player else "first"

    with pytest.raises(RuleError, match=r"player_name\(1\) gave"):
        check_game(Named())

    class Raising(Turned):
        def player_name(self, player: int) -> str:
            return ["first"][player]

    with pytest.raises(RuleError, match=r"player_name\(1\) raised IndexError"):
        check_game(Raising())


def test_scores_of_images_are_compared_in_32_bits() -> None:
    class Rounded(Turned):
        zero_sum = False

        def score(self, state: tuple[int, ...]) -> list[float]:
            return [0.1 + 0.2 if state[0] == 1 else 0.3, 0.0]

    assert check_game(Rounded()).conforms


class Move:
    """An action that is equal to no other."""

    def __init__(self, place: int) -> None:
        self.place = place


def test_actions_need_not_be_comparable() -> None:
    class Moved(Turned):
        symmetries = 1

        def actions(self, state: tuple[int, ...]) -> list[Any]:
            return [Move(i) for i in Turned.actions(self, state)]

        def next(self, state: tuple[int, ...], action: Any) -> tuple[int, ...]:
            return Turned.next(self, state, action.place)

    assert solve(Moved(), canonical=False).outcome == solve(Turned()).outcome


def test_a_rule_that_ends_the_program_is_an_error() -> None:
    class Exiting(Turned):
        def outcome(self, state: tuple[int, ...]) -> list[int]:
            raise SystemExit(0)

    with pytest.raises(RuleError, match=r"outcome\(.*raised SystemExit"):
        solve(Exiting())
