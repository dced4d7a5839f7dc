// SPDX-License-Identifier: MIT
// Saving a search, also during a run, and restoring it. loading.cpp checks what is read.
#include "search/saving.h"

#include <memory>
#include <new>

#include "search/search.h"
#include "solver/solver.h"

namespace unbounded {

// While it lives, the graph is as if the iterations in progress had not begun: another process
// cannot continue them.
class Search::RollbackScope {
  public:
    explicit RollbackScope(Search& search) : search_(search) {
        if (search_.solver_) search_.solver_->step_back();
        search_.plain_.step_back();
    }
    ~RollbackScope() {
        if (search_.solver_) search_.solver_->step_forward();
        search_.plain_.step_forward();
    }
    RollbackScope(const RollbackScope&) = delete;
    RollbackScope& operator=(const RollbackScope&) = delete;

  private:
    Search& search_;
};

Saved Search::saved() const {
    Saved saved;
    saved.root = searched_.root;
    saved.states = searched_.graph.size();
    saved.edges = searched_.graph.edge_count();
    saved.slots = searched_.graph.capacity();
    saved.iterations = searched_.counts.iterations;
    saved.expanded = searched_.counts.expansions;
    saved.resolved = searched_.counts.resolved;
    saved.terminal = searched_.expander.terminal_states();
    saved.walked = searched_.counts.walked;
    saved.compactions = searched_.counts.compactions;
    saved.layered = searched_.expander.layered();
    if (solver_) solver_->describe(saved);
    return saved;
}

std::vector<SavedArray> Search::arrays(const Saved& saved) const {
    std::vector<SavedArray> arrays;
    if (solver_) solver_->list_arrays(saved, arrays);
    arrays.push_back({"edges", 4, saved.edges, 2});
    arrays.push_back({"nodes", 1, saved.states, searched_.graph.node_bytes()});
    arrays.push_back({"states", 1, saved.states, searched_.graph.state_bytes});
    return arrays;
}

void Search::save(const Sink& sink) {
    const RollbackScope rolled_back(*this);
    if (solver_) solver_->save(sink);
    searched_.graph.pieces(sink);
}

void Search::load(const Saved& saved, const Source& read, const std::function<void()>& verify) {
    require_sound(saved.states <= no_node && saved.edges <= UINT32_MAX, "there is too much of it");
    require_sound(solver_ || saved.probed + saved.proven == 0,
                  "counts of probes in a search without probes");
    std::unique_ptr<Solver::Memory> memory;
    if (solver_) memory = solver_->read_memory(saved, read);
    Graph graph(searched_.graph.state_bytes, searched_.graph.width, searched_.options.hash_bits,
                searched_.graph.bounding);
    if (!graph.lay_out(saved.states, saved.edges)) throw std::bad_alloc();
    graph.pieces(read);
    verify();
    if (memory) solver_->check(*memory);
    // Only UBFM without bounds, which resumes its line, relies on plies. Only the solver of other
    // than two players notes what movers have.
    const bool movers =
        solver_ && graph.bounding == Bounding::none && searched_.rules.single_winner();
    check_graph(graph, saved, searched_.rules.players, searched_.scale,
                saved.layered != 0 && !solver_, movers);
    if (!graph.make_table(Graph::fitting_capacity(saved.states, saved.slots)))
        throw Damaged("a state is there twice");
    // From here on nothing can fail.
    searched_.graph.swap(graph);
    searched_.root = static_cast<NodeId>(saved.root);
    searched_.counts.iterations = saved.iterations;
    searched_.counts.expansions = saved.expanded;
    searched_.counts.resolved = saved.resolved;
    searched_.counts.walked = saved.walked;
    searched_.counts.compactions = saved.compactions;
    searched_.expander.set(saved.layered != 0, saved.terminal);
    plain_.forget();
    if (memory) solver_->take_over(saved, *memory);
}

RuleCheck Search::rule_check() {
    return {searched_.graph, searched_.rules, searched_.scale, searched_.options.completion,
            searched_.counts.compactions > 0};
}

}  // namespace unbounded
