// SPDX-License-Identifier: MIT
// Files that the server was started with: saved searches, tables, certificates, learning runs and claims.
// A small certificate can also be uploaded.

import { chartPath, seriesOf } from "./chart.js";
import { byId, showError } from "./elements.js";
import { h, render } from "./render.js";
import { update } from "./updates.js";
import { number, plural } from "./words.js";

/** @import { App } from "./app.js" */

/** @typedef {{ index: number, kind: string, name: string, game: string | null, moves?: string[] }} OpenedFile */
/** @typedef {{ state: string, index: number | null, name: string, share: number | null, words: string, verdict: any }} Verification */
/** @typedef {{ name: string, game: string, count: number, rows: Record<string, any>[] }} Learning */

const MAX_UPLOAD = 45_000; // bytes; a message has 64 kB, and base64 is longer
const CHART = { width: 280, height: 90, margin: 6 };
const LEARNING_INTERVAL = 5000;

export class FilesPanel {
  /** @param {HTMLElement} host @param {App} app */
  constructor(host, app) {
    this.host = host;
    this.app = app;
    /** @type {OpenedFile[]} */
    this.files = [];
    this.room = "";
    /** @type {Verification | null} */
    this.verification = null;
    /** @type {Learning | null} */
    this.learning = null;
    this.learningIndex = -1;
    this.learningAt = 0;
    byId("open-input").addEventListener("change", (/** @type {any} */ event) => {
      if (event.target.files.length) this.upload(event.target.files[0]);
      event.target.value = "";
    });
  }

  /** Ask once in each room which files there are. @param {string} room */
  read(room) {
    if (this.room === room) return;
    this.room = room;
    this.app.request("files").then(
      (files) => {
        this.files = files;
        if (files.length) byId("tab-files").hidden = false;
        update();
      },
      () => {},
    );
  }

  /** @param {Verification} state */
  verify(state) {
    this.verification = state;
    if (state.state === "accepted" || state.state === "refused") this.room = ""; // an uploaded file is listed now
  }

  /** @param {File} file */
  async upload(file) {
    if (file.size > MAX_UPLOAD) {
      showError("This file is too large to upload: start the server with it, unbounded serve --open FILE.");
      return;
    }
    const bytes = new Uint8Array(await file.arrayBuffer());
    const data = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
    const kind = /\.json$/.test(file.name) ? "game" : "certificate";
    await this.app.attempt("open", { kind, data, name: file.name });
    this.room = "";
    update();
  }

  show() {
    render(
      this.host,
      h(
        "ul",
        { class: "files", key: "files" },
        this.files.map((file) => this.file(file)),
      ),
      !this.files.length && h("p", { class: "quiet", key: "none" }, "The server was started without files."),
      h(
        "div",
        { class: "row", key: "upload" },
        h("button", { id: "upload", onclick: () => byId("open-input").click() }, "Upload a certificate or a game"),
        h("span", { class: "quiet" }, "Larger files: ", h("code", null, "unbounded serve --open FILE")),
      ),
      this.verification && this.verification.state !== "none" && this.verified(this.verification),
      this.learning && this.charts(this.learning),
    );
    const due = performance.now() - this.learningAt > LEARNING_INTERVAL;
    if (this.learningIndex >= 0 && due) this.readLearning(this.learningIndex);
  }

  /** @param {OpenedFile} file */
  file(file) {
    const { index, kind, name, game } = file;
    const button = (/** @type {string} */ text, /** @type {() => void} */ onclick) =>
      h("button", { key: text, onclick }, text);
    const open = button("Open", () => this.app.attempt("open_file", { index }));
    /** @type {Record<string, import("./render.js").Content[]>} */
    const buttons = {
      search: [open],
      table: [open],
      certificate: [open, button("Verify", () => this.app.attempt("verify", { index }))],
      learning: [button("Show its curves", () => this.readLearning(index))],
      claims: [h("a", { key: "claims", href: "claims.html" }, "Look at it")],
    };
    return h(
      "li",
      { key: index },
      h("b", null, name),
      h("span", { class: "quiet" }, `${kind}${game ? `, ${game}` : ""}`),
      h("span", { class: "row" }, buttons[kind] ?? []),
    );
  }

  /** @param {Verification} found */
  verified({ state, name, share, words }) {
    const running = state === "running";
    return h(
      "section",
      { key: "verify", class: "banner", id: "verification", role: "status" },
      h("p", null, h("b", null, name), `: ${state}${words ? `, ${words}` : ""}`),
      running && h("progress", { key: "bar", max: 1, value: share ?? null, "aria-label": "Verification" }),
      running && h("button", { key: "stop", onclick: () => this.app.attempt("stop_verify") }, "Stop"),
    );
  }

  /** @param {number} index */
  async readLearning(index) {
    this.learningIndex = index;
    this.learningAt = performance.now();
    const learning = await this.app.attempt("learning", { index });
    if (learning) this.learning = learning;
    else this.learningIndex = -1;
    update();
  }

  /** @param {Learning} learning */
  charts({ name, game, count, rows }) {
    return h(
      "section",
      { key: "learning", "aria-label": `Learning ${name}` },
      h("h3", null, `${name}: ${game}, ${plural(count, "generation")}`),
      h(
        "div",
        { class: "charts" },
        seriesOf(rows).map((series) => this.chart(series)),
      ),
    );
  }

  /** @param {import("./chart.js").Series} series */
  chart(series) {
    const last = Math.abs(series.last) >= 1000 ? number(series.last) : series.last.toPrecision(3);
    return h(
      "figure",
      { key: series.name },
      h("figcaption", null, series.name, h("b", null, ` ${last}`)),
      h(
        "svg",
        { viewBox: `0 0 ${CHART.width} ${CHART.height}`, role: "img", "aria-label": `${series.name}: ${last} at last` },
        h("path", { d: chartPath(series, CHART), class: "stroke proven seat1" }),
      ),
    );
  }
}
