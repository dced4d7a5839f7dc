// SPDX-License-Identifier: MIT
// Dots and Boxes on a grid of any size, for two to four players.

import { Record } from "../record.mjs";
import { require } from "../refused.mjs";

const LETTERS = "abcdefghijklmnopqrstuvwxyz";

export const dotsAndBoxes = {
  parameters: [
    ["rows", "integer", 2],
    ["columns", "integer", 2],
    ["players", "integer", 2],
  ],
  make: ({ rows, columns, players }) => new DotsAndBoxes(rows, columns, players),
};

class DotsAndBoxes {
  constructor(rows, columns, players) {
    require(1 <= rows && rows <= 25, "rows must be from 1 to 25");
    require(1 <= columns && columns <= 25, "columns must be from 1 to 25");
    require(2 <= players && players <= 4, "players must be from 2 to 4");
    this.players = players;
    this.zeroSum = players === 2;
    this.singleWinner = true;
    this.total = rows * columns;
    this.lines = linesOn(rows, columns);
    this.boxes = boxesOn(rows, columns, this.lines);
    this.beside = this.lines.map((_, line) => this.boxes.filter((box) => box.includes(line)));
    this.bestScore = Array(players).fill(this.total);
    this.record = new Record([
      ["lines", "i8", this.lines.length],
      ["boxes", "i16", players],
      ["turn", "i8", null],
    ]);
    this.start = {
      lines: Array(this.lines.length).fill(0),
      boxes: Array(players).fill(0),
      turn: 0,
    };
  }

  isPossible(s) {
    const drawn = s.lines.every((line) => line === 0 || line === 1);
    const won = s.boxes.every((count) => 0 <= count && count <= this.total);
    return drawn && won && 0 <= s.turn && s.turn < this.players;
  }

  mover(s) {
    return s.turn;
  }

  isOver(s) {
    return !s.lines.includes(0);
  }

  actions(s) {
    return [...s.lines.keys()].filter((line) => s.lines[line] === 0);
  }

  after(s, line) {
    const [lines, boxes] = [[...s.lines], [...s.boxes]];
    lines[line] = 1;
    const closed = this.beside[line].filter((box) => box.every((side) => lines[side] === 1));
    boxes[s.turn] += closed.length;
    // Who closes a box moves again. At the end turn is 0, whoever drew the last line.
    const turn = closed.length > 0 ? s.turn : (s.turn + 1) % this.players;
    return { lines, boxes, turn: sum(boxes) === this.total ? 0 : turn };
  }

  outcome(s) {
    const most = Math.max(...s.boxes);
    const alone = s.boxes.filter((count) => count === most).length === 1;
    return s.boxes.map((count) => (count < most ? -1 : alone ? 1 : 0));
  }

  /** Boxes; between two players, how many more than the other has. */
  score(s) {
    return this.lead(s, 0);
  }

  bestScoreFrom(s) {
    return this.lead(s, this.total - sum(s.boxes));
  }

  lead(s, more) {
    const others = (who) => (this.players === 2 ? s.boxes[1 - who] : 0);
    return s.boxes.map((count, who) => count + more - others(who));
  }

  actionName(line) {
    const [from, to] = this.lines[line];
    return `${dotName(from)}-${dotName(to)}`;
  }
}

function dotName([row, column]) {
  return `${LETTERS[column]}${row + 1}`;
}

/** The two dots, as [row, column], of each line: first those across, row by row, then those up. */
function linesOn(rows, columns) {
  const found = [];
  for (let row = 0; row <= rows; row++) {
    for (let column = 0; column < columns; column++) {
      found.push([[row, column], [row, column + 1]]);
    }
  }
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column <= columns; column++) {
      found.push([[row, column], [row + 1, column]]);
    }
  }
  return found;
}

/** The four lines around each box: those with both ends among its corners. */
function boxesOn(rows, columns, lines) {
  const found = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const isCorner = ([y, x]) => [row, row + 1].includes(y) && [column, column + 1].includes(x);
      found.push([...lines.keys()].filter((line) => lines[line].every(isCorner)));
    }
  }
  return found;
}

function sum(numbers) {
  return numbers.reduce((a, b) => a + b, 0);
}
