// SPDX-License-Identifier: MIT
// Tabs: one of several panels is shown.

/** @typedef {{ selected: string, select: (name: string, focus?: boolean) => void }} Tabs */

/** @param {HTMLElement} list @param {string} first @param {(name: string) => void} onSelect @returns {Tabs} */
export function makeTabs(list, first, onSelect) {
  const tabs = /** @type {HTMLElement[]} */ ([...list.querySelectorAll('[role="tab"]')]);
  const nameOf = (/** @type {HTMLElement} */ tab) => tab.dataset.tab ?? "";
  const made = {
    selected: "",
    select(/** @type {string} */ name, focus = false) {
      const chosen = tabs.find((tab) => nameOf(tab) === name) ?? tabs[0];
      made.selected = nameOf(chosen);
      for (const tab of tabs) {
        tab.setAttribute("aria-selected", String(tab === chosen));
        tab.tabIndex = tab === chosen ? 0 : -1;
        const panel = document.getElementById(tab.getAttribute("aria-controls") ?? "");
        if (panel) panel.hidden = tab !== chosen;
      }
      if (focus) chosen.focus();
      onSelect(made.selected);
    },
  };
  list.addEventListener("click", (event) => {
    const tab = /** @type {HTMLElement} */ (event.target).closest('[role="tab"]');
    if (tab) made.select(nameOf(/** @type {HTMLElement} */ (tab)));
  });
  list.addEventListener("keydown", (event) => {
    const shown = tabs.filter((tab) => !tab.hidden),
      at = shown.findIndex((tab) => nameOf(tab) === made.selected);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: shown.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    made.select(nameOf(shown[(to + shown.length) % shown.length]), true);
  });
  made.select(first);
  return made;
}
