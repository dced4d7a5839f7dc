// SPDX-License-Identifier: MIT
// The search for proofs: the same best-first iterations, with probes of leaves and threads, and
// with bounds. Two players, zero sum: bounds of the worth at every state, and windows that leave
// out what cannot matter. More players: a state is resolved as soon as no other child could be
// better.
//
// Exact whatever the order of updates: what is proven of a state only ever follows from what is
// proven of its children, or from a probe, and only ever becomes more (ERRATA 8).
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "probes/probe.h"
#include "probes/probe_many.h"
#include "search/search.h"

namespace unbounded {

class Solver {
  public:
    Solver(Search& search, Rules& rules, Evaluator& evaluator);
    ~Solver();

    Stop run(const Limits& limits, const Poll& poll);

    // Proves the best line of a resolved root to the end of the game. False: a limit was in the
    // way.
    bool complete_line(const Limits& limits, const Poll& poll);

    // The place of a child that proves, or else promises, what the state is worth; -1: no edges.
    int best_child(const Node& node) const;

    // What a search for proofs has to be saved with; see `Search`.
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
    // Makes the graph as if the iterations in progress had not begun, and takes that back. By the
    // thread that has the lock, or when no other is there.
    void step_back();
    void step_forward();

    std::uint64_t probed_states() const { return probed_; }
    std::uint64_t table_bytes() const { return table_ ? table_->bytes() : 0; }

  private:
    friend class Certifier;

    // What a thread needs for itself.
    struct Worker {
        Worker(Solver& solving, const Rules& rules, Evaluator& evaluator);

        const Rules& rules;
        Evaluator& evaluator;
        Expander expander;
        Judgement judgement;
        std::unique_ptr<Prober> prober;           // two players
        std::unique_ptr<ManyProber> many_prober;  // more
        Prober::Answer answer;                    // of the last probe
        const Worth* row = nullptr;               // of the last probe; null: it gave up
        std::vector<NodeId> path;
        std::vector<Edge*> followed;
        bool iterating = false;
        NodeId leaf = no_node;          // that is worked on
        std::vector<float> values;      // of that leaf
        std::vector<std::byte> before;  // a node before it was backed up
    };
    using Lock = std::unique_lock<std::mutex>;
    enum class Progress { done, nothing_to_do, no_memory };

    // A run, and what has to be undone at its end.
    struct Running {
        Running(Solver& solving, const Limits& limits, Watch& watch);
        ~Running() { evaluator.give_up = nullptr; }
        Evaluator& evaluator;
    };

    void work_together();
    void work(Worker& worker);
    bool over(const Worker& worker);
    void end(Stop reason);
    void wait(Lock& lock);
    void look(const Worker& worker);
    bool watches(const Worker& worker) const { return &worker == workers_[0].get(); }
    Progress iterate(Worker& worker, Lock& lock);
    void forget_visits(Worker& worker);
    NodeId open_child(Worker& worker, const Node& node, Bounds window);
    template <class Values>
    NodeId open_child_of_many(Worker& worker, const Node& node);
    NodeId follow(Worker& worker, Edge& edge);

    bool work_on(Worker& worker, NodeId id, Bounds window, Lock& lock);
    void begin_work(Worker& worker, NodeId id);
    void add_virtual_loss(Worker& worker, Node& node);
    void end_work(Worker& worker, Node& node);
    bool settle(Worker& worker, NodeId id, Bounds window, Lock& lock);
    bool probe(Worker& worker, State state, Bounds window, std::uint64_t budget);
    void take(Worker& worker, NodeId id);
    bool expand(Worker& worker, NodeId id, Lock& lock);
    void take_known(Worker& worker, const Node& node);

    bool back_up(Worker& worker, NodeId id);
    void back_up_path(Worker& worker);
    void back_up_bounds(Node& node);
    template <class Values>
    void back_up_numbers(Worker& worker, NodeId id);
    bool cannot_be_beaten(Worker& worker, const Node& node, const Node& best);
    void narrow(Node& node, Bounds bounds);
    void resolve(Node& node, const Worth* row);

    bool walk_line(Lock& lock);
    bool has_proven_child(Worker& worker, const Node& node, Lock& lock);
    bool try_to_prove(Worker& worker, const Node& node, NodeId id, std::uint64_t budget,
                      Lock& lock);
    bool proves(const Node& node, const Node& child) const;
    void finish_proof(const Node& node, Node& child);

    std::unique_ptr<TranspositionTable> empty_table() const;
    std::uint64_t nodes(const Worker& worker) const;
    std::uint64_t states_left() const;
    std::uint64_t memory_for_graph() const;
    std::uint64_t memory_for_table() const;
    std::uint64_t probe_budget() const;
    void make_table_bigger(const Worker& worker, Lock& lock);
    void grow_table(const Worker& worker, Lock& lock);
    bool table_is_small() const;
    bool make_room(Lock& lock);
    void check_cycle(Worker& worker);

    Search& search_;
    Rules& rules_;
    Graph& graph_;
    const Options& options_;
    const bool two_;  // two players, zero sum
    const WorthScale scale_;
    std::unique_ptr<TranspositionTable> table_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::mutex mutex_;  // of everything but the table and what is the workers' own
    std::condition_variable changed_;
    int at_work_ = 0;                    // threads that expand or probe
    bool compacting_ = false;            // memory is being made
    std::atomic<bool> resting_ = false;  // the table is being made bigger
    bool table_is_full_size_ = false;
    std::uint64_t probed_ = 0;
    Limits limits_;
    Watch* watch_ = nullptr;  // the first worker's: the caller may be asked in one thread only
    std::atomic<bool> over_ = false;
    std::optional<Stop> reason_;
    std::exception_ptr failure_;
};

}  // namespace unbounded
