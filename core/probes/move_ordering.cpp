// SPDX-License-Identifier: MIT
// In which order a probe searches the children of a state: the best of an earlier search first,
// then by the evaluation of the game, where that pays, and by what was good elsewhere.
#include <algorithm>
#include <cstring>

#include "probes/probe.h"
#include "search/completion.h"

namespace unbounded {

namespace {

// Where fewer nodes than this are visited below a state, on average, an evaluation of its children
// takes longer than the nodes that a better order saves. Averages are kept times `work_unit`.
constexpr std::int32_t work_unit = 16;
constexpr std::int32_t least_evaluated_work = 4 * work_unit;
constexpr std::int32_t first_typical_work = 64 * work_unit;  // until more is known
constexpr std::int32_t most_typical_work = 1 << 24;
constexpr std::int32_t work_memory = 32;  // states that an average is about

}  // namespace

void Prober::copy_move_ordering(std::uint32_t* out) const {
    out = std::copy(history_.begin(), history_.end(), out);
    std::memcpy(out, killer_, sizeof killer_);
}

void Prober::set_move_ordering(const std::uint32_t* move_ordering) {
    std::copy(move_ordering, move_ordering + history_words, history_.begin());
    std::memcpy(killer_, move_ordering + history_words, sizeof killer_);
}

// Puts the child that was best before in front: often it settles the state, and then the others
// need not be looked at.
void Prober::try_first(Frame& frame, std::uint16_t best_reply) {
    Child* const first = children_.data() + frame.first_child;
    for (std::uint32_t i = 0; i < frame.child_count && best_reply != no_index; ++i) {
        if (first[i].index != best_reply) continue;
        std::swap(first[0], first[i]);
        return;
    }
    order(frame);
}

// Whether the children of the state that is being entered are to be ordered by an evaluation.
bool Prober::worth_evaluating() {
    return evaluator_ != nullptr && typical_work(frames_.size()) >= least_evaluated_work;
}

std::int32_t Prober::typical_work(std::size_t depth) {
    if (typical_work_.size() <= depth) typical_work_.resize(2 * depth, first_typical_work);
    return typical_work_[depth];
}

std::int32_t Prober::typical_nodes(std::size_t depth) { return typical_work(depth) / work_unit; }

// Takes over how many nodes were visited below the last state of the line.
void Prober::learn_work(std::uint64_t nodes) {
    if (frames_.size() >= typical_work_.size()) return;
    constexpr std::uint64_t most = most_typical_work / work_unit;
    const auto work = static_cast<std::int32_t>(std::min(nodes, most)) * work_unit;
    std::int32_t& typical = typical_work_[frames_.size()];
    typical += (work - typical) / work_memory;
}

void Prober::make_room_for_open(std::size_t count) {
    const std::size_t needed = count * rules_.state_bytes + sizeof(std::uint64_t);
    if (needed <= open_states_.size()) return;
    open_states_.resize(2 * needed);
    evaluations_.resize(2 * open_states_.size() / rules_.state_bytes);
}

// Copies a state to its place among those to be evaluated. Words are copied, the last one beyond
// the end of the state, where the next one comes.
void Prober::copy_open(std::uint32_t slot, std::size_t place) {
    std::byte* const to = open_states_.data() + place * rules_.state_bytes;
    const std::uint64_t* const from = expansion_.kept(slot);
    for (std::size_t i = 0; i < table_.state_words; ++i)
        std::memcpy(to + i * sizeof *from, from + i, sizeof *from);
}

// Says in which order to search the children that are left: those that look best first.
void Prober::order(Frame& frame) {
    Child* const first = children_.data() + frame.first_child;
    const Worth beat = std::max(frame.window.lo, frame.lo);
    const bool evaluated = worth_evaluating();
    frame.in_order = true;
    if (evaluated) make_room_for_open(frame.child_count - frame.at);
    std::uint32_t open = 0;
    for (std::uint32_t i = frame.at; i < frame.child_count; ++i) {
        first[i].order = cannot_matter;  // those come last
        if (first[i].bounds.hi <= beat) continue;
        if (evaluated) copy_open(first[i].slot, open);
        first[i].order = open++;
    }
    if (open < 2) return;
    if (evaluated) {
        evaluate_checked(*evaluator_, rules_, open_states_.data(), open, evaluations_.data());
    }
    for (std::uint32_t i = frame.at; i < frame.child_count; ++i) {
        if (first[i].order == cannot_matter) continue;
        std::int64_t key = history(frame.player, first[i].action);
        if (evaluated) key += ordered(evaluations_[2 * first[i].order + frame.player]) << 32;
        if (by_replies_) key -= std::int64_t{first[i].replies} << 32;
        first[i].order = key;
    }
}

// Brings the best of the children that are left to the front.
void Prober::choose(Frame& frame) {
    if (!frame.in_order) {
        if (frame.at == 0) return;
        order(frame);
    }
    Child* const from = children_.data() + frame.first_child + frame.at;
    Child* const end = children_.data() + frame.first_child + frame.child_count;
    Child* best = from;
    for (Child* child = from + 1; child < end; ++child)
        if (child->order > best->order) best = child;
    if (frame.at > 0) best = not_begun(best, from, end);
    if (best != from) std::swap(*from, *best);
}

}  // namespace unbounded
