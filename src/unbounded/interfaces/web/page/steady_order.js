// SPDX-License-Identifier: MIT
// Lists whose order changes during a search stay as they are while someone points at them: what one
// aims at is what one hits.

/** @param {Element} host */
export const isHeld = (host) => host.matches(":hover") || host.contains(document.activeElement);

export class SteadyOrder {
  constructor() {
    /** @type {Map<string, string[]>} */
    this.orders = new Map();
  }

  forget() {
    this.orders.clear();
  }

  /**
   * @template T @param {string} list which list @param {T[]} items in their new order @param {(item: T) => string} nameOf
   * @param {boolean} held whether the old order stays; new items follow it @returns {T[]}
   */
  arrange(list, items, nameOf, held) {
    const before = this.orders.get(list);
    let result = items;
    if (held && before) {
      const ranks = new Map(before.map((name, rank) => [name, rank]));
      result = [...items].sort((a, b) => (ranks.get(nameOf(a)) ?? Infinity) - (ranks.get(nameOf(b)) ?? Infinity) || 0);
    }
    this.orders.set(list, result.map(nameOf));
    return result;
  }
}
