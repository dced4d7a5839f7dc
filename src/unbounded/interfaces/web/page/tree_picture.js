// SPDX-License-Identifier: MIT
// The tree of the search as a picture: shared states once, proven ones in color. It can be moved and
// magnified, by pointer and keys, and grows where one asks for more.

import { badgeText } from "./badges.js";
import { byId } from "./elements.js";
import { COLUMN, edgePath, HIGH, layout, WIDE } from "./graph_layout.js";
import { DIRECTIONS, nearest, stepFrom } from "./picking.js";
import { h, render } from "./render.js";
import { isHeld } from "./steady_order.js";
import { update } from "./updates.js";
import { knownWords, resultName, visits } from "./words.js";

/** @import { App } from "./app.js" */
/** @import { GraphView } from "./protocol.js" */
/** @import { Layout, Placed } from "./graph_layout.js" */

const MOST = 60,
  DEPTH = 4,
  MOST_NODES = 300;
const CLICK = 5; // pixels that a click may move

export class TreePicture {
  /** @param {HTMLElement} host @param {App} app */
  constructor(host, app) {
    this.host = host;
    this.app = app;
    this.key = "";
    /** @type {GraphView} */
    this.graph = { nodes: [], edges: [] };
    /** @type {Layout} */
    this.layout = layout(this.graph);
    this.view = { x: 0, y: 0, scale: 1 };
    /** @type {number | null} */
    this.current = null;
    /** @type {{ x: number, y: number, moved: boolean } | null} */
    this.drag = null;
    host.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    host.addEventListener("pointerdown", (event) => {
      this.drag = { x: event.clientX, y: event.clientY, moved: false };
    });
    host.addEventListener("pointermove", (event) => this.pull(event));
    addEventListener("pointerup", () =>
      setTimeout(() => {
        this.drag = null;
      }, 0),
    );
    host.addEventListener("keydown", (event) => this.press(event));
  }

  /** Read the picture again; not while someone points at it. @param {boolean} [asked] */
  async refresh(asked = false) {
    const { key } = this.app,
      moved = key !== this.key;
    if (!asked && !moved && isHeld(this.host)) return;
    const graph = await this.app
      .request("graph", { most: MOST, depth: DEPTH, proof: byId("proof").checked })
      .catch(() => null);
    if (key !== this.app.key) return;
    this.take(graph ?? { nodes: [], edges: [] });
    if (moved) {
      this.key = key;
      this.fit();
      this.current = null;
    }
    update();
  }

  /** @param {GraphView} graph */
  take(graph) {
    this.graph = graph;
    this.layout = layout(graph);
  }

  /** More below a node; what is there stays. @param {Placed} placed */
  async more(placed) {
    const room = MOST_NODES - this.graph.nodes.length;
    if (room <= 0) return;
    const found = await this.app.attempt("graph", {
      path: placed.node.path,
      most: Math.min(MOST, room),
      depth: 2,
      proof: byId("proof").checked,
    });
    if (!found) return;
    const known = new Set(this.graph.nodes.map((node) => node.number));
    const nodes = this.graph.nodes.map((node) =>
      found.nodes.find((/** @type {any} */ other) => other.number === node.number && node === placed.node)
        ? { ...node, more: 0 }
        : node,
    );
    const fresh = found.nodes
      .filter((/** @type {any} */ node) => !known.has(node.number))
      .map((/** @type {any} */ node) => ({ ...node, depth: node.path.length }));
    const edgeOf = (/** @type {any} */ edge) => `${edge.from} ${edge.to} ${edge.name}`,
      had = new Set(this.graph.edges.map(edgeOf));
    this.take({
      nodes: [...nodes, ...fresh],
      edges: [...this.graph.edges, ...found.edges.filter((/** @type {any} */ edge) => !had.has(edgeOf(edge)))],
    });
    update();
  }

  /** Show all of it, or its beginning if that would be too small. */
  fit() {
    const { width, height } = this.layout,
      { clientWidth, clientHeight } = this.host;
    const scale = Math.min(1.3, Math.max(0.85, Math.min(clientWidth / (width + 20), clientHeight / (height + 20))));
    const root = this.layout.nodes[0]?.y ?? height / 2;
    this.view = { x: -10, y: root - clientHeight / scale / 2, scale };
  }

  show() {
    const { x, y, scale } = this.view,
      { clientWidth, clientHeight } = this.host;
    const empty = !this.graph.nodes.length || this.app.latest.state === "none";
    this.current ??= this.layout.nodes[0]?.node.number ?? null;
    if (empty) {
      const words = byId("proof").checked ? "The position is not proven yet." : "The tree grows with the analysis.";
      render(this.host, h("p", { class: "empty", key: "none" }, words));
      return;
    }
    const about = {
      key: "picture",
      viewBox: `${x} ${y} ${Math.max(1, clientWidth) / scale} ${Math.max(1, clientHeight) / scale}`,
      role: "group",
      "aria-label": "The tree as a picture: arrow keys move, Enter goes there, plus and minus magnify",
    };
    const nodes = this.layout.nodes.flatMap((placed) => [this.node(placed), placed.node.more > 0 && this.plus(placed)]);
    render(
      this.host,
      h("svg", about, h("g", { key: "edges" }, this.layout.edges.map(edge)), h("g", { key: "nodes" }, nodes)),
    );
  }

