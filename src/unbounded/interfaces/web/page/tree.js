// SPDX-License-Identifier: MIT
// The tree of the search, a level at a time: only open nodes are requested, whatever its size.

import { badge, byId, element, visits, number } from "./elements.js";

export class Tree {
  constructor({ request, onPreview, onError }) {
    Object.assign(this, { request, onPreview, onError });
    this.list = byId("tree");
    this.opened = new Set();
    this.shown = new Map();  // number of children shown, for nodes with very many
    this.list.addEventListener("keydown", (event) => this.key(event));
  }

  // The position has changed: close all nodes.
  reset() {
    this.opened.clear();
    this.shown.clear();
  }

  clear() {
    this.selected = null;
    this.list.replaceChildren();
    this.explainEmpty({ children: [], resolved: true });
  }

  // Read the root and all open nodes again; if called meanwhile, do so once more.
  async refresh(players) {
    this.players = players;
    this.again = true;
    if (this.refreshing) return;
    this.refreshing = true;
    while (this.again) {
      this.again = false;
      await this.read();
    }
    this.refreshing = false;
  }

  async read() {
    const focused = this.list.contains(document.activeElement) ? document.activeElement.dataset.path : null;
    const { scrollTop } = this.list;
    try {
      const root = await this.fetch([]);
      this.mover = root.mover;
      this.explainEmpty(root);
      await this.fill(this.list, [], root);
    } catch {
      this.clear();
    }
    const items = [...this.list.querySelectorAll('[role="treeitem"]')];
    const same = items.find((item) => item.dataset.path === focused);
    if (same && document.activeElement === document.body) this.focus(same);  // the focused item was replaced
    else if (items.length) items[0].tabIndex = 0;
    items.find((item) => item.dataset.path === this.selected)?.querySelector(".node").classList.add("selected");
    this.list.scrollTop = scrollTop;
  }

  explainEmpty(root) {
    byId("tree-empty").hidden = root.children.length > 0;
    byId("tree-empty").textContent = byId("proof").checked && !root.resolved
      ? "The position is not proven yet." : "The tree grows with the analysis.";
  }

  // The children of a node: the first ones, and as many more as were shown before.
  async fetch(path) {
    const wanted = this.shown.get(JSON.stringify(path)) ?? 0;
    const view = await this.fetchFrom(path, 0);
    while (view.children.length < Math.min(wanted, view.count)) {
      const more = await this.fetchFrom(path, view.children.length);
      if (!more.children.length) break;
      view.children.push(...more.children);
    }
    return view;
  }

  fetchFrom(path, start) {
    return this.request("tree", { path, start, proof: byId("proof").checked });
  }

  async fill(list, path, view) {
    const items = view.children.map((child) => this.item([...path, child.name], child));
    if (view.start === 0) list.replaceChildren(...items);
    else { list.lastElementChild.remove(); list.append(...items); }
    const shown = view.start + view.children.length;
    if (shown < view.count) list.append(this.more(list, path, shown, view.count));
    for (const item of items) {
      if (this.opened.has(item.dataset.path)) await this.open(item);
    }
  }

  more(list, path, shown, count) {
    const button = element("button", {
      text: `${number(count - shown)} more`,
      onClick: () => this.showMore(list, path, shown),
    });
    return element("li", { role: "none" }, button);
  }

  async showMore(list, path, shown) {
    try {
      const view = await this.fetchFrom(path, shown);
      this.shown.set(JSON.stringify(path), shown + view.children.length);
      await this.fill(list, path, view);
    } catch (error) {
      this.onError(error.message);
    }
  }

  item(path, child) {
    const openable = child.expanded;
    const twist = element("span", { className: "twist", text: openable ? "▸" : "", "aria-hidden": "true" });
    const row = element("div", { className: "node" }, twist,
      element("span", { className: "action", text: child.name }),
      badge(child, this.mover, this.players),
      element("span", { className: "quiet", text: visits(child.visits) }));
    const known = child.outcome ? "proven" : "estimated";
    const item = element("li", {
      role: "treeitem", tabindex: "-1",
      "aria-label": `${child.name}, ${known} ${row.querySelector(".badge").textContent}, ${visits(child.visits)}`,
    }, row);
    item.dataset.path = JSON.stringify(path);
    if (openable) item.setAttribute("aria-expanded", "false");
    twist.addEventListener("click", (event) => { event.stopPropagation(); this.toggle(item); });
    row.addEventListener("click", () => this.select(item));
    return item;
  }

  select(item) {
    this.list.querySelectorAll(".selected").forEach((row) => row.classList.remove("selected"));
    item.querySelector(".node").classList.add("selected");
    this.selected = item.dataset.path;
    this.focus(item);
    this.onPreview(JSON.parse(item.dataset.path));
  }

  toggle(item) {
    if (item.getAttribute("aria-expanded") === "true") this.close(item);
    else if (item.hasAttribute("aria-expanded")) this.open(item);
  }

  async open(item) {
    const path = JSON.parse(item.dataset.path);
    try {
      const view = await this.fetch(path);
      item.querySelector(":scope > ul")?.remove();
      const list = element("ul", { role: "group" });
      item.append(list);
      item.setAttribute("aria-expanded", "true");
      item.querySelector(".twist").textContent = "▾";
      this.opened.add(item.dataset.path);
      await this.fill(list, path, view);
    } catch (error) {
      this.onError(error.message);
    }
  }

  close(item) {
    item.querySelector(":scope > ul")?.remove();
    item.setAttribute("aria-expanded", "false");
    item.querySelector(".twist").textContent = "▸";
    this.opened.delete(item.dataset.path);
  }

  focus(item) {
    this.list.querySelectorAll('[tabindex="0"]').forEach((other) => { other.tabIndex = -1; });
    item.tabIndex = 0;
    item.focus({ preventScroll: document.activeElement === document.body });
  }

  key(event) {
    const item = event.target.closest('[role="treeitem"]');
    if (!item || event.target !== item) return;
    const items = [...this.list.querySelectorAll('[role="treeitem"]')];
    const at = items.indexOf(item);
    const expanded = item.getAttribute("aria-expanded");
    const actions = {
      ArrowDown: () => items[at + 1] && this.focus(items[at + 1]),
      ArrowUp: () => items[at - 1] && this.focus(items[at - 1]),
      Home: () => this.focus(items[0]),
      End: () => this.focus(items.at(-1)),
      ArrowRight: () => expanded === "false" ? this.open(item) : items[at + 1] && this.focus(items[at + 1]),
      ArrowLeft: () => {
        if (expanded === "true") this.close(item);
        else { const parent = item.parentElement.closest('[role="treeitem"]'); if (parent) this.focus(parent); }
      },
      Enter: () => this.select(item),
      " ": () => this.select(item),
    };
    if (actions[event.key]) { event.preventDefault(); actions[event.key](); }
  }
}
