// SPDX-License-Identifier: MIT
// Tests of the core without Python, so that they can run under the sanitizers: random games against
// backward induction, with colliding hashes, failing memory, broken rules and very long lines.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>

#include "graph/hashing.h"
#include "rules/perft.h"
#include "search/search.h"
#include "tests/checks.h"
#include "tests/table_game.h"

using namespace unbounded;

namespace {

const std::vector<std::string> algorithms = algorithm_names();

std::vector<ValueRule> rules_for(int players) {
    std::vector<ValueRule> rules = {ValueRule::resolved_completion,
                                    ValueRule::propagated_completion};
    if (players == 2) rules.push_back(ValueRule::minimax);
    return rules;
}

// Every resolved state has its exact value.
void check_resolved(const Search& search, const std::vector<Value>& exact) {
    const Graph& graph = search.graph();
    std::uint64_t expansions = 0;
    for (NodeId id = 0; id < graph.size(); ++id) {
        const Node& node = graph.node(id);
        expansions += node.is(expanded);
        CHECK(!node.is(on_path) && !node.is(has_edge) && !node.is(busy));
        if (!node.is(resolved)) continue;
        const Value& value = exact[number(graph.state(id))];
        for (int p = 0; p < graph.width; ++p) {
            CHECK(node.completion(graph.width)[p] == value.first[p]);
            if (search.options().values != ValueRule::minimax || node.completion(1)[0] == 0)
                CHECK(node.values()[p] == value.second[p]);
        }
    }
    CHECK(expansions == search.expansions());
}

void test_random_games() {
    Random random(1);
    for (int round = 0; round < 400; ++round) {
        const Table table = random_table(random, 1 + static_cast<int>(random.below(4)));
        const std::vector<Value> exact = backward_induction(table);
        TableRules rules(table);
        TableEvaluator evaluator(table);
        for (const std::string& algorithm : algorithms)
            for (const ValueRule values : rules_for(table.players)) {
                Options options;
                options.algorithm = algorithm;
                options.values = values;
                options.back_up_on_expansion = round % 2 == 0;
                options.hash_bits = round % 3 == 0 ? 4 : 64;
                Search search(rules, evaluator, options);
                Limits one_more;
                while (!search.graph().node(search.root()).is(resolved)) {
                    one_more.iterations = search.iterations() + 1;
                    const std::uint64_t before = search.expansions() + search.resolved_states();
                    search.run(one_more, {});
                    CHECK(search.expansions() + search.resolved_states() > before);
                    if (search.iterations() > 2 * table.states.size()) break;
                }
                CHECK(search.graph().node(search.root()).is(resolved));
                CHECK(search.iterations() <= 2 * table.states.size());
                check_resolved(search, exact);
            }
    }
}

// With several leaves for each evaluation nothing false is resolved, after any number of
// iterations, and no more of them are made than were asked for.
void test_several_leaves() {
    Random random(6);
    for (int round = 0; round < 200; ++round) {
        const Table table = random_table(random, 1 + static_cast<int>(random.below(4)));
        const std::vector<Value> exact = backward_induction(table);
        TableRules rules(table);
        TableEvaluator evaluator(table);
        for (const ValueRule values : rules_for(table.players))
            for (const int leaves : {2, 7, 64}) {
                Options options;
                options.values = values;
                options.leaves = leaves;
                options.hash_bits = round % 3 == 0 ? 4 : 64;
                Search search(rules, evaluator, options);
                Limits limits;
                const std::uint64_t step = 1 + random.below(10);
                Stop stop = Stop::iterations;
                while (stop == Stop::iterations && limits.iterations > 0) {
                    limits.iterations = search.iterations() + step;
                    stop = search.run(limits, {});
                    CHECK(search.iterations() <= limits.iterations);
                    CHECK(stop == Stop::resolved || search.iterations() == limits.iterations);
                    check_resolved(search, exact);
                    if (search.iterations() > 2 * table.states.size()) break;
                }
                CHECK(stop == Stop::resolved);
            }
    }
}

// An evaluation that fails at one of its calls.
class FailingEvaluator final : public Evaluator {
  public:
    explicit FailingEvaluator(const Table& table) : inner_(table) {}
    void evaluate(State states, std::size_t count, float* out) override {
        inner_.evaluate(states, count, out);
        if (calls_left-- == 0) out[count - 1] = std::nanf("");
    }
    bool native() const override { return true; }

