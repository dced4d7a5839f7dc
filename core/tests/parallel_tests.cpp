// SPDX-License-Identifier: MIT
// Tests of several threads that search one graph without bounds, made for the thread sanitizer:
// random games against backward induction, limits, failing memory, broken rules, polls.
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <string>
#include <thread>

#include "search/gate.h"
#include "search/search.h"
#include "tests/checks.h"
#include "tests/native_game.h"
#include "tests/table_game.h"

using namespace unbounded;

namespace {

std::vector<Options> all_options(int players, int threads) {
    std::vector<ValueRule> rules = {ValueRule::resolved_completion,
                                    ValueRule::propagated_completion};
    if (players == 2) rules.push_back(ValueRule::minimax);
    std::vector<Options> all;
    for (const std::string& algorithm : algorithm_names())
        for (const ValueRule values : rules) {
            Options options;
            options.algorithm = algorithm;
            options.values = values;
            options.threads = threads;
            all.push_back(options);
        }
    return all;
}

// A search that hangs is to be a failure, not to hang the tests.
Limits patient(std::uint64_t memory = UINT64_MAX) {
    Limits limits;
    limits.seconds = 120;
    limits.memory = memory;
    return limits;
}

// No mark of a thread is left, every resolved state has its exact value, and the counts are right.
void check(const Search& search, const std::vector<Value>& exact) {
    const Graph& graph = search.graph();
    std::uint64_t expansions = 0, resolved_states = 0;
    for (NodeId id = 0; id < graph.size(); ++id) {
        const Node& node = graph.node(id);
        expansions += node.is(expanded);
        resolved_states += node.is(resolved);
        CHECK((node.flags & ~(expanded | terminal | resolved)) == 0);
        CHECK(graph.find(graph.state(id), graph.hash(graph.state(id))) == id);
        if (!node.is(resolved)) continue;
        const Value& value = exact[number(graph.state(id))];
        for (int p = 0; p < graph.width; ++p) {
            CHECK(node.completion(graph.width)[p] == value.first[p]);
            if (search.options().values != ValueRule::minimax || node.completion(1)[0] == 0)
                CHECK(node.values()[p] == value.second[p]);
        }
    }
    CHECK(resolved_states == search.resolved_states());
    if (search.compactions() == 0) CHECK(expansions == search.expansions());
}

// The edges of an expanded state are those of its rules, and no more visits than iterations.
void check_edges(const Search& search, const Table& table) {
    const Graph& graph = search.graph();
    for (NodeId id = 0; id < graph.size(); ++id) {
        const Node& node = graph.node(id);
        if (!node.is(expanded)) continue;
        std::vector<std::uint32_t> expected;
        for (const std::uint32_t next : table.states[number(graph.state(id))].successors)
            if (std::find(expected.begin(), expected.end(), next) == expected.end())
                expected.push_back(next);
        CHECK(node.edge_count == expected.size());
        for (int i = 0; i < node.edge_count; ++i) {
            const Edge& edge = graph.edges(node)[i];
            CHECK(number(graph.state(edge.child)) == expected[i]);
            CHECK(edge.visits <= search.iterations());
        }
    }
}

void check_random_games(int threads, int rounds, std::uint32_t most_states) {
    Random random(static_cast<std::uint64_t>(threads));
    for (int round = 0; round < rounds; ++round) {
        const Table table =
            random_table(random, 1 + static_cast<int>(random.below(4)), most_states);
        const std::vector<Value> exact = backward_induction(table);
        TableRules rules(table);
        TableEvaluator evaluator(table);
        for (Options options : all_options(table.players, threads)) {
            options.hash_bits = round % 3 == 0 ? 4 : 64;
            Search search(rules, evaluator, options);
            Limits limits = patient();
            const std::uint64_t step = round % 2 == 0 ? UINT64_MAX / 2 : 1 + random.below(50);
            Stop stop = Stop::iterations;
            while (stop == Stop::iterations) {
                limits.iterations = search.iterations() + step;
                stop = search.run(limits, {});
                CHECK(search.iterations() <= limits.iterations);
                CHECK(stop == Stop::resolved || search.iterations() == limits.iterations);
                check(search, exact);
                if (search.iterations() > 20 * table.states.size()) break;
            }
            CHECK(stop == Stop::resolved);
            check_edges(search, table);
        }
    }
}

void test_random_games_with_two_threads() { check_random_games(2, 150, 300); }
void test_random_games_with_four_threads() { check_random_games(4, 80, 600); }
void test_tiny_games() { check_random_games(4, 100, 10); }

// Where memory is short the graph is compacted again and again.
void test_memory_is_short() {
    Random random(21);
    std::uint64_t compactions = 0, full = 0;
    for (int round = 0; round < 60; ++round) {
        const Table table = random_table(random, 1 + static_cast<int>(random.below(3)), 900);
        const std::vector<Value> exact = backward_induction(table);
        TableRules rules(table);
        TableEvaluator evaluator(table);
        for (const Options& options : all_options(table.players, 3)) {
            Search search(rules, evaluator, options);
            const Stop stop = search.run(patient(6'000 + random.below(20'000)), {});
            CHECK(stop == Stop::resolved || stop == Stop::memory);
            check(search, exact);
            compactions += search.compactions();
            full += stop == Stop::memory;
            CHECK(search.run(patient(), {}) == Stop::resolved);
            check(search, exact);
        }
    }
    CHECK(compactions > 0 && full > 0);
}

