# SPDX-License-Identifier: MIT
"""The notebooks of examples/: run them, and show them as pages of the site.

`python website/notebooks.py` runs them and writes their outputs; with `--check` it says which
print something else than they say.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from html import escape
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parent.parent / "examples"
NOTEBOOKS = tuple(sorted(EXAMPLES.glob("*.ipynb")))
SHOWN = ("image/svg+xml", "text/html", "text/plain")
"""The forms of an output, the one to show first."""


def executed(path: Path) -> dict[str, Any]:
    """Run a notebook in an empty folder, and return it with its outputs and nothing else new."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        resources = {"metadata": {"path": folder}}
        client = NotebookClient(notebook, timeout=300, resources=resources)
        client.execute(env=os.environ | {"UNBOUNDED_QUIET": "1"})
    made: dict[str, Any] = json.loads(nbformat.writes(notebook))
    made["metadata"] = {"language_info": {"name": "python"}}
    for cell in made["cells"]:
        cell["metadata"] = {}
        if "outputs" in cell:
            cell["outputs"] = joined(cell["outputs"])
    return made


def joined(outputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Make one output of what was printed in several pieces, as it happens to arrive."""
    made: list[dict[str, Any]] = []
    for output in outputs:
        if made and output["output_type"] == "stream" and made[-1].get("name") == output["name"]:
            made[-1]["text"] += output["text"]
        else:
            made.append(output)
    return made


def printed(notebook: dict[str, Any]) -> list[str]:
    """Return what the cells of a notebook print, as plain text."""
    texts = []
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()):
            assert output["output_type"] != "error", output
            text = output.get("text") or output["data"]["text/plain"]
            texts.append("".join(text))
    return texts


def page_of(path: Path) -> str:
    """Return a notebook as a page."""
    notebook = json.loads(path.read_text("utf-8"))
    parts = []
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(text)
            continue
        parts.append(f"```python\n{text}\n```")
        parts += [shown(output) for output in cell["outputs"]]
    parts.append(f"*This page is the notebook `examples/{path.name}` of the repository.*")
    return "\n\n".join(parts) + "\n"


def shown(output: dict[str, Any]) -> str:
    """Return an output in Markdown, in its best form."""
    if "text" in output:
        return as_text("".join(output["text"]))
    form = next(form for form in SHOWN if form in output["data"])
    text = "".join(output["data"][form]).strip()
    if form == "text/plain":
        return as_text(text)
    return f'<div class="notebook-output">{text}</div>'


def as_text(text: str) -> str:
    """Return plain text as an output."""
    return f'<div class="notebook-output"><pre>{escape(text.rstrip())}</pre></div>'


def notebook_pages() -> dict[str, str]:
    """Return the page of every notebook, by its name on the site."""
    return {f"notebooks/{path.stem}.md": page_of(path) for path in NOTEBOOKS}


def main(arguments: list[str]) -> int:
    """Run all notebooks; write them, or compare."""
    wrong = 0
    for path in NOTEBOOKS:
        made = executed(path)
        if arguments != ["--check"]:
            path.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", "utf-8")
        elif printed(made) != printed(json.loads(path.read_text("utf-8"))):
            print(f"{path.name} prints something else than it says: make notebooks")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
