// SPDX-License-Identifier: MIT
// Results and numbers in words; nothing here touches the document.

/** @import { GameView, Known } from "./protocol.js" */

/** @param {number} outcome @returns {"win" | "draw" | "loss"} */
export const resultName = (outcome) => outcome > 0 ? "win" : outcome < 0 ? "loss" : "draw";

/** @param {number} value */
export const number = (value) => Number(value).toLocaleString("en", { maximumFractionDigits: 0 });

/** @param {number} count */
export const visits = (count) => count === 1 ? "1 visit" : `${number(count)} visits`;

/** @param {number} count @param {string} one */
export const plural = (count, one) => `${number(count)} ${one}${count === 1 ? "" : "s"}`;

/** An estimate, written out; null where a proof contradicts it. @param {number | null} value */
export function estimate(value) {
  if (value === null) return "–";
  return (value > 0 ? "+" : "") + Number(value).toFixed(Math.abs(value) < 10 ? 3 : 1);
}

/** @param {number} bytes */
export function memory(bytes) {
  const units = ["bytes", "kB", "MB", "GB"];
  let size = bytes, unit = 0;
  while (size >= 1000 && unit < 3) { size /= 1000; unit += 1; }
  return `${size.toFixed(unit > 1 ? 1 : 0)} ${units[unit]}`;
}

/** @param {string} text */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** @param {number[]} outcome @param {string[]} players */
export function outcomeWords(outcome, players) {
  const named = (/** @type {number} */ result) => players.filter((_, p) => outcome[p] === result);
  const winners = named(1);
  if (winners.length) return `${winners.join(" and ")} win${winners.length > 1 ? "" : "s"}`;
  const losers = named(-1);
  if (losers.length) return `${losers.join(" and ")} lose${losers.length > 1 ? "" : "s"}`;
  return "draw";
}

/** @param {number[] | null | undefined} score @param {string[]} players */
export function scoreWords(score, players) {
  if (!score) return "";
  const shown = score.map((value) => Number.isInteger(value) ? String(value) : value.toFixed(2));
  return players.length === 2 ? shown.join(" : ") : players.map((name, p) => `${name} ${shown[p]}`).join(", ");
}

/** @param {(number | null)[]} value @param {string[]} players */
export const estimatesWords = (value, players) =>
  players.map((name, p) => `${name} ${estimate(value[p])}`).join(", ");

/** What is known for every player, for a tooltip. @param {Known} known @param {string[]} players */
export function knownWords(known, players) {
  if (known.outcome) {
    const soon = known.distance ? ` in ${plural(known.distance, "move")}` : "";
    const score = known.score ? `, score ${scoreWords(known.score, players)}` : "";
    return `proven: ${outcomeWords(known.outcome, players)}${soon}${score}`;
  }
  return known.value ? `estimated: ${estimatesWords(known.value, players)}` : "nothing is known";
}

/** The line about the game above the board. @param {GameView} game */
export function statusWords(game) {
  if (game.over) {
    const who = game.resigned === null ? "The game is over: " : `${game.players[game.resigned]} resigned: `;
    const result = game.outcome ? outcomeWords(game.outcome, game.players) : "no result";
    const score = game.score && game.resigned === null ? `, ${scoreWords(game.score, game.players)}` : "";
    return `${capital(who)}${result}${score}.`;
  }
  const name = game.players[game.mover ?? 0];
  if (game.human_to_move) return game.humans === 1 ? `Your move (${name}).` : `${capital(name)} to move.`;
  return game.thinking ? `${capital(name)} is thinking …` : `${capital(name)} to move.`;
}

/** What the machine that moved last knew. @param {GameView} game */
export function decisionWords({ decision, players }) {
  if (!decision) return "";
  const known = decision.outcome || decision.value ? knownWords(decision, players) : "without an evaluation";
  return `${decision.name} was played after ${decision.seconds.toFixed(2)} s; ${known}.`;
}
