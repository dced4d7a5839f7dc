// SPDX-License-Identifier: MIT
// Tests of saving and loading without Python: what is loaded goes on as what was saved, and no
// bytes whatever, and no lack of memory, can do harm. For the sanitizers.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "probes/probe_race.h"
#include "search/search.h"
#include "tests/checks.h"
#include "tests/native_game.h"

using namespace unbounded;

namespace {

NativeEvaluator native_evaluator() { return NativeEvaluator(game.state_bytes, native_evaluate); }

std::vector<Options> all_options() {
    std::vector<Options> all;
    for (const std::string& algorithm : algorithm_names())
        for (int kind = 0; kind < 7; ++kind) {
            Options options;
            options.algorithm = algorithm;
            options.bounds = kind > 1;
            options.probes = kind > 3;
            options.exact_score = kind == 3 || kind == 5;
            options.probe_nodes = kind > 3 ? 5 : 0;
            options.hash_bits = kind == 1 ? 4 : 64;
            if (kind == 1 || kind == 6) options.values = ValueRule::resolved_completion;
            all.push_back(options);
        }
    for (const ValueRule values : {ValueRule::minimax, ValueRule::resolved_completion}) {
        Options options;
        options.values = values;
        options.leaves = 5;
        all.push_back(options);
    }
    return all;
}

// A game, its rules and a search.
struct Made {
    explicit Made(const Options& options)
        : rules(native_rules()), evaluator(native_evaluator()), search(rules, evaluator, options) {}

    Stop run(std::uint64_t iterations = UINT64_MAX) {
        Limits limits;
        limits.memory = 8 << 20;
        if (iterations != UINT64_MAX) limits.iterations = search.iterations() + iterations;
        return search.run(limits, {});
    }
    const Node& root() const { return search.graph().node(search.root()); }

    NativeRules rules;
    NativeEvaluator evaluator;
    Search search;
};

// A saved search, in memory.
struct File {
    Saved saved;
    std::vector<std::byte> bytes;

    explicit File(Search& search) : saved(search.saved()) {
        search.save([this](const void* data, std::size_t size) {
            const auto* const from = static_cast<const std::byte*>(data);
            bytes.insert(bytes.end(), from, from + size);
        });
    }

    void load(Search& search) const {
        std::size_t at = 0;
        std::size_t whole = 0;
        for (const SavedArray& array : search.arrays(saved))
            whole += array.item_bytes * array.rows * array.columns;
        require_sound(whole == bytes.size(), "another length");
        search.load(
            saved,
            [&](void* data, std::size_t size) {
                CHECK(at + size <= bytes.size());
                std::memcpy(data, bytes.data() + at, size);
                at += size;
            },
            [&] { CHECK(at == bytes.size()); });
    }

