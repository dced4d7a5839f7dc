// SPDX-License-Identifier: MIT
// Where the nodes of the tree's picture stand: the root on the left, a column for each depth. A state
// that is reached in several ways is drawn once, below the first of them; the other ways are edges.

/** @import { GraphEdge, GraphNode, GraphView } from "./protocol.js" */

/** @typedef {{ node: GraphNode, name: string, x: number, y: number, place: number[] }} Placed */
/** @typedef {{ edge: GraphEdge, from: Placed, to: Placed, tree: boolean }} Joined */
/** @typedef {{ nodes: Placed[], edges: Joined[], width: number, height: number }} Layout */

export const COLUMN = 132,
  ROW = 34,
  WIDE = 96,
  HIGH = 26;

/** @param {GraphView} graph @returns {Layout} */
export function layout({ nodes, edges }) {
  const byNumber = new Map(nodes.map((node) => [node.number, node]));
  const { parents, children } = spanningTree(nodes, edges, byNumber);
  /** @type {Map<number, Placed>} */
  const placed = new Map();
  let rows = 0;
  const place = (/** @type {GraphNode} */ node, /** @type {number} */ y) => {
    const x = node.depth * COLUMN + WIDE / 2;
    placed.set(node.number, { node, name: parents.get(node.number)?.name ?? "", x, y, place: [x, y, WIDE, HIGH] });
  };
  for (const { node, leaving } of depthFirst(nodes, children, byNumber)) {
    const below = children.get(node.number) ?? [];
    if (!leaving && !below.length) place(node, (rows++ + 0.5) * ROW);
    if (leaving && below.length) {
      const ys = below.map((edge) => placed.get(edge.to)?.y ?? 0);
      place(node, (ys[0] + ys[ys.length - 1]) / 2);
    }
  }
  return {
    nodes: nodes.flatMap((node) => placed.get(node.number) ?? []),
    edges: joined(edges, placed, parents),
    width: (Math.max(0, ...nodes.map((node) => node.depth)) + 1) * COLUMN,
    height: Math.max(1, rows) * ROW,
  };
}

/** The first edge to each node, from a smaller depth. @param {GraphNode[]} nodes @param {GraphEdge[]} edges @param {Map<number, GraphNode>} byNumber */
function spanningTree(nodes, edges, byNumber) {
  /** @type {Map<number, GraphEdge>} */
  const parents = new Map();
  /** @type {Map<number, GraphEdge[]>} */
  const children = new Map();
  for (const edge of edges) {
    const from = byNumber.get(edge.from),
      to = byNumber.get(edge.to);
    if (!from || !to || parents.has(edge.to) || to.depth <= from.depth) continue;
    parents.set(edge.to, edge);
    children.set(edge.from, [...(children.get(edge.from) ?? []), edge]);
  }
  return { parents, children };
}

/** Every node when it is entered and when it is left; iterative, because a line may be deep. @param {GraphNode[]} nodes @param {Map<number, GraphEdge[]>} children @param {Map<number, GraphNode>} byNumber */
function* depthFirst(nodes, children, byNumber) {
  const reached = new Set([...children.values()].flat().map((edge) => edge.to));
  const stack = nodes
    .filter((node) => !reached.has(node.number))
    .reverse()
    .map((node) => ({ node, leaving: false }));
  while (stack.length) {
    const step = /** @type {{ node: GraphNode, leaving: boolean }} */ (stack.pop());
    yield step;
    if (step.leaving) continue;
    stack.push({ node: step.node, leaving: true });
    for (const edge of [...(children.get(step.node.number) ?? [])].reverse()) {
      const node = byNumber.get(edge.to);
      if (node) stack.push({ node, leaving: false });
    }
  }
}

/** @param {GraphEdge[]} edges @param {Map<number, Placed>} placed @param {Map<number, GraphEdge>} parents @returns {Joined[]} */
function joined(edges, placed, parents) {
  return edges.flatMap((edge) => {
    const from = placed.get(edge.from),
      to = placed.get(edge.to);
    return from && to ? [{ edge, from, to, tree: parents.get(edge.to) === edge }] : [];
  });
}

/** The curve of an edge. @param {Joined} join */
export function edgePath({ from, to }) {
  const x1 = from.x + WIDE / 2,
    x2 = to.x - WIDE / 2,
    bend = Math.max(24, Math.abs(x2 - x1) / 2);
  return `M${x1} ${from.y} C${x1 + bend} ${from.y} ${x2 - bend} ${to.y} ${x2} ${to.y}`;
}
