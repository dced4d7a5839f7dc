// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { test } from "node:test";
import { readAddress, writeAddress } from "../../src/unbounded/interfaces/web/page/address.js";

test("an address leads back to its position, whatever the names are", () => {
  const names = ["a1", "a.b", "<img src=x>", "x&y=z", "50%", "d4-e5#", "é"];
  for (const ply of [0, 3, 7]) {
    const address = { room: "r m", game: "hex(size=4)", moves: names, ply };
    assert.deepEqual(readAddress(writeAddress(address)), { ...address, ply: ply === 7 ? null : ply });
  }
});

test("a link without a room, the old form, and nonsense", () => {
  assert.deepEqual(readAddress("#game=connect-four&moves=4.4.3"), {
    room: "",
    game: "connect-four",
    moves: ["4", "4", "3"],
    ply: null,
  });
  assert.equal(readAddress("#abc").room, "abc");
  assert.deepEqual(readAddress("#room=%E0%A4&moves=%E0"), { room: "", game: "", moves: [""], ply: null });
  assert.equal(readAddress("#room=a&ply=-3").ply, null);
});
