// SPDX-License-Identifier: MIT
// The editor of positions: pieces are put on the board, and a game begins from there.

import { byId } from "./elements.js";
import { h, render } from "./render.js";

/** @import { App } from "./app.js" */
/** @import { Place } from "./protocol.js" */
/** @import { BoardView } from "./board.js" */

/**
 * @typedef {object} EditView
 * @property {string[]} symbols the pieces that can be put; the first is none
 * @property {Place[]} places one for each cell
 * @property {number[]} pieces the piece on each cell
 * @property {number} mover
 * @property {string[]} players
 * @property {string} svg
 * @property {string} message why no game can begin from here, or empty
 */

export class Editor {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {EditView | null} */
    this.view = null;
    this.piece = 1;
  }

  /** @param {EditView | null} view */
  receive(view) {
    if (view && this.piece >= view.symbols.length) this.piece = 1;
    this.view = view;
  }

  /** The board while it is edited: every cell is a place. @returns {BoardView | null} */
  board() {
    const { view } = this;
    if (!view) return null;
    return {
      key: "the editor",
      svg: view.svg,
      actions: view.places.map((place, i) => ({ name: this.nameOf(i), places: [place] })),
      action_count: view.places.length,
      playable: true,
      label: "The position that is edited",
      players: view.players,
      mover: view.mover,
    };
  }

  /** @param {number} i */
  nameOf(i) {
    return `cell ${i + 1}: ${this.symbol(this.view?.pieces[i] ?? 0)}`;
  }

  /** @param {number} piece */
  symbol(piece) {
    return piece === 0 ? "empty" : (this.view?.symbols[piece] ?? "");
  }

  /** Put the chosen piece on a cell; a second time takes it away. @param {string} name */
  put(name) {
    const place = (this.view?.places ?? []).findIndex((_, i) => this.nameOf(i) === name);
    const piece = this.view?.pieces[place] === this.piece ? 0 : this.piece;
    return this.app.attempt("edit_set", { place, piece });
  }

  show() {
    const { view } = this,
      host = byId("editor");
    host.hidden = !view;
    render(host, view && [this.palette(view), this.movers(view), ...this.buttons(view)]);
    if (view) byId("caption").textContent = view.message;
  }

  /** @param {EditView} view */
  palette(view) {
    return h(
      "span",
      { class: "row palette", key: "palette", role: "group", "aria-label": "Pieces" },
      view.symbols.map((symbol, piece) =>
        h(
          "button",
          {
            key: piece,
            "aria-pressed": String(piece === this.piece),
            onclick: () => {
              this.piece = piece;
              this.show();
            },
          },
          piece === 0 ? "empty" : symbol,
        ),
      ),
    );
  }

  /** @param {EditView} view */
  movers(view) {
    const onchange = (/** @type {any} */ event) =>
      this.app.attempt("edit_mover", { player: Number(event.target.value) });
    return h(
      "label",
      { key: "mover", class: "quiet" },
      "to move ",
      h(
        "select",
        { value: String(view.mover), onchange },
        view.players.map((name, p) => h("option", { value: String(p), key: p }, name)),
      ),
    );
  }

  /** @param {EditView} view */
  buttons(view) {
    const button = (/** @type {string} */ text, /** @type {string} */ request, about = {}) =>
      h("button", { key: request, onclick: () => this.app.attempt(request), ...about }, text);
    return [
      button("Clear", "edit_clear"),
      button("Begin here", "edit_done", { class: "main", id: "edit-done", disabled: view.message !== "" }),
      button("Cancel", "edit_cancel", { id: "edit-cancel" }),
    ];
  }
}
