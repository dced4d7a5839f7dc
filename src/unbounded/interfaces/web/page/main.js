// SPDX-License-Identifier: MIT
// The page: it keeps the server's views of the game and of the analysis, and shows them.

import { AnalysisPanel } from "./analysis.js";
import { Board } from "./board.js";
import { Connection } from "./connection.js";
import { byId, element, estimate, outcomeWords, showError } from "./elements.js";
import { mayBeNewer, saveGame, savedGame } from "./saved_games.js";
import { OptionsForm } from "./options.js";
import { Setup } from "./setup.js";
import { offerThemes } from "./theme.js";
import { Tree } from "./tree.js";

const state = { game: null, analysis: { state: "none" }, preview: null };

const connection = new Connection({
  game: receiveGame,
  analysis: showAnalysis,
  error: showError,
  disconnected: () => {
    serverGame = null;
    byId("new-game").disabled = true;
    byId("status").textContent = "The server is disconnected; trying again …";
  },
  refused: () => { byId("status").textContent = "The server was restarted: open the link that it has printed."; },
});
const request = (name, fields) => connection.request(name, fields);
const attempt = (name, fields) => request(name, fields).catch((error) => showError(error.message));

const board = new Board((name) => {
  if (state.preview) preview([...state.preview.path, name]);
  else attempt("move", { name });
});
const panel = new AnalysisPanel({ onPreview: preview, onWhy: explain });
const tree = new Tree({ request, onPreview: preview, onError: showError });
const setup = new Setup(request, showError);
const options = new OptionsForm();

// -- the game ------------------------------------------------------------------------------------

let serverGame = null;  // the server's game, while ours is being restored

function receiveGame(game) {
  serverGame = null;
  const copy = connection.fresh ? savedGame(connection.room) : null;
  const otherRoom = connection.room !== game.room;
  connection.fresh = false;
  if (!options.filled) request("options").then((described) => options.fill(described), () => {});
  if (otherRoom) connection.setRoom(game.room);
  if (copy && (otherRoom || mayBeNewer(copy, game))) { serverGame = game; restore(copy); return; }
  takeGame(game);
}

// The server has closed the room, or saved less of it than we: offer it our copy.
async function restore(copy) {
  try {
    if (await request("restore", { game: copy })) return;
  } catch (error) {
    showError(`The game could not be restored: ${error.message}`);
  }
  if (serverGame) takeGame(serverGame);
}

function takeGame(game) {
  const moved = state.game && JSON.stringify(state.game.moves) !== JSON.stringify(game.moves);
  const changed = moved || (state.game && state.game.game !== game.game);
  state.game = game;
  if (changed) { state.preview = null; byId("reason").textContent = ""; tree.reset(); }
  saveGame(game);
  showGame();
  if (changed) showTree();
}

function showGame() {
  const game = state.game, shown = state.preview ?? game;
  byId("new-game").disabled = false;
  byId("title").textContent = game.game;
  document.title = `${game.game} – unbounded`;
  byId("status").textContent = capital(statusText(game));
  byId("decision").textContent = decisionText(game);
  byId("preview").hidden = !state.preview;
  if (state.preview) byId("preview-line").textContent = state.preview.path.join(" ");
  board.show(shown, state.preview !== null || game.human_to_move, boardLabel(game, shown));
  byId("board-text").textContent = shown.text;
  byId("names").replaceChildren(...shown.actions.map((action) => element("option", { value: action.name })));
  byId("moves").replaceChildren(...game.moves.map((name) => element("li", { text: name })));
  showButtons(game);
}

