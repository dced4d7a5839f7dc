// SPDX-License-Identifier: MIT
// Tests of endgames: whatever part of them is in the table, probes answer what is true.
#include <cstring>
#include <thread>

#include "probes/endgames.h"
#include "tests/checks.h"
#include "tests/probing.h"

using namespace unbounded;

namespace {

constexpr std::uint64_t everything = UINT64_MAX;

// A game in which scores are integers and the higher one wins, as endgames need it.
NativeGame whole_game(Random& random, int most_states) {
    NativeGame made = random_game(random, most_states);
    for (TableState& state : made.table.states) {
        const int score = static_cast<int>(random.below(9)) - 4;
        const int outcome = (score > 0) - (score < 0);
        state.outcome = {static_cast<std::int8_t>(outcome), static_cast<std::int8_t>(-outcome)};
        state.score = {static_cast<float>(score), static_cast<float>(-score)};
    }
    made.has_score = true;
    made.table.best_score = {4, 4};
    return made;
}

// A few sizes, up to the number of states.
std::vector<std::int32_t> some_sizes(Random& random) {
    std::vector<std::int32_t> sizes;
    const auto count = static_cast<std::int32_t>(game.table.states.size());
    for (std::int32_t size = 0; size < count;) {
        size += 1 + static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(count)));
        sizes.push_back(std::min(size, count));
    }
    return sizes;
}

void check_gains(EndgameTable& table, const Truth& truth) {
    const auto count = static_cast<std::int32_t>(game.table.states.size());
    for (std::int32_t number = 0; table.covers(number); ++number) {
        const auto at = static_cast<std::uint32_t>(count - 1 - number);
        const int gain = table.gain(number);
        if (gain == EndgameTable::unknown) continue;
        const float score = WorthScale::score_of(truth.worth[at]);
        const int lead = static_cast<int>(at % 5) - 2;
        CHECK(static_cast<float>(lead + gain) ==
              (game.table.states[at].player == 0 ? score : -score));
    }
}

void test_a_table_grows_by_its_sizes() {
    EndgameTable table({1, 10, 100, 1000});
    CHECK(!table.covers(0) && !table.covers(-1) && table.bytes() == 0);
    table.grow(1000, everything);  // too few to begin with
    CHECK(!table.covers(0));
    table.grow(everything, 99);
    CHECK(table.covers(9) && !table.covers(10) && !table.covers(-1) && table.bytes() == 10);
    table.grow(everything, 5);  // never smaller again
    CHECK(table.covers(9));
    CHECK(table.gain(9) == EndgameTable::unknown);
    table.store(9, -EndgameTable::most_gain);
    table.store(8, EndgameTable::most_gain);
    table.grow(everything, everything);
    CHECK(table.covers(999) && !table.covers(1000));
    CHECK(table.gain(9) == -EndgameTable::most_gain && table.gain(8) == EndgameTable::most_gain);
}

void test_without_memory_it_stays_empty() {
    const MemorySource before = memory_source;
    memory_source.allocate = [](std::size_t) -> void* { return nullptr; };
    EndgameTable table({10});
    table.grow(everything, everything);
    CHECK(!table.covers(0));
    memory_source = before;
    table.grow(everything, everything);
    CHECK(table.covers(9));
}

// With a part of the states numbered, or all; with tables of what is proven that are empty or not.
void test_probes_with_endgames() {
    Random random(41);
    for (int round = 0; round < 400; ++round) {
        game = whole_game(random, 80);
        const bool exact_score = round % 2 == 0;
        NativeEvaluator evaluator(game.state_bytes, native_evaluate);
        Probing probing(exact_score, round % 4 < 2 ? &evaluator : nullptr, some_sizes(random));
        EndgameTable endgames(probing.rules.endgame_sizes());
        probing.prober.use(endgames);
        for (const Bounds window : windows(probing.scale, probing.truth, random)) {
            const std::uint32_t s = open_state(random);
            for (const std::uint64_t budget : {1, 3, 10, 1'000'000}) {
                if (random.below(4) == 0) endgames.grow(everything, random.below(100));
                if (round % 8 >= 4) probing.table.clear();
                probing.check(s, window, budget);
                if (!exact_score) probing.check_proof(s, window, budget);
            }
        }
        endgames.grow(everything, everything);
        probing.check(open_state(random), probing.scale.all, 1'000'000);
        probing.check_table();
        check_gains(endgames, Truth(WorthScale(probing.rules, true)));
    }
}

