// SPDX-License-Identifier: MIT
// The page: it holds what the server says of the game and of the analysis, and shows it.

import { AnalysisPanel } from "./analysis.js";
import { Board } from "./board.js";
import { Connection } from "./connection.js";
import { byId, element, estimate, outcomeWords } from "./elements.js";
import { Setup } from "./setup.js";
import { Tree } from "./tree.js";

const TROUBLE_FOR = 6000;
const GAMES_KEPT = 20;
const state = { game: null, analysis: { state: "none" }, looking: null };

const connection = new Connection({
  game: (game) => { entered(game); },
  analysis: (analysis) => { showAnalysis(analysis); },
  trouble: (message) => trouble(message),
  lost: () => {
    held = null;
    byId("new-game").disabled = true;
    byId("status").textContent = "The server has gone; trying again …";
  },
  stranger: () => { byId("status").textContent = "The server was started anew: open the link that it has printed."; },
});
const ask = (what, fields) => connection.ask(what, fields);
const attempt = (what, fields) => ask(what, fields).catch((error) => trouble(error.message));

const board = new Board((name) => {
  if (state.looking) look([...state.looking.path, name]);
  else attempt("move", { name });
});
const panel = new AnalysisPanel({ onLook: look, onWhy: explain });
const tree = new Tree({ ask, onLook: look, onTrouble: trouble });
const setup = new Setup(ask, trouble);

// -- the game ------------------------------------------------------------------------------------

function entered(game) {
  held = null;
  const kept = connection.fresh ? keptGame(connection.room) : null;
  const another = connection.room !== game.room;
  connection.fresh = false;
  if (another) connection.nameRoom(game.room);
  if (kept && (another || mayBeNewer(kept, game))) { held = game; bringBack(kept); return; }
  take(game);
}

function take(game) {
  const moved = state.game && JSON.stringify(state.game.moves) !== JSON.stringify(game.moves);
  const another = state.game && state.game.game !== game.game;
  state.game = game;
  if (moved || another) { state.looking = null; byId("reason").textContent = ""; tree.forget(); }
  keep(game);
  showGame();
  if (moved || another) showTree();
  listAlgorithms().catch((error) => trouble(error.message));
}

// -- what the browser keeps ----------------------------------------------------------------------

const KEPT = "unbounded:";
let held = null;  // the server's game, while ours is brought back

const mayBeNewer = (kept, game) => (kept.changes ?? 0) >= game.changes
  && JSON.stringify(kept.moves) !== JSON.stringify(game.moves);

function keptGame(room) {
  try {
    return JSON.parse(localStorage.getItem(KEPT + room));
  } catch {
    return null;  // a browser that keeps nothing, or nothing that we have written
  }
}

// The server has forgotten the room, or kept less of it than we: give it our game. It takes it if it is newer.
async function bringBack(kept) {
  try {
    if (await ask("bring_back", { game: kept })) return;
  } catch (error) {
    trouble(`The game could not be brought back: ${error.message}`);
  }
  if (held) take(held);
}

// The browser keeps the game too, so that it outlives the server; of many games the newest ones.
function keep(game) {
  const kept = {
    format: "unbounded game", version: 1, game: game.game, seats: game.seats, moves: game.moves,
    resigned: game.resigned, seed: 0, changes: game.changes, kept_at: Date.now(),
  };
  try {
    const others = Object.keys(localStorage).filter((key) => key.startsWith(KEPT) && key !== KEPT + game.room)
      .map((key) => [keptGame(key.slice(KEPT.length))?.kept_at ?? 0, key]).sort(([a], [b]) => a - b);
    for (const [, key] of others.slice(0, Math.max(0, others.length + 1 - GAMES_KEPT))) localStorage.removeItem(key);
    localStorage.setItem(KEPT + game.room, JSON.stringify(kept));
  } catch { /* a browser that keeps nothing */ }
}

function showGame() {
  const game = state.game, shown = state.looking ?? game;
  byId("new-game").disabled = false;
  byId("title").textContent = game.game;
  document.title = `${game.game} – unbounded`;
  byId("status").textContent = capital(statusWords(game));
  byId("knowledge").textContent = knowledgeWords(game);
  byId("looking").hidden = !state.looking;
  if (state.looking) byId("looking-line").textContent = state.looking.path.join(" ");
  board.show(shown, state.looking !== null || game.yours, boardLabel(game, shown));
  byId("board-text").textContent = shown.text;
  byId("names").replaceChildren(...shown.actions.map((action) => element("option", { value: action.name })));
  byId("moves").replaceChildren(...game.moves.map((name) => element("li", { text: name })));
  byId("undo").disabled = !game.moves.length && game.resigned === null;
  byId("redo").disabled = !game.can_redo;
  byId("resign").disabled = !game.yours;
  byId("let-move").hidden = game.over || game.yours || game.thinking;
  byId("start").disabled = game.over;
  byId("look-play").disabled = game.over;
}

const capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);

function statusWords(game) {
  if (game.over) {
    const how = game.resigned !== null ? `${game.players[game.resigned]} resigned: ` : "The game is over: ";
    return `${how}${outcomeWords(game.outcome, game.players)}.`;
  }
  const name = game.players[game.mover];
  if (game.yours) return game.people > 1 || game.players.length > 2 ? `${name} to move.` : `Your move (${name}).`;
  return game.thinking ? `${name} is thinking …` : `${name} to move.`;
}

