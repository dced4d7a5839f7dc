// SPDX-License-Identifier: MIT
// Memory and budgets of the solver: how much the graph, the table and the probes may take, how the
// table grows, and how room is made when memory is full.
#include <algorithm>

#include "probes/probe.h"
#include "solver/probe_sizes.h"
#include "solver/solver.h"

namespace unbounded {

namespace {

// Divisors: at most this share of the memory is for the table of the probes, for the lines that the
// probes of all threads follow, and for the endgames.
constexpr std::uint64_t table_share_of_memory = 4;
constexpr std::uint64_t lines_share_of_memory = 8;
constexpr std::uint64_t endgames_share_of_memory = 16;

}  // namespace

std::unique_ptr<TranspositionTable> Solver::empty_table() const {
    const Rules& rules = searched_.rules;
    if (searched_.options.values == ValueRule::minimax)
        return Prober::empty_table(rules, searched_.scale);
    return std::make_unique<TranspositionTable>(rules.state_bytes, !searched_.options.exact_score,
                                                rules.players);
}

// What probes visit counts as well as what is stored.
std::uint64_t Solver::states_left() const {
    const std::uint64_t done = graph_.size() + probed_states();
    return done < limits_.states ? limits_.states - done : 0;
}

std::uint64_t Solver::memory_of_probes() const { return limits_.memory / lines_share_of_memory; }

std::uint64_t Solver::memory_for_graph() const {
    if (!table_) return limits_.memory;
    const std::uint64_t others = table_->bytes() + endgame_bytes() + memory_of_probes();
    return limits_.memory - std::min(limits_.memory, others);
}

std::uint64_t Solver::memory_for_table() const {
    const std::uint64_t others = graph_.memory().total() + endgame_bytes() + memory_of_probes();
    return std::min(limits_.memory / table_share_of_memory,
                    limits_.memory - std::min(limits_.memory, others));
}

std::uint64_t Solver::probe_budget() const {
    if (searched_.options.probe_nodes != 0) return searched_.options.probe_nodes;
    const std::uint64_t probed = probed_ - probed_before_;
    return std::max(smallest_budget, probed / (share_of_a_probe * workers_.size()));
}

bool Solver::table_is_small() const {
    // Easy positions are settled by the first probe. Each page of a larger table that it touches
    // would cost about as much as a few of its nodes.
    const std::uint64_t coming = std::min(4 * (first_probe + probed_), smallest_budget) / 2;
    return !over_ && !table_is_full_size_ && table_->small_for(coming + probed_ / 4);
}

// A table that is small for the work done grows. The other threads rest meanwhile: they give up
// their probes, but not what those have found.
void Solver::make_table_bigger(const Worker& worker, Lock& lock) {
    if (!table_is_small() && !resting_) return;
    struct Rest {  // which ends even if the caller's poll throws
        explicit Rest(Solver& solver) : solver(solver), first(!solver.resting_) {
            solver.resting_ = true;
            --solver.at_work_;
            solver.changed_.notify_all();
        }
        ~Rest() {
            if (first) solver.resting_ = false;
            ++solver.at_work_;
            solver.changed_.notify_all();
        }
        Solver& solver;
        const bool first;
    } const rest(*this);
    while (rest.first ? at_work_ > 0 : resting_.load()) {
        wait(lock);
        check_clock(worker);
    }
    if (!rest.first) return;
    while (table_is_small()) grow_table(worker, lock);
}

// Bit by bit and without the lock, so that the clock can be read. If time is up before all is
// moved, the next run continues with it.
void Solver::grow_table(const Worker& worker, Lock& lock) {
    table_is_full_size_ = !table_->begin_to_grow(memory_for_table());
    for (bool more = true; more && table_is_small();) {
        lock.unlock();
        more = table_->move_some();
        lock.lock();
        check_clock(worker);
        if (!more) table_->finish_growing();
    }
}

// Before a probe of so many nodes, which count as well where states are limited.
void Solver::grow_endgames(std::uint64_t nodes) {
    if (!endgames_) return;
    endgames_->grow(probed_, limits_.memory / endgames_share_of_memory);
    const std::uint64_t left = states_left();
    endgames_->allow(endgames_->found() + left - std::min(left, nodes));
}

// How many threads are in the middle of a leaf. Those that rest while the table grows are too,
// although they are not at work.
std::uint64_t Solver::leaves_in_work() const {
    const auto is_in = [](const auto& worker) {
        return worker->leaf != no_node || worker->helping;
    };
    return static_cast<std::uint64_t>(std::count_if(workers_.begin(), workers_.end(), is_in));
}

// Compacts the graph when no other thread is at work, unless time is up before.
Compaction Solver::make_room(const Worker& worker, Lock& lock) {
    if (compacting_) return Compaction::freed;  // another thread does it
    compacting_ = true;
    // Threads that rest while the table grows hold numbers of states, which are about to change.
    while (leaves_in_work() > 0) {
        wait(lock);
        check_clock(worker);
    }
    const Compaction compaction = over_ ? Compaction::out_of_time : compact(searched_, watch_);
    compacting_ = false;
    changed_.notify_all();
    return compaction;
}

}  // namespace unbounded
