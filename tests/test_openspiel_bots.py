# SPDX-License-Identifier: MIT
"""Our players as bots of OpenSpiel, and exact values of its states."""

from __future__ import annotations

import random
from typing import Any

import pytest

import unbounded as ub
from unbounded.bridges import openspiel
from unbounded.game import UsageError
from unbounded.players.kinds import KINDS

INSTALL = "needs OpenSpiel: pip install 'unbounded[openspiel]'"
pyspiel = pytest.importorskip("pyspiel", reason=INSTALL)

OURS = ("nim(heaps=[1,2,3])", "kalah(pits=3,seeds=1)", "graph")
MANY = "nim(heaps=[2,2],players=3)"
THEIRS = ("tic_tac_toe", "breakthrough(rows=4,columns=2)", "nim(pile_sizes=1;2;3)")
LIMITS = {
    "alpha-beta": "nodes=200", "max-n": "nodes=200", "paranoid": "nodes=200",
    "best-reply": "nodes=200", "mcts": "simulations=50", "perfect": "states=200",
    "greedy": "", "random": "",
}  # fmt: skip


def spiel_game(text: str) -> Any:
    return pyspiel.load_game(text) if text in THEIRS else openspiel.game_of(text)


def played(game: Any, seed: int, moves: int = 10**6) -> Any:
    """Return a state after random moves."""
    choose, state = random.Random(seed), game.new_initial_state()
    while not state.is_terminal() and moves > 0:
        state.apply_action(choose.choice(state.legal_actions()))
        moves -= 1
    return state


KNOWN: dict[Any, int] = {}


def minimax(state: Any) -> int:
    """Return the first player's outcome of a state of two players, by trying everything."""
    if state.is_terminal():
        first = state.returns()[0]
        return (first > 0) - (first < 0)
    # In the games used here, that is the whole state.
    key = str(state.get_game()), state.current_player(), str(state)
    if key not in KNOWN:
        below = [minimax(child) for _, child in children(state)]
        KNOWN[key] = max(below) if state.current_player() == 0 else min(below)
    return KNOWN[key]


def after(game: str, history: tuple[int, ...]) -> Any:
    at = spiel_game(game).new_initial_state()
    for action in history:
        at.apply_action(action)
    return at


def children(state: Any) -> list[tuple[int, Any]]:
    return [(action, state.child(action)) for action in state.legal_actions()]


def exact(state: Any) -> dict[int, int]:
    """Return the outcome of every action for the player to move."""
    sign = 1 - 2 * state.current_player()
    return {action: sign * minimax(child) for action, child in children(state)}


# -- values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [*OURS, *THEIRS])
def test_values_are_those_of_trying_everything(text: str) -> None:
    game, proven = spiel_game(text), 0
    for seed in range(4):
        state = played(game, seed, moves=seed)
        if state.is_terminal():
            continue
        wanted = exact(state)
        found = openspiel.values(state, states=20_000)
        assert {action: value.proven for action, value in found.items()} == wanted
        assert all(value.estimate is None for value in found.values())
        worst = min(wanted, key=lambda action: wanted[action])
        known = openspiel.regret(state, worst, states=20_000)
        assert known == max(wanted.values()) - wanted[worst]
        proven += len(found)
    assert proven >= 4


@pytest.mark.parametrize("text", OURS)
def test_a_distance_is_the_length_of_a_line_to_the_end(text: str) -> None:
    game = spiel_game(text)
    for action, value in openspiel.values(game.new_initial_state(), states=20_000).items():
        below = game.new_initial_state().child(action)
        if value.distance is not None:
            assert 1 <= value.distance <= game.max_game_length()
            assert (value.distance == 1) == below.is_terminal()


def test_values_of_our_own_games_and_positions_need_no_openspiel() -> None:
    position = ub.Position("tic-tac-toe", moves="b2 b1")
    here = openspiel.values(position, states=20_000)
    assert list(here) == list(position.game.actions(position.state))
    assert {value.proven for value in here.values()} == {0, 1}
    assert {v.proven for v in openspiel.values("graph", states=100).values()} == {-1, 0}
    proven, estimate, distance = openspiel.values("graph", states=100)[2]
    assert (proven, estimate, distance) == (0, None, 2)


