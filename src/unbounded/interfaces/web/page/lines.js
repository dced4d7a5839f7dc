// SPDX-License-Identifier: MIT
// The best lines: each move leads to its position, and pointing at one shows ghosts on the board.

import { smallBadge } from "./elements.js";
import { h, render } from "./render.js";
import { isHeld, SteadyOrder } from "./steady_order.js";
import { plural } from "./words.js";

/** @import { App } from "./app.js" */
/** @import { Line } from "./protocol.js" */

export class Lines {
  /** @param {HTMLElement} host */
  constructor(host) {
    this.host = host;
    this.order = new SteadyOrder();
    this.key = "";
  }

  /** @param {App} app */
  show(app) {
    if (this.key !== app.key) {
      this.key = app.key;
      this.order.forget();
    }
    const { analysis } = app,
      pv = analysis.pv ?? [];
    const given = analysis.lines?.length ? analysis.lines : pv.length ? [{ ...analysis, moves: pv }] : [];
    const lines = this.order.arrange("", given, (line) => line.moves[0] ?? "", isHeld(this.host));
    const more = (analysis.pv_length ?? 0) - pv.length;
    render(
      this.host,
      lines.length
        ? [
            h(
              "ol",
              {
                id: "pv",
                class: "lines",
                key: "lines",
                "aria-label": "The best lines",
                onmouseleave: () => app.hover([]),
              },
              lines.map((line, i) => this.line(app, line, line.moves[0] === pv[0] ? more : 0, i)),
            ),
            h(
              "p",
              { class: "quiet", key: "how" },
              "Point at a move to see the line on the board; click it to go there.",
            ),
          ]
        : h(
            "p",
            { class: "empty", key: "none" },
            app.position?.over ? "The game is over here." : "Lines appear with the analysis.",
          ),
    );
  }

  /** @param {App} app @param {Line} line @param {number} more @param {number} rank */
  line(app, line, more, rank) {
    const mover = app.analysis.mover ?? app.position?.mover ?? 0,
      first = app.path.length;
    return h(
      "li",
      { key: line.moves[0], class: rank === 0 ? "first" : null },
      smallBadge(line, mover),
      h(
        "span",
        { class: "line-moves" },
        line.moves.map((name, i) =>
          h(
            "button",
            {
              key: i,
              class: "plain",
              onclick: () => app.explore(line.moves.slice(0, i + 1)),
              onmouseenter: () => app.hover(line.moves.slice(0, i + 1)),
              onfocus: () => app.hover(line.moves.slice(0, i + 1)),
              onblur: () => app.hover([]),
            },
            h("span", { class: "ply", "aria-hidden": "true" }, `${first + i + 1}.`),
            name,
          ),
        ),
        more > 0 && h("span", { class: "quiet", key: "more" }, `and ${plural(more, "move")} more`),
      ),
    );
  }
}
