# SPDX-License-Identifier: MIT
"""The parts of the page's server do not know their owners, neither by import nor by reference.

The order of the modules is the table in the docstring of `unbounded.interfaces.web`.
"""

from __future__ import annotations

import re
from pathlib import Path

from test_layers import modules_imported

from unbounded.interfaces import web
from unbounded.interfaces.web.game_room import GameRoom
from unbounded.interfaces.web.limits import Limits
from unbounded.interfaces.web.room_manager import RoomManager
from unbounded.search.options import SearchOptions

FOLDER = Path(web.__file__).parent
ORDER = re.findall(r"^\| `(\w+)` \|", web.__doc__ or "", flags=re.MULTILINE)


def web_modules_imported(path: Path) -> set[str]:
    """The modules of the folder that one of them imports, for types too."""
    prefix = f"{web.__name__}."
    names = {name for name in modules_imported(path) if name.startswith(prefix)}
    return {name.removeprefix(prefix).split(".")[0] for name in names}


def test_the_table_has_every_module_once() -> None:
    modules = {path.stem for path in FOLDER.glob("*.py")} - {"__init__"}
    assert sorted(ORDER) == sorted(modules)


def test_no_module_imports_its_owner() -> None:
    wrong = [
        (name, other)
        for number, name in enumerate(ORDER)
        for other in web_modules_imported(FOLDER / f"{name}.py")
        if other not in ORDER[:number]
    ]
    assert wrong == []


def test_no_part_of_a_room_refers_to_the_room_or_its_manager(tmp_path: Path) -> None:
    rooms = RoomManager(Limits(), folder=tmp_path)
    room = rooms.enter(None)
    room.analyze(SearchOptions())
    parts = [*vars(room).values(), room.analysis._thread]
    held = [value for part in parts if hasattr(part, "__dict__") for value in vars(part).values()]
    assert held and not any(isinstance(value, GameRoom | RoomManager) for value in held)
    assert rooms not in vars(room).values()
    rooms.close()
