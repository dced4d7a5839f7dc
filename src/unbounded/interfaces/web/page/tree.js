// SPDX-License-Identifier: MIT
// The tree of the search as a list, a level at a time: only open nodes are requested, whatever its size.

import { badge, byId } from "./elements.js";
import { h, render } from "./render.js";
import { isHeld, SteadyOrder } from "./steady_order.js";
import { update } from "./updates.js";
import { number, visits } from "./words.js";

/** @import { App } from "./app.js" */
/** @import { Known, KnownAction } from "./protocol.js" */

/** @typedef {Known & { mover: number | null, children: KnownAction[], count: number }} NodeView */

export class Tree {
  /** @param {HTMLElement} host @param {App} app */
  constructor(host, app) {
    this.host = host;
    this.app = app;
    this.order = new SteadyOrder();
    /** Open nodes by path, as they were last read. @type {Map<string, NodeView>} */
    this.nodes = new Map();
    /** @type {Set<string>} */
    this.opened = new Set();
    /** Children shown, for nodes with very many. @type {Map<string, number>} */
    this.wanted = new Map();
    this.current = "";
    this.key = "";
    host.addEventListener("keydown", (event) => this.press(event));
  }

  get proof() {
    return byId("proof").checked;
  }

  /** The position has changed: close all nodes. */
  reset() {
    this.key = this.app.key;
    this.nodes.clear();
    this.opened.clear();
    this.wanted.clear();
    this.order.forget();
    this.current = "";
  }

  /** Read the root and all open nodes again; if called meanwhile, do so once more. */
  async refresh() {
    this.again = true;
    if (this.refreshing) return;
    this.refreshing = true;
    while (this.again) {
      this.again = false;
      if (this.key !== this.app.key) this.reset();
      await this.read(this.app.key);
    }
    this.refreshing = false;
    update();
  }

  /** @param {string} key */
  async read(key) {
    for (const path of ["[]", ...this.opened]) {
      const view = await this.fetch(JSON.parse(path)).catch(() => null);
      if (key !== this.app.key) return;
      if (view) this.nodes.set(path, view);
      else {
        this.nodes.delete(path);
        this.opened.delete(path);
      }
    }
  }

  /** The children of a node: the first ones, and as many more as were shown before. @param {string[]} path @returns {Promise<NodeView>} */
  async fetch(path) {
    const most = this.wanted.get(JSON.stringify(path)) ?? 0;
    const from = (/** @type {number} */ start) => this.app.request("tree", { path, start, proof: this.proof });
    const view = await from(0);
    while (view.children.length < Math.min(most, view.count)) {
      const more = await from(view.children.length);
      if (!more.children.length) break;
      view.children.push(...more.children);
    }
    return view;
  }

  show() {
    if (this.key !== this.app.key) this.reset();
    const root = this.nodes.get("[]");
    const empty = !root?.children.length || this.app.latest.state === "none";
    this.mover = root?.mover ?? 0;
    if (!this.current && root?.children.length) this.current = JSON.stringify([root.children[0].name]);
    byId("tree-empty").hidden = !empty;
    byId("tree-empty").textContent =
      this.proof && root && !root.resolved ? "The position is not proven yet." : "The tree grows with the analysis.";
    render(this.host, empty ? [] : this.level([], isHeld(this.host)));
  }

  /** @param {string[]} path @param {boolean} held @returns {import("./render.js").Content[]} */
  level(path, held) {
    const id = JSON.stringify(path),
      view = this.nodes.get(id);
    if (!view) return [];
    const children = this.order.arrange(id, view.children, (child) => child.name, held);
    const left = view.count - view.children.length;
    return [
      ...children.map((child) => this.item([...path, child.name], child, held)),
      left > 0 &&
        h(
          "li",
          { role: "none", key: "\u0000more" },
          h("button", { onclick: () => this.more(path) }, `${number(left)} more`),
        ),
    ];
  }

  /** @param {string[]} path @param {KnownAction} child @param {boolean} held */
  item(path, child, held) {
    const id = JSON.stringify(path),
      open = this.opened.has(id),
      mover = this.mover ?? 0;
    const shown = badge(child, mover, this.app.players);
    const known = child.outcome ? "proven" : "estimated";
    return h(
      "li",
      {
        key: id,
        role: "treeitem",
        tabindex: id === this.current ? "0" : "-1",
        "data-path": id,
        "aria-expanded": child.expanded ? String(open) : null,
        onfocus: () => {
          this.current = id;
        },
        "aria-label": `${child.name}, ${known} ${shown.children.join("")}, ${visits(child.visits)}`,
      },
      this.row(path, child, shown, open),
      open && h("ul", { role: "group" }, this.level(path, held)),
    );
  }

  /** @param {string[]} path @param {KnownAction} child @param {import("./render.js").Described} shown @param {boolean} open */
  row(path, child, shown, open) {
    const toggle = (/** @type {Event} */ event) => {
      event.stopPropagation();
      this.toggle(JSON.stringify(path), child.expanded);
    };
    const look = { onmouseenter: () => this.app.hover(path), onmouseleave: () => this.app.hover([]) };
    return h(
      "div",
      { class: "node", onclick: () => this.select(path), ...look },
      h("span", { class: "twist", "aria-hidden": "true", onclick: toggle }, child.expanded ? (open ? "▾" : "▸") : ""),
      h("span", { class: "action" }, child.name),
      shown,
      h("span", { class: "quiet" }, visits(child.visits)),
    );
  }

  /** @param {string[]} path */
  select(path) {
    this.current = JSON.stringify(path);
    this.app.explore(path);
  }

  /** @param {string} id @param {boolean} expanded */
  async toggle(id, expanded) {
    this.current = id;
    if (this.opened.has(id)) this.opened.delete(id);
    else if (expanded) {
      const view = await this.fetch(JSON.parse(id)).catch(() => null);
      if (view) {
        this.nodes.set(id, view);
        this.opened.add(id);
      }
    }
    update();
  }

  /** @param {string[]} path */
  async more(path) {
    const id = JSON.stringify(path),
      view = this.nodes.get(id);
    this.wanted.set(id, (view?.children.length ?? 0) + 1);
    const read = await this.fetch(path).catch(() => null);
    if (read) {
      this.nodes.set(id, read);
      this.wanted.set(id, read.children.length);
    }
    update();
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const item = /** @type {HTMLElement} */ (event.target),
      id = item.dataset?.path;
    if (id === undefined) return;
    const items = /** @type {HTMLElement[]} */ ([...this.host.querySelectorAll('[role="treeitem"]')]),
      at = items.indexOf(item);
    const expanded = item.getAttribute("aria-expanded");
    /** @type {Record<string, () => void>} */
    const actions = {
      ArrowDown: () => items[at + 1]?.focus(),
      ArrowUp: () => items[at - 1]?.focus(),
      Home: () => items[0].focus(),
      End: () => items.at(-1)?.focus(),
      ArrowRight: () => (expanded === "false" ? this.toggle(id, true) : items[at + 1]?.focus()),
      ArrowLeft: () =>
        expanded === "true"
          ? this.toggle(id, true)
          : /** @type {HTMLElement | null | undefined} */ (item.parentElement?.closest('[role="treeitem"]'))?.focus(),
      Enter: () => this.select(JSON.parse(id)),
      " ": () => this.select(JSON.parse(id)),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    actions[event.key]();
    update();
  }
}
