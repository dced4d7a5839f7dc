# SPDX-License-Identifier: MIT
"""Every page and data file of the site that is made when it is built."""

from __future__ import annotations

from commands import commands_page
from notebooks import notebook_pages
from public_names import names_page


def made_pages() -> dict[str, str]:
    """Return the text of each, by its name on the site."""
    return {
        "reference/commands.md": commands_page(),
        "reference/names.md": names_page(),
        **notebook_pages(),
    }
