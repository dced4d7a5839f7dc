# SPDX-License-Identifier: MIT
"""The other systems, asked to do their best at the same work."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pyspiel
from easyAI import (
    AI_Player,
    Negamax,
    TranspositionTable,
    TwoPlayerGame,
    solve_with_depth_first_search,
)
from open_spiel.python.algorithms import minimax

UCT_CONSTANT = 2.0
UCT_CONSTANTS = (1.0, 2.0, 5.0, 20.0, 100.0)
MOST_SIMULATIONS = 1_000_000
MEMORY_MB = 8000


def mcts_simulations_per_second(name: str, seconds: float) -> float:
    """OpenSpiel's C++ MCTS with random rollouts, from the first state, for about so long."""
    game = pyspiel.load_game(name)
    rate = _mcts_rate(game, 20_000)  # also warms up
    return _mcts_rate(game, int(rate * seconds))


def _mcts_rate(game: Any, simulations: int) -> float:
    bot = pyspiel.MCTSBot(
        game,
        pyspiel.RandomRolloutEvaluator(1, 1),
        UCT_CONSTANT,
        simulations,
        MEMORY_MB,
        False,  # solve
        1,  # seed
        False,  # verbose
    )
    state = game.new_initial_state()
    started = time.process_time()
    bot.mcts_search(state)
    return simulations / (time.process_time() - started)


def seconds_of(work: Callable[[], Any]) -> float:
    """The processor time of a piece of work, best of three."""
    best = float("inf")
    for _ in range(3):
        started = time.process_time()
        work()
        best = min(best, time.process_time() - started)
    return best


def seconds_of_alpha_beta(name: str) -> float:
    """OpenSpiel's alpha-beta to the end of the game, once."""
    game = pyspiel.load_game(name)
    started = time.process_time()
    minimax.alpha_beta_search(game)
    return time.process_time() - started


def seconds_of_mcts_solver(name: str) -> float:
    """OpenSpiel's C++ MCTS until it has proven a value, at the constant that serves it best."""
    game = pyspiel.load_game(name)
    best = float("inf")
    for constant in UCT_CONSTANTS:
        bot = pyspiel.MCTSBot(
            game,
            pyspiel.RandomRolloutEvaluator(1, 1),
            constant,
            MOST_SIMULATIONS,
            MEMORY_MB,
            True,  # solve: it stops when the value is proven
            1,  # seed
            False,  # verbose
        )
        started = time.process_time()
        root = bot.mcts_search(game.new_initial_state())
        spent = time.process_time() - started
        if len(root.outcome) > 0:
            best = min(best, spent)
    return best


LINES = (
    (0, 1, 2),
    (3, 4, 5),
    (6, 7, 8),
    (0, 3, 6),
    (1, 4, 7),
    (2, 5, 8),
    (0, 4, 8),
    (2, 4, 6),
)


class TicTacToe(TwoPlayerGame):
    """Tic-tac-toe as easyAI's documentation suggests: moves undone, states keyed by the board."""

    def __init__(self) -> None:
        self.players = [AI_Player(None), AI_Player(None)]
        self.current_player = 1
        self.board = [0] * 9

    def possible_moves(self) -> list[int]:
        return [i for i, stone in enumerate(self.board) if stone == 0]

    def make_move(self, move: int) -> None:
        self.board[move] = self.current_player

    def unmake_move(self, move: int) -> None:
        self.board[move] = 0

    def lose(self) -> bool:
        other = self.opponent_index
        return any(all(self.board[i] == other for i in line) for line in LINES)

    def is_over(self) -> bool:
        return 0 not in self.board or self.lose()

    def scoring(self) -> int:
        return -100 if self.lose() else 0

    def ttentry(self) -> tuple[int, ...]:
        return (*self.board, self.current_player)


class ConnectFour(TwoPlayerGame):
    """Connect Four on 4x4 in the same way."""

    def __init__(self) -> None:
        self.players = [AI_Player(None), AI_Player(None)]
        self.current_player = 1
        self.columns: list[list[int]] = [[] for _ in range(4)]

    def possible_moves(self) -> list[int]:
        return [i for i, column in enumerate(self.columns) if len(column) < 4]

    def make_move(self, move: int) -> None:
        self.columns[move].append(self.current_player)

    def unmake_move(self, move: int) -> None:
        self.columns[move].pop()

    def lose(self) -> bool:
        board = [column + [0] * (4 - len(column)) for column in self.columns]
        rows = [[board[c][r] for c in range(4)] for r in range(4)]
        diagonals = [[board[i][i] for i in range(4)], [board[i][3 - i] for i in range(4)]]
        return any(all(x == self.opponent_index for x in line) for line in board + rows + diagonals)

    def is_over(self) -> bool:
        return not self.possible_moves() or self.lose()

    def scoring(self) -> int:
        return -100 if self.lose() else 0

    def ttentry(self) -> tuple[Any, ...]:
        return (*map(tuple, self.columns), self.current_player)


def easyai_negamax_connect_four() -> None:
    """easyAI's Negamax with a transposition table, to full depth, on the 4x4 board."""
    search = Negamax(16, tt=TranspositionTable())
    search(ConnectFour())
    assert search.alpha == 0


def easyai_negamax_tic_tac_toe() -> None:
    """easyAI's Negamax with a transposition table, to full depth."""
    game = TicTacToe()
    search = Negamax(9, tt=TranspositionTable())
    search(game)
    assert search.alpha == 0


def easyai_depth_first_tic_tac_toe() -> None:
    """easyAI's depth-first solver with a transposition table."""
    game = TicTacToe()
    assert solve_with_depth_first_search(game, win_score=90, tt=TranspositionTable()) == 0
