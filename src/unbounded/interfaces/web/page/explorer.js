// SPDX-License-Identifier: MIT
// The positions of a claims file, one at a time: the board, what is known of it, and its moves.

import { Board } from "./board.js";
import { byId, element } from "./elements.js";
import { estimateText, factBadge, factClass, factWords, proofText, stateText } from "./facts.js";
import { estimate, number } from "./words.js";

const DIGEST = 10; // of 64 digits, in the table

export class Explorer {
  /** @param {(moves: string[]) => void} onGo */
  constructor(onGo) {
    this.onGo = onGo;
    /** What is shown, as the server sends it. @type {any} */
    this.view = null;
    this.shown = "";
    /** @type {string[]} */
    this.players = [];
    this.note = "";
    this.board = new Board({ frame: byId("board"), picked: byId("picked"), buttons: byId("by-name") }, (name) =>
      onGo([...this.view.moves, name]),
    );
    this.rows = byId("children").querySelector("tbody");
  }

  /** Show a position; nothing is touched where nothing has changed. @param {any} view @param {any} overview */
  show(view, { players, note, moves: root }) {
    const text = JSON.stringify(view);
    if (text === this.shown) return;
    const changed = (/** @type {string} */ name) => JSON.stringify(view[name]) !== JSON.stringify(this.view?.[name]);
    const moved = changed("moves"),
      clickable = changed("actions"); // a leaf may have been expanded
    Object.assign(this, { shown: text, view, players, note });
    if (moved) this.path(root);
    if (moved || clickable) {
      this.board.show({ ...view, key: JSON.stringify(view.moves), playable: true, label: this.label(), players });
      byId("board-text").textContent = view.text;
    }
    this.known();
    this.claims();
    this.children();
  }

  label() {
    const { view, players } = this;
    const who = view.mover === null ? "the game is over" : `${players[view.mover]} to move`;
    return `The board after ${view.moves.join(" ") || "no moves"}: ${who}. ${view.action_count} moves.`;
  }

  /** Moves from the root; those before it are one step, because the file has nothing above. @param {string[]} root */
  path(root) {
    const { moves } = this.view;
    const names = [root.length ? `root (${root.join(" ")})` : "root", ...moves.slice(root.length)];
    byId("path").replaceChildren(
      ...names.map((text, i) => {
        const button = element("button", { text, onClick: () => this.onGo(moves.slice(0, root.length + i)) });
        if (i === names.length - 1) button.setAttribute("aria-current", "page");
        return element("li", {}, button);
      }),
    );
  }

  known() {
    const { view, players } = this;
    const rows = [["to move", view.mover === null ? "nobody: the game is over" : players[view.mover]]];
    if (view.proven) rows.push(["proven", this.fact(view.proven)], ["follows from", proofText(view)]);
    else rows.push(["proven", "nothing yet"]);
    if (view.accepted) rows.push(["not checked", element("i", { text: factWords(view.accepted, players) })]);
    if (view.estimates) {
      const text = players.map((name, p) => `${name} ${estimate(view.estimates[p])}`).join(", ");
      rows.push(["estimated", element("span", { text, className: "estimate" })]);
    }
    rows.push(["state", stateText(view)]);
    byId("known").replaceChildren(
      ...rows.flatMap(([name, value]) => [element("dt", { text: name }), element("dd", {}, value)]),
    );
  }

  /** @param {import("./facts.js").Fact} fact */
  fact(fact) {
    const note = this.note && !this.view.over ? ` (${this.note})` : "";
    const className = `verdict ${factClass(fact, this.view.mover ?? 0)}`;
    return element("span", { text: factWords(fact, this.players) + note, className });
  }

  claims() {
    const { claims } = this.view;
    byId("claims-title").hidden = !claims.length;
    byId("claims").replaceChildren(
      ...claims.map((/** @type {any} */ claim) => {
        const proof = claim.certificate === null ? "without a certificate" : "certificate ";
        const item = element(
          "li",
          {},
          element("b", { text: claim.claim }),
          ` by ${claim.by}${claim.job === null ? "" : `, job ${claim.job}`}: ${proof}`,
        );
        if (claim.certificate) item.append(element("code", { text: claim.certificate }));
        item.append(claim.checked ? ", checked" : ", not checked");
        if (claim.moves.join(" ") !== this.view.moves.join(" ")) {
          item.append(
            `; about the position after ${claim.moves.join(" ") || "no moves"}, `,
            "which is the same or equal up to symmetry",
          );
        }
        return item;
      }),
    );
  }

  children() {
    const { view, players } = this;
    const unchecked = view.children.some((/** @type {any} */ child) => child.accepted);
    byId("children").hidden = !view.children.length;
    byId("children").querySelector("th.unchecked").hidden = !unchecked;
    byId("children-note").textContent = this.explanation();
    byId("children-more").textContent =
      view.count > view.children.length
        ? `${number(view.count - view.children.length)} more: type the moves above.`
        : "";
    const focused = this.rows.contains(document.activeElement)
      ? (/** @type {HTMLElement} */ (document.activeElement).dataset.move ?? null)
      : null;
    this.rows.replaceChildren(...view.children.map((/** @type {any} */ child) => this.row(child, players, unchecked)));
    if (focused !== null) this.button(focused)?.focus({ preventScroll: true });
  }

  /** @param {string} move */
  button(move) {
    return [...this.rows.querySelectorAll("button")].find((button) => button.dataset.move === move);
  }

  explanation() {
    const { view, players } = this;
    if (view.mover === null) return "The game is over.";
    if (view.children.length)
      return players.length > 2 ? "" : `Results are those of ${players[view.mover]}, who is to move.`;
    return view.settled
      ? "Nothing is left to prove here, so the file has no moves below this position."
      : "A leaf: jobs are about this position. The file has no moves below it yet.";
  }

  /** @param {any} child @param {string[]} players @param {boolean} unchecked */
  row(child, players, unchecked) {
    const { mover } = this.view;
    const move = element("button", {
      text: child.move,
      title: "Go to the position after this move",
      onClick: () => this.onGo([...this.view.moves, child.move]),
    });
    move.dataset.move = child.move;
    const proven = element("td"),
      accepted = element("td"),
      estimated = element("td");
    if (child.proven) proven.append(factBadge(child.proven, mover, players, true));
    if (child.accepted) accepted.append(factBadge(child.accepted, mover, players, false));
    if (child.estimates) {
      estimated.append(element("span", { className: "estimate", text: estimateText(child.estimates, mover, players) }));
    }
    return element(
      "tr",
      {},
      element("td", {}, move),
      proven,
      this.proof(child),
      ...(unchecked ? [accepted] : []),
      estimated,
      element("td", { text: stateText(child) }),
    );
  }

  /** @param {any} child */
  proof(child) {
    const cell = element("td", { text: proofText(child) });
    const digests = child.claims.filter((/** @type {any} */ claim) => claim.checked && claim.certificate);
    for (const { certificate } of digests) {
      cell.append(
        " ",
        element("code", { text: certificate.slice(0, DIGEST), title: certificate, className: "digest" }),
      );
    }
    return cell;
  }
}
