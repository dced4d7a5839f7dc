// SPDX-License-Identifier: MIT
// The time on a clock, in figures and in words; nothing here touches the document.

import { plural } from "./words.js";

const LOW = 10; // seconds below which tenths are shown

/** @import { ClockView } from "./protocol.js" */

/** What a player has left, some seconds after the server said so. @param {ClockView} clock @param {number} player @param {number} passed */
export const secondsLeft = ({ left, running }, player, passed) =>
  Math.max(0, left[player] - (running === player ? passed : 0));

/** @param {number} seconds */
export const isLow = (seconds) => seconds < LOW;

/** "4:32", "1:02:03", and "9.3" where every tenth counts. Never more than there is. @param {number} seconds */
export function clockText(seconds) {
  if (isLow(seconds)) return (Math.floor(seconds * 10) / 10).toFixed(1);
  const whole = Math.floor(seconds),
    two = (/** @type {number} */ value) => String(value).padStart(2, "0");
  const hours = Math.floor(whole / 3600),
    minutes = Math.floor(whole / 60) % 60;
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** The same for a screen reader. @param {number} seconds */
export function clockWords(seconds) {
  const whole = Math.floor(seconds),
    parts = [
      [Math.floor(whole / 3600), "hour"],
      [Math.floor(whole / 60) % 60, "minute"],
      [whole % 60, "second"],
    ];
  const said = parts.filter(([count]) => count).map(([count, name]) => plural(Number(count), String(name)));
  return said.join(" ") || "no time";
}
