// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { test } from "node:test";
import { waitAfter } from "../../src/unbounded/interfaces/web/page/connection.js";
import { SteadyOrder } from "../../src/unbounded/interfaces/web/page/steady_order.js";

test("a list keeps its order while someone points at it, and follows the search again afterwards", () => {
  const order = new SteadyOrder(),
    name = (text) => text;
  assert.deepEqual(order.arrange("", ["a", "b", "c"], name, false), ["a", "b", "c"]);
  assert.deepEqual(order.arrange("", ["d", "c", "b", "a"], name, true), ["a", "b", "c", "d"]);
  assert.deepEqual(order.arrange("", ["c", "b"], name, true), ["b", "c"]);
  assert.deepEqual(order.arrange("", ["c", "b"], name, false), ["c", "b"]);
  order.forget();
  assert.deepEqual(order.arrange("", ["z", "a"], name, true), ["z", "a"]);
});

test("attempts to reconnect become rarer", () => {
  const waits = Array.from({ length: 12 }, (_, failures) => waitAfter(failures));
  assert.ok(waits.every((wait, i) => i === 0 || wait >= waits[i - 1]));
  assert.ok(waits[0] <= 1000 && waits[5] >= 8 * waits[0] && waits[11] <= 60_000);
});
