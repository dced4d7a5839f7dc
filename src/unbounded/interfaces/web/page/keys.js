// SPDX-License-Identifier: MIT
// Keys that work anywhere on the page. Those of a single letter can be switched off.

/** @import { App } from "./app.js" */

/** @param {App} app @param {Record<string, () => void>} letters @param {Record<string, () => void>} others */
export function listenToKeys(app, letters, others) {
  document.addEventListener("keydown", (event) => {
    const target = /** @type {Element} */ (event.target);
    const typing = target.closest?.("input:not([type=checkbox]):not([type=radio]), select, textarea, dialog");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || !app.position) return;
    const action = others[event.key] ?? (app.settings.shortcuts ? letters[event.key] : undefined);
    if (!action) return;
    event.preventDefault();
    action();
  });
}
