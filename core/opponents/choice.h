// SPDX-License-Identifier: MIT
// What a player who searches is asked and answers: the same for every opponent.
#pragma once

#include <cstdint>
#include <vector>

#include "rules/evaluator.h"
#include "search/search.h"

namespace unbounded::opponents {

constexpr std::int8_t unproven = 2;  // stands where an outcome is not known

struct Choice {
    explicit Choice(int players) : values(players), proven(players, unproven) {}

    int index = 0;                    // of the action, among the actions of the state
    std::vector<float> values;        // per player, as it looks
    std::vector<std::int8_t> proven;  // per player: the outcome, or `unproven`
    std::uint64_t rounds = 0;         // the depth that was searched, or how many simulations
    std::uint64_t nodes = 0;          // states made
    std::vector<int> line;            // the moves that are expected, by their indices
    Stop stop = Stop::resolved;       // why it did not search on
};

// What a choice may cost.
struct Allowance {
    double seconds = -1;  // negative: no limit
    std::uint64_t nodes = UINT64_MAX;
    std::uint64_t rounds = UINT64_MAX;
};

// Counts what is spent, and stops the search when the allowance is used up.
class Spending {
  public:
    Spending(const Allowance& allowance, const Poll& poll, bool native)
        : watch_(allowance.seconds, poll), most_nodes_(allowance.nodes), native_(native) {}

    // To be called before work is done; throws GivenUp when nothing is left to spend. Calls to
    // Python are slow, so that the clock is then read every time.
    void check() {
        if (generous) return;
        if (nodes_ >= most_nodes_) {
            stop_ = Stop::states;
            throw GivenUp();
        }
        if (expired(native_ ? unseen_ : UINT64_MAX)) throw GivenUp();
        unseen_ = 0;
    }
    // To be called after states were made, with the amount of other work.
    void made(std::uint64_t states, std::uint64_t work = 0) {
        nodes_ += states;
        unseen_ += states + work;
    }
    // Whether time is up, after this much more work.
    bool expired(std::uint64_t work) {
        if (!watch_.expired(work)) return false;
        stop_ = watch_.reason();
        return true;
    }

    bool generous = false;  // whatever it costs: there is no answer yet
    std::uint64_t nodes() const { return nodes_; }
    Stop stop() const { return stop_; }

  private:
    Watch watch_;
    const std::uint64_t most_nodes_;
    const bool native_;
    std::uint64_t nodes_ = 0;
    std::uint64_t unseen_ = 0;  // work since the last look at the clock
    Stop stop_ = Stop::seconds;
};

}  // namespace unbounded::opponents
