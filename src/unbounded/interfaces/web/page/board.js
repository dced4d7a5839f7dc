// SPDX-License-Identifier: MIT
// The board: a drawing from the server, and over it the places that can be clicked, one after another,
// until they determine a move; the number of each move; and the ghosts of a line. The places are one
// stop of the Tab key: arrow keys lead from one to the next.

import { badgeOf, badgeBox, bestOf, spotOf } from "./badges.js";
import { ghostMarks } from "./ghosts.js";
import { candidates, determined, DIRECTIONS, nearest, nextPlaces, placeAt, placeKey, stepFrom } from "./picking.js";
import { h, render } from "./render.js";

/** @import { KnownAction, Place, PlacedAction } from "./protocol.js" */
/** @import { NextPlace } from "./picking.js" */
/** @import { Ghost } from "./ghosts.js" */

const MAX_BUTTONS = 24;
const MAX_NAMES = 4;

/**
 * @typedef {object} BoardView
 * @property {string} key the position: when it changes, what was picked is forgotten
 * @property {string} svg
 * @property {PlacedAction[]} actions
 * @property {number} action_count
 * @property {boolean} playable
 * @property {string} label
 * @property {string[]} players
 * @property {number | null} mover
 * @property {KnownAction[]} [known] what is known of the moves, the best first; only if numbers are wanted
 * @property {Ghost[]} [ghosts]
 */

export class Board {
  /** @param {{ frame: HTMLElement, picked: HTMLElement, buttons: HTMLElement, caption?: HTMLElement }} parts @param {(name: string) => void} onMove */
  constructor(parts, onMove) {
    this.parts = parts;
    this.onMove = onMove;
    /** @type {Place[]} */
    this.picked = [];
    /** @type {NextPlace[]} */
    this.next = [];
    /** @type {string | null} */
    this.current = null;
    /** @type {number[]} */
    this.lastPoint = [0, 0];
    this.box = "0 0 1 1";
    /** Where pieces and texts of the drawing are. @type {number[][]} */
    this.things = [];
    /** @type {BoardView | null} */
    this.view = null;
    render(parts.frame, h("div", { class: "drawing", kept: true, "aria-hidden": "true" }), this.overlayOf([]));
    this.overlay.addEventListener("click", (event) => this.click(event));
    this.overlay.addEventListener("keydown", (event) => this.key(event));
  }

  /** @returns {SVGSVGElement} */
  get overlay() {
    return /** @type {any} */ (this.parts.frame.querySelector("svg.overlay"));
  }

  /** Show a position; places can be clicked only if it is playable. @param {BoardView} view */
  show(view) {
    if (view.svg !== this.view?.svg) this.replaceDrawing(view.svg);
    if (view.key !== this.view?.key) this.picked = [];
    this.view = view;
    this.draw();
  }

  /** @param {string} svg */
  replaceDrawing(svg) {
    const parsed = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
    const drawing = /** @type {SVGSVGElement} */ (/** @type {unknown} */ (document.importNode(parsed, true)));
    drawing.removeAttribute("width");
    drawing.removeAttribute("height");
    this.box = drawing.getAttribute("viewBox") ?? "0 0 1 1";
    this.things = thingsOn(drawing);
    this.parts.frame.querySelector(".drawing")?.replaceChildren(drawing);
    const [, , width, height] = this.box.split(/[\s,]+/).map(Number);
    this.parts.frame.style.setProperty("--shape", String(width / height || 1));
  }

  /** @param {Place} place */
  isOccupied([x, y, width, height]) {
    return this.things.some(([at, down]) => Math.abs(at - x) < 0.45 * width && Math.abs(down - y) < 0.45 * height);
  }

  get actions() {
    return this.view?.playable ? placed(this.view.actions) : [];
  }

