# SPDX-License-Identifier: MIT
"""Narrow terminals: what is proven and who is who are shown whole, whatever has to go."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from rich.console import Console

import unbounded as ub
from unbounded.interfaces.cli.main import main
from unbounded.interfaces.session import Session
from unbounded.interfaces.terminal import play
from unbounded.interfaces.terminal.columns import Column, Columns, fitting, whole_words
from unbounded.interfaces.terminal.progress import drawing

WIDTHS = (80, 60, 40)
LONG_NAMES = '''
from unbounded.game import Game

class Long(Game):
    """Actions with names that are longer than any column."""
    zero_sum = True
    def initial(self): return (0, 0)
    def player(self, s): return s[1]
    def actions(self, s): return [1, 2][: 4 - s[0]]
    def next(self, s, a): return (s[0] + a, 1 - s[1])
    def outcome(self, s): return [-1, 1] if s[1] == 0 else [1, -1]
    def action_name(self, s, a): return "take-" + "x" * 30 + str(a)
'''


def words(text: str) -> str:
    return " ".join(text.split())


def shown(capsys: pytest.CaptureFixture[str], width: int, *arguments: str, code: int = 0) -> str:
    """What a command prints, where no line is longer than the terminal and nothing is cut."""
    capsys.readouterr()
    assert main(arguments) == code
    out = capsys.readouterr().out
    assert "…" not in out
    assert max(map(len, out.splitlines())) <= width
    return out


@pytest.fixture(params=WIDTHS)
def width(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setenv("COLUMNS", str(request.param))
    found: int = request.param
    return found


def test_the_games(capsys: pytest.CaptureFixture[str], width: int) -> None:
    assert "connect-four(width=7," in words(shown(capsys, width, "games"))
    assert "default 7" in words(shown(capsys, width, "games", "connect-four"))


@pytest.mark.parametrize(
    "game", ["dots-and-boxes", "chinese-checkers", "isolation(rows=4,columns=4)"]
)
def test_an_analysis(capsys: pytest.CaptureFixture[str], width: int, game: str) -> None:
    out = shown(capsys, width, "analyze", game, "--iterations", "4000")
    assert re.search(r"^action +proven +player 1", out, re.MULTILINE)
    legal = ub.load_game(game)
    state = legal.initial()
    listed = set(re.findall(r"^\S+", out, re.MULTILINE))
    assert {legal.action_name(state, action) for action in legal.actions(state)} <= listed
    if game == "dots-and-boxes":
        assert re.search(r"^\S+ +player 1 wins", out, re.MULTILINE)
    if width == 80 and game != "chinese-checkers":
        assert "best reply" in out
    if width == 40:
        assert "best reply" not in out and "player 3" not in out.partition("action  ")[2]


def test_long_names_are_wrapped(
    capsys: pytest.CaptureFixture[str], width: int, tmp_path: Path
) -> None:
    path = tmp_path / "long.py"
    path.write_text(LONG_NAMES, encoding="utf-8")
    out = shown(capsys, width, "analyze", str(path), "--iterations", "100")
    table = out.partition("proven\n")[2] or out
    assert table.count("player 1 wins") + table.count("player 2 wins") >= 2
    first = "".join(line.split("  ")[0].strip() for line in table.splitlines())
    assert "take-" + "x" * 30 + "1" in first and "take-" + "x" * 30 + "2" in first


def test_bounds(capsys: pytest.CaptureFixture[str], width: int) -> None:
    """The first to move in tic-tac-toe cannot lose: known long before the rest."""
    out = words(shown(capsys, width, "solve", "tic-tac-toe", "--iterations", "72", code=3))
    assert "bounds proven: player 1 cannot lose, player 2 cannot win" in out


def test_every_state(capsys: pytest.CaptureFixture[str], width: int) -> None:
    out = words(shown(capsys, width, "solve", "tic-tac-toe", "--all"))
    assert "proven: draw" in out and "player 1 player 1 player 1" in out
    assert "wins draws loses" in out and re.search(r" 2 (72 (0 )?)?48 24 0 ", out)
    out = words(shown(capsys, width, "solve", "nim(heaps=[1,2],players=3)", "--all"))
    assert "proven: player 2 wins (an equilibrium)" in out and "player 1 player 2 player 3" in out


def test_proofs_and_tables(
    capsys: pytest.CaptureFixture[str], width: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a short name of the file
    out = words(
        shown(capsys, width, "solve", "nim", "--save", "n.search", "--certificate", "n.cert")
    )
    assert "proven: player 1 wins" in out and "certificate n.cert:" in out
    assert "proven: player 1 wins" in words(shown(capsys, width, "verify", "n.cert"))
    assert "table n.sqlite (sqlite)" in words(shown(capsys, width, "export", "n.search"))
    out = words(shown(capsys, width, "query", "n.sqlite"))
    assert "proven: player 1 wins" in out and "to move player 1" in out


def test_a_game_at_the_terminal(capsys: pytest.CaptureFixture[str], width: int) -> None:
    said = iter(["analysis", "why", "hint", "quit"])
    session = Session(ub.load_game("tic-tac-toe"), ["human", "human"])
    session.play("a1")
    session.play("a2")
    play.TerminalGame(session, 0.3, ask=lambda _: next(said)).run()
    out = capsys.readouterr().out
    assert "…" not in out and max(map(len, out.splitlines())) <= width
    assert "action" in out and "proven" in out and "is proven: player 1" in words(out)


def test_the_display_of_a_search(width: int) -> None:
    search = ub.Search("tic-tac-toe", bounds=True)
    search.run(iterations=416)
    assert search.root.outcome_bounds == ((0, 1), (-1, 0)) and not search.root.resolved
    console = Console(file=io.StringIO(), width=width, height=24, color_system=None)
    console.print(drawing(search, console, analysis=True, seconds=10.0))
    assert isinstance(console.file, io.StringIO)
    drawn = console.file.getvalue()
    assert "proven: player 1 cannot lose, player 2 cannot win" in words(drawn)
    assert len(drawn.splitlines()) <= 24
    assert "s left" in words(drawn)


# -- columns ---------------------------------------------------------------------------------------


def drawn(columns: list[Column], width: int) -> list[str]:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(Columns(columns))
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_what_matters_least_goes_first() -> None:
    columns = [
        Column("who", ["anna", "bo"]),
        Column("much", ["1,000", "20"], rank=1, number=True),
        Column("more", ["1", "2"], rank=2, number=True),
        Column("text", ["one two three four", ""], rank=3, least=12),
    ]
    assert [c.head for c in fitting(columns, 100)] == ["who", "much", "more", "text"]
    assert [c.head for c in fitting(columns, 20)] == ["who", "much", "more"]
    assert [c.head for c in fitting(columns, 11)] == ["who", "much"]
    assert [c.head for c in fitting(columns, 1)] == ["who"]
    assert drawn(columns, 31)[1] == "anna  1,000     1  one two ..."
    assert drawn(columns, 40)[1] == "anna  1,000     1  one two three four"


def test_rows_are_listed_where_numbers_do_not_fit() -> None:
    columns = [Column("ply", ["0"], number=True), Column("a\nb", ["1,000,000"], number=True)]
    assert drawn(columns, 14) == ["             a", "ply          b", "  0  1,000,000"]
    assert drawn(columns, 13) == ["ply 0", "  a b", "  1,000,000"]


def test_words_are_shown_whole() -> None:
    assert whole_words("one two three", 13) == "one two three"
    assert whole_words("one two three", 12) == "one two ..."
    assert whole_words("one two three", 10) == "one ..."
    assert whole_words("one", 2) == ""
    assert whole_words("", 2) == ""
