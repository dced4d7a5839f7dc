// SPDX-License-Identifier: MIT
// What proving means for two players and for more: how the solver selects, probes and backs up. The
// solver chooses a policy once; its functions are called per node, never per child.
//
// Every worker has a policy of its own, since it holds the worker's prober. All functions need the
// solver's lock, but for `probe`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "probes/being_searched.h"
#include "probes/endgames.h"
#include "probes/probe_race.h"
#include "probes/transposition_table.h"
#include "search/search_graph.h"

namespace unbounded {

// Whether a probe has found out what it was to find out, or a limit was in the way.
enum class Probe { settled, gave_up };

class ProofPolicy {
  public:
    virtual ~ProofPolicy() = default;

    // The worths that still matter below a node.
    virtual Bounds narrowed(Bounds window, const Node& node) const = 0;
    // The child to follow: the best, then the least visited, of those that can matter. Narrows the
    // window to what matters below the node.
    virtual Choice select(const Node& node, Bounds& window) const = 0;
    virtual void back_up(Node& node, State state) = 0;
    // Virtual loss: makes an open leaf look as bad as possible to the player who chose it.
    virtual void add_virtual_loss(Node& leaf, int chooser) const = 0;

    // Tells for whom the next state is to be probed: who can choose it. Null: nobody; its worth is
    // to be found whatever it is.
    virtual void set_chooser(const Node* /*parent*/) {}
    // Called before the probes of a leaf, which are to be of this kind.
    virtual void begin_leaf(ProbeKind /*kind*/) {}
    // Probes a state, without the lock; `take_answer` then adds what was found to its node.
    virtual Probe probe(State state, Bounds window, std::uint64_t budget) = 0;
    virtual void take_answer(Node& node) = 0;
    // Adds what the table of the probes has about a state to its node.
    virtual void take_known(Node& node, State state) = 0;
    virtual std::uint64_t probed_nodes() const = 0;
    virtual void limit_memory(std::uint64_t bytes) = 0;
    // What probes have learned about the order of actions, as words of fixed number.
    virtual std::size_t move_ordering_words() const { return 0; }
    virtual void copy_move_ordering(std::uint32_t* /*out*/) const {}
    virtual void set_move_ordering(const std::uint32_t* /*words*/) {}

    // For the principal variation. Whether a child proves what its resolved parent is worth.
    virtual bool proves(const Node& node, const Node& child) const = 0;
    // The window to probe a child with, to find out whether it proves its parent; none: that is
    // known.
    virtual std::optional<Bounds> open_question(const Node& node, const Node& child) const = 0;
    // Adds to a child what follows from its parent's worth.
    virtual void take_from_parent(const Node& node, Node& child) = 0;
};

// What a policy is made of.
struct PolicyParts {
    SearchGraph& searched;
    TranspositionTable* table;  // null: no probes
    EndgameTable* endgames;     // null: the game has none
    BeingSearched* shared;      // by the probes of all threads; null: there is one
    std::function<bool(std::uint64_t nodes)> give_up;

    // The evaluator that orders the actions of a probe; null: none.
    Evaluator* ordering() const {
        return searched.evaluator.orders_moves() ? &searched.evaluator : nullptr;
    }
};

// The policy for the players and the value rule of a search.
std::unique_ptr<ProofPolicy> make_policy(const PolicyParts& parts);
std::unique_ptr<ProofPolicy> make_two_player_policy(const PolicyParts& parts);
std::unique_ptr<ProofPolicy> make_many_player_policy(const PolicyParts& parts);

}  // namespace unbounded
