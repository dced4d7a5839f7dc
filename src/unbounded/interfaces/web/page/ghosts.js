// SPDX-License-Identifier: MIT
// The moves of a line as ghosts on the board, with numbers.

import { placeKey } from "./picking.js";
import { h } from "./render.js";

/** @import { Place, Spot } from "./protocol.js" */

/** @typedef {{ name: string, mover: number | null, places: Place[], badge?: Spot }} Ghost */
/** @typedef {{ key: string, x: number, y: number, radius: number, numbers: number[], mover: number, from: number[] | null }} GhostMark */

/** Where the ghosts stand; those at one place share it. In a column they go down from its top. @param {Ghost[]} ghosts @returns {GhostMark[]} */
export function ghostPlaces(ghosts) {
  /** @type {Map<string, GhostMark>} */
  const marks = new Map();
  /** @type {Map<string, number>} */
  const stacked = new Map();
  ghosts.forEach((ghost, i) => {
    const place = ghost.places.at(-1);
    if (!place) return;
    const mark = markOf(ghost, place, stacked);
    const same = marks.get(mark.key);
    if (same) same.numbers.push(i + 1);
    else marks.set(mark.key, { ...mark, numbers: [i + 1] });
  });
  return [...marks.values()];
}

/** @param {Ghost} ghost @param {Place} place @param {Map<string, number>} stacked */
function markOf({ places, mover, badge }, place, stacked) {
  const [x, y, width, height] = place,
    radius = Math.min(width, height) * 0.3;
  const column = height > 2 * width && !badge,
    depth = stacked.get(placeKey(place)) ?? 0;
  if (column) stacked.set(placeKey(place), depth + 1);
  const spot = badge ?? (column ? [x, y - height / 2 + width * (0.5 + depth)] : [x, y]);
  const from = places.length > 1 ? places[0] : null;
  return { key: `${spot[0]},${spot[1]}`, x: spot[0], y: spot[1], radius, mover: mover ?? 0, from };
}

/** @param {Ghost[]} ghosts */
export function ghostMarks(ghosts) {
  return ghostPlaces(ghosts).map(({ key, x, y, radius, numbers, mover, from }) =>
    h(
      "g",
      { key, class: `ghost seat${mover % 6}` },
      from && h("line", { x1: from[0], y1: from[1], x2: x, y2: y, "stroke-width": radius * 0.25 }),
      h("circle", { cx: x, cy: y, r: radius, "stroke-width": radius * 0.16 }),
      h(
        "text",
        {
          x,
          y,
          "font-size": radius * (numbers.length > 1 ? 0.8 : 1.1),
          "text-anchor": "middle",
          "dominant-baseline": "central",
        },
        numbers.join(" "),
      ),
    ),
  );
}
