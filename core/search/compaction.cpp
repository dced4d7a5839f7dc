// SPDX-License-Identifier: MIT
// Decides what is needed, cuts the edges to the rest, and compacts the graph.
#include "search/compaction.h"

#include <algorithm>
#include <new>
#include <vector>

namespace unbounded {

namespace {

constexpr NodeId least_gain = 8;  // a compaction must free this part of the states

constexpr std::uint64_t states_between_looks = 4096;

// Marks what is needed: below an open state everything, below a resolved one a line that proves it.
// Empty: time is up.
std::vector<bool> needed(const SearchGraph& searched, const Watch* watch) {
    const Graph& graph = searched.graph;
    std::vector<bool> marked(graph.size());
    std::vector<NodeId> open{searched.root};
    marked[searched.root] = true;
    const auto mark = [&](NodeId id) {
        if (!marked[id]) open.push_back(id);
        marked[id] = true;
    };
    for (std::uint64_t done = 0; !open.empty(); ++done) {
        if (done % states_between_looks == 0 && watch != nullptr && watch->late()) return {};
        const NodeId id = open.back();
        const Node& node = graph.node(id);
        open.pop_back();
        if (!node.is(expanded)) continue;
        const Edge* const edges = graph.edges(node);
        if (node.is(resolved)) {
            const int best = searched.best_child(id);
            if (best >= 0) mark(edges[best].child);
        } else {
            for (int i = 0; i < node.edge_count; ++i) mark(edges[i].child);
        }
    }
    return marked;
}

// Leaves a resolved state the edge that proves it. An edge to a state that is kept anyway may be
// removed with the others.
void cut_edges(SearchGraph& searched, NodeId id) {
    Node& node = searched.graph.node(id);
    if (!node.is(resolved) || !node.is(expanded)) return;
    const int best = searched.best_child(id);
    Edge* const edges = searched.graph.edges(node);
    if (best >= 0)
        edges[0] = edges[best];
    else
        node.clear(expanded);  // proven by a probe: it is a leaf again
    node.edge_count = best >= 0 ? 1 : 0;
}

}  // namespace

Compaction compact(SearchGraph& searched, const Watch* watch) try {
    Graph& graph = searched.graph;
    const std::vector<bool> marked = needed(searched, watch);
    if (marked.empty()) return Compaction::out_of_time;
    std::vector<NodeId> renumbered(graph.size(), no_node);
    NodeId kept = 0;
    for (NodeId id = 0; id < graph.size(); ++id)
        if (marked[id]) renumbered[id] = kept++;
    if (graph.size() - kept < std::max<NodeId>(1, graph.size() / least_gain))
        return Compaction::not_worth_it;
    for (NodeId id = 0; id < graph.size(); ++id)
        if (marked[id]) cut_edges(searched, id);
    if (!graph.compact(renumbered)) return Compaction::not_worth_it;
    searched.root = renumbered[searched.root];
    std::uint64_t still_resolved = 0;
    for (NodeId id = 0; id < graph.size(); ++id) still_resolved += graph.node(id).is(resolved);
    // `resolved_states` adds the expander's terminal states again.
    searched.counts.resolved = still_resolved - searched.expander.terminal_states();
    ++searched.counts.compactions;
    return Compaction::freed;
} catch (const std::bad_alloc&) {
    return Compaction::not_worth_it;
}

}  // namespace unbounded
