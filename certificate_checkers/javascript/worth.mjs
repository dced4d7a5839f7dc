// SPDX-License-Identifier: MIT
// Worths: an outcome, and in a certificate with scores a score as a 32-bit float.

import { require } from "./refused.mjs";

const OUTCOME = /^(?:-1|0|1)$/;
const SCORE = /^-?[0-9]{1,40}(?:\.[0-9]{1,40})?(?:e[+-]?[0-9]{1,3})?$/;

export function readWorth(text, withScores) {
  const [outcome, score, ...more] = text.split(":");
  require(more.length === 0 && OUTCOME.test(outcome), `not a worth: ${text}`);
  require((score !== undefined) === withScores, `a score too many, or none: ${text}`);
  if (!withScores) return { outcome: Number(outcome), score: 0 };
  const rounded = Math.fround(Number(score));
  require(SCORE.test(score) && Number.isFinite(rounded), `not a score: ${score}`);
  return { outcome: Number(outcome), score: rounded };
}

/** Negative, 0 or positive, as a is less than, equal to or greater than b. */
export function compare(a, b) {
  if (a.outcome !== b.outcome) return a.outcome - b.outcome;
  return a.score < b.score ? -1 : a.score > b.score ? 1 : 0;
}

export function negated(worth) {
  return { outcome: -worth.outcome, score: -worth.score };
}

/** The worths of all players at an end of the game. */
export function worthsAtEnd(game, state, withScores) {
  const outcomes = game.outcome(state);
  // A game without scores of its own has its outcome as its score.
  const scores = game.score?.(state) ?? outcomes;
  return outcomes.map((outcome, who) => ({
    outcome,
    score: withScores ? Math.fround(scores[who]) : 0,
  }));
}
