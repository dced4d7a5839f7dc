// SPDX-License-Identifier: MIT
// An opponent that plays random games: UCT for any number of players, with proofs where ends of the
// game allow them (MCTS-Solver). Outcomes alone count, from -1 to 1; scores are not looked at.
#pragma once

#include <cstdint>
#include <vector>

#include "choice.h"
#include "hashing.h"
#include "tree.h"

namespace unbounded::opponents {

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
    MonteCarlo(Rules& rules, const MonteCarloOptions& options);
    MonteCarlo(const MonteCarlo&) = delete;
    MonteCarlo& operator=(const MonteCarlo&) = delete;

    // Chooses an action of a state where the game goes on. What is known of it from the search
    // before is kept, if it was played to from there.
    Choice choose(State state, const Allowance& allowance, const Poll& poll);

    const Tree& tree() const { return tree_; }

  private:
    Stop simulate_on(const Allowance& allowance, std::uint64_t& simulations);
    void simulate();
    std::uint32_t select(const Leaf& parent);
    std::uint32_t pick_unvisited(const Inner& inner, std::uint32_t unvisited);
    bool expand(std::uint32_t id);
    void state_at_end_of_path(std::byte* out);
    void play_out();
    void back_up();
    bool try_to_prove(std::uint32_t id);

    // Whether there is nothing to be learned from visiting a child.
    bool is_known(const Leaf& child) const { return options_.solver && child.exact; }
    const Leaf* best_child(const Leaf& parent) const;
    void report(Choice& choice) const;

    Rules& rules_;
    const MonteCarloOptions options_;
    Tree tree_;
    Random random_;
    Spending* spending_ = nullptr;
    std::vector<std::uint32_t> path_;  // of this simulation
    std::vector<double> result_;       // of this simulation, per player
    std::vector<std::byte> state_, child_;
    Description about_;
};

}  // namespace unbounded::opponents
