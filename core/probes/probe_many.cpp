// SPDX-License-Identifier: MIT
#include "probes/probe_many.h"

#include <algorithm>

#include "probes/cycles.h"

namespace unbounded {

namespace {

constexpr std::uint64_t children_between_looks = 1024;

int outcome_of(Worth worth) { return static_cast<int>((worth + (Worth{1} << 31)) >> 32); }

}  // namespace

ManyProber::ManyProber(const Rules& rules, Evaluator* evaluator, TranspositionTable& table)
    : rules_(rules),
      evaluator_(evaluator),
      table_(table),
      expansion_(rules),
      answer_(rules.players) {}

std::uint32_t ManyProber::take_slot() {
    const std::size_t needed = (std::size_t{slots_} + 1) * table_.state_words;
    if (needed > arena_.size()) arena_.resize(2 * needed + 1024);
    return slots_++;
}

std::uint32_t ManyProber::copy_in(State state) {
    frames_.clear();
    children_.clear();
    rows_.clear();
    slots_ = 0;
    const std::uint32_t slot = take_slot();
    words(slot)[table_.state_words - 1] = 0;
    std::memcpy(bytes(slot), state, rules_.state_bytes);
    return slot;
}

Worth ManyProber::best_possible(State state, int player) const {
    return lexicographic(1, rules_.best_score_from(state, player));
}

// A row is that of an end: what was said of a state on the way to it must hold for it.
void ManyProber::check_declared_bound(State state, int player, Worth declared,
                                      Worth reached) const {
    if (reached <= declared) return;
    const auto score = [](Worth worth) { return WorthScale::score_of(worth); };
    rules_.check_declared_bound(state, player, score(declared), score(reached));
}

// Tries the children that look best to the mover first.
void ManyProber::order(Frame& frame) {
    Child* const first = children_.data() + frame.first_child;
    const int players = rules_.players;
    open_states_.clear();
    std::uint32_t open = 0;
    for (std::uint32_t i = 0; i < frame.child_count; ++i) {
        if (first[i].ended) continue;
        const std::byte* const state = bytes(first[i].slot);
        open_states_.insert(open_states_.end(), state, state + rules_.state_bytes);
        ++open;
    }
    evaluations_.assign(std::size_t{open} * players, 0.0f);
    if (evaluator_ != nullptr && open > 1)
        evaluate_checked(*evaluator_, rules_, open_states_.data(), open, evaluations_.data());
    open = 0;
    for (std::uint32_t i = 0; i < frame.child_count; ++i)
        // Games that are over cost nothing to look at.
        first[i].order =
            first[i].ended ? INT64_MAX : ordered(evaluations_[open++ * players + frame.player]);
    std::stable_sort(first, first + frame.child_count,
                     [](const Child& a, const Child& b) { return a.order > b.order; });
}

void ManyProber::add_child(int index) {
    const bool ended = expansion_.terminal(index);
    const std::uint32_t slot = take_slot();
    std::copy_n(expansion_.words(index), table_.state_words, words(slot));
    Child child{table_.hash(words(slot)), 0, INT64_MAX, slot, 0, 0, ended};
    if (ended) {
        child.row = static_cast<std::uint32_t>(rows_.size());
        for (int p = 0; p < rules_.players; ++p)
            rows_.push_back(
                lexicographic(expansion_.outcome(index)[p], expansion_.score(index)[p] + 0.0f));
    } else {
        child.player = static_cast<std::uint8_t>(expansion_.player(index));
        table_.prefetch_tags(child.hash);
        table_.prefetch_entries(child.hash);
    }
    children_.push_back(child);
}

// All of them, but without counting the actions of each.
void ManyProber::make_successors(std::uint32_t slot) {
    rules_.list_actions(bytes(slot), expansion_);
    const int count = expansion_.count;
    for (int made = 0; made < count;)
        made = rules_.expand_until_terminal(bytes(slot), expansion_, made, count);
    for (int i = 0; i < count; ++i) rules_.canonicalize(expansion_.state(i));
}

void ManyProber::enter(std::uint64_t hash, std::uint32_t slot, int player, const Chooser* chooser) {
    ++nodes_;
    make_successors(slot);
    const int count = expansion_.count;
    if (count == 0)
        throw RuleFailure("actions", bytes(slot), rules_.state_bytes,
                          "listed actions before, and none now");
    made_ += static_cast<std::uint64_t>(count);
    Frame frame{hash,
                nodes_ - 1,
                best_possible(bytes(slot), player),
                slot,
                slots_,
                static_cast<std::uint32_t>(children_.size()),
                static_cast<std::uint32_t>(count),
                0,
                static_cast<std::uint32_t>(rows_.size()),
                0,
                static_cast<std::uint8_t>(player),
                chooser != nullptr && chooser->player != player && rules_.single_winner(),
                false,
                chooser != nullptr ? *chooser : Chooser{}};
    for (int i = 0; i < count; ++i) add_child(i);
    order(frame);
    frame.row = static_cast<std::uint32_t>(rows_.size());
    rows_.resize(rows_.size() + 1 + rules_.players, 0);
    frames_.push_back(frame);
}

// What is known of a child without a search.
ManyProber::Row ManyProber::row_of(const Child& child, Worth* out) {
    if (!child.ended) return table_.find_row(words(child.slot), child.hash, out);
    std::copy_n(rows_.data() + child.row, rules_.players, out);
    return Row::exact;
}

// Whether a state with this outcome for its mover is not better for the player who can choose it.
bool ManyProber::is_cut(const Frame& frame, int outcome) {
    return frame.has_chooser && outcome >= 0 &&
           most_beside(rules_, bytes(frame.slot), frame.chooser.player, outcome) <=
               frame.chooser.in_hand;
}

// Gives the row of a child to its parent, which keeps the first of the best.
void ManyProber::deliver(const Worth* row) {
    Frame& frame = frames_.back();
    Worth* const best = rows_.data() + frame.row;
    const Child& child = children_[frame.first_child + frame.at];
    const Worth worth = row[frame.player];
    check_declared_bound(bytes(child.slot), frame.player, child.declared, worth);
    check_declared_bound(bytes(frame.slot), frame.player, frame.best_possible, worth);
    ++frame.at;
    if (best[0] != 0 && worth <= best[1 + frame.player]) return;
    best[0] = 1;
    std::copy(row, row + rules_.players, best + 1);
    if (worth >= frame.best_possible)
        frame.at = frame.child_count;
    else if (frame.at < frame.child_count)
        frame.cut = is_cut(frame, outcome_of(worth));
}

// Whether the next child needs no search: its row is delivered, or it cannot be better than the
// best so far.
bool ManyProber::is_settled(Child& child) {
    Frame& frame = frames_.back();
    const Worth* const best = rows_.data() + frame.row;
    const bool has_best = best[0] != 0;
    if (has_best && !child.ended) {
        child.declared = best_possible(bytes(child.slot), frame.player);
        if (child.declared <= best[1 + frame.player]) return ++frame.at, true;
    }
    const Row row = row_of(child, answer_.data());
    if (row == Row::exact) return deliver(answer_.data()), true;
    if (row == Row::unknown || !has_best || child.player == frame.player) return false;
    const int outcome = row == Row::mover_wins ? 1 : 0;
    if (most_beside(rules_, bytes(child.slot), frame.player, outcome) > best[1 + frame.player])
        return false;
    return ++frame.at, true;
}

// Ends the work on the last state: stores what was found and gives it to the parent.
ManyProber::Row ManyProber::leave() {
    const Frame frame = frames_.back();
    std::copy_n(rows_.data() + frame.row + 1, rules_.players, answer_.begin());
    const std::uint64_t work = nodes_ - frame.nodes_before;
    const int outcome = outcome_of(answer_[frame.player]);
    if (frame.cut)
        table_.store_mover_outcome(words(frame.slot), frame.hash, outcome, work);
    else
        table_.store_row(words(frame.slot), frame.hash, answer_.data(), work);
    children_.resize(frame.first_child);
    rows_.resize(frame.first_row);
    slots_ = frame.first_slot;
    frames_.pop_back();
    if (!frames_.empty()) {
        if (frame.cut)
            ++frames_.back().at;
        else
            deliver(answer_.data());
    }
    return !frame.cut ? Row::exact : outcome > 0 ? Row::mover_wins : Row::mover_draws;
}

// Looked for rarely enough to cost nothing: the longer the line, the longer it took to get there.
void ManyProber::check_cycle() {
    if (nodes_ < next_cycle_check_) return;
    next_cycle_check_ = nodes_ + 4 * frames_.size();
    check_for_cycle(
        frames_, [this](const Frame& frame) { return bytes(frame.slot); }, rules_.state_bytes);
}

ManyProber::Row ManyProber::known(State state) {
    const std::uint32_t slot = copy_in(state);
    return table_.find_row(words(slot), table_.hash(words(slot)), answer_.data());
}

const Worth* ManyProber::probe(State state, std::uint64_t budget) {
    return probe(state, budget, nullptr) == Row::exact ? answer_.data() : nullptr;
}

ManyProber::Row ManyProber::probe(State state, std::uint64_t budget, const Chooser* chooser) {
    const std::uint32_t root = copy_in(state);
    const std::uint64_t last_node = budget < UINT64_MAX - nodes_ ? nodes_ + budget : UINT64_MAX;
    made_ = 0;
    const std::uint64_t hash = table_.hash(words(root));
    if (table_.find_row(words(root), hash, answer_.data()) == Row::exact) return Row::exact;
    Description about(rules_.players);
    rules_.describe(state, about);
    enter(hash, root, about.player, chooser);
    return search(last_node);
}

// Whether the search has to end before the next state is entered.
bool ManyProber::is_too_long(std::uint64_t last_node) {
    if (nodes_ >= last_node || slots_ > most_slots_) return true;
    if (made_ < children_between_looks) return false;
    if (give_up && give_up(made_)) return true;
    check_cycle();
    made_ = 0;
    return false;
}

ManyProber::Row ManyProber::search(std::uint64_t last_node) {
    for (;;) {
        Frame& frame = frames_.back();
        if (frame.at == frame.child_count || frame.cut) {
            const Row found = leave();
            if (frames_.empty()) return found;
            continue;
        }
        Child& child = children_[frame.first_child + frame.at];
        if (is_settled(child)) continue;
        if (is_too_long(last_node)) return Row::unknown;
        const Worth* const best = rows_.data() + frame.row;
        const Chooser chooser{frame.player, best[1 + frame.player]};
        enter(child.hash, child.slot, child.player, best[0] != 0 ? &chooser : nullptr);
    }
}

}  // namespace unbounded
