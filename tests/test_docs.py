# SPDX-License-Identifier: MIT
"""What the documents show runs, and says what they say."""

from __future__ import annotations

import dataclasses
import doctest
import importlib.util
import operator
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import typer
from certificates import certificate, verdict

import unbounded
import unbounded as ub
import unbounded.testing
from unbounded import reference
from unbounded.conformance.check import check_game, random_play
from unbounded.game import Game, RecordGame, RuleError, Rules, catalogue
from unbounded.game.drawing import cells_named
from unbounded.interfaces.cli.app import app
from unbounded.players import KINDS
from unbounded.solving.solve import shortcuts

ROOT = Path(__file__).parent.parent


def fenced(path: Path, *kinds: str) -> list[str]:
    """The blocks of a page that are of one of these kinds: ```python, ```console, ..."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", path.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    return [text for kind, text in found if kind in kinds]


def code_blocks(path: Path) -> list[str]:
    return fenced(path, "python")


DOCUMENTS = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "tutorials").glob("*.md")),
]
PAGES = [path for path in DOCUMENTS if code_blocks(path)]


def sources(*folders: str) -> list[Path]:
    """The text files of these folders of the repository."""
    kinds = {".py", ".pyi", ".h", ".cpp", ".md", ".js", ".html", ".css"}
    found = (path for folder in folders for path in (ROOT / folder).rglob("*"))
    return sorted(
        path for path in found if path.suffix in kinds and "__pycache__" not in path.parts
    )


LEAST_STEPS = {
    **{"README.md": 8, "notebooks.md": 8, "hooks.md": 20, "openspiel.md": 15},
    **{"solve_your_game.md": 9, "write_a_fast_game.md": 9, "a_player_for_your_site.md": 14},
    **{"teach_a_network.md": 3, "three_players.md": 14, "read_a_proof.md": 20},
    **{"use_openspiel.md": 15},
}
"""Lines typed in the sessions of a page, so that none is overlooked."""

NEEDS = {
    "openspiel.md": ("pyspiel", "openspiel"),
    "pettingzoo.md": ("pettingzoo", "pettingzoo"),
    "use_openspiel.md": ("pyspiel", "openspiel"),
}
"""The module that the Python of a page needs, and the extra that installs it."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_python_of_a_page_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The plain blocks of a page make one file; its sessions run in it, and print what is shown."""
    needed = NEEDS.get(page.name)
    if needed is not None:
        pytest.importorskip(needed[0], reason=f"needs: pip install 'unbounded[{needed[1]}]'")
    monkeypatch.chdir(tmp_path)
    blocks = code_blocks(page)
    plain = [block for block in blocks if not block.startswith(">>>")]
    module = as_module(tmp_path / f"{page.stem}_blocks.py", plain)
    sessions = "".join(block for block in blocks if block.startswith(">>>"))
    names = {"ub": ub, **vars(module)}
    test = doctest.DocTestParser().get_doctest(sessions, names, page.name, str(page), 0)
    said: list[str] = []
    failed, attempted = doctest.DocTestRunner().run(test, out=said.append)
    assert failed == 0, "".join(said)
    assert attempted >= LEAST_STEPS.get(page.name, 0)


