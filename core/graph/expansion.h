// SPDX-License-Identifier: MIT
// Adding the children of a state to the graph: all of them, or, if anything fails, none.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"
#include "rules/evaluator.h"

namespace unbounded {

enum class Stored { yes, no_memory };

class Expander {
  public:
    // `zero_sum`: the two players' numbers must be opposite, since only the first one's are kept.
    // `completion` off: terminal states are not marked as resolved, and nothing ever is.
    // `relies_on_bounds`: proofs rest on `best_score_from`, so its bounds are compared with ends.
    Expander(Graph& graph, const Rules& rules, Evaluator& evaluator, bool zero_sum, bool completion,
             const WorthScale* scale = nullptr, bool relies_on_bounds = false);

    // Without room within `memory` bytes nothing changes. A RuleFailure also leaves the graph as it
    // was.
    Stored expand(NodeId id, std::uint64_t memory);
    // The node of a state, which is added as a leaf if it is new; no_node: no room.
    NodeId find_or_add_leaf(State state, std::uint64_t memory);

    // The steps of `expand`, for threads that share the graph. `list` and `evaluate` only call the
    // rules; `look_up` reads the graph and `store` changes it.
    void list(State state);
    void look_up();
    void evaluate();
    Stored store(NodeId id, std::uint64_t memory) { return store(id, children_, memory); }

    // The same as `store` where other threads read the graph meanwhile; the one that stores has the
    // lock for that, or is alone.
    Stored store_shared(NodeId id, std::uint64_t memory);
    // The same where other threads store as well, from an allotment that is large enough.
    void store_allotted(NodeId id, Graph::Allotment& allotment);
    std::uint64_t child_count() const { return children_.size(); }

    // What is known of a child before it is stored.
    struct Child {
        std::uint64_t hash;
        NodeId id;  // no_node: the state is not stored yet, and the rest is about it
        std::uint8_t player;
        bool is_terminal;
        std::uint32_t place;  // among the open states, or among the ends
    };
    using Children = std::vector<Child>;

    // The same for several states with one evaluation: a batch is begun, states are added, all new
    // open children are evaluated in one call, each of them once, and then the states are stored
    // one by one. Only `store` changes the graph, and nothing else may change it meanwhile.
    void begin_batch();
    void add_to_batch(State state, Children& children);
    void evaluate_batch();
    Stored store(NodeId id, const Children& children, std::uint64_t memory);
    // An upper bound on the states that storing the batch adds to the graph.
    std::uint64_t batch_states() const { return open_count_ + end_count_; }

    // Whether every move so far led from one ply to the next; where plies are kept.
    bool layered() const { return layered_; }
    std::uint64_t terminal_states() const { return terminal_states_; }
    // As it was in a search that was saved.
    void set(bool layered, std::uint64_t terminal_states) {
        layered_ = layered && graph_.keeps_plies();
        terminal_states_ = terminal_states;
    }
    std::uint64_t listed_children() const { return listed_children_; }

  private:
    void clear_new_states();
    void add_new_states();
    void add_terminal(Child& child, State state, const std::int32_t* outcome, const float* score);
    void add_open(Child& child, State state, int player);
    bool take_from_batch(Child& child, State state);
    State new_state(const Child& child) const {
        const std::vector<std::byte>& states = child.is_terminal ? ends_ : open_states_;
        return states.data() + child.place * graph_.state_bytes;
    }
    void check_declared_bounds(std::size_t first_score);
    void evaluate_open();
    void fill(Node& node, const Child& child);
    void check_ply(const Node& parent, Node& child, bool added);
    void drop_repeated_edges();
    void make_expanded(NodeId id, Graph::Allotment* allotment);

    Graph& graph_;
    const Rules& rules_;
    Evaluator& evaluator_;
    const bool zero_sum_;
    const bool completion_;
    const WorthScale* const scale_;  // where bounds are kept
    const bool relies_on_bounds_;
    bool layered_;
    std::uint64_t terminal_states_ = 0;
    std::uint64_t listed_children_ = 0;

    // Kept between calls, so that expanding allocates nothing.
    std::vector<std::byte> parent_;  // the state whose children they are
    Children children_;
    std::vector<std::byte> open_states_;  // those to evaluate, one after the other
    std::uint32_t open_count_ = 0;
    std::vector<float> evaluations_;
    std::vector<std::byte> ends_;  // the terminal states, one after the other
    std::uint32_t end_count_ = 0;
    std::vector<std::int8_t> outcomes_;
    std::vector<float> scores_;
    std::vector<NodeId> edges_;
    std::vector<NodeId> sorted_edges_;
    // In a batch: the open states by their hash, to find those that were added for another state.
    std::unordered_multimap<std::uint64_t, std::uint32_t> batched_;
    bool in_batch_ = false;
    Expansion expansion_;
};

}  // namespace unbounded
