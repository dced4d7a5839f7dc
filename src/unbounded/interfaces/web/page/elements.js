// SPDX-License-Identifier: MIT
// Making elements, errors, and texts for results: proven and estimated never look alike.

export const byId = (id) => document.getElementById(id);

// Text is always set as text, never as markup: names come from games, and games may be hostile.
export function element(tag, { text, title, className, onClick, ...attributes } = {}, ...children) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (title) made.title = title;
  if (className) made.className = className;
  if (onClick) made.addEventListener("click", onClick);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const RESULTS = { 1: "win", 0: "draw", "-1": "loss" };

export const resultName = (outcome) => RESULTS[outcome];

export const number = (value) => Number(value).toLocaleString("en", { maximumFractionDigits: 0 });

export const visits = (count) => count === 1 ? "1 visit" : `${number(count)} visits`;

export function estimate(value) {
  if (value === null) return "–";  // a proof contradicts it
  return (value > 0 ? "+" : "") + Number(value).toFixed(Math.abs(value) < 10 ? 3 : 1);
}

export function memory(bytes) {
  const units = ["bytes", "kB", "MB", "GB"];
  let size = bytes, unit = 0;
  while (size >= 1000 && unit < 3) { size /= 1000; unit += 1; }
  return `${size.toFixed(unit > 1 ? 1 : 0)} ${units[unit]}`;
}

// The result of a position for one player; with more than two players, for all of them.
export function badge(known, player, players) {
  if (known.outcome) {
    const result = resultName(known.outcome[player]);
    const text = players.length > 2 ? outcomeWords(known.outcome, players) : result;
    return element("span", { text, className: `badge ${result}`, title: "proven" });
  }
  const text = players.length > 2 ? known.value.map(estimate).join("  ") : estimate(known.value[player]);
  return element("span", { text, className: "badge open", title: "estimated; not proven" });
}

export function outcomeWords(outcome, players) {
  const named = (result) => players.filter((_, p) => outcome[p] === result);
  const winners = named(1);
  if (winners.length) return `${winners.join(" and ")} win${winners.length > 1 ? "" : "s"}`;
  const losers = named(-1);
  if (losers.length) return `${losers.join(" and ")} lose${losers.length > 1 ? "" : "s"}`;
  return "draw";
}

const SHOW_ERROR_FOR = 6000;
let errorTimer;

export function showError(message) {
  const box = byId("error");
  box.textContent = message;
  box.hidden = false;
  clearTimeout(errorTimer);
  errorTimer = setTimeout(() => { box.hidden = true; }, SHOW_ERROR_FOR);
}
