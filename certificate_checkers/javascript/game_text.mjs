// SPDX-License-Identifier: MIT
// Game strings, like connect-four(width=5,height=4), taken apart; this knows no game.
//
//   game     = text [ "(" [ argument { "," argument } ] ")" ]
//   argument = [ text "=" ] value
//   value    = game | "[" [ value { "," value } ] "]"
//   text     = a run of characters other than ( ) [ ] , = " ' and space, or any text in quotes

import { Refused } from "./refused.mjs";

const LONGEST = 10000;
const DEEPEST = 20;

// Space, tab and the ends of lines; what else is white in Unicode is not.
const SPACES = /[ \t-\r]*/y;
const PLAIN = /[^ \t-\r()[\],='"]+/y;
const QUOTED = /(["'])((?:\\.|(?!\1)[^\\])*)\1/sy;

/** Return { text, quoted }, { items } or { name, args: [[keyword or null, value], ...] }. */
export function readGameText(whole) {
  if (whole.length > LONGEST) throw new Refused("the game string is too long");
  const reader = new Reader(whole);
  const value = reader.value(0);
  if (reader.at < whole.length) reader.fail();
  return value;
}

class Reader {
  constructor(whole) {
    this.whole = whole;
    this.moveTo(0);
  }

  value(depth) {
    if (depth > DEEPEST) throw new Refused("the game string is nested too deeply");
    if (this.take("[")) return { items: this.list("]", () => this.value(depth + 1)) };
    const name = this.text();
    if (!this.take("(")) return name;
    return { name, args: this.list(")", () => this.argument(depth + 1)) };
  }

  argument(depth) {
    const start = this.at;
    if (this.whole[start] !== "[") {
      const name = this.text();
      if (this.take("=")) return [name.text, this.value(depth)];
      this.at = start;
    }
    return [null, this.value(depth)];
  }

  list(closing, item) {
    const items = [];
    if (this.take(closing)) return items;
    items.push(item());
    while (!this.take(closing)) {
      if (!this.take(",")) this.fail();
      items.push(item());
    }
    return items;
  }

  text() {
    const plain = this.match(PLAIN);
    if (plain) return { text: plain[0], quoted: false };
    const inQuotes = this.match(QUOTED);
    if (!inQuotes) this.fail();
    return { text: inQuotes[2].replace(/\\([\\"'])/g, "$1"), quoted: true };
  }

  take(character) {
    if (this.whole[this.at] !== character) return false;
    this.moveTo(this.at + 1);
    return true;
  }

  match(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.whole);
    if (found) this.moveTo(pattern.lastIndex);
    return found;
  }

  moveTo(at) {
    SPACES.lastIndex = at;
    SPACES.exec(this.whole);
    this.at = SPACES.lastIndex;
  }

  fail() {
    throw new Refused(`the game string goes wrong at character ${this.at + 1}`);
  }
}
