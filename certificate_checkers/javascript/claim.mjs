// SPDX-License-Identifier: MIT
// Claims: how they are written, and when one says as much as another.

import { require } from "./refused.mjs";
import { compare, readWorth } from "./worth.mjs";

const CLAIM = /^(>=|<=|=)([^@?%]*)(?:([@?%])(.*))?$/;

/** What may follow each of the marks behind which a reason stands. */
const REASONS = {
  "@": { form: /^(?:0|[1-9][0-9]{0,4})$/, called: "the place of an action" },
  "?": { form: /^[1-9][0-9]{0,8}$/, called: "a number of states" },
  "%": { form: /^[0-9a-f]{64}$/, called: "a digest" },
};

/**
 * Return { sign, worths, witness, search, digest }; at most one of the last three is not null.
 *
 * about: { isBounds, scores, players, ofMovers } of the certificate; the last: whether claims about
 * the mover of an equilibrium are allowed. marks: those that are allowed.
 */
export function readClaim(text, about, marks) {
  const found = CLAIM.exec(text);
  require(found !== null, `not a claim: ${text}`);
  const [, sign, what, mark, reason] = found;
  require(signsOf(about).includes(sign), `a claim of the other kind: ${text}`);
  require(mark === undefined || marks.includes(mark), `no reason may stand here: ${text}`);
  if (mark !== undefined) {
    const { form, called } = REASONS[mark];
    require(form.test(reason), `not ${called}: ${reason}`);
  }
  const worths = what.split(",").map((each) => readWorth(each, about.scores));
  require(worths.length === (sign === "=" ? about.players : 1), `too many or few: ${text}`);
  return {
    sign,
    worths,
    witness: mark === "@" ? Number(reason) : null,
    search: mark === "?" ? Number(reason) : null,
    digest: mark === "%" ? reason : null,
  };
}

function signsOf({ isBounds, ofMovers }) {
  if (isBounds) return [">=", "<="];
  return ofMovers ? ["=", ">="] : ["="];
}

/** A claim in words, without its reason. */
export function written({ sign, worths }, scores) {
  return sign + writtenWorths(worths, scores);
}

export function writtenWorths(worths, scores) {
  return worths
    .map(({ outcome, score }) => (scores ? `${outcome}:${score}` : `${outcome}`))
    .join(",");
}

/** Whether a worth is at least, at most or exactly (by the sign) another one. */
export function satisfies(worth, sign, bound) {
  const order = compare(worth, bound);
  return sign === ">=" ? order >= 0 : sign === "<=" ? order <= 0 : order === 0;
}

/** Whether worths by the rules are as a claim says. Of bounds it has one, of the first player. */
export function isTrueOf(claim, worths) {
  return claim.worths.every((worth, who) => satisfies(worths[who], claim.sign, worth));
}

/** Whether one claim is of the same direction as another, or of the same worths, and as strong. */
export function saysAsMuch(known, claim) {
  return known.sign === claim.sign && isTrueOf(claim, known.worths);
}

/** The same for equal claims, whatever their reasons. */
export function keyOf({ sign, worths }) {
  return sign + rowKey(worths);
}

/** The same for equal worths; -0 is 0. */
export function rowKey(worths) {
  return worths.map(({ outcome, score }) => `${outcome}:${score + 0}`).join();
}
