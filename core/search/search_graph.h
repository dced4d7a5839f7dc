// SPDX-License-Identifier: MIT
// What the loops over a graph share: the graph and its root, the rules and the evaluation that grow
// it, the options, and the counts. `BestFirstSearch` and `Solver` change it, one of them in a
// search; `Certifier` reads it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "graph/expansion.h"
#include "graph/graph.h"
#include "rules/rules.h"
#include "search/completion.h"
#include "search/options.h"
#include "search/watch.h"

namespace unbounded {

// A function that a run calls between two iterations, when it is asked to.
struct RestPoint {
    std::function<void()> call;
    std::atomic<bool> wanted = false;

    void call_if_wanted() {
        if (wanted.load(std::memory_order_relaxed) && wanted.exchange(false) && call) call();
    }
};

// Makes long evaluations give up when the watch has expired, while it lives.
class GiveUpWith {
  public:
    GiveUpWith(Evaluator& evaluator, Watch& watch) : evaluator_(evaluator) {
        evaluator.give_up = [&watch](std::uint64_t work) { return watch.expired(work); };
    }
    ~GiveUpWith() { evaluator_.give_up = nullptr; }
    GiveUpWith(const GiveUpWith&) = delete;
    GiveUpWith& operator=(const GiveUpWith&) = delete;

  private:
    Evaluator& evaluator_;
};

struct SearchGraph {
    // The rules and the evaluator belong to the caller, and outlive the graph. Throws
    // std::invalid_argument if the options do not fit together, or not the game.
    SearchGraph(Rules& rules, Evaluator& evaluator, const Options& options);

    // Makes a state the root; everything known is kept.
    void set_root(State state);
    void set_root_to_initial();
    // Begins anew from the initial state of the rules: what a new graph would be, but in the memory
    // of this one.
    void restart();
    // Whether there is nothing left to search.
    bool finished() const {
        const Node& node = graph.node(root);
        return node.is(resolved) || node.is(terminal);
    }

    // The position, among the node's edges, of the best child by the paper's key; -1: no edges. Of
    // a resolved node it is one whose numbers the node took over, which with ties need not be the
    // one that was visited most.
    int best_child(NodeId id) const;
    // What is proven of the first player's outcome.
    Bounds outcome_bounds(NodeId id) const;
    // What is proven of the first player's worth.
    Bounds worth_bounds(NodeId id) const;
    std::uint64_t resolved_states() const { return counts.resolved + expander.terminal_states(); }

    // Changes a node's numbers, and counts the node if that resolves it.
    template <class Change>
    void change(Node& node, const Change& change_numbers) {
        const bool before = node.is(resolved);
        change_numbers();
        counts.resolved += !before && node.is(resolved);
    }
    // Backs up an expanded, unresolved state.
    template <class Values>
    void back_up(NodeId id) {
        Node& node = graph.node(id);
        Values::back_up(judgment, node, graph.state(id));
        counts.resolved += node.is(resolved);
    }

    // How much has been done, in the units of a watch.
    std::uint64_t work() const {
        return counts.walked + expander.listed_children() + 8 * graph.size() +
               counts.expansions * expansion_work;
    }
    void begin_run() { seen_work = work(); }
    bool has_worked() const { return work() != seen_work; }
    // Whether to stop, after what has been done since the last call.
    bool expired(Watch& watch) {
        const std::uint64_t more = work() - seen_work;
        seen_work += more;
        return watch.expired(more);
    }

    Rules& rules;
    Evaluator& evaluator;
    const Options options;
    const WorthScale scale;
    Graph graph;
    Expander expander;
    Judgment judgment;
    NodeId root = 0;

    struct Counts {
        std::uint64_t iterations = 0;
        std::uint64_t expansions = 0;
        std::uint64_t resolved = 0;  // without the terminal states
        std::uint64_t walked = 0;
        std::uint64_t compactions = 0;
    } counts;

    RestPoint rest;
    const std::uint64_t expansion_work;  // how long an expansion takes, in the units of a watch
    std::uint64_t seen_work = 0;
};

}  // namespace unbounded
