// SPDX-License-Identifier: MIT
// Elements of the document: finding them, making them, and telling people about errors and events.

import { h } from "./render.js";
import { badgeText } from "./badges.js";
import { estimate, outcomeWords, resultName } from "./words.js";

/** @import { Known } from "./protocol.js" */

/** An element of the page; it exists. @param {string} id @returns {any} */
export const byId = (id) => document.getElementById(id);

/**
 * Make an element. Text is always set as text, never as markup.
 * @param {string} tag @param {Record<string, any>} [about] @param {...(Node | string)} children @returns {any}
 */
export function element(tag, { text, title, className, onClick, ...attributes } = {}, ...children) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (title) made.title = title;
  if (className) made.className = className;
  if (onClick) made.addEventListener("click", onClick);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Screen readers announce a text that is set again, so it is set only if it changes. @param {string} id @param {string} text */
export function setText(id, text) {
  const box = byId(id);
  if (box.textContent !== text) box.textContent = text;
}

/**
 * The result for one player, as the board shows it; with more than two players, for all of them.
 * @param {Known} known @param {number} player @param {string[]} players
 */
export function badge(known, player, players) {
  if (known.outcome) {
    const result = resultName(known.outcome[player]);
    const soon = known.distance && result !== "draw" ? ` in ${known.distance}` : "";
    const text = players.length > 2 ? outcomeWords(known.outcome, players) : result + soon;
    return h("span", { class: `badge ${result}`, title: "proven" }, text);
  }
  const value = known.value ?? [];
  const text = players.length > 2 ? value.map(estimate).join("  ") : estimate(value[player] ?? null);
  return h("span", { class: "badge open", title: "estimated; not proven" }, text);
}

/** The same in two or three characters. @param {Known} known @param {number} player */
export function smallBadge(known, player) {
  const kind = known.outcome ? `badge ${resultName(known.outcome[player])}` : "badge open";
  return h(
    "span",
    { class: `${kind} small`, title: known.outcome ? "proven" : "estimated; not proven" },
    badgeText(known, player),
  );
}

const SHOW_ERROR_FOR = 8000;
/** @type {number | undefined} */
let errorTimer;

/** @param {string} message */
export function showError(message) {
  const box = byId("error");
  box.textContent = message;
  box.hidden = false;
  clearTimeout(errorTimer);
  errorTimer = setTimeout(() => {
    box.hidden = true;
  }, SHOW_ERROR_FOR);
}

/** Let screen readers say something. @param {string} text */
export function announce(text) {
  const box = byId("announcement");
  if (box) box.textContent = box.textContent === text ? `${text}\u00a0` : text;
}

/** Run something that may fail; people read why. @template T @param {Promise<T>} promise @returns {Promise<T | undefined>} */
export async function attempt(promise) {
  try {
    return await promise;
  } catch (error) {
    showError(/** @type {Error} */ (error).message);
    return undefined;
  }
}
