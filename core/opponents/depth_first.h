// SPDX-License-Identifier: MIT
// Opponents that search depth-first to a growing depth, with the evaluator at the frontier: the
// classical ways to play, for two players and for more.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "opponents/choice.h"
#include "opponents/depth_first_table.h"
#include "opponents/families.h"
#include "rules/evaluator.h"

namespace unbounded::opponents {

enum class DepthFirstKind {
    alpha_beta,  // two players, zero sum
    max_n,       // everybody for himself
    paranoid,    // everybody against the one who chooses
    best_reply,  // of the others only the one who hurts most makes a move of his own
};

class DepthFirst {
  public:
    // The rules and the evaluator are the caller's. The table takes at most `table_bytes`; with
    // fewer than 64 `hash_bits` states collide, as tests want them to.
    static std::unique_ptr<DepthFirst> make(DepthFirstKind kind, const Rules& rules,
                                            Evaluator& evaluator, std::uint64_t table_bytes,
                                            int hash_bits = 64);
    virtual ~DepthFirst() = default;
    DepthFirst(const DepthFirst&) = delete;
    DepthFirst& operator=(const DepthFirst&) = delete;

    // Chooses an action of a state that is not terminal. Depth 1 is always searched, unless the
    // evaluator gives up; the rest stays within the allowance, give or take one state's children.
    Choice choose(State state, const Allowance& allowance, const Poll& poll);
    std::uint64_t table_bytes() const { return table_.bytes(); }

  protected:
    DepthFirst(const Rules& rules, Evaluator& evaluator, bool zero_sum, int row,
               std::uint64_t table_bytes, int hash_bits);

    // The best that is known of the root.
    struct Result {
        std::vector<int> line;   // the first one is the choice
        std::vector<Worth> row;  // per player, or to the one who moves
        bool whole = false;      // whether all actions were searched to the same depth
        bool complete = false;   // whether only ends of the game were met
    };

    // Prepares a search; `player` moves at the root.
    virtual void begin(int player) = 0;
    // Searches the root to a depth, keeping the result up to date. Returns true if searching deeper
    // cannot change it.
    virtual bool search_root(int depth) = 0;
    // Translates the result to values and proven outcomes, per player.
    virtual void report(Choice& choice) = 0;

    // The values at the end of the line, by the rules or by the evaluator.
    void values_along(const std::vector<int>& line, Choice& choice);

    const Rules& rules_;
    Evaluator& evaluator_;
    const WorthScale scale_;
    DepthFirstTable table_;
    Families families_;
    Spending* spending_ = nullptr;
    Result result_;

  private:
    Stop deepen(const Allowance& allowance, std::uint64_t& depth);
};

}  // namespace unbounded::opponents
