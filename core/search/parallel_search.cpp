// SPDX-License-Identifier: MIT
// A run of several threads: its limits and its end.
#include "search/parallel_search.h"

#include <algorithm>
#include <system_error>
#include <thread>

#include "search/compaction.h"

namespace unbounded {

ParallelSearch::ParallelSearch(SearchGraph& searched, const Algorithm& algorithm)
    : searched_(searched), shared_(searched, algorithm) {
    for (int i = 0; i < searched.options.threads; ++i)
        walks_.push_back(make_parallel_walk(shared_, i));
}

Stop ParallelSearch::run(const Limits& limits, const Poll& poll) {
    Watch watch(limits.seconds, poll);
    const struct Running {
        Running(ParallelSearch& search, Watch& watch) : search(search) { search.watch_ = &watch; }
        ~Running() { search.watch_ = nullptr; }
        ParallelSearch& search;
    } running(*this, watch);
    if (!searched_.graph.share(searched_.options.threads)) return Stop::memory;
    // Plies are not kept here, so what relies on them must not be used afterwards.
    searched_.expander.set(false, searched_.expander.terminal_states());
    shared_.limits = limits;
    shared_.watch = &watch;
    shared_.over = false;
    shared_.enough_states = searched_.graph.size() >= limits.states;
    begun_ = searched_.counts.iterations;
    for (const auto& walk : walks_) walk->allowed = 0;
    reason_.reset();
    failure_ = nullptr;
    std::vector<std::thread> helpers;
    helpers.reserve(walks_.size());
    try {
        for (std::size_t i = 1; i < walks_.size(); ++i)
            helpers.emplace_back([this, i] { work(static_cast<int>(i)); });
    } catch (const std::system_error&) {
        // No more threads are available: those that were started do the work.
    }
    work(0);
    for (std::thread& helper : helpers) helper.join();
    settle();
    if (failure_) std::rethrow_exception(failure_);
    // One thread may hit a limit while another completes the proof. Without a reason, a walk has
    // read the clock.
    return searched_.finished() ? Stop::resolved : reason_.value_or(Stop::seconds);
}

void ParallelSearch::undisturbed(const std::function<void()>& work) {
    if (watch_ == nullptr) return work();
    shared_.gate.alone(0, [&] {
        settle();
        work();
    });
}

// Iterates until the run is over.
void ParallelSearch::work(int thread) try {
    using Progress = ParallelWalk::Progress;
    Patience patience;
    while (!over(thread)) {
        if (thread == 0 && searched_.rest.wanted.load(std::memory_order_relaxed))
            undisturbed([this] { searched_.rest.call_if_wanted(); });
        if (!begin_iteration(thread)) {
            step_aside(thread);
            return end(Stop::iterations);
        }
        const std::uint64_t compactions = compactions_;
        const Progress progress = iterate(thread);
        if (progress == Progress::done) {
            patience = {};
            continue;
        }
        ++walks_[thread]->allowed;
        switch (progress) {
            case Progress::finished: return end(Stop::resolved);
            case Progress::no_memory: make_room(thread, compactions); break;
            default: ++shared_.recalls; patience.wait();
        }
        walks_[thread]->work += Watch::work_between_looks / 16;  // waiting takes time too
    }
} catch (...) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    if (!reason_) reason_ = Stop::interrupted;
    shared_.over = true;
}

ParallelWalk::Progress ParallelSearch::iterate(int thread) {
    const Gate::Inside inside(shared_.gate, thread);
    return walks_[thread]->iterate();
}

// Gives up what a thread keeps from others, who may have iterations left.
void ParallelSearch::step_aside(int thread) {
    const Gate::Inside inside(shared_.gate, thread);
    walks_[thread]->forget();
}

// Whether one more may begin; no more are made than the limit says.
// They are taken several at a time, fewer towards the end: all threads count at one place.
bool ParallelSearch::begin_iteration(int thread) {
    constexpr std::uint64_t most = 64;
    std::uint64_t& allowed = walks_[thread]->allowed;
    const std::uint64_t limit = shared_.limits.iterations;
    std::uint64_t begun = begun_;
    while (allowed == 0 && begun < limit) {
        const std::uint64_t share = (limit - begun) / (8 * walks_.size());
        const std::uint64_t taken = std::clamp<std::uint64_t>(share, 1, most);
        if (begun_.compare_exchange_weak(begun, begun + taken)) allowed = taken;
    }
    if (allowed == 0) return false;
    --allowed;
    return true;
}

bool ParallelSearch::over(int thread) {
    if (shared_.over.load(std::memory_order_relaxed)) return true;
    if (shared_.enough_states.load(std::memory_order_relaxed))
        end(Stop::states);
    else if (is_late(thread))
        end(thread == 0 ? watch_->reason() : Stop::seconds);
    return shared_.over;
}

// The first thread polls the caller as well.
bool ParallelSearch::is_late(int thread) {
    std::uint64_t& work = walks_[thread]->work;
    if (thread == 0) return watch_->expired(std::exchange(work, 0));
    if (work < Watch::work_between_looks) return false;
    work = 0;
    return watch_->late();
}

void ParallelSearch::end(Stop reason) {
    const std::lock_guard lock(mutex_);
    if (!reason_) reason_ = reason;
    // Iterations that others are making may still be lacking to the limit of iterations, and if
    // they come to nothing, they are made anew.
    if (reason != Stop::iterations) shared_.over = true;
}

// Compacts the graph, unless another thread has done so since.
void ParallelSearch::make_room(int thread, std::uint64_t compactions) {
    shared_.gate.alone(thread, [&] {
        if (compactions_ != compactions) return;
        settle();
        switch (compact(searched_, watch_)) {
            case Compaction::freed: ++compactions_; break;
            case Compaction::not_worth_it: end(Stop::memory); break;
            case Compaction::out_of_time: end(Stop::seconds); break;
        }
    });
}

// Adds to the search what the threads have kept for themselves. None of them is inside.
void ParallelSearch::settle() {
    for (const auto& walk : walks_) {
        walk->forget();
        const ParallelWalk::Counts counts = std::exchange(walk->counts, {});
        searched_.counts.iterations += counts.iterations;
        searched_.counts.expansions += counts.expansions;
        searched_.counts.resolved += counts.resolved;
        searched_.counts.walked += counts.walked;
    }
    searched_.graph.end_sharing();
}

}  // namespace unbounded
