// SPDX-License-Identifier: MIT
#include "rules/rules.h"

#include <cmath>
#include <cstring>

#include "graph/hashing.h"

namespace unbounded {

RuleFailure cycle_failure(const std::vector<State>& line, std::size_t state_bytes) {
    RuleFailure failure("next", line.front(), state_bytes,
                        "leads back to a state of the same line: the game has a cycle");
    for (const State state : line) failure.states.emplace_back(state, state + state_bytes);
    return failure;
}

Rules::Rules(int players, std::size_t state_bytes, int max_actions, std::vector<float> best_score)
    : players(players),
      state_bytes(state_bytes),
      max_actions(max_actions),
      best_score(std::move(best_score)) {
    if (players < 1 || players > 255) throw std::invalid_argument("1 to 255 players are possible");
    if (state_bytes < 1) throw std::invalid_argument("a state has at least one byte");
    if (max_actions < 1 || max_actions > 65535)
        throw std::invalid_argument("max_actions must be from 1 to 65535");
    if (this->best_score.size() != static_cast<std::size_t>(players))
        throw std::invalid_argument("best_score needs one number per player");
}

void Rules::fail(const char* rule, State state, const std::string& what) const {
    throw RuleFailure(rule, state, state_bytes, what);
}

void Rules::check(State state, const Description& description) const {
    if (!description.terminal) {
        if (description.player < 0 || description.player >= players)
            fail("player", state,
                 "player " + std::to_string(description.player) +
                     " does not exist (players are 0 to " + std::to_string(players - 1) + ")");
        return;
    }
    for (int p = 0; p < players; ++p) {
        const int outcome = description.outcome[p];
        if (outcome < -1 || outcome > 1)
            fail("outcome", state,
                 "the outcome of player " + std::to_string(p) + " is " + std::to_string(outcome) +
                     ", not -1, 0 or 1");
        const float score = description.score[p];
        if (!std::isfinite(score))
            fail("score", state, "the score of player " + std::to_string(p) + " is not finite");
        if (score > best_score[p])
            fail("score", state,
                 "the score of player " + std::to_string(p) + " is " + std::to_string(score) +
                     ", above the declared best score " + std::to_string(best_score[p]));
    }
}

float Rules::check_bound(State state, int player, float bound) const {
    // Both are below every score, by the comparisons that bounds are made for.
    if (std::isnan(bound) || bound == -unknown_best_score)
        fail("best_score_from", state,
             "the bound for player " + std::to_string(player) + " is " + std::to_string(bound) +
                 "; give a number that no end below exceeds, or infinity where none is known");
    return bound;
}

void Rules::check_promise(State state, int player, float promised, float reached) const {
    if (reached <= promised) return;
    fail("best_score_from", state,
         "no end below was to score more than " + std::to_string(promised) + " for player " +
             std::to_string(player) + ", and one scores " + std::to_string(reached) +
             "; give a bound for every end below, or leave the rule out");
}

NativeRules::NativeRules(int players, std::size_t state_bytes, int max_actions,
                         std::vector<float> best_score, RuleFunctions functions, int symmetries)
    : Rules(players, state_bytes, max_actions, std::move(best_score)),
      functions_(functions),
      symmetries_(symmetries),
      original_(state_bytes),
      image_(state_bytes),
      state_(state_bytes),
      actions_(max_actions),
      scratch_actions_(max_actions),
      scratch_outcome_(players),
      scratch_score_(players) {
    if (symmetries < 1) throw std::invalid_argument("there is at least one symmetry");
    if (symmetries > 1 && functions.symmetry == nullptr)
        throw std::invalid_argument("the rule symmetry has no address");
}

void NativeRules::initial(std::byte* out) {
    std::memset(out, 0, state_bytes);
    if (functions_.initial(out) < 0) fail("initial", out, "raised an exception");
    canonicalise(out);
}

void NativeRules::canonicalise(std::byte* state) {
    if (symmetries_ == 1) return;
    std::memcpy(original_.data(), state, state_bytes);
    for (int k = 1; k < symmetries_; ++k) {
        std::memcpy(image_.data(), original_.data(), state_bytes);
        if (functions_.symmetry(original_.data(), k, image_.data()) < 0)
            fail("symmetry", original_.data(), "raised an exception");
        if (std::memcmp(image_.data(), state, state_bytes) < 0)
            std::memcpy(state, image_.data(), state_bytes);
    }
}

std::unique_ptr<NativeRules> NativeRules::copy() const {
    return std::make_unique<NativeRules>(players, state_bytes, max_actions, best_score, functions_,
                                         symmetries_);
}

int NativeRules::list(State state, std::int32_t* out) const {
    const int count = functions_.actions(state, out);
    if (count >= 0 && count <= max_actions) return count;
    if (count == -1) fail("actions", state, "raised an exception");
    fail("actions", state,
         "returned " + std::to_string(count) + " actions; max_actions is " +
             std::to_string(max_actions));
}

int NativeRules::player(State state) const {
    const int player = functions_.player(state);
    if (player >= 0 && player < players) return player;
    if (player == -1) fail("player", state, "raised an exception");
    fail("player", state,
         "player " + std::to_string(player) + " does not exist (players are 0 to " +
             std::to_string(players - 1) + ")");
}

void NativeRules::play(State state, std::int32_t action, int index, std::byte* out) const {
    std::memcpy(out, state, state_bytes);
    if (functions_.next(state, action, out) >= 0) return;
    RuleFailure failure("next", state, state_bytes, "raised an exception");
    failure.action_index = index;
    throw failure;
}

int NativeRules::actions(State state) {
    std::memcpy(state_.data(), state, state_bytes);
    return list(state, actions_.data());
}

void NativeRules::successor(int index, std::byte* out) {
    play(state_.data(), actions_[index], index, out);
    canonicalise(out);
}

void NativeRules::describe(State state, Description& out) {
    out.terminal = list(state, scratch_actions_.data()) == 0;
    if (out.terminal)
        finish(state, out);
    else
        out.player = player(state);
}

void NativeRules::finish(State state, Description& out) {
    out.terminal = true;
    std::fill(scratch_outcome_.begin(), scratch_outcome_.end(), 0);
    if (functions_.outcome(state, scratch_outcome_.data()) < 0)
        fail("outcome", state, "raised an exception");
    for (int p = 0; p < players; ++p) {
        if (scratch_outcome_[p] < -1 || scratch_outcome_[p] > 1)
            fail("outcome", state,
                 "the outcome of player " + std::to_string(p) + " is " +
                     std::to_string(scratch_outcome_[p]) + ", not -1, 0 or 1");
        out.outcome[p] = static_cast<std::int8_t>(scratch_outcome_[p]);
        out.score[p] = out.outcome[p];
    }
    if (functions_.score != nullptr) {
        std::fill(out.score.begin(), out.score.end(), 0.0f);
        if (functions_.score(state, out.score.data()) < 0)
            fail("score", state, "raised an exception");
    }
    check(state, out);
}

float NativeRules::best_score_from(State state, int player) {
    if (functions_.best_score_from == nullptr) return best_score[player];
    std::fill(scratch_score_.begin(), scratch_score_.end(), 0.0f);
    if (functions_.best_score_from(state, scratch_score_.data()) < 0)
        fail("best_score_from", state, "raised an exception");
    return check_bound(state, player, scratch_score_[player]);
}

std::uint64_t perft(Rules& rules, int depth) {
    if (depth == 0) return 1;
    // One buffer of siblings per depth, walked like a stack.
    struct Level {
        std::vector<std::byte> states;
        int count = 0;
        int at = 0;
    };
    std::vector<Level> levels(depth);
    levels[0].states.resize(rules.state_bytes);
    rules.initial(levels[0].states.data());
    levels[0].count = 1;
    std::uint64_t leaves = 0;
    int d = 0;
    while (d >= 0) {
        Level& level = levels[d];
        if (level.at == level.count) {
            --d;
            continue;
        }
        const std::size_t offset = rules.state_bytes * level.at++;
        const int count = rules.actions(level.states.data() + offset);
        if (d + 1 == depth) {
            leaves += count;
            continue;
        }
        Level& below = levels[d + 1];
        below.states.resize(rules.state_bytes * count);
        for (int i = 0; i < count; ++i)
            rules.successor(i, below.states.data() + rules.state_bytes * i);
        below.count = count;
        below.at = 0;
        ++d;
    }
    return leaves;
}

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
    // A game that never ends is a broken game; no honest one here is longer than this.
    constexpr int longest_game = 10'000'000;
    constexpr int plies_between_looks = 256;
    const int players = rules_.players;
    std::vector<std::byte> state(rules_.state_bytes);
    Description end(players);
    std::vector<double> sum(players);
    const auto look = [this](int plies) {
        if (give_up && give_up(plies)) throw GivenUp();
    };
    for (std::size_t i = 0; i < count; ++i) {
        const State start = states + rules_.state_bytes * i;
        Random random(hash_bytes(start, rules_.state_bytes, seed_));
        std::fill(sum.begin(), sum.end(), 0.0);
        for (int k = 0; k < playouts_; ++k) {
            std::memcpy(state.data(), start, rules_.state_bytes);
            int plies = 0;
            while (const int actions = rules_.actions(state.data())) {
                rules_.successor(static_cast<int>(random.below(actions)), state.data());
                if (++plies % plies_between_looks == 0) look(plies_between_looks);
                if (plies == longest_game)
                    throw RuleFailure("next", start, rules_.state_bytes,
                                      "a random game from here does not end");
            }
            look(plies % plies_between_looks + 1);
            rules_.describe(state.data(), end);
            for (int p = 0; p < players; ++p) sum[p] += end.score[p];
        }
        for (int p = 0; p < players; ++p)
            out[i * players + p] = static_cast<float>(sum[p] / playouts_);
    }
}

}  // namespace unbounded
