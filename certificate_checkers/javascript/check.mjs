#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// Checks certificates, as docs/certificates.md describes them.
//
//   node check.mjs FILE          one line, "proven: ..." or "refused: line N: ..."; exit 0 or 1
//   node check.mjs --many <LIST  the same for each file that standard input names, one per line;
//                                exit 0 if all are proven

import { readFileSync } from "node:fs";

import { check, Refused } from "./checker.mjs";
import { linesOf } from "./lines.mjs";

function main(given) {
  if (given.length !== 1 || (given[0].startsWith("-") && given[0] !== "--many")) {
    console.error("usage: node check.mjs FILE, or: node check.mjs --many <LIST");
    return 2;
  }
  const files = given[0] === "--many" ? listed(readFileSync(0, "utf8")) : given;
  let allProven = true;
  for (const file of files) {
    allProven = tell(file) && allProven;
  }
  return allProven ? 0 : 1;
}

function listed(text) {
  return text.split("\n").filter((name) => name !== "");
}

/** Print the verdict on a file; return whether it is proven. */
function tell(file) {
  const place = { line: 0 };
  try {
    console.log(inOneLine(`proven: ${check(linesOf(file), place)}`));
    return true;
  } catch (error) {
    const expected = error instanceof Refused || error.syscall !== undefined; // or no such file
    const why = expected ? error.message : `the checker failed: ${error.message}`;
    console.log(inOneLine(`refused: line ${place.line}: ${why}`));
    return false;
  }
}

/** A certificate chooses its own words: none of them may look like another line of output. */
function inOneLine(text) {
  return text.replace(/[^\x20-\x7e]/g, "?");
}

process.exitCode = main(process.argv.slice(2));
