// SPDX-License-Identifier: MIT
#include "rules/rules.h"

#include <cmath>

namespace unbounded {

RuleFailure cycle_failure(const std::vector<State>& line, std::size_t state_bytes) {
    RuleFailure failure("next", line.front(), state_bytes,
                        "leads back to a state of the same line: the game has a cycle");
    for (const State state : line) failure.states.emplace_back(state, state + state_bytes);
    return failure;
}

Expansion::Expansion(const Rules& rules)
    : actions(rules.max_actions), width_(rules.players), words_((rules.state_bytes + 7) / 8) {}

void Expansion::grow(int room) {
    const auto rows = static_cast<std::size_t>(room);
    players.resize(rows);
    outcomes.resize(rows * width_);
    scores.resize(rows * width_);
    action_counts.resize(rows);
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

const std::vector<std::int32_t>& Rules::endgame_sizes() const {
    static const std::vector<std::int32_t> none;
    return none;
}

void Rules::check_zero_sum_end(const Expansion& expansion, int index, const char* by_score) const {
    const std::int32_t* const outcome = expansion.outcome(index);
    const float* const score = expansion.score(index);
    if (outcome[0] != -outcome[1] || score[0] != -score[1])
        fail("outcome", expansion.state(index),
             "the game is declared zero-sum, but outcomes or scores do not add up to zero");
    if (by_score != nullptr &&
        (outcome[0] != (score[0] > 0) - (score[0] < 0) || score[0] != std::rint(score[0])))
        fail(by_score, expansion.state(index),
             "may only be there if scores are integers and the higher score wins");
}

void Rules::fail(const char* rule, State state, const std::string& what) const {
    throw RuleFailure(rule, state, state_bytes, what);
}

void Rules::refuse_player(State state, int player) const {
    fail("player", state,
         "player " + std::to_string(player) + " does not exist (players are 0 to " +
             std::to_string(players - 1) + ")");
}

void Rules::refuse_outcome(State state, int player, int outcome) const {
    fail("outcome", state,
         "the outcome of player " + std::to_string(player) + " is " + std::to_string(outcome) +
             ", not -1, 0 or 1");
}

void Rules::refuse_winners(State state) const {
    fail("outcome", state, "a player wins and not all others lose, but single_winner is declared");
}

void Rules::refuse_score(State state, int player, float score) const {
    if (!std::isfinite(score))
        fail("score", state, "the score of player " + std::to_string(player) + " is not finite");
    fail("score", state,
         "the score of player " + std::to_string(player) + " is " + std::to_string(score) +
             ", above the declared best score " + std::to_string(best_score[player]));
}

void Rules::check(State state, const Description& description) const {
    if (!description.terminal) return check_player(state, description.player);
    for (int p = 0; p < players; ++p) {
        check_outcome(state, p, description.outcome[p]);
        check_score(state, p, description.score[p]);
    }
    check_winner(state, description.outcome.data());
}

float Rules::check_bound(State state, int player, float bound) const {
    // NaN and -inf would compare below every score.
    if (std::isnan(bound) || bound == -unknown_best_score)
        fail("best_score_from", state,
             "the bound for player " + std::to_string(player) + " is " + std::to_string(bound) +
                 "; give a number that no end below exceeds, or infinity where none is known");
    return bound;
}

void Rules::check_declared_bound(State state, int player, float declared, float reached) const {
    if (reached <= declared) return;
    fail("best_score_from", state,
         "declared at most " + std::to_string(declared) + " for player " + std::to_string(player) +
             ", but a reachable end scores " + std::to_string(reached) +
             "; return a bound for every reachable end, or leave the rule out");
}

}  // namespace unbounded