// What was found before it gave up stays, and is true.
void test_endgames_give_up() {
    Random random(42);
    int given_up = 0;
    for (int round = 0; round < 40; ++round) {
        game = whole_game(random, 3000);
        Probing probing(round % 2 == 0, nullptr,
                        {static_cast<std::int32_t>(game.table.states.size())});
        EndgameTable endgames(probing.rules.endgame_sizes());
        endgames.grow(everything, everything);
        probing.prober.use(endgames);
        probing.prober.give_up = [&given_up](std::uint64_t made) {
            CHECK(made >= 1024);
            return ++given_up > 0;
        };
        const auto answer = probing.prober.probe(state_of(0).data(), probing.scale.all, UINT64_MAX);
        CHECK(contains(answer.bounds, probing.truth.worth[0]));
        CHECK(!answer.finished || answer.bounds.exact());
        probing.check_table();
        check_gains(endgames, Truth(WorthScale(probing.rules, true)));
        probing.prober.give_up = nullptr;
        probing.check(0, probing.scale.all, UINT64_MAX);
    }
    CHECK(given_up > 10);
}

void test_threads_share_endgames() {
    Random random(43);
    for (int round = 0; round < 30; ++round) {
        game = whole_game(random, 2000);
        Probing probing(round % 2 == 0, nullptr, some_sizes(random));
        EndgameTable endgames(probing.rules.endgame_sizes());
        endgames.grow(everything, 20);
        BeingSearched shared;
        const std::vector<std::byte> state = state_of(open_state(random));
        std::vector<Prober::Answer> answers(3);
        const auto take_part = [&](Prober::Answer& answer) {
            Prober prober(probing.rules, nullptr, probing.table, probing.scale);
            prober.share(&shared, 0);
            prober.use(endgames);
            answer = prober.probe(state.data(), probing.scale.all, UINT64_MAX);
        };
        std::vector<std::thread> threads;
        for (Prober::Answer& answer : answers) threads.emplace_back(take_part, std::ref(answer));
        endgames.grow(everything, everything);
        for (std::thread& thread : threads) thread.join();
        for (const Prober::Answer& answer : answers) {
            CHECK(contains(answer.bounds, probing.truth.worth[number_of(state.data())]));
            CHECK(answer.finished && answer.bounds.exact());
        }
        probing.check_table();
        check_gains(endgames, Truth(WorthScale(probing.rules, true)));
    }
}

template <class Change>
void check_refused(const char* says, const Change& change) {
    Random random(44);
    game = whole_game(random, 60);
    change();
    Probing probing(false, nullptr, {static_cast<std::int32_t>(game.table.states.size())});
    EndgameTable endgames(probing.rules.endgame_sizes());
    endgames.grow(everything, everything);
    probing.prober.use(endgames);
    bool refused = false;
    try {
        probing.prober.probe(state_of(0).data(), probing.scale.all, UINT64_MAX);
    } catch (const RuleFailure& failure) {
        refused = true;
        CHECK(failure.rule == "endgame");
        CHECK(std::strstr(failure.what(), says) != nullptr);
    }
    CHECK(refused);
}

void set_scores(int outcome, float score) {
    for (TableState& state : game.table.states) {
        state.outcome = {static_cast<std::int8_t>(outcome), static_cast<std::int8_t>(-outcome)};
        state.score = {score, -score};
    }
    game.table.best_score = {unknown_best_score, unknown_best_score};
}

void test_what_endgames_refuse() {
    check_refused("the higher score wins", [] { set_scores(-1, 3); });
    check_refused("the higher score wins", [] { set_scores(1, 0.5f); });
    check_refused("at most 127 points", [] { set_scores(1, 131); });
    check_refused("raised an exception", [] {
        game.broken_rule = "endgame";
        game.broken_state = game.table.states[0].successors[0];
        for (const std::uint32_t next : game.table.states[0].successors)
            if (!game.table.states[next].successors.empty()) game.broken_state = next;
    });
}

}  // namespace

std::vector<Test> endgame_tests() {
    return {
        {"a table of endgames grows by its sizes", test_a_table_grows_by_its_sizes},
        {"without memory it stays empty", test_without_memory_it_stays_empty},
        {"probes with endgames", test_probes_with_endgames},
        {"endgames give up", test_endgames_give_up},
        {"threads share endgames", test_threads_share_endgames},
        {"what endgames refuse", test_what_endgames_refuse},
    };
}
