// SPDX-License-Identifier: MIT
// The game as a curve: where its points are and how they are joined. What is proven is solid, what is
// estimated dotted, and what is unknown a gap.

/** @import { CurvePoint } from "./protocol.js" */

/** @typedef {{ ply: number, x: number, y: number, kind: "proven" | "estimated" }} Dot */
/** @typedef {{ player: number, kind: "proven" | "estimated", d: string }} Stroke */
/** @typedef {{ player: number, dots: Dot[], strokes: Stroke[] }} PlayerCurve */
/** @typedef {{ width: number, height: number, margin: number }} Size */

/** The result of one player in [-1, 1], proven or estimated. @param {CurvePoint} point @param {number} player */
export function worth(point, player) {
  if (point.kind === "unknown") return null;
  const value = point.outcome ? point.outcome[player] : point.value?.[player];
  if (value === null || value === undefined || Number.isNaN(value)) return null;
  return point.outcome ? value : scaled(value);
}

/** An estimate between -1 and 1, whatever its size: only what is proven reaches the ends. @param {number} value */
export const scaled = (value) => (Math.abs(value) <= 1 ? 0.9 * value : Math.sign(value) * (1 - 0.1 / Math.abs(value)));

/** @param {number} ply @param {number} last @param {Size} size */
export const plyX = (ply, last, { width, margin }) => margin + (width - 2 * margin) * (last > 0 ? ply / last : 0.5);

/** @param {number} x @param {number} last @param {Size} size */
export function plyAt(x, last, { width, margin }) {
  const share = (x - margin) / Math.max(1, width - 2 * margin);
  return Math.max(0, Math.min(last, Math.round(share * last)));
}

/** Two players are one curve, that of the first; more are one each. @param {CurvePoint[]} points @param {number} players @param {Size} size @returns {PlayerCurve[]} */
export function curves(points, players, size) {
  const shown = players === 2 ? [0] : Array.from({ length: players }, (_, p) => p);
  return shown.map((player) => {
    const dots = points.map((point) => dotOf(point, player, points.length - 1, size));
    return { player, dots: dots.filter((dot) => dot !== null), strokes: strokesOf(dots, player) };
  });
}

/** @param {CurvePoint} point @param {number} player @param {number} last @param {Size} size @returns {Dot | null} */
function dotOf(point, player, last, size) {
  const value = worth(point, player);
  if (value === null) return null;
  const y = size.margin + ((size.height - 2 * size.margin) * (1 - value)) / 2;
  return { ply: point.ply, x: plyX(point.ply, last, size), y, kind: point.kind === "proven" ? "proven" : "estimated" };
}

/** @param {(Dot | null)[]} dots @param {number} player @returns {Stroke[]} */
function strokesOf(dots, player) {
  /** @type {Stroke[]} */
  const strokes = [];
  dots.forEach((dot, i) => {
    const before = dots[i - 1];
    if (!dot || !before) return;
    const kind = dot.kind === "proven" && before.kind === "proven" ? "proven" : "estimated";
    const open = strokes.at(-1);
    if (open?.kind === kind && open.d.endsWith(`${round(before.x)} ${round(before.y)}`))
      open.d += ` L${round(dot.x)} ${round(dot.y)}`;
    else strokes.push({ player, kind, d: `M${round(before.x)} ${round(before.y)} L${round(dot.x)} ${round(dot.y)}` });
  });
  return strokes;
}

/** @param {number} x */
const round = (x) => Math.round(x * 10) / 10;
