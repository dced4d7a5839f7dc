// SPDX-License-Identifier: MIT
// Moves are chosen on the board by places, one after another; and places are reached by arrow keys.

/** @import { Place, PlacedAction } from "./protocol.js" */

/** @typedef {{ key: string, place: Place, names: string[], ends: boolean, action: PlacedAction }} NextPlace */

/** @param {Place} a @param {Place} b */
export const samePlace = (a, b) => a.every((x, i) => Math.abs(x - b[i]) < 1e-6);

/** @param {Place} place */
export const placeKey = (place) => place.map((x) => Number(x.toFixed(4))).join(",");

/** Moves that begin with the places that were picked. @param {PlacedAction[]} actions @param {Place[]} picked */
export const candidates = (actions, picked) =>
  actions.filter(
    (action) => action.places.length >= picked.length && picked.every((place, i) => samePlace(place, action.places[i])),
  );

/** The places that can be picked next, each once. @param {PlacedAction[]} actions @param {Place[]} picked */
export function nextPlaces(actions, picked) {
  /** @type {Map<string, NextPlace>} */
  const found = new Map();
  for (const action of candidates(actions, picked)) {
    const place = action.places[picked.length];
    if (!place) continue;
    const key = placeKey(place),
      known = found.get(key);
    const ends = action.places.length === picked.length + 1;
    if (known) {
      known.names.push(action.name);
      known.ends ||= ends;
    } else found.set(key, { key, place, names: [action.name], ends, action });
  }
  return [...found.values()];
}

/** The move that is determined by these places, if no other one begins so. @param {PlacedAction[]} actions @param {Place[]} picked */
export function determined(actions, picked) {
  const left = candidates(actions, picked);
  return left.length === 1 && (left[0].places.length === picked.length || picked.length > 1) ? left[0].name : null;
}

/** Places may overlap: a point belongs to the one with the nearest middle. @template {{ place: Place }} T @param {T[]} places @param {{ x: number, y: number }} point @returns {T | null} */
export function placeAt(places, point) {
  const hits = places.filter(
    ({ place: [x, y, w, h] }) => Math.abs(point.x - x) <= w / 2 && Math.abs(point.y - y) <= h / 2,
  );
  return nearest(hits, [point.x, point.y]);
}

/** @template {{ place: Place }} T @param {T[]} places @param {number[]} point @returns {T | null} */
export function nearest(places, [x, y]) {
  let best = null,
    least = Infinity;
  for (const item of places) {
    const distance = Math.hypot(item.place[0] - x, item.place[1] - y);
    if (distance < least) [best, least] = [item, distance];
  }
  return best;
}

/** @type {Record<string, [number, number]>} */
export const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** The nearest place in a direction. @template {{ place: Place }} T @param {T[]} places @param {number[]} from @param {string} key @returns {T | null} */
export function stepFrom(places, [x, y], key) {
  const [dx, dy] = DIRECTIONS[key];
  let best = null,
    least = Infinity;
  for (const item of places) {
    const along = (item.place[0] - x) * dx + (item.place[1] - y) * dy;
    const across = Math.abs((item.place[0] - x) * dy) + Math.abs((item.place[1] - y) * dx);
    const cost = along + 2 * across;
    if (along > 1e-6 && cost < least) [best, least] = [item, cost];
  }
  return best;
}
