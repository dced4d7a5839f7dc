// SPDX-License-Identifier: MIT
// Tests of self-play, for the sanitizers: fibers, threads, games that are left in the middle, and
// what games teach. tests/test_self_play.py tests it with real games and networks.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>

#include "selfplay/self_play.h"
#include "tests/checks.h"
#include "tests/native_game.h"

using namespace unbounded;

namespace {

// -- games ----------------------------------------------------------------------------------------

// What `encode` and `player` read; set while no game is being played.
const Table* shown = nullptr;
bool ends_have_player = true;

std::int32_t shown_player(const void* state) {
    const TableState& row = shown->states[number(static_cast<State>(state))];
    return row.successors.empty() && !ends_have_player ? -1 : row.player;
}

// Two planes of two cells: the pieces of the mover, and those of the next player.
std::int32_t encode(const void* states, std::int64_t count, double*, float* planes) {
    for (std::int64_t i = 0; i < count; ++i) {
        const std::uint32_t n = number(static_cast<State>(states) + 4 * i);
        const float row[] = {static_cast<float>(n % 3), 1, static_cast<float>(n % 2), 0};
        std::copy_n(row, 4, planes + 4 * i);
    }
    return 0;
}

struct Played {
    explicit Played(const Table& table)
        : rules(table), inputs(table.players, 4, 4, 1, {encode, shown_player, nullptr}) {
        shown = &table;
        ends_have_player = true;
    }
    TableRules rules;
    NetworkInputs inputs;
};

// Three players; no two ends have equal scores.
Table three_players(Random& random, int count) {
    Table table;
    table.players = 3;
    table.best_score = {2, 2, 2};
    table.states.resize(count);
    add_successors(random, table, true, 3, 12);
    for (TableState& state : table.states) {
        state.player = static_cast<int>(random.below(3));
        for (int p = 0; p < 3; ++p) {
            state.outcome.push_back(
                static_cast<std::int8_t>(static_cast<int>(random.below(3)) - 1));
            state.score.push_back(static_cast<float>(random.next() >> 40) * 0x1p-24f);
            state.evaluation.push_back(0);
        }
    }
    return table;
}

Table two_players(Random& random, int count) {
    NativeGame made = random_game(random, count);
    made.table.states.resize(count);
    for (TableState& state : made.table.states) state.successors.clear();
    add_successors(random, made.table, true, 4, 30);
    add_numbers(random, made.table, false, false);
    made.table.best_score = {1, 1};
    return made.table;
}

SelfPlaySettings settings_for(const Table& table) {
    SelfPlaySettings settings;
    settings.options.algorithm = "descent";
    if (table.players != 2) settings.options.values = ValueRule::resolved_completion;
    settings.states = 6;
    settings.opening = 2;
    return settings;
}

// -- playing --------------------------------------------------------------------------------------

bool same(const Lessons& a, const Lessons& b) {
    return std::tie(a.states, a.values, a.plies, a.kinds, a.counts, a.moves, a.actions, a.results,
                    a.by_ply) == std::tie(b.states, b.values, b.plies, b.kinds, b.counts, b.moves,
                                          b.actions, b.results, b.by_ply);
}

std::uint64_t games_over(const SelfPlay& play) {
    std::uint64_t games = 0;
    for (int group = 0; group < play.groups(); ++group) games += play.counts(group).games;
    return games;
}

// Plays so many rounds by an evaluator of the core.
Lessons played_natively(const Played& played, const SelfPlaySettings& settings, int games,
                        int threads, int rounds, Evaluator& evaluator) {
    SelfPlay play(played.rules, played.inputs, settings, games, 1, threads, 7,
                  {&evaluator, &evaluator});
    Lessons all;
    for (int i = 0; i < rounds; ++i) {
        const auto waiting = play.advance(0, {});
        CHECK(waiting[0] == 0 && waiting[1] == 0);
        all.append(play.take_lessons(0));
    }
    return all;
}

struct Batches {
    explicit Batches(SelfPlay& play) : play(play), arrays(play.groups()) {}

