// SPDX-License-Identifier: MIT
// How threads that probe the same state share the work. Each searches the state as if it were
// alone, over the same table: what another thread has settled meanwhile need not be searched again.
// The first child, which often settles its parent, is everybody's; of the others, those that
// another thread is at come last. All that a thread takes over comes from the table, and is proven.
#include "probes/probe.h"

namespace unbounded {

bool Prober::worth_sharing(std::size_t depth) {
    return shared_ != nullptr && !proving_ && typical_nodes(depth) >= least_shared_nodes_;
}

// Tells the other threads that the last state of the line is being searched.
void Prober::mark() {
    Frame& frame = frames_.back();
    frame.marked = worth_sharing(frames_.size());
    if (frame.marked) shared_->add(frame.hash);
}

// The best of the children that are left which no other thread is searching; if there is none,
// `best`.
Prober::Child* Prober::not_begun(Child* best, Child* first, Child* end) {
    if (best->order == cannot_matter || !worth_sharing(frames_.size() + 1)) return best;
    if (!shared_->has(best->hash)) return best;
    Child* other = nullptr;
    for (Child* child = first; child < end; ++child)
        if (child->order != cannot_matter && (other == nullptr || child->order > other->order) &&
            !shared_->has(child->hash))
            other = child;
    return other != nullptr ? other : best;
}

// Takes over what another thread has found of the child that comes next. True: that is enough.
bool Prober::found_elsewhere() {
    const Frame& frame = frames_.back();
    if (frame.at == 0 || !worth_sharing(frames_.size() + 1)) return false;
    const std::uint32_t before = frame.at;
    const Child& child = children_[frame.first_child + frame.at];
    TranspositionTable::Known known;
    if (child.number >= 0 || !find(child, known)) return false;
    answer_ = known.bounds;
    deliver();
    return frame.at != before;
}

// Leaves the line at the first state that another thread has settled meanwhile. True: there is one,
// and its answer is known; that of the whole probe if no state is left.
bool Prober::leave_settled() {
    if (shared_ == nullptr) return false;
    for (std::size_t i = 0; i < frames_.size(); ++i) {
        const Frame frame = frames_[i];
        TranspositionTable::Known known;
        if (!frame.marked || !table_.find(key(frame.slot), frame.hash, known)) continue;
        const Bounds found = with_lead(known.bounds, frame.lead);
        const Bounds seen = found.seen_by(frame.player);
        if (seen.lo < seen.hi && seen.lo < frame.window.hi && seen.hi > frame.window.lo) continue;
        leave_until(i);
        answer_ = found;
        if (!frames_.empty()) deliver();
        return true;
    }
    return false;
}

}  // namespace unbounded
