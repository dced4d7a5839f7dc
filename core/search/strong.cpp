// SPDX-License-Identifier: MIT
// Strong solving: every state that can be reached from the root is stored and resolved.
#include <vector>

#include "search/search.h"

namespace unbounded {

Stop Search::resolve_all(const Limits& limits, const Poll& poll) {
    Watch watch(limits.seconds, poll);
    memory_limit_ = limits.memory;
    begin_path();
    const Iterating iterating(iterating_);
    std::vector<NodeId> found{root_};  // breadth first
    std::vector<bool> seen(graph_.size());
    seen[root_] = true;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (watch.expired(16)) return watch.reason();
        Node& node = graph_.node(found[i]);
        if (node.is(terminal)) continue;
        // A resolved state may have forgotten all children but one.
        if (compactions_ > 0 && node.is(resolved)) {
            node.clear(expanded);
            node.edge_count = 0;
        }
        if (!node.is(expanded)) {
            if (graph_.size() >= limits.states) return Stop::states;
            if (!expand(found[i])) return Stop::memory;
            seen.resize(graph_.size());
        }
        const Edge* const edges = graph_.edges(node);
        for (int k = 0; k < node.edge_count; ++k) {
            if (seen[edges[k].child]) continue;
            seen[edges[k].child] = true;
            found.push_back(edges[k].child);
        }
    }
    switch (options_.values) {
        case ValueRule::minimax: return resolve_upwards<Minimax>(found, watch);
        case ValueRule::resolved_completion:
            return resolve_upwards<ResolvedCompletion>(found, watch);
        default: return resolve_upwards<PropagatedCompletion>(found, watch);
    }
}

// Resolves these states, each after its children.
template <class Values>
Stop Search::resolve_upwards(const std::vector<NodeId>& states, Watch& watch) {
    std::vector<int> next_edge;  // for each state of the path
    begin_path();
    const auto go_to = [&](NodeId id) {
        enter(id);
        next_edge.push_back(0);
    };
    for (const NodeId start : states) {
        if (!graph_.node(start).is(resolved)) go_to(start);
        while (!path_.empty()) {
            if (watch.expired(1)) {
                leave_path();
                return watch.reason();
            }
            Node& node = graph_.node(path_.back());
            if (next_edge.back() < node.edge_count) {
                const NodeId child = graph_.edges(node)[next_edge.back()++].child;
                if (!graph_.node(child).is(resolved)) go_to(child);
                continue;
            }
            back_up<Values>(path_.back());
            node.clear(on_path);
            path_.pop_back();
            next_edge.pop_back();
        }
    }
    return Stop::resolved;
}

std::vector<Search::Ply> Search::count_by_ply() const {
    std::vector<bool> seen(graph_.size());
    std::vector<NodeId> now{root_}, after;
    seen[root_] = true;
    std::vector<Ply> plies;
    while (!now.empty()) {
        Ply& ply = plies.emplace_back();
        ply.outcomes.resize(graph_.width);
        for (const NodeId id : now) {
            const Node& node = graph_.node(id);
            ++ply.states;
            ply.terminal += node.is(terminal);
            for (int p = 0; p < graph_.width; ++p)
                ++ply.outcomes[p][node.completion(graph_.width)[p] + 1];
            if (!node.is(expanded)) continue;
            const Edge* const edges = graph_.edges(node);
            for (int i = 0; i < node.edge_count; ++i) {
                if (seen[edges[i].child]) continue;
                seen[edges[i].child] = true;
                after.push_back(edges[i].child);
            }
        }
        now.swap(after);
        after.clear();
    }
    return plies;
}

}  // namespace unbounded
