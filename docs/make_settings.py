# SPDX-License-Identifier: MIT
"""Write the table of settings in learning.md anew, from `LearnSettings`."""

from __future__ import annotations

import re
from pathlib import Path

from unbounded.interfaces.cli.flags import flag_of
from unbounded.learning.settings import learn_settings

PAGE = Path(__file__).parent / "learning.md"
HEAD = "| flag | what it sets |\n|---|---|\n"


def table() -> str:
    """The settings as a table: flags and help texts."""
    rows = [(flag_of(x.name), x.off_help if x.off_flag else x.help) for x in learn_settings()]
    return HEAD + "".join(f"| `{flag}` | {text} |\n" for flag, text in rows)


def main() -> None:
    """Replace the table in the page."""
    before = PAGE.read_text("utf-8")
    after = re.sub(re.escape(HEAD) + r"(?:\|.*\n)*", lambda _: table(), before)
    PAGE.write_text(after, encoding="utf-8")


if __name__ == "__main__":
    main()
