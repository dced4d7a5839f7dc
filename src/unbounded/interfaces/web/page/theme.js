// SPDX-License-Identifier: MIT
// Light or dark colors: those of the system, or as selected; the browser remembers which.

import { byId } from "./elements.js";

const KEY = "unbounded-theme";

function setTheme(name) {
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
}

export function offerThemes() {
  const theme = byId("theme");
  theme.value = localStorage.getItem(KEY) ?? "auto";
  setTheme(theme.value);
  theme.addEventListener("change", () => {
    localStorage.setItem(KEY, theme.value);
    setTheme(theme.value);
  });
}
