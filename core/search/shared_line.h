// SPDX-License-Identifier: MIT
// The line of a thread among others: following it on, leaving it, and backing it up.
//
// Lines are long, and two in succession are mostly the same: for two players a thread keeps its
// line, and at each of its states what the choice was made against. It chooses again where its own
// child has become worse than that, where another thread has changed the state's numbers, and every
// so often anyway, for others may have changed the rivals alone.
//
// A thread that meets another one makes a detour: it leaves the line where the second best child is
// nearly as good as the best, which is where an iteration would leave it if the line became a
// little worse, and works below that child for a while, without a look at the states above and kept
// from others, who make a detour if they come there. So each thread has a part of the graph to
// itself, whose nodes are in the cache of its own core.
#pragma once

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <mutex>
#include <unordered_set>

#include "search/shared_walk.h"
#include "search/walk.h"

namespace unbounded {

constexpr std::size_t states_between_cycle_checks = 4096;
constexpr std::uint64_t longest_choice = 256;  // iterations, before a choice is made anew
// Iterations of a detour: a share of those before it, so that a short search is not one detour.
constexpr std::uint64_t shortest_detour = 16, longest_detour = 4096, share_of_a_detour = 32;
// Of equals the one visited least is chosen, but not in turn: what a thread has just seen is in its
// cache. The visits may differ by this share of them.
constexpr std::uint64_t share_of_slack = 64;

inline void add_visits(Edge& edge, std::uint64_t more) {
    if (more > 0 && load_relaxed(edge.visits) + more < UINT32_MAX)
        add_relaxed(edge.visits, static_cast<std::uint32_t>(more));
}
// Follows the line of the last iteration as far as its choices hold. Returns the state behind it.
template <class Values>
NodeId SharedWalk<Values>::resume() {
    if constexpr (!keeps_line) drop_line(iteration_ - 1);
    work += 1 + steps_.size() / 8;
    bool touched = !steps_.empty() && !on_detour() && is_touched(steps_[0]);
    for (std::size_t i = fork_; i < steps_.size(); ++i) {
        Step& step = steps_[i];
        const bool next_touched = i + 1 == steps_.size() || is_touched(steps_[i + 1]);
        if (touched) back_up(step.id);  // another thread may have written what it no longer is
        const bool again =
            (touched || iteration_ - step.chosen_at > longest_choice) && !is_fork(step);
        const bool doubtful = next_touched || step.in_doubt;
        if ((again || (doubtful && !holds(step))) && !choose_again(i)) break;
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
    if (child->is(resolved) || is_passed_over(*child, chosen.edge->child)) return false;
    const std::int64_t key = Values::key(*child, step.node->player, graph_.width);
    step.in_doubt = chosen.open_rival != nullptr && key <= chosen.open_key;
    if (!step.in_doubt) return true;
    if (key < chosen.open_key) return false;
    const std::uint64_t visits =
        load_relaxed(chosen.edge->visits) + (iteration_ - 1 - step.counted_at);
    const std::uint64_t slack = is_fork(step) ? longest_detour : visits / share_of_slack;
    const std::uint64_t rival_visits = load_relaxed(chosen.open_rival->visits) + slack;
    return visits != rival_visits ? visits < rival_visits : chosen.edge < chosen.open_rival;
}

// Returns false if the choice is another one now; then the line ends with that.
template <class Values>
bool SharedWalk<Values>::choose_again(std::size_t at) {
    Step& step = steps_[at];
    step.numbers = numbers_of<Values>(*step.node);
    // So that ties are decided by all visits there were.
    add_visits(*step.chosen.edge, iteration_ - 1 - step.counted_at);
    step.counted_at = iteration_ - 1;
    const bool is_resolved = (load_acquire(step.node->flags) & resolved) != 0;
    const Selection chosen = is_resolved ? Selection{} : select(*step.node);
    if (chosen.edge != nullptr && chosen.edge == step.chosen.edge) {
        step.chosen = chosen;
        step.chosen_at = iteration_;
        step.in_doubt = true;
        return true;
    }
    const NodeId id = step.id;
    drop_steps(at, iteration_ - 1);
    if (chosen.edge != nullptr) follow(id, chosen);
    return false;
}

template <class Values>
void SharedWalk<Values>::follow(NodeId id, const Selection& chosen) {
    Node& from = node(id);
    steps_.push_back(
        {id, &from, chosen, numbers_of<Values>(from), iteration_, iteration_ - 1, true});
    if (steps_.size() % states_between_cycle_checks == 0) check_cycle();
}

// Goes back to where another child is nearly as good, because others work below this state; of
// equals, as far as possible. Returns false if nothing is free.
template <class Values>
bool SharedWalk<Values>::retreat(NodeId& id) {
    if (steps_.empty()) {
        end_detour();
        return false;
    }
    std::size_t fork = steps_.size() - 1;
    float least = advantage(steps_[fork]);
    loss_elsewhere_ = FLT_MAX;
    for (std::size_t i = fork; i-- > 0;) {
        const float here = advantage(steps_[i]);
        loss_elsewhere_ = std::min(loss_elsewhere_, std::max(here, least));
        if (here > least || here == FLT_MAX) continue;
        least = here;
        fork = i;
    }
    passed_over_.push_back(steps_[fork].chosen.edge->child);
    id = steps_[fork].id;
    drop_steps(fork, iteration_ - 1);
    fork_ = fork;
    recalls_ = shared_.recalls.load(std::memory_order_relaxed);
    detour_begin_ = iteration_;
    detour_end_ =
        iteration_ + std::clamp(iteration_ / share_of_a_detour, shortest_detour, longest_detour);
    return true;
}

// Copies a child, and returns its value for the player.
template <class Values>
float SharedWalk<Values>::read(NodeId id, int player, std::int64_t& key) {
    copy_node<Values>(graph_, node(id), *child_);
    key = Values::key(*child_, player, graph_.width);
    return child_->values()[Values::known_width == 1 ? 0 : player];
}

// How much better the child is than the best of the others that are free.
template <class Values>
float SharedWalk<Values>::advantage(const Step& step) {
    const Edge* const rival = step.chosen.open_rival;
    if (rival == nullptr) return FLT_MAX;
    const int player = step.node->player;
    std::int64_t key, rival_key;
    const float rival_value = read(rival->child, player, rival_key);
    if (child_->is(resolved) || is_passed_over(*child_, rival->child)) return FLT_MAX;
    const float value = read(step.chosen.edge->child, player, key);
    if (key <= rival_key) return 0;
    const float difference = std::abs(value - rival_value);
    return difference < FLT_MAX ? difference : FLT_MAX;
}

template <class Values>
void SharedWalk<Values>::end_detour() {
    give_up_part();
    passed_over_.clear();
    fork_ = 0;
    detour_end_ = 0;
}

// After a change of the child to which the detour goes. Returns whether what lies above the fork
// has to know: the child is, or was, the best there. The detour is over if another one would lose
// less.
template <class Values>
bool SharedWalk<Values>::leads(const Step& step) {
    const int player = step.node->player;
    std::int64_t best, key;
    const float best_value = read(step.id, player, best);
    const float loss = std::abs(best_value - read(step.chosen.edge->child, player, key));
    const bool old = iteration_ >= detour_begin_ + shortest_detour;
    if (old && key < best && loss > loss_elsewhere_) detour_end_ = iteration_;
    const bool led = led_;
    led_ = key >= best;
    return led || key > best || child_->is(resolved);
}

// Keeps others out of the states below the child that the detour goes to.
template <class Values>
void SharedWalk<Values>::claim() {
    const NodeId child = steps_.size() > fork_ ? steps_[fork_].chosen.edge->child : no_node;
    if (child == part_) return;
    give_up_part();
    if (child == no_node) return;
    Node& root = node(child);
    if ((load_relaxed(root.flags) & (expanded | resolved | busy)) != expanded) return;
    if ((set_bits(root.flags, busy) & busy) == 0) part_ = child;
    led_ = false;
}

template <class Values>
void SharedWalk<Values>::give_up_part() {
    if (part_ == no_node) return;
    clear_bits(node(part_).flags, busy);
    part_ = no_node;
}

// Forgets the end of the line, and adds its visits to the edges: one access for many visits.
template <class Values>
void SharedWalk<Values>::drop_steps(std::size_t kept, std::uint64_t visited_until) {
    for (; steps_.size() > kept; steps_.pop_back()) {
        const Step& step = steps_.back();
        add_visits(*step.chosen.edge, visited_until - step.counted_at);
    }
}

// As far up as anything changes: what lies above has been backed up before, and if another thread
// has interfered since, `resume` sees it.
template <class Values>
void SharedWalk<Values>::back_up_line() {
    const std::size_t fork = fork_;
    for (std::size_t i = steps_.size(); i-- > 0;) {
        ++work;
        Step& step = steps_[i];
        if (keeps_line && on_detour() && i == fork && !leads(step)) return;
        const std::uint64_t before = step.numbers;
        back_up_step(step);
        const bool is_resolved = (load_relaxed(step.node->flags) & resolved) != 0;
        if (keeps_line && i >= fork && step.numbers == before && !is_resolved) return;
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
    drop_line(iteration_ - 1);
    report_cycle(graph_, path, again);
}

}  // namespace unbounded
