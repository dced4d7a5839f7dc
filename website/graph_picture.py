# SPDX-License-Identifier: MIT
"""The graph of a recorded run as SVG: a small board for each state, and what is known of it.

The picture shows the end of the run. `iterations.js` hides what is not there yet at a step, and
changes the labels; without it, and in the repository, the picture stands for itself.
"""

from __future__ import annotations

from html import escape
from typing import Any

from iterations import GAME, WINS, Recorder, estimate, move

BOARD = 48
COLUMN = 76
ROW = 106
MARGIN = 10
STYLE = """
.iteration{font:12px system-ui,sans-serif;--ink:#1f2733;--paper:#fff;--line:#8b95a5;--faint:#5b6675;
--x:#0b62b8;--o:#b54708;--draw:#4d5b6e;--path:#7a3fc4}
@media(prefers-color-scheme:dark){.iteration{--ink:#e6eaf0;--paper:#1e2129;--line:#7a8596;
--faint:#a5b0c0;--x:#6db3ff;--o:#ffa25e;--draw:#b9c4d3;--path:#c9a2ff}}
"""
"""Colors for the picture alone; on the site, site.css has the same names for its two schemes."""
SHAPES = """
.iteration .card{fill:var(--paper);stroke:var(--line);stroke-dasharray:4 3}
.iteration .grid{stroke:var(--line);stroke-width:.8}
.iteration .stone{fill:none;stroke:var(--ink);stroke-width:2}
.iteration text{fill:var(--faint);text-anchor:middle;font-style:italic}
.iteration .edge{fill:none;stroke:var(--line)}
.iteration .proven .card{stroke:var(--draw);stroke-dasharray:none;stroke-width:3}
.iteration .proven text{fill:var(--draw);font-style:normal;font-weight:600}
.iteration .x-wins .card{stroke:var(--x)}.iteration .x-wins text{fill:var(--x)}
.iteration .o-wins .card{stroke:var(--o)}.iteration .o-wins text{fill:var(--o)}
"""


def label(value: float, outcome: int | None) -> str:
    """Write what is known of a state: proven or estimated, never both."""
    return f"≈ {estimate(value)}" if outcome is None else f"✓ {WINS[outcome]}"


def css_class(outcome: int | None) -> str:
    """Return the class of a state of which this is proven."""
    return "" if outcome is None else f" proven {WINS[outcome].lower().replace(' ', '-')}"


def positions(run: Recorder) -> dict[int, tuple[float, float]]:
    """Place the states in rows, one for each move played, as near to their parents as they fit."""
    parents: dict[int, list[int]] = {}
    for s, children in run.children.items():
        for child in children:
            parents.setdefault(run.numbers[child], []).append(run.numbers[s])
    rows: dict[int, list[int]] = {}
    for s, number in run.numbers.items():
        rows.setdefault(stones(s), []).append(number)
    across: dict[int, float] = {}
    for _, numbers in sorted(rows.items()):
        wanted = {
            n: sum(across[p] for p in parents.get(n, ())) / max(1, len(parents.get(n, ())))
            for n in numbers
        }
        numbers.sort(key=lambda n: (wanted[n], n))
        across.update(zip(numbers, spread([wanted[n] for n in numbers]), strict=True))
    left = MARGIN + (COLUMN - BOARD) / 2 - min(across.values())
    down = {n: row for row, (_, numbers) in enumerate(sorted(rows.items())) for n in numbers}
    return {n: (left + across[n], MARGIN + down[n] * ROW) for n in across}


def spread(wanted: list[float]) -> list[float]:
    """Move sorted places apart until there is a column for each, as little as possible.

    Places that are too near become one group around the middle of what its members want.
    """
    groups: list[tuple[float, int]] = []  # the sum of where the first member is wanted; how many
    for place in wanted:
        total, count = place, 1
        while groups and groups[-1][0] / groups[-1][1] + groups[-1][1] * COLUMN > total / count:
            before, members = groups.pop()
            total, count = before + total - count * members * COLUMN, count + members
        groups.append((total, count))
    return [total / count + k * COLUMN for total, count in groups for k in range(count)]


def picture(run: Recorder, title: str, *, alone: bool) -> str:
    """Draw the whole graph; `alone`: with the colors, for a file of its own."""
    placed = positions(run)
    width = max(x for x, _ in placed.values()) + COLUMN
    height = max(y for _, y in placed.values()) + ROW - 30
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="iteration" role="img" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" aria-label="{escape(title)}">'
    ]
    if alone:
        parts.append(f"<style>{STYLE}{SHAPES}</style>")
    for s, children in run.children.items():
        for child in children:
            parts.append(edge(run, s, child, placed))
    parts += [node(run, s, placed[number]) for s, number in run.numbers.items()]
    return "".join([*parts, "</svg>"])


def edge(run: Recorder, s: Any, child: Any, placed: dict[int, tuple[float, float]]) -> str:
    """Draw the move from a state to a child."""
    parent_number, number = run.numbers[s], run.numbers[child]
    (x, y), (to_x, to_y) = placed[parent_number], placed[number]
    x, to_x, y = x + BOARD / 2, to_x + BOARD / 2, y + BOARD + 18
    bend = (to_y - y) * 0.6
    path = f"M{x:g} {y:g}C{x:g} {y + bend:g} {to_x:g} {to_y - bend:g} {to_x:g} {to_y:g}"
    visits = run.visits[s, child]
    return (
        f'<path class="edge" data-edge="{parent_number}-{number}" d="{path}" '
        f'stroke-width="{edge_width(visits):g}"><title>{move(s, child)}</title></path>'
    )


def edge_width(visits: int) -> float:
    """Return how thick a line is: the more visits, the thicker. `iterations.js` has the same."""
    return 1 + min(visits, 6) * 0.6


def node(run: Recorder, s: Any, at: tuple[float, float]) -> str:
    """Draw a state as its board, and what is known of it below."""
    number, cell = run.numbers[s], BOARD / 3
    outcome = run.completion[s] if run.resolved[s] else None
    third, lines = BOARD / 3, ""
    for k in (1, 2):
        lines += f"M{k * third:g} 4V{BOARD - 4}M4 {k * third:g}H{BOARD - 4}"
    parts = [
        f'<g class="node{css_class(outcome)}" data-node="{number}" '
        f'transform="translate({at[0]:g} {at[1]:g})">',
        f'<rect class="card" width="{BOARD}" height="{BOARD}" rx="5"/>'
        f'<path class="grid" d="{lines}"/>',
    ]
    for index, stone in enumerate(cells(s)):
        if stone:
            x, y = (index % 3) * cell + cell / 2, BOARD - (index // 3) * cell - cell / 2
            parts.append(drawn_stone(stone, x, y))
    parts.append(
        f'<text x="{BOARD / 2:g}" y="{BOARD + 14}">{label(run.value[s], outcome)}</text></g>'
    )
    return "".join(parts)


def drawn_stone(stone: int, x: float, y: float) -> str:
    """Draw an X or an O."""
    if stone == 1:
        return f'<path class="stone" d="M{x - 4:g} {y - 4:g}l8 8m0-8l-8 8"/>'
    return f'<circle class="stone" cx="{x:g}" cy="{y:g}" r="4.6"/>'


def cells(s: Any) -> list[int]:
    """Return the cells of a board, from a1 on: 0 empty, 1 X, 2 O."""
    return [int(cell) for cell in GAME.state.unpack(s).cells]


def stones(s: Any) -> int:
    """Return how many moves were played."""
    return sum(1 for cell in cells(s) if cell)
