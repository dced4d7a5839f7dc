// SPDX-License-Identifier: MIT
// Tests of the search for proofs, made for the sanitizers: bounds, probes, threads and exact scores
// on random games against backward induction, and with failing memory, limits and broken rules.
#include <cfloat>
#include <chrono>
#include <set>
#include <thread>

#include "search/search.h"
#include "solver/solver.h"
#include "tests/checks.h"
#include "tests/native_game.h"

using namespace unbounded;

std::vector<Test> probe_tests();    // probe_tests.cpp
std::vector<Test> endgame_tests();  // endgame_tests.cpp

namespace {

// -- a search against brute force -----------------------------------------------------------------

Options with_bounds(const std::string& algorithm, bool probes, bool exact_score, int threads) {
    Options options;
    options.algorithm = algorithm;
    options.bounds = true;
    options.probes = probes;
    options.exact_score = exact_score;
    options.threads = threads;
    return options;
}

// Every combination of what bounds can be had with, at so many threads. On little games most probes
// would succeed, so they may be kept from it.
std::vector<Options> all_options(int threads, std::uint64_t probe_nodes = 0) {
    std::vector<Options> all;
    for (const std::string& algorithm : algorithm_names())
        for (const bool probes : {false, true})
            for (const bool exact_score : {false, true})
                all.push_back(with_bounds(algorithm, probes, exact_score, threads));
    for (Options& options : all) options.probe_nodes = probe_nodes;
    return all;
}

// A search that hangs is to be a failure, not to hang the tests.
Limits patient(std::uint64_t memory) {
    Limits limits;
    limits.seconds = 120;
    limits.memory = memory;
    return limits;
}

// What the states of the global game are worth to the first player, by brute force.
std::vector<std::pair<int, float>> exact;

void set_game(NativeGame made) {
    game = std::move(made);
    exact.clear();
    for (const Value& value : backward_induction(game.table))
        exact.emplace_back(value.first[0], value.second[0]);
}

NativeGame long_line(int length) {
    NativeGame made;
    made.table = countdown(length);
    return made;
}

// A search of the global game. Unless it is given more, it has so
// little memory that the table of the probes stays small.
struct Solved {
    explicit Solved(const Options& options, std::uint64_t memory = 1 << 19)
        : limits(patient(memory)),
          rules(native_rules()),
          evaluator(game.state_bytes, native_evaluate),
          scale(rules, options.exact_score),
          search(rules, evaluator, options) {}

    Worth worth(std::uint32_t number) const {
        return scale.of(exact[number].first, exact[number].second);
    }
    std::uint32_t number(NodeId id) const { return number_of(search.graph().state(id)); }
    Stop run() { return search.run(limits, {}); }

    bool is_resolved() const { return search.graph().node(search.root()).is(resolved); }

    void check();
    void check_node(NodeId id) const;
    void check_edges(NodeId id);
    void check_line();

