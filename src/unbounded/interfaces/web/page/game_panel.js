// SPDX-License-Identifier: MIT
// The game: who plays, its moves, the review of its mistakes, files and recent games.

import { writeAddress } from "./address.js";
import { h, render } from "./render.js";
import { recentGames } from "./saved_games.js";
import { plural } from "./words.js";

/** @import { App } from "./app.js" */
/** @import { Mistake } from "./protocol.js" */

/** @typedef {Record<"undo" | "redo" | "resign" | "rematch" | "swap" | "review" | "stopReview" | "takeBack" | "export" | "import" | "open" | "edit" | "link" | "text" | "svg" | "png", () => void>} GameCalls */

/** What the panel shows: it changes more seldom than the analysis. @type {{ game?: object, position?: object, review?: object | null }} */
let shown = {};

/** @param {App} app @param {GameCalls} calls @param {HTMLElement} host */
export function showGamePanel(app, calls, host) {
  const { game, position } = app;
  if (!game || !position) return;
  if (shown.game === game && shown.position === position && shown.review === app.review) return;
  shown = { game, position, review: app.review };
  render(
    host,
    seats(app, calls),
    h("h3", { key: "moves-title" }, "Moves"),
    moveList(app),
    buttons(app, calls),
    review(app, calls),
    h("h3", { key: "share-title" }, "Share"),
    h(
      "div",
      { class: "row", key: "share", role: "group", "aria-label": "Share" },
      button("copy-link", "Copy link", calls.link),
      button("copy-text", "Copy text", calls.text),
      button("copy-svg", "Copy SVG", calls.svg),
      button("copy-png", "Copy PNG", calls.png),
      button("export", "Export game", calls.export),
      button("import", "Import game", calls.import),
      button("open-file", "Open a file", calls.open),
      button("edit", "Edit position", calls.edit, { disabled: !game.editable }),
    ),
    recent(app),
    h(
      "details",
      { key: "text" },
      h("summary", null, "The board as text"),
      h("pre", { id: "board-text", tabindex: "0" }, position.text),
    ),
  );
}

/** @param {string} id @param {string} text @param {() => void} onclick @param {Record<string, any>} [more] */
const button = (id, text, onclick, more = {}) => h("button", { id, key: id, onclick, ...more }, text);

/** @param {App} app @param {GameCalls} calls */
function seats({ game }, calls) {
  if (!game) return null;
  const words = game.seat_words ?? game.seats;
  return h(
    "div",
    { class: "seats row", key: "seats" },
    game.players.map((name, p) =>
      h(
        "span",
        { key: p, class: `seat${game.mover === p && !game.over ? " to-move" : ""}` },
        h("span", { class: `seat-mark seat${p % 6}`, "aria-hidden": "true" }),
        `${name}: ${words[p]}`,
      ),
    ),
    game.humans < game.players.length &&
      button("swap", "Swap sides", calls.swap, { disabled: game.over || Boolean(game.clock) }),
  );
}

/** @param {App} app */
function moveList(app) {
  const { game, position } = app;
  if (!game || !position) return null;
  const variation = position.line.slice(position.main);
  return h(
    "div",
    { class: "game-moves", key: "moves" },
    h(
      "ol",
      { id: "moves", class: "moves", "aria-label": "Moves of the game" },
      game.moves.map((name, i) => moveItem(app, name, i, true)),
    ),
    !game.moves.length &&
      h("p", { class: "quiet", key: "none" }, "No moves yet: click on the board, or type one below."),
    variation.length > 0 &&
      h(
        "div",
        { class: "variation-moves", key: "variation" },
        h("span", { class: "quiet" }, `Variation after move ${position.main}:`),
        h(
          "ol",
          {
            id: "variation",
            class: "moves",
            style: { "counter-reset": `move ${position.main}` },
            "aria-label": "Moves of the variation",
          },
          variation.map((name, i) => moveItem(app, name, position.main + i, false)),
        ),
      ),
  );
}