function knowledgeWords(game) {
  const decision = game.decision;
  if (!decision) return "";
  const what = decision.outcome ? `proven: ${outcomeWords(decision.outcome, game.players)}`
    : decision.value ? `estimated: ${game.players.map((p, i) => `${p} ${estimate(decision.value[i])}`).join(", ")}`
      : "it does not say why";
  return `${decision.name} was played after ${decision.seconds.toFixed(2)} s; ${what}.`;
}

function boardLabel(game, shown) {
  const line = state.looking ? `after ${state.looking.path.join(" ")}` : "now";
  const who = shown.mover === null || shown.mover === undefined ? "the game is over" : `${game.players[shown.mover]} to move`;
  return `The board ${line}: ${who}. ${shown.action_count} moves.`;
}

// -- looking ahead -------------------------------------------------------------------------------

async function look(path) {
  try {
    const view = path.length ? await ask("look", { path }) : null;
    state.looking = view;
    showGame();
  } catch (error) {
    trouble(error.message);
  }
}

// -- the analysis --------------------------------------------------------------------------------

const TREE_EVERY = 2000;
let treeShownFor = null, treeShownAt = 0;

function showAnalysis(analysis) {
  state.analysis = analysis;
  const players = state.game?.players ?? [];
  panel.show(analysis, players);
  if (analysis.state === "none") { tree.clear(); treeShownFor = null; byId("reason").textContent = ""; return; }
  // The tree is read again now and then, and when the search rests.
  const moment = `${analysis.moves} ${analysis.state} ${analysis.resolved}`;
  const due = analysis.state === "going" && performance.now() - treeShownAt > TREE_EVERY;
  if (analysis.actions?.length && (moment !== treeShownFor || due)) { treeShownFor = moment; showTree(); }
}

function showTree() {
  treeShownAt = performance.now();
  if (state.analysis.state !== "none" && state.game) tree.refresh(state.game.players);
}

async function explain(action = null) {
  try {
    byId("reason").textContent = await ask("why", { action });
  } catch (error) {
    trouble(error.message);
  }
}

// -- trouble -------------------------------------------------------------------------------------

let troubleTimer;

function trouble(message) {
  const box = byId("trouble");
  box.textContent = message;
  box.hidden = false;
  clearTimeout(troubleTimer);
  troubleTimer = setTimeout(() => { box.hidden = true; }, TROUBLE_FOR);
}

// -- files ---------------------------------------------------------------------------------------

async function exportGame() {
  const told = await attempt("export");
  if (!told) return;
  const blob = new Blob([`${JSON.stringify(told)}\n`], { type: "application/json" });
  const link = element("a", { href: URL.createObjectURL(blob), download: "game.json" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function importGame(file) {
  try {
    await ask("import", { game: JSON.parse(await file.text()) });
  } catch (error) {
    trouble(error instanceof SyntaxError ? "This file is not a game." : error.message);
  }
}

// -- wiring --------------------------------------------------------------------------------------

// The server lists the algorithms; the first one is preset.
async function listAlgorithms() {
  const listed = () => byId("algorithm").options.length > 0;
  const titles = listed() ? {} : await ask("algorithms");
  if (!listed()) byId("algorithm").replaceChildren(...Object.entries(titles).map(([value, text]) => element("option", { value, text })));
}

async function analyse() {
  try {
    await listAlgorithms();
    await ask("analyse", { algorithm: byId("algorithm").value });
  } catch (error) {
    trouble(error.message);
  }
}

const clicks = {
  "new-game": () => setup.open(state.game),
  undo: () => attempt("undo"),
  redo: () => attempt("redo"),
  resign: () => attempt("resign"),
  "let-move": () => attempt("let_move"),
  export: exportGame,
  import: () => byId("import-file").click(),
  start: analyse,
  pause: () => attempt("pause"),
  resume: () => attempt("resume"),
  stop: () => attempt("stop"),
  why: () => explain(),
  refresh: showTree,
  "look-end": () => look([]),
  "look-back-one": () => look(state.looking.path.slice(0, -1)),
  "look-play": () => attempt("go_to", { path: state.looking.path }),
};
// The address is the room's; so the way to the move does not go through it.
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
  if (state.looking) look([...state.looking.path, name]);
  else ask("move", { name }).catch((error) => { field.value ||= name; trouble(error.message); });
});

const keys = {
  u: () => byId("undo").click(),
  y: () => byId("redo").click(),
  n: () => setup.open(state.game),
  a: () => ["start", "pause", "resume"].map(byId).find((button) => !button.hidden)?.click(),
  Escape: () => state.looking && look([]),
};
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, select, textarea, dialog");
  if (typing || event.ctrlKey || event.metaKey || event.altKey || !state.game) return;
  keys[event.key]?.();
});

const theme = byId("theme");
function setTheme(name) {
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
}
theme.value = localStorage.getItem("unbounded-theme") ?? "auto";
setTheme(theme.value);
theme.addEventListener("change", () => {
  localStorage.setItem("unbounded-theme", theme.value);
  setTheme(theme.value);
});
