// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  elsewhereWords,
  estimate,
  knownWords,
  memory,
  outcomeWords,
  plural,
  statusWords,
} from "../../src/unbounded/interfaces/web/page/words.js";

const game = {
  players: ["player 1 (X)", "player 2 (O)"],
  moves: ["a", "b"],
  mover: 0,
  human_to_move: true,
  humans: 1,
  thinking: false,
  over: false,
  outcome: null,
  score: null,
  resigned: null,
};

test("the only human of three reads that it is their move", () => {
  const three = { ...game, players: ["A", "B", "C"] };
  assert.equal(statusWords(three), "Your move (A).");
  assert.equal(statusWords({ ...three, humans: 2 }), "A to move.");
  assert.equal(statusWords({ ...three, human_to_move: false, thinking: true }), "A is thinking …");
});

test("the end of a game says who has won, and the score if it says more", () => {
  const over = { ...game, over: true, mover: null, outcome: [1, -1] };
  assert.equal(statusWords(over), "The game is over: player 1 (X) wins.");
  assert.equal(statusWords({ ...over, score: [35, 29] }), "The game is over: player 1 (X) wins, 35 : 29.");
  assert.equal(statusWords({ ...over, score: [1, -1] }), "The game is over: player 1 (X) wins.");
  assert.equal(statusWords({ ...over, resigned: 1 }), "Player 2 (O) resigned: player 1 (X) wins.");
});

test("another position than the game's is named", () => {
  assert.equal(
    elsewhereWords(game, { line: ["a", "b"], ply: 1, main: 2, mover: 1 }),
    "After move 1 of 2: player 2 (O) to move.",
  );
  assert.equal(
    elsewhereWords(game, { line: ["a", "c"], ply: 2, main: 1, mover: null }),
    "Variation c: the game ends here.",
  );
});

test("what is known, in words", () => {
  assert.equal(knownWords({ outcome: [1, -1], distance: 1 }, game.players), "proven: player 1 (X) wins in 1 move");
  assert.equal(knownWords({ outcome: [0, 0], distance: 9 }, game.players), "proven: draw");
  assert.equal(knownWords({ value: [0.5, -0.5] }, game.players), "estimated: X +0.500, O -0.500");
  assert.equal(outcomeWords([1, 1, -1], ["A", "B", "C"]), "A and B win");
  assert.deepEqual(
    [estimate(null), estimate(12.34), plural(1, "move"), plural(2000, "move"), memory(2.5e6)],
    ["–", "+12.3", "1 move", "2,000 moves", "2.5 MB"],
  );
});
