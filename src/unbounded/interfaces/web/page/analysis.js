// SPDX-License-Identifier: MIT
// What the search has found so far: the verdict, the principal variation, every move.

import { badge, byId, element, estimate, memory, number, outcomeWords, resultName } from "./elements.js";

export class AnalysisPanel {
  constructor({ onPreview, onWhy }) {
    this.onPreview = onPreview;
    this.onWhy = onWhy;
    this.rows = byId("actions").querySelector("tbody");
  }

  show(view, players) {
    const none = view.state === "none", running = view.state === "running";
    byId("start").hidden = !none;
    byId("pause").hidden = !running;
    byId("resume").hidden = none || running || view.resolved;
    byId("stop").hidden = none;
    byId("algorithm").disabled = !none;
    byId("options").hidden = !none;
    byId("why").hidden = none || !view.actions?.length;
    this.verdict(view, players, none);
    this.numbers(view, none);
    this.pv(view, none);
    this.actions(view, players, none);
  }

  verdict(view, players, none) {
    const verdict = byId("verdict");
    verdict.className = "verdict";
    // Estimates change several times a second: screen readers announce them when the search pauses.
    const changing = view.state === "running" && !view.outcome && !view.failure;
    verdict.setAttribute("aria-live", changing ? "off" : "polite");
    if (view.failure) verdict.textContent = view.failure;
    else if (none) verdict.textContent = "Start an analysis to see what is known about every move.";
    else if (view.outcome) {
      const note = view.note && view.mover !== null ? ` (${view.note})` : "";
      verdict.textContent = `Proven: ${outcomeWords(view.outcome, players)}${note}.`;
      if (view.mover !== null) verdict.classList.add(resultName(view.outcome[view.mover]));
    } else if (view.value) {
      const shown = players.map((name, p) => `${name} ${estimate(view.value[p])}`).join(", ");
      verdict.textContent = `Not proven. Estimated: ${shown}.`;
    } else verdict.textContent = "Searching …";
  }

  numbers(view, none) {
    byId("numbers").textContent = none || view.states === undefined ? "" :
      `${number(view.states)} states, ${number(view.states_per_second)} a second, ` +
      `${memory(view.memory)}, ${view.seconds.toFixed(1)} s` +
      (view.state === "paused" && !view.resolved ? ` – paused${this.pauseReason(view)}` : "");
  }

  pauseReason(view) {
    return { memory: ": memory limit reached", seconds: ": time limit reached" }[view.pause_reason] ?? "";
  }

  pv(view, none) {
    const pv = none ? [] : view.pv ?? [];
    const buttons = pv.map((name, i) => element("button", {
      text: name, title: "Show the position after this move", onClick: () => this.onPreview(pv.slice(0, i + 1)),
    }));
    const head = pv.length ? [element("span", { text: "Best line:", className: "quiet" })] : [];
    const more = (view.pv_length ?? 0) - pv.length;
    const tail = more > 0 ? [element("span", { text: `and ${more} more`, className: "quiet" })] : [];
    this.replace(byId("pv"), [...head, ...buttons, ...tail]);
  }

  actions(view, players, none) {
    const actions = none ? [] : view.actions ?? [];
    byId("actions").hidden = !actions.length;
    const most = Math.max(1, ...actions.map((action) => action.visits));
    this.replace(this.rows, actions.map((action, i) => this.row(action, i, view, players, most)));
  }

  row(action, i, view, players, most) {
    const move = element("button", {
      text: action.name, title: "Show the position after this move", onClick: () => this.onPreview([action.name]),
    });
    const fill = element("span");
    fill.style.width = `${100 * action.visits / most}%`;
    const visits = element("td", {}, element("span", { className: "bar", "aria-hidden": "true" }, fill),
      number(action.visits));
    const proven = element("td"), estimated = element("td");
    if (action.outcome) proven.append(badge(action, view.mover, players));
    else estimated.append(element("span", {
      className: "estimate",
      text: players.length > 2 ? action.value.map(estimate).join("  ") : estimate(action.value[view.mover]),
    }));
    const why = element("button", {
      text: "why?", "aria-label": `why ${action.name}?`, onClick: () => this.onWhy(action.name),
    });
    return element("tr", { className: i === 0 ? "best" : "" }, element("td", {}, move), proven, estimated,
      visits, element("td", {}, why));
  }

  // Replace the elements, and keep the focus.
  replace(parent, children) {
    const focused = [...parent.querySelectorAll("button")].indexOf(document.activeElement);
    parent.replaceChildren(...children);
    if (focused >= 0) parent.querySelectorAll("button")[focused]?.focus({ preventScroll: true });
  }
}