function showButtons(game) {
  byId("undo").disabled = !game.moves.length && game.resigned === null;
  byId("redo").disabled = !game.can_redo;
  byId("resign").disabled = !game.human_to_move;
  byId("retry-machine").hidden = game.over || game.human_to_move || game.thinking;
  byId("start").disabled = game.over;
  byId("preview-play").disabled = game.over;
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function statusText(game) {
  if (game.over) {
    const how = game.resigned !== null ? `${game.players[game.resigned]} resigned: ` : "The game is over: ";
    return `${how}${outcomeWords(game.outcome, game.players)}.`;
  }
  const name = game.players[game.mover];
  if (game.human_to_move) return game.humans > 1 || game.players.length > 2 ? `${name} to move.` : `Your move (${name}).`;
  return game.thinking ? `${name} is thinking …` : `${name} to move.`;
}

function decisionText(game) {
  const decision = game.decision;
  if (!decision) return "";
  const known = decision.outcome ? `proven: ${outcomeWords(decision.outcome, game.players)}`
    : decision.value ? `estimated: ${game.players.map((p, i) => `${p} ${estimate(decision.value[i])}`).join(", ")}`
      : "without an evaluation";
  return `${decision.name} was played after ${decision.seconds.toFixed(2)} s; ${known}.`;
}

function boardLabel(game, shown) {
  const line = state.preview ? `after ${state.preview.path.join(" ")}` : "now";
  const who = shown.mover === null || shown.mover === undefined ? "the game is over" : `${game.players[shown.mover]} to move`;
  return `The board ${line}: ${who}. ${shown.action_count} moves.`;
}

// -- previews: the board after further moves -----------------------------------------------------

async function preview(path) {
  try {
    state.preview = path.length ? await request("preview", { path }) : null;
    showGame();
  } catch (error) {
    showError(error.message);
  }
}

// -- the analysis --------------------------------------------------------------------------------

const TREE_INTERVAL = 2000;
let treeShownFor = null, treeShownAt = 0;

function showAnalysis(analysis) {
  state.analysis = analysis;
  const players = state.game?.players ?? [];
  panel.show(analysis, players);
  if (analysis.state === "none") { tree.clear(); treeShownFor = null; byId("reason").textContent = ""; return; }
  // The tree is read again at intervals, and when the search pauses.
  const moment = `${analysis.moves} ${analysis.state} ${analysis.resolved}`;
  const due = analysis.state === "running" && performance.now() - treeShownAt > TREE_INTERVAL;
  if (analysis.actions?.length && (moment !== treeShownFor || due)) { treeShownFor = moment; showTree(); }
}

function showTree() {
  treeShownAt = performance.now();
  if (state.analysis.state !== "none" && state.game) tree.refresh(state.game.players);
}

async function explain(action = null) {
  try {
    byId("reason").textContent = await request("why", { action });
  } catch (error) {
    showError(error.message);
  }
}

// -- files ---------------------------------------------------------------------------------------

async function exportGame() {
  const data = await attempt("export");
  if (!data) return;
  const blob = new Blob([`${JSON.stringify(data)}\n`], { type: "application/json" });
  const link = element("a", { href: URL.createObjectURL(blob), download: "game.json" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function importGame(file) {
  try {
    await request("import", { game: JSON.parse(await file.text()) });
  } catch (error) {
    showError(error instanceof SyntaxError ? "This file is not a saved game." : error.message);
  }
}

// -- event handlers ------------------------------------------------------------------------------

const clicks = {
  "new-game": () => setup.open(state.game),
  undo: () => attempt("undo"),
  redo: () => attempt("redo"),
  resign: () => attempt("resign"),
  "retry-machine": () => attempt("retry_machine"),
  export: exportGame,
  import: () => byId("import-file").click(),
  start: () => attempt("analyze", options.values()),
  pause: () => attempt("pause"),
  resume: () => attempt("resume"),
  stop: () => attempt("stop"),
  why: () => explain(),
  refresh: showTree,
  "preview-end": () => preview([]),
  "preview-back": () => preview(state.preview.path.slice(0, -1)),
  "preview-play": () => attempt("play_line", { path: state.preview.path }),
};
// The fragment of the address is the room's name, so the skip link must not change it.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  byId("entry-name").focus();
});
for (const [id, action] of Object.entries(clicks)) byId(id).addEventListener("click", action);
byId("proof").addEventListener("change", showTree);
byId("import-file").addEventListener("change", (event) => {
  if (event.target.files.length) importGame(event.target.files[0]);
  event.target.value = "";
});
byId("entry").addEventListener("submit", (event) => {
  event.preventDefault();
  const field = byId("entry-name"), name = field.value.trim();
  if (!name) return;
  field.value = "";
  if (state.preview) preview([...state.preview.path, name]);
  else request("move", { name }).catch((error) => { field.value ||= name; showError(error.message); });
});

const keys = {
  u: () => byId("undo").click(),
  y: () => byId("redo").click(),
  n: () => setup.open(state.game),
  a: () => ["start", "pause", "resume"].map(byId).find((button) => !button.hidden)?.click(),
  Escape: () => state.preview && preview([]),
};
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, select, textarea, dialog");
  if (typing || event.ctrlKey || event.metaKey || event.altKey || !state.game) return;
  keys[event.key]?.();
});

offerThemes();
fetch("about.json").then((response) => response.json(), () => ({}))
  .then(({ claims }) => { byId("claims-link").hidden = !claims; });
