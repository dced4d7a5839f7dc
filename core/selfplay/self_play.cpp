// SPDX-License-Identifier: MIT
#include "selfplay/self_play.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace unbounded {

SelfPlay::SelfPlay(const Rules& rules, const NetworkInputs& inputs,
                   const SelfPlaySettings& settings, int games, int groups, int threads,
                   std::uint64_t seed, std::vector<Evaluator*> native)
    : rules_(rules), inputs_(inputs), settings_(settings), groups_(groups), threads_(threads) {
    if (!rules.native()) throw std::invalid_argument("self-play needs compiled rules");
    for (const Evaluator* const each : native)
        if (each != nullptr && !each->shareable())
            throw std::invalid_argument("self-play needs an evaluation that threads can share");
    for (int i = 0; i < games; ++i) {
        const std::uint64_t own_seed = mix(seed, static_cast<std::uint64_t>(i) + 1);
        groups_[i % groups].games.push_back(
            std::make_unique<SelfPlayGame>(rules_, inputs_, settings_, own_seed, native));
    }
}

std::vector<std::size_t> SelfPlay::advance(int group, const std::vector<Answers>& answers) {
    Group& playing = groups_.at(group);
    if (failure_) std::rethrow_exception(failure_);
    for (int network = 0; network < networks; ++network)
        if (waiting(group, network) > 0 && answers.at(network).values == nullptr)
            throw std::invalid_argument("a group waits for values that are not given");
    try {
        threads_.each(playing.games.size(), [&](std::size_t i) {
            answer(playing, i, answers);
            playing.games[i]->advance();
        });
    } catch (...) {
        failure_ = std::current_exception();
        throw;
    }
    std::vector<std::size_t> wanted(networks);
    for (int network = 0; network < networks; ++network) {
        playing.first[network].clear();
        for (const auto& game : playing.games) {
            playing.first[network].push_back(wanted[network]);
            if (game->wanted.network == network) wanted[network] += game->wanted.count;
        }
        playing.movers[network].resize(wanted[network]);
    }
    return wanted;
}

// Turns values that are counted from the mover on into one per player.
void SelfPlay::answer(Group& group, std::size_t game, const std::vector<Answers>& answers) const {
    const Wanted& wanted = group.games[game]->wanted;
    if (wanted.count == 0) return;
    const Answers& given = answers.at(wanted.network);
    const std::size_t first = group.first[wanted.network][game];
    const std::uint8_t* const movers = group.movers[wanted.network].data() + first;
    const float* const values = given.values + first * given.outputs;
    for (std::size_t i = 0; i < wanted.count; ++i)
        write_per_player(values + i * given.outputs, given.outputs, given.scale, rules_.players,
                         movers[i], wanted.out + i * rules_.players);
}

void SelfPlay::encode(int group, int network, float* planes, std::uint8_t* movers) {
    Group& waiting = groups_.at(group);
    threads_.each(waiting.games.size(), [&](std::size_t i) {
        const Wanted& wanted = waiting.games[i]->wanted;
        if (wanted.count == 0 || wanted.network != network) return;
        const std::size_t first = waiting.first[network][i];
        inputs_.write(wanted.states.data(), wanted.count, planes + first * inputs_.inputs,
                      movers + first);
        std::copy_n(movers + first, wanted.count, waiting.movers[network].data() + first);
    });
}

Lessons SelfPlay::take_lessons(int group) {
    Lessons all;
    for (const auto& game : groups_.at(group).games) {
        if (game->lessons.counts.empty()) continue;
        all.append(game->lessons);
        game->lessons.clear();
    }
    return all;
}

GameCounts SelfPlay::counts(int group) const {
    GameCounts sum;
    for (const auto& game : groups_.at(group).games) {
        const GameCounts& each = game->counts;
        sum.evaluated += each.evaluated;
        sum.expanded += each.expanded;
        sum.games += each.games;
        sum.moves += each.moves;
        sum.resolved_roots += each.resolved_roots;
    }
    return sum;
}

Survey survey(const Rules& rules, int games, std::uint64_t seed) {
    constexpr std::uint32_t longest_game = 100'000;
    Survey found;
    Random random(seed);
    Expansion listed(rules);
    Description end(rules.players);
    std::vector<std::byte> state(rules.state_bytes);
    std::uint64_t plies = 0, actions = 0;
    for (int i = 0; i < games; ++i) {
        rules.initial(state.data());
        std::uint32_t ply = 0;
        for (;; ++ply) {
            rules.list_actions(state.data(), listed);
            if (listed.count == 0 || ply == longest_game) break;
            actions += static_cast<std::uint64_t>(listed.count);
            const auto count = static_cast<std::uint32_t>(listed.count);
            rules.successor(state.data(), listed, static_cast<int>(random.below(count)),
                            state.data());
        }
        if (listed.count != 0)
            throw RuleFailure("next", state.data(), rules.state_bytes,
                              "a random game does not end");
        rules.describe(state.data(), end);
        for (const float score : end.score)
            found.largest_score = std::max(found.largest_score, std::fabs(score));
        found.shortest = std::min(found.shortest, ply);
        found.longest = std::max(found.longest, ply);
        plies += ply;
    }
    found.mean_plies = static_cast<double>(plies) / std::max(games, 1);
    found.mean_actions = static_cast<double>(actions) / std::max<double>(plies, 1);
    return found;
}

}  // namespace unbounded
