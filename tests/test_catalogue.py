# SPDX-License-Identifier: MIT
from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unbounded.conformance.check import check_game
from unbounded.conformance.declarations import check_string_form
from unbounded.game import Game, RecordGame, UsageError, catalogue, quoted
from unbounded.game.catalogue import games, load_game
from unbounded.game.game_strings import read
from unbounded.games.connect_four import ConnectFour
from unbounded.games.nim import Nim

EXAMPLES = Path(__file__).parent.parent / "examples"


# -- reading --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("connect-four", "connect-four"),
        ("connect-four()", "connect-four"),
        ("connect-four(width=5,height=4)", "connect-four(width=5,height=4)"),
        ("connect-four(5,4)", "connect-four(width=5,height=4)"),
        ("connect-four(5,players=3)", "connect-four(width=5,players=3)"),
        ("  connect-four ( width = 5 ,\n height\t= 4 ) ", "connect-four(width=5,height=4)"),
        ("connect-four(width=+5)", "connect-four(width=5)"),
        ("nim([3,4,5])", "nim"),
        ("nim([ 1 , 2 ],misere=true)", "nim(heaps=[1,2],misere=true)"),
        ("nim(misere=false)", "nim"),
        ("tic-tac-toe", "tic-tac-toe"),
        ("horizon(game=connect-four(width=4),plies=10)", None),
        ("horizon(nim([1]),3)", "horizon(game=nim(heaps=[1]),plies=3)"),
        ("horizon(horizon(nim,9),3)", "horizon(game=horizon(game=nim,plies=9),plies=3)"),
        ("tie-breaking(nim(players=3),step=0.5)", "tie-breaking(game=nim(players=3),step=0.5)"),
        ("tie-breaking(nim,step=1e-3)", "tie-breaking(game=nim,step=0.001)"),
        ("tie-breaking(nim,step=1)", "tie-breaking(game=nim)"),
    ],
)
def test_strings_give_games(text: str, form: str | None) -> None:
    found = load_game(text)
    assert str(found) == (text if form is None else form)
    check_string_form(found)


