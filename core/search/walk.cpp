// SPDX-License-Identifier: MIT
// Marks the states of a path, so that a cycle is found when it is entered.
#include "search/walk.h"

#include <algorithm>

namespace unbounded {

void Walk::enter(NodeId id) {
    Node& node = graph.node(id);
    if (node.is(on_path)) report_cycle(graph, line.path, id);
    line.path.push_back(id);
    node.set(on_path);
    marked_ = true;
    ++searched.counts.walked;
}

void Walk::leave() {
    if (!marked_) return;
    mark_path(false);
    marked_ = false;
}

void Walk::retreat() {
    graph.node(line.path.back()).clear(on_path);
    line.path.pop_back();
}

void Walk::step_back() const {
    if (!line.in_progress) return;
    line.undo_visits();
    if (marked_) mark_path(false);
}

void Walk::step_forward() const {
    if (!line.in_progress) return;
    line.redo_visits();
    if (marked_) mark_path(true);
}

void Walk::mark_path(bool mark) const {
    for (const NodeId id : line.path) {
        if (mark)
            graph.node(id).set(on_path);
        else
            graph.node(id).clear(on_path);
    }
}

void report_cycle(const Graph& graph, const std::vector<NodeId>& path, NodeId id) {
    std::vector<State> states;
    for (auto at = std::find(path.begin(), path.end(), id); at != path.end(); ++at)
        states.push_back(graph.state(*at));
    throw cycle_failure(states, graph.state_bytes);
}

}  // namespace unbounded
