# SPDX-License-Identifier: MIT
"""The interactive picture of iterations, in HTML: `iterations.js` brings it to life.

`python website/step_by_step.py` writes the picture that stands in its place in the repository.
"""

from __future__ import annotations

import json
import re
from html import escape

from graph_picture import css_class, label, picture
from iterations import SCENES, Recorder, Scene, listing, recorded
from links import DOCS
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

STILL = "pictures/iterations.svg"
STILL_TITLE = "Every state that UBFM stores to prove a win in tic-tac-toe"
IMAGE = re.compile(rf'<p><img [^>]*src="{re.escape(STILL)}"[^>]*/?></p>')
TITLES = {"ubfm": "UBFM", "descent": "Descent"}


def still() -> str:
    """Draw the picture for the repository: the end of the first run."""
    return picture(Recorder(SCENES[0], "ubfm"), STILL_TITLE, alone=True) + "\n"


def with_steps(html: str) -> str:
    """Put the interactive picture where a page has the still one."""
    return IMAGE.sub(lambda _: steps_html(), html, count=1)


def steps_html() -> str:
    """Return the whole element: the choices, every run, and the data."""
    runs, data = [], {}
    for scene, algorithm, run in recorded():
        name = f"{scene.name}-{algorithm}"
        data[name] = run_data(run)
        runs.append(run_html(name, scene, algorithm, run))
    scenes = {scene.name: scene.title for scene in SCENES}
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    return (
        '<div class="steps">'
        f'<div class="steps-choices">{choice("Position", "scene", scenes)}'
        f"{choice('Algorithm', 'algorithm', TITLES)}</div>"
        f'{"".join(runs)}<script type="application/json">{text}</script></div>'
    )


def choice(legend: str, name: str, options: dict[str, str]) -> str:
    """Return radio buttons, the first one checked."""
    parts = [f'<fieldset role="radiogroup"><legend>{legend}</legend>']
    for index, (value, title) in enumerate(options.items()):
        checked = " checked" if index == 0 else ""
        parts.append(
            f'<label><input type="radio" name="steps-{name}" value="{value}"{checked}>'
            f"<span>{title}</span></label>"
        )
    return "".join([*parts, "</fieldset>"])


def run_html(name: str, scene: Scene, algorithm: str, run: Recorder) -> str:
    """Return one run: the picture, what happens in words, the controls and the listing."""
    hidden = "" if name == f"{SCENES[0].name}-ubfm" else " hidden"
    title = f"The graph of {TITLES[algorithm]}: {scene.title.lower()} in tic-tac-toe"
    return (
        f'<div class="steps-run" data-run="{name}"{hidden}>'
        '<div class="steps-controls"></div><p class="steps-text" aria-live="polite"></p>'
        f'<div class="steps-picture">{picture(run, title, alone=False)}</div>'
        '<p class="steps-legend" aria-hidden="true"><span class="is-estimated">≈ estimated</span>'
        '<span class="is-proven">✓ proven</span><span class="is-path">this iteration</span></p>'
        f"{listing_html(algorithm)}</div>"
    )


def listing_html(algorithm: str) -> str:
    """Return the source of the iteration, one element for each line."""
    source = "\n".join(listing(algorithm))
    lines = highlight(source, PythonLexer(), HtmlFormatter(nowrap=True)).rstrip("\n").split("\n")
    marked = "".join(f'<span class="steps-line">{line}\n</span>' for line in lines)
    caption = escape(f"reference/{algorithm}.py")
    return (
        f'<details class="steps-listing" open><summary>The listing: <code>{caption}</code>'
        '</summary><div class="highlight no-copy"><pre tabindex="0">'
        f"<code>{marked}</code></pre></div></details>"
    )


def run_data(run: Recorder) -> list[dict[str, object]]:
    """Return the steps as `iterations.js` reads them."""
    return [
        {
            "iteration": step.iteration,
            "kind": step.kind,
            "state": step.state,
            "path": step.path,
            "line": step.line,
            "text": step.text,
            "appear": step.appear,
            "visits": step.visits,
            "values": {
                number: [label(value, outcome), css_class(outcome)]
                for number, (value, outcome) in step.values.items()
            },
        }
        for step in run.steps
    ]


if __name__ == "__main__":
    (DOCS / STILL).write_text(still(), encoding="utf-8")
