// SPDX-License-Identifier: MIT
// What a thread of the solver needs for itself.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "search/line.h"
#include "search/search_graph.h"
#include "solver/proof_policy.h"

namespace unbounded {

// The probes of a leaf, in which several threads may take part.
struct Round {
    ProbeRace::Plan plan;
    bool shared = false;  // whether other threads are to join
    Bounds window{};
    std::uint64_t budget = 0;               // of each thread
    Probe found = Probe::gave_up;           // at its end
    Probe found_by_owner = Probe::gave_up;  // by its own probe
    std::atomic<std::uint64_t> number = 0;  // another one when it is over
};

struct Worker {
    // `table`: what probes have proven; null: no probes. `give_up`: whether a probe has to stop,
    // given the work done since the last call. `shared`: by all threads; null: there is one.
    Worker(SearchGraph& searched, TranspositionTable* table, EndgameTable* endgames,
           BeingSearched* shared, std::function<bool(const Worker&, std::uint64_t)> give_up);

    Expander expander;
    std::unique_ptr<ProofPolicy> policy;
    Line line;
    NodeId leaf = no_node;          // that is worked on
    std::vector<float> values;      // of that leaf
    std::vector<std::byte> before;  // a node before it was backed up

    Round round;              // of the leaf
    Worker* owner = nullptr;  // of the leaf that is being probed: this one, or who is helped
    std::uint64_t begun = 0;  // the number of the owner's round
    bool helping = false;
    // Whether another thread has ended the round.
    bool is_over() const {
        return owner != nullptr && owner->round.number.load(std::memory_order_relaxed) != begun;
    }
};

}  // namespace unbounded
