// SPDX-License-Identifier: MIT
// The dialog for a new game: the game, its parameters and its players.

import { byId, element } from "./elements.js";

export class Setup {
  constructor(request, onError) {
    Object.assign(this, { request, onError });
    this.dialog = byId("setup");
    byId("setup-game").addEventListener("change", () => this.selectGame());
    byId("setup-form").addEventListener("submit", (event) => this.submit(event));
  }

  async open(current) {
    try {
      this.offer = await this.request("games");
    } catch (error) {
      this.onError(error.message);
      return;
    }
    const names = this.offer.games.map((game) => game.name);
    const own = this.offer.own && !names.includes(this.offer.own) ? [this.offer.own] : [];
    byId("setup-game").replaceChildren(...[...own, ...names].map((name) => element("option", { text: name, value: name })));
    byId("setup-game").value = own.includes(current.game) ? current.game : current.game.split("(")[0];
    byId("setup-seconds").max = this.offer.max_seconds;
    byId("setup-error").textContent = "";
    this.dialog.showModal();
    await this.selectGame();
  }

  // Show the parameters of a game; the number of players may depend on them.
  async selectGame() {
    const about = this.offer.games.find((game) => game.name === byId("setup-game").value);
    byId("setup-summary").textContent = about?.summary ?? "";
    const fields = (about?.parameters ?? []).map((parameter) => {
      const input = element("input", { "data-name": parameter.name, value: parameter.default, spellcheck: "false" });
      input.dataset.default = parameter.default;
      input.addEventListener("change", () => this.seats());
      return element("label", { text: parameter.name }, input);
    });
    byId("setup-parameters").replaceChildren(...fields);
    await this.seats();
  }

  text() {
    const changed = [...byId("setup-parameters").querySelectorAll("input")]
      .filter((input) => input.value.trim() !== input.dataset.default)
      .map((input) => `${input.dataset.name}=${input.value.trim()}`);
    const name = byId("setup-game").value;
    return changed.length ? `${name}(${changed.join(",")})` : name;
  }

  async seats() {
    try {
      const { players } = await this.request("players", { game: this.text() });
      // Read now, not before the request: a player may have been selected meanwhile.
      const selected = [...byId("setup-seats").querySelectorAll("select")].map((select) => select.value);
      byId("setup-error").textContent = "";
      byId("setup-seats").replaceChildren(...players.map((name, seat) => {
        const choices = this.offer.players.map((kind) => element("option", { text: kind, value: kind }));
        const select = element("select", {}, ...choices);
        select.value = selected[seat] ?? (seat === 0 ? "human" : "ubfm-safest");
        return element("label", { text: name }, select);
      }));
    } catch (error) {
      byId("setup-error").textContent = error.message;
    }
  }

  async submit(event) {
    if (event.submitter?.value !== "begin") return;
    event.preventDefault();
    const seats = [...byId("setup-seats").querySelectorAll("select")].map((select) => select.value);
    const button = byId("setup-begin");
    button.disabled = true;
    button.textContent = "Preparing …";  // the rules are compiled before the first game
    try {
      await this.request("new", { game: this.text(), seats, seconds: Number(byId("setup-seconds").value) });
      this.dialog.close();
    } catch (error) {
      byId("setup-error").textContent = error.message;
    }
    button.disabled = false;
    button.textContent = "Begin";
  }
}
