// SPDX-License-Identifier: MIT
// The checker's own search, for claims that it is to prove by itself.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "checking/claims.h"
#include "rules/rules.h"

namespace unbounded::checking {

// Depth-first, actions in their order, by the rules alone; it remembers no states. How many
// successors a search makes is part of the format, so that all checkers refuse the same ones.
class SearchBelow {
  public:
    // Calls `poll` from time to time; what that throws ends the search.
    SearchBelow(const Rules& rules, const Form& form, std::function<void()> poll);

    // Whether a claim with these worths holds at a state that is not terminal. Refuses to make more
    // than `most` successors, and to go deeper than `deepest`.
    bool proves(State state, int mover, Relation relation, const Worth* claimed,
                std::uint64_t most);
    // Successors that the last search made.
    std::uint64_t made() const { return made_; }

    static constexpr std::size_t deepest = 400;  // the state itself is at depth 0

  private:
    Expansion& list_actions(State state, std::size_t depth);
    Worth worth(const Expansion& successors, int at, int player) const;

    bool holds(State state, int mover, std::size_t depth);
    bool is_good_enough(const Worth& worth) const;

    void add_equilibria(State state, int mover, std::size_t depth);
    void add_end(const Expansion& successors, int at);
    Worth least(std::size_t first, int player) const;
    void keep(std::size_t first, int player, const Worth& sure);

    const Rules& rules_;
    const Form form_;
    const std::size_t width_;  // worths of a row
    const std::function<void()> poll_;
    std::uint64_t most_ = 0, made_ = 0, until_poll_;
    std::vector<std::unique_ptr<Expansion>> levels_;  // one for each depth

    Relation relation_ = Relation::at_least;  // of a bound, and its worth
    Worth bound_;

    // The equilibria of the states on the way down, those of the last one at the end.
    std::vector<Worth> rows_, kept_;
    std::vector<std::size_t> order_;
};

}  // namespace unbounded::checking
