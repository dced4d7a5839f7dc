// SPDX-License-Identifier: MIT
#include "rules/evaluator.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace unbounded {

void evaluate_checked(Evaluator& evaluator, const Rules& rules, State states, std::size_t count,
                      float* out) {
    evaluator.evaluate(states, count, out);
    for (std::size_t i = 0; i < count * rules.players; ++i)
        if (!std::isfinite(out[i]))
            throw RuleFailure("evaluate", states + i / rules.players * rules.state_bytes,
                              rules.state_bytes,
                              "the evaluation for player " + std::to_string(i % rules.players) +
                                  " is " + std::to_string(out[i]));
}

void ZeroEvaluator::evaluate(State, std::size_t count, float* out) {
    std::fill(out, out + count * players_, 0.0f);
}

void NativeEvaluator::evaluate(State states, std::size_t count, float* out) {
    const int status = function_(states, static_cast<std::int64_t>(count), out);
    if (status < 0)
        throw RuleFailure("evaluate", states + state_bytes_ * (-1 - status), state_bytes_,
                          "raised an exception");
}

void PlayoutEvaluator::evaluate(State states, std::size_t count, float* out) {
    const int players = rules_.players;
    std::vector<std::byte> state(rules_.state_bytes);
    std::vector<double> sum(players);
    for (std::size_t i = 0; i < count; ++i) {
        const State start = states + rules_.state_bytes * i;
        Random random(hash_bytes(start, rules_.state_bytes, seed_));
        std::fill(sum.begin(), sum.end(), 0.0);
        for (int k = 0; k < playouts_; ++k) {
            std::memcpy(state.data(), start, rules_.state_bytes);
            play_out(start, state.data(), random);
            for (int p = 0; p < players; ++p) sum[p] += end_.score[p];
        }
        for (int p = 0; p < players; ++p)
            out[i * players + p] = static_cast<float>(sum[p] / playouts_);
    }
}

// Plays at random from `state`, which is a copy of `start`, and describes the end.
void PlayoutEvaluator::play_out(State start, std::byte* state, Random& random) {
    // A game that never ends is a broken game; no honest one here is longer than this.
    constexpr int longest_game = 10'000'000;
    constexpr int plies_between_looks = 256;
    const auto look = [this](int plies) {
        if (give_up && give_up(plies)) throw GivenUp();
    };
    int plies = 0;
    for (;;) {
        rules_.list_actions(state, listed_);
        if (listed_.count == 0) break;
        rules_.successor(state, listed_, static_cast<int>(random.below(listed_.count)), state);
        if (++plies % plies_between_looks == 0) look(plies_between_looks);
        if (plies == longest_game)
            throw RuleFailure("next", start, rules_.state_bytes,
                              "a random game from here does not end");
    }
    look(plies % plies_between_looks + 1);
    rules_.describe(state, end_);
}

}  // namespace unbounded
