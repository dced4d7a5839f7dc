// SPDX-License-Identifier: MIT
// The search for proofs, two players, zero sum: the same best-first iterations, with bounds of the
// worth at every state, windows that leave out what cannot matter, probes of leaves, and threads.
//
// Exact whatever the order of updates: a state's bounds only ever follow from proven bounds of its
// children, or from a probe, and only become narrower (ERRATA 8).
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
        std::unique_ptr<Prober> prober;
        std::vector<NodeId> path;
        std::vector<Edge*> followed;
        float kept_value = 0;  // of the leaf that is worked on
    };
    using Lock = std::unique_lock<std::mutex>;
    enum class Progress { done, nothing_to_do, no_memory };

    void begin(const Limits& limits, Watch& watch);
    void work(Worker& worker);
    bool over(const Worker& worker);
    void end(Stop reason);
    void wait(Lock& lock);
    void look(const Worker& worker);
    bool watches(const Worker& worker) const { return &worker == workers_[0].get(); }
    Progress iterate(Worker& worker, Lock& lock);
    NodeId open_child(Worker& worker, const Node& node, Bounds window);
    bool settle(Worker& worker, NodeId id, Bounds window, Lock& lock);
    bool expand(Worker& worker, NodeId id, Lock& lock);
    void take_known_bounds(Worker& worker, const Node& node);
    bool walk_line(Lock& lock);
    NodeId proven_child(Worker& worker, const Node& node);
    NodeId prove_a_child(Worker& worker, const Node& node, Worth worth, std::uint64_t nodes);
    bool is_worth(NodeId id, int player, Worth worth) const;
    bool back_up(NodeId id);
    void back_up_path(const Worker& worker);
    void forget_selections(Worker& worker);
    void narrow(Node& node, Bounds bounds);
    bool work_on(Worker& worker, NodeId id, Bounds window, Lock& lock);
    void begin_work(Worker& worker, Node& node);
    void end_work(Worker& worker, Node& node);
    std::uint64_t probe_budget() const;
    void make_table_bigger(const Worker& worker, Lock& lock);
    void check_cycle(Worker& worker);

    Search& search_;
    Graph& graph_;
    const Options& options_;
    const WorthScale scale_;
    std::unique_ptr<ProvenTable> table_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::mutex mutex_;  // of everything but the table and what is the workers' own
    std::condition_variable changed_;
    int at_work_ = 0;  // threads that expand or probe
    bool table_is_full_size_ = false;
    std::uint64_t probed_ = 0;
    Limits limits_;
    Watch* watch_ = nullptr;  // the first worker's: the caller may be asked in one thread only
    std::atomic<bool> over_ = false;
    std::optional<Stop> reason_;
    std::exception_ptr failure_;
};

}  // namespace unbounded
