// SPDX-License-Identifier: MIT
// The first line of a certificate.

import { readClaim, satisfies, written, writtenWorths } from "./claim.mjs";
import { findGame } from "./games.mjs";
import { Refused, require } from "./refused.mjs";
import { compare, negated, readWorth } from "./worth.mjs";

// Of a game whose states are no records `fields` would be missing; there is none here.
const KEYS = ["format", "version", "game", "moves", "kind", "scores", "states", "fields"];
const KEY_OF_VERSION = { 1: "value", 2: "claims", 3: "claims" };

/** Return what the first line says, with the game and its states in place of their names. */
export function readHeader(text) {
  const told = parsed(text);
  require(told.format === "unbounded certificate", "not a certificate");
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
  const { game: name, moves, scores, states, version } = told;
  const about = { isBounds, scores, players: game.players, ofMovers: version >= 3 };
  const { claims, text: claimed } = version === 1 ? ofValue(told, about) : ofClaims(told, about);
  const arePaths = states === "paths";
  return { version, name, moves, game, root, about, isBounds, scores, claims, claimed, arePaths };
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
  require([1, 2, 3].includes(told.version), "an unknown version of the format");
  const keys = [...KEYS, KEY_OF_VERSION[told.version]];
  const all = keys.every((key) => Object.hasOwn(told, key));
  require(all && Object.keys(told).length === keys.length, `the keys must be ${keys.join(", ")}`);
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

// -- what is claimed of the root: the claims that its line must have, and a text ------------------

/** Version 1: a value. */
function ofValue(told, { isBounds, scores, players }) {
  require(typeof told.value === "string", "`value` is not a text");
  const value = told.value.split(",").map((each) => readWorth(each, scores));
  require(value.length === players, "`value` does not have a worth for each player");
  const text = writtenWorths(value, scores);
  if (!isBounds) return { claims: [{ sign: "=", worths: value }], text };
  require(compare(value[1], negated(value[0])) === 0, "`value` does not add up to 0");
  const both = [">=", "<="].map((sign) => ({ sign, worths: [value[0]] }));
  return { claims: both.filter((claim) => scores || !isTrivial(claim)), text };
}

/** Version 2 and 3: claims, of which one may be a bound in one direction alone. */
function ofClaims(told, about) {
  const { claims: texts } = told;
  require(Array.isArray(texts), "`claims` is not a list");
  require(texts.every((each) => typeof each === "string"), "a claim is not a text");
  const claims = texts.map((each) => readClaim(each, { ...about, ofMovers: false }, ""));
  const { isBounds, scores } = about;
  const isFew = claims.length === 1 || (isBounds && claims.length === 2);
  require(isFew, "`claims` has too many claims, or none");
  if (claims.length === 2) checkBoth(claims);
  require(scores || !isBounds || !claims.some(isTrivial), "`claims` has one that says nothing");
  return { claims, text: claims.map((claim) => written(claim, scores)).join(" ") };
}

function checkBoth(claims) {
  const [least, most] = [">=", "<="].map((sign) => claims.find((claim) => claim.sign === sign));
  require(least !== undefined && most !== undefined, "`claims` has two of the same direction");
  const fit = satisfies(least.worths[0], "<=", most.worths[0]);
  require(fit, "the two of `claims` contradict each other");
}

/** Whether a bound without a score is true of anything. */
function isTrivial({ sign, worths }) {
  return worths[0].outcome === { ">=": -1, "<=": 1 }[sign];
}