def test_values_of_many_players_are_asked_for_one_of_them() -> None:
    game, state = ub.load_game(MANY), openspiel.game_of(MANY).new_initial_state()
    mine = openspiel.values(state, states=20_000)
    seen = [openspiel.values(state, states=20_000, player=p) for p in range(3)]
    assert mine == seen[0]
    for action in mine:
        search = ub.Search(game, moves=[game.action_name(game.initial(), action)])
        found = [values[action].proven for values in seen]
        assert sorted(found) == sorted(search.run().outcome)  # which of equals wins is open


def test_what_is_not_proven_is_estimated_and_has_no_regret() -> None:
    state = openspiel.game_of("connect-four").new_initial_state()
    found = openspiel.values(state, states=3_000)
    assert all(value.proven is value.distance is None for value in found.values())
    assert all(isinstance(value.estimate, float) for value in found.values())
    assert openspiel.regret(state, 3, states=500) is None


def test_a_proven_win_makes_the_regret_of_a_proven_move_known() -> None:
    """Other moves may stay open: nothing is better than a win."""
    state = openspiel.game_of("connect-four").new_initial_state()
    for action in (3, 0, 3, 0, 3, 1):
        state.apply_action(action)
    found = openspiel.values(state, states=2_000)
    assert found[3] == (1, None, 1)
    assert None in [value.proven for value in found.values()]
    assert openspiel.regret(state, 3, states=2_000) == 0
    unproven = next(action for action, value in found.items() if value.proven is None)
    assert openspiel.regret(state, unproven, states=2_000) is None


# -- bots -----------------------------------------------------------------------------------------

OURS = [name for name, kind in KINDS.items() if not kind.local_only]
"""The others need a program, or a game that OpenSpiel has too."""


@pytest.mark.parametrize("kind", OURS)
def test_every_player_plays_a_whole_game(kind: str) -> None:
    player = f"{kind}({LIMITS.get(kind, 'iterations=20')})"
    game = openspiel.game_of("tic-tac-toe")
    bots = [openspiel.bot(game, 0, player), openspiel.bot(game, 1, player, seed=1)]
    returns = pyspiel.evaluate_bots(game.new_initial_state(), bots, 5)
    assert returns in ([1.0, -1.0], [0.0, 0.0], [-1.0, 1.0])


@pytest.mark.parametrize("text", THEIRS)
def test_a_bot_plays_games_of_openspiel_perfectly(text: str) -> None:
    game = spiel_game(text)
    value = minimax(game.new_initial_state())
    for player_id in (0, 1):
        mine = value if player_id == 0 else -value
        ours = openspiel.bot(game, player_id, "ubfm(iterations=2000)")
        other = pyspiel.make_uniform_random_bot(1 - player_id, 3)
        bots = [ours, other] if player_id == 0 else [other, ours]
        for seed in range(3):
            assert pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)[player_id] >= mine


def test_three_bots_play_together() -> None:
    game = openspiel.game_of("nim(heaps=[2,3],players=3)")
    bots = [openspiel.bot(game, p, "ubfm(iterations=200)") for p in range(3)]
    assert sorted(pyspiel.evaluate_bots(game.new_initial_state(), bots, 1)) == [-1.0, -1.0, 1.0]


def test_a_bot_may_be_asked_in_any_order() -> None:
    game = openspiel.game_of("tic-tac-toe")
    bot = openspiel.bot(game, 0, "ubfm(iterations=300)")
    winning = [after("tic-tac-toe", history) for history in ((4, 1, 0, 2), (0, 3, 1, 4))]
    for state, move in zip(winning * 2, (8, 2) * 2, strict=True):
        assert bot.step(state) == move
    bot.restart()
    bot.inform_action(game.new_initial_state(), 0, 0)
    assert bot.step(after("tic-tac-toe", (0, 3, 1, 4))) == 2
    assert openspiel.bot(winning[0], 0, "ubfm(iterations=300)").step(winning[0]) == 8
    bot.restart_at(winning[1])
    assert bot.step(winning[1]) == 2


def test_the_policy_is_uniform_over_what_is_proven_best() -> None:
    state = after("tic-tac-toe", (4, 1))
    bot = openspiel.bot(state, 0, "ubfm(iterations=5000)")
    policy, action = bot.step_with_policy(state)
    likely = {a: p for a, p in policy if p > 0}
    wanted = exact(state)
    assert bot.provides_policy()
    assert [a for a, _ in policy] == state.legal_actions()
    assert action in likely
    assert sum(likely.values()) == pytest.approx(1)
    assert set(likely.values()) == {1 / len(likely)}
    assert all(wanted[a] == max(wanted.values()) for a in likely)
    drawn = openspiel.bot(after("tic-tac-toe", ()), 0, "ubfm(iterations=100000)")
    assert len([p for _, p in drawn.get_policy(after("tic-tac-toe", ())) if p > 0]) > 1
    unproven = openspiel.bot(after("tic-tac-toe", ()), 0, "random")
    assert sorted(p for _, p in unproven.get_policy(after("tic-tac-toe", ()))) == [0.0] * 8 + [1.0]


