// SPDX-License-Identifier: MIT
// The tree, as a list or as a picture. It is read again at intervals, and when the search pauses or the
// position changes.

import { byId } from "./elements.js";
import { Tree } from "./tree.js";
import { TreePicture } from "./tree_picture.js";

/** @import { App } from "./app.js" */

const INTERVAL = 2000;

export class TreeTab {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.list = new Tree(byId("tree"), app);
    this.picture = new TreePicture(byId("tree-picture"), app);
    this.shownFor = "";
    this.shownAt = 0;
  }

  /** Read it anew when it is seen again. */
  forget() {
    this.shownFor = "";
  }

  /** @param {boolean} [asked] */
  show(asked = false) {
    const { app } = this,
      asPicture = byId("tree-graph").checked,
      shown = asPicture ? this.picture : this.list;
    byId("tree").hidden = asPicture;
    byId("tree-picture").hidden = !asPicture;
    const { state } = app.latest;
    const moment = JSON.stringify([
      app.key,
      state,
      app.analysis.resolved,
      asPicture,
      byId("proof").checked,
      Boolean(app.analysis.moves),
    ]);
    const due = state === "running" && performance.now() - this.shownAt > INTERVAL;
    if (state !== "none" && (asked || due || moment !== this.shownFor)) {
      this.shownFor = moment;
      this.shownAt = performance.now();
      shown.refresh(asked);
    }
    shown.show();
    if (asPicture) byId("tree-empty").hidden = true;
  }
}