// A thread that has made its last iteration does not keep others out of what is left to search.
void test_the_last_iterations() {
    Random random(8);
    for (int round = 0; round < 600; ++round) {
        const Table table = random_table(random, 2, 100);
        const std::vector<Value> exact = backward_induction(table);
        TableRules rules(table);
        TableEvaluator evaluator(table);
        for (const Options& options : all_options(2, 3)) {
            Search search(rules, evaluator, options);
            Limits limits = patient();
            Stop stop = Stop::iterations;
            while (stop == Stop::iterations && search.iterations() <= 20 * table.states.size()) {
                limits.iterations = search.iterations() + 1 + random.below(20);
                stop = search.run(limits, {});
                CHECK(stop == Stop::resolved || search.iterations() == limits.iterations);
            }
            CHECK(stop == Stop::resolved);
            check(search, exact);
        }
    }
}

// A thread alone is the only one, also where others paused in the middle of an iteration to be
// alone themselves.
void test_the_gate() {
    constexpr int threads = 3;
    Gate gate(threads);
    std::array<std::atomic<bool>, threads> at_work{};
    std::atomic<int> disturbed = 0, alone = 0, alone_inside = 0, together = 0;
    std::atomic<bool> one_is_alone = false;
    const auto be_alone = [&] {
        together += one_is_alone.exchange(true);
        one_is_alone = false;
    };
    const auto iterate = [&](int thread) {
        Random random(static_cast<std::uint64_t>(thread));
        for (int i = 0; i < 60'000; ++i) {
            if (random.below(8) == 0) {
                gate.alone(thread, [&] {
                    be_alone();
                    ++alone;
                    for (const std::atomic<bool>& other : at_work) disturbed += other;
                });
                continue;
            }
            const Gate::Inside inside(gate, thread);
            at_work[thread] = true;
            if (random.below(2) == 0)
                gate.alone_inside(thread, [&] {
                    be_alone();
                    ++alone_inside;
                });
            at_work[thread] = false;
        }
    };
    std::vector<std::thread> others;
    for (int thread = 1; thread < threads; ++thread) others.emplace_back(iterate, thread);
    iterate(0);
    for (std::thread& other : others) other.join();
    CHECK(disturbed == 0 && together == 0);
    CHECK(alone > 1000 && alone_inside > 1000);
}

struct Endless {
    explicit Endless(const Options& options)
        : rules(endless_rules()),
          evaluator(rules.state_bytes, endless_evaluate),
          search(rules, evaluator, options) {}

    NativeRules rules;
    NativeEvaluator evaluator;
    Search search;
};

// Of records, so that a thread adds one while others follow their lines.
const std::uint32_t more_than_a_chunk = 70'000;