def test_a_random_bot_does_not_repeat_its_games_but_its_seed_repeats_them() -> None:
    game = openspiel.game_of("chomp")

    def games(seed: int) -> list[list[int]]:
        bots = [openspiel.bot(game, p, "random", seed=seed + p) for p in range(2)]
        found = []
        for _ in range(4):
            state = game.new_initial_state()
            for bot in bots:
                bot.restart()
            while not state.is_terminal():
                state.apply_action(bots[state.current_player()].step(state))
            found.append(state.history())
        return found

    assert len({tuple(history) for history in games(7)}) > 1
    assert games(7) == games(7)


def test_a_forced_action_is_followed() -> None:
    game = openspiel.game_of("tic-tac-toe")
    bot = openspiel.bot(game, 0, "ubfm(iterations=300)")
    assert bot.provides_force_action()
    bot.force_action(game.new_initial_state(), 0)
    assert bot.step(after("tic-tac-toe", (0, 3, 1, 4))) == 2


# -- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["tic-tac-toe", "tic_tac_toe"])
def test_nothing_can_be_asked_when_the_game_is_over(text: str) -> None:
    over = after(text, (0, 3, 1, 4, 2))
    bot = openspiel.bot(spiel_game(text), 0, "random")
    for asked in (bot.step, bot.get_policy, lambda state: bot.force_action(state, 5)):
        with pytest.raises(UsageError, match="but the game is over"):
            asked(over)
    with pytest.raises(UsageError, match="the game is over, so no action has a value"):
        openspiel.values(over)
    with pytest.raises(UsageError, match="the game is over"):
        openspiel.regret(over, 0)


def test_a_bot_refuses_what_it_cannot_do() -> None:
    game = openspiel.game_of("tic-tac-toe")
    state = game.new_initial_state()
    bot = openspiel.bot(game, 1, "random")
    with pytest.raises(UsageError, match="this bot is player 1, but player 0 is to move"):
        bot.step(state)
    with pytest.raises(UsageError, match="illegal action 99"):
        bot.inform_action(state, 0, 99)
    with pytest.raises(UsageError, match=r"plays unbounded_tic_tac_toe.*a state of unbounded_hex"):
        bot.step(openspiel.game_of("hex").new_initial_state())
    with pytest.raises(UsageError, match="player_id must be from 0 to 1, not 2"):
        openspiel.bot(game, 2, "random")
    with pytest.raises(UsageError, match="unknown player 'nobody'"):
        openspiel.bot(game, 0, "nobody")
    with pytest.raises(UsageError, match="needs a game or a state of OpenSpiel, not 'hex'"):
        openspiel.bot("hex", 0, "random")


def test_the_oracle_refuses_what_it_cannot_answer() -> None:
    state = openspiel.game_of("tic-tac-toe").new_initial_state()
    with pytest.raises(UsageError, match="player must be from 0 to 1, not 2"):
        openspiel.values(state, player=2)
    with pytest.raises(UsageError, match="illegal action 9; legal here"):
        openspiel.regret(state, 9)
    with pytest.raises(TypeError, match="unknown option 'player'"):
        openspiel.regret(state, 0, player=1)
    with pytest.raises(UsageError, match="seconds must be a number"):
        openspiel.values(state, seconds=-1)


@pytest.mark.parametrize("name", ["kuhn_poker", "matching_pennies_3p"])
def test_games_that_are_not_of_our_kind_are_refused(name: str) -> None:
    game = pyspiel.load_game(name)
    with pytest.raises(UsageError, match=f"open_spiel:{name}"):
        openspiel.bot(game, 0, "random")


def test_a_state_that_was_set_up_is_refused() -> None:
    """OpenSpiel starts some games in any position; the history does not tell."""
    state = pyspiel.load_game("connect_four").new_initial_state()
    state.apply_action(3)
    set_up = pyspiel.load_game("connect_four").new_initial_state(state.to_json())
    assert str(set_up) == str(state)
    with pytest.raises(UsageError, match="do not lead to this state"):
        openspiel.values(set_up)
