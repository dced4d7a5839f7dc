// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { test } from "node:test";
import { curves, plyAt, plyX, scaled } from "../../src/unbounded/interfaces/web/page/curve_points.js";

const size = { width: 220, height: 100, margin: 10 };
const proven = (ply, ...outcome) => ({ ply, mover: 0, outcome, value: null, kind: "proven" });
const guess = (ply, ...value) => ({ ply, mover: 0, outcome: null, value, kind: "estimated" });
const unknown = (ply) => ({ ply, mover: 0, outcome: null, value: null, kind: "unknown" });

test("proven stretches are solid, estimated ones dotted, unknown ones gaps", () => {
  const [curve, ...others] = curves(
    [guess(0, 0, 0), guess(1, 0.5, -0.5), proven(2, 1, -1), proven(3, 1, -1), unknown(4), proven(5, -1, 1)],
    2,
    size,
  );
  assert.equal(others.length, 0, "two players are one curve");
  assert.deepEqual(
    curve.strokes.map(({ kind }) => kind),
    ["estimated", "proven"],
  );
  assert.deepEqual(
    curve.dots.map(({ ply }) => ply),
    [0, 1, 2, 3, 5],
  );
  assert.equal(curve.dots[2].y, 10, "a win is at the top");
  assert.equal(curve.dots[4].y, 90, "a loss at the bottom");
});

test("three players have three curves", () => {
  assert.equal(curves([proven(0, 1, -1, -1), proven(1, 1, -1, -1)], 3, size).length, 3);
});

test("an estimate never looks like a proven end", () => {
  for (const value of [0.2, 0.99, 1, 1.5, 40]) {
    assert.ok(scaled(value) < 1 && scaled(-value) === -scaled(value));
    assert.ok(scaled(value * 1.1) > scaled(value), "larger is higher");
  }
});

test("a click goes to the nearest move", () => {
  for (const last of [1, 7, 60]) {
    for (let ply = 0; ply <= last; ply += 1) assert.equal(plyAt(plyX(ply, last, size), last, size), ply);
  }
  assert.equal(plyAt(-50, 7, size), 0);
  assert.equal(plyAt(1e6, 7, size), 7);
});
