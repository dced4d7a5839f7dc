# SPDX-License-Identifier: MIT
"""What MkDocs calls while it builds the site: pages that are made, and links that are changed."""

from __future__ import annotations

import re
from typing import Any

from charts import with_charts
from links import ROOT, ROOT_PAGES, name_of, rewritten, sources_linked
from made_pages import made_pages
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from step_by_step import with_steps

ASSETS = ROOT / "website" / "assets"
SESSION = re.compile(r"^```python\n(?=>>>)", re.MULTILINE)
HIGHLIGHT = {".py": "python", ".mjs": "javascript", ".sh": "bash", ".json": "json"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the root, the sources that are linked to, and everything that is made."""
    made = {name: (ROOT / path).read_text("utf-8") for path, name in ROOT_PAGES.items()}
    made |= made_pages()
    pages = {f.src_uri: f.content_string for f in files.documentation_pages()} | made
    linked = set().union(*(sources_linked(name, text) for name, text in pages.items()))
    made |= {name_of(path): source_page(path) for path in sorted(linked)}
    for name, text in made.items():
        files.append(File.generated(config, name, content=text))
    for path in sorted(p for p in ASSETS.rglob("*") if p.is_file()):
        name = f"assets/{path.relative_to(ASSETS).as_posix()}"
        files.append(File.generated(config, name, abs_src_path=str(path)))
    return files


def source_page(path: str) -> str:
    """Show a file of the repository as a page."""
    kind = HIGHLIGHT.get((ROOT / path).suffix, "text")
    text = (ROOT / path).read_text("utf-8")
    return f"# {path}\n\n``````{kind}\n{text}``````\n"


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Rewrite links, and let sessions be highlighted as sessions."""
    name = page.file.src_uri
    if name.startswith("source/"):
        return markdown
    return SESSION.sub("```pycon\n", with_charts(rewritten(name, markdown)))


def on_page_content(html: str, page: Page, **_: Any) -> str:
    """Bring the picture of iterations to life."""
    return with_steps(html) if page.file.src_uri == "iterations.md" else html
