// SPDX-License-Identifier: MIT
// What a thread of the solver needs for itself.
#pragma once

#include <memory>
#include <vector>

#include "search/line.h"
#include "search/search_graph.h"
#include "solver/proof_policy.h"

namespace unbounded {

struct Worker {
    // `table`: what probes have proven; null: no probes. `give_up`: whether a probe has to stop,
    // given the work done since the last call.
    Worker(SearchGraph& searched, TranspositionTable* table,
           std::function<bool(const Worker&, std::uint64_t)> give_up);

    Expander expander;
    std::unique_ptr<ProofPolicy> policy;
    Line line;
    NodeId leaf = no_node;          // that is worked on
    std::vector<float> values;      // of that leaf
    std::vector<std::byte> before;  // a node before it was backed up
};

}  // namespace unbounded
