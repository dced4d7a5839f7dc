// SPDX-License-Identifier: MIT
// The steps that an iteration is made of: enter a state, expand it, follow an edge, back up. The
// algorithms (ubfm.cpp, descent.cpp) differ only in the order in which they take them.
#pragma once

#include "search/line.h"
#include "search/search_graph.h"

namespace unbounded {

// How an iteration ended.
enum class Progress {
    done,
    no_memory,  // it came to nothing, but for states expanded on the way
    no_states,  // the limit of states was reached in the middle
    expired,    // time was up in the middle
    given_up,   // time was up during an evaluation; it came to nothing
};

class Walk {
  public:
    explicit Walk(SearchGraph& searched) : searched(searched), graph(searched.graph) {}

    void begin() {
        line.clear();
        marked_ = false;
    }
    // Makes the state the next one of the path. A state that is on the path already is a cycle,
    // which is a RuleFailure.
    void enter(NodeId id);
    NodeId follow(const Node& node, int position) {
        return line.follow(graph.edges(node)[position]);
    }
    // Adds the children of a state to the graph.
    Stored expand(NodeId id) {
        const Stored stored = searched.expander.expand(id, limits.memory);
        searched.counts.expansions += stored == Stored::yes;
        return stored;
    }
    template <class Values>
    void back_up(NodeId id) {
        searched.back_up<Values>(id);
    }
    // Backs up the first `count` states of the path, the last of them first.
    template <class Values>
    void back_up_path(std::size_t count) {
        while (count-- > 0) back_up<Values>(line.path[count]);
    }
    // Takes the marks off the states of the path, which stays.
    void leave();
    // Takes the last state off the path.
    void retreat();

    // Makes the graph as if the iteration in progress had not begun, and undoes that.
    void step_back() const;
    void step_forward() const;

    SearchGraph& searched;
    Graph& graph;
    Line line;
    Limits limits;  // of the run

  private:
    void mark_path(bool mark) const;

    bool marked_ = false;  // the states of the path have the flag `on_path`
};

// Throws the failure for a line of states that returns to its state `id`.
[[noreturn]] void report_cycle(const Graph& graph, const std::vector<NodeId>& path, NodeId id);

}  // namespace unbounded
