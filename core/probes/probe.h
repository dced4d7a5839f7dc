// SPDX-License-Identifier: MIT
// A bounded depth-first search that tells what can be proven of a state: alpha-beta to the end of
// the game, two players, zero sum, over a table of what is proven already. It never guesses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "graph/worth.h"
#include "probes/being_searched.h"
#include "probes/endgames.h"
#include "probes/transposition_table.h"
#include "rules/evaluator.h"

namespace unbounded {

class Prober {
  public:
    // The evaluator orders the actions; it may be null. Then those that leave fewest replies are
    // tried first, where rules in Python have counted them anyway.
    Prober(const Rules& rules, Evaluator* evaluator, TranspositionTable& table,
           const WorthScale& scale);

    // An empty table for such probes, and what the bounds in it lie within.
    static std::unique_ptr<TranspositionTable> empty_table(const Rules& rules,
                                                           const WorthScale& scale);
    static Bounds bounds_in_table(const Rules& rules, const WorthScale& scale);

    struct Answer {
        Bounds bounds;
        bool finished;  // whether the bounds settle the window; else a limit was in the way
    };
    // Proves that the worth is at most alpha, at least beta, or exactly what; within so many nodes.
    // The state is one whose game is not over.
    Answer probe(State state, Bounds window, std::uint64_t budget);
    // The same by proof-number search, for outcomes.
    Answer prove(State state, Bounds window, std::uint64_t budget);
    // What the latter has learned about the effort of proofs is of use for one leaf.
    void forget_efforts() { efforts_.reset(); }
    // What the table knows.
    Bounds known(State state);
    // Probes share the work with those of other threads that are told the same; see
    // shared_work.cpp. Below states where fewer nodes are visited, on average, that costs more than
    // it brings.
    void share(BeingSearched* shared, std::int32_t least_nodes = 256) {
        shared_ = shared;
        least_shared_nodes_ = least_nodes;
    }

    // Scores of states near the end are looked up there, or found once; see endgames.h.
    void use(EndgameTable& table) {
        endgames_ = &table;
        endgame_search_ = std::make_unique<EndgameSearch>(rules_, table);
    }

    // Returns true to make a probe give up; told how many children were made since.
    std::function<bool(std::uint64_t nodes)> give_up;
    std::uint64_t nodes() const { return nodes_; }
    // What it has learned about which actions are good: it decides in which order they are tried.
    static constexpr std::size_t history_words = 1 << 12;
    static constexpr std::size_t move_ordering_words = history_words + 2;
    void copy_move_ordering(std::uint32_t* out) const;
    void set_move_ordering(const std::uint32_t* move_ordering);
    // A probe whose line of states takes more memory gives up as well.
    void limit_memory(std::uint64_t bytes) {
        most_slots_ = std::min<std::uint64_t>(bytes / 2 / bytes_of_a_slot(), UINT32_MAX / 2);
        efforts_memory_ = bytes / 2;
    }

  private:
    static bool reduces(const Rules& rules);
    static constexpr std::uint16_t no_index = 0xffff;
    static constexpr std::int64_t cannot_matter = INT64_MIN;  // the order of a child
    // How many states have to be settled to prove something, and to disprove it, as far as is
    // known.
    struct Effort {
        std::uint32_t prove, disprove;
        Effort seen_by(bool same) const { return same ? *this : Effort{disprove, prove}; }
    };
    // A state that is, or may have to be, searched.
    struct Child {
        std::uint64_t hash;
        Bounds bounds;  // the mover's at its parent
        std::int64_t order;
        std::int32_t action;
        std::int32_t lead;         // of its state over the reduced one; of an endgame, the mover's
        std::uint32_t slot;        // where its state is
        std::uint16_t index;       // of the action
        std::uint16_t best_reply;  // the place of its own best action, as the table says
        std::uint8_t player;       // who moves there
        std::uint16_t replies;     // actions there, where the rules count them
        Effort effort;             // of a proof-number search
        std::int32_t number;       // among the endgames; -1: it is none
    };
    // A state that is being searched. Bounds here are the mover's.
    struct Frame {
        std::uint64_t hash;
        std::uint64_t nodes_before;
        Bounds window;  // worth to be beaten, and worth that is enough
        Worth lo;       // the best that is proven so far
        Worth hi;       // the best that the children that are done could bring
        std::int32_t lead;
        std::uint32_t slot;
        std::uint32_t first_slot;   // of its children, one for each action
        std::uint32_t first_child;  // in children_
        std::uint32_t child_count;
        std::uint32_t at;  // the child that is being searched
        std::uint16_t best_index;
        std::uint8_t player;
        bool in_order;  // whether it is known which of the children that are left looks best
        bool marked;    // as being searched
    };

