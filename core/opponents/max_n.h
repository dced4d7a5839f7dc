// SPDX-License-Identifier: MIT
// Max^n to a depth: each player maximizes their own worth.
#pragma once

#include "opponents/depth_first.h"

namespace unbounded::opponents {

class MaxN final : public DepthFirst {
  public:
    MaxN(const Rules& rules, Evaluator& evaluator, std::uint64_t table_bytes, int hash_bits);

  private:
    struct Node {
        std::uint32_t slot;
        std::uint8_t player;
    };
    // The best of the children that are done; its row and line are those of this ply.
    struct Best {
        int index = -1;
        bool complete = true;
        bool enough = false;  // whether no child can be better for the mover
    };

    void begin(int player) override;
    bool search_root(int depth) override;
    void report(Choice& choice) override;

    bool search(const Node& node, int depth);
    bool recall(const Node& node, std::uint64_t hash, int depth, int& index, bool& complete);
    void try_children(const Node& node, int depth, int first, Best& best);
    // The child by value, for what is made meanwhile may move the others.
    void try_child(const Node& node, Child child, int depth, Best& best);
    bool add(const Node& node, const Worth* row, int index, bool complete, Best& best);
    Worth* row_at(std::size_t ply) { return &rows_[ply * rules_.players]; }
    void make_room(std::size_t ply);

    std::size_t ply_ = 0;
    Node root_{};
    int root_first_ = -1;
    std::vector<Worth> most_;  // per player, what no end of the game exceeds
    std::vector<Worth> rows_;  // per ply, the best so far
    std::vector<std::vector<int>> lines_;
};

}  // namespace unbounded::opponents
