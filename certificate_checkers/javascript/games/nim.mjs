// SPDX-License-Identifier: MIT
// Nim, with any heaps and any number of players.

import { Record } from "../record.mjs";
import { require } from "../refused.mjs";

const LARGEST = 2 ** 31 - 1;
const MOST_ACTIONS = 65535;

export const nim = {
  parameters: [
    ["heaps", "integers", [3, 4, 5]],
    ["players", "integer", 2],
    ["misere", "flag", false],
    ["most", "integer", 0],
  ],
  make: ({ heaps, players, misere, most }) => new Nim(heaps, players, misere, most),
};

class Nim {
  constructor(heaps, players, misere, most) {
    require(1 <= heaps.length && heaps.length <= 1000, "there must be 1 to 1000 heaps");
    require(heaps.every((heap) => 0 <= heap && heap <= LARGEST), "a heap is too large or negative");
    require(heaps.some((heap) => heap > 0), "at least one heap must not be empty");
    require(2 <= players && players <= 100, "players must be from 2 to 100");
    require(0 <= most && most <= LARGEST, "most is too large or negative");
    Object.assign(this, { heaps, players, misere });
    this.most = most === 0 ? LARGEST : most;
    const actions = heaps.reduce((sum, heap) => sum + Math.min(heap, this.most), 0);
    require(actions <= MOST_ACTIONS, "there are too many actions");
    this.zeroSum = players === 2;
    this.singleWinner = !misere || players === 2;
    this.record = new Record([["heaps", "i32", heaps.length], ["turn", "i8", null]]);
    this.start = { heaps, turn: 0 };
  }

  isPossible(s) {
    const left = s.heaps.every((heap, at) => 0 <= heap && heap <= this.heaps[at]);
    return left && 0 <= s.turn && s.turn < this.players;
  }

  mover(s) {
    return s.turn;
  }

  isOver(s) {
    return s.heaps.every((heap) => heap === 0);
  }

  /** An action is a heap, counted from 0, and how many to take from it. */
  actions(s) {
    const found = [];
    s.heaps.forEach((left, heap) => {
      for (let taken = 1; taken <= Math.min(left, this.most); taken++) found.push({ heap, taken });
    });
    return found;
  }

  after(s, { heap, taken }) {
    const heaps = [...s.heaps];
    heaps[heap] -= taken;
    return { heaps, turn: (s.turn + 1) % this.players };
  }

  outcome(s) {
    const last = (s.turn + this.players - 1) % this.players;
    const [taker, others] = this.misere ? [-1, 1] : [1, -1];
    return Array.from({ length: this.players }, (_, who) => (who === last ? taker : others));
  }

  actionName({ heap, taken }) {
    return `${heap + 1}:${taken}`;
  }
}
