// SPDX-License-Identifier: MIT
// The rules of a game whose ends are scored in another way, for learning. Some scores depend on how
// the game went, so states carry, behind the game's own bytes, the ply and what else is needed; the
// states of different plies are different.
#pragma once

#include <cstdint>
#include <vector>

#include "networks/network_inputs.h"
#include "rules/rules.h"

namespace unbounded {

enum class Score {
    game,                  // the game's own
    outcome,               // 1, 0 or -1
    depth,                 // additive depth: an early win is worth more, evenly by plies
    multiplicative_depth,  // the same, in proportion to 1 / plies
    mobility,              // the winner's mean number of moves beside the others'
    presence,              // the winner's share of the pieces that are left
};

struct Scoring {
    Score score = Score::outcome;
    // With scores between wins, the least that a win is worth; the most is 1.
    float margin = 0.5f;
    std::uint32_t shortest = 1, longest = 1;  // plies of a game, about
    std::size_t area = 1;                     // numbers in a plane
};

// Not for several threads at once: each game has one.
class ScoredRules final : public Rules {
  public:
    ScoredRules(const Rules& game, const NetworkInputs& inputs, const Scoring& scoring);

    // The state that `initial` gives: a state of the game, with its ply.
    void start_from(State state, std::uint32_t ply);
    std::uint32_t ply(State state) const;

    void initial(std::byte* out) const override;
    void expand(State state, Expansion& out) const override;
    void describe(State state, Description& out) const override;
    float best_score_from(State, int player) const override { return best_score[player]; }
    bool native() const override { return game_.native(); }

  private:
    struct History {
        std::uint32_t ply;
        std::uint32_t mover;
    };
    History history(State state) const;
    void write_history(std::byte* state, State parent, int mover, int moves, int next_mover) const;
    // How good the outcome is for those who won, from 0 to 1.
    float quality(State state, const std::int32_t* outcome) const;
    float mobility(State state, int winner) const;
    float presence(State state, int winner) const;
    void score(State state, const std::int32_t* outcome, float* scores) const;

    const Rules& game_;
    const NetworkInputs& inputs_;
    const Scoring scoring_;
    std::vector<std::byte> start_;
    mutable Expansion listed_;
    mutable std::vector<float> planes_;
};

}  // namespace unbounded
