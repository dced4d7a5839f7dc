// SPDX-License-Identifier: MIT
// A run of the solver: its threads, its limits and its end.
#include "solver/solver.h"

#include <algorithm>
#include <system_error>
#include <thread>

#include "search/algorithms.h"
#include "solver/running.h"

namespace unbounded {

namespace {

constexpr auto time_between_looks = std::chrono::milliseconds(5);

}  // namespace

Solver::Solver(SearchGraph& searched)
    : searched_(searched),
      graph_(searched.graph),
      most_expansions_(algorithm_named(searched.options.algorithm).most_expansions) {
    if (searched.options.probes) table_ = empty_table();
    if (table_ && searched.options.values == ValueRule::minimax &&
        !searched.rules.endgame_sizes().empty())
        endgames_ = std::make_unique<EndgameTable>(searched.rules.endgame_sizes());
    if (table_ && searched.options.threads > 1) being_searched_ = std::make_unique<BeingSearched>();
    const auto give_up = [this](const Worker& worker, std::uint64_t nodes) {
        return gives_up(worker, nodes);
    };
    for (int i = 0; i < searched.options.threads; ++i)
        workers_.push_back(std::make_unique<Worker>(searched, table_.get(), endgames_.get(),
                                                    being_searched_.get(), give_up));
}

Solver::~Solver() = default;

// Whether a probe has to stop, after `nodes` more nodes.
bool Solver::gives_up(const Worker& worker, std::uint64_t nodes) {
    if (watches(worker)) {
        // The poll may read the graph.
        const Lock lock(mutex_);
        if (watch_->expired(nodes)) over_ = true;
    } else if (watch_->late()) {
        // All threads read the clock: if the first one is not running just now, nobody else waits.
        over_ = true;
    }
    return worker.is_over() || over_.load(std::memory_order_relaxed) ||
           resting_.load(std::memory_order_relaxed);
}

Solver::Running::Running(Solver& solver, const Limits& limits, Watch& watch) {
    solver.limits_ = limits;
    solver.watch_ = &watch;
    solver.searched_.begin_run();
    solver.over_ = false;
    solver.reason_.reset();
    solver.failure_ = nullptr;
    solver.table_is_full_size_ = false;
    for (const auto& worker : solver.workers_)
        worker->policy->limit_memory(solver.memory_of_probes() / solver.workers_.size());
    // Evaluators shared by threads are fast enough not to need interruption.
    if (solver.workers_.size() == 1) give_up_.emplace(solver.searched_.evaluator, watch);
}

Stop Solver::run(const Limits& limits, const Poll& poll) {
    Watch watch(limits.seconds, poll);
    const Running running(*this, limits, watch);
    const std::uint64_t& iterations = searched_.counts.iterations;
    // Small games are solved by the first probe, before another thread would have started.
    if (workers_.size() > 1 && iterations == 0)
        limits_.iterations = std::min(limits.iterations, iterations + 1);
    if (iterations == 0) work(*workers_[0]);
    if (!reason_ || (reason_ == Stop::iterations && iterations < limits.iterations)) {
        limits_.iterations = limits.iterations;
        over_ = false;
        reason_.reset();
        work_together();
    }
    if (failure_) std::rethrow_exception(failure_);
    // One thread may hit a limit while another completes the proof.
    if (graph_.node(searched_.root).is(resolved)) return Stop::resolved;
    return outside_window() ? Stop::window : *reason_;
}

void Solver::work_together() {
    std::vector<std::thread> helpers;
    helpers.reserve(workers_.size());
    try {
        for (std::size_t i = 1; i < workers_.size(); ++i)
            helpers.emplace_back([this, i] { work(*workers_[i]); });
    } catch (const std::system_error&) {
        // No more threads are available: those that were started do the work.
    }
    work(*workers_[0]);
    for (std::thread& helper : helpers) helper.join();
}

// Iterates until the run is over.
void Solver::work(Worker& worker) try {
    Lock lock(mutex_);
    while (!over(worker)) {
        if (workers_.size() == 1) searched_.rest.call_if_wanted();
        switch (work_once(worker, lock)) {
            case Progress::done: changed_.notify_all(); break;
            case Progress::no_memory:
                switch (make_room(worker, lock)) {
                    case Compaction::freed: break;
                    case Compaction::not_worth_it: end(Stop::memory); break;
                    case Compaction::out_of_time: end(Stop::seconds); break;
                }
                break;
            case Progress::nothing_to_do:
                wait(lock);
                check_clock(worker);
                break;
        }
    }
    if (watches(worker) && !reason_) reason_ = watch_->reason();  // it expired during a probe
} catch (const GivenUp&) {
    const Lock lock(mutex_);
    end(watch_->reason());
} catch (...) {
    const Lock lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    end(Stop::interrupted);
}

Solver::Progress Solver::work_once(Worker& worker, Lock& lock) {
    if (compacting_) return Progress::nothing_to_do;
    if (Worker* const owner = to_be_helped(worker)) return help(worker, *owner, lock);
    // Wait while the last iterations are in progress.
    const std::uint64_t begun = leaves_in_work();
    const bool last = begun > 0 && searched_.counts.iterations + begun >= limits_.iterations;
    return last ? Progress::nothing_to_do : iterate(worker, lock);
}

bool Solver::over(const Worker& worker) {
    if (over_) return true;
    if (searched_.finished())
        end(Stop::resolved);
    else if (outside_window())
        end(Stop::window);
    else if (searched_.counts.iterations >= limits_.iterations)
        end(Stop::iterations);
    else if (graph_.size() + probed_states() >= limits_.states)
        end(Stop::states);
    else if (watches(worker) && searched_.has_worked() && searched_.expired(*watch_))
        end(watch_->reason());
    return over_;
}

// Whether the root's worth is proven not to lie within the window of this run.
bool Solver::outside_window() const {
    if (!limits_.window) return false;
    const Bounds proven = graph_.bounds(graph_.node(searched_.root));
    return proven.hi <= limits_.window->lo || proven.lo >= limits_.window->hi;
}

void Solver::end(Stop reason) {
    if (!reason_) reason_ = reason;
    over_ = true;
    changed_.notify_all();
}

// Waits for another thread, but not for long: the clock has to be read.
void Solver::wait(Lock& lock) { changed_.wait_for(lock, time_between_looks); }

void Solver::check_clock(const Worker& worker) {
    if (watches(worker) && !over_ && watch_->look()) end(watch_->reason());
}

}  // namespace unbounded