  /** @param {Placed} placed */
  node(placed) {
    const { node, name, x, y } = placed,
      mover = this.app.analysis.mover ?? this.app.position?.mover ?? 0;
    const result = node.outcome ? resultName(node.outcome[mover]) : "open";
    const words = `${name || "this position"}: ${knownWords(node, this.app.players)}, ${visits(node.visits)}`;
    const about = {
      key: node.number,
      class: `state ${node.outcome ? "proven" : "estimated"} ${result}`,
      transform: `translate(${x} ${y})`,
      role: "button",
      tabindex: node.number === this.current ? "0" : "-1",
      "aria-label": words,
      "data-number": node.number,
      onclick: () => this.click(placed),
      onfocus: () => (this.current = node.number),
    };
    const text = { y: 0, "dominant-baseline": "central" };
    return h(
      "g",
      about,
      h("title", null, words),
      h("rect", { x: -WIDE / 2, y: -HIGH / 2, width: WIDE, height: HIGH, rx: node.outcome ? 5 : HIGH / 2 }),
      h("text", { ...text, class: "name", x: -WIDE / 2 + 9 }, short(name || "now")),
      h("text", { ...text, class: "worth", x: WIDE / 2 - 9, "text-anchor": "end" }, badgeText(node, mover)),
    );
  }

  /** More below a node. @param {Placed} placed */
  plus(placed) {
    const { node, name, x, y } = placed;
    const about = {
      key: `more ${node.number}`,
      class: "more",
      role: "button",
      tabindex: "-1",
      "aria-label": `${node.more} more below ${name || "this position"}`,
      transform: `translate(${x + WIDE / 2 + 13} ${y})`,
      onclick: () => this.drag?.moved || this.more(placed),
    };
    return h(
      "g",
      about,
      h("circle", { r: 9 }),
      h("text", { "text-anchor": "middle", "dominant-baseline": "central" }, "+"),
    );
  }

  /** @param {Placed} placed */
  click({ node }) {
    if (this.drag?.moved || !node.path.length) return;
    this.current = node.number;
    this.app.explore(node.path);
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    event.preventDefault();
    const box = this.host.getBoundingClientRect();
    this.zoom(Math.exp(-event.deltaY / 500), event.clientX - box.left, event.clientY - box.top);
  }

  /** @param {number} factor @param {number} [atX] @param {number} [atY] */
  zoom(factor, atX = this.host.clientWidth / 2, atY = this.host.clientHeight / 2) {
    const { x, y, scale } = this.view,
      to = Math.min(3, Math.max(0.08, scale * factor));
    this.view = { x: x + atX / scale - atX / to, y: y + atY / scale - atY / to, scale: to };
    this.show();
  }

  /** @param {PointerEvent} event */
  pull(event) {
    const { drag } = this;
    if (!drag || event.buttons === 0) return;
    const dx = event.clientX - drag.x,
      dy = event.clientY - drag.y;
    if (!drag.moved && Math.hypot(dx, dy) < CLICK) return;
    this.drag = { x: event.clientX, y: event.clientY, moved: true };
    this.view = { ...this.view, x: this.view.x - dx / this.view.scale, y: this.view.y - dy / this.view.scale };
    this.show();
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const placed = this.layout.nodes.find(({ node }) => node.number === this.current);
    /** @type {Record<string, () => void>} */
    const keys = {
      "+": () => this.zoom(1.25),
      "=": () => this.zoom(1.25),
      "-": () => this.zoom(0.8),
      0: () => {
        this.fit();
        this.show();
      },
      Enter: () => placed && this.click(placed),
      " ": () => placed && this.click(placed),
      m: () => placed && this.more(placed),
    };
    if (event.key in DIRECTIONS && placed) this.step(placed, event.key);
    else if (keys[event.key]) keys[event.key]();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {Placed} from @param {string} key */
  step(from, key) {
    const column = (/** @type {number} */ x) => this.layout.nodes.filter((other) => Math.abs(other.x - x) < 1);
    const sideways = key === "ArrowLeft" || key === "ArrowRight";
    const to = sideways
      ? nearest(column(from.x + DIRECTIONS[key][0] * COLUMN), from.place)
      : stepFrom(column(from.x), from.place, key);
    if (!to) return;
    this.current = to.node.number;
    this.bringIntoView(to);
    this.show();
    /** @type {SVGElement | null} */ (this.host.querySelector(`[data-number="${this.current}"]`))?.focus({
      preventScroll: true,
    });
  }

  /** @param {Placed} placed */
  bringIntoView({ x, y }) {
    const { scale } = this.view,
      wide = this.host.clientWidth / scale,
      high = this.host.clientHeight / scale;
    const within = (
      /** @type {number} */ start,
      /** @type {number} */ length,
      /** @type {number} */ at,
      /** @type {number} */ room,
    ) => Math.min(Math.max(start, at + room - length), at - room);
    this.view = { scale, x: within(this.view.x, wide, x, WIDE), y: within(this.view.y, high, y, HIGH) };
  }
}

/** @param {import("./graph_layout.js").Joined} join */
const edge = (join) =>
  h(
    "path",
    {
      key: `${join.edge.from} ${join.edge.to} ${join.edge.name}`,
      d: edgePath(join),
      class: join.tree ? "edge" : "edge shared",
    },
    h("title", null, join.edge.name),
  );

/** @param {string} name */
const short = (name) => (name.length > 7 ? `${name.slice(0, 6)}…` : name);
