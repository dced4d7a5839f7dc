// SPDX-License-Identifier: MIT
// The address holds the room, the game and its moves, so that a position can be sent and cited. A link
// without the room opens the position in a room of its own.

/** @typedef {{ room: string, game: string, moves: string[], ply: number | null }} Address */

/** Moves are joined by dots, so a dot in a move's name is escaped. @param {string} name */
const escaped = (name) => encodeURIComponent(name).replaceAll(".", "%2E");

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return ""; // not an address of ours
  }
}

/** @param {string} hash @returns {Address} */
export function readAddress(hash) {
  const text = hash.replace(/^#/, "");
  if (!text.includes("=")) return { room: decoded(text), game: "", moves: [], ply: null };
  const fields = new Map(
    text.split("&").map((field) => {
      const [name, ...rest] = field.split("=");
      return [name, rest.join("=")];
    }),
  );
  const moves = fields.get("moves") ?? "",
    ply = fields.get("ply") ?? "";
  return {
    room: decoded(fields.get("room") ?? ""),
    game: decoded(fields.get("game") ?? ""),
    moves: moves ? moves.split(".").map(decoded) : [],
    ply: /^\d+$/.test(ply) ? Number(ply) : null,
  };
}

/** @param {Partial<Address>} address */
export function writeAddress({ room, game, moves, ply }) {
  const fields = [];
  if (room) fields.push(`room=${encodeURIComponent(room)}`);
  if (game) fields.push(`game=${encodeURIComponent(game)}`, `moves=${(moves ?? []).map(escaped).join(".")}`);
  if (ply !== null && ply !== undefined && ply !== moves?.length) fields.push(`ply=${ply}`);
  return `#${fields.join("&")}`;
}
