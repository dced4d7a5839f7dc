// SPDX-License-Identifier: MIT
// Rule 5: a claim that the checker proves by a search of its own.
//
// Depth first, actions in order, without memory of the states met before: how many successors are
// made depends on the rules of the game and the claim alone.

import { isTrueOf, rowKey } from "./claim.mjs";
import { require } from "./refused.mjs";
import { compare, worthsAtEnd } from "./worth.mjs";

const DEEPEST = 400;

/** Refuse a claim that does not hold, or takes more successors than it says; return how many. */
export function search(game, { isBounds, scores }, claim, state) {
  const below = new Search(game, scores, claim);
  const isTrue = isBounds ? below.holds(state, 0) : below.hasRow(state);
  require(isTrue, "the search shows that it is not so");
  return below.made;
}

class Search {
  constructor(game, scores, claim) {
    Object.assign(this, { game, scores, claim });
    this.made = 0;
  }

  /** The actions of a state, all of whose successors are about to be made. */
  expanded(state, depth) {
    const actions = this.game.actions(state);
    this.made += actions.length;
    require(this.made <= this.claim.search, `the search takes more than ${this.claim.search}`);
    require(depth < DEEPEST, `the search goes deeper than ${DEEPEST}`);
    return actions;
  }

  /** The worths of all players if the game is over, else null. */
  end(state) {
    return this.game.isOver(state) ? worthsAtEnd(this.game, state, this.scores) : null;
  }

  // -- bounds -----------------------------------------------------------------------------------

  /** Whether the claim is true of a state where the game goes on. */
  holds(state, depth) {
    const { game, claim } = this;
    const choosing = (game.mover(state) === 0) === (claim.sign === ">=");
    const open = [];
    for (const action of this.expanded(state, depth)) {
      const worths = this.end(game.after(state, action));
      if (worths === null) open.push(action);
      else if (isTrueOf(claim, worths) === choosing) return choosing;
    }
    // Made once more: to keep all of them, on every level, could take any amount of memory.
    for (const action of open) {
      if (this.holds(game.after(state, action), depth + 1) === choosing) return choosing;
    }
    return !choosing;
  }

  // -- equilibria -------------------------------------------------------------------------------

  hasRow(state) {
    const { sign, worths } = this.claim;
    const rows = this.rows(state, 0);
    if (sign === "=") return rows.has(rowKey(worths));
    const mover = this.game.mover(state);
    return [...rows.values()].some((row) => compare(row[mover], worths[0]) >= 0);
  }

  /** The worths of all subgame-perfect equilibria of a state where the game goes on, by key. */
  rows(state, depth) {
    const { game } = this;
    const mover = game.mover(state);
    const all = new Map();
    let sure = null; // what the mover gets at least: the best of the worst of each action
    for (const action of this.expanded(state, depth)) {
      const successor = game.after(state, action);
      const end = this.end(successor);
      const rows = end === null ? this.rows(successor, depth + 1) : new Map([[rowKey(end), end]]);
      let worst = null;
      for (const [key, row] of rows) {
        all.set(key, row);
        if (worst === null || compare(row[mover], worst) < 0) worst = row[mover];
      }
      if (sure === null || compare(worst, sure) > 0) sure = worst;
    }
    for (const [key, row] of all) if (compare(row[mover], sure) < 0) all.delete(key);
    return all;
  }
}
