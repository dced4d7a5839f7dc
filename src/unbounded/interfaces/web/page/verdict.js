// SPDX-License-Identifier: MIT
// One line about the position, and the state of the search in numbers.

import { byId, setText } from "./elements.js";
import { estimatesWords, memory, number, plural, resultName, resultWords } from "./words.js";

/** @import { App } from "./app.js" */
/** @import { AnalysisView } from "./protocol.js" */

/** @param {App} app */
export function verdictWords(app) {
  const { analysis, position, players, known } = app;
  if (analysis.failure) return analysis.failure;
  if (position?.over)
    return `The game ends here: ${resultWords({ outcome: position.outcome, score: position.score }, players)}.`;
  if (known?.outcome) return `Proven: ${resultWords(known, players)}${analysis.note ? ` (${analysis.note})` : ""}.`;
  if (known?.value) return `Not proven. Estimated: ${estimatesWords(known.value, players)}.`;
  return app.latest.state === "none" ? "Nothing is known of this position yet." : "Searching …";
}

/** @param {App} app */
export function showVerdict(app) {
  const verdict = byId("verdict"),
    { analysis, known, position } = app;
  const mover = position?.mover ?? analysis.mover ?? null;
  const result = known?.outcome && mover !== null ? resultName(known.outcome[mover]) : "";
  verdict.className = `verdict ${result}`;
  // Estimates change several times a second: screen readers announce them when the search pauses.
  verdict.setAttribute(
    "aria-live",
    app.latest.state === "running" && !known?.outcome && !analysis.failure ? "off" : "polite",
  );
  setText("verdict", verdictWords(app));
  verdict.title = verdict.textContent;
}

/** @param {AnalysisView} latest */
export function numbersWords(latest) {
  if (latest.state === "none" || latest.states === undefined) return "Runs in the background and follows the board.";
  const paused = latest.state === "paused" && !latest.resolved ? ` – paused${pauseWords(latest.pause_reason)}` : "";
  const compacted = latest.compactions ? `, made smaller ${plural(latest.compactions, "time")} to fit in memory` : "";
  const spent = `${memory(latest.memory ?? 0)}, ${(latest.seconds ?? 0).toFixed(1)} s`;
  const rate = number(latest.states_per_second ?? 0);
  return `${plural(latest.states, "state")}, ${rate} a second, ${spent}${compacted}${paused}`;
}

/** @param {string | null | undefined} reason */
const pauseWords = (reason) =>
  ({ memory: ": memory limit reached", seconds: ": time limit reached" })[reason ?? ""] ?? "";

/** Which of the analysis' buttons are there. @param {App} app */
export function showEngine({ latest, analysis }) {
  const none = latest.state === "none",
    running = latest.state === "running";
  byId("start").hidden = !none;
  byId("pause").hidden = !running;
  byId("resume").hidden = none || running || Boolean(analysis.resolved);
  byId("stop").hidden = none;
  byId("algorithm").disabled = !none;
  if (!none && latest.algorithm) byId("algorithm").value = latest.algorithm;
  for (const input of byId("options").querySelectorAll("input, select")) input.disabled = !none;
  setText("numbers", numbersWords(latest));
  byId("numbers").title = byId("numbers").textContent;
}
