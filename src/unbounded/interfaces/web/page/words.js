// SPDX-License-Identifier: MIT
// Results and numbers in words; nothing here touches the document.

/** @import { GameView, Known, PositionView } from "./protocol.js" */

/** @param {number} outcome @returns {"win" | "draw" | "loss"} */
export const resultName = (outcome) => (outcome > 0 ? "win" : outcome < 0 ? "loss" : "draw");

/** @param {number} value */
export const number = (value) => Number(value).toLocaleString("en", { maximumFractionDigits: 0 });

/** @param {number} count */
export const visits = (count) => (count === 1 ? "1 visit" : `${number(count)} visits`);

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
  let size = bytes,
    unit = 0;
  while (size >= 1000 && unit < 3) {
    size /= 1000;
    unit += 1;
  }
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
  const shown = score.map((value) => (Number.isInteger(value) ? String(value) : value.toFixed(2)));
  return players.length === 2 ? shown.join(" : ") : players.map((name, p) => `${name} ${shown[p]}`).join(", ");
}

/** "player 1 (X)" is X where room is short. @param {string} name */
export const shortName = (name) => /^player \d+ \((.+)\)$/.exec(name)?.[1] ?? name;

/** @param {(number | null)[]} value @param {string[]} players */
export const estimatesWords = (value, players) =>
  players.map((name, p) => `${shortName(name)} ${estimate(value[p])}`).join(", ");

/** A score that says no more than the outcome is not worth a word. @param {Known} known @param {string[]} players */
export function resultWords({ outcome, score, distance }, players) {
  if (!outcome) return "";
  const decided = outcome.some((result) => result !== 0);
  const soon = decided && distance ? ` in ${plural(distance, "move")}` : "";
  const more = score && JSON.stringify(score) !== JSON.stringify(outcome) ? `, ${scoreWords(score, players)}` : "";
  return outcomeWords(outcome, players) + soon + more;
}

/** What is known for every player, for a tooltip. @param {Known} known @param {string[]} players */
export function knownWords(known, players) {
  if (known.outcome) return `proven: ${resultWords(known, players)}`;
  return known.value ? `estimated: ${estimatesWords(known.value, players)}` : "nothing is known";
}

/** The line about the game above the board. @param {GameView} game */
export function statusWords(game) {
  if (game.over) {
    const ended = game.out_of_time ? "ran out of time" : "resigned";
    const who = game.resigned === null ? "The game is over: " : `${game.players[game.resigned]} ${ended}: `;
    const score = game.resigned === null ? game.score : null;
    return `${capital(who)}${resultWords({ outcome: game.outcome, score }, game.players) || "no result"}.`;
  }
  const name = game.players[game.mover ?? 0];
  if (game.human_to_move) return game.humans === 1 ? `Your move (${name}).` : `${capital(name)} to move.`;
  return game.thinking ? `${capital(name)} is thinking …` : `${capital(name)} to move.`;
}

/** The same, when another position than the game's is shown. @param {GameView} game @param {PositionView} position */
export function elsewhereWords(game, { line, ply, main, mover }) {
  const who = mover === null ? "the game ends here" : `${game.players[mover]} to move`;
  if (ply > main) return `Variation ${line.slice(main, ply).join(" ")}: ${who}.`;
  return `${ply ? `After move ${ply} of ${game.moves.length}` : "At the start"}: ${who}.`;
}

/** What the machine that moved last knew. @param {GameView} game */
export function decisionWords({ decision, players }) {
  if (!decision) return "";
  const known = decision.outcome || decision.value ? knownWords(decision, players) : "without an evaluation";
  return `${decision.name} was played after ${decision.seconds.toFixed(2)} s; ${known}.`;
}
