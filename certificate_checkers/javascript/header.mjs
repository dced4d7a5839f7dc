// SPDX-License-Identifier: MIT
// The first line of a certificate.

import { findGame } from "./games.mjs";
import { Refused, require } from "./refused.mjs";
import { compare, negated, readWorth } from "./worth.mjs";

// Of a game whose states are no records `fields` would be missing; there is none here.
const KEYS = ["format", "version", "game", "moves", "kind", "scores", "states", "fields", "value"];

/** Return what the first line says, with the game and its states in place of their names. */
export function readHeader(text) {
  const told = parsed(text);
  require(told.format === "unbounded certificate", "not a certificate");
  require(told.version === 1, "an unknown version of the format");
  require(typeof told.game === "string", "`game` is not a text");
  require(typeof told.scores === "boolean", "`scores` is neither true nor false");
  require(["bounds", "equilibrium"].includes(told.kind), "an unknown kind of certificate");
  const game = findGame(told.game);
  const isBounds = told.kind === "bounds";
  const isTwo = game.players === 2 && game.zeroSum;
  require(!isBounds || isTwo, "bounds need two players, zero sum");
  // Scores decide between two wins, and so what the other players get.
  require(told.scores || !game.score || isTwo, "the game has scores, and they are ignored");
  checkStates(told, game);
  const root = stateAfter(game, told.moves);
  const value = readValue(told, game, isBounds);
  const { game: name, moves, scores, states } = told;
  return { name, moves, game, root, isBounds, scores, value, arePaths: states === "paths" };
}

function parsed(text) {
  let told;
  try {
    told = JSON.parse(text);
  } catch {
    throw new Refused("not JSON");
  }
  const isObject = typeof told === "object" && told !== null && !Array.isArray(told);
  require(isObject, "not a JSON object");
  const all = KEYS.every((key) => Object.hasOwn(told, key));
  require(all && Object.keys(told).length === KEYS.length, `the keys must be ${KEYS.join(", ")}`);
  return told;
}

function checkStates(told, game) {
  require(["bytes", "paths"].includes(told.states), "an unknown form of states");
  // The game decides how its states are read; a file that says otherwise would mislead its readers.
  const described = JSON.stringify(game.record.described());
  require(JSON.stringify(told.fields) === described, "not the fields that the game has");
}

function stateAfter(game, moves) {
  require(Array.isArray(moves), "`moves` is not a list");
  let state = game.start;
  for (const move of moves) {
    require(typeof move === "string", "a move is not a text");
    const action = game.actions(state).find((each) => game.actionName(each) === move);
    require(action !== undefined, `an illegal move: ${move}`);
    state = game.after(state, action);
  }
  return state;
}

function readValue(told, game, isBounds) {
  require(typeof told.value === "string", "`value` is not a text");
  const value = told.value.split(",").map((text) => readWorth(text, told.scores));
  require(value.length === game.players, "`value` does not have a worth for each player");
  const fits = !isBounds || compare(value[1], negated(value[0])) === 0;
  require(fits, "`value` does not add up to 0");
  return value;
}
