// SPDX-License-Identifier: MIT
// Small dialogs: a question before something is given up, and a text to copy by hand.

import { byId } from "./elements.js";

/** Ask whether to go on. @param {string} question @param {string} yes @returns {Promise<boolean>} */
export function confirmed(question, yes) {
  const dialog = byId("confirm");
  byId("confirm-text").textContent = question;
  byId("confirm-yes").textContent = yes;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

/** Show a text where the clipboard cannot be used. @param {string} title @param {string} text */
export function showText(title, text) {
  byId("text-title").textContent = title;
  byId("text-value").value = text;
  byId("text-dialog").showModal();
  byId("text-value").select();
}