def test_a_game_is_returned_as_it_is() -> None:
    nim = Nim()
    assert load_game(nim) is nim


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "'': a game expected at character 1 of the game string, found the end"),
        ("   ", "a game expected at character 4"),
        ("nim(", "a parameter or a value expected at character 5"),
        ("nim)", "the end expected at character 4 of the game string, found '\\)'"),
        ("nim(3", "',' or '\\)' expected at character 6"),
        ("nim([3)", "',' or ']' expected at character 7"),
        ("nim([3,])", "a value expected at character 8"),
        ("nim(most=)", "a value expected at character 10"),
        ("nim(most=3,)", "a parameter or a value expected at character 12"),
        ("nim(=3)", "a parameter or a value expected at character 5"),
        ("nim(most=3)x", "the end expected at character 12"),
        ("nim nim", "the end expected at character 5"),
        ("nim('3)", "text with a quote at its end expected at character 5"),
        ("(nim)", "a game expected at character 1"),
        ("[nim]", "a game is needed, not a list"),
        (
            "conect-four",
            "unknown game 'conect-four' \\(did you mean 'connect-four'\\?\\); there are \\d\\d, ",
        ),
        ("ConnectFour", "did you mean 'connect-four'"),
        ("unknown", "such as amazons, "),
        (
            "connect-four(widht=3)",
            "no parameter 'widht' \\(did you mean 'width'\\?\\); it has: wid",
        ),
        ("connect-four(width=3,width=4)", "parameter 'width' is given twice"),
        ("connect-four(3,width=4)", "parameter 'width' is given twice"),
        ("connect-four(width=3,4)", "'4' needs a name"),
        ("connect-four(1,2,3,4,5)", "too many parameters; it has: width, height, line, players"),
        ("tic-tac-toe(3)", "too many parameters; it has: none"),
        ("horizon(nim)", "horizon needs a parameter 'plies'"),
        ("horizon", "horizon needs a parameter 'game'"),
        ("horizon([nim],3)", "a game is needed, not a list"),
        ("horizon('nim',3", "',' or '\\)' expected"),
        ("connect-four(width=3.0)", "connect-four: width must be an integer, not '3.0'"),
        ("connect-four(width=true)", "width must be an integer, not 'true'"),
        ("connect-four(width='3')", "width must be an integer, not '3'"),
        ("connect-four(width=[3])", "width must be an integer, not a list"),
        ("connect-four(width=nim(3))", "width must be an integer, not the game 'nim'"),
        ("connect-four(width=0x10)", "width must be an integer"),
        ("connect-four(width=٣)", "width must be an integer"),
        ("connect-four(width=1_0)", "width must be an integer"),
        ("connect-four(width=" + "9" * 30 + ")", "a number is too large: '9999"),
        ("nim(heaps=3)", "heaps must be a list, not '3'"),
        ("nim(heaps=[3,[4]])", "nim: heaps\\[1\\] must be an integer, not a list"),
        ("nim(heaps=[3,true])", "heaps\\[1\\] must be an integer, not 'true'"),
        ("nim(misere=1)", "misere must be true or false, not '1'"),
        ("nim(misere=True)", "misere must be true or false, not 'True'"),
        ("nim(heaps=[0])", "nim: at least one heap must not be empty"),
        ("connect-four(width=0)", "connect-four: width must be an integer from 1 to 31"),
        ("tie-breaking(nim,step=big)", "step must be a number, not 'big'"),
        ("tie-breaking(nim,step=nan)", "step must be a number, not 'nan'"),
        ("horizon(connect-four(width=0),3)", "connect-four: width must be an integer"),
        ("x" * 10**6, "a game string of 1000000 characters is too long; at most 10000"),
        ("[" * 9000, "nested deeper than 20 levels"),
        ("horizon(" * 1000, "nested deeper than 20 levels"),
        ("nim(" + "'" * 9000, "',' or '\\)' expected at character 7"),
        ("nim(" + "\\'" * 4000, "',' or '\\)' expected at character 6"),
    ],
)
def test_bad_strings_are_refused_in_one_line(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        load_game(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("thing", [None, 3, b"nim", ["nim"], ConnectFour])
def test_other_things_are_no_games(thing: Any) -> None:
    with pytest.raises(UsageError, match="a game or its string form is needed"):
        load_game(thing)


@settings(deadline=None)
@given(st.text(max_size=60) | st.text("nimhorz()[],='\"\\ 135.py:", max_size=60))
def test_any_text_gives_a_game_or_a_usage_error(text: str) -> None:
    try:
        assert isinstance(load_game(text, files=False), Game)
    except UsageError as error:
        assert "\n" not in str(error)


@settings(deadline=None)
@given(st.text(min_size=1, max_size=40))
def test_quoted_text_is_read_back(text: str) -> None:
    node = read(quoted(text))
    assert getattr(node, "text", None) == text


@settings(deadline=None)
@given(st.lists(st.integers(0, 99), min_size=1, max_size=9), st.integers(2, 9), st.booleans())
def test_string_forms_give_the_game_back(heaps: list[int], players: int, misere: bool) -> None:
    nim = Nim([*heaps, 1], players, misere)
    twin = load_game(str(nim))
    assert isinstance(twin, Nim)
    assert twin.parameters == nim.parameters


# -- finding --------------------------------------------------------------------------------------


def test_our_games_are_found_and_sorted() -> None:
    found = games()
    assert list(found) == sorted(found)
    ours = {"connect-four", "horizon", "mnk", "nim", "tic-tac-toe", "tie-breaking"}
    assert ours <= set(found)
    assert all(name == cls.game_name() for name, cls in found.items())
    assert not any(cls.__name__.startswith("_") for cls in found.values())
    assert all(cls.__doc__ for cls in found.values())


class Elsewhere(Nim):
    """A game of another package."""


class NimAgain(Nim):
    @classmethod
    def game_name(cls) -> str:
        return "nim"


@pytest.fixture
def entry_points(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[EntryPoint]]:
    entries: list[EntryPoint] = []
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: entries if group else ())
    catalogue._installed.cache_clear()
    yield entries
    catalogue._installed.cache_clear()


def test_installed_games_are_found(entry_points: list[EntryPoint]) -> None:
    entry_points.append(EntryPoint("elsewhere", f"{__name__}:Elsewhere", "unbounded.games"))
    assert games()["elsewhere"] is Elsewhere
    assert str(load_game("elsewhere([1,2])")) == "elsewhere(heaps=[1,2])"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("no_such_module:Game", "No module named 'no_such_module'"),
        (f"{__name__}:NoSuchGame", "has no attribute 'NoSuchGame'"),
        (f"{__name__}:EXAMPLES", "is not a Game class"),
        (f"{__name__}:NimAgain", "there is already a game 'nim'"),
    ],
)
def test_a_broken_package_is_warned_of_once(
    entry_points: list[EntryPoint], value: str, words: str
) -> None:
    entry_points.append(EntryPoint("bad", value, "unbounded.games"))
    with pytest.warns(UserWarning, match=f"the installed game 'bad' cannot be used: .*{words}"):
        assert games()["nim"] is Nim
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "bad" not in games()