def as_module(file: Path, blocks: list[str]) -> ModuleType:
    """Write blocks to a file and import it, so that what they define can be compiled."""
    file.write_text("import unbounded as ub\n" + "\n".join(blocks), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    return module


def test_the_packages_own_example() -> None:
    failed, attempted = doctest.testmod(ub)
    assert attempted >= 2
    assert failed == 0


PUBLIC = [*ub.__all__, *(f"testing.{name}" for name in unbounded.testing.__all__)]


@pytest.mark.parametrize("name", sorted(set(PUBLIC) - {"__version__"}))
def test_every_public_name_has_an_example_that_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    thing = operator.attrgetter(name)(unbounded)
    if name == "games":  # the package can be called; its function has the docstring
        thing = catalogue.games
    (test,) = doctest.DocTestFinder(recurse=False).find(thing, name)
    assert test.examples, f"{name} has no example"
    said: list[str] = []
    failed, _ = doctest.DocTestRunner().run(test, out=said.append)
    assert failed == 0, "".join(said)


@pytest.mark.parametrize(
    ("document", "name", "first_player"),
    [
        # 21 is not a multiple of 4, so the first player wins; 10 is none of 3.
        ("README.md", "Sticks", 1),
        ("docs/adding_a_game.md", "Countdown", 1),
    ],
)
def test_games_in_the_documents(
    document: str, name: str, first_player: int, tmp_path: Path
) -> None:
    block = next(b for b in code_blocks(ROOT / document) if f"class {name}" in b)
    file = tmp_path / "mine.py"
    file.write_text(block, encoding="utf-8")
    game = ub.load_game(f"{file}:{name}")
    check_game(game)
    search = ub.Search(game, **shortcuts(game, {}))
    assert search.run().outcome == (first_player, -first_player)
    verdict(certificate(search), game)


# -- the page on hooks ----------------------------------------------------------------------------

REQUIRED = {"players", "zero_sum", "initial", "player", "actions", "next", "outcome"}
DERIVED = {"is_same_game", "best_scores", "game_name", "signature", "parameters"}


def test_every_hook_is_documented() -> None:
    hooks = {name for name in vars(Game) if not name.startswith(("_", "has_"))}
    hooks |= {field.name for field in dataclasses.fields(Rules)}
    headings = re.findall(r"^### .*$", (ROOT / "docs" / "hooks.md").read_text(), re.MULTILINE)
    told = set(re.findall(r"`(\w+)`", "\n".join(headings)))
    assert told == hooks - REQUIRED - DERIVED


def test_the_games_on_that_page_conform_to_the_contract(tmp_path: Path) -> None:
    page = ROOT / "docs" / "hooks.md"
    plain = [block for block in code_blocks(page) if not block.startswith(">>>")]
    module = as_module(tmp_path / "hooks_checked.py", plain)
    row, strip = module.Whole(), module.Strip()
    assert check_game(row).warnings == check_game(strip).warnings == ()
    for state in random_play(strip, 1).states:
        fields = row.state.zero()
        fields.row, fields.turn = [".XO".index(cell) for cell in state[0]], state[1]
        same = row.state.pack(fields)
        for hook in ("actions", "encode", "show", "outcome_at_horizon"):
            assert list(getattr(row, hook)(same)) == list(getattr(strip, hook)(state)), hook
    for known in row.known_values:
        cells = int(re.findall(r"\d+", known.game)[0])
        assert ub.solve(module.Strip(cells)).outcome == known.outcome


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ([1, 0, 2, 3, 4, 5, 6], "symmetry 1 leads to a state with"),  # neighbors are torn apart
        ([1, 2, 3, 4, 5, 6, 0], "an image of the state has other images"),  # no group
    ],
)
def test_check_finds_a_wrong_symmetry_of_that_page(
    order: list[int], said: str, tmp_path: Path
) -> None:
    page = ROOT / "docs" / "hooks.md"
    plain = [block for block in code_blocks(page) if not block.startswith(">>>")]
    module = as_module(tmp_path / "hooks_wrong.py", plain)

    class Swapped(module.Strip):  # type: ignore[name-defined,misc]
        def symmetry(self, state: tuple[str, int], k: int) -> tuple[str, int]:
            return state if k == 0 else ("".join(state[0][i] for i in order), state[1])

    with pytest.raises(RuleError, match=said):
        check_game(Swapped())


# -- examples -------------------------------------------------------------------------------------


def test_the_worked_example_is_a_whole_game() -> None:
    game = ub.load_game(str(ROOT / "examples" / "berries.py"))
    assert isinstance(game, RecordGame)
    rules = {field.name for field in dataclasses.fields(Rules)}
    assert all(getattr(game.uncompiled, rule) is not None for rule in rules)
    assert check_game(game).warnings == ()
    # By hand: of four berries each player picks two; of six the first leaves a pair at each end.
    for columns, first in ((2, 0), (3, 1)):
        small = type(game)(rows=2, columns=columns)
        search = reference.Search(small)
        search.run()
        assert search.completion[search.root] == first


def test_the_worked_example_is_clicked_where_it_is_drawn() -> None:
    game = ub.load_game(str(ROOT / "examples" / "berries.py"))
    for state in random_play(game, 5).states:
        middles = set()
        for action in game.actions(state):
            (place,) = game.places(state, action)
            middles.add((place.x, place.y))
            picked = cells_named(game.action_name(state, action), 3)
            assert place.x == sum(cell.x for cell in picked) / len(picked)
            assert place.y == sum(cell.y for cell in picked) / len(picked)
            assert place.width * place.height == len(picked)
        assert len(middles) == len(game.actions(state))
        for k in range(game.symmetries):
            image = game.symmetry(state, k)
            assert len(game.actions(image)) == len(game.actions(state))


# -- the errata -----------------------------------------------------------------------------------