    // Where an array begins.
    std::byte* array(const Search& search, const std::string& name) {
        std::byte* at = bytes.data();
        for (const SavedArray& array : search.arrays(saved)) {
            if (array.name == name) return at;
            at += array.item_bytes * array.rows * array.columns;
        }
        return nullptr;
    }
};

std::string refusal(const File& file, const Options& options) {
    Made made(options);
    const auto before = made.search.snapshot();
    try {
        file.load(made.search);
    } catch (const Damaged& why) {
        CHECK(made.search.snapshot() == before);
        return why.what();
    }
    return "";
}

std::optional<Disagreement> disagreement(Search& search) {
    return search.rule_check()(0, search.graph().size(), 1);
}

// Changes one row of the game; returns the name of the rule that answers differently then.
std::string change_a_rule(TableState& row, Random& random) {
    if (row.successors.empty()) {
        row.outcome = {static_cast<std::int8_t>(row.outcome[0] == 0 ? 1 : 0), 0};
        row.outcome[1] = static_cast<std::int8_t>(-row.outcome[0]);
        return "outcome";
    }
    if (random.below(2) == 0) {
        row.player = 1 - row.player;
        return "player";
    }
    row.successors.pop_back();
    return row.successors.empty() ? "actions" : "next";
}

void test_rules_that_changed_are_noticed() {
    Random random(51);
    int noticed = 0;
    for (int round = 0; round < 40; ++round) {
        game = random_game(random, 60);
        for (const Options& options : all_options()) {
            Made made(options);
            made.run(30);
            if (round % 3 == 0) made.search.compact();
            CHECK(!disagreement(made.search));
            const NodeId id = random.below(made.search.graph().size());
            TableState& row = game.table.states[number_of(made.search.graph().state(id))];
            const TableState before = row;
            const std::string rule = change_a_rule(row, random);
            const auto found = disagreement(made.search);
            // Two actions may lead to the same state, and of a leaf the successors are not stored.
            CHECK(found ? found->id == id : rule == "next");
            // An end that is none of the game's may also be noticed by its score.
            CHECK(!found || found->rule == rule || found->rule == "score");
            noticed += found.has_value();
            row = before;
        }
    }
    CHECK(noticed > 100);
}

void test_round_trips() {
    Random random(50);
    for (int round = 0; round < 20; ++round) {
        game = random_game(random, 150);
        if (round % 4 == 0) game = with_copies(game, random, 2);
        for (const Options& options : all_options()) {
            Made first(options);
            while (!first.root().is(resolved)) {
                first.run(1 + random.below(20));
                const File file(first.search);
                Made second(options);
                file.load(second.search);
                CHECK(second.search.snapshot() == first.search.snapshot());
                CHECK(!disagreement(second.search));
                const File again(second.search);
                CHECK(again.bytes == file.bytes);
                first.run(7);
                second.run(7);
                CHECK(second.search.snapshot() == first.search.snapshot());
                CHECK(File(second.search).bytes == File(first.search).bytes);
            }
        }
    }
}

void test_saving_while_running() {
    Random random(51);
    for (int round = 0; round < 20; ++round) {
        game = random_game(random, 300);
        const std::vector<Value> exact = backward_induction(game.table);
        for (Options options : all_options())
            for (const int threads : {1, 3}) {
                if (threads > 1 && !options.bounds) continue;
                options.threads = threads;
                Made first(options), undisturbed(options);
                std::vector<File> files;
                const Poll poll = [&] {
                    if (files.size() < 3) files.emplace_back(first.search);
                    return false;
                };
                Limits limits;
                first.search.run(limits, poll);
                if (threads == 1) {
                    undisturbed.run();
                    CHECK(first.search.snapshot() == undisturbed.search.snapshot());
                }
                for (const File& file : files) {
                    Made second(options);
                    file.load(second.search);
                    CHECK(second.run() == Stop::resolved);
                    CHECK(second.root().completion(second.search.graph().width)[0] ==
                          first.root().completion(first.search.graph().width)[0]);
                    if (options.values == ValueRule::minimax)
                        CHECK(second.root().completion(1)[0] == exact[0].first[0]);
                }
            }
    }
}

// Calls a function in the middle of every evaluation.
class WatchedEvaluator final : public Evaluator {
  public:
    void evaluate(State states, std::size_t count, float* out) override {
        inner_.evaluate(states, count, out);
        if (during) during();
    }
    bool native() const override { return true; }

    std::function<void()> during;