    bool enter(const Child& child, Bounds window);
    bool list(std::uint32_t slot, int player);
    bool try_killer(std::uint32_t parent, int player, Worth enough, int& tried);
    bool generate(Frame& frame, int tried);
    bool add_child(Frame& frame, int index, bool canonical);
    Bounds possible(std::uint32_t slot);
    void narrow(Child& child, Bounds found, int player);
    void refuse_bound(const Child& child, Bounds found);
    void look_up(Frame& frame);
    bool is_endgame(Child& child, int index);
    bool look_up_endgame(Child& child);
    void try_first(Frame& frame, std::uint16_t best_reply);
    void order(Frame& frame);
    void make_room_for_open(std::size_t count);
    void copy_open(std::uint32_t slot, std::size_t place);
    bool worth_evaluating();
    void choose(Frame& frame);
    void finish();
    void leave();
    std::int32_t typical_work(std::size_t depth);
    std::int32_t typical_nodes(std::size_t depth);
    void learn_work(std::uint64_t nodes);
    void deliver();
    Bounds window_below(const Frame& frame, const Child& child) const;
    void leave_until(std::size_t depth);
    Answer abort();
    bool looks_and_gives_up();
    // shared_work.cpp
    bool worth_sharing(std::size_t depth);
    void mark();
    Child* not_begun(Child* best, Child* first, Child* end);
    bool found_elsewhere();
    bool leave_settled();
    // proof_numbers.cpp
    // The child that is to be proven next, what is left to do, and how hard the next best child is.
    struct Choice {
        Effort left;
        std::uint32_t best;
        std::uint32_t next;
        std::uint32_t open;  // children that are not refuted
    };
    Answer prove_goal(State state, Worth goal, std::uint64_t last_node);
    Choice choose_to_prove(const Frame& frame) const;
    bool begin_proof(const Child& child, Worth goal, Effort limit);
    void leave_proof(bool settled, Effort left);
    void deliver_proof();
    void check_cycle();
    Worth terminal_worth(int index, int player) const;
    Child copy_of(State state);
    Child root_of(State state);
    void make_key(Child& child, bool canonical);
    bool find(const Child& child, TranspositionTable::Known& known);
    Bounds with_lead(Bounds in_table, std::int32_t lead) const;
    Bounds without_lead(Bounds bounds, std::int32_t lead) const;
    // What the table calls a state: where rules reduce states, the reduced one.
    std::uint64_t* key(std::uint32_t slot) {
        return reduces_ ? keys_.data() + slot * table_.state_words : expansion_.kept(slot);
    }
    void make_keys(std::size_t slots);
    std::byte* bytes(std::uint32_t slot) {
        return reinterpret_cast<std::byte*>(expansion_.kept(slot));
    }
    // With what belongs to it. Half of what grows may be unused.
    std::size_t bytes_of_a_slot() const {
        const std::size_t words = (reduces_ ? 2 : 1) * table_.state_words;
        return 2 * (words * sizeof(std::uint64_t) + sizeof(Child) + sizeof(Frame));
    }
    std::uint32_t& history(int player, std::int32_t action) {
        return history_[(static_cast<std::uint32_t>(action) * 2 + player) & (history_.size() - 1)];
    }

    const Rules& rules_;
    Evaluator* evaluator_;
    TranspositionTable& table_;
    const WorthScale scale_;
    const bool local_bounds_;
    const bool forced_;  // whether actions are listed by the rule `forced`
    const bool by_replies_;
    const bool reduces_;
    Expansion expansion_;  // of the state that is being entered, after the states of the line
    std::vector<Frame> frames_;
    std::vector<Child> children_;
    std::vector<std::uint64_t> keys_;  // of their states, if these are reduced
    std::uint32_t slots_ = 0;          // of states that are kept
    std::uint64_t most_slots_ = UINT32_MAX / 2;
    std::vector<std::byte> open_states_;
    std::vector<float> evaluations_;
    std::vector<std::uint32_t> history_;
    std::int32_t killer_[2] = {-1, -1};
    BeingSearched* shared_ = nullptr;  // by the threads that probe the same state
    std::int32_t least_shared_nodes_ = 0;
    // Of a proof-number search: how much effort each state of the line is worth, for now, and what
    // is known about the effort of others.
    std::vector<Effort> limits_;
    EndgameTable* endgames_ = nullptr;
    std::unique_ptr<EndgameSearch> endgame_search_;
    std::unique_ptr<TranspositionTable> efforts_;
    std::uint64_t efforts_memory_ = UINT64_MAX;
    std::uint64_t efforts_since_ = 0;  // nodes before
    bool proving_ = false;             // by proof-number search
    Bounds answer_;
    std::uint64_t nodes_ = 0;
    std::uint64_t made_ = 0;  // children since the last look at the clock
    std::uint64_t next_cycle_check_ = 0;
    // A moving average of the nodes visited below a state, by its place on the line, times 16.
    std::vector<std::int32_t> typical_work_;
};

}  // namespace unbounded
