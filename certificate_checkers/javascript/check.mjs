#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// Checks certificates, as docs/certificates.md describes them.
//
//   node check.mjs FILE          one line, "proven: ..." or "refused: line N: ..."; exit 0 or 1
//   node check.mjs --many <LIST  the same for each file that standard input names, one per line;
//                                exit 0 if all are proven
//
// --most-searched N before it: refuse a file whose claims ask for searches of more than N in all.
// Certificates that a file leans on, named by their digests, must be in its folder.

import { readFileSync } from "node:fs";

import { Refused } from "./refused.mjs";
import { checkTree } from "./tree.mjs";

const USAGE = "usage: node check.mjs [--most-searched N] FILE, or with --many <LIST for FILE";

async function main(given) {
  const limited = given[0] === "--most-searched";
  const mostSearched = limited ? Number(given[1]) : Infinity;
  const isNumber = !limited || /^[0-9]{1,15}$/.test(given[1]);
  const [what, ...more] = limited ? given.slice(2) : given;
  const isFile = what === "--many" || !what?.startsWith("-");
  if (what === undefined || more.length > 0 || !isNumber || !isFile) {
    console.error(USAGE);
    return 2;
  }
  const files = what === "--many" ? listed(readFileSync(0, "utf8")) : [what];
  let allProven = true;
  for (const file of files) {
    allProven = (await tell(file, mostSearched)) && allProven;
  }
  return allProven ? 0 : 1;
}

function listed(text) {
  return text.split("\n").filter((name) => name !== "");
}

/** Print the verdict on a file; return whether it is proven. */
async function tell(file, mostSearched) {
  const place = { file: null, line: 0 };
  try {
    console.log(inOneLine(`proven: ${await checkTree(file, place, mostSearched)}`));
    return true;
  } catch (error) {
    const expected = error instanceof Refused || error.syscall !== undefined; // or no such file
    const why = expected ? error.message : `the checker failed: ${error.message}`;
    const where = place.file === null ? "" : ` of ${place.file}`;
    console.log(inOneLine(`refused: line ${place.line}${where}: ${why}`));
    return false;
  }
}

/** A certificate chooses its own words: none of them may look like another line of output. */
function inOneLine(text) {
  return text.replace(/[^\x20-\x7e]/g, "?");
}

const code = await main(process.argv.slice(2));
// Not by running out of work: there Node 20 may wait for its own compiler for ever.
process.stdout.write("", () => process.exit(code));