    int calls_left = -1;

  private:
    TableEvaluator inner_;
};

// A batch that fails leaves the graph as it was before, and the search goes on as if undisturbed.
void test_a_failing_batch_is_undone() {
    Random random(8);
    for (int round = 0; round < 60; ++round) {
        const Table table = random_table(random, 2);
        TableRules rules(table);
        FailingEvaluator evaluator(table);
        Options options;
        options.leaves = 4;
        options.values = rules_for(2)[round % 3];
        Search undisturbed(rules, evaluator, options);
        undisturbed.run({}, {});
        for (int call = 0;; ++call) {
            Search search(rules, evaluator, options);
            evaluator.calls_left = call;
            bool failed = false;
            try {
                search.run({}, {});
            } catch (const RuleFailure& failure) {
                failed = failure.rule == "evaluate";
            }
            evaluator.calls_left = -1;
            check_resolved(search, backward_induction(table));
            CHECK(search.run({}, {}) == Stop::resolved);
            CHECK(search.snapshot() == undisturbed.snapshot());
            if (!failed) break;
        }
    }
}

void test_pausing_changes_nothing() {
    Random random(2);
    for (int round = 0; round < 50; ++round) {
        const Table table = random_table(random, 2);
        TableRules rules(table);
        TableEvaluator evaluator(table);
        for (const std::string& algorithm : algorithms) {
            Options options;
            options.algorithm = algorithm;
            Search whole(rules, evaluator, options);
            whole.run({}, {});
            Search pieces(rules, evaluator, options);
            Limits limits;
            for (limits.iterations = 0; limits.iterations < whole.iterations(); ++limits.iterations)
                pieces.run(limits, {});
            pieces.run({}, {});
            CHECK(whole.snapshot() == pieces.snapshot());
        }
    }
}

// -- failing memory ---------------------------------------------------------------------------

int allocations_left = -1;

void* failing_allocate(std::size_t bytes) {
    if (allocations_left == 0) return nullptr;
    if (allocations_left > 0) --allocations_left;
    return std::calloc(1, bytes);
}

// At whichever allocation the memory ends, the search stops in good order and can go on later.
void test_memory_ends_anywhere() {
    const MemorySource ordinary = memory_source;
    memory_source.allocate = failing_allocate;
    Random random(3);
    Table table = random_table(random, 2);
    while (table.states.size() < 60) table = random_table(random, 2);
    const std::vector<Value> exact = backward_induction(table);
    TableRules rules(table);
    TableEvaluator evaluator(table);
    for (const int leaves : {1, 6}) {
        Options options;
        options.leaves = leaves;
        for (int k = 0;; ++k) {
            allocations_left = k;
            try {
                Search search(rules, evaluator, options);
                const Stop stop = search.run({}, {});
                const bool failed = allocations_left == 0 && stop == Stop::memory;
                CHECK(stop == Stop::resolved || failed);
                check_resolved(search, exact);
                allocations_left = -1;
                CHECK(search.run({}, {}) == Stop::resolved);
                check_resolved(search, exact);
                if (!failed) break;
            } catch (const std::bad_alloc&) {
                CHECK(allocations_left == 0);
            }
            CHECK(k < 100);
            if (k >= 100) break;
        }
        allocations_left = -1;
    }
    memory_source = ordinary;
}

// -- long lines, cycles, bad numbers ----------------------------------------------------------

void test_a_million_plies() {
    const Table table = countdown(1'000'000);
    TableRules rules(table);
    TableEvaluator evaluator(table);
    for (const ValueRule values : rules_for(2)) {
        Options options;
        options.algorithm = "descent";
        options.values = values;
        Search search(rules, evaluator, options);
        CHECK(search.run({}, {}) == Stop::resolved);
        CHECK(search.iterations() == 1);
        CHECK(search.path().size() == 1'000'000);  // the last inner state is resolved at once
    }
}

void test_a_cycle_is_reported() {
    Table table = countdown(3);
    table.states[2].successors = {1};
    TableRules rules(table);
    TableEvaluator evaluator(table);
    for (const std::string& algorithm : algorithms) {
        Options options;
        options.algorithm = algorithm;
        Search search(rules, evaluator, options);
        bool reported = false;
        try {
            search.run({}, {});
        } catch (const RuleFailure& failure) {
            reported = failure.states.size() == 2;
        }
        CHECK(reported);
        for (NodeId id = 0; id < search.graph().size(); ++id)
            CHECK(!search.graph().node(id).is(on_path));
    }
}

void test_bad_numbers_are_reported() {
    Table table = countdown(5);
    table.states[3].evaluation = {0, std::nanf("")};
    TableRules rules(table);
    TableEvaluator evaluator(table);
    Search search(rules, evaluator, {});
    std::string rule;
    try {
        search.run({}, {});
    } catch (const RuleFailure& failure) {
        rule = failure.rule;
        CHECK(number(failure.state.data()) == 3);
    }
    CHECK(rule == "evaluate");
    CHECK(search.graph().size() == 3);  // 0, 1, 2: the children of 2 were not added

    Table above = countdown(2);
    above.best_score = {0.5f, 1};
    TableRules above_rules(above);
    TableEvaluator above_evaluator(above);
    Search above_search(above_rules, above_evaluator, {});
    rule.clear();
    try {
        above_search.run({}, {});
    } catch (const RuleFailure& failure) {
        rule = failure.rule;
    }
    CHECK(rule == "score");
}

// -- budgets ----------------------------------------------------------------------------------

// A game without an end in sight: pairs of numbers that grow.
class GridRules final : public Rules {
  public:
    GridRules() : Rules(2, 8, 2, {1, 1}) {}
    void initial(std::byte* out) const override { std::memset(out, 0, 8); }
    void expand(State state, Expansion& out) const override {
        out.count = 2;
        out.reserve(2);
        for (int i = 0; i < 2; ++i) {
            std::uint32_t next[2];
            std::memcpy(next, state, 8);
            ++next[i];
            std::memcpy(out.state(i), next, 8);
            out.actions[i] = i;
            out.action_counts[i] = 2;
            out.players[i] = 0;
        }
    }
    void describe(State, Description& out) const override {
        out.action_count = 2;
        out.terminal = false;
        out.player = 0;
    }
    float best_score_from(State, int) const override { return 1; }
    bool native() const override { return true; }
};

void test_budgets() {
    GridRules rules;
    ZeroEvaluator evaluator(2);
    for (const std::string& algorithm : algorithms) {
        Options options;
        options.algorithm = algorithm;
        Search search(rules, evaluator, options);
        Limits limits;
        limits.memory = 3'000'000;
        CHECK(search.run(limits, {}) == Stop::memory);
        CHECK(search.graph().memory().total() <= limits.memory);
        CHECK(search.graph().memory().total() > limits.memory / 3);
        CHECK(search.run(limits, {}) == Stop::memory);

        Search timed(rules, evaluator, options);
        limits = {};
        limits.seconds = 0.05;
        CHECK(timed.run(limits, {}) == Stop::seconds);
        int polls = 0;
        CHECK(timed.run({}, [&polls] { return ++polls == 3; }) == Stop::interrupted);
        CHECK(polls == 3);
    }
    for (const int leaves : {1, 3, 100}) {
        Options options;
        options.leaves = leaves;
        Search search(rules, evaluator, options);
        Limits limits;
        limits.states = 1000;
        CHECK(search.run(limits, {}) == Stop::states);
        CHECK(search.graph().size() >= 1000 && search.graph().size() <= 1002);
        limits = {};
        limits.iterations = search.iterations() + 7;
        CHECK(search.run(limits, {}) == Stop::iterations);
        CHECK(search.iterations() == limits.iterations);
        limits = {};
        limits.memory = 300'000;
        CHECK(search.run(limits, {}) == Stop::memory);
        CHECK(search.graph().memory().total() <= limits.memory);
        int polls = 0;
        CHECK(search.run({}, [&polls] { return ++polls == 3; }) == Stop::interrupted);
        CHECK(polls == 3);
    }
}

// Also on the way to memory: when time is up, nothing has been removed.
void test_a_compaction_ends_when_time_is_up() {
    Random random(11);
    const Table table = random_table(random, 2);
    TableRules rules(table);
    ZeroEvaluator evaluator(2);
    SearchGraph searched(rules, evaluator, {});
    Walk walk(searched);
    BestFirstSearch loop(walk, algorithm_named("ubfm"));
    CHECK(loop.run({}, {}) == Stop::resolved);
    const std::vector<std::byte> before = snapshot(searched);
    const Poll nobody;
    const Watch expired(0, nobody), patient(1e9, nobody);
    CHECK(compact(searched, &expired) == Compaction::out_of_time);
    CHECK(snapshot(searched) == before);
    CHECK(compact(searched, &patient) == Compaction::freed);
    CHECK(snapshot(searched) != before);
}

void test_leaves_that_do_not_fit_are_refused() {
    GridRules rules;
    ZeroEvaluator evaluator(2);
    const auto refused = [&](const Options& options) {
        try {
            Search search(rules, evaluator, options);
        } catch (const std::invalid_argument&) {
            return true;
        }
        return false;
    };
    Options options;
    options.leaves = 2;
    CHECK(!refused(options));
    options.bounds = true;
    CHECK(refused(options));
    options.bounds = false;
    options.algorithm = "descent";
    CHECK(refused(options));
    options.leaves = 0;  // as the evaluator wishes, where that is possible
    CHECK(!refused(options));
    options.leaves = 1025;
    CHECK(refused(options));
}

void test_records_do_not_move() {
    Records records(12);
    std::map<std::uint64_t, std::byte*> places;
    for (std::uint64_t i = 0; i < 5000; ++i) {
        CHECK(records.reserve(1));
        const std::uint64_t index = records.append(1);
        places[index] = records[index];
        std::memset(records[index], static_cast<int>(i % 251), 12);
    }
    for (const auto& [index, place] : places) {
        CHECK(records[index] == place);
        CHECK(static_cast<std::uint64_t>(place[11]) == index % 251);
    }
}

// States that are numbers; every one added before is found again, also while the table grows.
struct Numbers {
    Graph graph{8, 1, 64, Bounding::none};
    static std::uint64_t state_of(std::uint64_t number) { return number * 0x9e3779b97f4a7c15u; }
    NodeId find(std::uint64_t number) const {
        const std::uint64_t state = state_of(number);
        const auto* const bytes = reinterpret_cast<const std::byte*>(&state);
        return graph.find(bytes, graph.hash(bytes));
    }
    bool add(std::uint64_t number, std::uint64_t memory) {
        const std::uint64_t state = state_of(number);
        const auto* const bytes = reinterpret_cast<const std::byte*>(&state);
        if (!graph.reserve(1, 0, memory)) return false;
        const auto [id, added] = graph.find_or_add(bytes, graph.hash(bytes));
        CHECK(added && id == number);
        return true;
    }
    void check_some(std::uint64_t size) const {
        for (std::uint64_t number = 0; number < size; number += 1 + size / 97)
            CHECK(find(number) == number);
        CHECK(find(size) == no_node && find(size + 12345) == no_node);
    }
};

void test_a_table_that_grows_keeps_everything() {
    Numbers numbers;
    std::uint64_t most_jump = 0, memory = 0;
    for (std::uint64_t number = 0; number < 1'600'000; ++number) {
        CHECK(numbers.add(number, UINT64_MAX));
        if (number % 8191 == 0) numbers.check_some(number + 1);
        const std::uint64_t state = Numbers::state_of(number / 2);
        const auto* const bytes = reinterpret_cast<const std::byte*>(&state);
        if (number % 7 == 0) {
            CHECK(numbers.graph.find_or_add(bytes, numbers.graph.hash(bytes)) ==
                  std::pair(static_cast<NodeId>(number / 2), false));
        }
        const std::uint64_t now = numbers.graph.memory().total();
        most_jump = std::max(most_jump, now > memory ? now - memory : 0);
        memory = now;
    }
    for (std::uint64_t number = 0; number < 1'600'000; ++number)
        CHECK(numbers.find(number) == number);
    CHECK(most_jump >= (std::uint64_t{1} << 22) * 8);  // it was there before it was needed
}

void test_a_table_grows_within_its_memory() {
    for (const std::uint64_t limit : {std::uint64_t{20} << 20, std::uint64_t{41} << 20,
                                      std::uint64_t{57} << 20, std::uint64_t{90} << 20}) {
        Numbers numbers;
        std::uint64_t number = 0;
        for (; number < 3'000'000 && numbers.add(number, limit); ++number)
            CHECK(numbers.graph.memory().total() <= limit + (std::uint64_t{1} << 20));
        CHECK(number < 3'000'000);
        numbers.check_some(number);
        // What is refused changes nothing: with more memory it goes on.
        for (const std::uint64_t end = number + 100'000; number < end; ++number)
            CHECK(numbers.add(number, UINT64_MAX));
        numbers.check_some(number);
    }
}

void test_perft() {
    const Table table = countdown(4);
    TableRules rules(table);
    for (int depth = 0; depth <= 4; ++depth) CHECK(perft(rules, depth) == 1);
    CHECK(perft(rules, 5) == 0);
    GridRules grid;
    CHECK(perft(grid, 10) == 1024);
}

void test_playouts_depend_on_state_and_seed_alone() {
    Random random(5);
    const Table table = random_table(random, 3);
    TableRules rules(table);
    PlayoutEvaluator a(rules, 8, 1), b(rules, 8, 1), c(rules, 8, 2);
    std::byte states[12];
    const std::uint32_t numbers[3] = {0, 1, 0};
    std::memcpy(states, numbers, 12);
    float once[9], again[9], other[9];
    a.evaluate(states, 3, once);
    b.evaluate(states + 4, 1, again + 3);
    b.evaluate(states, 1, again);
    c.evaluate(states, 3, other);
    CHECK(std::equal(once, once + 6, again));
    CHECK(std::equal(once, once + 3, once + 6));
    CHECK(!std::equal(once, once + 3, other));
}

}  // namespace

int main() {
    return run_tests({
        {"records do not move", test_records_do_not_move},
        {"a table that grows keeps everything", test_a_table_that_grows_keeps_everything},
        {"a table grows within its memory", test_a_table_grows_within_its_memory},
        {"perft", test_perft},
        {"playouts depend on state and seed alone", test_playouts_depend_on_state_and_seed_alone},
        {"random games", test_random_games},
        {"a compaction ends when time is up", test_a_compaction_ends_when_time_is_up},
        {"several leaves", test_several_leaves},
        {"a failing batch is undone", test_a_failing_batch_is_undone},
        {"leaves that do not fit are refused", test_leaves_that_do_not_fit_are_refused},
        {"pausing changes nothing", test_pausing_changes_nothing},
        {"memory ends anywhere", test_memory_ends_anywhere},
        {"a million plies", test_a_million_plies},
        {"a cycle is reported", test_a_cycle_is_reported},
        {"bad numbers are reported", test_bad_numbers_are_reported},
        {"budgets", test_budgets},
    });
}
