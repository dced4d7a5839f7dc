// SPDX-License-Identifier: MIT
// The clocks of the game, above the board. They run on between two messages of the server, which decides
// when time is up.

import { clockText, clockWords, isLow, secondsLeft } from "./clock_words.js";
import { announce } from "./elements.js";
import { h, render } from "./render.js";

/** @import { GameView } from "./protocol.js" */

const BETWEEN_LOOKS = 100; // milliseconds
const WARNINGS = [60, 30, 10]; // seconds left at which a human is told

export class Clocks {
  /** @param {HTMLElement} host */
  constructor(host) {
    this.host = host;
    /** @type {GameView | null} */
    this.game = null;
    this.receivedAt = 0;
    /** @type {number | undefined} */
    this.timer = undefined;
    /** The warnings that were given, by player. @type {Map<number, number>} */
    this.warned = new Map();
  }

  /** The server's view, at the moment it arrived. @param {GameView} game */
  receive(game) {
    const runs = typeof game.clock?.running === "number";
    if (game.room !== this.game?.room || !runs) this.warned.clear();
    this.game = game;
    this.receivedAt = performance.now();
    clearInterval(this.timer);
    if (runs) this.timer = setInterval(() => this.draw(), BETWEEN_LOOKS);
    this.draw();
  }

  draw() {
    const { game } = this;
    this.host.hidden = !game?.clock;
    if (!game?.clock) return;
    const { clock } = game,
      passed = (performance.now() - this.receivedAt) / 1000;
    render(
      this.host,
      game.players.map((name, p) => this.clock(game, name, p, secondsLeft(clock, p, passed))),
    );
  }

  /** @param {GameView} game @param {string} name @param {number} p @param {number} left */
  clock(game, name, p, left) {
    const running = game.clock?.running === p;
    if (running) this.warn(game, p, left);
    return h(
      "span",
      {
        key: p,
        class: `clock${running ? " running" : ""}${isLow(left) ? " low" : ""}`,
        role: "timer",
        "aria-label": `${name}: ${clockWords(left)}${running ? ", running" : ""}`,
      },
      h("span", { class: `seat-mark seat${p % 6}`, "aria-hidden": "true" }),
      h("span", { class: "clock-name", "aria-hidden": "true" }, name),
      h("span", { class: "clock-time", "aria-hidden": "true" }, clockText(left)),
    );
  }

  /** Tell a human whose time runs short, once at each warning. @param {GameView} game @param {number} p @param {number} left */
  warn(game, p, left) {
    const due = WARNINGS.filter((seconds) => left <= seconds && game.clock && game.clock.left[p] > 0).at(-1);
    const before = this.warned.get(p) ?? Infinity;
    if (game.seats[p] !== "human" || due === undefined || due >= before) return;
    this.warned.set(p, due);
    announce(`${game.players[p]}: ${clockWords(Math.ceil(left))} left.`);
  }
}
