# SPDX-License-Identifier: MIT
"""Where links of the documents lead on the site.

The documents are written to be read in the repository too, so they link to files outside of docs/:
to the pages of the root, which the site has under about/, and to sources, which it shows under
source/.
"""

from __future__ import annotations

import posixpath
import re
from html import escape
from pathlib import Path

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
ROOT_PAGES = {
    "README.md": "about/readme.md",
    "ARCHITECTURE.md": "about/architecture.md",
    "CONTRIBUTING.md": "about/contributing.md",
    "CHANGELOG.md": "about/changelog.md",
    "LICENSE": "source/LICENSE.md",
}
"""Pages of the root of the repository, and where the site has them."""
LINK = re.compile(r"(\]\()([^)#:\s]+)(#[^)\s]*)?(\))")
BAR = re.compile(r"`([^`\n]*\\\|[^`\n]*)`")
LIST = re.compile(r"^([^\s|>#<-].*\n)(?=- )", re.MULTILINE)
CODE = re.compile(r"^(```.*?^```$)", re.DOTALL | re.MULTILINE)


def place_of(page: str) -> str:
    """Return the path in the repository of the page that the site has under this name."""
    for path, name in ROOT_PAGES.items():
        if name == page:
            return path
    return f"docs/{page}"


def target_of(page: str, link: str) -> str:
    """Return the path in the repository of what a page links to."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(place_of(page)), link))


def name_of(path: str) -> str:
    """Return the name on the site of a file of the repository."""
    if path in ROOT_PAGES:
        return ROOT_PAGES[path]
    if path.startswith("examples/") and path.endswith(".ipynb"):
        return f"notebooks/{Path(path).stem}.md"
    if path.startswith("docs/") and not path.endswith((".py", ".txt", ".sh")):
        return path.removeprefix("docs/")
    return f"source/{path}.md"


def sources_linked(page: str, markdown: str) -> set[str]:
    """Return the sources that a page links to, which need pages of their own."""
    targets = (target_of(page, link[2]) for link in LINK.finditer(markdown))
    return {t for t in targets if name_of(t).startswith("source/") and (ROOT / t).is_file()}


def rewritten(page: str, markdown: str) -> str:
    """Return the text of a page with every link as the site has it; code is left alone."""

    def replace(link: re.Match[str]) -> str:
        path = target_of(page, link[2])
        if not (ROOT / path).exists():  # made by the build; if not, MkDocs will say
            return link[0]
        name = posixpath.relpath(name_of(path), posixpath.dirname(page) or ".")
        return f"{link[1]}{name}{link[3] or ''}{link[4]}"

    parts = CODE.split(markdown)
    return "".join(p if CODE.fullmatch(p) else as_read_there(LINK.sub(replace, p)) for p in parts)


def as_read_there(text: str) -> str:
    """Rewrite what MkDocs reads otherwise: a bar in code in a table, a list after a paragraph."""
    text = BAR.sub(
        lambda code: f"<code>{escape(code[1]).replace(chr(92) + '|', '&#124;')}</code>", text
    )
    return LIST.sub(r"\1\n", text)
