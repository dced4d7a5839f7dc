// SPDX-License-Identifier: MIT
// A bounded depth-first search for games of any number of players: Max^n to the end of the game,
// over a table of results. It answers with a row of worths, one per player, with less where that is
// enough, or not at all.
//
// Shallow pruning. E(s) is the set of the rows of all subgame-perfect equilibria of the game below
// s; after any move the players may go on with any of them, whatever they would do elsewhere. Let m
// move at s.
//
// 1. Choose a row of E(c) for every child c. A row among these that is best for m is in E(s). So
//    E(s) is not empty, and if E(c) has a row with at least v for m, so has E(s).
// 2. Hence a row r of E(c) is in E(s) if every other child has some row with at most r[m] for m.
// 3. Let q, not m, move at another child d, and let E(d) have a row with at least v for q: by 1,
//    one child of d with such a row shows it. In a game with a single winner that row gives m at
//    most what `most_beside` says. If that is at most r[m], d is no obstacle to r by 2, and its
//    other children need not be searched.
//
// Nothing is pruned deeper than that: what a grandparent has in hand says nothing about which of
// two rows the players between choose. The rows that are found are those of Max^n without pruning,
// where ties go to the first child in the order in which they are tried: d has a child whose row is
// worth at least v to q, so the row of d is too, and it would not have replaced r.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "graph/worth.h"
#include "probes/transposition_table.h"
#include "rules/evaluator.h"

namespace unbounded {

class ManyProber {
  public:
    // The evaluator orders the actions; it may be null. `local_maximum`: the game bounds the scores
    // that can still be reached, else only those of the whole game are known.
    ManyProber(const Rules& rules, Evaluator* evaluator, TranspositionTable& table);

    // The row of a state whose game is not over, within so many nodes; null: they did not suffice.
    //
    // A row is that of the first child, in the order in which they are tried, that is best for the
    // player who moves; this order depends on the state alone, and so does the row.
    const Worth* probe(State state, std::uint64_t budget);

    using Row = TranspositionTable::Row;
    // A player who can choose a state, and what another choice is worth to it.
    struct Chooser {
        int player;
        Worth in_hand;
    };
    // The same where less may do: that the state is not better for the chooser. `row` is then not
    // known, only the least outcome of the player who moves. Unknown: the nodes did not suffice.
    Row probe(State state, std::uint64_t budget, const Chooser* chooser);
    const Worth* row() const { return answer_.data(); }  // if that was exact
    // What the table knows.
    Row known(State state);

    // Returns true to make a probe give up; told how many children were made since.
    std::function<bool(std::uint64_t nodes)> give_up;
    std::uint64_t nodes() const { return nodes_; }
    // A probe whose line of states takes more memory gives up as well.
    void limit_memory(std::uint64_t bytes) {
        most_slots_ = std::min<std::uint64_t>(bytes / bytes_of_a_slot(), UINT32_MAX / 2);
    }

  private:
    struct Child {
        std::uint64_t hash;
        std::int64_t order;
        Worth declared;  // the most that it can be worth to the player who moves there
        std::uint32_t slot;
        std::uint32_t row;    // of a terminal one: where its worths are, in rows_
        std::uint8_t player;  // who moves there
        bool ended;           // the game is over there
    };
    struct Frame {
        std::uint64_t hash;
        std::uint64_t nodes_before;
        Worth best_possible;  // for the mover
        std::uint32_t slot;
        std::uint32_t first_slot;
        std::uint32_t first_child;
        std::uint32_t child_count;
        std::uint32_t at;
        std::uint32_t first_row;  // in rows_
        // Where the best row so far is; the first word says whether there is one.
        std::uint32_t row;
        std::uint8_t player;
        bool has_chooser;
        bool cut;  // not better for the chooser, which is all that matters
        Chooser chooser;
    };

    void enter(std::uint64_t hash, std::uint32_t slot, int player, const Chooser* chooser);
    void add_child(int index);
    void order(Frame& frame);
    void deliver(const Worth* row);
    Row leave();
    Row search(std::uint64_t last_node);
    void check_cycle();
    Row row_of(const Child& child, Worth* out);
    bool is_settled(Child& child);
    bool is_cut(const Frame& frame, int outcome);
    bool is_too_long(std::uint64_t last_node);
    Worth best_possible(State state, int player) const;
    void check_declared_bound(State state, int player, Worth declared, Worth reached) const;
    std::uint64_t* words(std::uint32_t slot) { return arena_.data() + slot * table_.state_words; }
    std::byte* bytes(std::uint32_t slot) { return reinterpret_cast<std::byte*>(words(slot)); }
    std::uint32_t take_slot();
    void make_successors(std::uint32_t slot);
    // With what belongs to it. Half of what grows may be unused.
    std::size_t bytes_of_a_slot() const {
        return 2 * (table_.state_words * sizeof(std::uint64_t) + sizeof(Child) + sizeof(Frame));
    }
    std::uint32_t copy_in(State state);

    const Rules& rules_;
    Evaluator* evaluator_;
    TranspositionTable& table_;
    Expansion expansion_;  // of the state that is being entered
    std::vector<Frame> frames_;
    std::vector<Child> children_;
    std::vector<std::uint64_t> arena_;
    std::uint32_t slots_ = 0;
    std::uint64_t most_slots_ = UINT32_MAX / 2;
    // For each frame the rows of its terminal children, then whether there is a best row so far,
    // and that row.
    std::vector<Worth> rows_;
    std::vector<Worth> answer_;  // the row that was found last
    std::vector<std::byte> open_states_;
    std::vector<float> evaluations_;
    std::uint64_t nodes_ = 0;
    std::uint64_t made_ = 0;  // children since the last look at the clock
    std::uint64_t next_cycle_check_ = 0;
};

}  // namespace unbounded
