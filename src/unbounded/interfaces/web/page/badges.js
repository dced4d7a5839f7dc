// SPDX-License-Identifier: MIT
// The number that stands on the board for a move: what it says, how strongly, and where. Proven
// results are filled, with a sign and the number of moves; estimates are hollow, with two digits.

import { knownWords, resultName } from "./words.js";

/** @import { Known, KnownAction, Place, PlacedAction, Spot } from "./protocol.js" */

/**
 * @typedef {object} Badge
 * @property {"proven" | "estimated"} kind
 * @property {"win" | "draw" | "loss" | "open"} result
 * @property {string} text
 * @property {number} strength from 0 (never visited) to 1 (visited most)
 * @property {string} words for a tooltip: every player's
 */

/** A number in two digits, as short as possible: ".37", "1.2", "12". @param {number} value */
export function twoDigits(value) {
  const size = Math.abs(value),
    sign = value < 0 ? "−" : "+";
  if (size < 0.005) return "0";
  if (size < 0.995) return sign + size.toFixed(2).slice(1);
  return sign + (size < 9.95 ? size.toFixed(1) : size.toFixed(0));
}

/** @param {Known} known @param {number} player */
export function badgeText(known, player) {
  if (known.outcome) {
    const result = known.outcome[player];
    if (result === 0) return "=";
    return (result > 0 ? "+" : "−") + (known.distance || "");
  }
  const value = known.value?.[player];
  return value === null || value === undefined ? "?" : twoDigits(value);
}

/** How much of the attention a move got, on a logarithmic scale. @param {number} visits @param {number} most */
export const strength = (visits, most) => (most > 0 ? Math.log1p(Math.max(0, visits)) / Math.log1p(most) : 0);

/** @param {KnownAction} known @param {number} player @param {number} most @param {string[]} players @returns {Badge} */
export function badgeOf(known, player, most, players) {
  return {
    kind: known.outcome ? "proven" : "estimated",
    result: known.outcome ? resultName(known.outcome[player]) : "open",
    text: badgeText(known, player),
    strength: known.outcome ? 1 : strength(known.visits, most),
    words: `${known.name}: ${knownWords(known, players)}`,
  };
}

/** The best of some moves, in the order of the search. @param {string[]} names @param {Map<string, number>} ranks */
export function bestOf(names, ranks) {
  let best = null,
    at = Infinity;
  for (const name of names) {
    const rank = ranks.get(name);
    if (rank !== undefined && rank < at) [best, at] = [name, rank];
  }
  return best;
}

/** @typedef {{ x: number, y: number, wide: number, high: number }} Box */

/**
 * Where a badge goes: at the top of a column, in the middle of an empty place, and in a corner of one that
 * has something on it, which must stay visible. A game may say better, by a middle, a width and a height.
 * @param {Place} place @param {string} text @param {{ occupied?: boolean, given?: Spot }} about @returns {Box}
 */
export function badgeBox([x, y, width, height], text, { occupied = false, given = null }) {
  const size = Math.min(width, height);
  const box = (/** @type {number} */ high, /** @type {number} */ most) => {
    const wide = Math.max(1.1, 0.5 + 0.43 * text.length) * high,
      scale = Math.min(1, most / wide);
    return { wide: wide * scale, high: high * scale };
  };
  if (given) return { x: given[0], y: given[1], ...box(Math.min(given[3], 0.4 * size), given[2]) };
  if (height > 2 * width) return { x, y: y - height / 2 + width / 2, ...box(0.4 * width, 0.86 * width) };
  if (!occupied) return { x, y, ...box(0.4 * size, 0.86 * size) };
  const { wide, high } = box(0.32 * size, 0.86 * width);
  return { x: x + width / 2 - wide / 2, y: y - height / 2 + high / 2, wide, high };
}

/** A spot that a game gives is meant for the last place of a move. @param {PlacedAction} action @param {number} step */
export const spotOf = (action, step) => (step === action.places.length - 1 ? action.badge : null);
