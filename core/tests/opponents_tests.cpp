// SPDX-License-Identifier: MIT
// Tests of the opponents, made for the sanitizers: random games against the same searches written
// down without any cleverness, and with limits, failing memory and broken rules.
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <set>

#include "opponents/depth_first.h"
#include "opponents/monte_carlo.h"
#include "tests/checks.h"
#include "tests/native_game.h"

namespace unbounded::opponents {

namespace {

constexpr std::uint64_t megabyte = 1 << 20;

// -- random games for any number of players ---------------------------------------------------

// Few different numbers make ties; with many, nothing ties.
struct Numbers {
    std::uint32_t scores = 3;
    bool outcomes_only = false;
};

void add_numbers_for_all(Random& random, Table& table, const Numbers& numbers) {
    for (TableState& state : table.states) {
        state.player = static_cast<int>(random.below(table.players));
        for (int p = 0; p < table.players; ++p) {
            const int outcome = static_cast<int>(random.below(3)) - 1;
            const float score = static_cast<float>(random.below(numbers.scores)) - 1;
            state.outcome.push_back(static_cast<std::int8_t>(outcome));
            state.score.push_back(numbers.outcomes_only ? static_cast<float>(outcome) : score);
            state.evaluation.push_back(static_cast<float>(random.below(1'000'000)) / 1e6f - 0.5f);
        }
    }
}

Table table_of_numbers(Random& random, int players, int most_states, const Numbers& numbers = {}) {
    Table table;
    table.players = players;
    table.states.resize(5 + random.below(most_states - 4));
    add_successors(random, table, random.below(2) == 0, 2 + static_cast<int>(random.below(4)),
                   4 + random.below(30));
    add_numbers_for_all(random, table, numbers);
    table.best_score.assign(players, numbers.outcomes_only ? 1.0f : unknown_best_score);
    return table;
}

// A game where every move goes from one layer to the next: a state is met at one depth only.
Table layered_table(Random& random, int layers, std::uint32_t width) {
    Table table;
    table.states.resize(1 + (layers - 1) * width);
    for (std::uint32_t s = 0; s + width < table.states.size(); ++s) {
        const std::uint32_t next = s == 0 ? 1 : ((s - 1) / width + 1) * width + 1;
        if (s > 0 && random.below(8) == 0) continue;
        for (std::uint32_t k = 0; k < 1 + random.below(4); ++k)
            table.states[s].successors.push_back(next + random.below(width));
    }
    add_numbers(random, table, random.below(2) == 0, random.below(2) == 0);
    table.best_score = {unknown_best_score, unknown_best_score};
    return table;
}

// -- the same searches, plain -----------------------------------------------------------------

using Row = std::vector<Worth>;

struct Plain {
    const Table& table;
    int hero = 0;

    const TableState& at(std::uint32_t s) const { return table.states[s]; }
    bool over(std::uint32_t s) const { return at(s).successors.empty(); }
    Row row(std::uint32_t s) const {
        Row row;
        for (int p = 0; p < table.players; ++p)
            row.push_back(over(s) ? lexicographic(at(s).outcome[p], at(s).score[p] + 0.0f)
                                  : lexicographic(0, at(s).evaluation[p] + 0.0f));
        return row;
    }

    // What the hero gets if everybody else is against him.
    Worth two_sided(std::uint32_t s, int depth) const {
        if (over(s) || depth == 0) return row(s)[hero];
        std::vector<Worth> all;
        for (const std::uint32_t next : at(s).successors) all.push_back(two_sided(next, depth - 1));
        return at(s).player == hero ? *std::max_element(all.begin(), all.end())
                                    : *std::min_element(all.begin(), all.end());
    }

    Row max_n(std::uint32_t s, int depth) const {
        if (over(s) || depth == 0) return row(s);
        Row best;
        for (const std::uint32_t next : at(s).successors) {
            Row found = max_n(next, depth - 1);
            if (best.empty() || found[at(s).player] > best[at(s).player]) best = found;
        }
        return best;
    }

