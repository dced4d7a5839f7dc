// SPDX-License-Identifier: MIT
// A search as the outside sees it: one graph, and the loop that grows it. Without bounds that is
// `BestFirstSearch`, or `ParallelSearch` for several threads, with bounds `Solver`; this class owns
// what they share and forwards to them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "search/best_first_search.h"
#include "search/compaction.h"
#include "search/loading.h"
#include "search/saving.h"
#include "search/search_graph.h"
#include "search/snapshot.h"
#include "search/strong_solving.h"

namespace unbounded {

class GatheredEvaluator;
class ParallelSearch;
class Solver;
class TranspositionTable;

class Search {
  public:
    // The rules and the evaluator belong to the caller, and outlive the search. Throws
    // std::invalid_argument if the options do not fit together, or not the game.
    Search(Rules& rules, Evaluator& evaluator, const Options& options);
    ~Search();

    // Iterates until the root is resolved or the budget is spent. A rule that breaks the contract
    // is a RuleFailure; the graph stays usable.
    Stop run(const Limits& limits, const Poll& poll);
    // Stores and resolves every state that can be reached; bounds must be off.
    Stop resolve_all(const Limits& limits, const Poll& poll) {
        return unbounded::resolve_all(walk_, limits, poll);
    }
    // Proves the principal variation of a resolved root to the end of the game, unless a limit
    // stops it.
    LineProof prove_line(const Limits& limits, const Poll& poll);
    // Makes room by removing what lies below proven states, but for the lines that prove them.
    Compaction compact();

    // Does the work while nothing changes: for a poll, which may read the search only so.
    void undisturbed(const std::function<void()>& work);

    void set_root(State state) { searched_.set_root(state); }
    void restart_probes();
    // Forgets everything and begins anew from the rules' initial state; bounds must be off. Cheaper
    // than a new search, whose memory would be new as well.
    void restart();
    NodeId root() const { return searched_.root; }
    const Graph& graph() const { return searched_.graph; }
    const Options& options() const { return searched_.options; }
    const SearchGraph& searched() const { return searched_; }
    int best_child(NodeId id) const { return searched_.best_child(id); }
    Bounds outcome_bounds(NodeId id) const { return searched_.outcome_bounds(id); }
    Bounds worth_bounds(NodeId id) const { return searched_.worth_bounds(id); }
    std::vector<Ply> count_by_ply() const { return unbounded::count_by_ply(searched_); }
    std::vector<std::byte> snapshot() const { return unbounded::snapshot(searched_); }

    std::uint64_t iterations() const { return searched_.counts.iterations; }
    std::uint64_t expansions() const { return searched_.counts.expansions; }
    std::uint64_t resolved_states() const { return searched_.resolved_states(); }
    std::uint64_t walked_states() const { return searched_.counts.walked; }
    std::uint64_t compactions() const { return searched_.counts.compactions; }
    // The path of the last iteration, in a search without bounds.
    const std::vector<NodeId>& path() const { return walk_.line.path; }
    std::uint64_t probed_states() const;
    // What probes have proven; null: there are no probes.
    TranspositionTable* table() const;
    std::uint64_t table_bytes() const;

    // A search for a file, with all that a continued run depends on (saving.cpp). It may be saved
    // while it runs, from its poll or at rest.
    Saved saved() const;
    // What `save` gives to its sink, for such numbers, in this order and without gaps.
    std::vector<SavedArray> arrays(const Saved& saved) const;
    void save(const Sink& sink);
    // Becomes the search that was saved, made by the same rules and options. `verify` is called
    // when all is read and before any of it is used. If anything fails, nothing has changed.
    void load(const Saved& saved, const Source& read, const std::function<void()>& verify);
    // Compares what was loaded with the rules.
    RuleCheck rule_check();

    // Makes a run call a function when the iteration in progress is over. One thread only: several
    // are never at rest together.
    RestPoint& rest() { return searched_.rest; }

  private:
    class RollbackScope;

    std::unique_ptr<GatheredEvaluator> gathered_;  // null: the evaluator is used as it is
    SearchGraph searched_;
    Walk walk_;
    BestFirstSearch plain_;
    std::unique_ptr<Solver> solver_;            // null: without bounds
    std::unique_ptr<ParallelSearch> parallel_;  // null: with bounds, or one thread
};

}  // namespace unbounded
