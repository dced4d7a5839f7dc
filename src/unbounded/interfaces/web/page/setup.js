// SPDX-License-Identifier: MIT
// The dialog for a new game: the game, its rules and parameters, and its players. It remembers what was
// chosen last for each game.

import { byId, element, showError } from "./elements.js";
import { paragraphsOf, showDrawing } from "./rules_panel.js";
import { remembered, write } from "./settings.js";

/** @import { GameView, Request } from "./protocol.js" */

/** @typedef {{ name: string, summary?: string, parameters: { name: string, default: string }[] }} About */
/** @typedef {{ games: About[], own: string | null, players: string[], max_seconds: number, strengths?: { name: string, words: string, seat: string }[] }} Offer */
/** @typedef {{ game: string, seats: string[], seconds: number, clock: string | null, ponder: boolean }} Choice */

const KEY = "unbounded-setup";

export class Setup {
  /** @param {Request} request @param {(choice: Choice) => Promise<void>} begin */
  constructor(request, begin) {
    this.request = request;
    this.begin = begin;
    this.dialog = byId("setup");
    /** @type {Promise<void>} */
    this.seating = Promise.resolve();
    /** @type {Offer} */
    this.offer = { games: [], own: null, players: [], max_seconds: 30 };
    byId("setup-game").addEventListener("change", () => this.selectGame());
    byId("setup-form").addEventListener("submit", (/** @type {Event} */ event) => this.submit(event));
    byId("setup-cancel").addEventListener("click", () => this.dialog.close());
  }

  /** @param {GameView} current */
  async open(current) {
    try {
      this.offer = await this.request("games");
    } catch (error) {
      showError(/** @type {Error} */ (error).message);
      return;
    }
    const names = this.offer.games.map((game) => game.name);
    const own = this.offer.own && !names.includes(this.offer.own) ? [this.offer.own] : [];
    byId("setup-game").replaceChildren(
      ...[...own, ...names].map((name) => element("option", { text: name, value: name })),
    );
    byId("setup-game").value = own.includes(current.game) ? current.game : current.game.split("(")[0];
    if (!byId("setup-game").value) byId("setup-game").value = [...own, ...names][0];
    byId("setup-seconds").max = this.offer.max_seconds;
    byId("setup-seconds").value = remembered(KEY)?.seconds ?? 1;
    byId("setup-clock").value = remembered(KEY)?.clock ?? "";
    byId("setup-ponder").checked = remembered(KEY)?.ponder ?? false;
    byId("setup-error").textContent = "";
    this.dialog.showModal();
    await this.selectGame();
  }

  /** What was chosen last for the game that is selected. */
  get last() {
    return remembered(KEY)?.games?.[byId("setup-game").value] ?? { parameters: {}, seats: [] };
  }

  /** Show the parameters of a game; the number of players may depend on them. */
  async selectGame() {
    const about = this.offer.games.find((game) => game.name === byId("setup-game").value);
    const { parameters, seats } = this.last;
    byId("setup-summary").textContent = about?.summary ?? "";
    const fields = (about?.parameters ?? []).map((parameter) => {
      const input = element("input", { "data-name": parameter.name, spellcheck: "false" });
      input.value = parameters[parameter.name] ?? parameter.default;
      input.dataset.default = parameter.default;
      input.addEventListener("input", () => this.seats([]));
      return element("label", { text: parameter.name }, input);
    });
    byId("setup-parameters").replaceChildren(...fields);
    byId("setup-seats").replaceChildren();
    await this.seats(seats);
  }

  /** @returns {HTMLInputElement[]} */
  get fields() {
    return [...byId("setup-parameters").querySelectorAll("input")];
  }

  /** @returns {string[]} */
  get seated() {
    return [...byId("setup-seats").querySelectorAll("select")].map((select) => select.value);
  }

  text() {
    const changed = this.fields
      .filter((input) => input.value.trim() !== input.dataset.default)
      .map((input) => `${input.dataset.name}=${input.value.trim()}`);
    const name = byId("setup-game").value;
    return changed.length ? `${name}(${changed.join(",")})` : name;
  }

  /** Ask who plays; whoever begins the game waits for the answer. @param {string[]} wanted */
  seats(wanted) {
    this.seating = this.readSeats(wanted);
    return this.seating;
  }

  /** @param {string[]} wanted */
  async readSeats(wanted) {
    const game = this.text();
    this.rules(game);
    try {
      const { players } = await this.request("players", { game });
      if (game !== this.text()) return;
      // Read now, not before the request: a player may have been selected meanwhile.
      const selected = this.seated;
      byId("setup-error").textContent = "";
      byId("setup-seats").replaceChildren(
        ...players.map((/** @type {string} */ name, /** @type {number} */ seat) => {
          const select = element("select", {}, ...this.choices());
          for (const choice of [seat === 0 ? "human" : "ubfm-safest", wanted[seat], selected[seat]]) {
            if ([...select.options].some((option) => option.value === choice)) select.value = choice;
          }
          return element("label", { text: name }, select);
        }),
      );
    } catch (error) {
      byId("setup-error").textContent = /** @type {Error} */ (error).message;
    }
  }

  /** Who can sit at a seat: a human, strengths in words, and players by name. */
  choices() {
    const [human, ...kinds] = this.offer.players,
      strengths = this.offer.strengths ?? [];
    const option = (/** @type {string} */ text, /** @type {string} */ value) => element("option", { text, value });
    return [
      option(human, human),
      ...(strengths.length
        ? [
            element(
              "optgroup",
              { label: "a machine" },
              ...strengths.map(({ name, words, seat }) => option(`${name}: ${words}`, seat)),
            ),
          ]
        : []),
      element("optgroup", { label: "an algorithm" }, ...kinds.map((kind) => option(kind, kind))),
    ];
  }

  /** @param {string} game */
  async rules(game) {
    const rules = await this.request("rules", { game }).catch(() => null);
    if (game !== this.text()) return;
    byId("setup-rules").hidden = !rules;
    byId("setup-summary").hidden = Boolean(rules);
    if (!rules) return;
    showDrawing(byId("setup-picture"), rules.picture);
    byId("setup-words").replaceChildren(...paragraphsOf(rules).map((text) => element("p", { text })));
  }

  /** @param {Event} event */
  async submit(event) {
    event.preventDefault();
    const seconds = Number(byId("setup-seconds").value);
    if (!byId("setup-seconds").value.trim() || !(seconds > 0)) {
      byId("setup-error").textContent = "Seconds per machine move must be a number above 0.";
      byId("setup-seconds").focus();
      return;
    }
    await this.seating;
    const button = byId("setup-begin"),
      clock = byId("setup-clock").value.trim() || null,
      choice = { game: this.text(), seats: this.seated, seconds, clock, ponder: byId("setup-ponder").checked };
    button.disabled = true;
    button.textContent = "Preparing …"; // the rules are compiled before the first game
    try {
      await this.begin(choice);
      this.remember(choice);
      this.dialog.close();
    } catch (error) {
      byId("setup-error").textContent = /** @type {Error} */ (error).message;
    }
    button.disabled = false;
    button.textContent = "Begin";
  }

  /** @param {Choice} choice */
  remember({ seats, seconds, clock, ponder }) {
    const before = remembered(KEY),
      parameters = Object.fromEntries(this.fields.map((input) => [input.dataset.name, input.value.trim()]));
    const games = { ...before?.games, [byId("setup-game").value]: { parameters, seats } };
    write(KEY, { seconds, clock, ponder, games });
  }
}