# -- files ----------------------------------------------------------------------------------------

SOURCE = '''
from unbounded.games.nim import Nim

class OneHeap(Nim):
    """Nim with one heap."""
    def __init__(self, size: int = 4, name: str = "heap") -> None:
        super().__init__([size])
        self.size, self.name = size, name
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mygame.py").write_text(SOURCE)
    return tmp_path


@pytest.mark.parametrize(
    "text",
    [
        "mygame.py(size=7)",
        "./mygame.py(7)",
        "./mygame.py:OneHeap(size=7)",
        "mygame.py:one-heap(size=7)",
        "{folder}/mygame.py:OneHeap(7)",
        "'mygame.py:OneHeap'(7)",
    ],
)
def test_games_from_files(folder: Path, text: str) -> None:
    found = load_game(text.format(folder=folder))
    assert found.parameters == {"size": 7, "name": "heap"}
    assert str(found).endswith("mygame.py:OneHeap(size=7)")
    twin = load_game(str(found))
    assert type(twin) is type(found)
    assert twin.parameters == found.parameters
    assert check_game(found, games=5, compiled=False).warnings == ()
    cut = load_game(f"horizon({found},2)")
    assert str(cut) == f"horizon(game={found},plies=2)"
    check_string_form(cut)


def test_a_file_with_an_odd_name(folder: Path) -> None:
    (folder / "my game (2).py").write_text(SOURCE)
    found = load_game("'my game (2).py'(3)")
    assert str(found) == '"my game (2).py:OneHeap"(size=3)'
    assert str(load_game(str(found))) == str(found)


def test_a_changed_file_is_loaded_again(folder: Path) -> None:
    file = folder / "mygame.py"
    before = load_game("mygame.py")
    assert type(load_game("mygame.py")) is type(before)
    file.write_text(SOURCE.replace("size: int = 4", "size: int = 5"))
    os.utime(file, ns=(1, 1))
    assert getattr(load_game("mygame.py"), "size", None) == 5


@pytest.mark.parametrize(
    ("source", "text", "words"),
    [
        (None, "nope.py", "no such file: 'nope.py'"),
        (None, "./nope.py:Game", "no such file: './nope.py'"),
        ("", "a.py", "a.py has no game"),
        ("import unbounded.games.nim\nfrom unbounded.games.nim import Nim", "a.py", "has no game"),
        ("x = 1\ny = 1 +\n", "a.py", "a.py, line 2: SyntaxError"),
        ("x = 1\n\nraise ValueError('two\\nlines')", "a.py", "a.py, line 3: ValueError: two lines"),
        ("import nothing_like_this", "a.py", "a.py, line 1: ModuleNotFoundError"),
        ("import sys\nsys.exit(3)", "a.py", "a.py, line 2: SystemExit"),
        (
            SOURCE + SOURCE.replace("OneHeap", "Two"),
            "a.py",
            "2 games \\(OneHeap, Two\\); say which",
        ),
        (SOURCE, "a.py:OneHeep", "no game 'OneHeep' \\(did you mean 'OneHeap'\\?\\); it has: OneH"),
        (SOURCE, "a.py(size=0)", "a.py:OneHeap: at least one heap must not be empty"),
        (SOURCE, "a.py(size=x)", "size must be an integer"),
        (SOURCE.replace("super()", "Super()"), "a.py", "a.py, line 7: NameError"),
    ],
)
def test_errors_in_files_name_the_line(
    folder: Path, source: str | None, text: str, words: str
) -> None:
    if source is not None:
        (folder / "a.py").write_text(source)
    with pytest.raises(UsageError, match=words) as caught:
        load_game(text)
    assert "\n" not in str(caught.value)


def test_odd_files_are_refused(folder: Path) -> None:
    (folder / "folder.py").mkdir()
    (folder / "bytes.py").write_bytes(b"x = '\xff'")
    (folder / "zero.py").write_bytes(b"\0")
    for name in ("folder.py", "bytes.py", "zero.py", "nul\0.py", "x" * 5000 + ".py"):
        with pytest.raises(UsageError):
            load_game(quoted(name))


def test_names_that_are_nearly_files_are_understood(folder: Path) -> None:
    (folder / "folder.py").mkdir()
    (folder / "gamely.py").write_text(SOURCE)
    for text, words in (
        ("folder.py", "is a directory; name a file in it"),
        ("./gamely:OneHeap", r"did you mean './gamely.py:OneHeap'\?"),
        ("./gamelly.py:OneHeap", r"no such file.*did you mean 'gamely.py'\?"),
    ):
        with pytest.raises(UsageError, match=words):
            load_game(text)


def test_strangers_cannot_name_files(folder: Path) -> None:
    texts = ("mygame.py", "./mygame.py:OneHeap", "horizon('mygame.py',3)", "graph(file=mygame.py)")
    for text in texts:
        with pytest.raises(UsageError, match="games from files are not allowed here"):
            load_game(text, files=False)
    assert str(load_game("nim", files=False)) == "nim"


class Odd(Game[Any, Any]):
    """Parameters of all kinds."""

    def __init__(  # type: ignore[no-untyped-def]
        self,
        anything=None,
        word: str = "",
        maybe: int | None = None,
        pair: tuple[float, ...] = (),
        words: list[str] | None = None,
        *,
        inner: RecordGame | None = None,
        strange: bytes = b"",
    ) -> None:
        self.anything, self.word, self.maybe = anything, word, maybe
        self.pair, self.words, self.inner, self.strange = pair, words, inner, strange


@pytest.mark.parametrize(
    ("arguments", "name", "expected"),
    [
        ("3", "anything", 3),
        ("true", "anything", True),
        ("some/file-1.json", "anything", "some/file-1.json"),
        ("'3'", "anything", "3"),
        ("[1,[a,false]]", "anything", (1, ("a", False))),
        ("word=12", "word", "12"),
        ("word='a b, (c)'", "word", "a b, (c)"),
        ("maybe=none", "maybe", None),
        ("maybe=-3", "maybe", -3),
        ("pair=[1,2.5]", "pair", (1.0, 2.5)),
        ("words=[a,'b c']", "words", ["a", "b c"]),
    ],
)
def test_parameters_of_all_kinds(arguments: str, name: str, expected: Any) -> None:
    found = catalogue.read_game(f"odd({arguments})", {"odd": Odd})
    assert found.parameters[name] == expected


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("maybe=x", "odd: maybe must be an integer, not 'x'"),
        ("words=[a,[b]]", "words\\[1\\] must be a word, not a list"),
        ("inner=odd", "inner must be a RecordGame, and odd is none"),
        ("strange=x", "odd: strange cannot be given in a game string"),
        ("1,a,2,[1],[a],6", "too many parameters"),
    ],
)
def test_parameters_of_the_wrong_kind(arguments: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        catalogue.read_game(f"odd({arguments})", {"odd": Odd})


# -- parameters given by name ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "given", "text"),
    [
        ("hex", {"size": 3}, "hex(size=3)"),
        ("nim", {"heaps": [3, 4, 5]}, "nim"),
        ("hex", {}, "hex"),
        ("connect-four(5)", {"height": 4}, "connect-four(width=5,height=4)"),
        ("nim", {"heaps": (1, 2), "misere": True}, "nim(heaps=[1,2],misere=true)"),
        ("nim", {"heaps": [3]}, "nim(heaps=[3])"),
        ("tie-breaking", {"game": "nim(players=3)", "step": 0.5}, None),
        ("tie-breaking(nim)", {"step": 2}, "tie-breaking(game=nim,step=2.0)"),
        ("horizon", {"game": Nim([2]), "plies": 3}, "horizon(game=nim(heaps=[2]),plies=3)"),
    ],
)
def test_parameters_can_be_given_by_name(name: str, given: Any, text: str | None) -> None:
    found = load_game(name, **given)
    assert str(found) == (text or "tie-breaking(game=nim(players=3),step=0.5)")
    assert str(load_game(str(found))) == str(found)


def test_numbers_of_other_libraries_are_taken() -> None:
    assert str(load_game("hex", size=np.int64(3))) == "hex(size=3)"
    assert str(load_game("tie-breaking", game="nim", step=np.float32(0.5))).endswith("step=0.5)")


def test_a_game_given_by_name_is_the_one_inside() -> None:
    nim = Nim([2])
    assert load_game("horizon", game=nim, plies=3).parameters["game"] is nim


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("hex", {"sice": 3}, r"hex has no parameter 'sice' \(did you mean 'size'\?\)"),
        ("hex", {"size": "3"}, "hex: size must be an integer, not '3'"),
        ("hex", {"size": True}, "hex: size must be an integer, not 'true'"),
        ("hex", {"size": 3.0}, "hex: size must be an integer, not '3.0'"),
        ("hex", {"size": None}, "hex: size must be an integer, not None"),
        ("hex", {"size": Nim()}, "hex: size must be an integer, not the game 'nim'"),
        ("hex", {"size": {3}}, "size cannot be of type set: a parameter is a number"),
        ("hex", {"size": 0}, "hex: size must be an integer from"),
        ("hex(size=3)", {"size": 4}, "hex: parameter 'size' is given twice"),
        ("hex(3)", {"size": 4}, "hex: parameter 'size' is given twice"),
        ("nim", {"heaps": [1, object()]}, r"heaps\[1\] cannot be of type object"),
        ("nim", {"heaps": [1, "2"]}, r"heaps\[1\] must be an integer, not '2'"),
        ("tie-breaking", {"game": 3}, "unknown game '3'"),
        ("tie-breaking", {"game": None}, "game must be a Game, not None"),
        ("tie-breaking", {"game": "nimm"}, "unknown game 'nimm'"),
        ("tie-breaking", {"game": "nim", "step": float("nan")}, "step must be a number, not 'nan'"),
        ("graph", {"file": "x.json", "files": False}, "games from files are not allowed here"),
    ],
)
def test_wrong_parameters_by_name(name: str, given: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        load_game(name, **given)
    assert "\n" not in str(caught.value)


def test_a_finished_game_takes_no_parameters() -> None:
    with pytest.raises(UsageError, match=r"nim is made already, so it takes no parameters \(heap"):
        load_game(Nim(), heaps=[1])


# -- the example ----------------------------------------------------------------------------------


def test_the_example_runs() -> None:
    script = [sys.executable, "-W", "error", str(EXAMPLES / "nim_sticks.py")]
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("nim-sticks: conforms to the contract")


def test_the_example_can_be_named() -> None:
    sticks = load_game(f"{EXAMPLES / 'nim_sticks.py'}(sticks=8)")
    assert check_game(sticks, games=5, compiled=False).states == 16


def test_types_of_parameters_are_said_as_they_are_written() -> None:
    class Sized(Game[int, int]):
        pass

    def start(self: Any, size: int = 3, heaps: list[int] = [1, 2]) -> None:  # noqa: B006
        """As where annotations are evaluated."""

    start.__annotations__ = {"size": int, "heaps": list[int]}
    Sized.__init__ = start  # type: ignore[method-assign]
    told = catalogue.describe(Sized)["parameters"]
    assert [each["type"] for each in told] == ["int", "list[int]"]
