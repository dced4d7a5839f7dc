// SPDX-License-Identifier: MIT
// Rooms: a new one for each game, so that no game is destroyed. The browser's copy of a game restores it
// on a server that has lost it, and the address leads to a position.

import { readAddress, writeAddress } from "./address.js";
import { attempt, showError } from "./elements.js";
import { mayBeNewer, savedGame, saveGame } from "./saved_games.js";

/** @import { App } from "./app.js" */
/** @import { Connection } from "./connection.js" */
/** @import { GameView, PositionView, Request } from "./protocol.js" */
/** @import { Choice } from "./setup.js" */

export class Rooms {
  /** @param {App} app @param {() => Connection} connection @param {(game: GameView) => void} onGame */
  constructor(app, connection, onGame) {
    this.app = app;
    this.connection = connection;
    this.onGame = onGame;
    /** The server's game, while ours is being restored. @type {GameView | null} */
    this.held = null;
    /** Called when the game of a new room is there. @type {(room: any) => void} */
    this.arrived = () => {};
    /** The address that was opened last. */
    this.followed = "";
    addEventListener("popstate", () => this.follow());
  }

  /** A game arrives. If the room is another one than we asked for, the server had lost ours. @param {GameView} game */
  receive(game) {
    const connection = this.connection(),
      { fresh } = connection;
    const asked = connection.room,
      other = asked !== game.room;
    connection.fresh = false;
    connection.room = game.room;
    if (fresh) {
      this.app.forget();
      const copy = asked ? savedGame(asked) : null,
        address = readAddress(location.hash);
      if (copy && (other || mayBeNewer(copy, game))) {
        this.held = game;
        this.restore(copy);
        return;
      }
      if (other && address.game && !copy) {
        this.held = game;
        this.openAddress(game);
        return;
      }
    }
    if (this.held && !fresh) this.held = null;
    this.take(game);
  }

  /** @param {GameView} game */
  take(game) {
    this.held = null;
    saveGame(game);
    this.onGame(game);
    if (game.room === this.connection().room) this.arrived(game.room);
  }

  /** The server has closed the room, or saved less of it than we: offer it our copy. @param {import("./saved_games.js").Copy} copy */
  async restore(copy) {
    try {
      if (await this.app.request("restore", { game: copy })) return;
    } catch (error) {
      showError(`The game could not be restored: ${/** @type {Error} */ (error).message}`);
    }
    if (this.held) this.take(this.held);
  }

  /** The address names a position that this room does not have. @param {GameView} game */
  async openAddress(game) {
    this.followed = location.hash;
    const { game: name, moves, ply } = readAddress(location.hash);
    const opened = await attempt(importMoves(this.app.request, name, moves).then(() => true));
    if (!opened) this.take(this.held ?? game);
    else if (ply !== null && ply !== moves.length) this.app.attempt("go", { ply });
  }

  /** Begin a game in a room of its own. @param {Choice} choice */
  begin(choice) {
    return this.enterNew((request) => request("new", { ...choice }));
  }

  /** A game for people at all seats, analyzed at once. @param {string} game */
  example(game) {
    const prepare = async (/** @type {Request} */ request) => {
      await importMoves(request, game, []);
      await request("analyze", {});
    };
    return attempt(this.enterNew(prepare));
  }

  /** Prepare a new room, go there, and wait until it is seen. @param {(request: Request) => Promise<any>} prepare */
  async enterNew(prepare) {
    await this.connection().enterNew(prepare);
    await new Promise((resolve) => {
      this.arrived = resolve;
    });
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  }

  /** The address holds room, game and moves; another game is another entry of the history. @param {GameView} game @param {PositionView} position */
  writeAddress(game, position) {
    const hash = writeAddress({ room: game.room, game: game.game, moves: position.line, ply: position.ply });
    const present = readAddress(location.hash);
    // A link without a room that was not followed yet must not be lost.
    const waits = !present.room && present.game !== "" && location.hash !== this.followed;
    if (hash === location.hash || waits || game.room !== this.connection().room) return;
    const same = [game.room, ""].includes(present.room);
    if (same) history.replaceState(null, "", hash);
    else history.pushState(null, "", hash);
  }

  /** The address has changed: by the back button, or by hand. */
  follow() {
    const address = readAddress(location.hash),
      connection = this.connection();
    if (address.room && address.room !== connection.room) connection.enter(address.room);
    else if (!address.room && address.game) connection.enter("");
    else if (address.room && this.app.position) {
      const line = address.moves;
      this.app.attempt("go", { line, ply: address.ply ?? line.length });
    }
  }
}

/** Begin a game for people at all seats, with moves that were played. @param {Request} request @param {string} name @param {string[]} moves */
async function importMoves(request, name, moves) {
  const { game, players } = await request("players", { game: name });
  const seats = players.map(() => "human");
  await request("import", {
    game: { format: "unbounded game", version: 1, game, seats, moves, resigned: null, seed: 0 },
  });
}
