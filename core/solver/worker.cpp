// SPDX-License-Identifier: MIT
// Makes a worker: its expander and its policy.
#include "solver/worker.h"

#include <utility>

namespace unbounded {

Worker::Worker(SearchGraph& searched, TranspositionTable* table, EndgameTable* endgames,
               BeingSearched* shared, std::function<bool(const Worker&, std::uint64_t)> give_up)
    : expander(searched.graph, searched.rules, searched.evaluator,
               searched.options.values == ValueRule::minimax, true,
               searched.graph.bounding != Bounding::none ? &searched.scale : nullptr,
               searched.graph.bounding == Bounding::none),
      policy(make_policy({searched, table, endgames, shared,
                          [this, give_up = std::move(give_up)](std::uint64_t nodes) {
                              return give_up(*this, nodes);
                          }})) {}

std::unique_ptr<ProofPolicy> make_policy(const PolicyParts& parts) {
    const bool two = parts.searched.options.values == ValueRule::minimax;
    return two ? make_two_player_policy(parts) : make_many_player_policy(parts);
}

}  // namespace unbounded
