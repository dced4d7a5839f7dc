// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { test } from "node:test";
import { clockText, clockWords, isLow, secondsLeft } from "../../src/unbounded/interfaces/web/page/clock_words.js";

test("a clock shows minutes and hours, and tenths where they count", () => {
  assert.deepEqual([300, 272.9, 60, 59.99, 10].map(clockText), ["5:00", "4:32", "1:00", "0:59", "0:10"]);
  assert.equal(clockText(3723), "1:02:03");
  assert.deepEqual([9.99, 0.06, 0].map(clockText), ["9.9", "0.0", "0.0"]);
  assert.deepEqual([10, 9.9].map(isLow), [false, true]);
});

test("a clock can be read aloud", () => {
  assert.equal(clockWords(272.9), "4 minutes 32 seconds");
  assert.equal(clockWords(3601), "1 hour 1 second");
  assert.equal(clockWords(0.4), "no time");
});

test("only the clock that runs loses time, and never more than it has", () => {
  const clock = { control: "60s", left: [60, 30], running: 1 };
  assert.deepEqual([secondsLeft(clock, 0, 5), secondsLeft(clock, 1, 5), secondsLeft(clock, 1, 50)], [60, 25, 0]);
});
