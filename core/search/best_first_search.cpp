// SPDX-License-Identifier: MIT
// The loop around the iterations: budgets, interruption, and what a failure leaves.
#include "search/best_first_search.h"

#include "search/compaction.h"

namespace unbounded {

Stop BestFirstSearch::run(const Limits& limits, const Poll& poll) {
    const Poll settled_poll = [&] {
        iteration_->settle();
        return poll && poll();
    };
    Watch watch(limits.seconds, settled_poll);
    walk_.limits = limits;
    searched_.begin_run();
    iteration_->forget();
    const struct Settled {
        ~Settled() { iteration.settle(); }
        Iteration& iteration;
    } settled_at_the_end{*iteration_};
    const GiveUpWith give_up(searched_.evaluator, watch);
    for (;;) {
        if (searched_.finished()) return Stop::resolved;
        if (searched_.counts.iterations >= limits.iterations) return Stop::iterations;
        if (searched_.graph.size() >= limits.states) return Stop::states;
        if (searched_.has_worked() && searched_.expired(watch)) return watch.reason();
        if (searched_.rest.wanted.load(std::memory_order_relaxed)) {
            iteration_->settle();
            searched_.rest.call_if_wanted();
        }
        const Progress progress = iterate(watch);
        if (progress == Progress::no_memory) {
            const Compaction compaction = compact(searched_, &watch);
            if (compaction == Compaction::not_worth_it) return Stop::memory;
            if (compaction == Compaction::out_of_time) return Stop::seconds;
            forget();
            continue;
        }
        if (progress == Progress::given_up) return watch.reason();
        ++searched_.counts.iterations;
        if (progress == Progress::no_states) return Stop::states;
        if (progress == Progress::expired) return watch.reason();
    }
}

// One iteration; if it fails, the graph is as it was before, but for states expanded on the way.
Progress BestFirstSearch::iterate(Watch& watch) {
    const InProgress in_progress(walk_.line);
    try {
        const Progress progress = iteration_->iterate(watch);
        walk_.leave();
        return progress;
    } catch (const GivenUp&) {
        abandon_iteration();
        return Progress::given_up;
    } catch (...) {
        abandon_iteration();
        throw;
    }
}

void BestFirstSearch::abandon_iteration() {
    iteration_->settle();
    walk_.line.undo_visits();
    walk_.leave();
    iteration_->forget();
}

}  // namespace unbounded
