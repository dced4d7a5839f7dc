// SPDX-License-Identifier: MIT
// Buttons that are always there, the field for typed moves, and the keys.

import { importGame } from "./game_calls.js";
import { announce, byId, showError } from "./elements.js";
import { listenToKeys } from "./keys.js";
import { changeSettings } from "./settings.js";
import { update } from "./updates.js";
import { capital } from "./words.js";

/** @import { App } from "./app.js" */
/** @import { GameCalls } from "./game_panel.js" */

/** @typedef {{ setup: () => void, start: () => void, calls: GameCalls, refreshTree: () => void }} Parts */

/** @param {App} app @param {Parts} parts */
export function connectControls(app, { setup, start, calls, refreshTree }) {
  const walk = walking(app);
  const values = () => toggleValues(app),
    ask = () => hint(app);
  /** @type {Record<string, () => void>} */
  const clicks = { ...walk, start, values, "new-game": setup, undo: calls.undo, hint: ask, refresh: refreshTree };
  for (const name of ["pause", "resume", "stop"]) clicks[name] = () => app.attempt(name);
  clicks["settings-open"] = () => byId("settings").showModal();
  clicks["retry-machine"] = () => app.attempt("retry_machine");
  clicks["play-line"] = () => app.attempt("play_line");
  clicks.leave = () => app.leave();
  for (const [id, action] of Object.entries(clicks)) {
    byId(id).addEventListener("click", () => byId(id).getAttribute("aria-disabled") === "true" || action());
  }
  for (const id of ["proof", "tree-list", "tree-graph"]) byId(id).addEventListener("change", update);
  const letters = { u: calls.undo, y: calls.redo, n: setup, v: values, h: ask, a: pressEngine };
  const leave = () => app.position?.live || app.leave();
  const others = { ArrowLeft: walk.back, ArrowRight: walk.forward, PageUp: walk.back, PageDown: walk.forward };
  listenToKeys(app, letters, { ...others, Home: walk.first, End: walk.last, Escape: leave });
  connectFields(app);
}

/** @param {App} app */
function walking(app) {
  const ply = () => app.position?.ply ?? 0,
    end = () => app.position?.line.length ?? 0;
  return {
    first: () => app.go(0),
    back: () => app.go(ply() - 1),
    forward: () => app.go(ply() + 1),
    last: () => app.go(end()),
  };
}

/** @param {App} app */
function connectFields(app) {
  byId("shortcuts").checked = app.settings.shortcuts;
  byId("shortcuts").addEventListener("change", () => {
    app.settings = changeSettings({ shortcuts: byId("shortcuts").checked });
  });
  byId("import-file").addEventListener("change", (/** @type {any} */ event) => {
    if (event.target.files.length) importGame(app, event.target.files[0]);
    event.target.value = "";
  });
  byId("entry").addEventListener("submit", (/** @type {Event} */ event) => {
    event.preventDefault();
    const field = byId("entry-name"),
      name = field.value.trim();
    if (!name) return;
    field.value = "";
    app.move(name).catch((error) => {
      field.value ||= name;
      showError(error.message);
    });
  });
}

const pressEngine = () =>
  ["start", "pause", "resume"]
    .map(byId)
    .find((button) => !button.hidden)
    ?.click();

/** @param {App} app */
function toggleValues(app) {
  app.settings = changeSettings(
    app.serious ? { playing: !app.settings.playing } : { analyzing: !app.settings.analyzing },
  );
  update();
}

/** A good move, in words and on the board. @param {App} app */
async function hint(app) {
  byId("hint").setAttribute("aria-busy", "true");
  const { key } = app,
    found = await app.attempt("hint");
  byId("hint").removeAttribute("aria-busy");
  if (!found || key !== app.key) return;
  byId("caption").textContent = capital(found.words);
  announce(found.words);
  app.hover([found.name]);
}

/** A disabled button would lose the focus, so it only says that it does nothing now. @param {string} id @param {boolean} off */
function disable(id, off) {
  byId(id).setAttribute("aria-disabled", String(off));
}

/** @param {App} app */
export function showControls(app) {
  const { game, position } = app;
  if (!game || !position) return;
  for (const id of ["first", "back"]) disable(id, position.ply === 0);
  for (const id of ["last", "forward"]) disable(id, position.ply === position.line.length);
  disable("undo", Boolean(game.clock) || (!game.moves.length && game.resigned === null));
  disable("hint", position.over);
  byId("values").setAttribute("aria-pressed", String(app.valuesShown));
  byId("retry-machine").hidden = game.over || game.human_to_move || game.thinking;
  byId("elsewhere").hidden = position.live;
  const further = position.main >= game.moves.length && position.ply > position.main;
  byId("play-line").hidden = !further || game.over || Boolean(game.clock);
}
