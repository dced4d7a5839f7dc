// SPDX-License-Identifier: MIT
#include "loading.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace unbounded {

namespace {

bool is_outcome(std::int8_t number) { return number >= -1 && number <= 1; }

void check_numbers(const Graph& graph, const Node& node, int players, const WorthScale& scale) {
    const int width = graph.width;
    require_sound((node.flags & ~(expanded | terminal | resolved)) == 0, "an unknown flag");
    require_sound(!node.is(terminal) || !node.is(expanded), "moves after the end of the game");
    require_sound(node.player < players, "an unknown player");
    for (int p = 0; p < width; ++p) {
        require_sound(std::isfinite(node.values()[p]), "a value that is not finite");
        require_sound(is_outcome(node.completion(width)[p]), "an unknown outcome");
        require_sound(is_outcome(node.tentative(width)[p]), "an unknown outcome");
    }
    if (graph.bounding == Bounding::none) return;
    const Bounds bounds = graph.bounds(node);
    require_sound(scale.holds(bounds), "bounds that cannot be");
    require_sound(bounds.exact() == node.is(resolved), "bounds that do not fit what is resolved");
}

// A state's edges: where they lie and where they lead. No two states may share one.
class EdgeCheck {
  public:
    EdgeCheck(const Graph& graph, bool layered)
        : graph_(graph), layered_(layered), taken_(graph.edge_count()) {}

    void operator()(const Node& node) {
        if (!node.is(expanded)) return require_sound(node.edge_count == 0, "edges of a leaf");
        const std::uint64_t first = node.first_edge, end = first + node.edge_count;
        require_sound(node.edge_count > 0 && end <= taken_.size(), "edges that are not there");
        require_sound(first >> Records::chunk_bits == (end - 1) >> Records::chunk_bits,
                      "edges that do not lie together");
        const Edge* const edges = graph_.edges(node);
        for (int i = 0; i < node.edge_count; ++i) {
            require_sound(!taken_[first + i], "an edge of two states");
            taken_[first + i] = true;
            require_sound(edges[i].child < graph_.size(), "an edge to nowhere");
            // The search trusts in this: a line that always goes to the next ply has an end.
            require_sound(
                !layered_ || graph_.ply(graph_.node(edges[i].child)) == graph_.ply(node) + 1,
                "an edge to another ply");
        }
    }

  private:
    const Graph& graph_;
    const bool layered_;
    std::vector<bool> taken_;
};

}  // namespace

void check_graph(const Graph& graph, const Saved& saved, int players, const WorthScale& scale,
                 bool layered) {
    require_sound(saved.root < graph.size(), "no root");
    require_sound(saved.layered <= 1 && saved.workers_layered <= 1, "an unknown flag");
    EdgeCheck check_edges(graph, layered && graph.keeps_plies());
    for (NodeId id = 0; id < graph.size(); ++id) {
        check_numbers(graph, graph.node(id), players, scale);
        check_edges(graph.node(id));
    }
}

}  // namespace unbounded