  draw() {
    const view = /** @type {BoardView} */ (this.view),
      held = this.overlay.contains(document.activeElement);
    this.next = nextPlaces(this.actions, this.picked);
    if (!this.next.some((item) => item.key === this.current))
      this.current = nearest(this.next, this.lastPoint)?.key ?? null;
    const badges = this.badges(view.playable ? this.next : nextPlaces(placed(view.actions), []));
    const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset?.key;
    const vanishes = held && !this.next.some((item) => item.key === focused);
    if (vanishes) this.overlay.focus({ preventScroll: true });
    render(
      this.parts.frame,
      h("div", { class: "drawing", kept: true, "aria-hidden": "true" }),
      this.overlayOf([
        h(
          "g",
          { key: "chosen" },
          this.picked.map((place) => shape(place, { class: "chosen", key: placeKey(place) })),
        ),
        h(
          "g",
          { key: "targets" },
          this.next.map((item) => this.target(item, badges.get(item.key)?.words)),
        ),
        h("g", { key: "marks", class: "marks" }, badges.size ? [] : this.next.map((item) => this.mark(item))),
        h(
          "g",
          { key: "badges" },
          [...badges].map(([key, badge]) => badgeMark(key, badge)),
        ),
        h("g", { key: "ghosts" }, ghostMarks(view.ghosts ?? [])),
      ]),
    );
    this.showRows(view);
    if (vanishes) this.focusCurrent();
  }

  /** @param {import("./render.js").Content[]} layers */
  overlayOf(layers) {
    return h(
      "svg",
      {
        class: "overlay",
        viewBox: this.box,
        tabindex: "-1",
        role: "group",
        "aria-label": this.view?.label ?? "The board",
        "data-picked": this.picked.length || null,
      },
      layers,
    );
  }

  /** The number at each place: that of its best move. @param {NextPlace[]} places */
  badges(places) {
    const { known = [], players = [], mover = 0 } = this.view ?? {};
    const found = new Map(known.map((action) => [action.name, action]));
    const ranks = new Map(known.map((action, rank) => [action.name, rank]));
    const most = Math.max(1, ...known.map((action) => action.visits));
    /** @type {Map<string, import("./badges.js").Badge & { box: import("./badges.js").Box }>} */
    const badges = new Map();
    for (const item of places) {
      const best = found.get(bestOf(item.names, ranks) ?? "");
      if (!best || mover === null) continue;
      const badge = badgeOf(best, mover, most, players),
        given = item.names.length === 1 ? spotOf(item.action, this.picked.length) : null;
      badges.set(item.key, {
        ...badge,
        box: badgeBox(item.place, badge.text, { given, occupied: this.isOccupied(item.place) }),
      });
    }
    return badges;
  }

  /** @param {NextPlace} item @param {string} [known] */
  target({ key, place, names }, known) {
    const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
    const label = names.slice(0, MAX_NAMES).join(", ") + more + (known ? `; ${known}` : "");
    const tell = () => this.tell(label);
    const quiet = () => this.tell("");
    return shape(place, {
      key,
      memo: `${key === this.current} ${label}`,
      class: "target",
      role: "button",
      tabindex: key === this.current ? "0" : "-1",
      "aria-label": label,
      "data-key": key,
      onmouseenter: tell,
      onmouseleave: quiet,
      onblur: quiet,
      onfocus: () => {
        this.current = key;
        this.lastPoint = place;
        tell();
      },
    });
  }

  /** @param {string} text */
  tell(text) {
    if (this.parts.caption) this.parts.caption.textContent = text;
  }

  /** A dot where the move ends; a ring, around the piece, where it continues. @param {NextPlace} item */
  mark({ key, place: [x, y, width, height], ends }) {
    const size = Math.min(width, height);
    const top = height > 2 * width ? y - (height - width) / 2 : y; // a column: at its top
    return h("circle", { key, cx: x, cy: top, r: size * (ends ? 0.1 : 0.44), class: ends ? "dot" : "ring" });
  }

  /** Buttons for moves that have no place, and for what was picked. @param {BoardView} view */
  showRows(view) {
    const named = view.playable ? view.actions.filter((action) => !action.places.length) : [];
    const hidden =
      view.playable && !this.actions.length
        ? view.action_count - Math.min(named.length, MAX_BUTTONS)
        : named.length - Math.min(named.length, MAX_BUTTONS);
    this.parts.buttons.hidden = !named.length;
    render(
      this.parts.buttons,
      named
        .slice(0, MAX_BUTTONS)
        .map((action) => h("button", { key: action.name, onclick: () => this.onMove(action.name) }, action.name)),
      hidden > 0 && h("span", { class: "quiet", key: "more" }, `and ${hidden.toLocaleString("en")} more: type them`),
    );
    this.showComplete();
  }

