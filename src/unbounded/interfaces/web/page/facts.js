// SPDX-License-Identifier: MIT
// What a claims file says about a position, in words and colors. A fact has the least and the most
// for each player; `proven` rests on checked certificates alone, `accepted` on others too.

import { element } from "./elements.js";
import { estimate, outcomeWords, resultName } from "./words.js";

/** @typedef {{ outcome: [number, number][], score?: [number | null, number | null][] | null }} Fact */

/** @param {Fact} fact */
const certain = (fact) => fact.outcome.every(([low, high]) => low === high);
/** @param {Fact} fact */
const lows = (fact) => fact.outcome.map(([low]) => low);

/** @param {Fact} fact @param {string[]} players */
function boundWords(fact, players) {
  /** @type {Record<string, string>} */
  const said = { "0,1": "cannot lose", "-1,0": "cannot win" };
  return fact.outcome
    .map((pair, p) => said[String(pair)] && `${players[p]} ${said[String(pair)]}`)
    .filter(Boolean)
    .join(", ");
}

/** @param {[number | null, number | null]} bounds */
function interval([low, high]) {
  if (low !== null && low === high) return `${estimate(low)}`;
  if (low === null) return high === null ? "" : `at most ${estimate(high)}`;
  return high === null ? `at least ${estimate(low)}` : `from ${estimate(low)} to ${estimate(high)}`;
}

/** @param {Fact} fact @param {string[]} players */
function scoreWords(fact, players) {
  const known = (fact.score ?? []).map((pair, p) => [players[p], interval(pair)]).filter(([, text]) => text);
  return known.length ? `, score: ${known.map((pair) => pair.join(" ")).join(", ")}` : "";
}

/** @param {Fact} fact @param {string[]} players */
export function factWords(fact, players) {
  return (certain(fact) ? outcomeWords(lows(fact), players) : boundWords(fact, players)) + scoreWords(fact, players);
}

/** The class of a fact: the result of one player, or `bound`. @param {Fact} fact @param {number} player */
export const factClass = (fact, player) => (certain(fact) ? resultName(fact.outcome[player][0]) : "bound");

/** A fact as seen by one player; with more than two players, for all of them. @param {Fact} fact @param {number} player @param {string[]} players @param {boolean} checked */
export function factBadge(fact, player, players, checked) {
  /** @type {Record<string, string>} */
  const short = { 1: "win", 0: "draw", "-1": "loss", "0,1": "at least a draw", "-1,0": "at most a draw" };
  const [low, high] = fact.outcome[player];
  const text = players.length > 2 ? factWords(fact, players) : short[low === high ? String(low) : `${low},${high}`];
  const score = fact.score && interval(fact.score[player]);
  return element("span", {
    text: score ? `${text} ${score}` : text,
    className: checked ? `badge ${factClass(fact, player)}` : "badge unchecked",
    title: checked ? "proven" : "claimed by a worker; not checked",
  });
}

/** @param {(number | null)[]} values @param {number} player @param {string[]} players */
export const estimateText = (values, player, players) =>
  players.length > 2 ? values.map(estimate).join("  ") : estimate(values[player]);

/** Where what is proven comes from. @param {any} known */
export function proofText(known) {
  if (!known.proven) return "";
  if (known.over) return "the rules";
  if (!known.claims.some((/** @type {any} */ claim) => claim.checked)) return "its moves";
  return known.by_claims ? "certificate" : "certificate, its moves";
}

/** @param {any} known */
export function stateText(known) {
  if (known.over) return "game over";
  if (known.settled) return known.accepted ? "settled, not checked" : "settled";
  if (known.running) return "job in progress";
  return known.leaf ? "leaf" : "expanded";
}

/** @param {number} seconds */
export function duration(seconds) {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60),
    two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(Math.floor(seconds % 60))}`;
}
