// SPDX-License-Identifier: MIT
// From a game string to the game.
//
// A game is an object with
//   players, zeroSum     how many players; whether there are two and their worths add up to 0
//   singleWinner         whether all others lose where one player wins
//   record               the layout of its states
//   start                the first state
//   isPossible(s)        false for records that no play leads to and that would trouble the rules;
//                        it may be true for others that no play leads to
//   mover(s)             who moves, counted from 0
//   isOver(s)            whether the game is over
//   actions(s)           the legal actions, in order; none where the game is over, and only there
//   after(s, action)     the next state
//   outcome(s)           at the end: -1, 0 or 1 per player
//   actionName(action)   as `moves` has it
// and, of a game with scores,
//   score(s)             at the end: a number per player
//   bestScore            per player: a score that no end of the game exceeds
//   bestScoreFrom(s)     the same for the ends below a state

import { readGameText } from "./game_text.mjs";
import { connectFour } from "./games/connect_four.mjs";
import { dotsAndBoxes } from "./games/dots_and_boxes.mjs";
import { nim } from "./games/nim.mjs";
import { Refused, require } from "./refused.mjs";

/** Each game: its parameters in order, as [name, type, default], and what makes it of them. */
const GAMES = new Map([
  ["connect-four", connectFour],
  ["dots-and-boxes", dotsAndBoxes],
  ["nim", nim],
]);

export function findGame(text) {
  const read = readGameText(text);
  const call = "text" in read ? { name: read, args: [] } : read;
  require("name" in call, "a game is needed, not a list");
  const kind = GAMES.get(call.name.text);
  require(kind !== undefined, `unknown game ${call.name.text}`);
  return kind.make(bound(kind.parameters, call.args));
}

/** Give each argument to its parameter: first by place, then by name. */
function bound(parameters, args) {
  const values = Object.fromEntries(parameters.map(([name, , standard]) => [name, standard]));
  const given = new Set();
  let named = false;
  args.forEach(([keyword, value], place) => {
    require(keyword !== null || !named, "a parameter needs a name, as those before it");
    named = keyword !== null;
    const found = named ? parameters.find(([name]) => name === keyword) : parameters[place];
    require(found !== undefined, `unknown parameter ${keyword ?? place + 1}`);
    const [name, type] = found;
    require(!given.has(name), `parameter ${name} is given twice`);
    given.add(name);
    values[name] = READERS[type](value, name);
  });
  return values;
}

const READERS = {
  integer(value, name) {
    const fits = "text" in value && !value.quoted && /^[+-]?[0-9]{1,19}$/.test(value.text);
    require(fits && value.text.length <= 19, `${name} must be an integer`);
    return Number(value.text); // beyond 2^53 not exact, but no parameter may be that large
  },
  flag(value, name) {
    const known = "text" in value && !value.quoted && ["true", "false"].includes(value.text);
    require(known, `${name} must be true or false`);
    return value.text === "true";
  },
  integers(value, name) {
    if (!("items" in value)) throw new Refused(`${name} must be a list`);
    return value.items.map((item) => READERS.integer(item, name));
  },
};
