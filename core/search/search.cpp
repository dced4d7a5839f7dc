// SPDX-License-Identifier: MIT
// Chooses the loop, and forwards to it.
#include "search/search.h"

#include <stdexcept>

#include "rules/gathered_evaluator.h"
#include "search/parallel_search.h"
#include "solver/solver.h"

namespace unbounded {

namespace {

// What threads need to use the evaluator together; null: nothing, or it does not allow that.
std::unique_ptr<GatheredEvaluator> gathered(const Rules& rules, Evaluator& evaluator, int threads) {
    if (threads == 1 || evaluator.shareable() || !evaluator.gathers()) return nullptr;
    return std::make_unique<GatheredEvaluator>(evaluator, rules.state_bytes, rules.players);
}

}  // namespace

Search::Search(Rules& rules, Evaluator& evaluator, const Options& options)
    : gathered_(gathered(rules, evaluator, options.threads)),
      searched_(rules, gathered_ ? *gathered_ : evaluator, options),
      walk_(searched_),
      plain_(walk_, algorithm_named(options.algorithm)) {
    if (options.bounds)
        solver_ = std::make_unique<Solver>(searched_);
    else if (options.threads > 1)
        parallel_ = std::make_unique<ParallelSearch>(searched_, algorithm_named(options.algorithm));
}

Search::~Search() = default;

Stop Search::run(const Limits& limits, const Poll& poll) {
    if (limits.window && searched_.graph.bounding == Bounding::none)
        throw std::invalid_argument("a window needs minimax with bounds");
    const GatheredEvaluator::Run gathering(gathered_.get());
    if (parallel_) return parallel_->run(limits, poll);
    return solver_ ? solver_->run(limits, poll) : plain_.run(limits, poll);
}

void Search::undisturbed(const std::function<void()>& work) {
    if (parallel_)
        parallel_->undisturbed(work);
    else
        work();
}

LineProof Search::prove_line(const Limits& limits, const Poll& poll) {
    return solver_ ? solver_->prove_line(limits, poll) : LineProof::complete;
}

Compaction Search::compact() {
    const Compaction compaction = unbounded::compact(searched_);
    if (compaction == Compaction::freed) plain_.forget();
    return compaction;
}

void Search::restart() {
    if (solver_) throw std::logic_error("a search with bounds cannot be restarted");
    walk_.begin();
    searched_.restart();
    plain_.forget();
}

void Search::restart_probes() {
    if (solver_) solver_->restart_probes();
}

std::uint64_t Search::probed_states() const { return solver_ ? solver_->probed_states() : 0; }

TranspositionTable* Search::table() const { return solver_ ? solver_->table() : nullptr; }

std::uint64_t Search::table_bytes() const {
    const TranspositionTable* const proven = table();
    return proven == nullptr ? 0 : proven->bytes() + solver_->endgame_bytes();
}

}  // namespace unbounded
