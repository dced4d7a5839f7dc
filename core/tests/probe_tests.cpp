// SPDX-License-Identifier: MIT
// Tests of the probes and of the table of what is proven: whatever they say contains the truth.
#include <cfloat>
#include <cstring>
#include <set>
#include <thread>

#include "probes/probe.h"
#include "probes/probe_race.h"
#include "probes/transposition_table.h"
#include "tests/checks.h"
#include "tests/probing.h"

using namespace unbounded;

namespace {

// -- the scale --------------------------------------------------------------------------------

void test_worths_are_ordered() {
    game = {};
    game.table = countdown(1);
    game.table.best_score = {100, unknown_best_score};
    const NativeRules rules = native_rules();
    const WorthScale scale(rules, true);
    const float scores[] = {-FLT_MAX, -2.5f, -1e-40f, -0.0f, 1e-40f, 0.3f, 100};
    Worth last = scale.all.lo;
    for (int outcome = -1; outcome <= 1; ++outcome)
        for (const float score : scores) {
            const Worth worth = scale.of(outcome, score);
            CHECK(worth > last);
            CHECK(scale.outcome(worth) == outcome && scale.score(worth) == score);
            last = worth;
        }
    CHECK(last == scale.all.hi && scale.outcome(last) == 1);
    CHECK(scale.outcome(scale.all.lo) == -1);
    CHECK(scale.of(0, -0.0f) == scale.of(0, 0.0f));
}

// -- the prober -------------------------------------------------------------------------------

void test_probes_with_any_budget() {
    Random random(11);
    for (int round = 0; round < 400; ++round) {
        game = random_game(random, 80);
        NativeEvaluator evaluator(game.state_bytes, native_evaluate);
        Probing probing(round % 2 == 0, round % 4 < 2 ? &evaluator : nullptr);
        for (const Bounds window : windows(probing.scale, probing.truth, random)) {
            const std::uint32_t s = open_state(random);
            for (const std::uint64_t budget : {1, 2, 3, 5, 10, 30, 100, 1'000'000}) {
                if (round % 8 >= 4) probing.table.clear();
                probing.check(s, window, budget);
            }
        }
        probing.check_table();
    }
}

void test_proof_numbers_with_any_budget() {
    Random random(21);
    for (int round = 0; round < 400; ++round) {
        game = random_game(random, 80);
        NativeEvaluator evaluator(game.state_bytes, native_evaluate);
        Probing probing(false, round % 4 < 2 ? &evaluator : nullptr);
        for (const Bounds window : {Bounds{-1, 1}, Bounds{-1, 0}, Bounds{0, 1}}) {
            const std::uint32_t s = open_state(random);
            for (const std::uint64_t budget : {1, 2, 3, 5, 10, 30, 100, 1'000'000}) {
                if (round % 8 >= 4) probing.table.clear();
                if (round % 2 == 0) probing.prober.forget_efforts();
                probing.check_proof(s, window, budget);
                if (round % 3 == 0) probing.check(open_state(random), window, budget);
            }
        }
        probing.check_table();
    }
}

void test_proof_numbers_give_up() {
    Random random(22);
    for (int round = 0; round < 20; ++round) {
        game = random_game(random, 200);
        Probing probing(false, nullptr);
        int looks = static_cast<int>(random.below(3));
        probing.prober.give_up = [&looks](std::uint64_t) { return looks-- == 0; };
        const auto answer = probing.prober.prove(state_of(0).data(), probing.scale.all, UINT64_MAX);
        CHECK(contains(answer.bounds, probing.truth.worth[0]));
        CHECK(!answer.finished || answer.bounds.exact());
        probing.check_table();
    }
}

// Both kinds are tried, and the one that settles more leaves for its nodes is used after that.
void test_the_better_kind_of_probe_is_preferred() {
    Random random(24);
    for (const ProbeKind better : {ProbeKind::alpha_beta, ProbeKind::proof_numbers}) {
        ProbeRace race;
        std::uint64_t probed = 0;
        int leaves[2] = {0, 0};
        CHECK(race.next(0).kind == ProbeKind::alpha_beta && !race.next(0).trial);
        for (int leaf = 0; leaf < 2000; ++leaf) {
            const ProbeRace::Plan plan = race.next(probed);
            CHECK(plan.trial || (plan.kind == race.preferred() && plan.most_nodes == UINT64_MAX));
            const std::uint64_t nodes = std::min<std::uint64_t>(10'000, plan.most_nodes);
            ++leaves[static_cast<int>(plan.kind)];
            race.take(plan, nodes, random.below(plan.kind == better ? 4 : 64) == 0);
            probed += nodes;
            if (leaf % 100 == 0) {  // as if it were saved and loaded
                const ProbeRace::Standing standing = race.standing();
                race = {};
                race.set(standing);
            }
        }
        CHECK(race.preferred() == better);
        CHECK(leaves[0] > 20 && leaves[1] > 20);
        const int other = 1 - static_cast<int>(better);
        CHECK(leaves[other] < 600);
    }
}

// As long as the kind that is used settles enough leaves, no other is tried.
void test_no_trial_where_probes_settle_leaves() {
    ProbeRace race;
    std::uint64_t probed = 0;
    for (int leaf = 0; leaf < 2000; ++leaf, probed += 10'000) {
        const ProbeRace::Plan plan = race.next(probed);
        CHECK(!plan.trial && plan.kind == ProbeKind::alpha_beta);
        race.take(plan, 10'000, leaf % 2 == 0);
    }
    int trials = 0;
    for (int leaf = 0; leaf < 10'000; ++leaf, probed += 10'000) {
        const ProbeRace::Plan plan = race.next(probed);
        trials += plan.trial ? 1 : 0;
        race.take(plan, 10'000, false);
    }
    CHECK(trials > 20);
}

// If the other kind seems to be better, it is tried for as long again before it is used.
void test_chance_does_not_change_the_kind_of_probe() {
    for (const bool again : {false, true}) {
        ProbeRace race;
        int trials[2] = {0, 0};
        ProbeRace::Plan plan;
        while ((plan = race.next(1 << 22)).trial) {
            const int tried = ++trials[static_cast<int>(plan.kind)];
            const bool lucky = plan.kind == ProbeKind::proof_numbers && tried <= 4;
            const bool other = !again && plan.kind == ProbeKind::alpha_beta && tried > 16;
            race.take(plan, plan.most_nodes, lucky || (other && tried <= 20));
        }
        CHECK(trials[0] == 32 && trials[1] == 32);
        CHECK(race.preferred() == (again ? ProbeKind::proof_numbers : ProbeKind::alpha_beta));
    }
}

// One thread works in a trial: with many of them it is no longer than the first one.
void test_a_trial_is_short_where_many_threads_wait() {
    const auto leaves_of_a_trial = [](std::uint64_t threads) {
        ProbeRace race;
        race.set({.next_trial = 1 << 28});
        int leaves = 0;
        for (;; ++leaves) {
            const ProbeRace::Plan plan = race.next(1 << 28, threads);
            if (!plan.trial) return std::pair(leaves, plan.most_nodes);
            CHECK(plan.most_nodes >= 1 << 15);
            race.take(plan, 1 << 15, false);
        }
    };
    CHECK(leaves_of_a_trial(64).first < leaves_of_a_trial(1).first / 32);
}

// -- probes that share their work -------------------------------------------------------------

// Threads probe the same state at the same time, one of them by proof numbers where only outcomes
// count: each answer is true, and settles what was asked.
void test_threads_share_a_probe() {
    Random random(31);
    for (int round = 0; round < 60; ++round) {
        game = random_game(random, round % 3 == 0 ? 2000 : 80);
        Probing probing(round % 2 == 0, nullptr);
        BeingSearched shared;
        const auto all = windows(probing.scale, probing.truth, random);
        for (int question = 0; question < 8; ++question) {
            const Bounds window = all[random.below(static_cast<std::uint32_t>(all.size()))];
            const std::uint32_t s = open_state(random);
            const std::vector<std::byte> state = state_of(s);
            std::vector<Prober::Answer> answers(2 + round % 3);
            const auto take_part = [&](Prober::Answer& answer) {
                Prober prober(probing.rules, nullptr, probing.table, probing.scale);
                prober.share(&shared, 0);
                const bool proves = round % 2 == 1 && &answer == answers.data();
                answer = proves ? prober.prove(state.data(), window, UINT64_MAX)
                                : prober.probe(state.data(), window, UINT64_MAX);
            };
            std::vector<std::thread> threads;
            for (Prober::Answer& answer : answers)
                threads.emplace_back(take_part, std::ref(answer));
            for (std::thread& thread : threads) thread.join();
            for (const Prober::Answer& answer : answers) {
                CHECK(contains(answer.bounds, probing.truth.worth[s]));
                CHECK(answer.finished && settles(answer.bounds, window));
            }
        }
        probing.check_table();
    }
}

// Marks decide about the order only, whatever they are.
void test_marks_do_not_change_answers() {
    Random random(32);
    for (int round = 0; round < 100; ++round) {
        game = random_game(random, 80);
        Probing probing(round % 2 == 0, nullptr);
        BeingSearched shared;
        probing.prober.share(&shared, 0);
        for (const Bounds window : windows(probing.scale, probing.truth, random)) {
            for (std::uint32_t s = 0; s < game.table.states.size(); ++s) {
                std::vector<std::uint64_t> words(probing.table.state_words);
                std::memcpy(words.data(), state_of(s).data(), probing.rules.state_bytes);
                if (random.below(2) == 0) shared.add(probing.table.hash(words.data()));
            }
            for (const std::uint64_t budget : {1, 5, 30, 1'000'000}) {
                if (round % 4 >= 2) probing.table.clear();
                probing.check(open_state(random), window, budget);
            }
        }
        probing.check_table();
    }
}

// A game that ends after `depth` moves, wherever they lead.
NativeGame tree(Random& random, std::uint32_t branching, int depth) {
    NativeGame made;
    std::uint32_t inner = 0;  // states whose game is not over
    for (int i = 0; i < depth; ++i) inner = inner * branching + 1;
    made.table.states.resize(inner * branching + 1);
    add_numbers(random, made.table, true, true);
    for (std::uint32_t s = 0; s < inner; ++s)
        for (std::uint32_t k = 1; k <= branching; ++k)
            made.table.states[s].successors.push_back(s * branching + k);
    made.table.best_score = {unknown_best_score, unknown_best_score};
    return made;
}

// What another thread has settled meanwhile is not searched to its end.
void test_a_probe_leaves_what_is_settled_elsewhere() {
    Random random(33);
    for (int round = 0; round < 10; ++round) {
        game = tree(random, 4, 8);
        Probing alone(true, nullptr), shared(true, nullptr);
        const std::vector<std::byte> state = state_of(0);
        const auto expected = alone.prober.probe(state.data(), alone.scale.all, UINT64_MAX);
        Prober other(shared.rules, nullptr, shared.table, shared.scale);
        BeingSearched being_searched;
        shared.prober.share(&being_searched, 0);
        shared.prober.give_up = [&](std::uint64_t) {
            other.probe(state.data(), shared.scale.all, UINT64_MAX);
            return false;
        };
        const auto answer = shared.prober.probe(state.data(), shared.scale.all, UINT64_MAX);
        CHECK(answer.finished && answer.bounds == expected.bounds);
        CHECK(shared.prober.nodes() < alone.prober.nodes() / 2);
        shared.check_table();
    }
}

void test_probes_give_up() {
    Random random(12);
    for (int round = 0; round < 20; ++round) {
        game = random_game(random, 200);
        Probing probing(round % 2 == 0, nullptr);
        int looks = static_cast<int>(random.below(3));
        probing.prober.give_up = [&looks](std::uint64_t) { return looks-- == 0; };
        const auto answer = probing.prober.probe(state_of(0).data(), probing.scale.all, UINT64_MAX);
        CHECK(contains(answer.bounds, probing.truth.worth[0]));
        CHECK(!answer.finished || answer.bounds.exact());
        probing.check_table();
    }
}

void test_probes_up_to_symmetry() {
    Random random(13);
    for (int round = 0; round < 100; ++round) {
        game = with_copies(random_game(random, 40), random, round % 2 == 0 ? 2 : 4);
        Probing probing(round % 3 == 0, nullptr);
        for (const std::uint64_t budget : {1, 10, 100, 1'000'000})
            probing.check(open_state(random), probing.scale.all, budget);
        probing.check_table();
    }
}

// A single state is bigger than what is first kept for all of them.
void test_probes_of_big_states() {
    Random random(14);
    game = random_game(random, 60);
    game.state_bytes = 9001;
    Probing probing(false, nullptr);
    probing.check(0, probing.scale.all, 1'000'000);
    probing.check_table();
}

void test_a_probe_of_a_long_line() {
    game = {};
    game.table = countdown(100'000);
    Probing probing(true, nullptr);
    probing.check(0, probing.scale.all, 1000);
    probing.check(0, probing.scale.all, 1'000'000);
}

// -- the table --------------------------------------------------------------------------------

using Words = std::vector<std::uint64_t>;

Words words_of(std::size_t count, std::uint64_t seed) {
    Words words(count);
    for (std::size_t i = 0; i < count; ++i) words[i] = i + 1 == count ? seed : seed % 3;
    return words;
}

// What is said of a state follows from its words, so that what is of another one shows.
TranspositionTable::Known said_of(const Words& words, bool narrow) {
    std::uint64_t hash = 0;
    for (const std::uint64_t word : words) hash = mix(hash, word);
    const auto action = static_cast<std::uint16_t>(hash);
    if (!narrow) return {{-static_cast<Worth>(hash >> 8), static_cast<Worth>(hash >> 9)}, action};
    const Worth lo = static_cast<Worth>(hash >> 16) % 3 - 1;
    return {{lo, std::min<Worth>(1, lo + (hash >> 24) % 2)}, action};
}

bool right(const TranspositionTable::Known& known, const Words& words, bool narrow) {
    const TranspositionTable::Known said = said_of(words, narrow);
    return known.bounds == said.bounds && known.action == said.action;
}

// How many of so many states are found; all that is found is right.
int found(const TranspositionTable& table, int count, bool narrow, std::uint64_t hash_mask) {
    int result = 0;
    for (int i = 0; i < count; ++i) {
        const Words words = words_of(table.state_words, i);
        TranspositionTable::Known known;
        if (!table.find(words.data(), table.hash(words.data()) & hash_mask, known)) continue;
        CHECK(right(known, words, narrow));
        ++result;
    }
    return result;
}

void fill(TranspositionTable& table, int count, bool narrow, std::uint64_t hash_mask) {
    for (int i = 0; i < count; ++i) {
        const Words words = words_of(table.state_words, i);
        table.store(words.data(), table.hash(words.data()) & hash_mask, said_of(words, narrow), i);
    }
}

void test_colliding_hashes() {
    for (const bool narrow : {false, true})
        for (const std::size_t bytes : {4, 8, 12, 17}) {
            TranspositionTable table(bytes, narrow);
            CHECK(table.state_words == (bytes + 7) / 8);
            CHECK(found(table, 100, narrow, 0) == 0);
            fill(table, 100, narrow, 0);
            CHECK(found(table, 100, narrow, 0) == 2);  // as many as a bucket holds
            fill(table, 1000, narrow, 7);
            CHECK(found(table, 1000, narrow, 7) == 16);
            table.clear();
            CHECK(found(table, 1000, narrow, 7) == 0);
        }
}

void test_what_was_cheap_is_forgotten_first() {
    TranspositionTable table(8, true);
    const std::uint64_t dear = 1, cheap = 2, other = 3;
    const TranspositionTable::Known known{{0, 1}, 5};
    TranspositionTable::Known read;
    table.store(&dear, 0, known, 1000);
    table.store(&cheap, 0, known, 10);
    table.store(&other, 0, known, 1);
    CHECK(table.find(&dear, 0, read) && !table.find(&cheap, 0, read));
    CHECK(table.find(&other, 0, read));
    table.store(&dear, 0, {{1, 1}, 6}, 0);  // a state has one entry
    CHECK((table.find(&dear, 0, read) && read.bounds == Bounds{1, 1} && read.action == 6));
    CHECK(table.find(&other, 0, read));
}

void test_what_is_read_in_is_found() {
    for (const bool narrow : {false, true}) {
        TranspositionTable table(12, narrow), other(12, narrow);
        fill(table, 1000, narrow, UINT64_MAX);
        std::vector<std::byte> entries;
        table.copy_out([&](const void* block, std::size_t bytes) {
            const auto* const first = static_cast<const std::byte*>(block);
            entries.insert(entries.end(), first, first + bytes);
        });
        std::size_t at = 0;
        CHECK(other.read_in(table.entries(), [&](void* block, std::size_t bytes) {
            std::memcpy(block, entries.data() + at, bytes);
            at += bytes;
        }));
        CHECK(found(table, 1000, narrow, UINT64_MAX) > 900);
        CHECK(found(other, 1000, narrow, UINT64_MAX) == found(table, 1000, narrow, UINT64_MAX));
    }
}

void test_growing_keeps_everything() {
    for (const bool narrow : {false, true})
        for (const std::size_t bytes : {4, 17}) {
            TranspositionTable table(bytes, narrow);
            fill(table, 5000, narrow, UINT64_MAX);
            const int before = found(table, 5000, narrow, UINT64_MAX);
            CHECK(before > 2000);
            CHECK(!table.grow(2 * table.bytes()));
            const std::uint64_t size = table.bytes();
            while (table.small_for(50'000)) CHECK(table.grow(UINT64_MAX));
            CHECK(table.bytes() == 16 * size);
            CHECK(found(table, 5000, narrow, UINT64_MAX) == before);
            fill(table, 5000, narrow, UINT64_MAX);
            CHECK(found(table, 5000, narrow, UINT64_MAX) > before);
        }
}

// A bounded number of entries at a time; the rest of the time it is the table that it was.
void test_growing_bit_by_bit() {
    for (const bool narrow : {false, true}) {
        TranspositionTable table(12, narrow);
        while (table.small_for(4 * TranspositionTable::moved_at_once - 1))
            CHECK(table.grow(UINT64_MAX));
        const int count = 40'000;
        fill(table, count, narrow, UINT64_MAX);
        const int before = found(table, count, narrow, UINT64_MAX);
        const std::uint64_t size = table.bytes(), entries = table.entries();
        CHECK(entries == 4 * TranspositionTable::moved_at_once);
        CHECK(!table.begin_to_grow(3 * size - 1) && table.bytes() == size);
        CHECK(table.begin_to_grow(3 * size) && table.bytes() == 3 * size);
        CHECK(table.move_some());
        CHECK(table.begin_to_grow(0) && table.move_some());  // it goes on with what has begun
        CHECK(table.entries() == entries);
        CHECK(found(table, count, narrow, UINT64_MAX) == before);
        CHECK(table.move_some() && !table.move_some() && !table.move_some());
        CHECK(table.entries() == entries);
        table.finish_growing();
        CHECK(table.entries() == 2 * entries && table.bytes() == 2 * size);
        CHECK(found(table, count, narrow, UINT64_MAX) == before);
        CHECK(table.begin_to_grow(UINT64_MAX) && table.move_some());
        table.clear();
        CHECK(table.bytes() == 2 * size && found(table, count, narrow, UINT64_MAX) == 0);
    }
}

// Stores and finds the same few states as the others do; the number of wrong answers.
int hammer(TranspositionTable& table, bool narrow, std::uint64_t seed) {
    Random random(seed);
    int wrong = 0;
    for (int i = 0; i < 30'000; ++i) {
        const Words words = words_of(table.state_words, random.below(40));
        const std::uint64_t hash = table.hash(words.data()) & 7;
        TranspositionTable::Known known;
        if (i % 2 == 0)
            table.store(words.data(), hash, said_of(words, narrow), random.below(100));
        else if (table.find(words.data(), hash, known))
            wrong += !right(known, words, narrow);
    }
    return wrong;
}

void test_threads_share_the_table() {
    for (const bool narrow : {false, true})
        for (const std::size_t bytes : {4, 17}) {
            TranspositionTable table(bytes, narrow);
            std::atomic<int> wrong = 0;
            std::vector<std::thread> threads;
            for (int i = 0; i < 4; ++i)
                threads.emplace_back([&, i] { wrong += hammer(table, narrow, i); });
            for (std::thread& thread : threads) thread.join();
            CHECK(wrong == 0);
            CHECK(found(table, 40, narrow, 7) > 0);
        }
}

}  // namespace

std::vector<Test> probe_tests() {
    return {
        {"worths are ordered", test_worths_are_ordered},
        {"colliding hashes", test_colliding_hashes},
        {"what was cheap is forgotten first", test_what_was_cheap_is_forgotten_first},
        {"what is read in is found", test_what_is_read_in_is_found},
        {"growing keeps everything", test_growing_keeps_everything},
        {"growing bit by bit", test_growing_bit_by_bit},
        {"threads share the table", test_threads_share_the_table},
        {"probes with any budget", test_probes_with_any_budget},
        {"probes give up", test_probes_give_up},
        {"proof numbers with any budget", test_proof_numbers_with_any_budget},
        {"proof numbers give up", test_proof_numbers_give_up},
        {"the better kind of probe is preferred", test_the_better_kind_of_probe_is_preferred},
        {"no trial where probes settle leaves", test_no_trial_where_probes_settle_leaves},
        {"chance does not change the kind", test_chance_does_not_change_the_kind_of_probe},
        {"a trial is short where many threads wait", test_a_trial_is_short_where_many_threads_wait},
        {"threads share a probe", test_threads_share_a_probe},
        {"marks do not change answers", test_marks_do_not_change_answers},
        {"a probe leaves what is settled elsewhere", test_a_probe_leaves_what_is_settled_elsewhere},
        {"probes up to symmetry", test_probes_up_to_symmetry},
        {"probes of big states", test_probes_of_big_states},
        {"a probe of a long line", test_a_probe_of_a_long_line},
    };
}
