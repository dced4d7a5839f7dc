// SPDX-License-Identifier: MIT
// A second kind of probe, for outcomes: depth-first proof-number search (df-pn). It asks whether
// the worth of a state is at least a goal, and goes where the fewest states are left to be settled,
// as far as is known. It visits states, looks them up and stores them as alpha-beta does, so what
// it answers is proven in the same way; proof numbers only say where to go next.
//
// A state has many parents here, and would be counted once for each line that leads to it. So the
// effort to refute all children is not the sum of their efforts, but the largest of these, and one
// for each of the others (weak proof numbers).
#include <algorithm>

#include "probes/probe.h"

namespace unbounded {

namespace {

constexpr std::uint32_t endless = 1 << 28;  // the effort of what cannot be done
// A child is searched until it takes half as much again as the next best: so lines do not change
// at every step, each time to be made anew.
constexpr std::uint32_t share_beyond_next = 2;
// The table of efforts holds numbers up to twice this.
constexpr Worth middle = TranspositionTable::most_narrow;

Bounds packed(std::uint32_t prove, std::uint32_t disprove) {
    return {std::min<Worth>(prove, 2 * middle) - middle,
            std::min<Worth>(disprove, 2 * middle) - middle};
}

}  // namespace

// First whether the worth is as good as the window asks, then whether it is better than the worst.
Prober::Answer Prober::prove(State state, Bounds window, std::uint64_t budget) {
    const std::uint64_t last_node = budget < UINT64_MAX - nodes_ ? nodes_ + budget : UINT64_MAX;
    if (!efforts_) {
        efforts_ = std::make_unique<TranspositionTable>(8 * table_.state_words, true);
        efforts_since_ = nodes_;
    }
    // Budgets grow, and by how much is not known here: the table follows what was visited.
    while (efforts_->small_for(2 * (nodes_ - efforts_since_)) && efforts_->grow(efforts_memory_)) {
    }
    Answer answer{scale_.all, true};
    for (Worth goal = window.hi; goal > window.lo && answer.finished; --goal) {
        if (answer.bounds.lo >= window.hi || answer.bounds.hi <= window.lo) break;
        if (answer.bounds.hi < goal) continue;
        if (nodes_ >= last_node) return {answer.bounds, false};
        const Answer found = prove_goal(state, goal, last_node);
        answer = {answer.bounds.meet(found.bounds), found.finished};
    }
    return answer;
}

Prober::Answer Prober::prove_goal(State state, Worth goal, std::uint64_t last_node) {
    limits_.clear();
    proving_ = true;
    if (begin_proof(root_of(state), goal, {endless, endless})) return {answer_, true};
    for (bool stopped = false;;) {
        Frame& frame = frames_.back();
        const Choice choice = choose_to_prove(frame);
        const Effort limit = limits_.back();
        const bool settled = frame.lo >= frame.window.hi || choice.open == 0;
        if (settled || stopped || choice.left.prove >= limit.prove ||
            choice.left.disprove >= limit.disprove) {
            leave_proof(settled, choice.left);
            if (frames_.empty()) return {answer_, settled};
        } else if (nodes_ >= last_node || slots_ > most_slots_ || looks_and_gives_up()) {
            stopped = true;
        } else if (!frame.in_order) {
            order(frame);  // only here, as many states are left again without going on
        } else {
            frame.at = choice.best;
            const Child& child = children_[frame.first_child + frame.at];
            const Effort below{
                std::min(limit.prove, choice.next + choice.next / share_beyond_next + 1),
                limit.disprove - (choice.open - 1)};
            if (begin_proof(child, goal, below.seen_by(child.player == frame.player)))
                deliver_proof();
        }
    }
}

// What is left to be done at a state, as its mover sees it, and the child that is easiest to prove;
// of equal ones, that which looks best.
Prober::Choice Prober::choose_to_prove(const Frame& frame) const {
    Choice choice{{endless, 0}, 0, endless, 0};
    const Child* const first = children_.data() + frame.first_child;
    for (std::uint32_t i = 0; i < frame.child_count; ++i) {
        if (first[i].bounds.hi < frame.window.hi) continue;  // refuted
        const Effort there = first[i].effort;
        ++choice.open;
        choice.left.disprove = std::max(choice.left.disprove, there.disprove);
        if (there.prove < choice.left.prove ||
            (frame.in_order && there.prove == choice.left.prove &&
             first[i].order > first[choice.best].order)) {
            choice.next = choice.left.prove;
            choice.left.prove = there.prove;
            choice.best = i;
        } else {
            choice.next = std::min(choice.next, there.prove);
        }
    }
    if (choice.open > 0)
        choice.left.disprove = std::min(choice.left.disprove + choice.open - 1, endless);
    return choice;
}

// Begins to prove a state. True: it is settled already, and the answer is known.
bool Prober::begin_proof(const Child& child, Worth goal, Effort limit) {
    // The second player proves that the first one does not get there.
    const Worth need = child.player == 0 ? goal : 1 - goal;
    if (enter(child, Bounds{need - 1, need}.seen_by(child.player))) return true;
    limits_.push_back(limit);
    const Frame& frame = frames_.back();
    for (std::uint32_t i = 0; i < frame.child_count; ++i) {
        Child& next = children_[frame.first_child + i];
        TranspositionTable::Known known;
        next.effort = {1, 1};
        if (next.number >= 0 || !efforts_->find(key(next.slot), next.hash, known)) continue;
        const Effort found{static_cast<std::uint32_t>(known.bounds.lo + middle),
                           static_cast<std::uint32_t>(known.bounds.hi + middle)};
        next.effort = found.seen_by(next.player == frame.player);
    }
    return false;
}

// Leaves a state, with what is proven of it, and what is left to do if it is not settled.
void Prober::leave_proof(bool settled, Effort left) {
    const Frame& frame = frames_.back();
    const std::uint8_t player = frame.player;
    if (!settled)
        efforts_->replace(key(frame.slot), frame.hash,
                          {packed(left.prove, left.disprove), no_index},
                          nodes_ - frame.nodes_before);
    finish();
    limits_.pop_back();
    if (frames_.empty()) return;
    const Frame& parent = frames_.back();
    children_[parent.first_child + parent.at].effort = left.seen_by(player == parent.player);
    deliver_proof();
}

void Prober::deliver_proof() {
    Frame& frame = frames_.back();
    Child& child = children_[frame.first_child + frame.at];
    narrow(child, answer_.seen_by(frame.player), frame.player);
    if (child.bounds.lo > frame.lo) {
        frame.lo = child.bounds.lo;
        frame.best_index = child.index;
    }
    frame.at = 0;  // `finish` is to read all children
}

}  // namespace unbounded
