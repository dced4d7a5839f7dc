// SPDX-License-Identifier: MIT
// The lines of a file, one after the other, without holding the file in memory.

import { closeSync, openSync, readSync } from "node:fs";

const CHUNK = 1 << 16;
const NEWLINE = 10;

/** Yield each line with the newline that ends it; the last one may have none. */
export function* linesOf(path) {
  const file = openSync(path, "r");
  try {
    // The beginning of a line that goes on in the next chunk; in pieces, to be joined only once.
    let pieces = [];
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK);
      const rest = chunk.subarray(0, readSync(file, chunk, 0, CHUNK, null));
      if (rest.length === 0) break;
      let start = 0;
      for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE, start)) {
        pieces.push(rest.subarray(start, end + 1));
        yield joined(pieces);
        pieces = [];
        start = end + 1;
      }
      if (start < rest.length) pieces.push(rest.subarray(start));
    }
    if (pieces.length > 0) yield joined(pieces);
  } finally {
    closeSync(file);
  }
}

function joined(pieces) {
  return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
}
