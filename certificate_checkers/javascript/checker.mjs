// SPDX-License-Identifier: MIT
// The rules of inference. What is refused raises Refused.

import { createHash } from "node:crypto";

import { readHeader } from "./header.mjs";
import { Refused, require } from "./refused.mjs";
import { compare, readWorth, worthsAtEnd } from "./worth.mjs";

export { Refused };

const NEWLINE = 10;
const USES = /^(?:0|[1-9][0-9]{0,8})$/;
const PLACE = /^(?:0|[1-9][0-9]{0,4})$/;
const PATH = /^(?:\.|(?:\.(?:0|[1-9][0-9]{0,4}))+)$/;
const LAST_LINE = /^end (0|[1-9][0-9]*) ([0-9a-f]{64})$/;

/**
 * Return what a certificate proves, in words, or raise Refused.
 *
 * lines: its lines as buffers. place: its `line` is set to the number of the line being checked.
 */
export function check(lines, place) {
  const digest = createHash("sha256");
  let proof = null;
  let end = null;
  for (const line of lines) {
    place.line++;
    require(end === null, "something after the last line");
    const text = textOf(line);
    if (proof === null) {
      proof = new Proof(readHeader(text));
    } else if (text.startsWith("end ")) {
      end = text;
      checkEnd(text, place.line - 1, digest.digest("hex"));
      continue; // the digest is of the lines before
    } else {
      proof.add(text);
    }
    digest.update(line);
  }
  require(end !== null, "the last line is missing");
  return proof.conclusion();
}

/** The text of a line without the newline that ends it. */
function textOf(line) {
  require(line[line.length - 1] === NEWLINE, "the line does not end");
  require(line.every((byte) => byte < 128), "not ASCII");
  return line.toString("latin1", 0, line.length - 1);
}

function checkEnd(text, count, digest) {
  const found = LAST_LINE.exec(text);
  require(found !== null, "the last line is not written as it should be");
  require(found[1] === String(count), `${count} lines, not ${found[1]}`);
  require(found[2] === digest, "the digest is another one");
}

class Proof {
  constructor(header) {
    Object.assign(this, header);
    this.rootDigits = this.game.record.write(this.root);
    this.isState = new RegExp(`^[0-9a-f]{${2 * this.game.record.size}}$`);
    /** By the digits of a state: its claims, and how many later lines look at it. */
    this.known = new Map();
    this.count = 0;
    this.done = false;
  }

  /** Check the line about a state, and remember what it claims. */
  add(text) {
    require(!this.done, "a line after that of the root");
    const [stateText, uses, ...claimTexts] = text.split(" ");
    const digits = this.digitsOf(stateText);
    require(uses !== undefined && USES.test(uses), "how often is the state looked at?");
    require(claimTexts.length > 0, "nothing is claimed");
    require((uses === "0") === (digits === this.rootDigits), "the root, and only it, has 0 uses");
    require(!this.known.has(digits), "this state is known already");
    const claims = claimTexts.map((each) => this.readClaim(each));
    require(areDifferent(claims), "the same claim twice");
    const position = new Position(this, digits);
    for (const claim of claims) this.checkClaim(claim, position);
    this.use(position.looked);
    this.count++;
    if (uses === "0") {
      this.checkRoot(claims);
      this.done = true;
    } else {
      this.known.set(digits, { claims, uses: Number(uses) });
    }
  }

  /** The record, in digits, of the state that a line names. */
  digitsOf(text) {
    if (this.arePaths) return this.game.record.write(this.stateAt(text));
    require(this.isState.test(text), "not a state");
    return text;
  }

  stateAt(path) {
    require(PATH.test(path), "not a path");
    let state = this.root;
    for (const place of path.split(".").filter((part) => part !== "")) {
      const actions = this.game.actions(state);
      require(Number(place) < actions.length, `there is no action ${place}`);
      state = this.game.after(state, actions[Number(place)]);
    }
    return state;
  }

  /** Each of these states is looked at by one line more; forget those that no other will need. */
  use(looked) {
    for (const digits of looked) {
      const entry = this.known.get(digits);
      entry.uses--;
      if (entry.uses === 0) this.known.delete(digits);
    }
  }

  /** What is proven, in words, once all lines are read. */
  conclusion() {
    require(this.done, "the line of the root is missing");
    require(this.known.size === 0, "a state is looked at less often than it says");
    const after = this.moves.length > 0 ? ` after ${this.moves.join(" ")}` : "";
    return `${this.name}${after}: ${this.told()} (${this.count} states)`;
  }

  told() {
    const worth = ({ outcome, score }) => (this.scores ? `${outcome}:${score}` : `${outcome}`);
    return this.value.map(worth).join(",");
  }

  // -- claims -----------------------------------------------------------------------------------

