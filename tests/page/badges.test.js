// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  badgeBox,
  badgeOf,
  badgeText,
  bestOf,
  strength,
  twoDigits,
} from "../../src/unbounded/interfaces/web/page/badges.js";

const two = ["player 1 (X)", "player 2 (O)"];

test("a proven result has a sign and a distance, an estimate two digits", () => {
  assert.equal(badgeText({ outcome: [1, -1], distance: 7 }, 0), "+7");
  assert.equal(badgeText({ outcome: [1, -1], distance: 4 }, 1), "−4");
  assert.equal(badgeText({ outcome: [0, 0], distance: 9 }, 0), "=");
  assert.equal(badgeText({ outcome: [1, -1], distance: null }, 0), "+");
  assert.equal(badgeText({ value: [0.374, -0.374] }, 0), "+.37");
  assert.equal(badgeText({ value: [0.374, -0.374] }, 1), "−.37");
  assert.equal(badgeText({ value: [null, null] }, 0), "?");
  assert.deepEqual([0.001, 0.999, 1.25, 12.6, -3].map(twoDigits), ["0", "+1.0", "+1.3", "+13", "−3.0"]);
});

test("proven and estimated results never look alike", () => {
  const proven = badgeOf({ name: "a", visits: 0, expanded: true, outcome: [1, -1] }, 1, 10, two);
  const guess = badgeOf({ name: "b", visits: 3, expanded: true, value: [1, -1] }, 1, 10, two);
  assert.deepEqual([proven.kind, proven.result, proven.strength], ["proven", "loss", 1]);
  assert.deepEqual([guess.kind, guess.result], ["estimated", "open"]);
  assert.match(guess.words, /b: estimated: X \+1.000, O -1.000/);
});

test("visits are on a logarithmic scale", () => {
  assert.equal(strength(0, 1000), 0);
  assert.equal(strength(1000, 1000), 1);
  assert.ok(strength(30, 1000) > 0.45, "a linear bar would be almost empty");
});

test("the best of a piece's moves is the one that the search prefers", () => {
  const ranks = new Map([
    ["a-b", 3],
    ["a-c", 1],
    ["d-e", 0],
  ]);
  assert.equal(bestOf(["a-b", "a-c"], ranks), "a-c");
  assert.equal(bestOf(["x"], ranks), null);
});

test("a badge stays inside its place, and off what is on it", () => {
  const inside = ({ x, y, wide, high }, [cx, cy, w, h]) =>
    Math.abs(x - cx) + wide / 2 <= w / 2 + 1e-9 && Math.abs(y - cy) + high / 2 <= h / 2 + 1e-9;
  for (const place of [
    [0.5, 0.5, 1, 1],
    [3, 3, 1, 6],
    [1, 1, 2, 0.4],
  ]) {
    for (const text of ["=", "+7", "−.37", "+123"]) {
      assert.ok(inside(badgeBox(place, text, {}), place), `${place} ${text}`);
      assert.ok(inside(badgeBox(place, text, { occupied: true }), place), `${place} ${text} occupied`);
    }
  }
  const corner = badgeBox([0, 0, 1, 1], "+7", { occupied: true });
  assert.ok(corner.y + corner.high / 2 < -0.15, "a number in the middle of the place stays visible");
  const column = badgeBox([0, 0, 1, 6], "+7", {});
  assert.ok(column.y < -2, "at the top of a column");
});
