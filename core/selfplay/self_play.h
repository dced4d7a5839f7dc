// SPDX-License-Identifier: MIT
// Thousands of games at once, in groups: while one group waits for its evaluations, another goes
// on.
#pragma once

#include <memory>
#include <vector>

#include "selfplay/game.h"
#include "selfplay/worker_threads.h"

namespace unbounded {

class SelfPlay {
  public:
    static constexpr int networks = 2;  // the current one and a past one

    // The rules and the inputs outlive this object. `native`: see SelfPlayGame.
    SelfPlay(const Rules& rules, const NetworkInputs& inputs, const SelfPlaySettings& settings,
             int games, int groups, int threads, std::uint64_t seed,
             std::vector<Evaluator*> native = {nullptr, nullptr});

    struct Answers {
        const float* values = nullptr;  // a row per state, from the mover on
        int outputs = 1;                // 1: two players, zero sum
        float scale = 1;                // what a value of 1 is worth
    };
    // Gives a group what it wanted, lets every game go on until it wants more, and returns how many
    // states wait for each network. They must be encoded before they are answered. After a failure
    // nothing goes on: it is thrown again.
    std::vector<std::size_t> advance(int group, const std::vector<Answers>& answers);
    // How many states of a group wait for a network.
    std::size_t waiting(int group, int network) const {
        return groups_.at(group).movers[network].size();
    }
    // Writes what the network is given of the waiting states of a group, in a fixed order.
    void encode(int group, int network, float* planes, std::uint8_t* movers);
    // What the games of a group that are over teach, in a fixed order; it is forgotten here.
    Lessons take_lessons(int group);
    // Of one group, which must be at rest.
    GameCounts counts(int group) const;
    int groups() const { return static_cast<int>(groups_.size()); }
    const NetworkInputs& inputs() const { return inputs_; }
    SelfPlaySettings& settings() { return settings_; }

  private:
    struct Group {
        std::vector<std::unique_ptr<SelfPlayGame>> games;
        std::vector<std::size_t> first[networks];  // of each game, among the waiting states
        std::vector<std::uint8_t> movers[networks];
    };
    void answer(Group& group, std::size_t game, const std::vector<Answers>& answers) const;

    const Rules& rules_;
    const NetworkInputs& inputs_;
    SelfPlaySettings settings_;
    std::vector<Group> groups_;
    std::exception_ptr failure_;
    WorkerThreads threads_;
};

// What random games are like: to choose scores and scales by.
struct Survey {
    std::uint32_t shortest = UINT32_MAX, longest = 0;
    double mean_plies = 0, mean_actions = 0;
    float largest_score = 0;
};
Survey survey(const Rules& rules, int games, std::uint64_t seed);

}  // namespace unbounded