  readClaim(text) {
    const [what, place, ...more] = text.split("@");
    require(more.length === 0, `not a claim: ${text}`);
    require(place === undefined || PLACE.test(place), `not the place of an action: ${place}`);
    const sign = /^(?:>=|<=|=)/.exec(what)?.[0];
    require(this.isBounds ? sign === ">=" || sign === "<=" : sign === "=", `not a claim: ${text}`);
    const worths = what.slice(sign.length).split(",").map((each) => readWorth(each, this.scores));
    require(worths.length === (this.isBounds ? 1 : this.game.players), `too many or few: ${text}`);
    return { sign, worths, witness: place === undefined ? null : Number(place) };
  }

  checkClaim(claim, position) {
    if (position.isOver) this.checkEndOfGame(claim, position);
    else if (this.isBounds) this.checkBound(claim, position);
    else this.checkEquilibrium(claim, position);
  }

  checkEndOfGame({ sign, worths, witness }, position) {
    require(witness === null, "a witness where the game is over");
    const true_ = worthsAtEnd(this.game, position.state, this.scores);
    // Of bounds there is one worth, that of the first player.
    const holds = worths.every((worth, who) => satisfies(true_[who], sign, worth));
    require(holds, "not so by the rules");
  }

  checkBound(claim, position) {
    const [worth] = claim.worths;
    const saysAsMuch = (known) =>
      known.sign === claim.sign && satisfies(known.worths[0], claim.sign, worth);
    const choosing = (position.mover === 0) === (claim.sign === ">=");
    require(choosing === (claim.witness !== null), "a witness too many, or none");
    const places = choosing ? [claim.witness] : position.actions.keys();
    for (const place of places) {
      require(position.lookAt(place).some(saysAsMuch), `less is known of successor ${place}`);
    }
  }

  checkEquilibrium(claim, position) {
    const { worths, witness } = claim;
    require(witness !== null, "no witness");
    const isSame = (known) => areEqual(known.worths, worths);
    require(position.lookAt(witness).some(isSame), "the witness is not known with these worths");
    const mover = position.mover;
    const isNoBetter = (known) => compare(known.worths[mover], worths[mover]) <= 0;
    for (const place of position.actions.keys()) {
      if (place === witness || this.cannotMatter(worths[mover], position, place)) continue;
      require(position.lookAt(place).some(isNoBetter), `${place} may be better for the mover`);
    }
  }

  /** Whether the mover's worth is so good that this successor can offer nothing better. */
  cannotMatter(worth, position, place) {
    if (worth.outcome !== 1) return false;
    if (!this.scores) return true;
    return worth.score >= Math.fround(this.bestScore(position.successor(place), position.mover));
  }

  bestScore(state, player) {
    const { game } = this;
    const goesOn = game.actions(state).length > 0;
    if (goesOn && game.bestScoreFrom) return game.bestScoreFrom(state)[player];
    if (game.bestScore) return game.bestScore[player];
    return game.score ? Infinity : 1; // a score that is the outcome is at most 1
  }

  checkRoot(claims) {
    for (const [sign, worths] of this.claimsWanted()) {
      const isSame = (claim) => claim.sign === sign && areEqual(claim.worths, worths);
      require(claims.some(isSame), "the root lacks a claim with the value");
    }
  }

  /** What the line of the root must claim, for the value to be proven. */
  claimsWanted() {
    if (!this.isBounds) return [["=", this.value]];
    const first = [this.value[0]];
    // Without scores, "at least -1" and "at most 1" are true of anything.
    const isTrivial = { ">=": -1, "<=": 1 };
    return [[">=", first], ["<=", first]].filter(
      ([sign]) => this.scores || first[0].outcome !== isTrivial[sign],
    );
  }
}

/** The state that a line is about, with what its claims need to know about its successors. */
class Position {
  constructor(proof, digits) {
    const { game } = proof;
    this.proof = proof;
    this.state = game.record.read(digits);
    // Every line must be looked at by a later one, and so on up to the root: a line about a state
    // that no play leads to is always refused in the end, and can be refused at once.
    require(game.isPossible(this.state), "not a state of this game");
    this.actions = game.actions(this.state);
    this.isOver = this.actions.length === 0;
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

function satisfies(worth, sign, bound) {
  const order = compare(worth, bound);
  return sign === ">=" ? order >= 0 : sign === "<=" ? order <= 0 : order === 0;
}

function areEqual(worths, others) {
  return worths.every((worth, who) => compare(worth, others[who]) === 0);
}

/** Whether no two claims say the same; with another witness it is still the same claim. */
function areDifferent(claims) {
  const said = claims.map(({ sign, worths }) =>
    [sign, ...worths.map(({ outcome, score }) => `${outcome}:${score + 0}`)].join(),
  );
  return new Set(said).size === claims.length;
}