def errata() -> dict[int, str]:
    """The items of the page, by number."""
    page = (ROOT / "docs" / "errata.md").read_text("utf-8")
    _, *parts = re.split(r"^## (\d+)\. ", page, flags=re.MULTILINE)
    return {int(number): text for number, text in zip(parts[::2], parts[1::2], strict=True)}


def test_every_erratum_names_its_tests() -> None:
    assert list(errata()) == list(range(1, 12))
    source = (ROOT / "tests" / "test_errata.py").read_text("utf-8")
    tests = set(re.findall(r"^def (test_\w+)", source, re.MULTILINE))
    told = {n: set(re.findall(r"`(test_\w+)`", text)) for n, text in errata().items()}
    for number, names in told.items():
        assert names, f"item {number} names no test"
        assert all(name.startswith(f"test_errata_{number}_") for name in names), number
    assert set().union(*told.values()) == tests


def test_every_mention_of_an_erratum_leads_somewhere() -> None:
    mentioned = {}
    for path in sources("src", "core", "docs", "tests", "examples", "benchmarks"):
        for number in re.findall(r"ERRATA,? (?:section )?(\d+)", path.read_text("utf-8")):
            mentioned[int(number)] = path
    assert set(mentioned) >= {1, 2, 3, 4, 7, 9}
    assert set(mentioned) <= set(errata()), mentioned


# -- links, paths and sessions ---------------------------------------------------------------------


def test_links_in_the_documents_lead_somewhere() -> None:
    for document in [*ROOT.glob("*.md"), *DOCUMENTS[1:]]:
        for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text(encoding="utf-8")):
            assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_paths_in_the_documents_exist() -> None:
    places = [ROOT, ROOT / "src" / "unbounded", ROOT / "docs"]
    for document in [*ROOT.glob("*.md"), *DOCUMENTS[1:]]:
        text = document.read_text("utf-8")
        for path in re.findall(r"`([\w/.]*\w/\w+\.(?:py|pyi|h|cpp|js|mjs|md))`", text):
            if path.startswith("./"):  # a game of the reader
                continue
            assert any((place / path).exists() for place in places), f"{document.name}: {path}"


def commands() -> list[str]:
    """Every command that a page shows, outside of sessions: those are run."""
    lines = [line for page in DOCUMENTS for x in fenced(page, "", "sh") for line in x.splitlines()]
    return sorted({line for line in lines if line.startswith("unbounded ")})


@pytest.mark.parametrize("line", commands())
def test_commands_in_the_documents_can_be_typed(line: str) -> None:
    _, name, *words = shlex.split(line.partition(" > ")[0], comments=True)
    command = typer.main.get_command(app).commands[name]  # type: ignore[attr-defined]
    known = {x for option in command.params for x in (*option.opts, *option.secondary_opts)}
    assert {word for word in words if word.startswith("-")} <= known
    for word in words:
        if re.fullmatch(r"[a-z-]+\(.*\)", word) and not word.startswith(PLAYERS):
            assert str(ub.load_game(word))


PLAYERS = tuple(KINDS)


WITH_SESSIONS = [page for page in DOCUMENTS if fenced(page, "console")]


@pytest.mark.parametrize("page", WITH_SESSIONS, ids=lambda page: page.name)
def test_sessions_in_the_documents(page: Path, tmp_path: Path) -> None:
    """What is shown after a command is what it prints: all of it, but for lines of "..."."""
    for block in code_blocks(page):
        if (game := re.search(r"^class (\w+)", block, re.MULTILINE)) is not None:
            (tmp_path / f"{game[1].lower()}.py").write_text(block, encoding="utf-8")
    steps = [step for session in fenced(page, "console") for step in session.split("$ ")[1:]]
    assert len(steps) >= 2
    for step in steps:
        command, *shown = step.splitlines()
        assert command.startswith("unbounded ")
        done = subprocess.run(
            [sys.executable, "-m", *shlex.split(command)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        assert re.fullmatch(as_pattern(shown), squeezed(done.stdout)), f"{command}\n{done.stdout}"


def as_pattern(shown: list[str]) -> str:
    """What is shown as a regular expression; a line of "..." stands for any number of lines."""
    lines = [squeezed(line) for line in shown]
    return "".join("(?:.*\\n)*" if line == "...\n" else re.escape(line) for line in lines)


def squeezed(text: str) -> str:
    """A text without what depends on the width of the terminal."""
    return "".join(f"{' '.join(line.split())}\n" for line in text.splitlines())


def test_the_gallery_is_up_to_date() -> None:
    command = [sys.executable, ROOT / "docs" / "make_games.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
