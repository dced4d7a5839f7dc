// SPDX-License-Identifier: MIT
// Numbers of a learning run over its generations: one small chart for each.

/** @typedef {{ name: string, points: [number, number][], last: number, low: number, high: number }} Series */
/** @typedef {{ width: number, height: number, margin: number }} Size */

/** What the rows measure; a number that some rows do not have is missing there. @param {Record<string, any>[]} rows @returns {Series[]} */
export function seriesOf(rows) {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) => name !== "generation");
  return names.flatMap((name) => {
    const points = rows
      .map((row, i) => /** @type {[number, any]} */ ([row.generation ?? i, row[name]]))
      .filter(([, value]) => typeof value === "number" && Number.isFinite(value));
    if (!points.length) return [];
    const values = points.map(([, value]) => value);
    const low = values.reduce((a, b) => Math.min(a, b)),
      high = values.reduce((a, b) => Math.max(a, b));
    return [{ name, points, last: values[values.length - 1], low, high }];
  });
}

/** @param {Series} series @param {Size} size */
export function chartPath({ points, low, high }, { width, height, margin }) {
  const first = points[0][0],
    wide = points[points.length - 1][0] - first || 1,
    tall = high - low || 1;
  return points
    .map(([at, value], i) => {
      const x = margin + ((width - 2 * margin) * (at - first)) / wide;
      const y = height - margin - ((height - 2 * margin) * (value - low)) / tall;
      return `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`;
    })
    .join(" ");
}
