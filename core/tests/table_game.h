// SPDX-License-Identifier: MIT
// An explicit game: its states are the rows of a table, and what each is worth is found by brute
// force.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "rules/evaluator.h"

namespace unbounded {

struct TableState {
    int player = 0;
    std::vector<std::uint32_t> successors;
    std::vector<std::int8_t> outcome;
    std::vector<float> score;
    std::vector<float> evaluation;
};

struct Table {
    int players = 2;
    std::vector<TableState> states;
    std::vector<float> best_score;
};

inline std::uint32_t number(State state) {
    std::uint32_t value;
    std::memcpy(&value, state, sizeof value);
    return value;
}

class TableRules final : public Rules {
  public:
    explicit TableRules(const Table& table, bool native = true)
        : Rules(table.players, 4, 64, table.best_score), table_(table), native_(native) {}

    void initial(std::byte* out) const override { std::memset(out, 0, 4); }
    void expand(State state, Expansion& out) const override {
        const TableState& s = table_.states[number(state)];
        out.count = static_cast<int>(s.successors.size());
        out.reserve(out.count);
        for (int i = 0; i < out.count; ++i) {
            std::memcpy(out.state(i), &s.successors[i], 4);
            const TableState& child = table_.states[s.successors[i]];
            Description about(players);
            describe(out.state(i), about);
            out.actions[i] = i;
            out.action_counts[i] = about.action_count;
            out.players[i] = child.player;
            if (!about.terminal) continue;
            std::copy(child.outcome.begin(), child.outcome.end(), &out.outcomes[i * players]);
            std::copy(child.score.begin(), child.score.end(), &out.scores[i * players]);
        }
    }
    void describe(State state, Description& out) const override {
        const TableState& s = table_.states[number(state)];
        out.action_count = static_cast<int>(s.successors.size());
        out.terminal = s.successors.empty();
        out.player = s.player;
        if (out.terminal) {
            out.outcome = s.outcome;
            out.score = s.score;
        }
        check(state, out);
    }
    float best_score_from(State, int player) const override { return best_score[player]; }
    bool native() const override { return native_; }

  private:
    const Table& table_;
    const bool native_;
};

class TableEvaluator final : public Evaluator {
  public:
    explicit TableEvaluator(const Table& table) : table_(table) {}
    void evaluate(State states, std::size_t count, float* out) override {
        for (std::size_t i = 0; i < count; ++i) {
            const auto& numbers = table_.states[number(states + 4 * i)].evaluation;
            std::copy(numbers.begin(), numbers.end(), out + i * numbers.size());
        }
    }
    bool native() const override { return true; }

  private:
    const Table& table_;
};

using Value = std::pair<std::vector<std::int8_t>, std::vector<float>>;

// Max^n by brute force; for two players and zero sum its outcomes are the minimax values.
inline std::vector<Value> backward_induction(const Table& table) {
    std::vector<Value> values(table.states.size());
    for (std::size_t s = table.states.size(); s-- > 0;) {
        const TableState& state = table.states[s];
        values[s] = {state.outcome, state.score};
        bool first = true;
        for (const std::uint32_t child : state.successors) {
            const Value& value = values[child];
            const auto key = [&](const Value& v) {
                return std::pair(v.first[state.player], v.second[state.player]);
            };
            if (first || key(value) > key(values[s])) values[s] = value;
            first = false;
        }
    }
    return values;
}

// A random acyclic game: successors have higher numbers. Scores are all different, so that the
// Max^n value is unique (the paper's tie-breaking), and zero-sum for two players.
inline Table random_table(Random& random, int players, std::uint32_t most_states = 64) {
    const int count = 5 + static_cast<int>(random.below(most_states - 4));
    Table table;
    table.players = players;
    table.states.resize(count);
    table.best_score.assign(players, -1e30f);
    for (int s = 0; s < count; ++s) {
        TableState& state = table.states[s];
        state.player = static_cast<int>(random.below(players));
        const int after = count - 1 - s;
        const int branching =
            after == 0 ? 0 : static_cast<int>(random.below(std::min(after, 5) + 1));
        for (int k = 0; k < branching; ++k) {
            const int reach = random.below(2) == 0 ? after : std::min(after, 6);
            state.successors.push_back(s + 1 + random.below(reach));
        }
        for (int p = 0; p < players; ++p) {
            state.outcome.push_back(static_cast<std::int8_t>(random.below(3)) - 1);
            state.score.push_back(static_cast<float>(state.outcome[p] * 1000.0) +
                                  static_cast<float>(s) / 128 + static_cast<float>(p) / 1024);
            state.evaluation.push_back(static_cast<float>(random.below(9)) / 4 - 1);
        }
        if (players == 2) {
            state.outcome[1] = static_cast<std::int8_t>(-state.outcome[0]);
            state.score[1] = -state.score[0];
        }
        if (branching == 0)
            for (int p = 0; p < players; ++p)
                table.best_score[p] = std::max(table.best_score[p], state.score[p]);
    }
    return table;
}

// Count down to 0, one at a time or two at a time; the same player moves twice.
inline Table countdown(int length) {
    Table table;
    table.states.resize(length + 1);
    table.best_score = {1, 1};
    for (int s = 0; s <= length; ++s) {
        TableState& state = table.states[s];
        state.player = s / 2 % 2;
        state.evaluation = {0, 0};
        if (s < length) state.successors = {static_cast<std::uint32_t>(s + 1)};
        state.outcome = {1, -1};
        state.score = {1, -1};
    }
    return table;
}

}  // namespace unbounded
