// SPDX-License-Identifier: MIT

import { require } from "./refused.mjs";

/** The state that a line is about, with what its claims need to know about its successors. */
export class Position {
  constructor(proof, digits) {
    const { game } = proof;
    this.proof = proof;
    this.digits = digits;
    this.state = game.record.read(digits);
    // Every line must be looked at by a later one, and so on up to the root: a line about a state
    // that no play leads to is always refused in the end, and can be refused at once.
    require(game.isPossible(this.state), "not a state of this game");
    this.actions = game.actions(this.state);
    this.isOver = game.isOver(this.state);
    this.mover = this.isOver ? null : game.mover(this.state);
    this.successors = new Map();
    /** Digits of the successors that the claims need; each counts once for the whole line. */
    this.looked = new Set();
  }

  successor(place) {
    require(place < this.actions.length, `there is no action ${place}`);
    if (!this.successors.has(place)) {
      this.successors.set(place, this.proof.game.after(this.state, this.actions[place]));
    }
    return this.successors.get(place);
  }

  /** The claims known of a successor. */
  lookAt(place) {
    const digits = this.proof.game.record.write(this.successor(place));
    const entry = this.proof.known.get(digits);
    require(entry !== undefined, `successor ${place} is not known`);
    this.looked.add(digits);
    return entry.claims;
  }
}
