// SPDX-License-Identifier: MIT
// The browser's copies of games: they survive the server. Of many games the newest are kept.

/** @import { GameView } from "./protocol.js" */

const MAX_GAMES = 20;
const PREFIX = "unbounded:";

/** @typedef {{ game: string, title?: string, seats: string[], moves: string[], changes?: number, over?: boolean, saved_at?: number }} Copy */

/** @param {string} room @returns {Copy | null} */
export function savedGame(room) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + room) ?? "null");
  } catch {
    return null; // storage is disabled, or the entry is not ours
  }
}

/** Keep a copy; a game that has not begun is none to return to. @param {GameView} game */
export function saveGame(game) {
  if (!game.moves.length && !savedGame(game.room)) return;
  const copy = {
    format: "unbounded game",
    version: 1,
    game: game.game,
    title: game.title,
    seats: game.seats,
    moves: game.moves,
    resigned: game.resigned,
    seed: 0,
    changes: game.changes,
    over: game.over,
    saved_at: Date.now(),
  };
  try {
    removeOldest(PREFIX + game.room);
    localStorage.setItem(PREFIX + game.room, JSON.stringify(copy));
  } catch {
    /* storage is disabled */
  }
}

/** Rooms of this browser's games, the newest first. @returns {{ room: string, copy: Copy }[]} */
export function recentGames() {
  const rooms = keys().map((key) => key.slice(PREFIX.length));
  return rooms
    .flatMap((room) => {
      const copy = savedGame(room);
      return copy?.game ? [{ room, copy }] : [];
    })
    .sort((a, b) => (b.copy.saved_at ?? 0) - (a.copy.saved_at ?? 0));
}

function keys() {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
  } catch {
    return []; // storage is disabled
  }
}

/** @param {string} current */
function removeOldest(current) {
  const others = keys()
    .filter((key) => key !== current)
    .map((key) => /** @type {[number, string]} */ ([savedGame(key.slice(PREFIX.length))?.saved_at ?? 0, key]))
    .sort(([a], [b]) => a - b);
  for (const [, key] of others.slice(0, Math.max(0, others.length + 1 - MAX_GAMES))) localStorage.removeItem(key);
}

/** Whether the server should be offered our copy; it decides which one is newer. @param {Copy} copy @param {GameView} game */
export const mayBeNewer = (copy, game) =>
  (copy.changes ?? 0) >= game.changes && JSON.stringify(copy.moves) !== JSON.stringify(game.moves);
