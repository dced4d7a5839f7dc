// SPDX-License-Identifier: MIT

/** The certificate does not prove what it claims; the message says why. */
export class Refused extends Error {}

export function require(condition, why) {
  if (!condition) throw new Refused(why);
}