    // Answers what the group waits for by a function of the first number of the planes.
    void round(int group, float factor) {
        std::vector<SelfPlay::Answers> answers(SelfPlay::networks);
        for (int network = 0; network < SelfPlay::networks; ++network)
            if (!arrays[group][network].empty())
                answers[network] = {arrays[group][network].data(), outputs, 1.0f};
        const auto waiting = play.advance(group, answers);
        for (int network = 0; network < SelfPlay::networks; ++network) {
            const std::size_t count = waiting[network];
            asked[network] += count;
            std::vector<float> planes(count * play.inputs().inputs);
            std::vector<std::uint8_t> movers(count);
            play.encode(group, network, planes.data(), movers.data());
            arrays[group][network].resize(count * outputs);
            for (std::size_t i = 0; i < count * outputs; ++i)
                arrays[group][network][i] =
                    factor * (planes[i / outputs * play.inputs().inputs] - 1);
        }
    }

    SelfPlay& play;
    const int outputs = play.inputs().players == 2 ? 1 : play.inputs().players;
    std::vector<std::array<std::vector<float>, 2>> arrays;
    std::array<std::size_t, 2> asked{};
};

Lessons played_in_batches(const Played& played, const SelfPlaySettings& settings, int games,
                          int groups, int threads, int rounds, float factor) {
    SelfPlay play(played.rules, played.inputs, settings, games, groups, threads, 7);
    Batches batches(play);
    Lessons all;
    for (int i = 0; i < rounds; ++i) {
        batches.round(i % groups, factor);
        all.append(play.take_lessons(i % groups));
    }
    return all;
}

// -- fibers and threads ---------------------------------------------------------------------------

int deep(Fiber& fiber, int depth) {
    volatile int local[32] = {depth};
    if (depth == 0) fiber.suspend();
    const int below = depth == 0 ? 0 : deep(fiber, depth - 1);
    return below + local[0];
}

void test_fibers() {
    for (int i = 0; i < 300; ++i) {  // stacks are mapped at the same addresses again
        std::unique_ptr<Fiber> fiber;
        int sum = 0;
        fiber = std::make_unique<Fiber>(
            [&] {
                for (int k = 0; k < 3; ++k) {
                    try {
                        sum += deep(*fiber, 20);
                        throw std::runtime_error("caught inside");
                    } catch (const std::runtime_error&) {
                        ++sum;
                    }
                }
            },
            64 * 1024);
        if (i % 10 == 0) continue;  // never started
        for (int k = 0; k < 3; ++k) CHECK(fiber->resume());
        CHECK(!fiber->resume() && fiber->ended() && !fiber->resume());
        CHECK(sum == 3 * 211 && !fiber->overflowed());
    }
}

void test_worker_threads() {
    for (const int count : {1, 2, 5}) {
        WorkerThreads threads(count);
        for (const std::size_t work : {0u, 1u, 4u, 100u}) {
            std::vector<int> calls(work);
            threads.each(work, [&](std::size_t i) { ++calls[i]; });
            CHECK(std::all_of(calls.begin(), calls.end(), [](int n) { return n == 1; }));
        }
        std::string caught;
        try {
            threads.each(100, [](std::size_t i) {
                if (i % 7 == 3) throw std::runtime_error(std::to_string(i));
            });
        } catch (const std::runtime_error& error) {
            caught = error.what();
        }
        CHECK(caught == "3");
        threads.each(100, [](std::size_t) {});  // no failure is left over
    }
}

// -- the same lessons, however they are played ----------------------------------------------------

void test_threads_do_not_matter() {
    Random random(1);
    for (const Table& table : {two_players(random, 80), three_players(random, 80)}) {
        const Played played(table);
        SelfPlaySettings settings = settings_for(table);
        settings.past = 0.5f;
        TableEvaluator evaluator(table);
        const Lessons one = played_natively(played, settings, 9, 1, 60, evaluator);
        CHECK(one.counts.size() > 20);
        for (const int threads : {2, 4})
            CHECK(same(one, played_natively(played, settings, 9, threads, 60, evaluator)));
        const Lessons batched = played_in_batches(played, settings, 9, 2, 1, 400, 0.3f);
        CHECK(batched.counts.size() > 20);
        for (const int threads : {2, 4})
            CHECK(same(batched, played_in_batches(played, settings, 9, 2, threads, 400, 0.3f)));
    }
}

// The first of each that both have: rounds are not the same.
void test_batches_do_not_matter() {
    Random random(2);
    for (const Table& table : {two_players(random, 80), three_players(random, 80)}) {
        const Played played(table);
        ZeroEvaluator zero(table.players);
        const SelfPlaySettings settings = settings_for(table);
        const Lessons by_core = played_natively(played, settings, 1, 1, 600, zero);
        const Lessons by_batch = played_in_batches(played, settings, 1, 1, 1, 1500, 0.0f);
        const std::size_t both = std::min(by_core.counts.size(), by_batch.counts.size());
        CHECK(both >= 10);
        std::size_t states = 0;
        for (std::size_t i = 0; i < both; ++i) states += by_core.counts[i];
        CHECK(std::equal(by_core.counts.begin(), by_core.counts.begin() + both,
                         by_batch.counts.begin()));
        CHECK(std::equal(by_core.values.begin(), by_core.values.begin() + states * table.players,
                         by_batch.values.begin()));
        CHECK(std::equal(by_core.states.begin(), by_core.states.begin() + states * 4,
                         by_batch.states.begin()));
    }
}

void test_games_left_in_the_middle() {
    Random random(3);
    const Table table = two_players(random, 200);
    const Played played(table);
    SelfPlaySettings settings = settings_for(table);
    settings.past = 0.5f;
    for (int rounds = 0; rounds < 12; ++rounds) {
        SelfPlay play(played.rules, played.inputs, settings, 5, 1, 2, rounds);
        Batches batches(play);
        for (int i = 0; i < rounds; ++i) batches.round(0, 0.1f);
    }
}

// -- failures -------------------------------------------------------------------------------------

// One state cannot be expanded.
class BrokenRules final : public Rules {
  public:
    BrokenRules(const Rules& rules, std::uint32_t broken)
        : Rules(rules.players, rules.state_bytes, rules.max_actions, rules.best_score),
          rules_(rules),
          broken_(broken) {}
    void initial(std::byte* out) const override { rules_.initial(out); }
    void expand(State state, Expansion& out) const override {
        if (number(state) == broken_) fail("next", state, "raised an exception");
        rules_.expand(state, out);
    }
    void describe(State state, Description& out) const override { rules_.describe(state, out); }
    float best_score_from(State, int player) const override { return best_score[player]; }
    bool native() const override { return true; }

