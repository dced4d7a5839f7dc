// SPDX-License-Identifier: MIT
// Files: saved searches, tables, certificates and learning runs, those of the server and uploaded ones.

import { h, render } from "./render.js";

/** @import { App } from "./app.js" */

export class FilesPanel {
  /** @param {HTMLElement} host @param {App} app */
  constructor(host, app) {
    this.host = host;
    this.app = app;
  }

  /** @param {any} _state */
  verify(_state) {}

  show() {
    render(this.host, h("p", { class: "empty" }, "No files."));
  }
}
