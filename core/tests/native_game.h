// SPDX-License-Identifier: MIT
// Explicit games as NativeRules. Their functions cannot carry data, so they read globals, which are
// written only while no other thread runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>

#include "graph/hashing.h"
#include "rules/native_rules.h"
#include "tests/table_game.h"

namespace unbounded {

// The rows of a table. A state is its number in the last four bytes; the bytes before are padding,
// and a state with a wrong byte anywhere is a fault of the rules.
struct NativeGame {
    Table table;
    std::size_t state_bytes = 4;
    bool padded = false;  // whether the padding differs from state to state
    bool has_score = true;
    std::int32_t first_action = 0;
    int symmetries = 1;  // a power of 2: the states n and n ^ k, k below it, are the same

    const char* broken_rule = "";  // of one state
    std::uint32_t broken_state = 0;
};
inline NativeGame game;
inline std::atomic<int> calls_left = -1;  // until one call of a rule fails; negative: none does

inline std::byte padding(std::uint32_t number, std::size_t at) {
    return static_cast<std::byte>(game.padded ? mix(number + 1, at) : 0);
}

inline bool has_its_padding(std::uint32_t number, const std::byte* state) {
    for (std::size_t i = 0; i + sizeof number < game.state_bytes; ++i)
        if (state[i] != padding(number, i)) return false;
    return true;
}

inline void write_state(std::uint32_t number, void* out) {
    std::byte* const bytes = static_cast<std::byte*>(out);
    const std::size_t padded = game.state_bytes - sizeof number;
    for (std::size_t i = 0; i < padded; ++i) bytes[i] = padding(number, i);
    std::memcpy(bytes + padded, &number, sizeof number);
}

inline std::uint32_t number_of(const void* state) {
    return number(static_cast<State>(state) + game.state_bytes - sizeof(std::uint32_t));
}

inline std::vector<std::byte> state_of(std::uint32_t number) {
    std::vector<std::byte> state(game.state_bytes);
    write_state(number, state.data());
    return state;
}

// The row of a state; null: this call is to fail.
inline const TableState* row(const char* rule, const void* state) {
    if (calls_left >= 0 && calls_left.fetch_sub(1) == 0) return nullptr;
    const std::uint32_t number = number_of(state);
    if (number >= game.table.states.size()) return nullptr;
    if (!has_its_padding(number, static_cast<State>(state))) return nullptr;
    if (number == game.broken_state && std::strcmp(rule, game.broken_rule) == 0) return nullptr;
    return &game.table.states[number];
}

inline std::int32_t native_initial(void* out) {
    write_state(0, out);
    return 0;
}

inline std::int32_t native_player(const void* state) {
    const TableState* const at = row("player", state);
    return at == nullptr ? -1 : at->player;
}

inline std::int32_t native_actions(const void* state, std::int32_t* out) {
    const TableState* const at = row("actions", state);
    if (at == nullptr) return -1;
    for (std::size_t i = 0; i < at->successors.size(); ++i)
        out[i] = game.first_action + static_cast<std::int32_t>(i);
    return static_cast<std::int32_t>(at->successors.size());
}

inline std::int32_t native_next(const void* state, std::int32_t action, void* out) {
    const TableState* const at = row("next", state);
    if (at == nullptr || std::memcmp(state, out, game.state_bytes) != 0) return -1;
    write_state(at->successors.at(action - game.first_action), out);
    return 0;
}

inline std::int32_t native_outcome(const void* state, std::int32_t* out) {
    const TableState* const at = row("outcome", state);
    if (at == nullptr) return -1;
    std::copy(at->outcome.begin(), at->outcome.end(), out);
    return 0;
}

inline std::int32_t native_score(const void* state, float* out) {
    const TableState* const at = row("score", state);
    if (at == nullptr) return -1;
    std::copy(at->score.begin(), at->score.end(), out);
    return 0;
}

inline std::int32_t native_symmetry(const void* state, std::int32_t k, void* out) {
    if (row("symmetry", state) == nullptr) return -1;
    write_state(number_of(state) ^ static_cast<std::uint32_t>(k), out);
    return 0;
}

inline std::int32_t native_evaluate(const void* states, std::int64_t count, float* out) {
    const std::byte* state = static_cast<State>(states);
    for (std::int64_t i = 0; i < count; ++i, state += game.state_bytes) {
        const TableState* const at = row("evaluate", state);
        if (at == nullptr) return static_cast<std::int32_t>(-1 - i);
        std::copy(at->evaluation.begin(), at->evaluation.end(), out + 2 * i);
    }
    return 0;
}

// What a compiled `expand` does, around rules that are functions of their own.
struct SingleRules {
    std::int32_t (*player)(const void* state);
    std::int32_t (*actions)(const void* state, std::int32_t* out);
    std::int32_t (*next)(const void* state, std::int32_t action, void* out);
    std::int32_t (*outcome)(const void* state, std::int32_t* out);
    std::int32_t (*score)(const void* state, float* out);  // may be null
    int players, max_actions;
    std::size_t state_bytes;
};
inline SingleRules single;  // that `expand_by_single_rules` calls

struct Rows {
    std::int32_t *counts, *players, *outcomes;
    float* scores;
};

inline std::int32_t tell(const void* state, int row, const Rows& rows) {
    std::vector<std::int32_t> scratch(single.max_actions);
    const std::int32_t count = single.actions(state, scratch.data());
    if (count == -1) return -3;
    rows.counts[row] = count;
    if (count != 0) {
        rows.players[row] = single.player(state);
        return rows.players[row] == -1 ? -4 : 0;
    }
    const int first = row * single.players;
    std::fill_n(rows.outcomes + first, single.players, 0);
    if (single.outcome(state, rows.outcomes + first) < 0) return -5;
    std::copy_n(rows.outcomes + first, single.players, rows.scores + first);
    return single.score != nullptr && single.score(state, rows.scores + first) < 0 ? -6 : 0;
}

inline std::int32_t expand_by_single_rules(const void* state, std::int32_t* asked,
                                           std::int32_t* actions, void* states,
                                           std::int32_t* counts, std::int32_t* players,
                                           std::int32_t* outcomes, float* scores) {
    const auto given = static_cast<State>(state);
    const std::vector<std::byte> parent(given, given + single.state_bytes);
    const std::size_t stride = (single.state_bytes + 7) / 8 * 8;
    Request& request = *reinterpret_cast<Request*>(asked);
    if (request.wanted & Request::itself)
        return tell(parent.data(), 0, {counts, players, outcomes, scores});
    if (request.count < 0) {
        request.count = single.actions(parent.data(), actions);
        if (request.count == -1) return -1;
    }
    if (request.count > std::min(request.room, single.max_actions)) return 0;
    for (; request.first < std::min(request.last, request.count); ++request.first) {
        const int row = request.wanted & Request::bare_states ? 0 : request.first;
        std::byte* const child = static_cast<std::byte*>(states) + row * stride;
        std::memcpy(child, parent.data(), parent.size());
        if (single.next(parent.data(), actions[request.first], child) < 0) return -2;
        if (request.wanted & Request::bare_states) continue;
        const std::int32_t status = tell(child, row, {counts, players, outcomes, scores});
        if (status < 0) return status;
        if ((request.wanted & Request::until_terminal) && counts[row] == 0) {
            ++request.first;
            break;
        }
    }
    return 0;
}

// The smallest image.
inline std::int32_t native_canonical(void* state) {
    const std::uint32_t original = number_of(state);
    std::vector<std::byte> image(game.state_bytes);
    const std::vector<std::byte> given = state_of(original);
    for (int k = 1; k < game.symmetries; ++k) {
        if (native_symmetry(given.data(), k, image.data()) < 0) return -1;
        if (std::memcmp(image.data(), state, image.size()) < 0)
            std::memcpy(state, image.data(), image.size());
    }
    return 0;
}

// Successors have higher numbers, so the other way round they are nearer to the end. Leads are any.
inline std::int32_t native_endgame(const void* state, std::int32_t most, std::int32_t* number,
                                   std::int32_t* lead) {
    if (row("endgame", state) == nullptr) return -1;
    const std::uint32_t at = number_of(state);
    *number = static_cast<std::int32_t>(game.table.states.size() - 1 - at);
    if (*number >= most && at % 2 == 0) *number = -1;  // or not, as it likes
    *lead = static_cast<std::int32_t>(at % 5) - 2;
    return 0;
}

inline NativeRules native_rules(std::vector<std::int32_t> endgame_sizes = {}) {
    std::size_t most = 1;
    for (const TableState& state : game.table.states)
        most = std::max(most, state.successors.size());
    single = {native_player,
              native_actions,
              native_next,
              native_outcome,
              game.has_score ? native_score : nullptr,
              2,
              static_cast<int>(most),
              game.state_bytes};
    RuleFunctions functions{native_initial, expand_by_single_rules};
    if (game.symmetries > 1) functions.canonical = native_canonical;
    functions.endgame = native_endgame;
    return NativeRules(2, game.state_bytes, static_cast<int>(most), game.table.best_score,
                       functions, std::move(endgame_sizes));
}

// -- random games ---------------------------------------------------------------------------------

// Successors have higher numbers, the near ones or all of them; some states have two ways to one.
inline void add_successors(Random& random, Table& table, bool near, int branching, int end_in) {
    const auto count = static_cast<std::uint32_t>(table.states.size());
    for (std::uint32_t s = 0; s + 1 < count; ++s) {
        if (s > 0 && random.below(end_in) == 0) continue;
        const std::uint32_t after = count - 1 - s;
        const std::uint32_t reach = near ? std::min(after, 6u) : after;
        for (std::uint32_t k = 0, last = random.below(branching); k <= last; ++k)
            table.states[s].successors.push_back(s + 1 + random.below(reach));
    }
}

// Few different outcomes and scores, so that ties abound; a draw may score more than a win.
inline void add_numbers(Random& random, Table& table, bool has_score, bool any_score) {
    const std::uint32_t outcomes = 1 + random.below(3);
    const int least = static_cast<int>(random.below(4 - outcomes)) - 1;
    for (TableState& state : table.states) {
        const int outcome = least + static_cast<int>(random.below(outcomes));
        float score = static_cast<float>(outcome);
        if (has_score) score = (any_score ? 0 : 8 * score) + random.below(7) * 0.3f - 1;
        if (score == 0) score = -0.0f;
        const float evaluation = static_cast<float>(random.below(9)) / 4 - 1;
        state.player = static_cast<int>(random.below(2));
        state.outcome = {static_cast<std::int8_t>(outcome), static_cast<std::int8_t>(-outcome)};
        state.score = {score, -score};
        state.evaluation = {evaluation, -evaluation};
    }
}

inline std::vector<float> best_scores(const Table& table) {
    std::vector<float> best(2, -unknown_best_score);
    for (const TableState& state : table.states)
        for (int p = 0; p < 2 && state.successors.empty(); ++p)
            best[p] = std::max(best[p], state.score[p]);
    return best;
}

// A random acyclic game, two players, zero sum; who moves does not alternate.
inline NativeGame random_game(Random& random, int most_states) {
    const std::size_t sizes[] = {4, 8, 12, 17};
    NativeGame made;
    made.state_bytes = sizes[random.below(4)];
    made.padded = random.below(2) == 0;
    made.has_score = random.below(3) != 0;
    made.first_action = -static_cast<int>(random.below(3));
    made.table.states.resize(5 + random.below(most_states - 4));
    const int branching = 2 + static_cast<int>(random.below(4));
    add_successors(random, made.table, random.below(2) == 0, branching, 4 + random.below(30));
    add_numbers(random, made.table, made.has_score, random.below(2) == 0);
    made.table.best_score = best_scores(made.table);
    if (random.below(2) == 0) made.table.best_score = {unknown_best_score, unknown_best_score};
    return made;
}

// The same game several times over, and moves lead from one copy to another: the copies of a state
// are the same up to symmetry, though they list their actions in another order.
inline NativeGame with_copies(const NativeGame& one, Random& random, std::uint32_t copies) {
    NativeGame made = one;
    made.symmetries = static_cast<int>(copies);
    made.table.states.clear();
    for (const TableState& state : one.table.states) {
        TableState copy = state;
        for (std::uint32_t& next : copy.successors) next = next * copies + random.below(copies);
        for (std::uint32_t k = 0; k < copies; ++k) {
            made.table.states.push_back(copy);
            std::vector<std::uint32_t>& successors = made.table.states.back().successors;
            for (std::uint32_t& next : successors) next ^= k;
            if (k % 2 == 1) std::reverse(successors.begin(), successors.end());
        }
    }
    return made;
}

// -- a game without an end ------------------------------------------------------------------------

// A tree of random numbers, sixteen actions everywhere.
struct EndlessState {
    std::uint32_t key[2];
    std::uint32_t ply;
};

inline NativeRules endless_rules() {
    constexpr int branching = 16;
    single.players = 2;
    single.max_actions = branching;
    single.state_bytes = sizeof(EndlessState);
    single.player = [](const void* state) {
        return static_cast<std::int32_t>(*static_cast<State>(state)) & 1;
    };
    single.actions = [](const void*, std::int32_t* out) {
        for (int i = 0; i < branching; ++i) out[i] = i;
        return branching;
    };
    single.next = [](const void* from, std::int32_t action, void* out) {
        EndlessState state;
        std::memcpy(&state, from, sizeof state);
        std::uint64_t key;
        std::memcpy(&key, state.key, sizeof key);
        key = mix(key, static_cast<std::uint64_t>(action) + 1);
        std::memcpy(state.key, &key, sizeof key);
        ++state.ply;
        std::memcpy(out, &state, sizeof state);
        return 0;
    };
    single.outcome = [](const void*, std::int32_t*) { return -1; };
    single.score = nullptr;
    const RuleFunctions functions{[](void*) { return 0; }, expand_by_single_rules};
    return NativeRules(2, sizeof(EndlessState), branching, {1, 1}, functions);
}

inline std::int32_t endless_evaluate(const void* states, std::int64_t count, float* out) {
    const std::byte* state = static_cast<State>(states);
    for (std::int64_t i = 0; i < count; ++i, state += sizeof(EndlessState)) {
        const float value = static_cast<float>(number(state) % 1000) / 500 - 1;
        out[2 * i] = value;
        out[2 * i + 1] = -value;
    }
    return 0;
}

}  // namespace unbounded