  private:
    const Rules& rules_;
    const std::uint32_t broken_;
};

void test_broken_rule() {
    const Table table = countdown(30);
    const Played played(table);
    const BrokenRules broken(played.rules, 9);
    for (const int threads : {1, 3}) {
        for (const bool native : {true, false}) {
            ZeroEvaluator zero(2);
            Evaluator* const evaluator = native ? &zero : nullptr;
            SelfPlay play(broken, played.inputs, settings_for(table), 4, 1, threads, 1,
                          {evaluator, evaluator});
            Batches batches(play);
            int caught = 0;
            for (int i = 0; i < 100; ++i) {
                try {
                    batches.round(0, 0);
                } catch (const RuleFailure& failure) {
                    ++caught;
                    CHECK(failure.rule == "next" && failure.state.size() == 4);
                    CHECK(number(failure.state.data()) == 9);
                }
            }
            CHECK(caught > 80);  // once it has failed it does not go on
        }
    }
}

class NotANumber final : public Evaluator {
  public:
    void evaluate(State, std::size_t count, float* out) override {
        std::fill_n(out, 2 * count, std::nanf(""));
    }
    bool native() const override { return true; }
};

void test_network_that_is_lost() {
    const Table table = countdown(30);
    const Played played(table);
    NotANumber evaluator;
    SelfPlay play(played.rules, played.inputs, settings_for(table), 2, 1, 1, 1,
                  {&evaluator, &evaluator});
    std::string rule;
    try {
        play.advance(0, {});
    } catch (const RuleFailure& failure) {
        rule = failure.rule;
        CHECK(failure.state.size() == 4);
    }
    CHECK(rule == "evaluate");
}

// -- what is learned ------------------------------------------------------------------------------

void test_resolved_states_are_exact() {
    Random random(4);
    for (int k = 0; k < 20; ++k) {
        const Table table = k % 2 == 0 ? two_players(random, 80) : three_players(random, 80);
        const auto exact = backward_induction(table);
        const Played played(table);
        TableEvaluator evaluator(table);
        SelfPlaySettings settings = settings_for(table);
        settings.scoring.score = table.players == 2 ? Score::outcome : Score::game;
        const Lessons all = played_natively(played, settings, 3, 1, 40, evaluator);
        std::size_t resolved_ones = 0;
        for (std::size_t i = 0; i < all.kinds.size(); ++i) {
            const std::uint32_t n = number(all.states.data() + 4 * i);
            const bool over = table.states[n].successors.empty();
            CHECK((all.kinds[i] == 2) == over);
            if (all.kinds[i] == 0) continue;
            ++resolved_ones;
            for (int p = 0; p < table.players; ++p)
                CHECK(all.values[i * table.players + p] ==
                      (table.players == 2 ? static_cast<float>(exact[n].first[p])
                                          : exact[n].second[p]));
        }
        CHECK(resolved_ones > 0);
    }
}

void test_caps() {
    Random random(5);
    const Table table = two_players(random, 400);
    const Played played(table);
    TableEvaluator evaluator(table);
    SelfPlaySettings settings = settings_for(table);
    settings.states = 60;
    settings.per_ply = 4;
    settings.resolved_share = 0.5f;
    settings.terminal_share = 0.1f;
    Lessons all = played_natively(played, settings, 1, 1, 30, evaluator);
    std::size_t at = 0, full = 0;
    for (const std::uint32_t count : all.counts) {
        std::map<std::pair<int, int>, std::size_t> taken;
        for (const std::size_t end = at + count; at < end; ++at)
            ++taken[{all.kinds[at], all.plies[at]}];
        for (const auto& [which, states] : taken) {
            const std::size_t most = std::array<std::size_t, 3>{4, 2, 1}[which.first];
            CHECK(states <= most);
            full += states == most;
        }
    }
    CHECK(full > 0);
    settings.resolved_share = settings.terminal_share = 0;
    all = played_natively(played, settings, 1, 1, 30, evaluator);
    CHECK(std::all_of(all.kinds.begin(), all.kinds.end(), [](auto kind) { return kind == 0; }));
}

// Follows the moves of a game in the table.
std::vector<std::uint32_t> line_of(const Table& table, const std::uint16_t* actions, int moves) {
    std::vector<std::uint32_t> line{0};
    for (int i = 0; i < moves; ++i)
        line.push_back(table.states[line.back()].successors.at(actions[i]));
    return line;
}

void test_root_and_terminal_targets() {
    Random random(6);
    const Table table = two_players(random, 200);
    const Played played(table);
    TableEvaluator evaluator(table);
    for (const Targets targets : {Targets::root, Targets::terminal}) {
        SelfPlaySettings settings = settings_for(table);
        settings.targets = targets;
        const Lessons all = played_natively(played, settings, 2, 1, 100, evaluator);
        std::size_t at = 0, moved = 0;
        for (std::size_t game = 0; game < all.counts.size(); ++game) {
            const auto line = line_of(table, all.actions.data() + moved, all.moves[game]);
            moved += all.moves[game];
            for (std::uint32_t i = 0; i < all.counts[game]; ++i, ++at) {
                CHECK(number(all.states.data() + 4 * at) == line.at(all.plies[at]));
                if (targets == Targets::terminal)
                    CHECK(all.values[2 * at] == all.results[2 * game]);
            }
            CHECK(all.counts[game] >= 1 && all.counts[game] <= line.size());
        }
        CHECK(all.counts.size() > 5 && moved == all.actions.size());
    }
}

void test_ends_without_player() {
    Random random(7);
    const Table table = two_players(random, 80);
    const Played played(table);
    ends_have_player = false;
    TableEvaluator evaluator(table);
    const Lessons all = played_natively(played, settings_for(table), 2, 1, 60, evaluator);
    CHECK(all.counts.size() > 5 && !all.kinds.empty());
    CHECK(std::find(all.kinds.begin(), all.kinds.end(), 2) == all.kinds.end());
}

void test_past_seat() {
    Random random(8);
    const Table table = two_players(random, 300);
    const Played played(table);
    for (const float past : {0.0f, 1.0f}) {
        SelfPlaySettings settings = settings_for(table);
        settings.past = past;
        settings.targets = Targets::root;
        settings.opening = 0;
        SelfPlay play(played.rules, played.inputs, settings, 8, 1, 1, 3);
        Batches batches(play);
        for (int i = 0; i < 200; ++i) batches.round(0, 0.2f);
        const Lessons all = play.take_lessons(0);
        CHECK(batches.asked[0] > 0 && (batches.asked[1] > 0) == (past > 0));
        // The searches of the past network teach nothing: its seat has no states.
        std::size_t at = 0, both = 0;
        for (const std::uint32_t count : all.counts) {
            bool seats[2] = {false, false};
            for (const std::size_t end = at + count; at < end; ++at)
                seats[table.states[number(all.states.data() + 4 * at)].player] = true;
            both += seats[0] && seats[1];
        }
        CHECK((both > 0) == (past == 0));
    }
}

// -- games that are odd ---------------------------------------------------------------------------

void test_small_games() {
    for (const int length : {0, 1, 3}) {  // 0: the initial state is terminal
        const Table table = countdown(length);
        const Played played(table);
        ZeroEvaluator zero(2);
        SelfPlaySettings settings = settings_for(table);
        settings.states = 100;
        for (Evaluator* const evaluator : {static_cast<Evaluator*>(&zero), (Evaluator*)nullptr}) {
            SelfPlay play(played.rules, played.inputs, settings, 2, 1, 1, 1,
                          {evaluator, evaluator});
            Batches batches(play);
            for (int i = 0; i < 20; ++i) batches.round(0, 0);
            CHECK(games_over(play) >= 10);  // every round comes back
            const Lessons all = play.take_lessons(0);
            CHECK(!all.kinds.empty() && all.results.front() == 1);
            CHECK(games_over(play) == all.counts.size());
        }
    }
}

void test_without_completion() {
    Random random(9);
    const Table table = two_players(random, 60);
    const Played played(table);
    TableEvaluator evaluator(table);
    for (const char* const algorithm : {"descent", "ubfm"}) {
        SelfPlaySettings settings = settings_for(table);
        settings.options.algorithm = algorithm;
        settings.options.completion = false;
        settings.states = 50;
        const Lessons all = played_natively(played, settings, 2, 1, 60, evaluator);
        CHECK(all.counts.size() > 2);
        CHECK(std::find(all.kinds.begin(), all.kinds.end(), 1) == all.kinds.end());
    }
}

void test_games_given_up() {
    const Table table = countdown(40);
    const Played played(table);
    ZeroEvaluator zero(2);
    SelfPlaySettings settings = settings_for(table);
    settings.states = 1;
    settings.opening = 0;
    settings.longest = 3;
    for (const Targets targets : {Targets::tree, Targets::root, Targets::terminal}) {
        settings.targets = targets;
        const Lessons all = played_natively(played, settings, 1, 1, 20, zero);
        CHECK(all.counts.size() >= 3 && all.moves.front() == 3);
        CHECK((all.counts.front() == 0) == (targets == Targets::terminal));
    }
}

void test_restarted_search() {
    Random random(12);
    for (const Table& table : {two_players(random, 300), three_players(random, 300)}) {
        TableRules rules(table);
        TableEvaluator evaluator(table);
        const Options options = settings_for(table).options;
        Search used(rules, evaluator, options);
        for (const std::uint64_t states : {200, 5, 60}) {
            Search fresh(rules, evaluator, options);
            used.restart();
            for (Search* const each : {&fresh, &used})
                each->run({UINT64_MAX, states, UINT64_MAX, -1}, nullptr);
            CHECK(used.snapshot() == fresh.snapshot());
            CHECK(used.iterations() == fresh.iterations());
            CHECK(used.expansions() == fresh.expansions());
            CHECK(used.resolved_states() == fresh.resolved_states());
        }
    }
}

// -- scores ---------------------------------------------------------------------------------------

// The scores of the ends of all games, by the states on the way.
void follow(const ScoredRules& rules, std::vector<std::byte> state, std::vector<int> moves,
            const std::function<void(State, const float*, const std::vector<int>&)>& end) {
    Expansion next(rules);
    rules.expand(state.data(), next);
    moves.push_back(next.count);
    for (int i = 0; i < next.count; ++i) {
        std::vector<std::byte> child(next.state(i), next.state(i) + rules.state_bytes);
        if (next.terminal(i)) {
            Description about(rules.players);
            rules.describe(child.data(), about);
            CHECK(std::equal(about.score.begin(), about.score.end(), next.score(i)));
            end(child.data(), next.score(i), moves);
        } else {
            follow(rules, child, moves, end);
        }
    }
}

float expected_quality(Score score, const Scoring& scoring, const Table& table, State end,
                       const std::vector<int>& line, const std::vector<int>& moves) {
    const auto ply = static_cast<float>(moves.size());
    if (score == Score::depth)
        return std::clamp((scoring.longest - ply + 1) / scoring.longest, 0.0f, 1.0f);
    if (score == Score::multiplicative_depth) return std::min(1.0f, scoring.shortest / ply);
    const TableState& row = table.states[number(end)];
    const int winner = row.outcome[0] >= 0 ? 0 : 1;
    if (score == Score::presence) {
        const std::uint32_t n = number(end);
        const float pieces[2] = {static_cast<float>(n % 3) + 1, static_cast<float>(n % 2)};
        return pieces[row.player == winner ? 0 : 1] / (pieces[0] + pieces[1]);
    }
    float sums[2] = {}, turns[2] = {};
    for (std::size_t i = 0; i < moves.size(); ++i) {
        sums[line[i]] += static_cast<float>(moves[i]);
        ++turns[line[i]];
    }
    const float own = turns[winner] == 0 ? 0 : sums[winner] / turns[winner];
    const float other = turns[1 - winner] == 0 ? 0 : sums[1 - winner] / turns[1 - winner];
    return own / (own + other);
}

void test_scores() {
    Random random(10);
    // Movers alternate by ply here, so that the line of movers is known.
    Table table;
    table.best_score = {9, 9};
    for (int s = 0; s < 15; ++s) {
        TableState row;
        row.player = s == 0 ? 0 : s < 3 ? 1 : s < 7 ? 0 : 1;
        if (s < 7)
            for (std::uint32_t k = 0; k <= random.below(2) || k < 1; ++k)
                row.successors.push_back(2 * s + 1 + k);
        const int outcome = static_cast<int>(random.below(3)) - 1;
        row.outcome = {static_cast<std::int8_t>(outcome), static_cast<std::int8_t>(-outcome)};
        row.score = {8.0f * outcome, -8.0f * outcome};
        row.evaluation = {0, 0};
        table.states.push_back(row);
    }
    const Played played(table);
    int ends = 0;
    for (const Score score : {Score::game, Score::outcome, Score::depth,
                              Score::multiplicative_depth, Score::mobility, Score::presence}) {
        Scoring scoring{score, 0.25f, 2, 4, 2};
        const ScoredRules rules(played.rules, played.inputs, scoring);
        std::vector<std::byte> first(rules.state_bytes);
        rules.initial(first.data());
        follow(rules, first, {}, [&](State end, const float* scores, const auto& moves) {
            ++ends;
            const auto outcome = static_cast<float>(table.states[number(end)].outcome[0]);
            const std::vector<int> line{0, 1, 0};
            float win = score == Score::game ? 8.0f : 1.0f;
            if (score != Score::game && score != Score::outcome)
                win = 0.25f + 0.75f * expected_quality(score, scoring, table, end, line, moves);
            CHECK(std::fabs(scores[0] - win * outcome) < 1e-6f && scores[1] == -scores[0]);
            CHECK(rules.ply(end) == moves.size());
        });
    }
    CHECK(ends > 20);
}

// -- exploration ----------------------------------------------------------------------------------

// A root with children of these values; those without are proven ends of this outcome.
Table star(const std::vector<float>& values, const std::vector<int>& ends, int player) {
    Table table;
    table.best_score = {1, 1};
    const auto children = static_cast<std::uint32_t>(values.size() + ends.size());
    table.states.resize(1 + 2 * children);
    for (TableState& row : table.states) {
        row.outcome = {0, 0};
        row.score = row.evaluation = {0, 0};
    }
    table.states[0].player = player;
    for (std::uint32_t i = 0; i < children; ++i) {
        TableState& child = table.states[1 + i];
        table.states[0].successors.push_back(1 + i);
        if (i < values.size()) {
            child.evaluation = {values[i], -values[i]};
            child.successors = {1 + children + i};
        } else {
            const auto outcome = static_cast<std::int8_t>(ends[i - values.size()]);
            child.outcome = {outcome, static_cast<std::int8_t>(-outcome)};
            child.score = {static_cast<float>(outcome), -static_cast<float>(outcome)};
        }
    }
    return table;
}

std::vector<double> frequencies(const Table& table, const Exploration& exploration,
                                ValueRule values = ValueRule::minimax) {
    TableRules rules(table);
    TableEvaluator evaluator(table);
    Options options;
    options.values = values;
    Search search(rules, evaluator, options);
    search.run({UINT64_MAX, 2, UINT64_MAX, -1}, nullptr);
    Random random(11);
    constexpr int draws = 20000;
    std::vector<double> found(table.states[0].successors.size());
    for (int i = 0; i < draws; ++i) found[choose_move(search, exploration, random)] += 1.0 / draws;
    return found;
}

bool near(const std::vector<double>& found, const std::vector<double>& expected) {
    double worst = 0;
    for (std::size_t i = 0; i < expected.size(); ++i)
        worst = std::max(worst, std::fabs(found[i] - expected[i]));
    return found.size() == expected.size() && worst < 0.015;  // four standard deviations
}

void test_exploration() {
    const std::vector<float> values{0.1f, 0.5f, -0.3f};
    for (const int player : {0, 1}) {
        const Table table = star(values, {}, player);
        const std::array<int, 3> rank = player == 0 ? std::array{1, 0, 2} : std::array{1, 2, 0};
        const auto ranked = [&](const std::array<double, 3>& by_rank) {
            return std::vector<double>{by_rank[rank[0]], by_rank[rank[1]], by_rank[rank[2]]};
        };
        for (const float e : {0.0f, 0.4f, 1.0f}) {
            const double first = (2 * e + 1) / 3, second = (1 - first) * (e + 1) / 2;
            CHECK(near(frequencies(table, {Law::ordinal, e, 0}),
                       ranked({first, second, 1 - first - second})));
            CHECK(near(frequencies(table, {Law::epsilon_greedy, e, 0}),
                       ranked({1 - e + e / 3, e / 3, e / 3})));
        }
        // Drawn evenly from 0 to 1 for every move: the mean of the above.
        CHECK(near(frequencies(table, {Law::ordinal, -1, 0}), ranked({2.0 / 3, 2.0 / 9, 1.0 / 9})));
        const double sign = player == 0 ? 1 : -1;
        double sum = 0;
        for (const float v : values) sum += std::exp(sign * v / 0.4);
        std::vector<double> softmax;
        for (const float v : values) softmax.push_back(std::exp(sign * v / 0.4) / sum);
        CHECK(near(frequencies(table, {Law::softmax, 0, 0.4f}), softmax));
        CHECK(near(frequencies(table, {Law::softmax, 0, 1e-6f}), ranked({1, 0, 0})));
    }
}

void test_what_is_proven() {
    for (const Law law : {Law::ordinal, Law::epsilon_greedy, Law::softmax}) {
        const Exploration even{law, law == Law::ordinal ? 0.0f : 1.0f, 1e6f};
        // A loss is not played while there is something else; a draw may be.
        CHECK(near(frequencies(star({0.1f, 0.2f}, {-1, 0}, 0), even), {1. / 3, 1. / 3, 0, 1. / 3}));
        CHECK(near(frequencies(star({}, {-1, -1}, 0), even), {0.5, 0.5}));
        CHECK(near(frequencies(star({0.9f, 0.9f}, {1}, 0), even), {0, 0, 1}));
        // Max^n: the root is not resolved, for its score could be better; a win is played anyway.
        Table table = star({0.9f, 0.9f}, {1}, 0);
        table.best_score = {5, 5};
        CHECK(near(frequencies(table, even, ValueRule::resolved_completion), {0, 0, 1}));
        CHECK(near(frequencies(table, even, ValueRule::propagated_completion), {0, 0, 1}));
    }
    // Equals are put in random order.
    CHECK(near(frequencies(star({0.5f, 0.5f}, {}, 0), {Law::ordinal, 1, 0}), {0.5, 0.5}));
}

void test_survey() {
    const Table table = countdown(7);
    const Survey found = survey(TableRules(table), 20, 1);
    CHECK(found.shortest == 7 && found.longest == 7 && found.mean_plies == 7);
    CHECK(found.mean_actions == 1 && found.largest_score == 1);
}

}  // namespace

