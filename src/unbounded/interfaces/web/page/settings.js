// SPDX-License-Identifier: MIT
// What the browser remembers of how people like the page: colors, numbers on the board, keys.

/** @typedef {{ theme: string, playing: boolean, analyzing: boolean, shortcuts: boolean, tab: string }} Settings */

const KEY = "unbounded-settings";

/** Numbers on the board are off while people play against a machine, and on in an analysis. @type {Settings} */
const DEFAULTS = { theme: "auto", playing: false, analyzing: true, shortcuts: true, tab: "moves" };

/** @returns {Settings} */
export function readSettings() {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return { ...DEFAULTS }; // storage is disabled, or not ours
  }
}

/** @param {Partial<Settings>} changes @returns {Settings} */
export function changeSettings(changes) {
  const settings = { ...readSettings(), ...changes };
  write(KEY, settings);
  return settings;
}

/** @param {string} key @param {any} value */
export function write(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    /* storage is disabled */
  }
}

/** @param {string} key @returns {any} */
export function remembered(key) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}
