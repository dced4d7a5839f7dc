// SPDX-License-Identifier: MIT
#include "selfplay/scored_rules.h"

#include <algorithm>
#include <cstring>

namespace unbounded {

namespace {

// Behind the game's bytes: ply and mover; with mobility also, per player, moves and turns so far.
std::size_t history_bytes(int players, Score score) {
    return 8 + (score == Score::mobility ? 8 * static_cast<std::size_t>(players) : 0);
}

std::vector<float> best_scores(const Rules& game, Score score) {
    if (score == Score::game) return game.best_score;
    return std::vector<float>(game.players, score == Score::outcome ? 1.0f : unknown_best_score);
}

template <class T>
T read(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

}  // namespace

ScoredRules::ScoredRules(const Rules& game, const NetworkInputs& inputs, const Scoring& scoring)
    : Rules(game.players, game.state_bytes + history_bytes(game.players, scoring.score),
            game.max_actions, best_scores(game, scoring.score)),
      game_(game),
      inputs_(inputs),
      scoring_(scoring),
      start_(state_bytes),
      listed_(game),
      planes_(inputs.inputs) {
    std::vector<std::byte> first(game.state_bytes);
    game.initial(first.data());
    start_from(first.data(), 0);
}

void ScoredRules::start_from(State state, std::uint32_t ply) {
    Description about(players);
    game_.describe(state, about);
    std::fill(start_.begin(), start_.end(), std::byte{0});
    std::memcpy(start_.data(), state, game_.state_bytes);
    const History history{ply, static_cast<std::uint32_t>(about.player)};
    std::memcpy(start_.data() + game_.state_bytes, &history, sizeof history);
}

std::uint32_t ScoredRules::ply(State state) const { return history(state).ply; }

ScoredRules::History ScoredRules::history(State state) const {
    return read<History>(state + game_.state_bytes);
}

void ScoredRules::initial(std::byte* out) const { std::memcpy(out, start_.data(), state_bytes); }

void ScoredRules::expand(State state, Expansion& out) const {
    game_.expand(state, listed_);
    const int count = out.count = listed_.count;
    out.reserve(count);
    const int mover = static_cast<int>(history(state).mover);
    std::copy_n(listed_.actions.begin(), count, out.actions.begin());
    std::copy_n(listed_.action_counts.begin(), count, out.action_counts.begin());
    std::copy_n(listed_.players.begin(), count, out.players.begin());
    std::copy_n(listed_.outcomes.begin(), count * players, out.outcomes.begin());
    for (int i = 0; i < count; ++i) {
        std::byte* const child = out.state(i);
        const std::size_t whole = (state_bytes + 7) / 8 * 8;
        std::fill(child + whole - 8, child + whole, std::byte{0});
        std::memcpy(child, listed_.state(i), game_.state_bytes);
        write_history(child, state, mover, count, listed_.terminal(i) ? mover : listed_.player(i));
        if (!listed_.terminal(i)) continue;
        std::copy_n(listed_.score(i), players, out.scores.begin() + i * players);
        score(child, out.outcome(i), out.scores.data() + i * players);
    }
}

void ScoredRules::describe(State state, Description& out) const {
    game_.describe(state, out);
    if (!out.terminal) return;
    const std::vector<std::int32_t> outcome(out.outcome.begin(), out.outcome.end());
    score(state, outcome.data(), out.score.data());
}

void ScoredRules::write_history(std::byte* state, State parent, int mover, int moves,
                                int next_mover) const {
    std::byte* const out = state + game_.state_bytes;
    const State before = parent + game_.state_bytes;
    const History next{read<History>(before).ply + 1, static_cast<std::uint32_t>(next_mover)};
    std::memcpy(out, &next, sizeof next);
    if (scoring_.score != Score::mobility) return;
    std::memcpy(out + 8, before + 8, 8 * static_cast<std::size_t>(players));
    std::byte* const own = out + 8 + 8 * static_cast<std::size_t>(mover);
    const std::uint32_t sums[2] = {read<std::uint32_t>(own) + static_cast<std::uint32_t>(moves),
                                   read<std::uint32_t>(own + 4) + 1};
    std::memcpy(own, sums, sizeof sums);
}

void ScoredRules::score(State state, const std::int32_t* outcome, float* scores) const {
    if (scoring_.score == Score::game) return;
    const float win = scoring_.score == Score::outcome
                          ? 1.0f
                          : scoring_.margin + (1.0f - scoring_.margin) * quality(state, outcome);
    for (int p = 0; p < players; ++p) scores[p] = win * static_cast<float>(outcome[p]);
}

float ScoredRules::quality(State state, const std::int32_t* outcome) const {
    const auto ply = static_cast<float>(std::max(history(state).ply, 1u));
    const auto longest = static_cast<float>(scoring_.longest);
    const auto shortest = static_cast<float>(scoring_.shortest);
    if (scoring_.score == Score::depth)
        return std::clamp((longest - ply + 1) / longest, 0.0f, 1.0f);
    if (scoring_.score == Score::multiplicative_depth)
        return std::clamp(shortest / ply, 0.0f, 1.0f);
    const int winner = static_cast<int>(std::max_element(outcome, outcome + players) - outcome);
    return scoring_.score == Score::mobility ? mobility(state, winner) : presence(state, winner);
}

// r / (1 + r), where r is the mean number of the winner's moves by the mean of the others'.
float ScoredRules::mobility(State state, int winner) const {
    float own = 0, others = 0;
    for (int p = 0; p < players; ++p) {
        const State sums = state + game_.state_bytes + 8 + 8 * static_cast<std::size_t>(p);
        const auto turns = static_cast<float>(read<std::uint32_t>(sums + 4));
        const float mean = turns == 0 ? 0 : static_cast<float>(read<std::uint32_t>(sums)) / turns;
        if (p == winner)
            own = mean;
        else
            others += mean / static_cast<float>(players - 1);
    }
    return own + others == 0 ? 0.5f : own / (own + others);
}

// Plane k of `encode` shows the pieces of the player k places behind the mover.
float ScoredRules::presence(State state, int winner) const {
    std::uint8_t mover = 0;
    inputs_.write(state, 1, planes_.data(), &mover);
    const std::size_t area = scoring_.area;
    const int shown = std::min(players, static_cast<int>(inputs_.inputs / area));
    float own = 0, all = 0;
    for (int p = 0; p < shown; ++p) {
        const float* const plane = planes_.data() + p * area;
        float pieces = 0;
        for (std::size_t i = 0; i < area; ++i) pieces += plane[i];
        all += pieces;
        if ((mover + p) % players == winner) own = pieces;
    }
    return all == 0 ? 0 : own / all;
}

}  // namespace unbounded
