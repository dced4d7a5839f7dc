// SPDX-License-Identifier: MIT
// The solver: best-first iterations with bounds, probes of leaves and threads. What proving means
// for two players and for more is a `ProofPolicy`.
//
// Exact whatever the order of updates: what is proven of a state only ever follows from what is
// proven of its children, or from a probe, and only ever becomes more (ERRATA 8).
//
// Files: solver.cpp runs the threads, iteration.cpp makes an iteration, leaf.cpp works on a leaf,
// helping.cpp lets threads share one, principal_variation.cpp proves a line to the end, memory.cpp
// shares out memory, and saving.cpp saves what is not in the graph.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "probes/endgames.h"
#include "probes/transposition_table.h"
#include "search/compaction.h"
#include "search/saving.h"
#include "search/search_graph.h"
#include "solver/worker.h"

namespace unbounded {

class Solver {
  public:
    explicit Solver(SearchGraph& searched);
    ~Solver();

    Stop run(const Limits& limits, const Poll& poll);
    // Proves the principal variation of a resolved root to the end of the game.
    LineProof prove_line(const Limits& limits, const Poll& poll);

    // With those that endgames were found by, which are not saved, and decide nothing.
    std::uint64_t probed_states() const { return probed_ + (endgames_ ? endgames_->found() : 0); }
    // Probes begin small again, as for a new root. Not saved.
    void restart_probes() { probed_before_ = probed_; }
    TranspositionTable* table() const { return table_.get(); }  // null: no probes
    std::uint64_t endgame_bytes() const { return endgames_ ? endgames_->bytes() : 0; }

    // What is saved with a search beside its graph; see `Search`.
    struct Memory {
        std::unique_ptr<TranspositionTable> table;
        std::vector<std::uint32_t> move_ordering;  // of the first thread's probes
    };
    void describe(Saved& saved) const;
    void list_arrays(const Saved& saved, std::vector<SavedArray>& out) const;
    void save(const Sink& sink) const;
    std::unique_ptr<Memory> read_memory(const Saved& saved, const Source& read) const;
    void check(const Memory& memory) const;
    void take_over(const Saved& saved, Memory& memory);
    std::size_t move_ordering_words() const;
    // Roll the iterations in progress back, and forward again. To be called by the thread that
    // holds the lock, or when there is no other.
    void step_back();
    void step_forward();

  private:
    using Lock = std::unique_lock<std::mutex>;
    enum class Progress { done, nothing_to_do, no_memory };
    enum class Leaf { settled, expanded, no_memory };
    enum class BackUp { changed, unchanged };
    enum class Proof { decided, out_of_budget };  // whether a child proves its parent

    // A run, and what has to be undone at its end.
    class Running;

    // solver.cpp
    void work_together();
    void work(Worker& worker);
    Progress work_once(Worker& worker, Lock& lock);
    bool over(const Worker& worker);
    bool outside_window() const;
    void end(Stop reason);
    void wait(Lock& lock);
    void check_clock(const Worker& worker);
    bool watches(const Worker& worker) const { return &worker == workers_[0].get(); }
    bool gives_up(const Worker& worker, std::uint64_t nodes);

    // iteration.cpp
    Progress iterate(Worker& worker, Lock& lock);
    BackUp back_up(Worker& worker, NodeId id);
    void back_up_path(Worker& worker);
    void check_cycle(Worker& worker);

    // leaf.cpp
    Leaf work_on(Worker& worker, NodeId id, Bounds window, Lock& lock);
    void begin_work(Worker& worker, NodeId id);
    void add_virtual_loss(Worker& worker, Node& node);
    void end_work(Worker& worker, Node& node);
    Leaf settle_or_expand(Worker& worker, NodeId id, Bounds window, Lock& lock);
    Probe settle(Worker& worker, NodeId id, Bounds window, Lock& lock);
    Probe probe_until(Worker& worker, NodeId id, Bounds open, std::uint64_t budget, Lock& lock);
    Stored expand(Worker& worker, NodeId id, Lock& lock);
    void take_known(Worker& worker, const Node& node);

    // helping.cpp
    void plan_probes(Worker& worker);
    Probe probe_together(Worker& worker, Bounds open, std::uint64_t budget, Lock& lock);
    Probe take_part(Worker& worker, Worker& owner, Lock& lock);
    Worker* to_be_helped(const Worker& worker);
    Progress help(Worker& worker, Worker& owner, Lock& lock);

    // principal_variation.cpp
    LineProof walk_line(Lock& lock);
    bool has_proven_child(Worker& worker, const Node& node, Lock& lock);
    Proof try_to_prove(Worker& worker, const Node& node, NodeId id, std::uint64_t budget,
                       Lock& lock);

    // memory.cpp
    std::unique_ptr<TranspositionTable> empty_table() const;
    std::uint64_t states_left() const;
    std::uint64_t memory_for_graph() const;
    std::uint64_t memory_for_table() const;
    std::uint64_t memory_of_probes() const;
    std::uint64_t probe_budget() const;
    void make_table_bigger(const Worker& worker, Lock& lock);
    void grow_table(const Worker& worker, Lock& lock);
    void grow_endgames(std::uint64_t nodes);
    bool table_is_small() const;
    std::uint64_t leaves_in_work() const;
    Compaction make_room(const Worker& worker, Lock& lock);

    SearchGraph& searched_;
    Graph& graph_;
    const std::uint64_t most_expansions_;  // in one iteration: the algorithm
    std::unique_ptr<TranspositionTable> table_;
    std::unique_ptr<EndgameTable> endgames_;  // null: the game has none
    std::vector<std::unique_ptr<Worker>> workers_;
    std::unique_ptr<BeingSearched> being_searched_;  // null: a single thread
    ProbeRace race_;
    std::mutex mutex_;  // of everything but the table and what is the workers' own
    std::condition_variable changed_;
    int at_work_ = 0;                    // threads that expand or probe
    bool compacting_ = false;            // the graph is being compacted
    std::atomic<bool> resting_ = false;  // the table is being made bigger
    bool table_is_full_size_ = false;
    std::uint64_t probed_ = 0;
    std::uint64_t probed_before_ = 0;  // for other roots
    Limits limits_;
    Watch* watch_ = nullptr;  // the first worker's: the caller is polled in one thread only
    std::atomic<bool> over_ = false;
    std::optional<Stop> reason_;
    std::exception_ptr failure_;
};

}  // namespace unbounded
