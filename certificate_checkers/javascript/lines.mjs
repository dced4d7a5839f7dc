// SPDX-License-Identifier: MIT
// The lines of a file, compressed or not, without holding the file in memory.

import { closeSync, openSync, readSync } from "node:fs";
import { Readable, pipeline } from "node:stream";
import { createGunzip } from "node:zlib";

import { Refused, require } from "./refused.mjs";

const CHUNK = 1 << 16;
const LONGEST = 1 << 20;
const NEWLINE = 10;

/** Yield lists of lines, each with the newline that ends it; the last line may have none. */
export async function* linesOf(path) {
  // The beginning of a line that goes on in the next chunk; in pieces, to be joined only once.
  let pieces = [];
  for await (const chunk of textOf(chunksOf(path))) {
    const lines = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      lines.push(joined([...pieces, chunk.subarray(start, end + 1)]));
      pieces = [];
      start = end + 1;
    }
    yield lines;
    if (start < chunk.length) pieces.push(chunk.subarray(start));
    checkLength(pieces);
  }
  if (pieces.length > 0) yield [joined(pieces)];
}

function joined(pieces) {
  checkLength(pieces);
  return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
}

function checkLength(pieces) {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  require(length <= LONGEST, `a line of more than ${LONGEST} bytes`);
}

function* chunksOf(path) {
  const file = openSync(path, "r");
  try {
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK);
      const count = readSync(file, chunk, 0, CHUNK, null);
      if (count === 0) break;
      yield chunk.subarray(0, count);
    }
  } finally {
    closeSync(file);
  }
}

/** The chunks as they are, or decompressed if they begin as gzip does. */
function textOf(chunks) {
  const first = chunks.next();
  if (first.done) return [];
  const all = (function* () {
    yield first.value;
    yield* chunks;
  })();
  return first.value[0] === 0x1f && first.value[1] === 0x8b ? decompressed(all) : all;
}

async function* decompressed(chunks) {
  let given = 0;
  const counted = (function* () {
    for (const chunk of chunks) {
      given += chunk.length;
      yield chunk;
    }
  })();
  const gunzip = createGunzip({ chunkSize: CHUNK });
  pipeline(Readable.from(counted), gunzip, () => {}); // errors come out of `gunzip`, below
  try {
    yield* gunzip;
  } catch (error) {
    const isOfData = error.code?.startsWith("Z_");
    throw isOfData ? new Refused(`badly compressed: ${error.message}`) : error;
  }
  // What follows the compressed data, if it does not look compressed, is passed over in silence.
  require(gunzip.bytesWritten === given, "something after the compressed data");
}
