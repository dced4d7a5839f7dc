// SPDX-License-Identifier: MIT
// Threads that work together on a leaf, which is better than if each had one of its own: what is
// found of one leaf often makes another one unnecessary. Alpha-beta probes share their work; of
// proof-number searches there is one, and all other threads probe the same leaf by alpha-beta. Each
// kind takes over what the other has proven, and whoever settles the leaf ends the work on it.
#include "solver/solver.h"

namespace unbounded {

namespace {

// While it lives, a thread takes part in the probes of a leaf. The first to leave ends them.
class TakingPart {
  public:
    TakingPart(Worker& worker, Worker& owner) : worker_(worker) {
        worker.owner = &owner;
        worker.begun = owner.round.number;
    }
    ~TakingPart() {
        if (!worker_.is_over()) ++worker_.owner->round.number;
        worker_.owner = nullptr;
    }
    TakingPart(const TakingPart&) = delete;
    TakingPart& operator=(const TakingPart&) = delete;

  private:
    Worker& worker_;
};

}  // namespace

// Decides how a worker's leaf is to be probed, and whether others may help.
void Solver::plan_probes(Worker& worker) {
    Round& round = worker.round;
    round.plan = {};
    round.shared = false;
    if (table_ == nullptr || searched_.options.values != ValueRule::minimax) return;
    if (!searched_.scale.exact_score)
        round.plan = race_.next(probed_ - probed_before_, workers_.size());
    round.shared = workers_.size() > 1;
}

// Probes the worker's own leaf; other threads may join.
Probe Solver::probe_together(Worker& worker, Bounds open, std::uint64_t budget, Lock& lock) {
    worker.round.window = open;
    worker.round.budget = budget;
    worker.round.found = Probe::gave_up;
    if (worker.round.shared) changed_.notify_all();
    const Probe own = worker.round.found_by_owner = take_part(worker, worker, lock);
    return own == Probe::settled ? own : worker.round.found;
}

Probe Solver::take_part(Worker& worker, Worker& owner, Lock& lock) {
    const TakingPart part(worker, owner);
    Round& round = owner.round;
    const Probe found = probe_until(worker, owner.leaf, round.window, round.budget, lock);
    if (!worker.is_over()) round.found = found;
    return found;
}

// Another thread whose leaf is everybody's; null: there is none.
Worker* Solver::to_be_helped(const Worker& worker) {
    for (const auto& other : workers_)
        if (other.get() != &worker && other->leaf != no_node && other->round.shared)
            return other.get();
    return nullptr;
}

// Helps with a leaf, unless it is being expanded, or shows what one thread can do with it alone.
Solver::Progress Solver::help(Worker& worker, Worker& owner, Lock& lock) {
    struct Helping {
        Helping(Solver& solver, Worker& worker) : solver(solver), worker(worker) {
            worker.helping = true;
            ++solver.at_work_;
        }
        ~Helping() {
            worker.helping = false;
            --solver.at_work_;
            solver.changed_.notify_all();
        }
        Solver& solver;
        Worker& worker;
    };
    if (owner.owner == nullptr || owner.is_over() || owner.round.plan.trial)
        return Progress::nothing_to_do;
    const Helping helping(*this, worker);
    worker.policy->begin_leaf(ProbeKind::alpha_beta);
    take_part(worker, owner, lock);
    return Progress::done;
}

}  // namespace unbounded
