# SPDX-License-Identifier: MIT
"""The other systems, asked to do their best at the same work."""

from __future__ import annotations

import time
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


def alpha_beta_tic_tac_toe() -> None:
    """OpenSpiel's alpha-beta to the end of the game."""
    value, _ = minimax.alpha_beta_search(pyspiel.load_game("tic_tac_toe"))
    assert value == 0


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