int main() {
    return run_tests({
        {"a fiber suspends anywhere, and its stack goes with it", test_fibers},
        {"threads share a loop, and one failure is told", test_worker_threads},
        {"lessons do not depend on the number of threads", test_threads_do_not_matter},
        {"lessons do not depend on who evaluates", test_batches_do_not_matter},
        {"games that are left in the middle are released", test_games_left_in_the_middle},
        {"a rule that fails ends self-play with its state", test_broken_rule},
        {"a network that gives no numbers ends self-play", test_network_that_is_lost},
        {"resolved states are learned with their exact values", test_resolved_states_are_exact},
        {"of each ply only some states are learned", test_caps},
        {"root and terminal targets are states of the game", test_root_and_terminal_targets},
        {"an end without a player to move is not learned", test_ends_without_player},
        {"a past network has a seat and teaches nothing", test_past_seat},
        {"small games end, and every round comes back", test_small_games},
        {"games end without completion", test_without_completion},
        {"games that are too long are given up", test_games_given_up},
        {"a search that is restarted is like a new one", test_restarted_search},
        {"every score is what its formula says", test_scores},
        {"every law of exploration has its frequencies", test_exploration},
        {"what is proven is played or left out", test_what_is_proven},
        {"random games are surveyed", test_survey},
    });
}
