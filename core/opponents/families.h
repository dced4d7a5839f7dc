// SPDX-License-Identifier: MIT
// A stack of families, the children of the states on the current line of a depth-first search, with
// their descriptions by the rules and the evaluator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "graph/worth.h"
#include "opponents/choice.h"
#include "rules/evaluator.h"

namespace unbounded::opponents {

struct Child {
    std::int64_t order = 0;   // what is greater is tried first
    std::uint32_t slot = 0;   // where its state and its row of worths are
    std::int32_t label = 0;   // of the action that leads to it
    std::uint16_t index = 0;  // of that action
    std::uint8_t player = 0;  // who moves, where the game goes on
    bool end = false;
};

struct Family {
    std::uint32_t first = 0;  // among all children
    std::uint32_t count = 0;
    std::uint32_t slots = 0;  // slots in use before it
};

// A cutoff: the search stops once this player reaches `enough`.
struct Cutoff {
    int player = 0;
    int sign = 1;  // -1: the worse it is for that player, the better
    Worth enough = std::numeric_limits<Worth>::max();

    bool reached(const Worth* row) const { return sign * row[player] >= enough; }
};

class Families {
  public:
    // `zero_sum`: ends of the game are to add up to zero.
    Families(const Rules& rules, Evaluator& evaluator, bool zero_sum);

    // Clears everything; the state becomes slot 0.
    void begin(State root);

    // Makes the children of the state in a slot, up to and including the first end of the game that
    // reaches the cutoff. Ends get their worths.
    Family make(std::uint32_t parent, const Cutoff& cutoff, Spending& spending);
    // Makes only the child that one action leads to.
    Family make_one(std::uint32_t parent, int index, Spending& spending);
    // Evaluates the children that are not ends; the evaluations become their worths.
    void evaluate(const Family& family, Spending& spending);
    void drop(const Family& family) {
        children_.resize(family.first);
        slots_ = family.slots;
    }

    Child& child(const Family& family, std::uint32_t place) {
        return children_[family.first + place];
    }
    // The worth of a state to each player: outcome and score, or a draw with the evaluation.
    const Worth* row(const Child& child) const { return &rows_[child.slot * players_]; }
    const std::uint64_t* words(std::uint32_t slot) const {
        return states_.data() + slot * state_words_;
    }
    State state(std::uint32_t slot) const { return reinterpret_cast<State>(words(slot)); }

  private:
    std::uint32_t take_slot();
    std::byte* bytes(std::uint32_t slot) {
        return reinterpret_cast<std::byte*>(states_.data() + slot * state_words_);
    }
    void add(int index);  // of the expansion

    const Rules& rules_;
    Evaluator& evaluator_;
    const bool zero_sum_;
    const std::size_t players_;
    const std::size_t state_words_;
    std::vector<Child> children_;
    std::vector<std::uint64_t> states_;  // a slot each
    std::vector<Worth> rows_;            // a row for each slot
    std::uint32_t slots_ = 0;
    Expansion expansion_;  // of the state whose children are being made
    std::vector<std::byte> open_states_;
    std::vector<float> evaluations_;
};

}  // namespace unbounded::opponents