  /** A complete move may also be the beginning of another one: then it needs a button. */
  showComplete() {
    const complete = candidates(this.actions, this.picked).filter(
      (action) => action.places.length === this.picked.length,
    );
    this.parts.picked.hidden = !this.picked.length;
    render(
      this.parts.picked,
      this.picked.length > 0 && [
        ...complete.map((action) =>
          h(
            "button",
            { key: action.name, class: "main", onclick: () => this.onMove(action.name) },
            `Play ${action.name}`,
          ),
        ),
        h("button", { key: "cancel", onclick: () => this.restart() }, "Cancel selection"),
      ],
    );
  }

  focusCurrent() {
    const target = /** @type {SVGElement | null} */ (this.overlay.querySelector('.target[tabindex="0"]'));
    (target ?? this.overlay).focus({ preventScroll: true });
  }

  restart() {
    this.picked = [];
    this.draw();
    this.focusCurrent();
  }

  /** @param {NextPlace} item */
  pick(item) {
    this.lastPoint = item.place;
    const picked = [...this.picked, item.place],
      name = determined(this.actions, picked);
    if (name !== null) {
      this.onMove(name);
      return;
    }
    this.picked = picked;
    this.draw();
    this.focusCurrent();
  }

  /** @param {MouseEvent} event */
  click(event) {
    const key = /** @type {SVGElement} */ (event.target).dataset?.key;
    const byKey = event.detail === 0 ? this.next.find((item) => item.key === key) : undefined; // by a screen reader
    const matrix = this.overlay.getScreenCTM();
    if (byKey) this.pick(byKey);
    else if (matrix && this.next.length) {
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
      const hit = placeAt(this.next, point);
      if (hit) this.pick(hit);
      else if (this.picked.length) this.restart();
    }
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const key = /** @type {SVGElement} */ (event.target).dataset?.key;
    const item = this.next.find((place) => place.key === key);
    if (event.key === "Escape" && this.picked.length) {
      this.restart();
      event.stopPropagation();
    } else if ((event.key === "Enter" || event.key === " ") && item) {
      event.preventDefault();
      event.stopPropagation();
      this.pick(item);
    } else if (event.key in DIRECTIONS && item) {
      event.preventDefault();
      event.stopPropagation();
      this.current = stepFrom(this.next, item.place, event.key)?.key ?? this.current;
      this.draw();
      this.focusCurrent();
    }
  }
}

/** @param {PlacedAction[]} actions */
const placed = (actions) => actions.filter((action) => action.places.length);

/** @param {Element} drawing @returns {number[][]} */
const thingsOn = (drawing) =>
  [...drawing.querySelectorAll("text, .ub-piece")].map((thing) =>
    [
      ["cx", "x"],
      ["cy", "y"],
    ].map((names) => Number(names.map((name) => thing.getAttribute(name)).find((value) => value !== null) ?? NaN)),
  );

/** @param {Place} place @param {Record<string, any>} props */
const shape = ([x, y, width, height], props) =>
  h("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: Math.min(width, height) * 0.08, ...props });

/** @param {string} key @param {import("./badges.js").Badge & { box: import("./badges.js").Box }} badge */
function badgeMark(key, { box: { x, y, wide, high }, kind, result, text, strength }) {
  const round = kind === "proven" ? high * 0.22 : high / 2; // a filled tile, or a hollow pill
  const opacity = (0.78 + 0.22 * strength).toFixed(2);
  return h(
    "g",
    {
      key,
      class: `value ${kind} ${result}`,
      opacity,
      memo: [kind, result, text, opacity, x, y, wide].join(" "),
      transform: `translate(${x} ${y})`,
    },
    h("rect", { x: -wide / 2, y: -high / 2, width: wide, height: high, rx: round, "stroke-width": high * 0.08 }),
    h(
      "text",
      { "font-size": high * 0.72, y: high * 0.03, "text-anchor": "middle", "dominant-baseline": "central" },
      text,
    ),
  );
}
