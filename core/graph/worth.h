// SPDX-License-Identifier: MIT
// What a state is worth to the first player, as one number that can be compared.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "rules/rules.h"

namespace unbounded {

// Orders floats as integers, so that a (completion, value) pair is one number: the sign of the
// result follows the sign of the value, and no value here is NaN or -0.
inline std::int64_t ordered(float value) {
    std::int32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits >= 0 ? bits : -static_cast<std::int64_t>(bits & 0x7fffffff);
}

inline std::int64_t lexicographic(int completion, float value) {
    return (static_cast<std::int64_t>(completion) << 32) + ordered(value);
}

// An outcome, or an outcome and a score by `lexicographic`. The second player's is the opposite.
using Worth = std::int64_t;

// Whether a number is an outcome and a finite score.
inline bool is_worth(Worth worth) {
    constexpr Worth half = Worth{1} << 31, highest = 0x7f7fffff;
    if (worth < -4 * half || worth > 4 * half) return false;
    const Worth outcome = (worth + half) >> 32;
    const Worth order = worth - (outcome << 32);
    return outcome >= -1 && outcome <= 1 && order >= -highest && order <= highest;
}

// The most that a player can be worth at the end of a game below a state: by what the game
// declares, and by what another player is proven to have there, at least this outcome.
inline Worth most_beside(const Rules& rules, State state, int player, int other_outcome) {
    const int outcome = !rules.single_winner() || other_outcome < 0 ? 1 : -other_outcome;
    const bool by_outcome = rules.single_winner() && !rules.scored();
    return lexicographic(
        outcome, by_outcome ? static_cast<float>(outcome) : rules.best_score_from(state, player));
}

// What is proven of a worth.
struct Bounds {
    Worth lo, hi;

    bool exact() const { return lo == hi; }
    bool operator==(const Bounds&) const = default;
    Bounds meet(Bounds other) const { return {std::max(lo, other.lo), std::min(hi, other.hi)}; }
    // As the player sees them; and back, for it is the same both ways.
    Bounds seen_by(int player) const { return player == 0 ? *this : Bounds{-hi, -lo}; }
};

// Which worths there are.
struct WorthScale {
    WorthScale(const Rules& rules, bool exact_score)
        : exact_score(exact_score),
          all(exact_score ? Bounds{-lexicographic(1, rules.best_score.back()),
                                   lexicographic(1, rules.best_score.front())}
                          : Bounds{-1, 1}) {}

    Worth of(int outcome, float score) const {
        return exact_score ? lexicographic(outcome, score + 0.0f) : outcome;
    }
    int outcome(Worth worth) const {
        return static_cast<int>(exact_score ? (worth + (Worth{1} << 31)) >> 32 : worth);
    }
    float score(Worth worth) const {
        return exact_score ? score_of(worth) : static_cast<float>(worth);
    }
    // The score of a worth that is an outcome and a score.
    static float score_of(Worth worth) {
        const std::int64_t order = worth - ((worth + (Worth{1} << 31)) >> 32 << 32);
        const std::uint32_t bits = order >= 0 ? static_cast<std::uint32_t>(order)
                                              : 0x80000000u | static_cast<std::uint32_t>(-order);
        float score;
        std::memcpy(&score, &bits, sizeof score);
        return score;
    }

    // Whether bounds can be those of a state.
    bool holds(Bounds bounds) const {
        return all.lo <= bounds.lo && bounds.lo <= bounds.hi && bounds.hi <= all.hi;
    }

    const bool exact_score;
    const Bounds all;  // what is known of any state; two players
};

}  // namespace unbounded
