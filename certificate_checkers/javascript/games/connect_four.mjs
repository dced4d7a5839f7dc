// SPDX-License-Identifier: MIT
// Connect Four on a board of any size, for two to four players.

import { Record } from "../record.mjs";
import { require } from "../refused.mjs";

export const connectFour = {
  parameters: [
    ["width", "integer", 7],
    ["height", "integer", 6],
    ["line", "integer", 4],
    ["players", "integer", 2],
  ],
  make: ({ width, height, line, players }) => new ConnectFour(width, height, line, players),
};

// A state has a set of cells per player, as the bits of a 64-bit integer: the cell in column c and
// row r, counted from the lower left, is bit c * (height + 1) + r.

class ConnectFour {
  constructor(width, height, line, players) {
    require(1 <= width && width <= 31, "width must be from 1 to 31");
    require(1 <= height && height <= 61, "height must be from 1 to 61");
    require(1 <= line && line <= 62, "line must be from 1 to 62");
    require(2 <= players && players <= 4, "players must be from 2 to 4");
    require(width * (height + 1) <= 62, "the board is too large");
    Object.assign(this, { width, height, players });
    this.zeroSum = players === 2;
    this.singleWinner = true;
    this.record = new Record([["stones", "i64", players], ["turn", "i8", null]]);
    this.start = { stones: Array(players).fill(0n), turn: 0 };
    this.columns = Array.from({ length: width }, (_, column) =>
      Array.from({ length: height }, (_, row) => this.bit(column, row)),
    );
    this.top = this.columns.map((cells) => cells[height - 1]).reduce(union);
    this.board = this.columns.flat().reduce(union, 0n);
    this.lines = linesOn(width, height, line).map((cells) =>
      cells.map(([column, row]) => this.bit(column, row)).reduce(union, 0n),
    );
  }

  bit(column, row) {
    return 1n << BigInt(column * (this.height + 1) + row);
  }

  isPossible(s) {
    const onBoard = s.stones.every((own) => (own & ~this.board) === 0n);
    return onBoard && 0 <= s.turn && s.turn < this.players;
  }

  mover(s) {
    return s.turn;
  }

  isOver(s) {
    const isFull = (s.stones.reduce(union) & this.top) === this.top;
    return isFull || this.hasLine(s.stones[this.last(s)]);
  }

  actions(s) {
    if (this.isOver(s)) return [];
    const taken = s.stones.reduce(union);
    const isOpen = (column) => (taken & this.columns[column][this.height - 1]) === 0n;
    return [...this.columns.keys()].filter(isOpen);
  }

  after(s, column) {
    const taken = s.stones.reduce(union);
    const stones = [...s.stones];
    stones[s.turn] |= this.columns[column].find((cell) => (taken & cell) === 0n);
    return { stones, turn: (s.turn + 1) % this.players };
  }

  outcome(s) {
    const last = this.last(s);
    const won = this.hasLine(s.stones[last]);
    return s.stones.map((_, who) => (won ? (who === last ? 1 : -1) : 0));
  }

  actionName(column) {
    return String(column + 1);
  }

  /** Who moved last. Only they can have completed a line. */
  last(s) {
    return (s.turn + this.players - 1) % this.players;
  }

  hasLine(own) {
    return this.lines.some((cells) => (own & cells) === cells);
  }
}

function union(a, b) {
  return a | b;
}

/** All unbroken rows of so many cells, across, up and diagonally, as lists of [column, row]. */
function linesOn(width, height, line) {
  const found = [];
  const onBoard = (column, row) => column < width && 0 <= row && row < height;
  for (const [right, up] of [[1, 0], [0, 1], [1, 1], [1, -1]]) {
    for (let column = 0; column < width; column++) {
      for (let row = 0; row < height; row++) {
        if (!onBoard(column + right * (line - 1), row + up * (line - 1))) continue;
        const steps = [...Array(line).keys()];
        found.push(steps.map((step) => [column + right * step, row + up * step]));
      }
    }
  }
  return found;
}
