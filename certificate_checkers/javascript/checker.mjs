// SPDX-License-Identifier: MIT
// The rules of inference. What is refused raises Refused.

import { createHash } from "node:crypto";

import { isTrueOf, keyOf, readClaim, saysAsMuch } from "./claim.mjs";
import { readHeader } from "./header.mjs";
import { Leans } from "./leans.mjs";
import { Position } from "./position.mjs";
import { require } from "./refused.mjs";
import { search } from "./search.mjs";
import { compare, worthsAtEnd } from "./worth.mjs";

const NEWLINE = 10;
const USES = /^(?:0|[1-9][0-9]{0,8})$/;
const PATH = /^(?:\.|(?:\.(?:0|[1-9][0-9]{0,4}))+)$/;
const LAST_LINE = /^end (0|[1-9][0-9]*) ([0-9a-f]{64})$/;
const MARKS = { 1: "@", 2: "@?%", 3: "@?%" };

/** How many characters lines may have in all, of which the states are known at once. */
const MOST_HELD = 1 << 25;

/**
 * Return what a certificate proves if those that it leans on prove what it needs, or raise Refused.
 *
 * batches: lists of its lines, as buffers. place: its `line` is set to the number of the line
 * being checked. limits: { isThere, mostSearched }, see Leans and tree.mjs.
 */
