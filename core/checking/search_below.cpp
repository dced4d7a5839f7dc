// SPDX-License-Identifier: MIT
#include "checking/search_below.h"

#include <algorithm>

namespace unbounded::checking {

namespace {

constexpr std::uint64_t poll_every = 1 << 18;  // successors

}  // namespace

SearchBelow::SearchBelow(const Rules& rules, const Form& form, std::function<void()> poll)
    : rules_(rules),
      form_(form),
      width_(form.width()),
      poll_(std::move(poll)),
      until_poll_(poll_every) {}

bool SearchBelow::proves(State state, int mover, Relation relation, const Worth* claimed,
                         std::uint64_t most) {
    most_ = most;
    made_ = 0;
    if (!form_.equilibrium) {
        relation_ = relation;
        bound_ = *claimed;
        return holds(state, mover, 0);
    }
    rows_.clear();
    add_equilibria(state, mover, 0);
    for (std::size_t row = 0; row < rows_.size(); row += width_)
        if (relation == Relation::equal ? std::equal(claimed, claimed + width_, &rows_[row])
                                        : rows_[row + mover] >= *claimed)
            return true;
    return false;
}

// All successors count, also those that need not be made because one before them decides.
Expansion& SearchBelow::list_actions(State state, std::size_t depth) {
    if (depth >= deepest)
        throw Refused("the search goes deeper than " + std::to_string(deepest) + " states");
    if (depth == levels_.size()) levels_.push_back(std::make_unique<Expansion>(rules_));
    Expansion& successors = *levels_[depth];
    rules_.list_actions(state, successors);
    const auto count = static_cast<std::uint64_t>(successors.count);
    // A rule `is_terminal` that contradicts the actions must prove nothing.
    if (count == 0)
        throw RuleFailure("is_terminal", state, rules_.state_bytes,
                          "is false, but the state has no actions");
    made_ += count;
    if (made_ > most_)
        throw Refused("the search needs more than " + std::to_string(most_) + " successors");
    if (until_poll_ <= count) {
        if (poll_) poll_();
        until_poll_ = poll_every;
    } else {
        until_poll_ -= count;
    }
    return successors;
}

Worth SearchBelow::worth(const Expansion& successors, int at, int player) const {
    return {successors.outcome(at)[player], form_.scores ? successors.score(at)[player] : 0};
}

// -- bounds ---------------------------------------------------------------------------------------

// The player for whom it is a claim needs one action that is good enough; where the other moves,
// every action must be. Terminal successors come first.
bool SearchBelow::holds(State state, int mover, std::size_t depth) {
    Expansion& successors = list_actions(state, depth);
    const int count = successors.count;
    const bool chooses = (relation_ == Relation::at_least) == (mover == 0);
    for (int at = 0; at < count;) {
        const int end = rules_.expand_until_terminal(state, successors, at, count);
        for (; at < end; ++at)
            if (successors.terminal(at) && is_good_enough(worth(successors, at, 0)) == chooses)
                return chooses;
    }
    for (int at = 0; at < count; ++at)
        if (!successors.terminal(at) &&
            holds(successors.state(at), successors.player(at), depth + 1) == chooses)
            return chooses;
    return !chooses;
}

bool SearchBelow::is_good_enough(const Worth& worth) const {
    return relation_ == Relation::at_least ? worth >= bound_ : worth <= bound_;
}

// -- equilibria -----------------------------------------------------------------------------------

// Whatever the mover does, it gets at least the least that an equilibrium below gives: the best of
// these is sure, and every equilibrium below that gives it as much is one of this state.
void SearchBelow::add_equilibria(State state, int mover, std::size_t depth) {
    Expansion& successors = list_actions(state, depth);
    const int count = successors.count;
    for (int at = 0; at < count;) at = rules_.expand_until_terminal(state, successors, at, count);
    const std::size_t first = rows_.size();
    Worth sure{-2, 0};  // below all
    for (int at = 0; at < count; ++at) {
        const std::size_t first_below = rows_.size();
        if (successors.terminal(at))
            add_end(successors, at);
        else
            add_equilibria(successors.state(at), successors.player(at), depth + 1);
        sure = std::max(sure, least(first_below, mover));
    }
    keep(first, mover, sure);
}

void SearchBelow::add_end(const Expansion& successors, int at) {
    for (int player = 0; player < form_.players; ++player)
        rows_.push_back(worth(successors, at, player));
}

// What the rows from `first` on give a player at least.
Worth SearchBelow::least(std::size_t first, int player) const {
    Worth least = rows_[first + player];
    for (std::size_t row = first + width_; row < rows_.size(); row += width_)
        least = std::min(least, rows_[row + player]);
    return least;
}

// Of the rows from `first` on, keeps those that give the player enough, and of equal ones one.
void SearchBelow::keep(std::size_t first, int player, const Worth& sure) {
    const auto row = [&](std::size_t at) {
        return rows_.begin() + static_cast<std::ptrdiff_t>(at);
    };
    const auto less = [&](std::size_t one, std::size_t other) {
        return std::lexicographical_compare(row(one), row(one + width_), row(other),
                                            row(other + width_));
    };
    const auto same = [&](std::size_t one, std::size_t other) {
        return std::equal(row(one), row(one + width_), row(other));
    };
    order_.clear();
    for (std::size_t at = first; at < rows_.size(); at += width_)
        if (rows_[at + player] >= sure && (order_.empty() || !same(order_.back(), at)))
            order_.push_back(at);
    if (order_.size() > 1) {
        std::sort(order_.begin(), order_.end(), less);
        order_.erase(std::unique(order_.begin(), order_.end(), same), order_.end());
    }
    kept_.clear();
    for (const std::size_t at : order_) kept_.insert(kept_.end(), row(at), row(at + width_));
    rows_.resize(first);
    rows_.insert(rows_.end(), kept_.begin(), kept_.end());
}

}  // namespace unbounded::checking
