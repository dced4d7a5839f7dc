// SPDX-License-Identifier: MIT
// The rules of a record game, compiled to C functions.
#pragma once

#include "rules/rules.h"

namespace unbounded {

// What a call of the compiled `expand` is to do, and what it did. The places of these numbers are
// known to `native/compiling/thunks.py`.
struct Request {
    enum Wanted : std::int32_t { everything = 0, until_terminal = 1, bare_states = 2, itself = 4 };
    std::int32_t count = -1;  // of actions; -1: to be listed
    std::int32_t first = 0;   // the successors to make; afterwards: the first that is not made
    std::int32_t last = 0;
    std::int32_t room = 0;  // with fewer rows than actions, they are only listed
    std::int32_t wanted = everything;
};

// Every function answers with a status, and a negative one means that a rule raised an exception.
// Of `expand` it says which: see `fail_in`. `first` then says which successor was being made.
struct RuleFunctions {
    std::int32_t (*initial)(void* state) = nullptr;
    std::int32_t (*expand)(const void* state, std::int32_t* request, std::int32_t* actions,
                           void* successors, std::int32_t* action_counts, std::int32_t* players,
                           std::int32_t* outcomes, float* scores) = nullptr;
    std::int32_t (*best_score_from)(const void* state, float* out) = nullptr;    // optional
    std::int32_t (*canonical)(void* state) = nullptr;                            // with symmetries
    std::int32_t (*forced)(const void* state, std::int32_t* actions) = nullptr;  // optional
    std::int32_t (*reduced)(const void* state, std::int32_t* lead,
                            void* left) = nullptr;  // optional
    std::int32_t (*endgame)(const void* state, std::int32_t most, std::int32_t* number,
                            std::int32_t* lead) = nullptr;  // optional
};

class NativeRules final : public Rules {
  public:
    // With a function `canonical`, every state is replaced by the smallest of its images, so that
    // states that are the same up to symmetry are the same.
    NativeRules(int players, std::size_t state_bytes, int max_actions,
                std::vector<float> best_score, RuleFunctions functions,
                std::vector<std::int32_t> endgame_sizes = {});

    void initial(std::byte* out) const override;
    void expand(State state, Expansion& out) const override;
    void describe(State state, Description& out) const override;
    float best_score_from(State state, int player) const override;
    bool bounds_scores() const override { return functions_.best_score_from != nullptr; }
    bool native() const override { return true; }
    void list_actions(State state, Expansion& out) const override;
    void list_forced(State state, Expansion& out) const override;
    bool has_forced() const override { return functions_.forced != nullptr; }
    int reduce(State state, std::byte* out) const override;
    bool reduces() const override { return functions_.reduced != nullptr; }
    Endgame endgame(State state, std::int32_t most) const override;
    const std::vector<std::int32_t>& endgame_sizes() const override { return endgame_sizes_; }
    int expand_until_terminal(State state, Expansion& out, int first, int last) const override;
    void successor(State state, const Expansion& listed, int index, std::byte* out) const override;
    void canonicalize(std::byte* state) const override;

  private:
    void ask(State state, Request& request, Expansion& out) const;
    // Checks what was told about a state, in a row.
    void check_row(State about, const Expansion& out, int row) const {
        const int count = out.action_counts[row];
        if (count < 0 || count > max_actions) refuse_count(about, count);
        if (count > 0) return check_player(about, out.player(row));
        check_end(about, out, row);
    }
    void check_end(State about, const Expansion& out, int row) const;
    [[noreturn]] void fail_in(int status, State state, State successor, int index) const;
    [[noreturn]] void refuse_count(State state, int count) const;

    const RuleFunctions functions_;
    const std::vector<std::int32_t> endgame_sizes_;
};

}  // namespace unbounded
