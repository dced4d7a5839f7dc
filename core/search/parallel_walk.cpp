// SPDX-License-Identifier: MIT
// The iterations of a thread among others: UBFM and Descent, for every value rule. What another
// thread is expanding is passed over, so that threads work on different leaves (virtual loss); this
// changes which edge is followed and nothing else.
//
// Lines are long, and two in succession are mostly the same: for two players a thread keeps its
// line, and at each of its states what the choice was made against. It chooses again where its own
// child has become worse than that, where another thread has changed the state's numbers, and every
// so often anyway, for others may have changed the rivals alone.
#include <algorithm>
#include <mutex>
#include <unordered_set>

#include "search/parallel_search.h"
#include "search/shared_back_up.h"
#include "search/walk.h"

namespace unbounded {

namespace {

// A longer line is ended here, and the next iteration follows it on: between two iterations the
// caller is polled.
constexpr std::uint64_t longest_iteration = 256;
constexpr std::size_t states_between_cycle_checks = 4096;
constexpr std::uint64_t longest_choice = 32;  // iterations, before a choice is made anew

void add_visits(Edge& edge, std::uint64_t more) {
    if (more > 0 && load_relaxed(edge.visits) + more < UINT32_MAX)
        add_relaxed(edge.visits, static_cast<std::uint32_t>(more));
}

template <class Values>
class SharedWalk final : public ParallelWalk {
  public:
    SharedWalk(SharedSearch& shared, int thread)
        : shared_(shared),
          searched_(shared.searched),
          graph_(searched_.graph),
          thread_(thread),
          most_expansions_(std::min(shared.most_expansions, longest_iteration)),
          expander_(graph_, searched_.rules, searched_.evaluator,
                    searched_.options.values == ValueRule::minimax, true, nullptr,
                    searched_.options.local_maximum),
          child_(graph_),
          back_up_(searched_) {}

    Progress iterate() override;
    void forget() override { drop_steps(0, iteration_); }

  private:
    static constexpr std::int64_t lowest = INT64_MIN;

    // A choice among the children of a state, and what it was made against.
    struct Selection {
        Edge* edge = nullptr;        // null: no child is free
        bool all_resolved = true;    // every child is
        Edge* open_rival = nullptr;  // the best of the others that are free; null: none
        std::int64_t open_key = lowest;
        std::int64_t rival_key = lowest;  // of the best of all others
    };
    // A state of the line.
    struct Step {
        NodeId id;
        Node* node;
        Selection chosen;
        std::uint64_t numbers;     // of the state, when this thread last saw it
        std::uint64_t chosen_at;   // the iteration
        std::uint64_t counted_at;  // until then the edge's visits have been added to it
        bool in_doubt;             // the child has changed, or a rival is as good
    };
    // With more players it would also matter what the choice means to the others.
    static constexpr bool keeps_line = Values::known_width == 1;
    enum class Leaf { expanded, taken, no_memory };

    Node& node(NodeId id) const { return graph_.node_of<Values::known_width>(id); }
    NodeId resume();
    bool is_touched(const Step& step) const;
    bool holds(Step& step) const;
    bool choose_again(Step& step);
    Selection select(const Node& node);
    void consider(Selection& selection, Edge& edge, std::int64_t key) const;
    bool is_passed_over(const Node& child, NodeId id) const;
    void follow(NodeId id, const Selection& chosen);
    bool retreat(NodeId& id);
    // Without the present iteration if it comes to nothing.
    void drop_steps(std::size_t kept, std::uint64_t visited_until);
    Leaf expand(NodeId id);
    Stored store(NodeId id);
    void back_up_line();
    void back_up_step(Step& step);
    void back_up(NodeId id);
    void check_cycle();
    bool stops() const;

