// SPDX-License-Identifier: MIT
#include "proofs/checker_search.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace unbounded {

namespace {

constexpr int most_depth = 400;

}  // namespace

CheckerSearch::CheckerSearch(const Rules& rules, const WorthScale& scale, std::uint32_t most,
                             std::function<void(std::uint64_t)> look)
    : rules_(rules), scale_(scale), most_(most), look_(std::move(look)), expansion_(rules) {}

void CheckerSearch::begin(State state) {
    states_.assign(state, state + rules_.state_bytes);
    open_.clear();
    rows_.clear();
    made_ = 0;
}

// Makes the successors of a state. False: they are too many, or too deep.
bool CheckerSearch::expand(const Open& state, int depth) {
    if (depth == most_depth) return false;
    rules_.expand(states_.data() + state.at, expansion_);
    made_ += static_cast<std::uint64_t>(expansion_.count);
    look_(static_cast<std::uint64_t>(expansion_.count));
    return made_ <= most_;
}

// Copies the successors that are not terminal: the next expansion replaces them.
void CheckerSearch::keep_open_successors() {
    for (int i = 0; i < expansion_.count; ++i) {
        if (expansion_.terminal(i)) continue;
        const std::byte* const state = expansion_.state(i);
        open_.push_back({states_.size(), expansion_.player(i)});
        states_.insert(states_.end(), state, state + rules_.state_bytes);
    }
}

void CheckerSearch::forget(std::size_t open) {
    if (open < open_.size()) states_.resize(open_[open].at);
    open_.resize(open);
}

CheckerSearch::Answer CheckerSearch::is_worth_at_least(State state, int player, int side,
                                                       Worth worth) {
    begin(state);
    side_ = side;
    worth_ = worth;
    return holds({0, player}, 0);
}

CheckerSearch::Answer CheckerSearch::holds(const Open& state, int depth) {
    if (!expand(state, depth)) return Answer::refused;
    const bool chooses = state.player == side_;
    const Answer decisive = chooses ? Answer::yes : Answer::no;
    for (int i = 0; i < expansion_.count; ++i) {
        if (!expansion_.terminal(i)) continue;
        const Worth end = scale_.of(expansion_.outcome(i)[0], expansion_.score(i)[0]);
        if (((side_ == 0 ? end : -end) >= worth_) == chooses) return decisive;
    }
    const std::size_t first = open_.size();
    keep_open_successors();
    const std::size_t end = open_.size();
    Answer answer = chooses ? Answer::no : Answer::yes;
    for (std::size_t i = first; i < end && answer != decisive && answer != Answer::refused; ++i)
        answer = holds(Open(open_[i]), depth + 1);
    forget(first);
    return answer;
}

bool CheckerSearch::find_equilibria(State state, int player) {
    begin(state);
    return add_rows({0, player}, 0);
}

// Adds the rows of a state to the end of rows_: those of a successor that no other successor, with
// the row that is worst for the mover, is better than. False: that was refused.
bool CheckerSearch::add_rows(const Open& state, int depth) {
    if (!expand(state, depth)) return false;
    const std::size_t first_row = rows_.size();
    Worth enough = scale_.all.lo;
    bool any = false;
    const auto take = [&](std::size_t row) {
        const Worth worst = least(row, state.player);
        enough = any ? std::max(enough, worst) : worst;
        any = true;
    };
    for (int i = 0; i < expansion_.count; ++i) {
        if (!expansion_.terminal(i)) continue;
        const std::size_t row = rows_.size();
        for (int p = 0; p < rules_.players; ++p)
            rows_.push_back(scale_.of(expansion_.outcome(i)[p], expansion_.score(i)[p]));
        take(row);
    }
    const std::size_t first = open_.size();
    keep_open_successors();
    const std::size_t end = open_.size();
    for (std::size_t i = first; i < end; ++i) {
        const std::size_t row = rows_.size();
        if (!add_rows(Open(open_[i]), depth + 1)) return false;
        take(row);
    }
    forget(first);
    keep_equilibria(first_row, state.player, enough);
    return true;
}

// The least worth that a player has in one of the rows from here on.
Worth CheckerSearch::least(std::size_t first_row, int player) const {
    Worth worst = rows_[first_row + player];
    for (std::size_t row = first_row; row < rows_.size(); row += rules_.players)
        worst = std::min(worst, rows_[row + player]);
    return worst;
}

// Keeps those of the rows from here on that are worth enough to the player, each once. They are few
// different ones, as a rule, so looking through them is quick.
void CheckerSearch::keep_equilibria(std::size_t first_row, int player, Worth enough) {
    const auto width = static_cast<std::size_t>(rules_.players);
    std::size_t end = first_row;
    const auto is_new = [&](const Worth* row) {
        for (std::size_t kept = first_row; kept < end; kept += width)
            if (std::equal(row, row + width, rows_.data() + kept)) return false;
        return true;
    };
    for (std::size_t row = first_row; row < rows_.size(); row += width) {
        const Worth* const worths = rows_.data() + row;
        if (worths[player] < enough || !is_new(worths)) continue;
        std::copy(worths, worths + width, rows_.begin() + static_cast<std::ptrdiff_t>(end));
        end += width;
    }
    rows_.resize(end);
}

}  // namespace unbounded
