// SPDX-License-Identifier: MIT
// A certificate with all those that it leans on, and those that they lean on: each checked once.

import { statSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { check } from "./checker.mjs";
import { checkLean } from "./leans.mjs";
import { linesOf } from "./lines.mjs";
import { require } from "./refused.mjs";

/**
 * Return what a file proves, in words, or raise Refused.
 *
 * place: `file` is set to the name of the file being checked, null for the first, `line` to the
 * number of the line. mostSearched: how many successors a file may make the checker search.
 */
export async function checkTree(path, place, mostSearched) {
  const folder = dirname(path);
  const isThere = (digest) => fileOf(folder, digest) !== null;
  const first = await check(linesOf(path), place, { isThere, mostSearched });
  const total = { states: first.states, searched: first.searched, files: 1 };
  /** By digest, what has been proven. All files of a tree are in one folder. */
  const proven = new Map();
  const waiting = [first];
  while (waiting.length > 0) {
    const by = waiting.pop();
    for (const [digest, need] of by.needs) {
      if (!proven.has(digest)) {
        const file = fileOf(folder, digest);
        require(file !== null, `${digest}.cert is missing`);
        Object.assign(place, { file: basename(file), line: 0 });
        const told = await check(linesOf(file), place, { isThere, mostSearched });
        require(told.digest === digest, "the file is named by another digest");
        proven.set(digest, told);
        waiting.push(told);
        total.states += told.states;
        total.searched += told.searched;
        total.files++;
      }
      Object.assign(place, { file: `${digest}.cert`, line: 0 });
      checkLean(by, need, proven.get(digest));
    }
    by.needs = null; // no longer needed
  }
  return `${first.told} (${counted(total)})`;
}

function fileOf(folder, digest) {
  const names = [`${digest}.cert`, `${digest}.cert.gz`].map((name) => join(folder, name));
  // Anything but a file counts as missing: a pipe could keep the checker waiting forever.
  return names.find((name) => statSync(name, { throwIfNoEntry: false })?.isFile()) ?? null;
}

function counted({ states, searched, files }) {
  const more = [];
  if (searched > 0) more.push(`, ${searched} searched`);
  if (files > 1) more.push(`, ${files} files`);
  return `${states} states${more.join("")}`;
}
