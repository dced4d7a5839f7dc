# SPDX-License-Identifier: MIT
"""Games of OpenSpiel on the page and for assistants: played, analyzed, and refused."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

pytest.importorskip(
    "pyspiel", reason="OpenSpiel is not installed: pip install 'unbounded[openspiel]'"
)
from serving import Page, serving

from unbounded.interfaces.web.limits import Limits
from unbounded.interfaces.web.server import Server

DANGEROUS = {
    "open_spiel:havannah(board_size=99)": "crashes, hangs or runs out of memory",
    "horizon(open_spiel:havannah(board_size=99),9)": "crashes, hangs or runs out of memory",
    "open_spiel:efg_game(filename=/etc/passwd)": "games from files are not allowed",
    "open_spiel:hex(board_size=9999)": "numbers above 1,000",
    "open_spiel:backgammon": "there is chance",
}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(Limits(move_seconds=2)) as running:
        yield running


@pytest.fixture
def page(server: Server) -> Iterator[Page]:
    with contextlib.closing(Page(server)) as opened:
        yield opened


@pytest.mark.parametrize("game", ["open_spiel:tic_tac_toe", "open_spiel:y(board_size=3)"])
def test_a_whole_game(page: Page, game: str) -> None:
    page.begin(game)
    page.play_out()
    assert len(page.game["outcome"]) == 2


def test_an_analysis(page: Page) -> None:
    page.begin("open_spiel:tic_tac_toe", "human", "human")
    for move in ("x(1,1)", "o(0,1)"):
        page.move(move)
    page.analyze()
    page.until(lambda: page.analysis["resolved"])
    assert page.analysis["outcome"] == [1, -1]


@pytest.mark.parametrize("game", DANGEROUS)
def test_what_the_page_refuses(page: Page, game: str) -> None:
    page.begin("tic-tac-toe", "human", "human")
    for request in ("players", "new"):
        with pytest.raises(ValueError, match=DANGEROUS[game]):
            page.request(request, game=game, seats=["human", "human"], seconds=0.05)
    page.move("a1")  # the server goes on