    std::uint32_t favorite(std::uint32_t s) const {
        std::uint32_t best = at(s).successors[0];
        for (const std::uint32_t next : at(s).successors)
            if (row(next)[at(s).player] > row(best)[at(s).player]) best = next;
        return best;
    }
    // Best-Reply Search: `moved` of the others have moved since the hero, one `replied`.
    Worth best_reply(std::uint32_t s, int depth, int moved = 0, bool replied = false) const {
        if (over(s) || depth == 0) return row(s)[hero];
        const auto next_value = [&](std::uint32_t next, int left, bool reply) {
            const bool others = at(s).player != hero && !over(next) && at(next).player != hero;
            return others ? best_reply(next, left, moved + 1, reply) : best_reply(next, left);
        };
        std::vector<Worth> all;
        const int free = moved < table.players ? depth : depth - 1;
        if (at(s).player == hero) {
            for (const std::uint32_t next : at(s).successors)
                all.push_back(best_reply(next, depth - 1));
            return *std::max_element(all.begin(), all.end());
        }
        const std::uint32_t own = favorite(s);
        if (replied) return next_value(own, free, true);
        for (const std::uint32_t next : at(s).successors)
            all.push_back(next_value(next, depth - 1, true));
        if (!over(own) && at(own).player != hero && free > 0)
            all.push_back(next_value(own, free, false));
        return *std::min_element(all.begin(), all.end());
    }
};

// Every row that some equilibrium gives to each state.
std::vector<std::set<Row>> equilibria(const Table& table,
                                      const std::function<Row(std::uint32_t)>& row_of_end) {
    std::vector<std::set<Row>> all(table.states.size());
    for (std::uint32_t s = static_cast<std::uint32_t>(table.states.size()); s-- > 0;) {
        const TableState& state = table.states[s];
        if (state.successors.empty()) all[s] = {row_of_end(s)};
        Worth least = std::numeric_limits<Worth>::min();  // that the mover is sure to get
        for (const std::uint32_t next : state.successors) {
            Worth worst = std::numeric_limits<Worth>::max();
            for (const Row& row : all[next]) worst = std::min(worst, row[state.player]);
            least = std::max(least, worst);
        }
        for (const std::uint32_t next : state.successors)
            for (const Row& row : all[next])
                if (row[state.player] >= least) all[s].insert(row);
    }
    return all;
}

// -- an opponent and its game -----------------------------------------------------------------

struct Player {
    Player(const Table& table, DepthFirstKind kind, std::uint64_t bytes = megabyte,
           int hash_bits = 64)
        : table(table),
          rules(table),
          evaluator(table),
          core(DepthFirst::make(kind, rules, evaluator, bytes, hash_bits)) {}

    Choice choose(std::uint32_t state, const Allowance& allowance = {60}) {
        const Choice choice = core->choose(reinterpret_cast<State>(&state), allowance, Poll());
        check(state, choice);
        return choice;
    }
    // Indices are those of actions, and the line is one.
    void check(std::uint32_t state, const Choice& choice) const {
        CHECK(!choice.line.empty() && choice.line.front() == choice.index);
        for (const int index : choice.line) {
            const auto& successors = table.states[state].successors;
            CHECK(index >= 0 && static_cast<std::size_t>(index) < successors.size());
            state = successors.at(index);
        }
    }