/** A move of the game, or of the variation; it leads to the position after it. @param {App} app @param {string} name @param {number} i @param {boolean} played */
function moveItem(app, name, i, played) {
  const { ply = 0, main = 0 } = app.position ?? {};
  const here = ply === i + 1 && played === i < main;
  const mistake = played ? app.review?.mistakes.find((found) => found.ply === i) : undefined;
  return h(
    "li",
    { key: i },
    h(
      "button",
      {
        class: here ? "plain here" : "plain",
        "aria-current": here ? "step" : null,
        "aria-label": `${i + 1}. ${name}`,
        onclick: () => app.attempt("go", played ? { line: app.game?.moves, ply: i + 1 } : { ply: i + 1 }),
      },
      name,
    ),
    mistake && mistakeMark(mistake),
  );
}

/** @param {Mistake} mistake */
const mistakeMark = ({ kind, words }) =>
  h("span", { class: `mistake ${kind}`, title: words }, kind === "proven" ? "??" : "?");

/** @param {App} app @param {GameCalls} calls */
function buttons({ game, position }, calls) {
  if (!game || !position) return null;
  const earlier = position.ply < game.moves.length && position.ply <= position.main;
  return h(
    "div",
    { class: "row", key: "buttons", role: "group", "aria-label": "The game" },
    button("redo", "Redo", calls.redo, { disabled: !game.can_redo, title: "Play again what was taken back (y)" }),
    button("take-back", "Take back to here", calls.takeBack, { disabled: !earlier || Boolean(game.clock) }),
    button("resign", "Resign", calls.resign, { disabled: !game.human_to_move }),
    button("rematch", "Rematch", calls.rematch, { disabled: !game.moves.length }),
  );
}

/** @param {App} app @param {GameCalls} calls */
function review(app, calls) {
  const { game, review: found } = app;
  if (!game) return null;
  const running = found?.state === "running",
    done = found?.state === "done" || found?.state === "stopped";
  return h(
    "section",
    { key: "review", class: "review", "aria-labelledby": "review-title" },
    h("h3", { id: "review-title" }, "Review"),
    h(
      "div",
      { class: "row" },
      running
        ? button("stop-review", "Stop", calls.stopReview)
        : button("review", done ? "Review again" : "Review this game", calls.review, { disabled: !game.moves.length }),
      running && h("progress", { key: "progress", max: found.of, value: found.done, "aria-label": "Review" }),
      running && h("span", { class: "quiet", key: "count" }, `${found.done} of ${found.of}`),
    ),
    done &&
      h(
        "p",
        { class: "quiet", key: "summary" },
        found.mistakes.length
          ? `${plural(found.mistakes.length, "move")} gave something away:`
          : "No move gave away a proven result, or much of an estimated one.",
      ),
    h(
      "ul",
      { id: "mistakes", class: "mistakes", key: "mistakes" },
      (found?.mistakes ?? []).map((mistake) => mistakeItem(app, mistake)),
    ),
  );
}

/** @param {App} app @param {Mistake} mistake */
function mistakeItem(app, mistake) {
  return h(
    "li",
    { key: mistake.ply },
    h(
      "button",
      { class: "plain", onclick: () => app.attempt("go", { line: app.game?.moves, ply: mistake.ply }) },
      mistakeMark(mistake),
      mistake.words,
    ),
  );
}

/** @param {App} app */
function recent({ game }) {
  const others = recentGames()
    .filter(({ room }) => room !== game?.room)
    .slice(0, 10);
  if (!others.length) return null;
  return h(
    "details",
    { key: "recent", id: "recent" },
    h("summary", null, "Recent games"),
    h(
      "ul",
      { class: "recent" },
      others.map(({ room, copy }) =>
        h(
          "li",
          { key: room },
          h(
            "a",
            { href: writeAddress({ room, game: copy.game, moves: copy.moves }) },
            `${copy.title ?? copy.game}, ${plural(copy.moves.length, "move")}${copy.over ? ", over" : ""}`,
          ),
          h("span", { class: "quiet" }, copy.saved_at ? ` ${new Date(copy.saved_at).toLocaleString("en")}` : ""),
        ),
      ),
    ),
  );
}
