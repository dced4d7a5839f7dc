// SPDX-License-Identifier: MIT
// What to do when memory is full: forget the states that no proof and no line needs any more. Below
// a resolved state only the line that proves it is kept; what else was there has done its work.
#include <algorithm>
#include <new>

#include "search/search.h"

namespace unbounded {

bool Graph::compact(const std::vector<NodeId>& renumbered) try {
    std::vector<NodeId> parents;  // in the order of their edges
    for (NodeId id = 0; id < size(); ++id)
        if (renumbered[id] != no_node && node(id).is(expanded)) parents.push_back(id);
    std::sort(parents.begin(), parents.end(),
              [this](NodeId a, NodeId b) { return node(a).first_edge < node(b).first_edge; });
    // Nothing moves up, so what is overwritten has been moved already.
    std::uint64_t edge_count = 0;
    for (const NodeId id : parents) {
        Node& parent = node(id);
        const Edge* const from = edges(parent);
        const std::uint64_t room = Records::chunk_length - (edge_count % Records::chunk_length);
        if (parent.edge_count > room) edge_count += room;
        parent.first_edge = static_cast<std::uint32_t>(edge_count);
        Edge* const to = edges(parent);
        for (int i = 0; i < parent.edge_count; ++i)
            to[i] = {renumbered[from[i].child], from[i].visits};
        edge_count += parent.edge_count;
    }
    edges_.shrink(edge_count);
    NodeId kept = 0;
    for (NodeId id = 0; id < size(); ++id) {
        if (renumbered[id] == no_node) continue;
        std::memmove(nodes_[kept], nodes_[id], nodes_.record_bytes());
        std::memmove(states_[kept], states_[id], state_bytes);
        ++kept;
    }
    nodes_.shrink(kept);
    states_.shrink(kept);
    drop_former();
    drop_next();
    std::memset(static_cast<void*>(table_), 0, capacity_ * sizeof(Slot));
    for (NodeId id = 0; id < kept; ++id) {
        const std::uint64_t hash = this->hash(state(id));
        std::uint64_t at = slot_of(hash);
        while (table_[at].id_plus_one != 0) at = (at + 1) & (capacity_ - 1);
        table_[at] = {tag_of(hash), id + 1};
    }
    return true;
} catch (const std::bad_alloc&) {
    return false;
}

// Marks what is needed: below an open state everything, below a resolved one a line that proves it.
std::vector<bool> Search::needed() const {
    std::vector<bool> marked(graph_.size());
    std::vector<NodeId> open{root_};
    marked[root_] = true;
    const auto mark = [&](NodeId id) {
        if (!marked[id]) open.push_back(id);
        marked[id] = true;
    };
    while (!open.empty()) {
        const NodeId id = open.back();
        const Node& node = graph_.node(id);
        open.pop_back();
        if (!node.is(expanded)) continue;
        const Edge* const edges = graph_.edges(node);
        if (node.is(resolved)) {
            const int best = best_child(id);
            if (best >= 0) mark(edges[best].child);
        } else {
            for (int i = 0; i < node.edge_count; ++i) mark(edges[i].child);
        }
    }
    return marked;
}

bool Search::forget_what_is_proven() try {
    const std::vector<bool> marked = needed();
    std::vector<NodeId> renumbered(graph_.size(), no_node);
    NodeId kept = 0;
    for (NodeId id = 0; id < graph_.size(); ++id)
        if (marked[id]) renumbered[id] = kept++;
    if (graph_.size() - kept < std::max<NodeId>(1, graph_.size() / least_gain)) return false;
    // From here on edges are cut; an edge to a state that is kept anyway may go with them.
    for (NodeId id = 0; id < graph_.size(); ++id) {
        Node& node = graph_.node(id);
        if (!marked[id] || !node.is(resolved) || !node.is(expanded)) continue;
        const int best = best_child(id);
        Edge* const edges = graph_.edges(node);
        if (best >= 0)
            edges[0] = edges[best];
        else
            node.clear(expanded);  // proven by a probe: it is a leaf again
        node.edge_count = best >= 0 ? 1 : 0;
    }
    if (!graph_.compact(renumbered)) return false;
    root_ = renumbered[root_];
    std::uint64_t still_resolved = 0;
    for (NodeId id = 0; id < graph_.size(); ++id) still_resolved += graph_.node(id).is(resolved);
    resolved_ = still_resolved - expander_.terminal_states();  // of those that are stored
    path_.clear();
    followed_.clear();
    steps_.clear();
    ++compactions_;
    return true;
} catch (const std::bad_alloc&) {
    return false;
}

}  // namespace unbounded
