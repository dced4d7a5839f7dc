// SPDX-License-Identifier: MIT
// The line of states that an iteration follows from the root, and the visits that it counts.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace unbounded {

struct Line {
    std::vector<NodeId> path;
    std::vector<Edge*> followed;  // the edges along the path
    bool in_progress = false;     // an iteration is following it

    void clear() {
        path.clear();
        followed.clear();
    }
    // Counts a visit of the edge and returns its child.
    NodeId follow(Edge& edge) {
        if (edge.visits != UINT32_MAX) ++edge.visits;
        followed.push_back(&edge);
        return edge.child;
    }
    // Takes back the last edge.
    void unfollow() {
        if (followed.back()->visits != UINT32_MAX) --followed.back()->visits;
        followed.pop_back();
    }
    // For an iteration that came to nothing, or that is not to be seen for a while.
    void undo_visits() const {
        for (Edge* edge : followed)
            if (edge->visits != UINT32_MAX) --edge->visits;
    }
    void redo_visits() const {
        for (Edge* edge : followed)
            if (edge->visits != UINT32_MAX) ++edge->visits;
    }
};

// Marks an iteration as in progress while it lives.
class InProgress {
  public:
    explicit InProgress(Line& line) : line_(line) { line_.in_progress = true; }
    ~InProgress() { line_.in_progress = false; }
    InProgress(const InProgress&) = delete;
    InProgress& operator=(const InProgress&) = delete;

  private:
    Line& line_;
};

}  // namespace unbounded
