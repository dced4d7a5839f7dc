// SPDX-License-Identifier: MIT
#include "probes/probe.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "probes/cycles.h"

namespace unbounded {

namespace {

constexpr std::uint64_t children_between_looks = 1024;
// Near the root of a probe positions that are the same up to symmetry are looked for; farther down
// it costs more than it brings.
constexpr std::size_t canonical_plies = 16;

}  // namespace

Prober::Prober(const Rules& rules, Evaluator* evaluator, TranspositionTable& table,
               const WorthScale& scale)
    : rules_(rules),
      evaluator_(evaluator),
      table_(table),
      scale_(scale),
      local_bounds_(scale.exact_score && rules.bounds_scores()),
      forced_(!scale.exact_score && rules.has_forced()),
      by_replies_(evaluator == nullptr && !rules.native()),
      reduces_(reduces(rules)),
      expansion_(rules),
      history_(history_words) {}

Worth Prober::terminal_worth(int index, int player) const {
    const char* const by_score = endgames_ != nullptr ? "endgame" : nullptr;
    rules_.check_zero_sum_end(expansion_, index, reduces_ ? "reduced" : by_score);
    const Worth worth = scale_.of(expansion_.outcome(index)[0], expansion_.score(index)[0]);
    return player == 0 ? worth : -worth;
}

// Tries the action that won at once where this player last won at once: often it wins again.
// `tried`: its place among the actions, and its successor is made; or -1.
bool Prober::try_killer(std::uint32_t parent, int player, Worth enough, int& tried) {
    const std::int32_t* const first = expansion_.actions.data();
    const std::int32_t* const last = first + expansion_.count;
    const std::int32_t* const found = std::find(first, last, killer_[player]);
    if (found == last) return false;
    tried = static_cast<int>(found - first);
    rules_.expand_first(bytes(parent), expansion_, tried);
    if (!expansion_.terminal(tried)) return false;
    const Worth worth = terminal_worth(tried, player);
    if (worth < enough) return false;
    answer_ = Bounds{worth, scale_.all.seen_by(player).hi}.seen_by(player);
    return true;
}

// Adds the child that an action leads to. True: it ends the game well enough, and the answer is
// known.
bool Prober::add_child(Frame& frame, int index, bool canonical) {
    if (expansion_.terminal(index)) {
        const Worth worth = terminal_worth(index, frame.player);
        if (worth > frame.lo) {
            frame.lo = worth;
            frame.best_index = static_cast<std::uint16_t>(index);
        }
        frame.hi = std::max(frame.hi, worth);
        if (worth < frame.window.hi) return false;
        killer_[frame.player] = expansion_.actions[index];
        const Worth top = scale_.all.seen_by(frame.player).hi;
        answer_ = Bounds{worth, top}.seen_by(frame.player);
        return true;
    }
    Child& child = children_.emplace_back();
    child.slot = frame.first_slot + static_cast<std::uint32_t>(index);
    child.action = expansion_.actions[index];
    child.index = static_cast<std::uint16_t>(index);
    child.player = static_cast<std::uint8_t>(expansion_.player(index));
    child.replies = static_cast<std::uint16_t>(expansion_.action_counts[index]);
    if (is_endgame(child, index)) return false;
    make_key(child, canonical);
    table_.prefetch_tags(child.hash);
    // Of the one before, the tags should have come meanwhile.
    if (children_.size() > frame.first_child + 1) table_.prefetch_found((&child - 1)->hash);
    return false;
}

// Lists the children, one of which may be made already. True: an action ends the game well enough,
// and the answer is known.
bool Prober::generate(Frame& frame, int tried) {
    const bool canonical = frames_.size() <= canonical_plies;
    const int count = expansion_.count;
    slots_ += static_cast<std::uint32_t>(count);
    for (int i = 0; i < count;) {
        int made = i + 1;
        if (i != tried)
            made = rules_.expand_until_terminal(bytes(frame.slot), expansion_, i,
                                                i < tried ? tried : count);
        for (; i < made; ++i)
            if (add_child(frame, i, canonical)) return true;
    }
    frame.child_count = static_cast<std::uint32_t>(children_.size() - frame.first_child);
    return false;
}

// What the scores that can still be reached leave open.
Bounds Prober::possible(std::uint32_t slot) {
    return {-lexicographic(1, rules_.best_score_from(bytes(slot), 1)),
            lexicographic(1, rules_.best_score_from(bytes(slot), 0))};
}

// Takes over what is proven of a child, as the player sees it who moves above it.
void Prober::narrow(Child& child, Bounds found, int player) {
    child.bounds = child.bounds.meet(found);
    if (local_bounds_ && child.bounds.lo > child.bounds.hi)
        refuse_bound(child, found.seen_by(player));
}

// What is proven of a child contradicts what the game says of the scores below it.
void Prober::refuse_bound(const Child& child, Bounds found) {
    const Bounds declared = possible(child.slot);
    const auto check = [&](int player) {
        rules_.check_declared_bound(bytes(child.slot), player,
                                    scale_.score(declared.seen_by(player).hi),
                                    scale_.score(found.seen_by(player).lo));
    };
    if (found.lo > declared.hi) check(0);
    if (found.hi < declared.lo) check(1);
}

// Takes over what the table knows of the children; those that need no search are put aside.
void Prober::look_up(Frame& frame) {
    const Bounds all = scale_.all.seen_by(frame.player);
    if (frame.child_count > 0) table_.prefetch_found(children_.back().hash);
    for (std::uint32_t i = frame.first_child; i < children_.size(); ++i) {
        Child& child = children_[i];
        TranspositionTable::Known known;
        child.bounds = all;
        if (local_bounds_) child.bounds = all.meet(possible(child.slot).seen_by(frame.player));
        child.best_reply = no_index;
        if (child.number >= 0 && frame.lo >= frame.window.hi) continue;  // it is not needed
        if (child.number >= 0 && look_up_endgame(child)) {
            narrow(child, answer_.seen_by(frame.player), frame.player);
        } else if (find(child, known)) {
            narrow(child, known.bounds.seen_by(frame.player), frame.player);
            child.best_reply = known.action;
        }
        if (child.bounds.lo > frame.lo) {
            frame.lo = child.bounds.lo;
            frame.best_index = child.index;
        }
    }
}

// Whether the score of a child is to be looked up among the endgames.
bool Prober::is_endgame(Child& child, int index) {
    child.number = -1;
    const std::int32_t covered = endgames_ == nullptr ? 0 : endgames_->covered();
    if (covered == 0) return false;
    const Endgame endgame = rules_.endgame(expansion_.state(index), covered);
    if (endgame.number < 0 || endgame.number >= covered) return false;
    child.number = endgame.number;
    child.lead = endgame.lead;
    endgames_->prefetch(child.number);
    return true;
}

// Finds the worth of a child that is an endgame. False: it gave up; then the child is one as any.
bool Prober::look_up_endgame(Child& child) {
    int gain = endgames_->gain(child.number);
    if (gain == EndgameTable::unknown)
        gain = endgame_search_->gain(bytes(child.slot), child.player, {child.number, child.lead},
                                     give_up);
    if (gain == EndgameTable::unknown) {
        child.number = -1;
        make_key(child, frames_.size() <= canonical_plies);
        return false;
    }
    const int score = child.lead + gain;
    const Worth worth = scale_.of((score > 0) - (score < 0), static_cast<float>(score));
    answer_ = Bounds{worth, worth}.seen_by(child.player);
    return true;
}

// Lists the actions that have to be looked at. True: all lose, and that is the answer.
//
// The rule `forced` leaves out only what cannot change the outcome: actions that lose, or, where
// one that is listed is among the best, any. So the worth of the state is the best of those that
// are listed, or a loss. With scores that would not be so: lost games differ.
bool Prober::list(std::uint32_t slot, int player) {
    expansion_.keep(slots_);
    if (forced_)
        rules_.list_forced(bytes(slot), expansion_);
    else
        rules_.list_actions(bytes(slot), expansion_);
    make_keys(slots_ + static_cast<std::size_t>(expansion_.count));
    made_ += static_cast<std::uint64_t>(expansion_.count);
    if (expansion_.count > 0) return false;
    if (!forced_)
        throw RuleFailure("actions", bytes(slot), rules_.state_bytes,
                          "listed actions before, and none now");
    const Worth loss = scale_.all.seen_by(player).lo;
    answer_ = Bounds{loss, loss}.seen_by(player);
    return true;
}

// Begins to search a state. True: it is settled already, and the answer is known.
bool Prober::enter(const Child& child, Bounds window) {
    const std::uint32_t slot = child.slot;
    const int player = child.player;
    const std::uint16_t best_reply = child.best_reply;
    ++nodes_;
    table_.prefetch_entries(child.hash);  // to store what is found
    if (list(slot, player)) return true;
    window = window.seen_by(player);
    int tried = -1;
    if (killer_[player] >= 0 && try_killer(slot, player, window.hi, tried)) return true;
    const Worth worst = scale_.all.seen_by(player).lo;
    const auto first_child = static_cast<std::uint32_t>(children_.size());
    // Made in its place: to copy what was written a moment ago in smaller pieces takes long.
    Frame& frame =
        frames_.emplace_back(child.hash, nodes_ - 1, window, worst, worst, child.lead, slot, slots_,
                             first_child, 0u, 0u, no_index, child.player, false, false);
    // From here on `child` may have moved.
    if (generate(frame, tried)) {
        leave();
        return true;
    }
    look_up(frame);
    mark();
    if (frame.lo < window.hi && !proving_) try_first(frame, best_reply);
    return false;
}

// Forgets the last state of the line.
void Prober::leave() {
    const Frame& frame = frames_.back();
    children_.resize(frame.first_child);
    slots_ = frame.first_slot;
    frames_.pop_back();
}

// What is proven of a state whose search ends here.
void Prober::finish() {
    const Frame& frame = frames_.back();
    if (frame.marked) shared_->remove(frame.hash);
    Bounds bounds{frame.lo, frame.hi};
    for (std::uint32_t i = frame.at; i < frame.child_count; ++i)
        bounds.hi = std::max(bounds.hi, children_[frame.first_child + i].bounds.hi);
    answer_ = bounds.seen_by(frame.player);
    if (answer_ != scale_.all)
        table_.store(key(frame.slot), frame.hash,
                     {without_lead(answer_, frame.lead), frame.best_index},
                     nodes_ - frame.nodes_before);
    learn_work(nodes_ - frame.nodes_before);
    leave();
}

// Gives what was found of a child to its parent. A child that turned out to be better than all
// before, but it is not known by how much, is searched again; see `window_below`.
void Prober::deliver() {
    Frame& frame = frames_.back();
    Child& child = children_[frame.first_child + frame.at];
    narrow(child, answer_.seen_by(frame.player), frame.player);
    if (child.bounds.lo > frame.lo) {
        frame.lo = child.bounds.lo;
        frame.best_index = child.index;
        if (frame.lo >= frame.window.hi) ++history(frame.player, child.action);
    }
    const Worth beat = std::max(frame.window.lo, frame.lo);
    if (child.bounds.hi > beat && frame.lo < frame.window.hi) return;
    frame.hi = std::max(frame.hi, child.bounds.hi);
    ++frame.at;
}

// The window to search a child with. The first one is expected to be the best; of another it is
// asked whether it is better at all, which is easier to answer than how good it is. If it is, its
// lower bound is above what was to be beaten, and it is searched once more with the whole window.
Bounds Prober::window_below(const Frame& frame, const Child& child) const {
    const Worth beat = std::max(frame.window.lo, frame.lo);
    const bool whole = frame.at == 0 || child.bounds.lo >= beat;
    return Bounds{beat, whole ? frame.window.hi : beat + 1}.seen_by(frame.player);
}

// Leaves the line, with what is proven so far, until it has so many states.
void Prober::leave_until(std::size_t depth) {
    for (;;) {
        finish();
        if (frames_.size() == depth) return;
        Frame& frame = frames_.back();
        Child& child = children_[frame.first_child + frame.at];
        child.bounds = child.bounds.meet(answer_.seen_by(frame.player));
        frame.lo = std::max(frame.lo, child.bounds.lo);
    }
}

Prober::Answer Prober::abort() {
    leave_until(0);
    return {answer_, false};
}

// From time to time: whether the probe is to give up, and whether its line has come back to a
// state.
bool Prober::looks_and_gives_up() {
    if (made_ < children_between_looks) return false;
    if (give_up && give_up(made_)) return true;
    check_cycle();
    made_ = 0;
    return false;
}

// Looked for rarely enough to cost nothing: the longer the line, the longer it took to get there.
void Prober::check_cycle() {
    if (nodes_ < next_cycle_check_) return;
    next_cycle_check_ = nodes_ + 4 * frames_.size();
    check_for_cycle(
        frames_, [this](const Frame& frame) { return bytes(frame.slot); }, rules_.state_bytes);
}

Bounds Prober::known(State state) {
    const Child found = copy_of(state);
    TranspositionTable::Known known;
    return find(found, known) ? known.bounds : scale_.all;
}

Prober::Answer Prober::probe(State state, Bounds window, std::uint64_t budget) {
    const Child root = root_of(state);
    const std::uint64_t last_node = budget < UINT64_MAX - nodes_ ? nodes_ + budget : UINT64_MAX;
    proving_ = false;
    if (enter(root, window)) return {answer_, true};
    for (;;) {
        Frame& frame = frames_.back();
        if (frame.lo >= frame.window.hi || frame.at == frame.child_count) {
            finish();
            if (frames_.empty()) return {answer_, true};
            deliver();
            continue;
        }
        choose(frame);
        if (found_elsewhere()) continue;
        const Child& child = children_[frame.first_child + frame.at];
        const Worth beat = std::max(frame.window.lo, frame.lo);
        if (child.bounds.hi <= beat) {  // it cannot matter any more
            frame.hi = std::max(frame.hi, child.bounds.hi);
            ++frame.at;
            continue;
        }
        const bool looks = made_ >= children_between_looks;
        if (nodes_ >= last_node || slots_ > most_slots_ || looks_and_gives_up()) return abort();
        if (looks && leave_settled()) {
            if (frames_.empty()) return {answer_, true};
            continue;
        }
        if (enter(child, window_below(frame, child))) deliver();
    }
}

}  // namespace unbounded
