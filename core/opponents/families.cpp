// SPDX-License-Identifier: MIT
#include "opponents/families.h"

#include <cstring>

namespace unbounded::opponents {

namespace {

// An evaluation takes about as long as making a few states.
constexpr std::uint64_t work_per_evaluation = 4;

}  // namespace

Families::Families(const Rules& rules, Evaluator& evaluator, bool zero_sum)
    : rules_(rules),
      evaluator_(evaluator),
      zero_sum_(zero_sum),
      players_(rules.players),
      state_words_((rules.state_bytes + 7) / 8),
      expansion_(rules) {}

void Families::begin(State root) {
    children_.clear();
    slots_ = 0;
    std::memcpy(bytes(take_slot()), root, rules_.state_bytes);
}

// The last word of a slot is filled up with zeros once, and nothing else is ever written there.
std::uint32_t Families::take_slot() {
    const std::size_t needed = std::size_t{slots_} + 1;
    if (needed * state_words_ > states_.size()) states_.resize((2 * needed + 64) * state_words_);
    if (needed * players_ > rows_.size()) rows_.resize((2 * needed + 64) * players_);
    return slots_++;
}

void Families::add(int index) {
    Child& child = children_.emplace_back();
    child.slot = take_slot();
    child.index = static_cast<std::uint16_t>(index);
    child.label = expansion_.actions[index];
    std::memcpy(bytes(child.slot), expansion_.state(index), rules_.state_bytes);
    rules_.canonicalize(bytes(child.slot));
    child.end = expansion_.terminal(index);
    if (!child.end) {
        child.player = static_cast<std::uint8_t>(expansion_.player(index));
        return;
    }
    const std::int32_t* const outcome = expansion_.outcome(index);
    const float* const score = expansion_.score(index);
    if (zero_sum_ && (outcome[0] != -outcome[1] || score[0] != -score[1]))
        throw RuleFailure("outcome", state(child.slot), rules_.state_bytes,
                          "the game is declared zero-sum, but outcomes or scores do not add up "
                          "to zero");
    Worth* const worths = &rows_[child.slot * players_];
    for (std::size_t p = 0; p < players_; ++p)
        worths[p] = lexicographic(outcome[p], score[p] + 0.0f);
}

Family Families::make(std::uint32_t parent, const Cutoff& cutoff, Spending& spending) {
    spending.check();
    Family family{static_cast<std::uint32_t>(children_.size()), 0, slots_};
    rules_.list_actions(state(parent), expansion_);
    for (int i = 0, made = 0; i < expansion_.count; ++i) {
        if (i == made)
            made = rules_.expand_until_terminal(state(parent), expansion_, i, expansion_.count);
        add(i);
        ++family.count;
        if (children_.back().end && cutoff.reached(row(children_.back()))) break;
    }
    spending.made(family.count);
    return family;
}

Family Families::make_one(std::uint32_t parent, int index, Spending& spending) {
    spending.check();
    const Family family{static_cast<std::uint32_t>(children_.size()), 1, slots_};
    rules_.list_actions(state(parent), expansion_);
    rules_.expand_until_terminal(state(parent), expansion_, index, index + 1);
    add(index);
    spending.made(1);
    return family;
}

void Families::evaluate(const Family& family, Spending& spending) {
    const std::size_t bytes = rules_.state_bytes;
    open_states_.resize(family.count * bytes);
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < family.count; ++i)
        if (!child(family, i).end)
            std::memcpy(open_states_.data() + bytes * count++, state(child(family, i).slot), bytes);
    if (count == 0) return;
    evaluations_.resize(count * players_);
    evaluate_checked(evaluator_, rules_, open_states_.data(), count, evaluations_.data());
    spending.made(0, count * work_per_evaluation);
    const float* numbers = evaluations_.data();
    for (std::uint32_t i = 0; i < family.count; ++i) {
        if (child(family, i).end) continue;
        Worth* const worths = &rows_[child(family, i).slot * players_];
        for (std::size_t p = 0; p < players_; ++p) worths[p] = lexicographic(0, *numbers++ + 0.0f);
    }
}

}  // namespace unbounded::opponents
