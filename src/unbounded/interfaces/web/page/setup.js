// SPDX-License-Identifier: MIT
// A new game: which, how large, and who sits where.

import { byId, element } from "./elements.js";

export class Setup {
  constructor(ask, onTrouble) {
    Object.assign(this, { ask, onTrouble });
    this.dialog = byId("setup");
    byId("setup-game").addEventListener("change", () => this.choose());
    byId("setup-form").addEventListener("submit", (event) => this.submit(event));
  }

  async open(current) {
    try {
      this.known = await this.ask("games");
    } catch (error) {
      this.onTrouble(error.message);
      return;
    }
    const names = this.known.games.map((game) => game.name);
    const own = this.known.own && !names.includes(this.known.own) ? [this.known.own] : [];
    byId("setup-game").replaceChildren(...[...own, ...names].map((name) => element("option", { text: name, value: name })));
    byId("setup-game").value = own.includes(current.game) ? current.game : current.game.split("(")[0];
    byId("setup-seconds").max = this.known.most_seconds;
    byId("setup-error").textContent = "";
    this.dialog.showModal();
    await this.choose();
  }

  // Show the parameters of a game; how many play may depend on them.
  async choose() {
    const about = this.known.games.find((game) => game.name === byId("setup-game").value);
    byId("setup-summary").textContent = about?.summary ?? "";
    const fields = (about?.parameters ?? []).map((parameter) => {
      const input = element("input", { "data-name": parameter.name, value: parameter.default, spellcheck: "false" });
      input.dataset.usual = parameter.default;
      input.addEventListener("change", () => this.seats());
      return element("label", { text: parameter.name }, input);
    });
    byId("setup-parameters").replaceChildren(...fields);
    await this.seats();
  }

  text() {
    const changed = [...byId("setup-parameters").querySelectorAll("input")]
      .filter((input) => input.value.trim() !== input.dataset.usual)
      .map((input) => `${input.dataset.name}=${input.value.trim()}`);
    const name = byId("setup-game").value;
    return changed.length ? `${name}(${changed.join(",")})` : name;
  }

  async seats() {
    try {
      const { players } = await this.ask("seats", { game: this.text() });
      // Now, and not before it was asked: somebody may have chosen meanwhile.
      const before = [...byId("setup-seats").querySelectorAll("select")].map((select) => select.value);
      byId("setup-error").textContent = "";
      byId("setup-seats").replaceChildren(...players.map((name, seat) => {
        const choices = this.known.players.map((kind) => element("option", { text: kind, value: kind }));
        const select = element("select", {}, ...choices);
        select.value = before[seat] ?? (seat === 0 ? "human" : "ubfm-safest");
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
    button.textContent = "Preparing …";  // the rules are compiled, the first time
    try {
      await this.ask("new", { game: this.text(), seats, seconds: Number(byId("setup-seconds").value) });
      this.dialog.close();
    } catch (error) {
      byId("setup-error").textContent = error.message;
    }
    button.disabled = false;
    button.textContent = "Begin";
  }
}
