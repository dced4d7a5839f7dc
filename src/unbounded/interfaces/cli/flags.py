# SPDX-License-Identifier: MIT
"""Options as they are typed: messages of the library name them as Python does."""

from __future__ import annotations

import re
from collections.abc import Set
from typing import Any

OFF = {
    "bounds": "--no-bounds",
    "canonical": "--no-symmetry",
    "completion": "--no-completion",
    "probes": "--no-probes",
}
"""Options that are on unless they are switched off."""

_OPTION = re.compile(r"`(\w+)(?:=([^`]*))?`")  # as `UsageError` marks them


def in_flags(message: str, known: Set[str]) -> str:
    """Name the options in a message of `UsageError` by those flags that the command knows."""

    def said(match: re.Match[str]) -> str:
        name, value = match[1], match[2]
        off = OFF.get(name, "")
        if off in known:
            on = f"{name}, which {off} and the variants of the paper switch off"
            return {"True": on, "False": off}.get(value, name)
        flag = flag_of(name)
        if flag not in known:
            return match[0].strip("`")
        return flag if value in (None, "True") else f"{flag} {value.strip(chr(39))}"

    return _OPTION.sub(said, message)


def flag_of(name: str) -> str:
    """The flag of an option."""
    return OFF.get(name) or f"--{name.replace('_', '-')}"


def typed(name: str, value: Any) -> str:
    """Say how an option was given: "with --threads 2", "without --no-bounds"."""
    if isinstance(value, bool):
        return f"{'with' if value != (name in OFF) else 'without'} {flag_of(name)}"
    if value in (None, [], ""):
        return f"without {flag_of(name)}"
    words = " ".join(map(str, value)) if isinstance(value, list) else str(value)
    return f"with {flag_of(name)} {words}"
