# SPDX-License-Identifier: MIT
"""Games whose names come from strangers: loaded in a process of their own before they are used.

OpenSpiel checks few parameters. `havannah(board_size=99)` ends the process that loads it, and other
games take all memory or do not return. A process that is started only for this may end.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from functools import lru_cache

from unbounded.game import MOST_ACTIONS

SECONDS = 10
"""For the whole trial: most of it is the import of OpenSpiel."""
MEMORY = 4 << 30
"""Address space of the process, in bytes."""

_REMEMBERED = 1024
_one_at_a_time = threading.Lock()
_NO_PARAMETERS = re.compile(r"\s*\w*\s*(\(\s*\)\s*)?")

# Errors that OpenSpiel reports end the trial well: they are reported again where the game is
# loaded. A text that is none was read from beyond a table, as a board that is too large does; this
# crashes only sometimes.
_TRIAL = f"""
import sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))
except (ImportError, ValueError, OSError):
    pass
import random
import pyspiel
try:
    state = pyspiel.load_game(sys.argv[1]).new_initial_state()
    choose = random.Random(1).choice
    for _ in range(200):
        state.to_string()
        actions = state.legal_actions()
        if not 0 < len(actions) <= {MOST_ACTIONS}:
            break
        state.apply_action(choose(actions))
except (MemoryError, UnicodeDecodeError):
    sys.exit(1)
except Exception:
    pass
"""


def is_harmless(name: str) -> bool:
    """Whether a game can be loaded and played without an end of the process that does it.

    Games without parameters are: OpenSpiel's own tests load them.
    """
    if _NO_PARAMETERS.fullmatch(name):
        return True
    with _one_at_a_time:  # many requests take no more than one processor
        return _survives(name)


@lru_cache(_REMEMBERED)
def _survives(name: str) -> bool:
    if "\0" in name:
        return False
    try:
        done = subprocess.run(  # noqa: S603 - this Python
            [sys.executable, "-P", "-c", _TRIAL, name],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            check=False,
            env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        )
    except (subprocess.TimeoutExpired, OSError):
        return False
    return done.returncode == 0
