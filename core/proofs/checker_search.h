// SPDX-License-Identifier: MIT
// The search by which a checker proves a claim itself (rule 5 of docs/certificates.md), done here
// to find out what can be left to it. Depth-first, by the rules alone, without a table: which
// successors are made, and so how many, is part of the format of certificates.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "graph/worth.h"
#include "rules/rules.h"

namespace unbounded {

class CheckerSearch {
  public:
    // `most`: successors that may be made below a state. `look` is told of those that were made,
    // and may throw.
    CheckerSearch(const Rules& rules, const WorthScale& scale, std::uint32_t most,
                  std::function<void(std::uint64_t)> look);

    enum class Answer { no, yes, refused };
    // Two players: whether a state that is not terminal is worth at least this much to a side.
    Answer is_worth_at_least(State state, int player, int side, Worth worth);
    // More: finds all rows of worths that an equilibrium can have. False: that was refused.
    bool find_equilibria(State state, int player);
    // The rows that were found, one after the other.
    const std::vector<Worth>& rows() const { return rows_; }
    // How many successors were made for the last answer.
    std::uint32_t made() const { return static_cast<std::uint32_t>(made_); }

  private:
    // A state below the one in question, whose game goes on.
    struct Open {
        std::size_t at;  // in states_
        int player;
    };

    void begin(State state);
    bool expand(const Open& state, int depth);
    void keep_open_successors();
    void forget(std::size_t open);
    Answer holds(const Open& state, int depth);
    bool add_rows(const Open& state, int depth);
    Worth least(std::size_t first_row, int player) const;
    void keep_equilibria(std::size_t first_row, int player, Worth enough);

    const Rules& rules_;
    const WorthScale scale_;
    const std::uint64_t most_;
    const std::function<void(std::uint64_t)> look_;
    Expansion expansion_;
    std::vector<std::byte> states_;
    std::vector<Open> open_;
    std::vector<Worth> rows_;
    std::uint64_t made_ = 0;
    int side_ = 0;
    Worth worth_ = 0;
};

}  // namespace unbounded
