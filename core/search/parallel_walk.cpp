// SPDX-License-Identifier: MIT
// The iterations of a thread among others: UBFM and Descent, for every value rule. What another
// thread is expanding is passed over, so that threads work on different leaves (virtual loss); this
// changes which edge is followed and nothing else.
#include <algorithm>
#include <mutex>

#include "search/shared_line.h"

namespace unbounded {

namespace {

constexpr std::uint64_t expansions_at_once = 32;  // for which a thread makes room

}  // namespace

template <class Values>
ParallelWalk::Progress SharedWalk<Values>::iterate() {
    ++iteration_;
    if (on_detour() && recalls_ == shared_.recalls.load(std::memory_order_relaxed))
        claim();
    else
        end_detour();
    std::uint64_t expansions = 0;
    for (NodeId id = resume();;) {
        const std::uint8_t flags = load_acquire(node(id).flags);
        if ((flags & (resolved | terminal)) != 0) {
            if (steps_.empty()) return Progress::finished;
            break;
        }
        ++counts.walked;
        if (is_of_another(flags, id)) {
            if (!retreat(id)) return Progress::nothing_free;
            continue;
        }
        if ((flags & expanded) == 0) {
            const Leaf leaf = expand(id);
            if (leaf == Leaf::no_memory) {
                drop_line(iteration_ - 1);
                return Progress::no_memory;
            }
            if (leaf == Leaf::taken) {
                if (!retreat(id)) return Progress::nothing_free;
                continue;
            }
            if (++expansions == most_expansions_ || stops()) break;
        }
        const Selection chosen = select(node(id));
        if (chosen.all_resolved) {  // through other parents, too
            back_up(id);
            break;
        }
        if (chosen.edge != nullptr) {
            follow(id, chosen);
            id = chosen.edge->child;
        } else if (!retreat(id)) {
            return Progress::nothing_free;
        }
    }
    back_up_line();
    ++counts.iterations;
    return Progress::done;
}

// The best child that is open and free; of equals, the one visited least.
template <class Values>
typename SharedWalk<Values>::Selection SharedWalk<Values>::select(const Node& node) {
    Selection selection;
    std::int64_t best_key = lowest;
    Edge* const edges = graph_.edges(node);
    for (int i = 0; i < node.edge_count; ++i) prefetch(&this->node(edges[i].child));
    for (int i = 0; i < node.edge_count; ++i) {
        Node& child = *child_;
        copy_node<Values>(graph_, this->node(edges[i].child), child);
        const std::int64_t key = Values::key(child, node.player, graph_.width);
        if (child.is(resolved) || is_passed_over(child, edges[i].child)) {
            selection.all_resolved &= child.is(resolved);
            selection.rival_key = std::max(selection.rival_key, key);
            continue;
        }
        selection.all_resolved = false;
        const bool better = selection.edge == nullptr || key > best_key ||
                            (key == best_key &&
                             load_relaxed(edges[i].visits) < load_relaxed(selection.edge->visits));
        if (!better) {
            consider(selection, edges[i], key);
            continue;
        }
        if (selection.edge != nullptr) consider(selection, *selection.edge, best_key);
        selection.edge = &edges[i];
        best_key = key;
    }
    selection.rival_key = std::max(selection.rival_key, selection.open_key);
    return selection;
}

// Remembers the best of those that were not chosen.
template <class Values>
void SharedWalk<Values>::consider(Selection& selection, Edge& edge, std::int64_t key) const {
    const Edge* const rival = selection.open_rival;
    if (rival != nullptr &&
        (key < selection.open_key ||
         (key == selection.open_key && load_relaxed(edge.visits) >= load_relaxed(rival->visits))))
        return;
    selection.open_rival = &edge;
    selection.open_key = key;
}

template <class Values>
bool SharedWalk<Values>::is_passed_over(const Node& child, NodeId id) const {
    return (child.is(busy) && !child.is(expanded)) ||
           std::find(passed_over_.begin(), passed_over_.end(), id) != passed_over_.end();
}

template <class Values>
typename SharedWalk<Values>::Leaf SharedWalk<Values>::expand(NodeId id) {
    Node& leaf = node(id);
    const std::uint8_t before = set_bits(leaf.flags, busy);
    if ((before & busy) != 0) return Leaf::taken;
    const struct Busy {
        ~Busy() { clear_bits(leaf.flags, busy); }
        Node& leaf;
    } is_busy{leaf};
    if ((before & expanded) != 0) return Leaf::expanded;  // by another thread, just now
    try {
        const std::uint64_t terminal_before = expander_.terminal_states();
        expander_.list(graph_.state(id));
        expander_.look_up();
        expander_.evaluate();
        work += 9 * expander_.child_count();
        if (store(id) == Stored::no_memory) return Leaf::no_memory;
        ++counts.expansions;
        counts.resolved += expander_.terminal_states() - terminal_before;
        back_up(id);
        return Leaf::expanded;
    } catch (...) {
        drop_line(iteration_ - 1);
        throw;
    }
}

// Alone if the table has to grow, and also where memory is scarce.
template <class Values>
Stored SharedWalk<Values>::store(NodeId id) {
    const std::uint64_t count = expander_.child_count();
    Stored stored = Stored::yes;
    graph_.help_to_grow(count);
    if (allotment().has(count) || allot(count))
        expander_.store_allotted(id, allotment());
    else
        shared_.gate.alone_inside(thread_, [&] { stored = store_alone(id); });
    const std::uint64_t most = shared_.limits.states;
    if (graph_.size() >= most && graph_.used() >= most) shared_.enough_states = true;
    return stored;
}

// Makes room for some expansions like this one, if that disturbs nobody.
template <class Values>
bool SharedWalk<Values>::allot(std::uint64_t count) {
    const std::uint64_t more = expansions_at_once * count, memory = shared_.limits.memory;
    volatile char* page = nullptr;
    {
        const std::lock_guard lock(shared_.storing);
        if (!graph_.is_quiet(more, more, memory) ||
            !graph_.allot(thread_, more, more, memory, page))
            return false;
    }
    // The table changes places only when no thread is inside, so the page is still an unused one.
    Graph::touch(page);
    return true;
}

template <class Values>
Stored SharedWalk<Values>::store_alone(NodeId id) {
    const std::uint64_t memory = shared_.limits.memory;
    const Stored stored = expander_.store_shared(id, memory);
    // Which makes the table grow if that is due.
    const std::uint64_t more = expansions_at_once * expander_.child_count();
    volatile char* page = nullptr;
    if (graph_.reserve(more, more, memory) && graph_.is_quiet(more, more, memory))
        (void)graph_.allot(thread_, more, more, memory, page);
    Graph::touch(page);
    return stored;
}

template <class Values>
void SharedWalk<Values>::back_up(NodeId id) {
    counts.resolved += back_up_.back_up(id);
}

// Whether to end the iteration here.
template <class Values>
bool SharedWalk<Values>::stops() const {
    return shared_.over.load(std::memory_order_relaxed) ||
           shared_.enough_states.load(std::memory_order_relaxed) ||
           (work >= Watch::work_between_looks && shared_.watch->late());
}

std::unique_ptr<ParallelWalk> make_parallel_walk(SharedSearch& shared, int thread) {
    return with_value_rule(shared.searched.options.values,
                           [&]<class Values>() -> std::unique_ptr<ParallelWalk> {
                               return std::make_unique<SharedWalk<Values>>(shared, thread);
                           });
}

}  // namespace unbounded
