// SPDX-License-Identifier: MIT
// The page of a claims file: what it holds, in numbers, and the explorer of its positions. The
// moves to the position that is shown are in the address: reloading and going back work.

import { Connection } from "./connection.js";
import { byId, element, setText, showError } from "./elements.js";
import { Explorer } from "./explorer.js";
import { duration, factClass, factWords } from "./facts.js";
import { offerThemes } from "./theme.js";
import { number } from "./words.js";

const STATUSES = ["running", "solved", "open", "refused", "failed", "cancelled", "lost"];
/** @type {any} */
let overview = null;
/** @type {string[] | null} */
let moves = null;

const connection = new Connection(
  {
    claims: receive,
    error: showError,
    disconnected: () => setText("verdict", "The server is disconnected; trying again …"),
    refused: () => setText("verdict", "The server was restarted: open the link that it has printed."),
  },
  "",
  () => "live-claims",
);
const explorer = new Explorer((path) => go(path));

/** @param {any} message */
function receive(message) {
  setText("failure", message.failure ?? "");
  if (!message.root) {
    setText("verdict", "Nothing is known.");
    return;
  }
  overview = message;
  byId("title").textContent = `${message.file}: ${message.game}`;
  document.title = `${message.file} – unbounded`;
  showVerdict();
  showProgress();
  showNumbers();
  showWorkers();
  showRefused();
  moves ??= movesInAddress() ?? message.moves;
  showPosition();
}

// -- the overview --------------------------------------------------------------------------------

function showVerdict() {
  const { root, players, mover, note, proof, failure } = overview;
  const sure = root.proven && `Proven: ${factWords(root.proven, players)}${note && ` (${note})`}.`;
  // Of a file that contradicts itself, nothing may be called proven.
  setText(
    "verdict",
    failure ? "What follows is from the last time that the file could be read." : sure || "Nothing is proven yet.",
  );
  byId("verdict").className = `verdict ${root.proven && !failure ? factClass(root.proven, mover ?? 0) : ""}`;
  setText("accepted", root.accepted ? `Claimed by workers and not checked: ${factWords(root.accepted, players)}.` : "");
  byId("proof").hidden = !proof;
  byId("proof").querySelector("code").textContent = proof ?? "";
}

function showProgress() {
  const { share, seconds_left: left, root } = overview;
  byId("progress").hidden = root.settled;
  byId("progress").querySelector(".bar > span").style.width = `${100 * share}%`;
  setText(
    "share",
    `Estimated: about ${(100 * share).toFixed(1)} % of the proof is settled` +
      (left === null ? "." : `, ${duration(left)} of workers' time left at this rate.`),
  );
}

function showNumbers() {
  const { counts, jobs, moves: root, written } = overview;
  const known = [
    ...STATUSES.filter((status) => jobs[status]),
    ...Object.keys(jobs).filter((status) => !STATUSES.includes(status)),
  ];
  const rows = [
    ...(root.length ? [["after", root.join(" ")]] : []),
    ["jobs", known.map((status) => `${number(jobs[status])} ${status}`).join(", ") || "none"],
    [
      "positions",
      `${number(counts.positions)}, ${number(counts.settled)} settled, ${number(counts.leaves)} open leaves`,
    ],
    ["claims", `${number(counts.claims)}, ${number(counts.checked)} checked by their certificates`],
    ["spent", `${duration(counts.worked)} of workers' time, ${number(counts.states)} states`],
    ["last written", new Date(1000 * written).toLocaleString("en")],
  ];
  byId("numbers").replaceChildren(
    ...rows.flatMap(([name, text]) => [element("dt", { text: name }), element("dd", { text })]),
  );
}

function showWorkers() {
  const { workers, worker_count: count } = overview;
  byId("workers").hidden = !workers.length;
  byId("workers")
    .querySelector("tbody")
    .replaceChildren(
      ...workers.map((/** @type {any} */ worker) =>
        element(
          "tr",
          {},
          element("td", { text: worker.name }),
          element("td", { text: number(worker.jobs) }),
          element("td", { text: worker.rate === null ? "" : number(worker.rate) }),
          element("td", { text: duration(worker.seconds) }),
        ),
      ),
    );
  const more = count - workers.length;
  setText("workers-more", !count ? "None yet." : more ? `${number(more)} more.` : "");
}

function showRefused() {
  const { refused } = overview;
  byId("refused-none").hidden = refused.length > 0;
  byId("refused").replaceChildren(
    ...refused.map((/** @type {any} */ { job, worker, why }) =>
      element("li", { text: `${worker}, job ${job}: ${why}` }),
    ),
  );
}

// -- the position --------------------------------------------------------------------------------

function movesInAddress() {
  try {
    const text = decodeURIComponent(location.hash.slice(1));
    return text ? text.split(" ") : null;
  } catch {
    return null; // not an address of ours
  }
}

/** @returns {Promise<boolean>} */
async function showPosition() {
  const wanted = moves;
  try {
    const view = await connection.request("position", { moves: wanted });
    if (wanted === moves) explorer.show(view, overview);
    return true;
  } catch (error) {
    showError(/** @type {Error} */ (error).message);
    if (!explorer.view && wanted !== overview.moves) {
      moves = overview.moves;
      return showPosition();
    }
    return false;
  }
}

/** @param {string[]} path */
async function go(path) {
  const before = moves;
  moves = path;
  if (!(await showPosition())) {
    moves = before;
    return;
  }
  if (moves !== path) return;
  history.pushState(null, "", `#${encodeURIComponent(path.join(" "))}`);
  if (!byId("board").contains(document.activeElement)) byId("position-title").focus({ preventScroll: true });
}

function back() {
  if (moves && moves.length > overview.moves.length) go(moves.slice(0, -1));
}

// -- event handlers ------------------------------------------------------------------------------

addEventListener("popstate", () => {
  if (!overview) return;
  moves = movesInAddress() ?? overview.moves;
  showPosition();
});
// The fragment of the address is the position, so the skip link must not change it.
document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  byId("position-title").focus();
});
byId("entry").addEventListener("submit", (/** @type {Event} */ event) => {
  event.preventDefault();
  const field = byId("entry-moves"),
    path = field.value.split(/\s+/).filter(Boolean);
  if (overview) go(path.length ? path : overview.moves);
});
document.addEventListener("keydown", (event) => {
  const typing = /** @type {Element} */ (event.target).closest?.("input, select");
  if (typing || event.ctrlKey || event.metaKey || event.altKey || !overview) return;
  if (event.key === "u" || event.key === "Backspace") back();
  if (event.key === "r") go(overview.moves);
});
offerThemes();
