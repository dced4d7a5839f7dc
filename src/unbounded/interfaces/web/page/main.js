// SPDX-License-Identifier: MIT
// The page: it receives the server's views, and draws every part of itself from them.

import { readAddress } from "./address.js";
import { App } from "./app.js";
import { Board } from "./board.js";
import { Clocks } from "./clocks.js";
import { Connection } from "./connection.js";
import { connectControls, showControls } from "./controls.js";
import { Curve } from "./curve.js";
import { Editor } from "./editor.js";
import { announce, attempt, byId, setText, showError } from "./elements.js";
import { evaluationBar } from "./evaluation_bar.js";
import { FilesPanel } from "./files_panel.js";
import { gameCalls } from "./game_calls.js";
import { showGamePanel } from "./game_panel.js";
import { Lines } from "./lines.js";
import { MovesTable } from "./moves_table.js";
import { OptionsForm } from "./options.js";
import { render } from "./render.js";
import { Rooms } from "./rooms.js";
import { RulesPanel } from "./rules_panel.js";
import { changeSettings } from "./settings.js";
import { Setup } from "./setup.js";
import { makeTabs } from "./tabs.js";
import { offerThemes } from "./theme.js";
import { TreeTab } from "./tree_tab.js";
import { drawWith, update } from "./updates.js";
import { showEngine, showVerdict } from "./verdict.js";
import { Why } from "./why.js";
import { decisionWords, elsewhereWords, statusWords } from "./words.js";

/** @import { GameView, PositionView } from "./protocol.js" */

const app = new App((name, fields) => connection.request(name, fields));
const options = new OptionsForm();
const rooms = new Rooms(app, () => connection, takeGame);
/** @type {Connection} */
const connection = new Connection(
  {
    game: (game) => {
      readOptions();
      rooms.receive(game);
    },
    position: takePosition,
    analysis: (analysis) => {
      app.latest = analysis;
      update();
    },
    curve: (curve) => {
      app.curve = curve;
      update();
    },
    review: (review) => {
      app.review = review;
      update();
    },
    edit: (view) => {
      editor.receive(view);
      update();
    },
    verify: (state) => {
      files.verify(state);
      update();
    },
    error: showError,
    disconnected: () => {
      app.connected = false;
      app.connectionWords = "The server is disconnected; trying again …";
      update();
    },
    refused: () => {
      app.connectionWords = "The server was restarted: open the link that it has printed.";
      update();
    },
  },
  readAddress(location.hash).room,
);

const board = new Board(
  { frame: byId("board"), picked: byId("picked"), buttons: byId("by-name"), caption: byId("caption") },
  (name) => (editor.view ? editor.put(name) : attempt(app.move(name))),
);
const editor = new Editor(app);
const clocks = new Clocks(byId("clocks"));
const curve = new Curve(byId("curve"), (ply) => app.go(ply));
const why = new Why(byId("panel-why"), app);
const tree = new TreeTab(app);
const lines = new Lines(byId("panel-lines"));
const rules = new RulesPanel(byId("panel-rules"), app.request);
const files = new FilesPanel(byId("panel-files"), app);
const setup = new Setup(app.request, (choice) => rooms.begin(choice));
const start = () => app.attempt("analyze", options.values());
const table = new MovesTable(byId("panel-moves"), {
  onStart: start,
  onExample: (game) => rooms.example(game),
  onWhy: (name) => {
    why.ask(name);
    tabs.select("why", true);
  },
});
const tabs = makeTabs(byId("tabs"), app.settings.tab, (name) => {
  app.settings = changeSettings({ tab: name });
  tree.forget();
  update();
});
const calls = gameCalls(app, {
  onOpen: () => {
    byId("tab-files").hidden = false;
    tabs.select("files", true);
  },
});
connectControls(app, {
  setup: () => app.game && setup.open(app.game),
  start,
  calls,
  refreshTree: () => tree.show(true),
});

function readOptions() {
  if (!options.filled)
    app.request("options").then(
      (described) => {
        options.fill(described);
        update();
      },
      () => {},
    );
}

// -- what the server sends -----------------------------------------------------------------------

/** @param {GameView} game */
function takeGame(game) {
  const before = app.game;
  if (before && before.room === game.room && game.moves.length > before.moves.length) announceMove(game);
  app.game = game;
  clocks.receive(game);
  app.connected = true;
  update();
}

/** What a machine played; a person knows their own move. @param {GameView} game */
function announceMove(game) {
  const last = game.moves.length - 1,
    seat = game.movers?.[last];
  if (seat === undefined || game.seats[seat] === "human") return;
  announce(`${game.players[seat]} plays ${game.moves[last]}. ${statusWords(game)}`);
}

/** @param {PositionView} position */
function takePosition(position) {
  app.position = position;
  app.hover([]);
  update();
}

// -- drawing -------------------------------------------------------------------------------------

drawWith(() => {
  const { game, position } = app;
  byId("new-game").disabled = !app.connected;
  if (!game || !position || !app.connected) setText("status", app.connectionWords);
  if (!game || !position || rooms.held) return;
  if (position.live && position.line.length !== game.moves.length) return; // the rest of the change is on its way
  if (app.connected) setText("status", position.live ? statusWords(game) : elsewhereWords(game, position));
  byId("status").title = byId("status").textContent;
  rooms.writeAddress(game, position);
  setText("title", game.title ?? game.game);
  byId("title").title = game.game;
  document.title = `${game.title ?? game.game} – unbounded`;
  setText("decision", decisionWords(game));
  showVerdict(app);
  showEngine(app);
  showBoard(game, position);
  render(byId("bar"), evaluationBar(app.known, game.players));
  curve.show(app.curve, position, game.players, app.review);
  showControls(app);
  files.read(game.room);
  showPanel(game);
});

/** @param {GameView} game @param {PositionView} position */
function showBoard(game, position) {
  const playable = !position.over && (!position.live || (game.human_to_move && !game.over));
  const who = position.mover === null ? "the game is over" : `${game.players[position.mover]} to move`;
  const where = position.live ? "now" : `after ${app.path.join(" ") || "no moves"}`;
  editor.show();
  board.show(
    editor.board() ?? {
      key: app.key,
      svg: position.svg,
      actions: position.actions,
      action_count: position.action_count,
      playable,
      label: `The board ${where}: ${who}. ${position.action_count} moves.`,
      players: game.players,
      mover: position.mover,
      known: app.valuesShown ? app.actions : [],
      ghosts: app.ghosts,
    },
  );
  const names = position.actions
    .slice(0, 500)
    .map((action) => action.name)
    .join("\n");
  if (byId("names").dataset.names !== names) {
    byId("names").dataset.names = names;
    byId("names").replaceChildren(
      ...names.split("\n").map((value) => Object.assign(document.createElement("option"), { value })),
    );
  }
}

/** Only the panel that is seen is drawn, and the list of moves. @param {GameView} game */
function showPanel(game) {
  showGamePanel(app, calls, byId("panel-game"));
  const { selected } = tabs;
  if (selected === "moves") table.show(app);
  else if (selected === "lines") lines.show(app);
  else if (selected === "why") why.show();
  else if (selected === "rules") rules.show(game.game);
  else if (selected === "files") files.show();
  else if (selected === "tree") tree.show();
}

// The fragment of the address is the room's name, so the skip link must not change it.
document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  byId("entry-name").focus();
});
offerThemes();
fetch("about.json")
  .then(
    (response) => response.json(),
    () => ({}),
  )
  .then(({ claims }) => {
    byId("claims-link").hidden = !claims;
  });
