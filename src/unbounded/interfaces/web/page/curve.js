// SPDX-License-Identifier: MIT
// The game as a curve below the board: the value after every move. It is also a slider: a click or an
// arrow key goes to a position.

import { curves, plyAt, plyX } from "./curve_points.js";
import { h, render } from "./render.js";
import { capital, knownWords } from "./words.js";

/** @import { CurveView, PositionView, ReviewView } from "./protocol.js" */

const MARGIN = 10;

export class Curve {
  /** @param {HTMLElement} host @param {(ply: number) => void} onGo */
  constructor(host, onGo) {
    this.host = host;
    this.onGo = onGo;
    this.last = 0;
    this.ply = 0;
    this.size = { width: 400, height: 80, margin: MARGIN };
    /** @type {(() => void) | null} */
    this.again = null;
    new ResizeObserver(() => this.resize()).observe(host);
    host.addEventListener("click", (event) =>
      this.go(plyAt(event.clientX - host.getBoundingClientRect().left, this.last, this.size)),
    );
    host.addEventListener("keydown", (event) => this.key(event));
  }

  /** Measured only now, not at every update: that would lay the page out in the middle of a change. */
  resize() {
    const { clientWidth, clientHeight } = this.host;
    this.size = { width: Math.max(100, clientWidth), height: Math.max(40, clientHeight), margin: MARGIN };
    this.again?.();
  }

  /** @param {number} ply */
  go(ply) {
    if (ply !== this.ply && ply >= 0 && ply <= this.last) this.onGo(ply);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const to = {
      ArrowLeft: this.ply - 1,
      ArrowDown: this.ply - 1,
      ArrowRight: this.ply + 1,
      ArrowUp: this.ply + 1,
      Home: 0,
      End: this.last,
      PageUp: this.ply - 5,
      PageDown: this.ply + 5,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.go(Math.max(0, Math.min(this.last, to)));
  }

  /** @param {CurveView | null} curve @param {PositionView} position @param {string[]} players @param {ReviewView | null} review */
  show(curve, position, players, review) {
    this.again = () => this.show(curve, position, players, review);
    this.last = position.line.length;
    this.ply = position.ply;
    const points = curve && curve.line.join("\n") === position.line.join("\n") ? curve.points : [];
    const lines = curves(points, players.length, this.size);
    const { width, height } = this.size,
      now = plyX(this.ply, this.last, this.size);
    this.label(points, position, players);
    render(
      this.host,
      h(
        "svg",
        { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" },
        h("line", { class: "axis", x1: MARGIN, x2: width - MARGIN, y1: height / 2, y2: height / 2 }),
        this.variation(position),
        this.last > 0 && h("line", { class: "cursor", x1: now, x2: now, y1: 2, y2: height - 2 }),
        lines.flatMap((line) => this.line(line)),
        this.mistakes(review, position),
        !points.some((point) => point.kind !== "unknown") &&
          h(
            "text",
            { class: "curve-empty", x: width / 2, y: height / 2 - 8, "text-anchor": "middle" },
            this.last ? "Analyze or review the game to see its curve" : "The game as a curve",
          ),
      ),
    );
  }

  /** @param {import("./curve_points.js").PlayerCurve} line */
  line({ player, dots, strokes }) {
    return [
      ...strokes.map((stroke, i) =>
        h("path", { key: `${player} ${i}`, d: stroke.d, class: `stroke ${stroke.kind} seat${player % 6}` }),
      ),
      ...dots.map((dot) =>
        h("circle", {
          key: `${player} dot ${dot.ply}`,
          cx: dot.x,
          cy: dot.y,
          r: dot.ply === this.ply ? 4.5 : 2.6,
          class: `curve-dot ${dot.kind} seat${player % 6}`,
        }),
      ),
    ];
  }

  /** The part of the line that was not played. @param {PositionView} position */
  variation({ main, line }) {
    if (main >= line.length) return null;
    const x = plyX(main, this.last, this.size);
    return h("rect", { class: "variation", x, y: 0, width: this.size.width - x, height: this.size.height });
  }

  /** @param {ReviewView | null} review @param {PositionView} position */
  mistakes(review, { main }) {
    return (review?.mistakes ?? [])
      .filter((mistake) => mistake.ply < main)
      .map((mistake) => {
        const x = plyX(mistake.ply + 1, this.last, this.size);
        return h(
          "text",
          {
            key: `mistake ${mistake.ply}`,
            class: `mistake ${mistake.kind}`,
            x,
            y: this.size.height - 4,
            "text-anchor": "middle",
          },
          mistake.kind === "proven" ? "??" : "?",
        );
      });
  }

  /** @param {import("./protocol.js").CurvePoint[]} points @param {PositionView} position @param {string[]} players */
  label(points, { line, ply }, players) {
    const point = points[ply],
      move = ply ? `after ${ply}. ${line[ply - 1]}` : "at the start";
    const known = point && point.kind !== "unknown" ? knownWords(point, players) : "nothing is known";
    for (const [name, value] of Object.entries({
      role: "slider",
      tabindex: "0",
      "aria-label": "The game as a curve",
      "aria-valuemin": "0",
      "aria-valuemax": String(line.length),
      "aria-valuenow": String(ply),
      "aria-valuetext": `${capital(move)}: ${known}`,
    })) {
      if (this.host.getAttribute(name) !== value) this.host.setAttribute(name, value);
    }
  }
}
