// SPDX-License-Identifier: MIT
// The browser's copies of games: they survive the server. Of many games the newest are kept.

const MAX_GAMES = 20;
const PREFIX = "unbounded:";

export function savedGame(room) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + room));
  } catch {
    return null;  // storage is disabled, or the entry is not ours
  }
}

export function saveGame(game) {
  const copy = {
    format: "unbounded game", version: 1, game: game.game, seats: game.seats, moves: game.moves,
    resigned: game.resigned, seed: 0, changes: game.changes, saved_at: Date.now(),
  };
  try {
    removeOldest(PREFIX + game.room);
    localStorage.setItem(PREFIX + game.room, JSON.stringify(copy));
  } catch { /* storage is disabled */ }
}

function removeOldest(current) {
  const others = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX) && key !== current)
    .map((key) => [savedGame(key.slice(PREFIX.length))?.saved_at ?? 0, key]).sort(([a], [b]) => a - b);
  for (const [, key] of others.slice(0, Math.max(0, others.length + 1 - MAX_GAMES))) localStorage.removeItem(key);
}

// Whether the server should be offered our copy; it decides which one is newer.
export const mayBeNewer = (copy, game) => (copy.changes ?? 0) >= game.changes
  && JSON.stringify(copy.moves) !== JSON.stringify(game.moves);
