// SPDX-License-Identifier: MIT
// The options of an analysis: a form made from the server's description of them.

import { byId, element } from "./elements.js";

/** @typedef {{ name: string, help: string, type: string[], choices: string[], default: any }} Option */

export class OptionsForm {
  constructor() {
    /** @type {Map<string, any>} */
    this.inputs = new Map();
  }

  get filled() {
    return this.inputs.size > 0;
  }

  /** @param {Option[]} described */
  fill(described) {
    this.inputs = new Map(described.map((option) => [option.name, this.input(option)]));
    const others = described.filter((option) => option.name !== "algorithm"); // which has a place of its own
    byId("options")
      .querySelector(".fields")
      .replaceChildren(
        ...others.map((option) =>
          element(
            "label",
            { text: option.name.replaceAll("_", " "), title: option.help },
            this.inputs.get(option.name),
          ),
        ),
      );
  }

  /** @param {Option} option */
  input(option) {
    if (option.choices.length) return this.select(option);
    const type = { bool: "checkbox", int: "number" }[option.type[0]] ?? "text";
    const input = element("input", { type, spellcheck: "false" });
    if (type === "checkbox") input.checked = option.default;
    else input.value = option.default ?? "";
    return input;
  }

  /** @param {Option} option */
  select(option) {
    const select = option.name === "algorithm" ? byId("algorithm") : element("select");
    const values = option.default === null ? ["", ...option.choices] : option.choices;
    select.replaceChildren(...values.map((value) => element("option", { text: value || "default", value })));
    select.value = option.default ?? "";
    return select;
  }

  /** What was chosen; an empty field leaves the default to the server. */
  values() {
    /** @type {Record<string, any>} */
    const values = {};
    for (const [name, input] of this.inputs) {
      const value = input.type === "checkbox" ? input.checked : input.value.trim();
      if (value !== "") values[name] = input.type === "number" ? Number(value) : value;
    }
    return values;
  }
}
