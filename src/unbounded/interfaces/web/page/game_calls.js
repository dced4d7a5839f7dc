// SPDX-License-Identifier: MIT
// What the buttons of the game do.

import { copy, download } from "./copying.js";
import { confirmed } from "./dialogs.js";
import { attempt, byId, showError } from "./elements.js";

/** @import { App } from "./app.js" */

const REVIEW_SECONDS = 1; // for each position

/** @param {App} app @param {{ onOpen: () => void }} others @returns {import("./game_panel.js").GameCalls} */
export function gameCalls(app, { onOpen }) {
  const ask = async (/** @type {string} */ question, /** @type {string} */ yes, /** @type {() => void} */ then) => {
    if (await confirmed(question, yes)) then();
  };
  return {
    undo: () => app.attempt("undo"),
    redo: () => app.attempt("redo"),
    resign: () => ask("Resign this game?", "Resign", () => app.attempt("resign")),
    takeBack: () =>
      ask(`Take back all moves after move ${app.position?.ply}?`, "Take back", () =>
        app.attempt("take_back_to", { ply: app.position?.ply }),
      ),
    rematch: () =>
      app.game?.over
        ? app.attempt("rematch", { swap: false })
        : ask("Give up this game and begin it again?", "Begin again", () => app.attempt("rematch", { swap: false })),
    swap: () => app.attempt("swap_sides"),
    review: () => app.attempt("review", { seconds: REVIEW_SECONDS }),
    stopReview: () => app.attempt("stop_review"),
    export: () => exportGame(app),
    import: () => byId("import-file").click(),
    open: onOpen,
    edit: () => app.attempt("edit_start"),
    link: () => attempt(copy(app, "link")),
    text: () => attempt(copy(app, "text")),
    svg: () => attempt(copy(app, "svg")),
    png: () => attempt(copy(app, "png")),
  };
}

/** @param {App} app */
async function exportGame(app) {
  const data = await app.attempt("export");
  if (data) download(new Blob([`${JSON.stringify(data)}\n`], { type: "application/json" }), "game.json");
}

/** @param {App} app @param {File} file */
export async function importGame(app, file) {
  try {
    await app.request("import", { game: JSON.parse(await file.text()) });
  } catch (error) {
    showError(error instanceof SyntaxError ? "This file is not a saved game." : /** @type {Error} */ (error).message);
  }
}
