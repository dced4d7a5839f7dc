// SPDX-License-Identifier: MIT
// The rules of a game, in words and with a picture.

import { h, render } from "./render.js";
import { update } from "./updates.js";

/** @import { Request } from "./protocol.js" */

/** @typedef {{ title: string, text: string | string[], parameters: { name: string, default: string }[], picture: string, players: number | string[] }} Rules */

/** A drawing from the server, inside one of our elements. @param {Element} host @param {string} svg */
export function showDrawing(host, svg) {
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  const drawing = document.importNode(parsed, true);
  drawing.setAttribute("aria-hidden", "true");
  host.replaceChildren(drawing);
}

/** @param {Rules} rules */
export const paragraphsOf = ({ text }) =>
  (Array.isArray(text) ? text : text.split(/\n\s*\n/))
    .map((part) => part.trim().replace(/\s*\n(?!\s*[-*|\d])\s*/g, " "))
    .filter(Boolean);

export class RulesPanel {
  /** @param {HTMLElement} host @param {Request} request */
  constructor(host, request) {
    this.host = host;
    this.request = request;
    this.about = "";
    /** @type {Rules | null} */
    this.rules = null;
    this.drawn = "";
  }

  /** @param {string} game */
  show(game) {
    if (this.about !== game) this.read(game);
    const { rules } = this;
    render(
      this.host,
      rules
        ? [
            h("h2", { key: "title" }, rules.title),
            h("div", { key: "picture", class: "rules-picture", kept: true }),
            ...paragraphsOf(rules).map((text, i) => h("p", { key: i, class: "rules-text" }, text)),
            h("p", { key: "name", class: "quiet" }, "In commands and links this game is ", h("code", null, game), "."),
          ]
        : h("p", { class: "empty", key: "none" }, "Reading the rules …"),
    );
    const picture = this.host.querySelector(".rules-picture");
    if (rules && picture && this.drawn !== rules.picture) {
      this.drawn = rules.picture;
      showDrawing(picture, rules.picture);
    }
  }

  /** @param {string} game */
  async read(game) {
    this.about = game;
    this.drawn = "";
    const rules = await this.request("rules", { game }).catch((error) => ({
      title: game,
      text: error.message,
      parameters: [],
      picture: "",
      players: 2,
    }));
    if (this.about === game) this.rules = rules;
    update();
  }
}
