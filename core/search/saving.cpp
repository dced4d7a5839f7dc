// SPDX-License-Identifier: MIT
// Saving a search, also in the middle of a run, and making it again; `loading.cpp` says what is
// believed of what was read.
#include "search/saving.h"

#include <algorithm>
#include <memory>
#include <new>

#include "search/search.h"
#include "solver/solver.h"

namespace unbounded {

// While it lives, the graph is as if the iterations in progress had not begun: they cannot be taken
// up again in another process.
class Search::Intermission {
  public:
    explicit Intermission(Search& search) : search_(search) {
        if (search_.solver_) search_.solver_->step_back();
        if (!search_.iterating_) return;
        search_.forget_visits();
        const auto& path = search_.path_;
        marked_ = !path.empty() && search_.graph_.node(path[0]).is(on_path);
        for (const NodeId id : path) search_.graph_.node(id).clear(on_path);
    }
    ~Intermission() {
        if (search_.solver_) search_.solver_->step_forward();
        if (!search_.iterating_) return;
        for (Edge* edge : search_.followed_)
            if (edge->visits != UINT32_MAX) ++edge->visits;
        if (!marked_) return;
        for (const NodeId id : search_.path_) search_.graph_.node(id).set(on_path);
    }
    Intermission(const Intermission&) = delete;
    Intermission& operator=(const Intermission&) = delete;

  private:
    Search& search_;
    bool marked_ = false;
};

Saved Search::saved() const {
    Saved saved;
    saved.root = root_;
    saved.states = graph_.size();
    saved.edges = graph_.edge_count();
    saved.slots = graph_.capacity();
    saved.iterations = iterations_;
    saved.expanded = expansions_;
    saved.resolved = resolved_;
    saved.terminal = expander_.terminal_states();
    saved.walked = walked_;
    saved.compactions = compactions_;
    saved.layered = expander_.layered();
    if (solver_) solver_->describe(saved);
    return saved;
}

std::vector<SavedArray> Search::arrays(const Saved& saved) const {
    std::vector<SavedArray> arrays;
    if (solver_) solver_->list_arrays(saved, arrays);
    arrays.push_back({"edges", 4, saved.edges, 2});
    arrays.push_back({"nodes", 1, saved.states, graph_.node_bytes()});
    arrays.push_back({"states", 1, saved.states, graph_.state_bytes});
    return arrays;
}

void Search::save(const Sink& sink) {
    const Intermission intermission(*this);
    if (solver_) solver_->save(sink);
    graph_.pieces(sink);
}

void Search::load(const Saved& saved, const Source& read, const std::function<void()>& verify) {
    require_sound(saved.states <= no_node && saved.edges <= UINT32_MAX, "there is too much of it");
    require_sound(solver_ || saved.probed + saved.proven == 0, "probes of nobody");
    std::unique_ptr<Solver::Memory> memory;
    if (solver_) memory = solver_->read_memory(saved, read);
    Graph graph(graph_.state_bytes, graph_.width, options_.hash_bits, graph_.bounding);
    if (!graph.lay_out(saved.states, saved.edges)) throw std::bad_alloc();
    graph.pieces(read);
    verify();
    if (memory) solver_->check(*memory);
    // Only a search that resumes its line trusts in plies.
    check_graph(graph, saved, rules_.players, scale_, saved.layered != 0 && !solver_);
    if (!graph.make_table(Graph::fitting_capacity(saved.states, saved.slots)))
        throw Damaged("a state is there twice");
    // Nothing can fail any more.
    graph_.swap(graph);
    root_ = static_cast<NodeId>(saved.root);
    iterations_ = saved.iterations;
    expansions_ = saved.expanded;
    resolved_ = saved.resolved;
    walked_ = saved.walked;
    compactions_ = saved.compactions;
    expander_.set(saved.layered != 0, saved.terminal);
    begin_path();
    steps_.clear();
    if (memory) solver_->take_over(saved, *memory);
}

RuleCheck Search::rule_check() {
    return {graph_, rules_, scale_, options_.completion, compactions_ > 0};
}

// -- what the search for proofs remembers ---------------------------------------------------------

void Solver::step_back() {
    for (const auto& worker : workers_) {
        if (!worker->iterating) continue;
        forget_visits(*worker);
        if (worker->leaf == no_node) continue;
        Node& leaf = graph_.node(worker->leaf);
        leaf.clear(busy);
        if (workers_.size() > 1 && !leaf.is(resolved))
            std::copy(worker->values.begin(), worker->values.end(), leaf.values());
    }
    // Alone, a worker tells nobody that its leaf looks bad.
    for (const auto& worker : workers_)
        if (workers_.size() > 1 && worker->iterating) back_up_path(*worker);
}

void Solver::step_forward() {
    for (const auto& worker : workers_) {
        if (!worker->iterating) continue;
        for (Edge* edge : worker->followed)
            if (edge->visits != UINT32_MAX) ++edge->visits;
        if (worker->leaf == no_node) continue;
        Node& leaf = graph_.node(worker->leaf);
        leaf.set(busy);
        if (!leaf.is(resolved)) add_virtual_loss(*worker, leaf);
    }
}

void Solver::describe(Saved& saved) const {
    saved.workers_layered = workers_[0]->expander.layered();
    saved.probed = probed_;
    saved.proven = table_ ? table_->entries() : 0;
}

void Solver::list_arrays(const Saved& saved, std::vector<SavedArray>& out) const {
    if (table_) out.push_back({"proven", 8, saved.proven, table_->entry_words()});
    if (workers_[0]->prober) out.push_back({"move_ordering", 4, 1, Prober::move_ordering_words});
}

void Solver::save(const Sink& sink) const {
    if (table_) table_->copy_out(sink);
    if (!workers_[0]->prober) return;
    // Only the first thread is known not to probe just now.
    std::vector<std::uint32_t> move_ordering(Prober::move_ordering_words);
    workers_[0]->prober->copy_move_ordering(move_ordering.data());
    sink(move_ordering.data(), move_ordering.size() * sizeof move_ordering[0]);
}

std::unique_ptr<Solver::Memory> Solver::read_memory(const Saved& saved, const Source& read) const {
    auto memory = std::make_unique<Memory>();
    require_sound(table_ != nullptr || saved.proven == 0, "a table that nobody asked for");
    if (table_) {
        require_sound(TranspositionTable::can_have(saved.proven), "no table can have that size");
        memory->table = empty_table();
        if (!memory->table->read_in(saved.proven, read)) throw std::bad_alloc();
    }
    if (workers_[0]->prober) {
        memory->move_ordering.resize(Prober::move_ordering_words);
        read(memory->move_ordering.data(),
             memory->move_ordering.size() * sizeof memory->move_ordering[0]);
    }
    return memory;
}

void Solver::check(const Memory& memory) const {
    require_sound(!memory.table || memory.table->sound(scale_), "a proof that cannot be");
}

void Solver::take_over(const Saved& saved, Memory& memory) {
    probed_ = saved.probed;
    if (table_) table_->swap(*memory.table);
    for (const auto& worker : workers_) {
        if (worker->prober) worker->prober->set_move_ordering(memory.move_ordering.data());
        worker->expander.set(saved.workers_layered != 0, 0);
    }
}

}  // namespace unbounded
