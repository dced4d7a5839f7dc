// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  candidates,
  determined,
  nearest,
  nextPlaces,
  placeAt,
  stepFrom,
} from "../../src/unbounded/interfaces/web/page/picking.js";

const cell = (x, y) => [x + 0.5, y + 0.5, 1, 1];
const moves = [
  { name: "a-b", places: [cell(0, 0), cell(1, 0)] },
  { name: "a-c", places: [cell(0, 0), cell(2, 0)] },
  { name: "d", places: [cell(3, 0)] },
];

test("places are picked one after another until they determine a move", () => {
  assert.deepEqual(
    nextPlaces(moves, []).map(({ names, ends }) => [names, ends]),
    [
      [["a-b", "a-c"], false],
      [["d"], true],
    ],
  );
  assert.equal(determined(moves, [cell(0, 0)]), null);
  assert.equal(determined(moves, [cell(0, 0), cell(2, 0)]), "a-c");
  assert.equal(determined(moves, [cell(3, 0)]), "d");
  assert.equal(candidates(moves, [cell(9, 9)]).length, 0);
});

test("a move that begins another one is not played by its first place", () => {
  const both = [
    { name: "a", places: [cell(0, 0)] },
    { name: "a-b", places: [cell(0, 0), cell(1, 0)] },
  ];
  assert.equal(determined(both, [cell(0, 0)]), null);
});

test("a point belongs to the place with the nearest middle", () => {
  const places = nextPlaces(
    [
      { name: "near", places: [[1, 1, 2, 2]] },
      { name: "far", places: [[2, 1, 2, 2]] },
    ],
    [],
  );
  assert.deepEqual(placeAt(places, { x: 1.4, y: 1 })?.names, ["near"]);
  assert.equal(placeAt(places, { x: 9, y: 9 }), null);
});

test("arrow keys lead over a whole board", () => {
  const board = [0, 1, 2].flatMap((y) => [0, 1, 2].map((x) => ({ place: cell(x, y), x, y })));
  const from = (x, y, key) => {
    const to = stepFrom(board, cell(x, y), key);
    return to && [to.x, to.y];
  };
  assert.deepEqual(from(1, 1, "ArrowLeft"), [0, 1]);
  assert.deepEqual(from(1, 1, "ArrowDown"), [1, 2]);
  assert.equal(from(0, 0, "ArrowUp"), null);
  assert.equal(nearest(board, [2.4, 0.4])?.x, 2);
  const reached = new Set(["0 0"]),
    waiting = [[0, 0]];
  while (waiting.length) {
    const [x, y] = waiting.pop();
    for (const key of ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]) {
      const to = from(x, y, key);
      if (to && !reached.has(to.join(" "))) {
        reached.add(to.join(" "));
        waiting.push(to);
      }
    }
  }
  assert.equal(reached.size, 9);
});