export async function check(batches, place, limits) {
  const hash = createHash("sha256");
  let proof = null;
  let digest = null;
  for await (const lines of batches) {
    for (const line of lines) {
      place.line++;
      require(digest === null, "something after the last line");
      const text = textOf(line);
      if (text.startsWith("end ") && proof !== null) {
        digest = hash.digest("hex"); // of the lines before
        checkEnd(text, place.line - 1, digest);
      } else {
        if (proof === null) proof = new Proof(readHeader(text), limits);
        else proof.add(text);
        hash.update(line);
      }
    }
  }
  require(digest !== null, "the last line is missing");
  return { ...proof.conclusion(), digest };
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
  constructor(header, { isThere, mostSearched }) {
    Object.assign(this, header);
    this.marks = MARKS[this.version];
    this.mostSearched = mostSearched;
    this.rootDigits = this.game.record.write(this.root);
    this.isState = new RegExp(`^[0-9a-f]{${2 * this.game.record.size}}$`);
    /** By the digits of a state: its claims, and how many later lines look at it. */
    this.known = new Map();
    this.held = 0; // characters of the lines about them
    this.leans = new Leans(isThere);
    this.count = 0;
    this.asked = 0; // how many successors all searches may make
    this.searched = 0; // and how many they have made
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
    const claims = claimTexts.map((each) => readClaim(each, this.about, this.marks));
    require(new Set(claims.map(keyOf)).size === claims.length, "the same claim twice");
    for (const claim of claims) this.asked += claim.search ?? 0;
    require(this.asked <= this.mostSearched, `searches of more than ${this.mostSearched}`);
    const position = new Position(this, digits);
    for (const claim of claims) this.checkClaim(claim, position);
    this.use(position.looked);
    this.count++;
    if (uses === "0") {
      this.checkRoot(claims);
      this.done = true;
    } else {
      this.hold(digits, { claims, uses: Number(uses), length: text.length });
    }
  }

  hold(digits, entry) {
    this.held += entry.length;
    require(this.held <= MOST_HELD, "too many states are known at once");
    this.known.set(digits, entry);
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
      if (entry.uses > 0) continue;
      this.known.delete(digits);
      this.held -= entry.length;
    }
  }

  /** What is proven, and what is needed of others for it, once all lines are read. */
  conclusion() {
    require(this.done, "the line of the root is missing");
    require(this.known.size === 0, "a state is looked at less often than it says");
    const { name, moves, isBounds, scores, rootDigits, claims, claimed, searched } = this;
    const after = moves.length > 0 ? ` after ${moves.join(" ")}` : "";
    const told = `${name}${after}: ${claimed}`;
    const needs = this.leans.needs;
    return { name, isBounds, scores, rootDigits, claims, told, states: this.count, searched, needs };
  }

  // -- claims -----------------------------------------------------------------------------------

  checkClaim(claim, position) {
    if (claim.digest !== null) this.leans.add(claim, position.digits);
    else if (position.isOver) this.checkEndOfGame(claim, position);
    else if (claim.search !== null) this.checkBySearch(claim, position);
    else if (this.isBounds) this.checkBound(claim, position);
    else if (claim.sign === "=") this.checkEquilibrium(claim, position);
    else this.checkMover(claim, position);
  }

  checkEndOfGame(claim, position) {
    require(claim.witness === null, "a witness where the game is over");
    require(claim.search === null, "a search where the game is over");
    require(this.isBounds || claim.sign === "=", "a claim about the mover where nobody moves");
    const worths = worthsAtEnd(this.game, position.state, this.scores);
    require(isTrueOf(claim, worths), "not so by the rules");
  }

  checkBySearch(claim, position) {
    this.searched += search(this.game, this.about, claim, position.state);
  }

  checkBound(claim, position) {
    const choosing = (position.mover === 0) === (claim.sign === ">=");
    require(choosing === (claim.witness !== null), "a witness too many, or none");
    const isEnough = (known) => saysAsMuch(known, claim);
    const places = choosing ? [claim.witness] : position.actions.keys();
    for (const place of places) {
      require(position.lookAt(place).some(isEnough), `less is known of successor ${place}`);
    }
  }

  checkEquilibrium(claim, position) {
    const { worths, witness } = claim;
    require(witness !== null, "no witness");
    const isSame = (known) => saysAsMuch(known, claim);
    require(position.lookAt(witness).some(isSame), "the witness is not known with these worths");
    const mover = position.mover;
    for (const place of position.actions.keys()) {
      if (place === witness || this.cannotMatter(worths[mover], position, place)) continue;
      const successor = position.successor(place);
      const isNoBetter = (known) =>
        compare(this.mostFor(mover, successor, known), worths[mover]) <= 0;
      require(position.lookAt(place).some(isNoBetter), `${place} may be better for the mover`);
    }
  }

  checkMover(claim, position) {
    require(claim.witness !== null, "no witness");
    const isEnough = ({ sign, worths }) =>
      sign === "=" && compare(worths[position.mover], claim.worths[0]) >= 0;
    require(position.lookAt(claim.witness).some(isEnough), "the witness is not good enough");
  }

  /** The most that a player can have at a successor, in an equilibrium of which this is known. */
  mostFor(player, successor, { sign, worths }) {
    if (sign === "=") return worths[player];
    const { game, scores } = this;
    const { outcome } = worths[0]; // of the player who moves there
    const isLimited = game.singleWinner && outcome >= 0 && game.mover(successor) !== player;
    if (!isLimited) return { outcome: 1, score: Infinity };
    const left = 0 - outcome;
    if (!scores) return { outcome: left, score: 0 };
    if (!game.score) return { outcome: left, score: left };
    return { outcome: left, score: Math.fround(this.bestScore(successor, player)) };
  }

  /** Whether the mover's worth is so good that this successor can offer nothing better. */
  cannotMatter(worth, position, place) {
    if (worth.outcome !== 1) return false;
    if (!this.scores) return true;
    return worth.score >= Math.fround(this.bestScore(position.successor(place), position.mover));
  }

  bestScore(state, player) {
    const { game } = this;
    if (game.bestScoreFrom && !game.isOver(state)) return game.bestScoreFrom(state)[player];
    if (game.bestScore) return game.bestScore[player];
    return game.score ? Infinity : 1; // a score that is the outcome is at most 1
  }

  /** The line of the root must have the claims that the first line promises. */
  checkRoot(claims) {
    const keys = new Set(claims.map(keyOf));
    const all = this.claims.every((claim) => keys.has(keyOf(claim)));
    require(all, "the root lacks a claim of the first line");
  }
}
