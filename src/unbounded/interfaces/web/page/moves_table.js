// SPDX-License-Identifier: MIT
// Every move of the position, the best first: proven and estimated results in columns of their own.

import { strength } from "./badges.js";
import { badge } from "./elements.js";
import { h, render } from "./render.js";
import { isHeld, SteadyOrder } from "./steady_order.js";
import { estimate, knownWords, number, plural } from "./words.js";

/** @import { App } from "./app.js" */
/** @import { KnownAction } from "./protocol.js" */

/** Small games that are solved while one looks. */
export const EXAMPLES = ["tic-tac-toe", "connect-four(width=5,height=4)", "hex(size=4)", "nim"];

export class MovesTable {
  /** @param {HTMLElement} host @param {{ onWhy: (name: string) => void, onStart: () => void, onExample: (game: string) => void }} calls */
  constructor(host, calls) {
    this.host = host;
    this.calls = calls;
    this.order = new SteadyOrder();
    this.key = "";
  }

  /** @param {App} app */
  show(app) {
    if (this.key !== app.key) {
      this.key = app.key;
      this.order.forget();
    }
    const held = isHeld(this.host);
    const actions = this.order.arrange("", app.actions, (action) => action.name, held);
    const best = app.actions[0]?.name;
    const most = Math.max(1, ...actions.map((action) => action.visits));
    render(this.host, actions.length ? this.table(app, actions, best, most) : this.empty(app));
  }

  /** @param {App} app @param {KnownAction[]} actions @param {string} best @param {number} most */
  table(app, actions, best, most) {
    const more = (app.analysis.action_count ?? app.position?.action_count ?? 0) - actions.length;
    return [
      h(
        "table",
        { id: "actions", key: "table" },
        h("caption", { class: "hidden" }, "All moves, the best one first"),
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            ["move", "proven", "estimated", "visits"].map((name) => h("th", { scope: "col", key: name }, name)),
            h("th", { scope: "col", key: "why" }, h("span", { class: "hidden" }, "why")),
          ),
        ),
        h(
          "tbody",
          null,
          actions.map((action) => this.row(app, action, action.name === best, most)),
        ),
      ),
      more > 0 &&
        h("p", { class: "quiet", key: "more" }, `${plural(more, "more move")} not listed: they can be typed.`),
      h("p", { class: "quiet", key: "scale" }, this.scale(app, actions)),
    ];
  }

  /** @param {App} app @param {KnownAction} action @param {boolean} best @param {number} most */
  row(app, action, best, most) {
    const mover = app.analysis.mover ?? app.position?.mover ?? 0,
      { players } = app;
    const value = action.value ?? [];
    const text = players.length > 2 ? value.map(estimate).join("  ") : estimate(value[mover] ?? null);
    const wide = `${Math.round(100 * strength(action.visits, most))}%`;
    const look = { onmouseenter: () => app.hover([action.name]), onmouseleave: () => app.hover([]) };
    return h(
      "tr",
      {
        key: action.name,
        memo: JSON.stringify([app.key, best, wide, mover, action.outcome, action.distance, action.visits, text]),
        class: best ? "best" : null,
        title: knownWords(action, players),
        ...look,
      },
      h("td", null, this.moveButton(app, action.name)),
      h("td", null, action.outcome ? badge(action, mover, players) : null),
      h("td", null, action.outcome ? null : h("span", { class: "estimate" }, text)),
      h(
        "td",
        { class: "visits" },
        h("span", { class: "bar", "aria-hidden": "true" }, h("span", { style: { width: wide } })),
        number(action.visits),
      ),
      h(
        "td",
        null,
        h(
          "button",
          { class: "plain", "aria-label": `why ${action.name}?`, onclick: () => this.calls.onWhy(action.name) },
          "why?",
        ),
      ),
    );
  }

  /** @param {App} app @param {string} name */
  moveButton(app, name) {
    return h(
      "button",
      {
        class: "move",
        onclick: () => app.explore([name]),
        onfocus: () => app.hover([name]),
        onblur: () => app.hover([]),
        title: "Show the position after this move",
      },
      name,
    );
  }

  /** @param {App} app @param {KnownAction[]} actions */
  scale(app, actions) {
    const mover = app.players[app.analysis.mover ?? 0];
    const large = actions.some((action) => action.value?.some((value) => Math.abs(value ?? 0) > 1));
    const scale = large ? "the higher, the better" : "+1 is a win, 0 a draw, −1 a loss";
    const whose = app.players.length > 2 ? "for each player" : `for ${mover}, who is to move`;
    return actions.every((action) => action.outcome)
      ? `Results ${whose}. Visits are drawn on a logarithmic scale.`
      : `Estimates guess the result ${whose}: ${scale}. Visits are drawn on a logarithmic scale.`;
  }

  /** @param {App} app */
  empty(app) {
    if (app.position?.over)
      return h(
        "p",
        { class: "empty", key: "over" },
        "The game is over here: there are no moves. Go back to see those before.",
      );
    if (app.latest.state !== "none") return h("p", { class: "empty", key: "wait" }, "Searching …");
    return h(
      "div",
      { class: "empty", key: "none" },
      h("p", null, "See what every move is worth, here and on the board."),
      h("button", { class: "main large", id: "analyze", onclick: () => this.calls.onStart() }, "Analyze this position"),
      h("p", { class: "quiet" }, "Or look at a small game that is solved in a moment:"),
      h(
        "p",
        { class: "row" },
        EXAMPLES.map((game) =>
          h(
            "button",
            { key: game, onclick: () => this.calls.onExample(game) },
            game.replace(/\(.*=(\d+),.*=(\d+)\)/, " $1×$2").replace(/\(.*=(\d+)\)/, " $1×$1"),
          ),
        ),
      ),
    );
  }
}