    SharedSearch& shared_;
    SearchGraph& searched_;
    Graph& graph_;
    const int thread_;
    const std::uint64_t most_expansions_;
    Expander expander_;
    std::vector<Step> steps_;
    std::uint64_t iteration_ = 0;      // of this thread
    std::vector<NodeId> passed_over_;  // below them no leaf was free
    NodeCopy<Values> child_;
    SharedBackUp<Values> back_up_;
};

template <class Values>
ParallelWalk::Progress SharedWalk<Values>::iterate() {
    passed_over_.clear();
    ++iteration_;
    std::uint64_t expansions = 0;
    for (NodeId id = resume();;) {
        const std::uint8_t flags = load_acquire(node(id).flags);
        if ((flags & (resolved | terminal)) != 0) {
            if (steps_.empty()) return Progress::finished;
            break;
        }
        ++counts.walked;
        if ((flags & expanded) == 0) {
            const Leaf leaf = expand(id);
            if (leaf == Leaf::no_memory) {
                drop_steps(0, iteration_ - 1);
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

// Follows the line of the last iteration as far as its choices hold. Returns the state behind it.
template <class Values>
NodeId SharedWalk<Values>::resume() {
    if constexpr (!keeps_line) drop_steps(0, iteration_ - 1);
    work += 1 + steps_.size() / 8;
    bool touched = !steps_.empty() && is_touched(steps_[0]);
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        Step& step = steps_[i];
        const bool next_touched = i + 1 == steps_.size() || is_touched(steps_[i + 1]);
        if (touched) back_up(step.id);  // another thread may have written what it no longer is
        const bool again = touched || iteration_ - step.chosen_at > longest_choice;
        const bool doubtful = next_touched || step.in_doubt;
        if ((again || (doubtful && !holds(step))) && !choose_again(step)) {
            drop_steps(i, iteration_ - 1);
            break;
        }
        touched = next_touched;
    }
    return steps_.empty() ? searched_.root : steps_.back().chosen.edge->child;
}

template <class Values>
bool SharedWalk<Values>::is_touched(const Step& step) const {
    return numbers_of<Values>(*step.node) != step.numbers ||
           (load_relaxed(step.node->flags) & resolved) != 0;
}

// Whether an iteration would choose the same child again, as far as this thread knows.
template <class Values>
bool SharedWalk<Values>::holds(Step& step) const {
    const Selection& chosen = step.chosen;
    NodeCopy<Values> child(graph_);
    copy_node<Values>(graph_, node(chosen.edge->child), *child);
    if (child->is(resolved) || (child->is(busy) && !child->is(expanded))) return false;
    const std::int64_t key = Values::key(*child, step.node->player, graph_.width);
    step.in_doubt = chosen.open_rival != nullptr && key <= chosen.open_key;
    if (!step.in_doubt) return true;
    if (key < chosen.open_key) return false;
    const std::uint64_t visits =
        load_relaxed(chosen.edge->visits) + (iteration_ - 1 - step.counted_at);
    const std::uint64_t rival_visits = load_relaxed(chosen.open_rival->visits);
    return visits != rival_visits ? visits < rival_visits : chosen.edge < chosen.open_rival;
}

// Returns false if the choice is another one now.
template <class Values>
bool SharedWalk<Values>::choose_again(Step& step) {
    step.numbers = numbers_of<Values>(*step.node);
    // So that ties are decided by all visits there were.
    add_visits(*step.chosen.edge, iteration_ - 1 - step.counted_at);
    step.counted_at = iteration_ - 1;
    if ((load_acquire(step.node->flags) & resolved) != 0) return false;
    const Selection chosen = select(*step.node);
    if (chosen.edge == nullptr || chosen.edge != step.chosen.edge) return false;
    step.chosen = chosen;
    step.chosen_at = iteration_;
    step.in_doubt = true;
    return true;
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
void SharedWalk<Values>::follow(NodeId id, const Selection& chosen) {
    Node& from = node(id);
    steps_.push_back(
        {id, &from, chosen, numbers_of<Values>(from), iteration_, iteration_ - 1, true});
    if (steps_.size() % states_between_cycle_checks == 0) check_cycle();
}

// Takes the last step back, because there is nothing to do below it. Returns false at the root.
template <class Values>
bool SharedWalk<Values>::retreat(NodeId& id) {
    if (steps_.empty()) return false;
    passed_over_.push_back(id);
    id = steps_.back().id;
    drop_steps(steps_.size() - 1, iteration_ - 1);
    return true;
}

// Forgets the end of the line, and adds its visits to the edges: one access for many visits.
template <class Values>
void SharedWalk<Values>::drop_steps(std::size_t kept, std::uint64_t visited_until) {
    for (; steps_.size() > kept; steps_.pop_back()) {
        const Step& step = steps_.back();
        add_visits(*step.chosen.edge, visited_until - step.counted_at);
    }
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
        drop_steps(0, iteration_ - 1);
        throw;
    }
}

// Alone if the table has to grow, and also where memory is scarce.
template <class Values>
Stored SharedWalk<Values>::store(NodeId id) {
    const std::uint64_t memory = shared_.limits.memory;
    const std::uint64_t count = expander_.child_count();
    const auto store_now = [&] {
        const Stored stored = expander_.store_shared(id, memory);
        if (graph_.size() >= shared_.limits.states) shared_.enough_states = true;
        return stored;
    };
    {
        const std::lock_guard lock(shared_.storing);
        if (graph_.is_quiet(count, count, memory)) return store_now();
    }
    Stored stored = Stored::no_memory;
    shared_.gate.alone_inside(thread_, [&] { stored = store_now(); });
    return stored;
}

// As far up as anything changes: what lies above has been backed up before, and if another thread
// has interfered since, `resume` sees it.
template <class Values>
void SharedWalk<Values>::back_up_line() {
    for (std::size_t i = steps_.size(); i-- > 0;) {
        ++work;
        Step& step = steps_[i];
        const std::uint64_t before = step.numbers;
        back_up_step(step);
        const bool is_resolved = (load_relaxed(step.node->flags) & resolved) != 0;
        if (keeps_line && step.numbers == before && !is_resolved) return;
        if (i > 0) steps_[i - 1].in_doubt = true;
    }
}

// If the child that was followed is still the best, and open, the state takes over its numbers
// without a look at the others.
template <class Values>
void SharedWalk<Values>::back_up_step(Step& step) {
    copy_node<Values>(graph_, node(step.chosen.edge->child), *child_);
    const std::int64_t key = Values::key(*child_, step.node->player, graph_.width);
    // With more players those who do not move may tell equals apart.
    const bool still_best = keeps_line ? key >= step.chosen.rival_key : key > step.chosen.rival_key;
    const bool touched = numbers_of<Values>(*step.node) != step.numbers;
    const bool simple = !touched && still_best && !child_->is(resolved);
    if (!simple || !back_up_.take_from(*child_, step.id)) back_up(step.id);
    step.numbers = back_up_.numbers();
}

template <class Values>
void SharedWalk<Values>::back_up(NodeId id) {
    counts.resolved += back_up_.back_up(id);
}

// A line longer than there are states has one twice.
template <class Values>
void SharedWalk<Values>::check_cycle() {
    {
        const std::lock_guard lock(shared_.storing);
        if (steps_.size() <= graph_.size()) return;
    }
    std::vector<NodeId> path;
    std::unordered_set<NodeId> seen;
    std::size_t at = 0;
    for (; seen.insert(steps_[at].id).second; ++at) path.push_back(steps_[at].id);
    const NodeId again = steps_[at].id;
    drop_steps(0, iteration_ - 1);
    report_cycle(graph_, path, again);
}

// Whether to end the iteration here.
template <class Values>
bool SharedWalk<Values>::stops() const {
    return shared_.over.load(std::memory_order_relaxed) ||
           shared_.enough_states.load(std::memory_order_relaxed) ||
           (work >= Watch::work_between_looks && shared_.watch->late());
}

}  // namespace

std::unique_ptr<ParallelWalk> make_parallel_walk(SharedSearch& shared, int thread) {
    return with_value_rule(shared.searched.options.values,
                           [&]<class Values>() -> std::unique_ptr<ParallelWalk> {
                               return std::make_unique<SharedWalk<Values>>(shared, thread);
                           });
}

}  // namespace unbounded
