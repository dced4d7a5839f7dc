// SPDX-License-Identifier: MIT
// What a thread of a parallel search keeps: its line of states, what the choices were made against,
// and its room in the graph. The iterations are in parallel_walk.cpp, the line in shared_line.h.
#pragma once

#include <vector>

#include "search/parallel_search.h"
#include "search/shared_back_up.h"

namespace unbounded {

// A longer line is ended here, and the next iteration follows it on: between two iterations the
// caller is polled.
constexpr std::uint64_t longest_iteration = 256;

template <class Values>
class alignas(cache_line) SharedWalk final : public ParallelWalk {
  public:
    SharedWalk(SharedSearch& shared, int thread)
        : shared_(shared),
          searched_(shared.searched),
          graph_(searched_.graph),
          thread_(thread),
          most_expansions_(std::min(shared.most_expansions, longest_iteration)),
          expander_(graph_, searched_.rules, searched_.evaluator,
                    searched_.options.values == ValueRule::minimax, true, nullptr,
                    searched_.options.local_maximum),
          child_(graph_),
          back_up_(searched_) {}

    Progress iterate() override;
    void forget() override { drop_line(iteration_); }

  private:
    static constexpr std::int64_t lowest = INT64_MIN;

    // A choice among the children of a state, and what it was made against.
    struct Selection {
        Edge* edge = nullptr;        // null: no child is free
        bool all_resolved = true;    // every child is
        Edge* open_rival = nullptr;  // the best of the others that are free; null: none
        std::int64_t open_key = lowest;
        std::int64_t rival_key = lowest;  // of the best of all others
    };
    // A state of the line.
    struct Step {
        NodeId id;
        Node* node;
        Selection chosen;
        std::uint64_t numbers;     // of the state, when this thread last saw it
        std::uint64_t chosen_at;   // the iteration
        std::uint64_t counted_at;  // until then the edge's visits have been added to it
        bool in_doubt;             // the child has changed, or a rival is as good
    };
    // With more players it would also matter what the choice means to the others.
    static constexpr bool keeps_line = Values::known_width == 1;
    enum class Leaf { expanded, taken, no_memory };

    Node& node(NodeId id) const { return graph_.node_of<Values::known_width>(id); }
    NodeId resume();
    bool is_touched(const Step& step) const;
    bool holds(Step& step) const;
    bool choose_again(std::size_t at);
    Selection select(const Node& node);
    void consider(Selection& selection, Edge& edge, std::int64_t key) const;
    bool is_passed_over(const Node& child, NodeId id) const;
    void follow(NodeId id, const Selection& chosen);
    bool retreat(NodeId& id);
    float read(NodeId id, int player, std::int64_t& key);
    float advantage(const Step& step);
    bool on_detour() const { return keeps_line && iteration_ < detour_end_; }
    bool is_fork(const Step& step) const { return on_detour() && &step == &steps_[fork_]; }
    void end_detour();
    bool leads(const Step& step);
    void claim();
    void give_up_part();
    bool is_of_another(std::uint8_t flags, NodeId id) const {
        return (flags & busy) != 0 && (flags & expanded) != 0 && id != part_;
    }
    // Without the present iteration if it comes to nothing.
    void drop_steps(std::size_t kept, std::uint64_t visited_until);
    void drop_line(std::uint64_t visited_until) {
        drop_steps(0, visited_until);
        end_detour();
    }
    Leaf expand(NodeId id);
    Stored store(NodeId id);
    bool allot(std::uint64_t count);
    Stored store_alone(NodeId id);
    Graph::Allotment& allotment() const { return graph_.allotment(thread_); }
    void back_up_line();
    void back_up_step(Step& step);
    void back_up(NodeId id);
    void check_cycle();
    bool stops() const;

    SharedSearch& shared_;
    SearchGraph& searched_;
    Graph& graph_;
    const int thread_;
    const std::uint64_t most_expansions_;
    Expander expander_;
    std::vector<Step> steps_;
    std::uint64_t iteration_ = 0;                      // of this thread
    std::vector<NodeId> passed_over_;                  // below them other threads are at work
    std::size_t fork_ = 0;                             // the step where a detour leaves the line
    std::uint64_t detour_begin_ = 0, detour_end_ = 0;  // iterations
    float loss_elsewhere_ = 0;   // how much worse than the line the next best detour was
    NodeId part_ = no_node;      // below it no other thread is to work
    bool led_ = false;           // it was the best of its siblings
    std::uint64_t recalls_ = 0;  // those seen
    NodeCopy<Values> child_;
    SharedBackUp<Values> back_up_;
};

}  // namespace unbounded
