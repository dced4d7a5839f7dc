# SPDX-License-Identifier: MIT
"""Write docs/games.md and a page for every game, from the classes themselves.

`python docs/make_games.py` writes them; with `--check` it says which are out of date instead.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from unbounded.game import Game, Known, RecordGame, format_value
from unbounded.game.catalogue import games
from unbounded.game.drawing import draw, stand_alone
from unbounded.solving.solve import solve

DOCS = Path(__file__).parent
SHARE_PLAYED = 0.45
"""How far into a random game the picture is taken."""


def shelf() -> dict[str, type[Game[Any, Any]]]:
    """The games proper: those that stand in `unbounded.games`."""
    return {n: c for n, c in games().items() if c.__module__.startswith("unbounded.games.")}


def picture(game: Game[Any, Any]) -> str:
    """A position from the middle of a random game, with the last move marked."""
    line = random_game(game, Random(3))
    played = max(1, int(len(line) * SHARE_PLAYED))
    state, last = line[min(played, len(line)) - 1]
    after = game.next(state, last)
    return stand_alone(draw(game, after, last=last, before=state))


def random_game(game: Game[Any, Any], random: Random) -> list[tuple[Any, Any]]:
    """The states and actions of one random game."""
    line, state = [], game.initial()
    while actions := game.actions(state):
        action = random.choice(list(actions))
        line.append((state, action))
        state = game.next(state, action)
    return line


def parameters(cls: type[Game[Any, Any]]) -> Iterator[str]:
    """The table of parameters."""
    signature = cls.signature()
    if not signature:
        yield "It has no parameters."
        return
    yield "| parameter | default |"
    yield "|---|---|"
    for name, parameter in signature.items():
        default = parameter.default
        yield f"| `{name}` | `{format_value(default)}` |"


def facts(game: Game[Any, Any]) -> Iterator[str]:
    """What can be said of the game in numbers."""
    yield f"- players: {game.players}{', zero sum' if game.zero_sum else ''}"
    if isinstance(game, RecordGame):
        yield f"- bytes of a state: {game.state.size}; most actions: {game.max_actions}"
    yield f"- symmetries of the board: {game.symmetries}"
    yield f"- score: {'its own' if game.has_score else 'the outcome'}"
    yield f"- heuristic: {'yes' if game.has_evaluation else 'no'}"
    if game.planes is not None:
        yield f"- planes for a network: {' x '.join(map(str, game.planes))}"


def known(values: list[Known]) -> Iterator[str]:
    """The table of known values."""
    yield "| game | outcome per player | score | source |"
    yield "|---|---|---|---|"
    for value in values:
        score = "" if value.score is None else ", ".join(f"{x:g}" for x in value.score)
        outcome = ", ".join(f"{x:+d}" if x else "0" for x in value.outcome)
        yield f"| `{value.game}` | {outcome} | {score} | {value.source} |"


def page(name: str, cls: type[Game[Any, Any]]) -> str:
    """The whole page of a game."""
    game = cls()
    parts = [f"# {name}", "", f"![{name}]({name}.svg)", ""]
    parts += [inspect.cleandoc(cls.__doc__ or ""), "", "## Parameters", "", *parameters(cls), ""]
    parts += ["## In numbers", "", f"With the default parameters, `{game}`:", "", *facts(game), ""]
    if game.known_values:
        parts += ["## Known values", "", *known(list(game.known_values)), ""]
    if game.solvable:
        result = solve(game.solvable)
        parts += ["## Try it", "", "```python", ">>> import unbounded as ub"]
        parts += [f'>>> ub.solve("{game.solvable}").outcome', f"{result.outcome}", "", "```", ""]
    parts += ["```", game.show(game.initial()), "```"]
    return "\n".join(parts) + "\n"


def gallery(names: list[str]) -> str:
    """The overview with every board drawn."""
    parts = [
        "# The games",
        "",
        "Written by `docs/make_games.py` from the games themselves. Pictures are of random games.",
        "",
    ]
    for name in names:
        cls = shelf()[name]
        first = inspect.cleandoc(cls.__doc__ or "").split("\n\n")[0].replace("\n", " ")
        parts += [f"## [{name}](games/{name}.md)", "", first, ""]
        parts += [f"![{name}](games/{name}.svg)", ""]
    return "\n".join(parts)


def pages() -> dict[Path, str]:
    """Every file of the gallery and its text."""
    made: dict[Path, str] = {}
    for name, cls in shelf().items():
        made[DOCS / "games" / f"{name}.svg"] = picture(cls()) + "\n"
        made[DOCS / "games" / f"{name}.md"] = page(name, cls)
    made[DOCS / "games.md"] = gallery(list(shelf()))
    return made


def main(arguments: list[str]) -> int:
    """Write, or check, all pages."""
    stale = [p for p, text in pages().items() if not p.exists() or p.read_text("utf-8") != text]
    if arguments == ["--check"]:
        for path in stale:
            print(f"out of date: {path.name}; run python docs/make_games.py")
        return 1 if stale else 0
    texts = pages()
    for path in stale:
        path.parent.mkdir(exist_ok=True)
        path.write_text(texts[path], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
