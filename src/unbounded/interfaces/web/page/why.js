// SPDX-License-Identifier: MIT
// Why a move is good or bad, in words.

import { h, render } from "./render.js";
import { number } from "./words.js";
import { update } from "./updates.js";

/** @import { App } from "./app.js" */

export class Why {
  /** @param {HTMLElement} host @param {App} app */
  constructor(host, app) {
    this.host = host;
    this.app = app;
    this.text = "";
    this.about = "";
    this.key = "";
    this.states = 0;
    this.asked = ""; // the position that was asked about without being told to
  }

  /** Ask about a move, or about the best one. @param {string} [action] */
  async ask(action = "") {
    const { key } = this.app;
    this.about = action;
    this.asked = key;
    const text = await this.app.attempt("why", { action: action || null });
    if (text !== undefined && key === this.app.key)
      Object.assign(this, { text, key, states: this.app.analysis.states ?? 0 });
    update();
  }

  show() {
    const { app } = this;
    if (this.key !== app.key) {
      this.text = "";
      this.about = "";
      this.key = app.key;
    }
    const names = app.actions.map((action) => action.name);
    if (names.length && this.asked !== app.key) this.ask();
    if (!names.length) {
      render(this.host, h("p", { class: "empty", key: "none" }, "Reasons come from the analysis: start it first."));
      return;
    }
    render(
      this.host,
      h(
        "div",
        { class: "row", key: "ask" },
        h("label", null, "Why ", this.choice(names), " ?"),
        h("button", { id: "why", onclick: () => this.ask(this.about) }, "Ask again"),
      ),
      h("p", { id: "reason", class: "reason", role: "status", key: "reason" }, this.text),
      this.text && h("p", { class: "quiet", key: "when" }, `As known after ${number(this.states)} states.`),
    );
  }

  /** @param {string[]} names */
  choice(names) {
    const onchange = (/** @type {any} */ event) => this.ask(event.target.value);
    return h(
      "select",
      { id: "why-move", value: this.about, onchange },
      h("option", { value: "", key: "" }, "the best move"),
      names.map((name) => h("option", { value: name, key: name }, name)),
    );
  }
}
