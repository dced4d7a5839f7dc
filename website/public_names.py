# SPDX-License-Identifier: MIT
"""The page of every public name, from the docstrings."""

from __future__ import annotations

import inspect
from typing import Any

import unbounded
import unbounded.testing

HEAD = """# Every public name

Made from the docstrings, whose examples are run in the tests. [The Python API](../api.md)
introduces the names in order; here they are complete.

`import unbounded as ub` has all names of the first part.
"""
GROUPS = {
    "Games and positions": ("games", "load_game", "Position", "horizon"),
    "Solving and searching": (
        *("solve", "analyze", "Search", "SearchOptions", "Result", "why", "Interrupted"),
    ),
    "Proofs and tables": ("certify", "verify", "export", "query", "decisive_positions"),
    "Your own games": ("Game", "RecordGame", "Rules", "record", "check_game"),
    "Matches": ("Match", "play_match"),
    "Errors, and the version": ("UnboundedError", "UsageError", "RuleError", "__version__"),
}
"""The order of the page; a name that is in no group is an error."""
HIDDEN = {
    "Search": ("snapshot", "play_action", "fingerprint", "advance", "certify", "best_successor"),
    "SearchOptions": ("to_core",),
    "RuleError": ("located",),
}
"""Methods that are for the package itself."""


def names_page() -> str:
    """Return the whole page, as directives for mkdocstrings."""
    grouped = [name for names in GROUPS.values() for name in names]
    if sorted(grouped) != sorted(unbounded.__all__):
        wrong = set(grouped) ^ set(unbounded.__all__)
        raise ValueError(f"website/public_names.py and unbounded.__all__ differ: {sorted(wrong)}")
    parts = [HEAD]
    for group, names in GROUPS.items():
        parts += [f"## {group}", ""]
        parts += [entry(f"ub.{name}", path_of(name), HIDDEN.get(name, ())) for name in names]
    parts += ["## For tests", "", "`unbounded.testing` has these.", ""]
    parts += [entry(name, tested_path(name)) for name in unbounded.testing.__all__]
    return "\n".join(parts)


def path_of(name: str) -> str:
    """Return where a public name is defined."""
    if name == "games":  # the package of that name can be called
        return "unbounded.game.catalogue.games"
    if name == "__version__":
        return "unbounded.version.VERSION"
    return defined(getattr(unbounded, name))


def tested_path(name: str) -> str:
    """Return where a name of `unbounded.testing` is defined."""
    return defined(getattr(unbounded.testing, name))


def defined(thing: Any) -> str:
    """Return the full name of a class or function."""
    thing = inspect.unwrap(thing)
    return f"{thing.__module__}.{thing.__qualname__}"


def entry(title: str, path: str, hidden: tuple[str, ...] = ()) -> str:
    """Return the directive for one name."""
    filters = "".join(f', "!^{name}$"' for name in hidden)
    return (
        f"::: {path}\n"
        f'    options:\n      heading: "{title}"\n      toc_label: "{title}"\n'
        f'      filters: ["!^_"{filters}]\n'
    )
