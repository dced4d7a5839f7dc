// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { test } from "node:test";
import { edgePath, HIGH, layout, WIDE } from "../../src/unbounded/interfaces/web/page/graph_layout.js";

const node = (number, depth) => ({
  number,
  depth,
  path: Array(depth).fill("x"),
  mover: 0,
  visits: 1,
  expanded: true,
  more: 0,
});
const edge = (from, to, name = "m") => ({ from, to, name, visits: 1 });

const overlap = (a, b) => Math.abs(a.x - b.x) < WIDE && Math.abs(a.y - b.y) < HIGH;

test("a shared state is drawn once, with an edge from each parent", () => {
  const made = layout({
    nodes: [node(0, 0), node(1, 1), node(2, 1), node(3, 2)],
    edges: [edge(0, 1), edge(0, 2), edge(1, 3), edge(2, 3, "n")],
  });
  assert.equal(made.nodes.length, 4);
  assert.deepEqual(
    made.edges.map(({ tree }) => tree),
    [true, true, true, false],
  );
  assert.match(edgePath(made.edges[0]), /^M96 .* C/);
});

test("nothing overlaps in a graph of 300 nodes, and a parent is beside its children", () => {
  const nodes = [node(0, 0)],
    edges = [];
  for (let i = 1; i < 300; i += 1) {
    const parent = Math.floor((i - 1) / 3);
    nodes.push(node(i, nodes[parent].depth + 1));
    edges.push(edge(parent, i));
  }
  const made = layout({ nodes, edges });
  assert.equal(made.nodes.length, 300);
  for (const a of made.nodes) for (const b of made.nodes) assert.ok(a === b || !overlap(a, b));
  const ys = made.edges.filter(({ edge: { from } }) => from === 0).map(({ to }) => to.y);
  assert.ok(made.nodes[0].y >= Math.min(...ys) && made.nodes[0].y <= Math.max(...ys));
});

test("a line of 20,000 moves, a cycle, a lost parent and nothing at all", () => {
  const length = 20_000;
  const line = layout({
    nodes: Array.from({ length }, (_, i) => node(i, i)),
    edges: Array.from({ length: length - 1 }, (_, i) => edge(i, i + 1)),
  });
  assert.equal(line.nodes.length, length);
  assert.equal(layout({ nodes: [node(1, 0), node(2, 1)], edges: [edge(1, 2), edge(2, 1)] }).nodes.length, 2);
  assert.equal(layout({ nodes: [node(5, 3)], edges: [edge(4, 5)] }).nodes.length, 1);
  assert.deepEqual(layout({ nodes: [], edges: [] }).nodes, []);
});
