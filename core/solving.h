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

#include "probe.h"
#include "probe_many.h"
#include "search.h"

namespace unbounded {

class Solving {
  public:
    Solving(Search& search, Rules& rules, Evaluator& evaluator);
    ~Solving();

    Stop run(const Limits& limits, const Poll& poll);

    // Proves the best line of a resolved root to the end of the game. False: a limit was in the
    // way.
    bool complete_line(const Limits& limits, const Poll& poll);

    // The place of a child that proves, or else promises, what the state is worth; -1: no edges.
    int best_child(const Node& node) const;

    std::uint64_t probed_states() const { return probed_; }
    std::uint64_t table_bytes() const { return table_ ? table_->bytes() : 0; }

  private:
    // What a thread needs for itself.
    struct Worker {
        Worker(Solving& solving, Rules& rules, Evaluator& evaluator);

        std::unique_ptr<NativeRules> own_rules;
        Rules& rules;
        Evaluator& evaluator;
        Expander expander;
        Judgement judgement;
        std::unique_ptr<Prober> prober;           // two players
        std::unique_ptr<ManyProber> many_prober;  // more
        Prober::Answer answer;                    // of the last probe
        const Worth* row = nullptr;               // of the last probe; null: it gave up
        std::vector<NodeId> path;
        std::vector<float> values;  // of the leaf that is worked on
    };
    using Lock = std::unique_lock<std::mutex>;
    enum class Progress { done, nothing_to_do, no_memory };

    void work_together(const Limits& limits, Watch& watch);
    void work(Worker& worker, const Limits& limits, Watch* watch);
    bool over(const Limits& limits);
    void end(Stop reason);
    Progress iterate(Worker& worker, Lock& lock);
    NodeId open_child(const Node& node, Bounds window);
    NodeId follow(Edge& edge);
    bool settle(Worker& worker, NodeId id, Bounds window, Lock& lock);
    bool probe(Worker& worker, NodeId id, Bounds window, std::uint64_t budget);
    void take(Worker& worker, NodeId id);
    bool expand(Worker& worker, NodeId id, Lock& lock);
    void take_known(Worker& worker, const Node& node);
    bool has_proven_child(Worker& worker, const Node& node);
    void finish_proof(const Node& node, Node& child);
    bool proves(const Node& node, const Node& child) const;
    void back_up(Worker& worker, NodeId id);
    void back_up_bounds(Node& node);
    template <class Values>
    void back_up_numbers(Worker& worker, NodeId id);
    template <class Values>
    NodeId open_child_of_many(const Node& node);
    bool cannot_be_beaten(Worker& worker, const Node& node, const Node& best);
    void back_up_path(Worker& worker, std::size_t count);
    void narrow(Node& node, Bounds bounds);
    void resolve(Node& node, const Worth* row);
    void begin_work(Worker& worker, Node& node);
    void end_work(Worker& worker, Node& node);
    std::uint64_t nodes(const Worker& worker) const;
    std::uint64_t probe_budget() const;
    void make_table_bigger(Lock& lock);
    bool make_room(Lock& lock);
    void check_cycle(const Worker& worker) const;

    Search& search_;
    Graph& graph_;
    const Options& options_;
    const bool two_;  // two players, zero sum
    const WorthScale scale_;
    std::unique_ptr<ProvenTable> table_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::mutex mutex_;  // of everything but the table and what is the workers' own
    std::condition_variable changed_;
    int at_work_ = 0;  // threads that expand or probe
    bool tidying_ = false;
    bool table_is_full_size_ = false;
    std::uint64_t probed_ = 0;
    std::uint64_t memory_limit_ = 0;
    Watch* watch_ = nullptr;
    std::atomic<bool> over_ = false;
    std::optional<Stop> reason_;
    std::exception_ptr failure_;
};

}  // namespace unbounded
