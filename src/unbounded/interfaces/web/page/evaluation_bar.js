// SPDX-License-Identifier: MIT
// The bar beside the board: who stands better, proven or estimated. Two players share one bar, more have
// one each.

import { badgeText } from "./badges.js";
import { scaled } from "./curve_points.js";
import { h } from "./render.js";
import { knownWords } from "./words.js";

/** @import { Known } from "./protocol.js" */

/** How much of the bar is a player's, from 0 to 1; null if nothing is known. @param {Known | null} known @param {number} player */
export function shareOf(known, player) {
  if (known?.outcome) return (known.outcome[player] + 1) / 2;
  const value = known?.value?.[player];
  return value === null || value === undefined ? null : (scaled(value) + 1) / 2;
}

/** @param {Known | null} known @param {string[]} players */
export function evaluationBar(known, players) {
  const words = known ? knownWords(known, players) : "nothing is known of this position";
  const kind = known?.outcome ? "proven" : known?.value ? "estimated" : "unknown";
  const shown = players.length === 2 ? [0] : players.map((_, p) => p);
  return h(
    "div",
    { class: `evaluation ${kind}`, role: "img", "aria-label": `Evaluation: ${words}`, title: words },
    shown.map((player) => bar(known, player, players.length === 2)),
  );
}

/** @param {Known | null} known @param {number} player @param {boolean} two */
function bar(known, player, two) {
  const share = shareOf(known, player);
  const text = known && share !== null ? badgeText({ ...known, distance: null }, player) : "";
  return h(
    "div",
    { class: `evaluation-bar seat${player % 6}${two ? " two" : ""}`, key: player },
    h("div", { class: "evaluation-fill", style: { height: `${100 * (share ?? (two ? 0.5 : 0))}%` } }),
    h("span", { class: "evaluation-text" }, text),
  );
}
