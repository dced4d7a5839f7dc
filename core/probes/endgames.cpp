// SPDX-License-Identifier: MIT
#include "probes/endgames.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "probes/cycles.h"

namespace unbounded {

namespace {

// To fill an entry takes about as long as to visit a node. On most boards of Kalah, with as many
// entries as half of the nodes it took less time than with a quarter, or with as many as nodes.
constexpr std::uint64_t nodes_for_an_entry = 2;
constexpr std::uint64_t first_nodes = 1 << 13;  // smaller searches are over soon anyway
constexpr std::uint64_t successors_between_looks = 1024;

}  // namespace

EndgameTable::~EndgameTable() { memory_source.release(entries_); }

void EndgameTable::grow(std::uint64_t nodes, std::uint64_t most_bytes) {
    if (nodes < first_nodes) return;
    const std::uint64_t most = std::min(nodes / nodes_for_an_entry, most_bytes);
    while (next_size_ < sizes_.size() && static_cast<std::uint64_t>(sizes_[next_size_]) <= most) {
        // All at once, so that entries stay where they are while other threads read them. What is
        // not covered yet is never touched, and takes no memory.
        if (entries_ == nullptr)
            entries_ = static_cast<std::atomic<std::uint8_t>*>(
                memory_source.allocate(static_cast<std::size_t>(sizes_.back())));
        if (entries_ == nullptr) return;  // there is no memory
        covered_.store(sizes_[next_size_++], std::memory_order_release);
    }
}

int EndgameSearch::gain(State state, int player, Endgame endgame,
                        const std::function<bool(std::uint64_t made)>& give_up) {
    if (table_.is_enough()) return EndgameTable::unknown;
    frames_.clear();
    successors_.assign(1, Successor{endgame, player, false});
    expansion_.keep(0);
    expansion_.reserve(1);
    std::memcpy(bytes(0), state, rules_.state_bytes);
    enter(0, successors_[0]);
    for (;;) {
        Frame& frame = frames_.back();
        if (frame.at == frame.end_slot) {
            leave();
            if (frames_.empty()) return table_.gain(endgame.number);
            continue;
        }
        const Successor& next = successors_[frame.at];
        const int known = next.terminal ? 0 : table_.gain(next.endgame.number);
        if (known == EndgameTable::unknown) {
            if (gives_up(give_up)) return EndgameTable::unknown;
            enter(frame.at, next);
            continue;
        }
        if (!next.terminal) take(next, known);
        ++frame.at;
    }
}

// Begins to search a state; `entered` is a copy, as its place may move.
void EndgameSearch::enter(std::uint32_t slot, Successor entered) {
    ++entered_;
    const auto first_slot = static_cast<std::uint32_t>(successors_.size());
    expansion_.keep(first_slot);
    rules_.list_actions(bytes(slot), expansion_);
    const int count = expansion_.count;
    if (count == 0)
        throw RuleFailure("actions", bytes(slot), rules_.state_bytes,
                          "listed actions before, and none now");
    made_ += static_cast<std::uint64_t>(count);
    Frame& frame = frames_.emplace_back(
        Frame{entered.endgame, slot, first_slot, first_slot + static_cast<std::uint32_t>(count),
              first_slot, std::numeric_limits<float>::lowest(), entered.player});
    for (int i = 0; i < count;) {
        const int made = rules_.expand_until_terminal(bytes(slot), expansion_, i, count);
        for (; i < made; ++i) add(frame, i);
    }
}

void EndgameSearch::add(Frame& frame, int index) {
    Successor& added = successors_.emplace_back();
    added.terminal = expansion_.terminal(index);
    if (added.terminal) {
        rules_.check_zero_sum_end(expansion_, index, "endgame");
        const float score = expansion_.score(index)[0];
        frame.best = std::max(frame.best, frame.player == 0 ? score : -score);
        return;
    }
    added.player = expansion_.player(index);
    added.endgame = rules_.endgame(expansion_.state(index), table_.covered());
    if (!table_.covers(added.endgame.number))
        throw RuleFailure("endgame", bytes(frame.slot), rules_.state_bytes,
                          "gave the number " + std::to_string(frame.endgame.number) +
                              ", but an action leads to a state that has none below the same "
                              "of the `endgame_sizes`");
    table_.prefetch(added.endgame.number);
}

// Takes over what a successor's mover gains.
void EndgameSearch::take(const Successor& successor, int gain) {
    Frame& frame = frames_.back();
    const auto score = static_cast<float>(successor.endgame.lead + gain);
    frame.best = std::max(frame.best, successor.player == frame.player ? score : -score);
}

// Stores what was found of a state whose search ends here.
void EndgameSearch::leave() {
    const Frame frame = frames_.back();
    const float gain = frame.best - static_cast<float>(frame.endgame.lead);
    if (std::abs(gain) > EndgameTable::most_gain)
        throw RuleFailure("endgame", bytes(frame.slot), rules_.state_bytes,
                          "may only number states from which a player gains at most " +
                              std::to_string(EndgameTable::most_gain) + " points");
    table_.store(frame.endgame.number, static_cast<int>(gain));
    successors_.resize(frame.first_slot);
    frames_.pop_back();
}

bool EndgameSearch::gives_up(const std::function<bool(std::uint64_t made)>& give_up) {
    if (made_ < successors_between_looks) return false;
    if (give_up && give_up(made_)) return true;
    made_ = 0;
    check_cycle();
    return table_.is_enough();
}

// The longer the line, the longer it took to get there: so this costs nothing.
void EndgameSearch::check_cycle() {
    if (entered_ < next_cycle_check_) return;
    next_cycle_check_ = entered_ + 4 * frames_.size();
    struct Place {
        std::int32_t hash;
        std::uint32_t slot;
    };
    std::vector<Place> line;
    for (const Frame& frame : frames_) line.push_back({frame.endgame.number, frame.slot});
    check_for_cycle(
        line, [this](const Place& place) { return bytes(place.slot); }, rules_.state_bytes);
}

}  // namespace unbounded
