// SPDX-License-Identifier: MIT
// The proof of the principal variation: from a resolved root to the end of the game, every state
// resolved and one child proven to be worth as much.
#include <algorithm>

#include "solver/probe_sizes.h"
#include "solver/running.h"
#include "solver/solver.h"

namespace unbounded {

LineProof Solver::prove_line(const Limits& limits, const Poll& poll) try {
    Watch watch(limits.seconds, poll);
    const Running running(*this, limits, watch);
    Lock lock(mutex_);
    if (table_) workers_[0]->policy->begin_leaf(race_.preferred());
    const auto done = [this] { return searched_.counts.expansions + searched_.counts.resolved; };
    // What is proven on the way may change which children are best farther up: then once more.
    for (;;) {
        const std::uint64_t before = done();
        if (walk_line(lock) == LineProof::stopped) return LineProof::stopped;
        if (done() == before) return LineProof::complete;
    }
} catch (const GivenUp&) {
    return LineProof::stopped;
}

LineProof Solver::walk_line(Lock& lock) {
    Worker& worker = *workers_[0];
    std::uint64_t steps = 0;
    for (NodeId id = searched_.root; !graph_.node(id).is(terminal);) {
        const Node& node = graph_.node(id);
        // Only a damaged file can make a line longer than there are states.
        if (watch_->expired(1) || !node.is(resolved) || ++steps > graph_.size())
            return LineProof::stopped;
        if (!node.is(expanded) && expand(worker, id, lock) == Stored::no_memory)
            return LineProof::stopped;
        if (!has_proven_child(worker, node, lock)) return LineProof::stopped;
        id = graph_.edges(node)[searched_.best_child(id)].child;
        worker.policy->take_from_parent(node, graph_.node(id));
    }
    return LineProof::complete;
}

// Whether a child is proven to be worth as much as the resolved state; if need be it is probed.
// Small probes of all children come first: one may be easy where another is hard.
bool Solver::has_proven_child(Worker& worker, const Node& node, Lock& lock) {
    const Edge* const edges = graph_.edges(node);
    const Edge* const end = edges + node.edge_count;
    const auto proves = [&](const Edge& edge) {
        return worker.policy->proves(node, graph_.node(edge.child));
    };
    bool open = table_ != nullptr;
    for (std::uint64_t budget = first_probe; !std::any_of(edges, end, proves); budget *= 4) {
        if (!open) return false;
        open = false;
        for (const Edge* edge = edges; edge != end && !over_ && !proves(*edge); ++edge)
            open |= try_to_prove(worker, node, edge->child, budget, lock) == Proof::out_of_budget;
    }
    return true;
}

// Probes a child of a resolved state, unless it is known already whether it is worth as much.
Solver::Proof Solver::try_to_prove(Worker& worker, const Node& node, NodeId id,
                                   std::uint64_t budget, Lock& lock) {
    ProofPolicy& policy = *worker.policy;
    Node& child = graph_.node(id);
    if (child.is(resolved)) return Proof::decided;
    const std::optional<Bounds> window = policy.open_question(node, child);
    if (!window) return Proof::decided;
    const std::uint64_t before = policy.probed_nodes();
    const State state = graph_.state(id);
    policy.set_chooser(nullptr);
    lock.unlock();
    const Probe probe = policy.probe(state, *window, budget);
    lock.lock();
    const std::uint64_t spent = policy.probed_nodes() - before;
    probed_ += spent;
    policy.take_answer(child);
    // If the probe stopped before its budget, a larger one will not help.
    return probe == Probe::settled || spent < budget ? Proof::decided : Proof::out_of_budget;
}

}  // namespace unbounded
