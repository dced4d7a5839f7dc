// SPDX-License-Identifier: MIT
// The selection of a child, the same for every algorithm, value rule and loop. A value rule defines
// the key of a child, a filter which children take part.
#pragma once

#include <cstdint>
#include <cstring>

#include "graph/graph.h"

namespace unbounded {

inline bool same_numbers(const Node& a, const Node& b, int width) {
    return std::memcmp(a.completion(width), b.completion(width), width) == 0 &&
           std::memcmp(a.values(), b.values(), width * sizeof(float)) == 0;
}

// Filters.
struct AllChildren {
    bool operator()(const Node&) const { return true; }
};
struct Unresolved {
    bool operator()(const Node& child) const { return !child.is(resolved); }
};
struct ResolvedWithNumbersOf {
    const Node& node;
    const int width;
    bool operator()(const Node& child) const {
        return child.is(resolved) && same_numbers(child, node, width);
    }
};

// Which of two children with equal keys is selected; if their visits are equal too, the first.
enum class Ties { most_visited, least_visited };

struct Choice {
    const Node* child = nullptr;  // null: no child passes the filter
    int position = -1;            // of its edge
    bool all_resolved = true;     // every child that passes the filter is
};

// Callback for children not selected; the one in ubfm.cpp records them.
struct NoRivals {
    void filtered_out(const Node&) const {}
    void replaced(Edge&, std::int64_t /*key*/) const {}
    void not_better(Edge&, std::int64_t /*key*/) const {}
};

// argmax over the children of (Values::key, n), or of (Values::key, -n) for the least visited (the
// paper's dual).
template <class Values, Ties ties, class Filter, class Rivals = NoRivals>
Choice choose(const Graph& graph, const Node& node, const Filter& takes_part,
              Rivals&& rivals = Rivals{}) {
    Choice choice;
    std::int64_t best_key = 0;
    std::uint32_t best_visits = 0;
    Edge* const edges = graph.edges(node);
    for (int i = 0; i < node.edge_count; ++i) {
        const Node& child = graph.node_of<Values::known_width>(edges[i].child);
        if (!takes_part(child)) {
            rivals.filtered_out(child);
            continue;
        }
        choice.all_resolved &= child.is(resolved);
        const std::int64_t key = Values::key(child, node.player, graph.width);
        const std::uint32_t visits = edges[i].visits;
        const bool wins_tie =
            ties == Ties::least_visited ? visits < best_visits : visits > best_visits;
        if (choice.child == nullptr || key > best_key || (key == best_key && wins_tie)) {
            if (choice.child != nullptr) rivals.replaced(edges[choice.position], best_key);
            choice.child = &child;
            choice.position = i;
            best_key = key;
            best_visits = visits;
        } else {
            rivals.not_better(edges[i], key);
        }
    }
    return choice;
}

template <class Values>
Choice best_child(const Graph& graph, const Node& node) {
    return choose<Values, Ties::most_visited>(graph, node, AllChildren{});
}

// The best among those resolved children of a resolved node that have the node's numbers.
template <class Values>
Choice witness(const Graph& graph, const Node& node) {
    return choose<Values, Ties::most_visited>(graph, node,
                                              ResolvedWithNumbersOf{node, graph.width});
}

template <class Values>
Choice least_tried_best_child(const Graph& graph, const Node& node) {
    return choose<Values, Ties::least_visited>(graph, node, Unresolved{});
}

}  // namespace unbounded