  private:
    NativeEvaluator inner_ = native_evaluator();
};

// A search that is saved while a batch is evaluated is saved as it was before the batch.
void test_saving_in_the_middle_of_a_batch() {
    Random random(53);
    for (int round = 0; round < 10; ++round) {
        game = random_game(random, 200);
        for (const int leaves : {1, 2, 9}) {
            Options options;
            options.leaves = leaves;
            NativeRules rules = native_rules();
            WatchedEvaluator evaluator;
            Search search(rules, evaluator, options);
            Made undisturbed(options), loaded(options);
            std::vector<std::byte> before;
            search.rest().call = [&] {
                before = search.snapshot();
                search.rest().wanted = true;
            };
            search.rest().wanted = true;
            evaluator.during = [&] {
                File(search).load(loaded.search);
                CHECK(loaded.search.snapshot() == before);
            };
            CHECK(search.run({}, {}) == Stop::resolved);
            undisturbed.run();
            CHECK(search.snapshot() == undisturbed.search.snapshot());
        }
    }
}

void test_rest_comes_between_iterations() {
    Random random(52);
    do game = random_game(random, 300);
    while (game.table.states.size() < 290);
    for (const Options& options : all_options()) {
        Made first(options), second(options);
        int rests = 0;
        first.search.rest().call = [&] {
            const File file(first.search);
            file.load(second.search);
            CHECK(second.search.snapshot() == first.search.snapshot());
            if (++rests < 5) first.search.rest().wanted = true;
        };
        first.search.rest().wanted = true;
        first.run();
        CHECK(rests > 0);
        second.run();
        CHECK(second.search.snapshot() == first.search.snapshot());
    }
}

int allocations_left = -1;

void* failing_allocate(std::size_t bytes) {
    if (allocations_left == 0) return nullptr;
    if (allocations_left > 0) --allocations_left;
    return std::calloc(1, bytes);
}

void test_memory_ends_anywhere_while_loading() {
    const MemorySource ordinary = memory_source;
    memory_source.allocate = failing_allocate;
    Random random(53);
    do game = random_game(random, 200);
    while (game.table.states.size() < 190);
    for (const Options& options : all_options()) {
        Made first(options);
        first.run(20);
        const File file(first.search);
        int allocations = 0;
        for (bool failed = true; failed; ++allocations) {
            Made second(options);
            const auto before = second.search.snapshot();
            failed = false;
            allocations_left = allocations;
            try {
                file.load(second.search);
            } catch (const std::bad_alloc&) {
                failed = true;
            }
            allocations_left = -1;
            CHECK(second.search.snapshot() == (failed ? before : first.search.snapshot()));
            second.run();
            CHECK(second.root().is(resolved));
        }
        CHECK(allocations > 3);
    }
    memory_source = ordinary;
}

// Writes a number somewhere, loads, and takes it back.
template <class Number>
std::string refusal_with(File& file, std::byte* at, Number number, const Options& options) {
    std::byte before[sizeof number];
    std::memcpy(before, at, sizeof number);
    std::memcpy(at, &number, sizeof number);
    const std::string why = refusal(file, options);
    std::memcpy(at, before, sizeof number);
    return why;
}

void test_every_number_is_checked() {
    Random random(54);
    do game = random_game(random, 200);
    while (game.table.states.size() < 190);
    for (const Options& options : all_options()) {
        Made made(options);
        made.run(6);
        File file(made.search);
        CHECK(refusal(file, options).empty());
        const Graph& graph = made.search.graph();
        std::byte* const node = file.array(made.search, "nodes");  // the initial one
        const int width = graph.width;
        const auto refused = [&](std::byte* at, auto number) {
            return refusal_with(file, at, number, options);
        };
        CHECK(refused(node + 7, std::uint8_t{255}) != "");
        for (const std::uint8_t flag : {8, 16, 32, 64, 128}) {
            const auto flags = static_cast<std::uint8_t>(graph.node(0).flags | flag);
            CHECK(refused(node + 7, flags) == "an unknown flag");
        }
        CHECK(refused(node + 6, std::uint8_t{2}) == "an unknown player");
        for (const float odd : {std::numeric_limits<float>::quiet_NaN(), INFINITY, -INFINITY})
            CHECK(refused(node + 8, odd) == "a value that is not finite");
        CHECK(refused(node + 8 + 4 * width, std::int8_t{2}) == "an unknown outcome");
        CHECK(refused(node + 8 + 5 * width, std::int8_t{-2}) == "an unknown outcome");
        if (graph.bounding == Bounding::outcome) {
            CHECK(refused(node + 14, std::int8_t{-2}) == "bounds that cannot be");
            CHECK(refused(node + 15, std::int8_t{2}) == "bounds that cannot be");
        }
        if (graph.bounding == Bounding::score) {
            CHECK(refused(node + 16, INT64_MIN) == "bounds that cannot be");
            CHECK(refused(node + 24, INT64_MAX) == "bounds that cannot be");
        }
        if (graph.node(0).is(expanded)) {
            for (const std::uint32_t first : {1u << 16, UINT32_MAX})
                CHECK(refused(node, first) == "edges that are not there");
            CHECK(refused(node + 4, std::uint16_t{65535}) == "edges that are not there");
            CHECK(refused(node + 4, std::uint16_t{0}) == "edges that are not there");
            std::byte* const edge = file.array(made.search, "edges") + 8 * graph.node(0).first_edge;
            for (const std::uint32_t child : {graph.size(), UINT32_MAX})
                CHECK(refused(edge, child) == "an edge to nowhere");
        }
        for (NodeId id = 1; id < graph.size(); ++id) {
            const Node& other = graph.node(id);
            std::byte* const at = node + id * graph.node_bytes();
            if (!other.is(expanded)) {
                CHECK(refused(at + 4, std::uint16_t{1}) == "edges of a leaf");
            } else if (graph.node(0).is(expanded)) {
                CHECK(refused(at, graph.node(0).first_edge) != "");
            }
            std::byte* const state = file.array(made.search, "states") + id * game.state_bytes;
            std::vector<std::byte> before(state, state + game.state_bytes);
            std::copy(state - game.state_bytes, state, state);
            CHECK(refusal(file, options) == "a state is there twice");
            std::copy(before.begin(), before.end(), state);
        }
        for (std::uint64_t Saved::* number :
             {&Saved::root, &Saved::states, &Saved::edges, &Saved::layered, &Saved::proven,
              &Saved::workers_layered}) {
            File other = file;
            for (const std::uint64_t odd : {UINT64_MAX, std::uint64_t{1} << 32, UINT64_MAX / 2}) {
                other.saved.*number = odd;
                CHECK(refusal(other, options) != "");
            }
        }
        CHECK(refusal(file, options).empty());
    }
}

void test_entries_of_the_table_are_checked() {
    Random random(55);
    do game = random_game(random, 200);
    while (game.table.states.size() < 190);
    int checked = 0;
    for (Options options : all_options()) {
        if (!options.probes) continue;
        options.probe_nodes = 0;
        Made made(options);
        made.run(30);
        File file(made.search);
        auto* const words = file.array(made.search, "proven");
        const auto arrays = made.search.arrays(file.saved);
        const std::uint64_t columns = arrays[0].columns;
        for (std::uint64_t row = 0; row < arrays[0].rows && checked < 2000; ++row) {
            std::byte* const entry = words + row * columns * 8;
            std::uint64_t about, state;
            std::memcpy(&about, entry, 8);
            std::memcpy(&state, entry + 8, 8);
            if (about == 0) continue;
            ++checked;
            CHECK(refusal_with(file, entry, about | 1, options) == "a proof that cannot be");
            const std::string moved = refusal_with(file, entry + 8, state ^ 0x1234567, options);
            CHECK(moved.empty() || moved == "a proof that cannot be");
            if (options.exact_score || options.values != ValueRule::minimax)
                for (const std::int64_t odd : {INT64_MAX, INT64_MIN})
                    CHECK(refusal_with(file, entry + 8 * (columns - 1), odd, options) ==
                          "a proof that cannot be");
            else
                CHECK(refusal_with(file, entry, about | 0b11110, options) ==
                      "a proof that cannot be");
        }
    }
    CHECK(checked > 100);
}

// Bytes at random: they are refused, or make a search that can be run.
void test_any_bytes() {
    Random random(56);
    int opened = 0, refused = 0;
    for (int round = 0; round < 15; ++round) {
        game = random_game(random, 100);
        for (const Options& options : all_options()) {
            Made made(options);
            made.run(1 + random.below(15));
            const File good(made.search);
            for (int i = 0; i < 12; ++i) {
                File file = good;
                const std::size_t from =
                    i % 2 == 0 ? 0
                               : file.bytes.size() -
                                     made.search.graph().size() *
                                         (made.search.graph().node_bytes() + game.state_bytes);
                for (std::uint32_t k = 0, count = 1 + random.below(3); k < count; ++k) {
                    const std::size_t at = from + random.next() % (file.bytes.size() - from);
                    file.bytes[at] = static_cast<std::byte>(random.below(4) == 0 ? random.below(256)
                                                                                 : random.below(6));
                }
                Made other(options);
                try {
                    file.load(other.search);
                    ++opened;
                    for (int more = 0; more < 3; ++more) other.run(20);
                    Limits limits;
                    limits.memory = 8 << 20;
                    limits.seconds = 1;
                    other.search.prove_line(limits, {});
                    other.search.compact();
                } catch (const Damaged&) {
                    ++refused;
                } catch (const RuleFailure&) {
                }
            }
        }
    }
    CHECK(opened > 100 && refused > 100);
}

// Threads work on a leaf by both kinds of probes: a search that prefers proof numbers, which it
// else does only after millions of nodes, proves what one thread proves.
void test_threads_with_both_kinds_of_probes() {
    Random random(59);
    int together = 0;
    for (int round = 0; round < 200; ++round) {
        game = random_game(random, 1000);
        Options options;
        options.bounds = options.probes = true;
        Made alone(options);
        alone.run();
        options.threads = 2 + round % 3;
        options.probe_nodes = 3;
        Made made(options);
        const auto standing_in = [&](File& file) {
            return file.array(made.search, "edges") - sizeof(ProbeRace::Standing);
        };
        File file(made.search);
        ProbeRace::Standing standing;
        standing.preferred = 1;
        std::memcpy(standing_in(file), &standing, sizeof standing);
        file.load(made.search);
        CHECK(made.run() == Stop::resolved);
        CHECK(made.root().completion(1)[0] == alone.root().completion(1)[0]);
        together += made.search.iterations() > 1 ? 1 : 0;  // the first one is made by one thread
        File after(made.search);
        std::memcpy(static_cast<void*>(&standing), standing_in(after), sizeof standing);
        CHECK(standing.preferred == 1);
    }
    CHECK(together > 50);
}

}  // namespace

int main() {
    return run_tests({
        {"what is loaded goes on as what was saved", test_round_trips},
        {"rules that changed are noticed", test_rules_that_changed_are_noticed},
        {"saving while running", test_saving_while_running},
        {"saving in the middle of a batch", test_saving_in_the_middle_of_a_batch},
        {"rest comes between iterations", test_rest_comes_between_iterations},
        {"memory ends anywhere while loading", test_memory_ends_anywhere_while_loading},
        {"every number is checked", test_every_number_is_checked},
        {"entries of the table are checked", test_entries_of_the_table_are_checked},
        {"any bytes", test_any_bytes},
        {"threads with both kinds of probes", test_threads_with_both_kinds_of_probes},
    });
}