    const Table& table;
    TableRules rules;
    TableEvaluator evaluator;
    std::unique_ptr<DepthFirst> core;
};

Allowance to_depth(std::uint64_t depth) { return {60, UINT64_MAX, depth}; }

// -- depth-first, two players -----------------------------------------------------------------

void check_solved(const Table& table, const std::vector<Value>& exact, std::uint32_t state,
                  Player& player) {
    const Choice choice = player.choose(state);
    const auto& [outcome, score] = exact[state];
    CHECK(choice.stop == Stop::resolved);
    CHECK(choice.proven[0] == outcome[0] && choice.proven[1] == -outcome[0]);
    CHECK(choice.values[0] == -choice.values[1]);
    if (outcome[0] == 0) CHECK(choice.values[0] == score[0] + 0.0f);
    const std::uint32_t next = table.states[state].successors[choice.index];
    CHECK(exact[next].first[0] == outcome[0]);
}

void test_alpha_beta_solves_random_games() {
    Random random(1);
    for (int i = 0; i < 600; ++i) {
        const bool small = i % 3 == 0;
        const Table table = random_game(random, small ? 14 : 60).table;
        const std::vector<Value> exact = backward_induction(table);
        Player without(table, DepthFirstKind::alpha_beta, 0);
        Player with(table, DepthFirstKind::alpha_beta);
        Player colliding(table, DepthFirstKind::alpha_beta, megabyte, 2);
        CHECK(without.core->table_bytes() == 0 && with.core->table_bytes() > 0);
        check_solved(table, exact, 0, with);
        if (small) check_solved(table, exact, 0, without);
        if (small) check_solved(table, exact, 0, colliding);
        // The same one plays on, with what it remembers.
        for (std::uint32_t s = 1; s < table.states.size(); s += 1 + random.below(5))
            if (!table.states[s].successors.empty()) check_solved(table, exact, s, with);
    }
}

// Stops at a proof, so it is compared at the depth that was reached.
void check_depths(const Table& table, std::uint64_t table_bytes) {
    const Plain plain{table};
    for (std::uint64_t depth = 1; depth <= 4; ++depth) {
        Player player(table, DepthFirstKind::alpha_beta, table_bytes);
        const Choice choice = player.choose(0, to_depth(depth));
        CHECK(choice.rounds <= depth);
        CHECK(choice.rounds == depth || choice.stop == Stop::resolved);
        const Worth worth = plain.two_sided(0, static_cast<int>(choice.rounds));
        const WorthScale scale(player.rules, true);
        CHECK(choice.values[0] == scale.score(worth));
        const Worth chosen = plain.two_sided(table.states[0].successors[choice.index],
                                             static_cast<int>(choice.rounds) - 1);
        CHECK(chosen == worth);
    }
}

void test_alpha_beta_to_a_depth() {
    Random random(2);
    for (int i = 0; i < 300; ++i) {
        check_depths(random_game(random, 60).table, 0);
        const Table layered = layered_table(random, 7, 6);
        if (!layered.states[0].successors.empty()) check_depths(layered, megabyte);
    }
}

// A table that starts small and grows, and one that is full.
void test_tables_of_any_size() {
    Random random(3);
    for (int i = 0; i < 20; ++i) {
        const Table table = layered_table(random, 12, 400);
        const std::vector<Value> exact = backward_induction(table);
        for (const std::uint64_t bytes : {200 * std::uint64_t{1024}, 16 * megabyte}) {
            Player player(table, DepthFirstKind::alpha_beta, bytes);
            check_solved(table, exact, 0, player);
            CHECK(player.core->table_bytes() <= bytes);
        }
    }
}

// -- depth-first, more players ----------------------------------------------------------------

void test_max_n_is_an_equilibrium() {
    Random random(4);
    for (int i = 0; i < 500; ++i) {
        const int players = 1 + static_cast<int>(random.below(4));
        const Table table =
            table_of_numbers(random, players, 30, {3 + random.below(100), random.below(2) == 0});
        const Plain plain{table};
        const auto all = equilibria(table, [&](std::uint32_t s) { return plain.row(s); });
        for (const int hash_bits : {64, 2}) {
            Player player(table, DepthFirstKind::max_n, megabyte, hash_bits);
            const WorthScale scale(player.rules, true);
            for (std::uint32_t s = 0; s < table.states.size(); s += 1 + random.below(9)) {
                if (table.states[s].successors.empty()) continue;
                const Choice choice = player.choose(s);
                CHECK(choice.stop == Stop::resolved);
                Row row;
                for (int p = 0; p < players; ++p)
                    row.push_back(lexicographic(choice.proven[p], choice.values[p]));
                CHECK(all[s].contains(row));
            }
        }
    }
}

// Without ties there is only one answer.
void test_max_n_to_a_depth() {
    Random random(5);
    for (int i = 0; i < 300; ++i) {
        const Table table = table_of_numbers(random, 3, 60, {1'000'000, false});
        const Plain plain{table};
        for (std::uint64_t depth = 1; depth <= 4; ++depth) {
            Player player(table, DepthFirstKind::max_n, 0);
            const Choice choice = player.choose(0, to_depth(depth));
            const Row row = plain.max_n(0, static_cast<int>(choice.rounds));
            const WorthScale scale(player.rules, true);
            for (int p = 0; p < 3; ++p) CHECK(choice.values[p] == scale.score(row[p]));
        }
    }
}

// Paranoid and best-reply searches, at some depths and to the end. What a table remembers may be
// deeper, so with one only the end counts; and who has won looks for no better score.
void check_two_sided(const Table& table, DepthFirstKind kind, std::uint64_t depth,
                     std::uint64_t table_bytes) {
    const Plain plain{table, table.states[0].player};
    Player player(table, kind, table_bytes);
    const WorthScale scale(player.rules, true);
    const Choice choice = player.choose(0, to_depth(depth));
    const int reached = table_bytes > 0 ? 100 : static_cast<int>(choice.rounds);
    const Worth worth = kind == DepthFirstKind::paranoid ? plain.two_sided(0, reached)
                                                         : plain.best_reply(0, reached);
    const bool won = scale.outcome(worth) > 0;
    if (table_bytes == 0 || scale.outcome(worth) == 0)
        CHECK(choice.values[plain.hero] == scale.score(worth));
    if (table_bytes > 0) CHECK(choice.stop == Stop::resolved);
    CHECK(choice.proven[plain.hero] == (won && kind == DepthFirstKind::paranoid ? 1 : unproven));
}

void test_one_against_all() {
    Random random(6);
    for (int i = 0; i < 300; ++i) {
        const int players = 2 + static_cast<int>(random.below(4));
        const Table table = table_of_numbers(random, players, 16, {5, random.below(2) == 0});
        for (const DepthFirstKind kind : {DepthFirstKind::paranoid, DepthFirstKind::best_reply})
            for (const std::uint64_t depth : {1, 2, 3, 4, 100}) {
                check_two_sided(table, kind, depth, 0);
                if (depth == 100) check_two_sided(table, kind, depth, megabyte);
            }
    }
}

// Where nobody wins, only scores count, and they are compared to the end of the game: a state that
// is known with a reply to come is another one than the same with none.
void test_best_replies_are_remembered_apart() {
    Random random(16);
    for (int i = 0; i < 2000; ++i) {
        Table table = table_of_numbers(random, 3, 14, {1000, false});
        for (TableState& state : table.states) state.outcome.assign(3, 0);
        check_two_sided(table, DepthFirstKind::best_reply, 100, megabyte);
    }
}

// -- Monte Carlo ------------------------------------------------------------------------------

Choice simulate(MonteCarlo& player, std::uint32_t state, std::uint64_t simulations) {
    return player.choose(reinterpret_cast<State>(&state), {60, UINT64_MAX, simulations}, Poll());
}

// Children have their parents' states before them, and visits add up.
void check_tree(const Tree& tree) {
    std::uint64_t inners = 0;
    const std::function<void(std::uint32_t)> walk = [&](std::uint32_t id) {
        const Leaf& node = tree.node(id);
        if (node.inner == no_inner) return;
        ++inners;
        const auto& inner = tree.inner(node.inner);
        CHECK(inner.node == id && inner.alive == 0 && inner.first > id);
        std::uint64_t visits = 0;
        for (std::uint32_t i = 0; i < inner.count; ++i) {
            visits += tree.node(inner.first + i).exact ? 0 : tree.node(inner.first + i).visits;
            walk(inner.first + i);
        }
        CHECK(visits <= node.visits || node.exact);
        CHECK(inner.first + inner.count <= tree.nodes());
    };
    walk(0);
    CHECK(inners > 0);
}

void test_monte_carlo_proves() {
    Random random(7);
    int proven = 0;
    for (int i = 0; i < 500; ++i) {
        const Table table = random_game(random, 25).table;
        const std::vector<Value> exact = backward_induction(table);
        TableRules rules(table);
        MonteCarloOptions options;
        options.seed = static_cast<std::uint64_t>(i);
        options.playouts = 1 + i % 3;
        MonteCarlo player(rules, options);
        const Choice choice = simulate(player, 0, 3000);
        check_tree(player.tree());
        if (choice.proven[0] == unproven) continue;
        ++proven;
        CHECK(choice.stop == Stop::resolved);
        CHECK(choice.proven[0] == exact[0].first[0]);
        CHECK(choice.values[0] == exact[0].first[0]);
        const std::uint32_t next = table.states[0].successors[choice.index];
        CHECK(exact[next].first[0] == exact[0].first[0]);
    }
    CHECK(proven >= 450);
}

void test_monte_carlo_proves_for_many() {
    Random random(8);
    int proven = 0;
    for (int i = 0; i < 300; ++i) {
        const int players = 1 + static_cast<int>(random.below(4));
        const Table table = table_of_numbers(random, players, 20);
        const auto all = equilibria(table, [&](std::uint32_t s) {
            return Row(table.states[s].outcome.begin(), table.states[s].outcome.end());
        });
        TableRules rules(table);
        MonteCarlo player(rules, {});
        const Choice choice = simulate(player, 0, 3000);
        check_tree(player.tree());
        if (choice.proven[0] == unproven) continue;
        ++proven;
        CHECK(all[0].contains(Row(choice.proven.begin(), choice.proven.end())));
    }
    CHECK(proven >= 270);
}

void test_monte_carlo_without_proofs() {
    Random random(9);
    for (int i = 0; i < 100; ++i) {
        const Table table = random_game(random, 25).table;
        TableRules rules(table);
        MonteCarloOptions options;
        options.solver = false;
        MonteCarlo player(rules, options), again(rules, options);
        const Choice choice = simulate(player, 0, 500);
        CHECK(choice.proven[0] == unproven && choice.stop == Stop::iterations);
        CHECK(choice.rounds == 500 && choice.values[0] == -choice.values[1]);
        CHECK(player.tree().node(0).visits == 500);
        const Choice same = simulate(again, 0, 500);
        CHECK(same.index == choice.index && same.values == choice.values);
        CHECK(same.line == choice.line && same.nodes == choice.nodes);
        check_tree(player.tree());
    }
}

// Who is sure of a draw does not mind what else he could do, however much of it is searched.
void test_a_sure_draw_is_worth_a_draw() {
    Random random(17);
    Table table = layered_table(random, 40, 60);
    for (TableState& state : table.states) {
        state.player = 0;
        state.outcome = {-1, 1};
    }
    const auto draw = static_cast<std::uint32_t>(table.states.size());
    table.states.push_back(table.states.back());
    table.states.back().successors.clear();
    table.states.back().outcome = {0, 0};
    table.states.push_back(table.states[0]);
    table.states.back().successors = {0, draw};
    table.states.push_back(table.states[0]);
    table.states.back().successors = {draw + 1};
    TableRules rules(table);
    MonteCarlo player(rules, {});
    const Choice choice = simulate(player, draw + 2, 2000);
    CHECK(choice.rounds == 2000 && choice.proven[0] == unproven);
    CHECK(choice.values[0] > -0.1f && choice.line[1] == 1);
}

// The part of the tree that is played to is kept, down to the last visit.
void test_the_tree_is_kept() {
    Random random(10);
    int kept = 0;
    for (int i = 0; i < 200; ++i) {
        Table table = layered_table(random, 12, 30);
        table.best_score = {unknown_best_score, unknown_best_score};
        if (table.states[0].successors.empty()) continue;
        TableRules rules(table);
        MonteCarloOptions options;
        options.solver = i % 2 == 0;
        MonteCarlo player(rules, options);
        const Choice first = simulate(player, 0, 2000);
        std::uint32_t state = 0, id = 0;
        for (std::size_t k = 0; k < std::min<std::size_t>(first.line.size(), 1 + i % 3); ++k) {
            state = table.states[state].successors[first.line[k]];
            id = player.tree().inner(player.tree().node(id).inner).first + first.line[k];
            if (player.tree().node(id).inner == no_inner) break;
        }
        if (table.states[state].successors.empty()) continue;
        const bool has_children = player.tree().node(id).inner != no_inner;
        const std::uint32_t visits = player.tree().node(id).visits;
        const std::uint64_t bytes = player.tree().bytes();
        simulate(player, state, 0);
        check_tree(player.tree());
        CHECK(std::memcmp(player.tree().root(), &state, 4) == 0);
        CHECK(player.tree().bytes() <= bytes);
        if (!has_children || i % 3 == 2) continue;  // that is farther away than it looks
        ++kept;
        CHECK(player.tree().node(0).visits >= visits);  // or the same state by another way
        simulate(player, state, 500);
        check_tree(player.tree());
    }
    CHECK(kept > 50);
}

void test_the_tree_has_a_limit() {
    Random random(11);
    const Table table = layered_table(random, 40, 60);
    TableRules rules(table);
    for (const std::uint64_t memory : {std::uint64_t{0}, std::uint64_t{20'000}, megabyte}) {
        MonteCarloOptions options;
        options.memory = memory;
        options.solver = false;
        MonteCarlo player(rules, options);
        const Choice choice = simulate(player, 0, 20'000);
        CHECK(choice.rounds == 20'000);
        CHECK(player.tree().bytes() <= std::max<std::uint64_t>(memory, 400));
        check_tree(player.tree());
    }
}

// -- limits -----------------------------------------------------------------------------------

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

const DepthFirstKind kinds[] = {DepthFirstKind::alpha_beta, DepthFirstKind::max_n,
                                DepthFirstKind::paranoid, DepthFirstKind::best_reply};

using Chooser = std::function<Choice(const Allowance&, const Poll&)>;

// Every opponent in a game without an end, where only limits stop it.
void with_all_in_an_endless_game(const std::function<void(const Chooser&)>& test) {
    NativeRules rules = endless_rules();
    NativeEvaluator evaluator(sizeof(EndlessState), endless_evaluate);
    std::vector<std::byte> state(rules.state_bytes);
    for (const DepthFirstKind kind : kinds) {
        const auto player = DepthFirst::make(kind, rules, evaluator, megabyte);
        test([&](const Allowance& a, const Poll& p) { return player->choose(state.data(), a, p); });
    }
    MonteCarlo player(rules, {});
    test([&](const Allowance& a, const Poll& p) { return player.choose(state.data(), a, p); });
}

void test_time_is_a_limit() {
    with_all_in_an_endless_game([](const Chooser& choose) {
        for (const double seconds : {0.0, 0.05}) {
            const auto start = std::chrono::steady_clock::now();
            const Choice choice = choose({seconds}, Poll());
            CHECK(choice.stop == Stop::seconds);
            CHECK(seconds_since(start) >= seconds && seconds_since(start) < seconds + 0.5);
        }
    });
}

void test_nodes_are_a_limit() {
    with_all_in_an_endless_game([](const Chooser& choose) {
        for (const std::uint64_t nodes : {1, 100, 5000}) {
            const Choice choice = choose({60, nodes}, Poll());
            CHECK(choice.stop == Stop::states);
            CHECK(choice.nodes >= nodes && choice.nodes < nodes + 300);
        }
    });
}

void test_the_caller_can_stop() {
    with_all_in_an_endless_game([](const Chooser& choose) {
        int calls = 0;
        const Choice choice = choose({60}, [&] { return ++calls == 3; });
        CHECK(choice.stop == Stop::interrupted && calls == 3);
        bool thrown = false;
        try {
            choose({60}, []() -> bool { throw std::runtime_error("enough"); });
        } catch (const std::runtime_error&) {
            thrown = true;
        }
        CHECK(thrown);
        CHECK(choose({60, 1000}, Poll()).stop == Stop::states);
    });
}

// -- failures ---------------------------------------------------------------------------------

template <class Error>
bool throws(const std::function<void()>& work) {
    try {
        work();
    } catch (const Error&) {
        return true;
    }
    return false;
}

void test_what_cannot_be_is_refused() {
    Random random(12);
    const Table two = table_of_numbers(random, 2, 20), three = table_of_numbers(random, 3, 20);
    CHECK(throws<std::invalid_argument>([&] { Player(three, DepthFirstKind::alpha_beta); }));
    TableRules rules(two);
    const std::uint32_t end = static_cast<std::uint32_t>(two.states.size()) - 1;
    for (const DepthFirstKind kind : kinds)
        CHECK(throws<std::invalid_argument>([&] { Player(two, kind).choose(end); }));
    MonteCarlo player(rules, {});
    CHECK(throws<std::invalid_argument>([&] { simulate(player, end, 10); }));
    CHECK(throws<std::invalid_argument>([&] { MonteCarlo(rules, {-1.0}); }));
    CHECK(throws<std::invalid_argument>([&] { MonteCarlo(rules, {1.0, 0}); }));
    // Two players, but no zero sum.
    Table unfair = countdown(3);
    unfair.states.back().outcome = {1, 1};
    CHECK(throws<RuleFailure>([&] { Player(unfair, DepthFirstKind::alpha_beta).choose(0); }));
    Table not_finite = countdown(3);
    not_finite.states[2].evaluation = {NAN, 0};
    for (const DepthFirstKind kind : kinds)
        CHECK(throws<RuleFailure>([&] { Player(not_finite, kind).choose(0); }));
}

// Whichever call of a rule fails, it is reported, and the opponent is as good as new afterwards.
void test_rules_fail_at_any_call() {
    Random random(13);
    for (int i = 0; i < 12; ++i) {
        game = random_game(random, 20);
        NativeRules rules = native_rules();
        NativeEvaluator evaluator(game.state_bytes, native_evaluate);
        const std::vector<std::byte> state = state_of(0);
        const std::vector<Value> exact = backward_induction(game.table);
        const auto try_every_call = [&](const Chooser& choose) {
            const Allowance allowance{60, UINT64_MAX, 60};
            for (int call = 0; call < 400; call += 1 + call / 20) {
                calls_left = call;
                const bool failed = throws<RuleFailure>([&] { choose(allowance, Poll()); });
                const bool reached = calls_left < 0;
                calls_left = -1;
                CHECK(failed == reached);
                const Choice choice = choose(allowance, Poll());
                CHECK(choice.proven[0] == unproven || choice.proven[0] == exact[0].first[0]);
            }
        };
        for (const DepthFirstKind kind : {DepthFirstKind::alpha_beta, DepthFirstKind::max_n}) {
            const auto player = DepthFirst::make(kind, rules, evaluator, megabyte);
            try_every_call([&](const Allowance& a, const Poll& p) {
                return player->choose(state.data(), a, p);
            });
        }
        MonteCarlo player(rules, {});
        try_every_call(
            [&](const Allowance& a, const Poll& p) { return player.choose(state.data(), a, p); });
    }
}

// A state of the root's that is asked again fails again: every rule, on the first state but one.
void test_a_broken_rule_is_reported() {
    Random random(14);
    for (const char* rule : {"actions", "next", "outcome", "score", "player", "evaluate"}) {
        game = random_game(random, 20);
        game.has_score = true;
        game.broken_rule = rule;
        game.broken_state = game.table.states[0].successors[0];
        TableState& broken = game.table.states[game.broken_state];
        const bool of_an_end = rule == std::string("outcome") || rule == std::string("score");
        if (of_an_end) broken.successors.clear();
        if (!of_an_end && broken.successors.empty())
            broken.successors = {static_cast<std::uint32_t>(game.table.states.size()) - 1};
        NativeRules rules = native_rules();
        NativeEvaluator evaluator(game.state_bytes, native_evaluate);
        const auto player = DepthFirst::make(DepthFirstKind::max_n, rules, evaluator, 0);
        try {
            player->choose(state_of(0).data(), {60}, Poll());
            CHECK(std::string(rule) == "next");  // a win elsewhere may have been enough
        } catch (const RuleFailure& failure) {
            CHECK(failure.rule == rule && failure.state == state_of(game.broken_state));
        }
    }
    game = {};
}

int allocations_left = -1;

void* sometimes(std::size_t bytes) {
    if (allocations_left >= 0 && allocations_left-- == 0) {
        allocations_left = 0;
        return nullptr;
    }
    return std::calloc(bytes, 1);
}

void test_memory_ends_anywhere() {
    Random random(15);
    const MemorySource before = memory_source;
    memory_source = {sometimes, std::free};
    for (int left = 0; left < 6; ++left) {
        const Table table = layered_table(random, 12, 3000);
        const std::vector<Value> exact = backward_induction(table);
        allocations_left = left;
        Player player(table, DepthFirstKind::alpha_beta, 64 * megabyte);
        check_solved(table, exact, 0, player);
        TableRules rules(table);
        MonteCarloOptions options;
        options.solver = false;
        allocations_left = left;
        MonteCarlo monte_carlo(rules, options);
        const bool failed = throws<std::bad_alloc>([&] { simulate(monte_carlo, 0, 30'000); });
        CHECK(failed == (left < 2));
        allocations_left = -1;
        CHECK(simulate(monte_carlo, 0, 1000).rounds == 1000);
        check_tree(monte_carlo.tree());
    }
    memory_source = before;
}

// Longer than any line that is searched, and moves that are forced.
void test_long_lines() {
    const Table table = countdown(3000);
    for (const DepthFirstKind kind : kinds) {
        Player player(table, kind);
        const Choice choice = player.choose(0);
        CHECK(choice.stop == Stop::iterations && choice.rounds == 500);
        CHECK(player.choose(2900).stop == Stop::resolved);
    }
    TableRules rules(table);
    MonteCarlo player(rules, {});
    CHECK(simulate(player, 2900, 200).proven[0] == 1);
    CHECK(simulate(player, 0, 20).rounds == 20);
}

std::vector<Test> all_tests() {
    return {
        {"alpha-beta solves random games", test_alpha_beta_solves_random_games},
        {"alpha-beta to a depth", test_alpha_beta_to_a_depth},
        {"tables of any size", test_tables_of_any_size},
        {"max^n is an equilibrium", test_max_n_is_an_equilibrium},
        {"max^n to a depth", test_max_n_to_a_depth},
        {"one against all", test_one_against_all},
        {"best replies are remembered apart", test_best_replies_are_remembered_apart},
        {"Monte Carlo proves", test_monte_carlo_proves},
        {"Monte Carlo proves for many", test_monte_carlo_proves_for_many},
        {"Monte Carlo without proofs", test_monte_carlo_without_proofs},
        {"a sure draw is worth a draw", test_a_sure_draw_is_worth_a_draw},
        {"the tree is kept", test_the_tree_is_kept},
        {"the tree has a limit", test_the_tree_has_a_limit},
        {"time is a limit", test_time_is_a_limit},
        {"nodes are a limit", test_nodes_are_a_limit},
        {"the caller can stop", test_the_caller_can_stop},
        {"what cannot be is refused", test_what_cannot_be_is_refused},
        {"rules fail at any call", test_rules_fail_at_any_call},
        {"a broken rule is reported", test_a_broken_rule_is_reported},
        {"memory ends anywhere", test_memory_ends_anywhere},
        {"long lines", test_long_lines},
    };
}

}  // namespace

}  // namespace unbounded::opponents

// With an argument: only the tests whose name contains it.
int main(int count, char** arguments) {
    std::vector<Test> tests = unbounded::opponents::all_tests();
    const std::string wanted = count > 1 ? arguments[1] : "";
    std::erase_if(tests, [&](const Test& test) {
        return std::string(test.first).find(wanted) == std::string::npos;
    });
    return run_tests(tests);
}
