// SPDX-License-Identifier: MIT
// The value rule of the solver for two players, zero sum: minimax with proven bounds of the worth.
// A state is resolved as soon as its bounds meet, which may be long before its children are.
#pragma once

#include <algorithm>
#include <utility>

#include "search/completion.h"

namespace unbounded {

struct BoundedMinimax {
    static constexpr int known_width = 0;  // the size of a node depends on the kind of bounds

    static std::int64_t key(const Node& child, int player, int width) {
        return Minimax::key(child, player, width);
    }

    // Filter: the children that are open and could be worth more to the mover than it has already.
    struct CanMatter {
        const Graph& graph;
        const int player;
        const Worth beat;
        bool operator()(const Node& child) const {
            return !child.is(resolved) && graph.bounds(child).seen_by(player).hi > beat;
        }
    };

    static void back_up(const Judgment& j, Node& node, State) {
        Bounds proven = j.scale.all.seen_by(node.player);
        proven.hi = proven.lo;
        const Node* best = nullptr;
        std::int64_t best_key = 0;
        const Edge* const edges = j.graph.edges(node);
        for (int i = 0; i < node.edge_count; ++i) {
            const Node& child = j.graph.node(edges[i].child);
            const Bounds bounds = j.graph.bounds(child).seen_by(node.player);
            proven.lo = std::max(proven.lo, bounds.lo);
            proven.hi = std::max(proven.hi, bounds.hi);
            const std::int64_t key = BoundedMinimax::key(child, node.player, 1);
            if (best != nullptr && key <= best_key) continue;
            best = &child;
            best_key = key;
        }
        node.values()[0] = best->values()[0];
        narrow(j, node, proven.seen_by(node.player));
    }

    // Adds what was proven of a node; if its bounds meet, the node is resolved.
    static void narrow(const Judgment& j, Node& node, Bounds bounds) {
        if (node.is(resolved)) return;
        bounds = bounds.meet(j.graph.bounds(node));
        j.graph.set_bounds(node, bounds);
        const int outcome = j.scale.outcome(bounds.lo);
        if (outcome == j.scale.outcome(bounds.hi)) {
            node.completion(1)[0] = static_cast<std::int8_t>(outcome);
            node.tentative(1)[0] = static_cast<std::int8_t>(outcome);
        }
        if (!bounds.exact()) return;
        node.values()[0] = j.scale.score(bounds.lo);
        node.set(resolved);
    }

    // The position of a child that proves, or else is expected to give, what the node is worth. Of
    // a resolved node: a child that cannot be worse than it by its bounds; among those, one whose
    // own children are known, so that a principal variation that was proven stays the best.
    static int best_child(const Graph& graph, const Node& node) {
        const auto rank = [&](const Node& child) {
            if (!node.is(resolved)) return std::pair<Worth, bool>{0, false};
            const bool goes_on = child.is(resolved) && (child.is(expanded) || child.is(terminal));
            return std::pair{graph.bounds(child).seen_by(node.player).lo, goes_on};
        };
        int best = -1;
        std::pair<std::pair<Worth, bool>, std::int64_t> best_key;
        const Edge* const edges = graph.edges(node);
        for (int i = 0; i < node.edge_count; ++i) {
            const Node& child = graph.node(edges[i].child);
            const std::pair child_key{rank(child), key(child, node.player, 1)};
            if (best >= 0 && child_key <= best_key) continue;
            best = i;
            best_key = child_key;
        }
        return best;
    }
};

}  // namespace unbounded
