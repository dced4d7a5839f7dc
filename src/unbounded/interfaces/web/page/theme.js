// SPDX-License-Identifier: MIT
// Light or dark colors: those of the system, or as selected; the browser remembers which.

import { byId } from "./elements.js";
import { changeSettings, readSettings } from "./settings.js";

/** @param {string} name */
function setTheme(name) {
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
}

export function offerThemes() {
  const theme = byId("theme");
  theme.value = readSettings().theme;
  setTheme(theme.value);
  theme.addEventListener("change", () => {
    changeSettings({ theme: theme.value });
    setTheme(theme.value);
  });
}
