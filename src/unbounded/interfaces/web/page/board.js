// SPDX-License-Identifier: MIT
// The board: a drawing from the server, and on it the places that can be clicked, one after
// another, until they determine a move.

import { byId, element } from "./elements.js";

const SVG = "http://www.w3.org/2000/svg";
const MAX_CELL = 90;
const MAX_BUTTONS = 24;
const same = (a, b) => a.every((x, i) => Math.abs(x - b[i]) < 1e-6);

export class Board {
  constructor(onMove) {
    this.onMove = onMove;
    this.frame = byId("board");
    this.pickedRow = byId("picked");
    this.buttons = byId("by-name");
    this.frame.addEventListener("click", (event) => this.click(event));
    this.frame.addEventListener("keydown", (event) => this.key(event));
  }

  // Show a position; places can be clicked only if it is playable.
  show(view, playable, label) {
    this.actions = playable ? view.actions.filter((action) => action.places.length) : [];
    this.drawing = document.importNode(
      new DOMParser().parseFromString(view.svg, "image/svg+xml").documentElement, true);
    this.drawing.setAttribute("role", "group");
    this.drawing.setAttribute("aria-label", label);
    this.limitSize();
    this.showButtons(playable ? view.actions.filter((action) => !action.places.length) : []);
    const hadFocus = this.frame.contains(document.activeElement);
    this.frame.replaceChildren(this.drawing);
    this.picked = [];
    this.showTargets();
    if (hadFocus) this.drawing.querySelector(".target")?.focus();
  }

  // Small boards do not fill the page.
  limitSize() {
    const width = this.drawing.viewBox.baseVal.width;
    this.drawing.style.maxWidth = `${Math.max(240, Math.min(width, 14) * MAX_CELL)}px`;
  }

  // Moves without a place on the drawing, such as passing.
  showButtons(actions) {
    this.buttons.hidden = !actions.length;
    this.buttons.replaceChildren(...actions.slice(0, MAX_BUTTONS).map((action) =>
      element("button", { text: action.name, onClick: () => this.onMove(action.name) })));
  }

  candidates() {
    return this.actions.filter((action) =>
      action.places.length >= this.picked.length &&
      this.picked.every((place, i) => same(place, action.places[i])));
  }

  // Draw the places that can be clicked next.
  showTargets() {
    this.layer?.remove();
    this.layer = document.createElementNS(SVG, "g");
    for (const place of this.picked) this.layer.append(this.shape(place, "chosen"));
    this.next = [];
    for (const action of this.candidates()) {
      const place = action.places[this.picked.length];
      if (!place) continue;
      const known = this.next.find((item) => same(item.place, place));
      if (known) known.names.push(action.name);
      else this.next.push({ place, names: [action.name] });
    }
    this.next.forEach((item, index) => this.drawTarget(item, index));
    this.drawing.append(this.layer);
    this.showComplete();
  }

  drawTarget({ place, names }, index) {
    const target = this.shape(place, "target");
    target.setAttribute("tabindex", "0");
    target.setAttribute("role", "button");
    const more = names.length > 4 ? ` and ${names.length - 4} more` : "";
    target.setAttribute("aria-label", names.slice(0, 4).join(", ") + more);
    target.dataset.index = index;
    this.layer.append(target, this.mark(place, names));
  }

  // A dot where the move ends; a ring, around the piece, where it continues.
  mark([x, y, width, height], names) {
    const size = Math.min(width, height);
    const ends = this.actions.some((action) =>
      action.name === names[0] && action.places.length === this.picked.length + 1);
    const top = height > 2 * width ? y - (height - width) / 2 : y;  // a column: at its top
    const mark = document.createElementNS(SVG, "circle");
    const attributes = { cx: x, cy: top, r: size * (ends ? 0.12 : 0.44), class: ends ? "dot" : "ring" };
    for (const [name, value] of Object.entries(attributes)) mark.setAttribute(name, value);
    return mark;
  }

  shape([x, y, width, height], className) {
    const rectangle = document.createElementNS(SVG, "rect");
    const attributes = { x: x - width / 2, y: y - height / 2, width, height, rx: 0.08, class: className };
    for (const [name, value] of Object.entries(attributes)) rectangle.setAttribute(name, value);
    return rectangle;
  }

  // A complete move may also be the beginning of another one: then it needs a button.
  showComplete() {
    const complete = this.candidates().filter((action) => action.places.length === this.picked.length);
    this.pickedRow.replaceChildren();
    this.pickedRow.hidden = !this.picked.length;
    if (!this.picked.length) return;
    for (const action of complete) {
      this.pickedRow.append(element("button",
        { text: `Play ${action.name}`, className: "main", onClick: () => this.onMove(action.name) }));
    }
    this.pickedRow.append(element("button", { text: "Cancel selection", onClick: () => this.restart() }));
  }

  restart() {
    this.picked = [];
    this.showTargets();
    this.drawing.querySelector(".target")?.focus();
  }

  pick(place) {
    this.picked.push(place);
    const left = this.candidates();
    if (left.length === 1 && (left[0].places.length === this.picked.length || this.picked.length > 1)) {
      this.onMove(left[0].name);
      return;
    }
    this.showTargets();
    this.drawing.querySelector(".target")?.focus({ preventScroll: true });
  }

  // Places may overlap: a click selects the one with the nearest center.
  click(event) {
    const matrix = this.drawing?.getScreenCTM();
    if (!matrix || !this.next.length) return;
    if (event.detail === 0 && event.target.dataset?.index !== undefined) {  // by a key or a screen reader
      this.pick(this.next[event.target.dataset.index].place);
      return;
    }
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    const hits = this.next
      .filter(({ place: [x, y, w, h] }) => Math.abs(point.x - x) <= w / 2 && Math.abs(point.y - y) <= h / 2)
      .map(({ place }) => [Math.hypot(point.x - place[0], point.y - place[1]), place])
      .sort((a, b) => a[0] - b[0]);
    if (hits.length) this.pick(hits[0][1]);
    else if (this.picked.length) this.restart();
  }

  key(event) {
    const index = event.target.dataset?.index;
    if (event.key === "Escape" && this.picked.length) {
      this.restart();
      event.stopPropagation();
    } else if ((event.key === "Enter" || event.key === " ") && index !== undefined) {
      event.preventDefault();
      this.pick(this.next[index].place);
    } else if (event.key.startsWith("Arrow") && index !== undefined) {
      event.preventDefault();
      this.step(this.next[index].place, event.key);
    }
  }

  // Move the focus to the nearest place in that direction.
  step([x, y], key) {
    const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
    let best = null;
    this.next.forEach(({ place }, index) => {
      const along = (place[0] - x) * dx + (place[1] - y) * dy;
      const across = Math.abs((place[0] - x) * dy) + Math.abs((place[1] - y) * dx);
      const cost = along + 2 * across;
      if (along > 1e-6 && (best === null || cost < best.cost)) best = { cost, index };
    });
    if (best) this.drawing.querySelector(`[data-index="${best.index}"]`)?.focus();
  }
}