// The game has no end. The table grows while other threads look states up in it.
void test_limits() {
    for (const int threads : {2, 4})
        for (const Options& options : all_options(2, threads)) {
            Endless endless(options);
            Search& search = endless.search;
            Limits limits = patient();
            const bool plain = threads == 2 && options.values == ValueRule::minimax;
            const std::uint32_t states = plain ? more_than_a_chunk : 5000;
            limits.states = states;
            CHECK(search.run(limits, {}) == Stop::states);
            CHECK(search.graph().size() >= states);
            CHECK(search.graph().size() < states + 16 * threads);
            limits = patient();
            limits.iterations = search.iterations() + 100;
            CHECK(search.run(limits, {}) == Stop::iterations);
            CHECK(search.iterations() == limits.iterations);
            limits = patient();
            limits.seconds = 0.02;
            CHECK(search.run(limits, {}) == Stop::seconds);
            limits = patient(search.graph().memory().total() + 10'000);
            CHECK(search.run(limits, {}) == Stop::memory);
            CHECK(search.graph().memory().total() <= limits.memory);
            int polls = 0;
            CHECK(search.run(patient(), [&] { return ++polls == 2; }) == Stop::interrupted);
            CHECK(polls == 2);
        }
}

// A poll may read the search while nobody changes it.
void test_a_poll_reads_the_search() {
    Options options;
    options.threads = 3;
    Endless endless(options);
    Search& search = endless.search;
    int polls = 0;
    std::uint64_t iterations = 0;
    const auto poll = [&] {
        search.undisturbed([&] {
            const Graph& graph = search.graph();
            std::uint64_t expansions = 0, bad = 0;
            for (NodeId id = 0; id < graph.size(); ++id) {
                const Node& node = graph.node(id);
                expansions += node.is(expanded);
                bad += node.is(busy) || node.is(locked);
                bad += graph.find(graph.state(id), graph.hash(graph.state(id))) != id;
                const Edge* const edges = graph.edges(node);
                for (int i = 0; i < node.edge_count; ++i) bad += edges[i].child >= graph.size();
            }
            CHECK(bad == 0 && expansions == search.expansions());
            CHECK(search.iterations() >= iterations);
            iterations = search.iterations();
            CHECK(search.snapshot() == search.snapshot());
        });
        return ++polls == 5;
    };
    CHECK(search.run(patient(), poll) == Stop::interrupted);
    CHECK(iterations > 0);
    search.undisturbed([&] { ++polls; });
    CHECK(polls == 6);
}

void test_a_poll_throws() {
    struct Enough {};
    Options options;
    options.threads = 3;
    Endless endless(options);
    bool thrown = false;
    try {
        endless.search.run(patient(), [&]() -> bool {
            endless.search.undisturbed([] { throw Enough(); });
            return false;
        });
    } catch (const Enough&) {
        thrown = true;
    }
    CHECK(thrown);
    Limits limits = patient();
    limits.iterations = endless.search.iterations() + 1000;
    CHECK(endless.search.run(limits, {}) == Stop::iterations);
}

// An evaluation that fails at one of its calls.
class FailingEvaluator final : public Evaluator {
  public:
    explicit FailingEvaluator(const Table& table) : inner_(table) {}
    void evaluate(State states, std::size_t count, float* out) override {
        inner_.evaluate(states, count, out);
        if (count > 0 && calls_left-- == 0) out[count - 1] = std::nanf("");
    }
    bool native() const override { return true; }

    std::atomic<int> calls_left = -1;

  private:
    TableEvaluator inner_;
};

// What fails is reported once, and the search goes on as if nothing had happened.
void test_an_evaluation_fails() {
    Random random(8);
    int reported = 0;
    for (int round = 0; round < 60; ++round) {
        const Table table = random_table(random, 2, 200);
        const std::vector<Value> exact = backward_induction(table);
        TableRules rules(table);
        FailingEvaluator evaluator(table);
        for (const Options& options : all_options(2, 3)) {
            Search search(rules, evaluator, options);
            evaluator.calls_left = static_cast<int>(random.below(10));
            try {
                search.run(patient(), {});
            } catch (const RuleFailure&) {
                ++reported;
            }
            evaluator.calls_left = -1;
            check(search, exact);
            CHECK(search.run(patient(), {}) == Stop::resolved);
            check(search, exact);
        }
    }
    CHECK(reported > 0);
}

// An evaluation that only one thread may use at a time. It fails at one of its calls.
class LonelyEvaluator final : public Evaluator {
  public:
    explicit LonelyEvaluator(const Table& table) : inner_(table) {}
    void evaluate(State states, std::size_t count, float* out) override {
        CHECK(!inside_.exchange(true));
        ++calls;
        asked += count;
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        inner_.evaluate(states, count, out);
        CHECK(inside_.exchange(false));
        if (calls_left-- == 0) throw std::runtime_error("no more");
    }
    bool native() const override { return true; }
    bool shareable() const override { return false; }
    bool gathers() const override { return true; }

    int calls = 0, calls_left = -1;
    std::size_t asked = 0;

  private:
    std::atomic<bool> inside_ = false;
    TableEvaluator inner_;
};

// What several threads wait for is evaluated in one call, and all of them are told if it fails.
void test_evaluations_are_gathered() {
    Random random(14);
    int failed = 0;
    double calls_of_one = 0, calls_of_six = 0;
    for (int round = 0; round < 12; ++round) {
        const Table table = random_table(random, 2, 300);
        const std::vector<Value> exact = backward_induction(table);
        TableRules rules(table);
        for (const int threads : {1, 6})
            for (const Options& options : all_options(2, threads)) {
                LonelyEvaluator evaluator(table);
                Search search(rules, evaluator, options);
                evaluator.calls_left = round % 2 == 0 ? static_cast<int>(random.below(5)) : -1;
                try {
                    search.run(patient(), {});
                } catch (const std::runtime_error&) {
                    ++failed;
                }
                check(search, exact);
                CHECK(search.run(patient(), {}) == Stop::resolved);
                check(search, exact);
                double& calls = threads == 1 ? calls_of_one : calls_of_six;
                calls += static_cast<double>(evaluator.calls) / (evaluator.asked + 1.0);
            }
    }
    CHECK(failed > 0);
    CHECK(calls_of_six < calls_of_one);
}

void test_a_cycle_is_reported() {
    Table table = countdown(10);
    table.states[7].successors = {2};
    TableRules rules(table);
    TableEvaluator evaluator(table);
    for (const Options& options : all_options(2, 2)) {
        Search search(rules, evaluator, options);
        bool reported = false;
        try {
            search.run(patient(), {});
        } catch (const RuleFailure&) {
            reported = true;
        }
        CHECK(reported);
    }
}

void test_long_lines() {
    const Table table = countdown(600);
    const std::vector<Value> exact = backward_induction(table);
    TableRules rules(table);
    TableEvaluator evaluator(table);
    for (const Options& options : all_options(2, 2)) {
        Search search(rules, evaluator, options);
        CHECK(search.run(patient(), {}) == Stop::resolved);
        check(search, exact);
    }
}

void test_what_does_not_fit_is_refused() {
    const Table table = countdown(10);
    TableRules rules(table);
    ZeroEvaluator evaluator(2);
    const auto refused = [&](const auto& change) {
        Options options;
        options.threads = 2;
        change(options);
        try {
            const Search search(rules, evaluator, options);
        } catch (const std::invalid_argument&) {
            return true;
        }
        return false;
    };
    CHECK(!refused([](Options&) {}));
    CHECK(refused([](Options& options) { options.completion = false; }));
    CHECK(refused([](Options& options) { options.back_up_on_expansion = false; }));
    CHECK(refused([](Options& options) { options.stop_at_draw = true; }));
    CHECK(refused([](Options& options) { options.leaves = 2; }));
    TableRules interpreted(table, false);
    Options options;
    options.threads = 2;
    bool thrown = false;
    try {
        const Search search(interpreted, evaluator, options);
    } catch (const std::invalid_argument&) {
        thrown = true;
    }
    CHECK(thrown);
}

}  // namespace

int main() {
    return run_tests({
        {"random games with two threads", test_random_games_with_two_threads},
        {"random games with four threads", test_random_games_with_four_threads},
        {"tiny games", test_tiny_games},
        {"the last iterations", test_the_last_iterations},
        {"memory is short", test_memory_is_short},
        {"the gate", test_the_gate},
        {"limits", test_limits},
        {"a poll reads the search", test_a_poll_reads_the_search},
        {"a poll throws", test_a_poll_throws},
        {"an evaluation fails", test_an_evaluation_fails},
        {"evaluations are gathered", test_evaluations_are_gathered},
        {"a cycle is reported", test_a_cycle_is_reported},
        {"long lines", test_long_lines},
        {"what does not fit is refused", test_what_does_not_fit_is_refused},
    });
}
