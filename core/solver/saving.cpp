// SPDX-License-Identifier: MIT
// What a solver saves beside the graph: the table of its probes, their move ordering, its counts.
#include <algorithm>
#include <cstring>
#include <new>

#include "probes/probe.h"
#include "solver/solver.h"

namespace unbounded {

namespace {

constexpr std::size_t race_bytes = sizeof(ProbeRace::Standing);

}  // namespace

void Solver::step_back() {
    for (const auto& worker : workers_) {
        if (!worker->line.in_progress) continue;
        worker->line.undo_visits();
        if (worker->leaf == no_node) continue;
        Node& leaf = graph_.node(worker->leaf);
        leaf.clear(busy);
        if (workers_.size() > 1 && !leaf.is(resolved))
            std::copy(worker->values.begin(), worker->values.end(), leaf.values());
    }
    // A single worker does not use virtual loss.
    for (const auto& worker : workers_)
        if (workers_.size() > 1 && worker->line.in_progress) back_up_path(*worker);
}

void Solver::step_forward() {
    for (const auto& worker : workers_) {
        if (!worker->line.in_progress) continue;
        worker->line.redo_visits();
        if (worker->leaf == no_node) continue;
        Node& leaf = graph_.node(worker->leaf);
        leaf.set(busy);
        if (!leaf.is(resolved)) add_virtual_loss(*worker, leaf);
    }
}

// What the first thread's probes have learned, and how the kinds of probes have done.
std::size_t Solver::move_ordering_words() const {
    const std::size_t words = workers_[0]->policy->move_ordering_words();
    return words > 0 ? words + race_bytes / sizeof(std::uint32_t) : 0;
}

void Solver::describe(Saved& saved) const {
    saved.workers_layered = workers_[0]->expander.layered();
    saved.probed = probed_;
    saved.proven = table_ ? table_->entries() : 0;
}

void Solver::list_arrays(const Saved& saved, std::vector<SavedArray>& out) const {
    if (table_) out.push_back({"proven", 8, saved.proven, table_->entry_words()});
    if (move_ordering_words() > 0) out.push_back({"move_ordering", 4, 1, move_ordering_words()});
}

void Solver::save(const Sink& sink) const {
    if (table_) table_->copy_out(sink);
    // Only the first thread is certainly not probing now.
    const ProofPolicy& policy = *workers_[0]->policy;
    std::vector<std::uint32_t> move_ordering(move_ordering_words());
    if (move_ordering.empty()) return;
    policy.copy_move_ordering(move_ordering.data());
    std::memcpy(move_ordering.data() + policy.move_ordering_words(), &race_.standing(), race_bytes);
    sink(move_ordering.data(), move_ordering.size() * sizeof move_ordering[0]);
}

std::unique_ptr<Solver::Memory> Solver::read_memory(const Saved& saved, const Source& read) const {
    auto memory = std::make_unique<Memory>();
    require_sound(table_ != nullptr || saved.proven == 0,
                  "a transposition table in a search without probes");
    if (table_) {
        require_sound(TranspositionTable::can_have(saved.proven), "no table can have that size");
        memory->table = empty_table();
        if (!memory->table->read_in(saved.proven, read)) throw std::bad_alloc();
    }
    memory->move_ordering.resize(move_ordering_words());
    if (!memory->move_ordering.empty())
        read(memory->move_ordering.data(),
             memory->move_ordering.size() * sizeof memory->move_ordering[0]);
    return memory;
}

void Solver::check(const Memory& memory) const {
    const Bounds all = Prober::bounds_in_table(searched_.rules, searched_.scale);
    require_sound(!memory.table || memory.table->sound(all), "a proof that cannot be");
}

void Solver::take_over(const Saved& saved, Memory& memory) {
    probed_ = saved.probed;
    if (table_) table_->swap(*memory.table);
    if (!memory.move_ordering.empty()) {
        ProbeRace::Standing standing;
        std::memcpy(static_cast<void*>(&standing),
                    memory.move_ordering.data() + workers_[0]->policy->move_ordering_words(),
                    race_bytes);
        race_.set(standing);
    }
    for (const auto& worker : workers_) {
        if (!memory.move_ordering.empty())
            worker->policy->set_move_ordering(memory.move_ordering.data());
        worker->expander.set(saved.workers_layered != 0, 0);
    }
}

}  // namespace unbounded
