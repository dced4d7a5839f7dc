// SPDX-License-Identifier: MIT
// The work on a leaf: probes, and if they do not settle it, its expansion. Rules and probes are
// called without the lock; meanwhile the leaf is marked as busy. Other threads help with it, or it
// looks bad (virtual loss), so that they work elsewhere.
#include <algorithm>

#include "solver/probe_sizes.h"
#include "solver/solver.h"

namespace unbounded {

namespace {

// Gives the lock back while it lives; a rule may fail meanwhile.
class Unlocked {
  public:
    explicit Unlocked(std::unique_lock<std::mutex>& lock) : lock_(lock) { lock.unlock(); }
    ~Unlocked() { lock_.lock(); }
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;

  private:
    std::unique_lock<std::mutex>& lock_;
};

}  // namespace

// If there is no memory or the work fails, everything is rolled back but what was proven.
Solver::Leaf Solver::work_on(Worker& worker, NodeId id, Bounds window, Lock& lock) {
    Node& node = graph_.node(id);
    const auto roll_back = [&] {
        end_work(worker, node);
        worker.line.undo_visits();
        back_up_path(worker);
    };
    try {
        begin_work(worker, id);  // backs up, which may call rules
        const Leaf leaf = settle_or_expand(worker, id, window, lock);
        if (leaf == Leaf::no_memory)
            roll_back();
        else
            end_work(worker, node);
        return leaf;
    } catch (...) {
        if (!lock.owns_lock()) lock.lock();
        roll_back();
        throw;
    }
}

Solver::Leaf Solver::settle_or_expand(Worker& worker, NodeId id, Bounds window, Lock& lock) {
    if (table_ != nullptr && settle(worker, id, window, lock) == Probe::settled)
        return Leaf::settled;
    return expand(worker, id, lock) == Stored::yes ? Leaf::expanded : Leaf::no_memory;
}

// Probes a leaf until its worth within the window is known, or the budget is spent.
Probe Solver::settle(Worker& worker, NodeId id, Bounds window, Lock& lock) {
    ProofPolicy& policy = *worker.policy;
    const auto& path = worker.line.path;
    policy.set_chooser(path.size() < 2 ? nullptr : &graph_.node(path[path.size() - 2]));
    const ProbeRace::Plan& plan = worker.round.plan;
    policy.begin_leaf(plan.kind);
    const Bounds open = policy.narrowed(window, graph_.node(id));
    const std::uint64_t budget = std::min(probe_budget(), plan.most_nodes);
    const std::uint64_t before = policy.probed_nodes();
    const Probe probe = probe_together(worker, open, budget, lock);
    // A leaf that others have settled by alpha-beta does not speak for another kind.
    const bool own = plan.kind != ProbeKind::alpha_beta;
    const Probe counted = own ? worker.round.found_by_owner : probe;
    race_.take(plan, policy.probed_nodes() - before, counted == Probe::settled);
    return probe;
}

Probe Solver::probe_until(Worker& worker, NodeId id, Bounds open, std::uint64_t budget,
                          Lock& lock) {
    ProofPolicy& policy = *worker.policy;
    const State state = graph_.state(id);  // stays where it is, but finding it needs the lock
    // Restarting a stuck probe helps: the table now holds its partial results.
    for (std::uint64_t limit = first_probe; !over_;) {
        make_table_bigger(worker, lock);  // or wait until another thread has done it
        const std::uint64_t left = (states_left() + workers_.size() - 1) / workers_.size();
        if (left == 0) return Probe::gave_up;
        const std::uint64_t nodes = std::min({limit, budget, left});
        grow_endgames(nodes);
        const std::uint64_t before = policy.probed_nodes();
        const Probe probe = [&] {
            const Unlocked unlocked(lock);
            return policy.probe(state, open, nodes);
        }();
        probed_ += policy.probed_nodes() - before;
        policy.take_answer(graph_.node(id));
        if (probe == Probe::settled) return probe;
        if (worker.is_over()) return Probe::gave_up;
        if (resting_) continue;
        if (limit >= budget) return Probe::gave_up;
        limit *= 4;
    }
    return Probe::gave_up;
}

Stored Solver::expand(Worker& worker, NodeId id, Lock& lock) {
    Expander& expander = worker.expander;
    const std::uint64_t terminal_before = expander.terminal_states();
    const State state = graph_.state(id);
    lock.unlock();
    expander.list(state);
    lock.lock();
    expander.look_up();
    lock.unlock();
    expander.evaluate();
    lock.lock();
    const Stored stored = expander.store(id, memory_for_graph());
    if (stored == Stored::no_memory) return stored;
    ++searched_.counts.expansions;
    searched_.counts.resolved += expander.terminal_states() - terminal_before;
    if (table_ != nullptr) take_known(worker, graph_.node(id));
    back_up(worker, id);
    return stored;
}

// Looks new children up in the table.
void Solver::take_known(Worker& worker, const Node& node) {
    const Edge* const edges = graph_.edges(node);
    for (int i = 0; i < node.edge_count; ++i) {
        Node& child = graph_.node(edges[i].child);
        if (child.is(resolved) || child.is(expanded)) continue;
        worker.policy->take_known(child, graph_.state(edges[i].child));
    }
}

void Solver::begin_work(Worker& worker, NodeId id) {
    Node& node = graph_.node(id);
    node.set(busy);
    ++at_work_;
    plan_probes(worker);
    worker.leaf = id;
    worker.values.assign(node.values(), node.values() + graph_.width);
    add_virtual_loss(worker, node);
}

// While a leaf is worked on, it counts as bad for the player who chose it.
void Solver::add_virtual_loss(Worker& worker, Node& node) {
    const auto& path = worker.line.path;
    if (workers_.size() == 1 || worker.round.shared || path.size() < 2) return;
    worker.policy->add_virtual_loss(node, graph_.node(path[path.size() - 2]).player);
    std::size_t i = path.size() - 1;
    while (i > 0 && back_up(worker, path[i - 1]) == BackUp::changed) --i;
}

void Solver::end_work(Worker& worker, Node& node) {
    node.clear(busy);
    worker.leaf = no_node;
    --at_work_;
    if (node.is(resolved) || node.is(expanded)) return;
    std::copy(worker.values.begin(), worker.values.end(), node.values());
}

}  // namespace unbounded
