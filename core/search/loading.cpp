// SPDX-License-Identifier: MIT
// The checks of a graph that was read from a file, by itself and against the rules.
#include "search/loading.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace unbounded {

namespace {

bool is_outcome(std::int8_t number) { return number >= -1 && number <= 1; }

void check_numbers(const Graph& graph, const Node& node, int players, const WorthScale& scale,
                   bool movers) {
    const int width = graph.width;
    const int of_movers = movers && !node.is(terminal) ? mover_draws | mover_wins : 0;
    require_sound((node.flags & ~(expanded | terminal | resolved | of_movers)) == 0,
                  "an unknown flag");
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
            // The search relies on this: a line that always goes to the next ply has an end.
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
                 bool layered, bool movers) {
    require_sound(saved.root < graph.size(), "no root");
    require_sound(saved.layered <= 1 && saved.workers_layered <= 1, "an unknown flag");
    EdgeCheck check_edges(graph, layered && graph.keeps_plies());
    for (NodeId id = 0; id < graph.size(); ++id) {
        check_numbers(graph, graph.node(id), players, scale, movers);
        check_edges(graph.node(id));
    }
}

RuleCheck::RuleCheck(const Graph& graph, const Rules& rules, const WorthScale& scale,
                     bool completion, bool compacted)
    : graph_(graph),
      rules_(rules),
      scale_(scale),
      completion_(completion),
      compacted_(compacted),
      description_(rules.players),
      listed_(rules),
      successor_(rules.state_bytes) {}

std::optional<Disagreement> RuleCheck::operator()(NodeId begin, NodeId end, NodeId step) {
    for (std::uint64_t id = begin; id < end; id += step) {
        try {
            const char* const rule = differing_rule(static_cast<NodeId>(id));
            if (rule != nullptr) return Disagreement{static_cast<NodeId>(id), rule};
        } catch (const RuleFailure& failure) {
            return Disagreement{static_cast<NodeId>(id), failure.rule};
        }
    }
    return std::nullopt;
}

const char* RuleCheck::differing_rule(NodeId id) {
    const Node& node = graph_.node(id);
    rules_.describe(graph_.state(id), description_);
    if (description_.terminal != node.is(terminal)) return "actions";
    if (description_.terminal) return differing_end(node);
    if (description_.player != node.player) return "player";
    return !node.is(expanded) || same_successors(id) ? nullptr : "next";
}

const char* RuleCheck::differing_end(const Node& node) const {
    const auto& [player, actions, is_terminal, outcome, score] = description_;
    for (int p = 0; p < graph_.width; ++p) {
        if (completion_ && outcome[p] != node.completion(graph_.width)[p]) return "outcome";
        if (score[p] + 0.0f != node.values()[p]) return "score";
    }
    if (!completion_) return nullptr;
    if (!node.is(resolved)) return "outcome";
    if (graph_.bounding == Bounding::none) return nullptr;
    const Worth worth = scale_.of(outcome[0], score[0]);
    return graph_.bounds(node) == Bounds{worth, worth} ? nullptr : "outcome";
}

bool RuleCheck::same_successors(NodeId id) {
    const Node& node = graph_.node(id);
    rules_.list_actions(graph_.state(id), listed_);
    const int actions = listed_.count;
    if (compacted_ && node.is(resolved)) return leads_only_to(id);
    const Edge* const edges = graph_.edges(node);
    int next = 0;  // the edge that is due
    bool same = true;
    for (int i = 0; i < actions && same; ++i) {
        rules_.successor(graph_.state(id), listed_, i, successor_.data());
        const NodeId child = graph_.find(successor_.data(), graph_.hash(successor_.data()));
        if (child != no_node && graph_.node(child).is(has_edge)) continue;
        same = child != no_node && next < node.edge_count && edges[next].child == child;
        if (same) graph_.node(edges[next++].child).set(has_edge);
    }
    for (int i = 0; i < next; ++i) graph_.node(edges[i].child).clear(has_edge);
    return same && next == node.edge_count;
}

// Whether every edge of a state whose other edges were forgotten is one of a legal action.
bool RuleCheck::leads_only_to(NodeId id) {
    const Node& node = graph_.node(id);
    const Edge* const edges = graph_.edges(node);
    int found = 0;
    for (int i = 0; i < listed_.count && found < node.edge_count; ++i) {
        rules_.successor(graph_.state(id), listed_, i, successor_.data());
        const NodeId child = graph_.find(successor_.data(), graph_.hash(successor_.data()));
        found += child == edges[found].child;
    }
    return found == node.edge_count;
}

}  // namespace unbounded
