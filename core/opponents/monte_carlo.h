// SPDX-License-Identifier: MIT
// An opponent that plays random games: UCT for any number of players, with proofs where ends of the
// game allow them (MCTS-Solver). Outcomes alone count, from -1 to 1; scores are not looked at.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/hashing.h"
#include "opponents/choice.h"
#include "opponents/tree.h"

namespace unbounded::opponents {

// Random numbers for millions of games in a row: every number mixes the counter with itself, so
// that neighbors have nothing in common (wyrand).
class Dice {
  public:
    explicit Dice(std::uint64_t seed) : counter_(mix(seed, 1)) {}

    // A number below `bound`, every one equally likely to within 2^-32.
    std::uint32_t below(std::uint32_t bound) {
        counter_ += 0x9e3779b97f4a7c15u;
        const std::uint64_t word = mix(counter_, counter_ ^ 0xe7037ed1a0b428dbu);
        return static_cast<std::uint32_t>(((word >> 32) * bound) >> 32);
    }

  private:
    std::uint64_t counter_;
};

struct MonteCarloOptions {
    double exploration = 1.4;
    int playouts = 1;  // random games from each new state
    std::uint64_t seed = 0;
    bool solver = true;
    std::uint64_t memory = std::uint64_t{1} << 28;  // bytes that the tree may take
};

class MonteCarlo {
  public:
    // The rules are the caller's.
    MonteCarlo(const Rules& rules, const MonteCarloOptions& options);
    MonteCarlo(const MonteCarlo&) = delete;
    MonteCarlo& operator=(const MonteCarlo&) = delete;

    // Chooses an action of a state where the game goes on. What is known of it from the search
    // before is kept, if it was played to from there.
    Choice choose(State state, const Allowance& allowance, const Poll& poll);

    const Tree& tree() const { return tree_; }

  private:
    Stop simulate_on(const Allowance& allowance, std::uint64_t& simulations);
    void simulate();
    // Which child to visit; and one that is proven to be better than that looks, or no_child.
    struct Selection {
        std::uint32_t visited;
        std::uint32_t preferred;
    };
    Selection select(const Leaf& parent);
    std::uint32_t pick_unvisited(const Inner& inner, std::uint32_t unvisited);
    bool expand(std::uint32_t id);
    void state_at_end_of_path(std::byte* out);
    void play_out();
    void play_out_by_moves();
    void back_up();
    bool try_to_prove(std::uint32_t id);

    // Whether there is nothing to be learned from visiting a child.
    bool is_known(const Leaf& child) const { return options_.solver && child.exact; }
    const Leaf* best_child(const Leaf& parent) const;
    void report(Choice& choice) const;

    const Rules& rules_;
    const MonteCarloOptions options_;
    Tree tree_;
    Dice dice_;
    Spending* spending_ = nullptr;
    static constexpr std::uint32_t no_child = UINT32_MAX;
    std::vector<std::uint32_t> path_;       // of this simulation
    std::vector<std::uint32_t> preferred_;  // for each step of it
    std::vector<double> result_;            // of this simulation, per player
    std::vector<std::byte> state_, child_;
    Description about_;
    Expansion expansion_;
};

}  // namespace unbounded::opponents
