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
  const size = Math.abs(value), sign = value < 0 ? "−" : "+";
  if (size < 0.005) return "0";
  if (size < 0.995) return sign + size.toFixed(2).slice(1);
  return sign + (size < 9.95 ? size.toFixed(1) : size.toFixed(0));
}

/** @param {Known} known @param {number} player */
export function badgeText(known, player) {
  if (known.outcome) {
    const result = known.outcome[player];
    if (result === 0) return "=";
    return (result > 0 ? "+" : "−") + (known.distance ?? "");
  }
  const value = known.value?.[player];
  return value === null || value === undefined ? "?" : twoDigits(value);
}

/** How much of the attention a move got, on a logarithmic scale. @param {number} visits @param {number} most */
export const strength = (visits, most) => most > 0 ? Math.log1p(Math.max(0, visits)) / Math.log1p(most) : 0;

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
  let best = null, at = Infinity;
  for (const name of names) {
    const rank = ranks.get(name);
    if (rank !== undefined && rank < at) [best, at] = [name, rank];
  }
  return best;
}

/**
 * Where a badge goes, as middle and width: at the top of a column, otherwise in a corner of the place,
 * so that what is on it stays visible. A game may say better.
 * @param {Place} place @param {Spot} [given] @returns {[number, number, number]}
 */
export function badgeSpot([x, y, width, height], given) {
  if (given) return [given[0], given[1], given[2] ?? Math.min(width, height) * 0.5];
  const size = Math.min(width, height);
  if (height > 2 * width) return [x, y - height / 2 + width / 2, width * 0.62];
  const wide = size * 0.46;
  return [x + width / 2 - wide * 0.45, y - height / 2 + wide * 0.36, wide];
}

/** A spot that a game gives is meant for the last place of a move. @param {PlacedAction} action @param {number} step */
export const spotOf = (action, step) => step === action.places.length - 1 ? action.badge : null;
