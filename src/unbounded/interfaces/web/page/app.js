// SPDX-License-Identifier: MIT
// What the page knows: the server's views of the game, of the position at the cursor and of the analysis;
// and what can be done from anywhere on the page. There is one cursor: every part shows its position.

import { attempt } from "./elements.js";
import { readSettings } from "./settings.js";
import { update } from "./updates.js";

/** @import { AnalysisView, CurveView, GameView, KnownAction, Known, PositionView, Request, ReviewView } from "./protocol.js" */
/** @import { Ghost } from "./ghosts.js" */

const HOVER_DELAY = 70;

export class App {
  /** @param {Request} request */
  constructor(request) {
    this.request = request;
    /** @type {GameView | null} */
    this.game = null;
    /** @type {PositionView | null} */
    this.position = null;
    /** @type {AnalysisView} */
    this.latest = { state: "none" };
    /** @type {CurveView | null} */
    this.curve = null;
    /** @type {ReviewView | null} */
    this.review = null;
    this.settings = readSettings();
    this.connected = false;
    this.connectionWords = "Connecting …";
    /** @type {Ghost[]} */
    this.ghosts = [];
    this.hovered = "";
    /** @type {number | undefined} */
    this.hoverTimer = undefined;
  }

  /** Another room, or the same one again: what is known of it is on its way. */
  forget() {
    this.position = null;
    this.latest = { state: "none" };
    this.curve = null;
    this.review = null;
  }

  get players() {
    return this.game?.players ?? [];
  }

  /** The moves that lead to the position. */
  get path() {
    return this.position ? this.position.line.slice(0, this.position.ply) : [];
  }

  /** Text that tells one position from another. */
  get key() {
    return JSON.stringify([this.game?.room, this.game?.game, this.path]);
  }

  /** What is known of the position at the cursor; nothing while the search is still at another one. @returns {AnalysisView} */
  get analysis() {
    const { latest } = this;
    if (latest.state === "none" && !latest.moves) return latest;
    return JSON.stringify(latest.moves) === JSON.stringify(this.path)
      ? latest
      : { state: latest.state, algorithm: latest.algorithm, options: latest.options };
  }

  /** What is known of the position, proven or estimated. @returns {Known | null} */
  get known() {
    const { analysis, position, game } = this;
    if (position?.over && position.outcome) return { outcome: position.outcome, score: position.score };
    // Who gives up, or runs out of time, has proven nothing.
    if (position?.live && game?.over && game.outcome && game.resigned === null)
      return { outcome: game.outcome, score: game.score };
    return analysis.outcome || analysis.value ? analysis : this.curvePoint;
  }

  get curvePoint() {
    const { curve, position } = this;
    if (!curve || !position || curve.line.join("\n") !== position.line.join("\n")) return null;
    const point = curve.points[position.ply];
    return point && point.kind !== "unknown" ? point : null;
  }

  /** @returns {KnownAction[]} */
  get actions() {
    return this.analysis.actions ?? [];
  }

  /** People play against a machine, and do not ask for help. */
  get serious() {
    return Boolean(this.game && this.game.humans < this.game.players.length && this.latest.state === "none");
  }

  get valuesShown() {
    return this.serious ? this.settings.playing : this.settings.analyzing;
  }

  /** A request; people read why it failed. @param {string} name @param {Record<string, any>} [fields] */
  attempt(name, fields) {
    return attempt(this.request(name, fields));
  }

  /** Go to a position of the line. @param {number} ply */
  go(ply) {
    if (this.position && ply >= 0 && ply <= this.position.line.length) this.attempt("go", { ply });
  }

  /** Look at what follows from here by these moves; nothing is played. @param {string[]} path */
  explore(path) {
    this.hover([]);
    const { position } = this;
    if (!position) return;
    const line = [...this.path, ...path],
      known = position.line.slice(0, line.length);
    const further = JSON.stringify(known) === JSON.stringify(line);
    this.attempt("go", further ? { ply: line.length } : { line, ply: line.length });
  }

  /** Return to the end of the game. */
  leave() {
    if (this.game) this.attempt("go", { line: this.game.moves, ply: this.game.moves.length });
  }

  /** A click on the board: it plays, or looks. @param {string} name */
  move(name) {
    return this.request("move", { name });
  }

  /** Show a line as ghosts on the board; an empty one takes them away. @param {string[]} path */
  hover(path) {
    const key = path.length ? JSON.stringify([this.key, path]) : "";
    if (key === this.hovered) return;
    this.hovered = key;
    clearTimeout(this.hoverTimer);
    if (!key) {
      this.ghosts = [];
      update();
      return;
    }
    this.hoverTimer = setTimeout(async () => {
      const ghosts = await this.request("ghosts", { path }).catch(() => []);
      if (this.hovered !== key) return;
      this.ghosts = ghosts;
      update();
    }, HOVER_DELAY);
  }
}
