// SPDX-License-Identifier: MIT
// Strong solving: every state that can be reached from the root is stored and resolved.
#include <algorithm>

#include "search.h"

namespace unbounded {

Stop Search::resolve_all(const Limits& limits, const Poll& poll) {
    Watch watch(limits.seconds, poll);
    memory_limit_ = limits.memory;
    // Every state that is found gets the next number, so this is breadth first.
    for (NodeId id = 0; id < graph_.size(); ++id) {
        if (watch.expired(16)) return watch.reason();
        const Node& node = graph_.node(id);
        if (node.is(expanded) || node.is(terminal)) continue;
        if (graph_.size() >= limits.states) return Stop::states;
        if (!expand(id)) return Stop::memory;
    }
    switch (options_.values) {
        case ValueRule::minimax: return resolve_upwards<Minimax>(watch);
        case ValueRule::resolved_completion: return resolve_upwards<ResolvedCompletion>(watch);
        default: return resolve_upwards<PropagatedCompletion>(watch);
    }
}

// Resolves all states, each after its children.
template <class Values>
Stop Search::resolve_upwards(Watch& watch) {
    std::vector<int> next_edge;  // for each state of the path
    begin_path();
    const auto go_to = [&](NodeId id) {
        enter(id);
        next_edge.push_back(0);
    };
    for (NodeId start = 0; start < graph_.size(); ++start) {
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
