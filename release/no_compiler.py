# SPDX-License-Identifier: MIT
"""A PATH like this machine's, but without compilers and what builds with them."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

COMPILERS = re.compile(
    r"(.*-)?(gcc|g\+\+|cc|c\+\+|c89|c99|cpp|clang|clang\+\+|clang-cl|tcc|icx|icpx|nvcc)(-[\d.]+)?"
    r"|c89-gcc|c99-gcc|(.*-)?(as|ld|ld\.\w+|lld|gold)|cmake|ccmake|ninja|make|gmake|meson"
)
MUST_BE_ABSENT = ("cc", "c++", "gcc", "g++", "clang", "clang++", "cmake", "ninja", "make", "ld")


def path_without_compilers(folder: Path) -> Path:
    """Fill a folder with links to the programs on PATH that are no compilers, and return it."""
    folder.mkdir()
    for place in os.environ["PATH"].split(os.pathsep):
        for program in Path(place).iterdir() if Path(place).is_dir() else ():
            link = folder / program.name
            if not COMPILERS.fullmatch(program.name) and not os.path.lexists(link):
                link.symlink_to(program)
    left = [name for name in MUST_BE_ABSENT if shutil.which(name, path=str(folder))]
    if left:
        raise SystemExit(f"still on PATH: {', '.join(left)}")
    return folder
