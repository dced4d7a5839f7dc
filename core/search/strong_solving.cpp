// SPDX-License-Identifier: MIT
// Expands every state breadth first, then resolves each after its children.
#include "search/strong_solving.h"

namespace unbounded {

namespace {

// Calls a function with each child that is met for the first time.
template <class Use>
void for_new_children(const Graph& graph, const Node& node, std::vector<bool>& seen,
                      const Use& use) {
    const Edge* const edges = graph.edges(node);
    for (int i = 0; i < node.edge_count; ++i) {
        if (seen[edges[i].child]) continue;
        seen[edges[i].child] = true;
        use(edges[i].child);
    }
}

// Expands every state that is found, breadth first.
Stop expand_all(Walk& walk, Watch& watch, std::vector<NodeId>& found) {
    Graph& graph = walk.graph;
    std::vector<bool> seen(graph.size());
    seen[found[0]] = true;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (watch.expired(16)) return watch.reason();
        Node& node = graph.node(found[i]);
        if (node.is(terminal)) continue;
        // After a compaction, a resolved state may have lost all children but one.
        if (walk.searched.counts.compactions > 0 && node.is(resolved)) {
            node.clear(expanded);
            node.edge_count = 0;
        }
        if (!node.is(expanded)) {
            if (graph.size() >= walk.limits.states) return Stop::states;
            if (walk.expand(found[i]) == Stored::no_memory) return Stop::memory;
            seen.resize(graph.size());
        }
        for_new_children(graph, node, seen, [&](NodeId child) { found.push_back(child); });
    }
    return Stop::resolved;
}

// Resolves these states, each after its children.
template <class Values>
Stop resolve_upwards(Walk& walk, Watch& watch, const std::vector<NodeId>& states) {
    Graph& graph = walk.graph;
    std::vector<int> next_edge;  // for each state of the path
    walk.begin();
    const auto go_to = [&](NodeId id) {
        walk.enter(id);
        next_edge.push_back(0);
    };
    for (const NodeId start : states) {
        if (!graph.node(start).is(resolved)) go_to(start);
        while (!walk.line.path.empty()) {
            if (watch.expired(1)) {
                walk.leave();
                return watch.reason();
            }
            const NodeId id = walk.line.path.back();
            const Node& node = graph.node(id);
            if (next_edge.back() < node.edge_count) {
                const NodeId child = graph.edges(node)[next_edge.back()++].child;
                if (!graph.node(child).is(resolved)) go_to(child);
                continue;
            }
            walk.back_up<Values>(id);
            walk.retreat();
            next_edge.pop_back();
        }
    }
    return Stop::resolved;
}

}  // namespace

Stop resolve_all(Walk& walk, const Limits& limits, const Poll& poll) {
    Watch watch(limits.seconds, poll);
    walk.limits = limits;
    walk.begin();
    const InProgress in_progress(walk.line);
    std::vector<NodeId> found{walk.searched.root};
    const Stop stop = expand_all(walk, watch, found);
    if (stop != Stop::resolved) return stop;
    return with_value_rule(walk.searched.options.values, [&]<class Values>() {
        return resolve_upwards<Values>(walk, watch, found);
    });
}

std::vector<Ply> count_by_ply(const SearchGraph& searched) {
    const Graph& graph = searched.graph;
    std::vector<bool> seen(graph.size());
    std::vector<NodeId> now{searched.root}, after;
    seen[searched.root] = true;
    std::vector<Ply> plies;
    while (!now.empty()) {
        Ply& ply = plies.emplace_back();
        ply.outcomes.resize(graph.width);
        for (const NodeId id : now) {
            const Node& node = graph.node(id);
            ++ply.states;
            ply.terminal += node.is(terminal);
            for (int p = 0; p < graph.width; ++p)
                ++ply.outcomes[p][node.completion(graph.width)[p] + 1];
            if (!node.is(expanded)) continue;
            for_new_children(graph, node, seen, [&](NodeId child) { after.push_back(child); });
        }
        now.swap(after);
        after.clear();
    }
    return plies;
}

}  // namespace unbounded
