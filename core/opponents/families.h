// SPDX-License-Identifier: MIT
// The children of the states on the line that a depth-first search follows, one family on top of
// the other, with what the rules and the evaluator say of them.
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
    std::uint32_t slots = 0;  // how many were taken before
};

// What would be good enough for somebody: nobody looks for more then.
struct Wish {
    int player = 0;
    int sign = 1;  // -1: the worse it is for that player, the better
    Worth enough = std::numeric_limits<Worth>::max();

    bool granted(const Worth* row) const { return sign * row[player] >= enough; }
};

class Families {
  public:
    // `zero_sum`: ends of the game are to add up to zero.
    Families(const Rules& rules, Evaluator& evaluator, bool zero_sum);

    // Forgets everything; the state becomes slot 0.
    void begin(State root);

    // Makes the children of the state in a slot, until an end of the game grants the wish: then it
    // is the last one. Ends get their worths.
    Family make(std::uint32_t parent, const Wish& wish, Spending& spending);
    // Makes only the child that one action leads to.
    Family make_one(std::uint32_t parent, int index, Spending& spending);
    // Asks the evaluator about the children where the game goes on; they get its numbers as worths.
    void evaluate(const Family& family, Spending& spending);
    void drop(const Family& family) {
        children_.resize(family.first);
        slots_ = family.slots;
    }

    Child& child(const Family& family, std::uint32_t place) {
        return children_[family.first + place];
    }
    // Per player, what a state is worth to him: an outcome and a score, or a draw with so much.
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
