// SPDX-License-Identifier: MIT
// Rule 6: what a certificate takes from others, each named by its digest.

import { saysAsMuch, written } from "./claim.mjs";
import { require } from "./refused.mjs";

/** What is needed of each other certificate. Memory is bounded by how many of them there are. */
export class Leans {
  /** isThere: whether there is a file with a digest. */
  constructor(isThere) {
    this.isThere = isThere;
    /** By digest: the state, in digits, and by sign the strongest claim. */
    this.needs = new Map();
  }

  add(claim, digits) {
    const { digest, sign } = claim;
    if (!this.needs.has(digest)) {
      require(this.isThere(digest), `${digest}.cert is missing`);
      this.needs.set(digest, { digits, claims: new Map() });
    }
    const need = this.needs.get(digest);
    // A certificate has one root and one claim of a sign. No need to read it to refuse more.
    require(need.digits === digits, `${digest}.cert is to prove two states`);
    const before = need.claims.get(sign);
    if (before === undefined || saysAsMuch(claim, before)) need.claims.set(sign, claim);
    else require(saysAsMuch(before, claim), `${digest}.cert is to prove two equilibria`);
  }
}

/** Refuse a certificate that does not prove what another one needs of it. */
export function checkLean(by, need, of) {
  require(of.name === by.name, "it is about another game");
  require(of.isBounds === by.isBounds, "it is of the other kind");
  require(of.scores === by.scores, "one of them has scores, the other none");
  require(of.rootDigits === need.digits, "it is about another state");
  for (const claim of need.claims.values()) {
    const isProven = of.claims.some((known) => saysAsMuch(known, claim));
    require(isProven, `it does not prove ${written(claim, by.scores)}`);
  }
}
