// SPDX-License-Identifier: MIT
// An iteration of the solver: from the root down to a leaf, and back up.
#include "search/walk.h"
#include "solver/solver.h"

namespace unbounded {

Solver::Progress Solver::iterate(Worker& worker, Lock& lock) {
    const ProofPolicy& policy = *worker.policy;
    worker.line.clear();
    const InProgress in_progress(worker.line);
    Bounds window = searched_.scale.all;
    if (limits_.window) window = window.meet(*limits_.window);
    std::uint64_t expansions = 0;
    for (NodeId id = searched_.root;;) {
        worker.line.path.push_back(id);
        ++searched_.counts.walked;
        check_cycle(worker);
        Node& node = graph_.node(id);
        if (!node.is(expanded)) {
            if (node.is(busy)) {
                worker.line.undo_visits();
                return Progress::nothing_to_do;
            }
            const Leaf leaf = work_on(worker, id, window, lock);
            if (leaf == Leaf::no_memory) return Progress::no_memory;
            if (leaf == Leaf::settled || ++expansions == most_expansions_) break;
            if (over(worker)) break;  // an iteration may be a whole game
        }
        if (node.is(resolved)) break;
        const Choice choice = policy.select(node, window);
        if (choice.child == nullptr) break;
        id = worker.line.follow(graph_.edges(node)[choice.position]);
    }
    back_up_path(worker);
    ++searched_.counts.iterations;
    return Progress::done;
}

Solver::BackUp Solver::back_up(Worker& worker, NodeId id) {
    Node& node = graph_.node(id);
    if (node.is(resolved) || !node.is(expanded)) return BackUp::unchanged;
    const auto* const bytes = reinterpret_cast<const std::byte*>(&node);
    worker.before.assign(bytes, bytes + graph_.node_bytes());
    worker.policy->back_up(node, graph_.state(id));
    const bool same = std::memcmp(worker.before.data(), bytes, worker.before.size()) == 0;
    return same ? BackUp::unchanged : BackUp::changed;
}

void Solver::back_up_path(Worker& worker) {
    const auto& path = worker.line.path;
    for (std::size_t i = path.size(); i > 0; --i) back_up(worker, path[i - 1]);
}

// A line longer than there are states has one twice.
void Solver::check_cycle(Worker& worker) {
    const auto& path = worker.line.path;
    if (path.size() <= graph_.size()) return;
    worker.line.undo_visits();
    std::vector<bool> seen(graph_.size());
    std::size_t end = 0;
    for (; !seen[path[end]]; ++end) seen[path[end]] = true;
    report_cycle(graph_, {path.begin(), path.begin() + static_cast<std::ptrdiff_t>(end)},
                 path[end]);
}

}  // namespace unbounded