    const Limits limits;
    NativeRules rules;
    NativeEvaluator evaluator;
    WorthScale scale;
    Search search;
};

void Solved::check() {
    const Graph& graph = search.graph();
    std::uint64_t resolved_states = 0;
    for (NodeId id = 0; id < graph.size(); ++id) {
        check_node(id);
        check_edges(id);
        resolved_states += graph.node(id).is(resolved);
    }
    CHECK(search.resolved_states() == resolved_states);
}

// The bounds contain the truth, and the node's other numbers follow from the bounds.
void Solved::check_node(NodeId id) const {
    const Node& node = search.graph().node(id);
    const TableState& row = game.table.states[number(id)];
    const Bounds bounds = search.graph().bounds(node);
    const Bounds outcomes = search.outcome_bounds(id);
    CHECK(bounds.lo <= worth(number(id)) && worth(number(id)) <= bounds.hi);
    CHECK(scale.all.lo <= bounds.lo && bounds.hi <= scale.all.hi);
    CHECK(node.is(resolved) == bounds.exact());
    CHECK(node.is(terminal) == row.successors.empty());
    CHECK(node.is(terminal) || node.player == row.player);
    CHECK(!node.is(busy) && !node.is(on_path) && !node.is(has_edge));
    CHECK(node.completion(1)[0] == (outcomes.exact() ? outcomes.lo : 0));
    CHECK(node.tentative(1)[0] == node.completion(1)[0]);
    if (!node.is(resolved)) return;
    const auto [outcome, score] = exact[number(id)];
    CHECK((outcomes == Bounds{outcome, outcome}));
    const bool has_score = search.options().exact_score || node.is(terminal);
    CHECK(node.values()[0] == (has_score ? score : static_cast<float>(outcome)));
}

void Solved::check_edges(NodeId id) {
    const Graph& graph = search.graph();
    const Node& node = graph.node(id);
    if (!node.is(expanded)) return;
    // Where memory was short, a resolved state has kept the child that proves it, and no other.
    if (search.compactions() > 0 && node.is(resolved) && node.edge_count == 1) return;
    // One for each different successor, in the order of the actions.
    std::vector<NodeId> successors;
    std::vector<std::byte> state(game.state_bytes);
    for (const std::uint32_t next : game.table.states[number(id)].successors) {
        write_state(next, state.data());
        rules.canonicalize(state.data());
        const NodeId child = graph.find(state.data(), graph.hash(state.data()));
        if (std::find(successors.begin(), successors.end(), child) == successors.end())
            successors.push_back(child);
    }
    CHECK(successors.size() == node.edge_count);
    for (int i = 0; i < node.edge_count; ++i) CHECK(graph.edges(node)[i].child == successors[i]);
}

// From a resolved root the best children lead to an end that is worth the same.
void Solved::check_line() {
    const Graph& graph = search.graph();
    CHECK(search.prove_line(limits, {}) == LineProof::complete);
    NodeId id = search.root();
    const Worth root = worth(number(id));
    while (!graph.node(id).is(terminal)) {
        const int position = search.best_child(id);
        CHECK(position >= 0);
        if (position < 0) return;
        id = graph.edges(graph.node(id))[position].child;
        CHECK(worth(number(id)) == root);
    }
    const TableState& end = game.table.states[number(id)];
    CHECK(scale.of(end.outcome[0], end.score[0]) == root);
}

// Each iteration expands a state or narrows bounds, and bounds are narrowed only so many times.
void check_iterations(const Solved& solved) {
    std::set<Worth> worths{solved.scale.all.lo, solved.scale.all.hi};
    for (std::uint32_t s = 0; s < game.table.states.size(); ++s) worths.insert(solved.worth(s));
    CHECK(solved.search.iterations() <= game.table.states.size() * (worths.size() + 1));
}

void solve_and_check(const Options& options, std::uint64_t memory) {
    Solved solved(options, memory);
    CHECK(solved.run() == Stop::resolved);
    if (!options.probes && options.threads == 1) check_iterations(solved);
    solved.check_line();
    solved.check();  // bounds only become narrower: what was wrong before the line still is
}

#ifdef __SANITIZE_THREAD__
const bool looks_for_races = true;
#else
const bool looks_for_races = false;
#endif
const int many = 2000, few = 100;
const std::uint64_t nodes_of_probes[] = {0, 1, 3, 20, 100};

// All options on every game; with threads, which take longer to start than such a game to solve,
// the options take turns.
void solve_random_games(std::uint64_t seed, int threads) {
    Random random(seed);
    const int games = threads == 1 && looks_for_races ? few : many;  // one thread has no races
    for (int i = 0; i < games; ++i) {
        set_game(random_game(random, 200));
        const std::vector<Options> all = all_options(threads, nodes_of_probes[i % 5]);
        for (std::size_t k = 0; k < all.size(); ++k) {
            if (threads > 1 && i % all.size() != k) continue;
            Options options = all[k];
            options.hash_bits = i % 3 == 0 ? 4 : 64;
            solve_and_check(options, i % 4 == 0 ? UINT64_MAX : 1 << 19);
        }
    }
}

void test_random_games() { solve_random_games(21, 1); }
void test_random_games_with_two_threads() { solve_random_games(22, 2); }
void test_random_games_with_four_threads() { solve_random_games(23, 4); }

// A run with a window ends when the window is decided, and what it has proven is true.
void test_windows() {
    Random random(25);
    for (int i = 0; i < 400; ++i) {
        set_game(random_game(random, 100));
        Solved solved(all_options(i % 3 == 0 ? 2 : 1, nodes_of_probes[i % 5])[i % 8]);
        const auto any = [&] {
            const auto states = static_cast<std::uint32_t>(exact.size());
            return solved.worth(random.below(states)) + static_cast<Worth>(random.below(3)) - 1;
        };
        const Worth one = any(), other = any();
        if (one == other) continue;
        const Bounds window{std::min(one, other), std::max(one, other)};
        Limits limits = solved.limits;
        limits.window = window;
        const Stop stop = solved.search.run(limits, {});
        const Bounds proven = solved.search.worth_bounds(solved.search.root());
        CHECK(proven.exact() || proven.hi <= window.lo || proven.lo >= window.hi);
        CHECK(stop == (proven.exact() ? Stop::resolved : Stop::window));
        solved.check();
        CHECK(solved.run() == Stop::resolved);
        solved.check();
    }
}

void test_symmetric_games() {
    Random random(24);
    for (int i = 0; i < 200; ++i) {
        const NativeGame one = random_game(random, 60);
        const std::uint32_t copies = i % 2 == 0 ? 2 : 4;
        const Options options = all_options(i % 3 == 0 ? 4 : 1, nodes_of_probes[i % 5])[i % 8];
        set_game(one);
        const auto alone = exact[0];
        set_game(with_copies(one, random, copies));
        Solved solved(options);
        CHECK(solved.run() == Stop::resolved);
        CHECK(exact[solved.number(solved.search.root())] == alone);
        CHECK(solved.search.graph().size() <= one.table.states.size());
        solved.check();
        solved.check_line();
        solved.check();
    }
}

// -- running on -----------------------------------------------------------------------------------

// What can only grow: expansions, and how far the bounds have been narrowed.
std::pair<std::uint64_t, std::vector<Worth>> proven(const Search& search) {
    std::vector<Worth> bounds;
    const Graph& graph = search.graph();
    for (NodeId id = 0; id < graph.size(); ++id) {
        const Bounds known = graph.bounds(graph.node(id));
        bounds.insert(bounds.end(), {known.lo, known.hi});
    }
    return {search.expansions(), bounds};
}

void test_every_iteration_proves_something() {
    Random random(25);
    for (int i = 0; i < 100; ++i) {
        set_game(random_game(random, 100));
        for (const Options& options : all_options(1, nodes_of_probes[i % 5])) {
            Solved solved(options);
            Limits limits = solved.limits;
            for (limits.iterations = 1; !solved.is_resolved(); ++limits.iterations) {
                const auto before = proven(solved.search);
                const Stop stop = solved.search.run(limits, {});
                CHECK(stop == Stop::iterations || stop == Stop::resolved);
                CHECK(solved.search.iterations() == limits.iterations);
                CHECK(proven(solved.search) != before);
                if (limits.iterations > 100'000) break;
            }
            solved.check();
            CHECK(solved.is_resolved());
        }
    }
}

void test_pausing_changes_nothing() {
    Random random(26);
    for (int i = 0; i < 50; ++i) {
        set_game(random_game(random, 200));
        for (const Options& options : all_options(1, nodes_of_probes[i % 5])) {
            Solved whole(options), pieces(options);
            whole.run();
            Limits limits = pieces.limits;
            for (limits.iterations = 0; !pieces.is_resolved(); limits.iterations += 2)
                pieces.search.run(limits, {});
            CHECK(whole.search.snapshot() == pieces.search.snapshot());
        }
    }
}

void test_other_roots() {
    Random random(27);
    for (int i = 0; i < 100; ++i) {
        set_game(random_game(random, 200));
        Solved solved(all_options(i % 2 == 0 ? 1 : 2, nodes_of_probes[i % 5])[i % 8]);
        for (int k = 0; k < 5; ++k) {
            const auto root = random.below(static_cast<std::uint32_t>(game.table.states.size()));
            solved.search.set_root(state_of(root).data());
            CHECK(solved.run() == Stop::resolved);
            solved.check_line();
        }
        solved.check();
    }
}

// -- limits ---------------------------------------------------------------------------------------

struct Endless {
    explicit Endless(const Options& options)
        : rules(endless_rules()),
          evaluator(rules.state_bytes, endless_evaluate),
          search(rules, evaluator, options) {}

    Stop run(const Limits& limits, const Poll& poll = {}) {
        const auto start = std::chrono::steady_clock::now();
        const Stop stop = search.run(limits, poll);
        seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        return stop;
    }
    std::uint64_t bytes() const { return search.graph().memory().total() + search.table_bytes(); }

    NativeRules rules;
    NativeEvaluator evaluator;
    Search search;
    double seconds = 0;
};

// Of records, so that a thread adds one while others look for theirs.
const std::uint64_t more_than_a_chunk = 70'000;

// The game has no end: probes never finish, so that few states are expanded with them.
void test_counts_are_limits() {
    for (const int threads : {1, 2, 4})
        for (const Options& options : all_options(threads)) {
            Endless endless(options);
            Limits limits = patient(1 << 25);
            const bool wide = options.algorithm == "ubfm" && !options.exact_score;
            limits.states = options.probes ? 40 : wide ? more_than_a_chunk : 5000;
            CHECK(endless.run(limits) == Stop::states);
            // What probes visit counts too; several threads may each take what was left.
            const auto states = [&] {
                return endless.search.graph().size() + endless.search.probed_states();
            };
            const std::uint64_t before = states();
            const std::uint64_t slack = options.probes ? limits.states + 16 : 16;
            CHECK(before >= limits.states && before < limits.states + slack * threads);
            CHECK(endless.run(limits) == Stop::states);
            CHECK(states() == before);
        }
}

void test_iterations_are_a_limit() {
    for (const int threads : {1, 2, 4})
        for (const Options& options : all_options(threads)) {
            if (options.algorithm == "descent") continue;  // one has no end here
            Endless endless(options);
            Limits limits = patient(1 << 25);
            limits.iterations = 5;
            CHECK(endless.run(limits) == Stop::iterations);
            const auto iterations = endless.search.iterations();
            CHECK(iterations >= 5 && iterations < 5u + threads);
        }
}

// With so little memory probes cannot go far, and the game has no end to be found by them.
void test_memory_is_a_limit() {
    for (const int threads : {1, 2, 4})
        for (const Options& options : all_options(threads)) {
            Endless endless(options);
            Limits limits = patient(600'000);
            CHECK(endless.run(limits) == Stop::memory);
            CHECK(endless.bytes() <= limits.memory);
            CHECK(endless.bytes() > limits.memory / 3);
            CHECK(endless.run(limits) == Stop::memory);
        }
}

// The probes have gathered knowledge of a game with an end when the memory is too small for more.
void test_memory_that_was_enough_is_not_any_more() {
    Random random(30);
    for (const int threads : {1, 2})
        for (const Options& options : all_options(threads)) {
            set_game(random_game(random, 200));
            Solved solved(options, UINT64_MAX);
            Limits limits = solved.limits;
            limits.iterations = 1;
            solved.search.run(limits, {});
            limits.memory = 0;
            limits.iterations = UINT64_MAX;
            const Stop stop = solved.search.run(limits, {});
            CHECK(stop == (solved.is_resolved() ? Stop::resolved : Stop::memory));
            solved.check();
            CHECK(solved.run() == Stop::resolved);
            solved.search.prove_line(limits, {});
            solved.search.prove_line(solved.limits, [] { return true; });
            solved.check_line();
            solved.check();
        }
}

// Far less than the time that would pass if nobody looked at the clock.
const double soon = 3;

void test_time_is_a_limit() {
    for (const int threads : {1, 2, 4})
        for (const Options& options : all_options(threads)) {
            Endless endless(options);
            Limits limits;
            limits.seconds = 0;
            CHECK(endless.run(limits) == Stop::seconds);
            CHECK(endless.seconds < soon);
            limits.seconds = 0.05;
            CHECK(endless.run(limits) == Stop::seconds);
            CHECK(endless.seconds >= limits.seconds && endless.seconds < soon);
        }
}

// Takes as long as it may for every evaluation but that of the root.
class SlowEvaluator final : public Evaluator {
  public:
    void evaluate(State, std::size_t count, float* out) override {
        std::fill(out, out + 2 * count, 0.0f);
        if (is_root_)
            is_root_ = false;
        else
            for (int i = 0; i < 1'000'000'000 && give_up; ++i)
                if (give_up(1000)) throw GivenUp();
    }
    bool native() const override { return true; }
    bool shareable() const override { return false; }

  private:
    bool is_root_ = true;
};

void test_an_evaluation_gives_up() {
    game = long_line(100);
    NativeRules rules = native_rules();
    for (const Options& options : all_options(1)) {
        if (options.probes) continue;  // they solve it before anything is evaluated
        SlowEvaluator evaluator;
        Search search(rules, evaluator, options);
        Limits limits;
        limits.seconds = 0.05;
        CHECK(search.run(limits, {}) == Stop::seconds);
        CHECK(search.run({}, [] { return true; }) == Stop::interrupted);
        CHECK(!evaluator.give_up);
        CHECK(search.graph().size() == 1);
    }
}

// However late the next look is, the caller is not asked again.
void test_a_watch_stays_expired() {
    int polls = 0;
    const Poll poll = [&polls] { return ++polls == 1; };
    Watch watch(-1, poll);
    CHECK(watch.expired(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK(watch.expired(1));
    CHECK(watch.look());
    CHECK(watch.reason() == Stop::interrupted);
    CHECK(polls == 1);
}

void test_the_caller_can_stop() {
    for (const int threads : {1, 2, 4})
        for (const Options& options : all_options(threads)) {
            Endless endless(options);
            CHECK(endless.run({}, [] { return true; }) == Stop::interrupted);
            int polls = 0;
            CHECK(endless.run({}, [&polls] { return ++polls == 3; }) == Stop::interrupted);
            CHECK(polls == 3);
            CHECK(endless.seconds < soon);
        }
}

// What the caller throws when asked comes back to it, and all goes on as before.
void test_the_caller_can_throw() {
    struct Enough {};
    for (const int threads : {1, 2, 4})
        for (const Options& options : all_options(threads)) {
            Endless endless(options);
            for (const int k : {1, 3}) {
                int polls = 0, thrown = 0;
                try {
                    endless.run({},
                                [&]() -> bool { return ++polls == k ? throw Enough() : false; });
                } catch (const Enough&) {
                    ++thrown;
                }
                CHECK(thrown == 1 && polls == k);
                for (NodeId id = 0; id < endless.search.graph().size(); ++id)
                    CHECK(!endless.search.graph().node(id).is(busy));
            }
        }
}

// What threads mark while they work is gone afterwards: in a tree the value of a state is that of
// its best child, and a state was selected as often as an iteration went through it.
void check_tree(const Search& search) {
    const Graph& graph = search.graph();
    for (NodeId id = 0; id < graph.size(); ++id) {
        const Node& node = graph.node(id);
        CHECK(!node.is(busy) && std::abs(node.values()[0]) <= 1);
        if (!node.is(expanded)) continue;
        const Edge* const best = &graph.edges(node)[search.best_child(id)];
        CHECK(node.values()[0] == graph.node(best->child).values()[0]);
    }
    const Node& root = graph.node(search.root());
    std::uint64_t visits = 0;
    for (int i = 0; i < root.edge_count; ++i) visits += graph.edges(root)[i].visits;
    CHECK(visits == search.iterations() - 1);  // the first one expanded the root
}

void test_no_mark_of_a_thread_stays() {
    for (const int threads : {1, 2, 4})
        for (const bool probes : {false, true}) {
            Endless endless(with_bounds("ubfm", probes, false, threads));
            Limits limits = patient(1 << 19);
            limits.iterations = probes ? 4 : 300;
            CHECK(endless.run(limits) == Stop::iterations);
            check_tree(endless.search);
            if (probes) continue;
            limits.iterations = UINT64_MAX;
            CHECK(endless.run(limits) == Stop::memory);
            check_tree(endless.search);
        }
}

// -- failing memory -------------------------------------------------------------------------------

std::atomic<int> allocations_left = -1;

void* failing_allocate(std::size_t bytes) {
    if (allocations_left >= 0 && allocations_left.fetch_sub(1) <= 0) {
        allocations_left = 0;
        return nullptr;
    }
    return std::calloc(1, bytes);
}

// True: it did not get all the memory it asked for.
bool solve_with_allocations(int allocations, const Options& options) {
    allocations_left = allocations;
    try {
        Solved solved(options, UINT64_MAX);
        const Stop stop = solved.run();
        const bool failed = allocations_left == 0;
        CHECK(stop == Stop::resolved || (stop == Stop::memory && failed));
        solved.check();
        allocations_left = -1;
        CHECK(solved.run() == Stop::resolved);
        solved.check_line();
        solved.check();
        return failed;
    } catch (const std::bad_alloc&) {
        CHECK(allocations_left == 0);
        return true;
    }
}

void test_memory_ends_anywhere() {
    const MemorySource ordinary = memory_source;
    memory_source.allocate = failing_allocate;
    Random random(28);
    for (int i = 0; i < 5; ++i) {
        do set_game(random_game(random, 200));
        while (game.table.states.size() < 190);
        for (const int threads : {1, 2})
            for (const Options& options : all_options(threads, nodes_of_probes[i % 5])) {
                int allocations = 0;
                while (allocations < 100 && solve_with_allocations(allocations, options))
                    ++allocations;
                CHECK(allocations > 3 && allocations < 100);
                allocations_left = -1;
            }
    }
    memory_source = ordinary;
}

// -- broken rules ---------------------------------------------------------------------------------

// The rule that failed; empty: none did.
std::string failing_rule(Solved& solved) try {
    CHECK(solved.run() == Stop::resolved);
    CHECK(solved.search.prove_line(solved.limits, {}) == LineProof::complete);
    return "";
} catch (const RuleFailure& failure) {
    CHECK(failure.state.size() == game.state_bytes);
    return failure.rule;
}

void check_mended(Solved& solved) {
    solved.check();
    CHECK(solved.run() == Stop::resolved);
    solved.check_line();
    solved.check();
}

void test_a_broken_rule_is_reported() {
    for (const char* rule : {"player", "actions", "next", "outcome", "score", "evaluate"})
        for (const int threads : {1, 2, 4})
            for (const Options& options : all_options(threads)) {
                set_game(long_line(50));
                const bool at_end = std::string("outcome score").find(rule) != std::string::npos;
                Solved solved(options);
                game.broken_rule = rule;
                game.broken_state = at_end ? 50 : 20;
                const std::string failed = failing_rule(solved);
                // A probe of a line has no use for evaluations.
                CHECK(failed == rule || (failed.empty() && options.probes));
                game.broken_rule = "";
                check_mended(solved);
            }
}

void test_rules_fail_at_any_call() {
    Random random(29);
    for (int i = 0; i < 10; ++i) {
        set_game(random_game(random, 40));
        for (const int threads : {1, 2})
            for (const Options& options : all_options(threads, nodes_of_probes[i % 5]))
                for (int calls = 0; calls < 400; calls = calls * 3 / 2 + 1) {
                    Solved solved(options);
                    calls_left = calls;
                    const std::string failed = failing_rule(solved);
                    const bool done = calls_left >= 0;
                    calls_left = -1;
                    CHECK(failed.empty() == done);
                    check_mended(solved);
                    if (done) break;
                }
    }
}

bool is_refused(Rules& rules, Evaluator& evaluator, const Options& options) try {
    Search search(rules, evaluator, options);
    return false;
} catch (const std::invalid_argument&) {
    return true;
}

void test_what_cannot_be_is_refused() {
    game = long_line(3);
    NativeRules rules = native_rules();
    TableRules others(game.table, false);
    ZeroEvaluator evaluator(2);
    SlowEvaluator slow;
    const Options plain = with_bounds("ubfm", false, true, 1);
    Options probes = plain, threads = plain, no_bounds = plain;
    probes.probes = true;
    threads.threads = 2;
    no_bounds.bounds = false;
    Options for_many = probes;
    for_many.values = ValueRule::resolved_completion;
    for_many.exact_score = false;
    CHECK(!is_refused(rules, evaluator, threads) && !is_refused(others, evaluator, plain));
    CHECK(!is_refused(others, evaluator, probes) && !is_refused(rules, evaluator, for_many));
    CHECK(is_refused(others, evaluator, for_many) && is_refused(others, evaluator, threads));
    CHECK(is_refused(rules, slow, threads) && is_refused(rules, evaluator, no_bounds));
    game.table.players = 1;
    game.table.best_score = {1};
    TableRules alone(game.table);
    CHECK(is_refused(alone, evaluator, plain));
}

// -- cycles and long lines ------------------------------------------------------------------------

// A line of moves that leads back from its end.
NativeGame line_into_cycle(int length, int cycle) {
    NativeGame made;
    made.table = countdown(length);
    made.table.states[length].successors = {static_cast<std::uint32_t>(length + 1 - cycle)};
    return made;
}

bool reports_cycle(Search& search, std::size_t length) try {
    search.run(patient(UINT64_MAX), {});
    return false;
} catch (const RuleFailure& failure) {
    return failure.rule == "next" && failure.states.size() == length;
}

void test_a_cycle_is_reported() {
    for (const auto& [length, cycle] : {std::pair{2, 2}, {3, 1}, {60, 5}, {60, 60}})
        for (const int threads : {1, 2, 4})
            for (const Options& options : all_options(threads)) {
                game = line_into_cycle(length, cycle);
                NativeRules rules = native_rules();
                NativeEvaluator evaluator(game.state_bytes, native_evaluate);
                Search search(rules, evaluator, options);
                CHECK(reports_cycle(search, cycle));
                for (NodeId id = 0; id < search.graph().size(); ++id)
                    CHECK(!search.graph().node(id).is(on_path) &&
                          !search.graph().node(id).is(busy));
            }
}

// It need not be met, but nothing hangs.
void test_a_cycle_anywhere() {
    Random random(31);
    int reported = 0;
    for (int i = 0; i < 300; ++i) {
        game = random_game(random, 60);
        const std::uint32_t from =
            random.below(static_cast<std::uint32_t>(game.table.states.size()));
        game.table.states[from].successors.push_back(random.below(from + 1));
        NativeRules rules = native_rules();
        NativeEvaluator evaluator(game.state_bytes, native_evaluate);
        Search search(rules, evaluator, all_options(1 + i % 3, nodes_of_probes[i % 5])[i / 3 % 8]);
        try {
            CHECK(search.run(patient(1 << 25), {}) == Stop::resolved);
            CHECK(search.prove_line(patient(1 << 25), {}) == LineProof::complete);
        } catch (const RuleFailure& failure) {
            CHECK(!failure.states.empty());
            ++reported;
        }
    }
    CHECK(reported > 30);
}

// The probe of the root finds the win at once; what it did not look at has a cycle.
void test_a_cycle_beside_the_line() {
    game = long_line(4);
    game.table.states[0].successors = {1, 3};
    game.table.states[1].successors = {2};
    game.table.states[2].successors = {1};
    for (TableState& state : game.table.states) state.player = 0;
    game.table.states[3].evaluation = {1, -1};
    NativeRules rules = native_rules();
    NativeEvaluator evaluator(game.state_bytes, native_evaluate);
    Search search(rules, evaluator, with_bounds("ubfm", true, false, 1));
    CHECK(search.run(patient(1 << 25), {}) == Stop::resolved);
    CHECK(search.prove_line(patient(1 << 25), {}) == LineProof::complete);
    CHECK(number_of(search.graph().state(3)) == 4);
}

void solve_a_long_line(const Options& options) {
    NativeRules rules = native_rules();
    NativeEvaluator evaluator(game.state_bytes, native_evaluate);
    Search search(rules, evaluator, options);
    CHECK(search.run(patient(UINT64_MAX), {}) == Stop::resolved);
    CHECK((search.outcome_bounds(search.root()) == Bounds{1, 1}));
    if (options.exact_score) return;
    CHECK(search.prove_line(patient(UINT64_MAX), {}) == LineProof::complete);
    CHECK(search.graph().size() == game.table.states.size());
    CHECK(search.resolved_states() == game.table.states.size());
}

// Without probes every iteration of UBFM walks the line anew, and so does Descent with threads.
void test_long_lines() {
    for (const bool quadratic : {false, true}) {
        game = long_line(quadratic ? 500 : looks_for_races ? 10'000 : 100'000);
        for (const int threads : {1, 2})
            for (const Options& options : all_options(threads)) {
                const bool slow = !options.probes && (options.algorithm == "ubfm" || threads > 1);
                if (slow == quadratic && !(options.exact_score && threads > 1))
                    solve_a_long_line(options);
            }
    }
}

}  // namespace

// With an argument: only the tests whose name contains it.
int main(int count, char** arguments) {
    std::vector<Test> tests = probe_tests();
    for (const Test& test : endgame_tests()) tests.push_back(test);
    const std::vector<Test> more = {
        {"random games", test_random_games},
        {"random games with two threads", test_random_games_with_two_threads},
        {"random games with four threads", test_random_games_with_four_threads},
        {"windows", test_windows},
        {"symmetric games", test_symmetric_games},
        {"every iteration proves something", test_every_iteration_proves_something},
        {"pausing changes nothing", test_pausing_changes_nothing},
        {"other roots", test_other_roots},
        {"counts are limits", test_counts_are_limits},
        {"iterations are a limit", test_iterations_are_a_limit},
        {"memory is a limit", test_memory_is_a_limit},
        {"memory that was enough is not any more", test_memory_that_was_enough_is_not_any_more},
        {"time is a limit", test_time_is_a_limit},
        {"an evaluation gives up", test_an_evaluation_gives_up},
        {"a watch stays expired", test_a_watch_stays_expired},
        {"the caller can stop", test_the_caller_can_stop},
        {"the caller can throw", test_the_caller_can_throw},
        {"no mark of a thread stays", test_no_mark_of_a_thread_stays},
        {"memory ends anywhere", test_memory_ends_anywhere},
        {"a broken rule is reported", test_a_broken_rule_is_reported},
        {"rules fail at any call", test_rules_fail_at_any_call},
        {"what cannot be is refused", test_what_cannot_be_is_refused},
        {"a cycle is reported", test_a_cycle_is_reported},
        {"a cycle anywhere", test_a_cycle_anywhere},
        {"a cycle beside the line", test_a_cycle_beside_the_line},
        {"long lines", test_long_lines},
    };
    tests.insert(tests.end(), more.begin(), more.end());
    const std::string wanted = count > 1 ? arguments[1] : "";
    std::erase_if(tests, [&](const Test& test) {
        return std::string(test.first).find(wanted) == std::string::npos;
    });
    return run_tests(tests);
}
