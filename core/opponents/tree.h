// SPDX-License-Identifier: MIT
// The tree of a Monte Carlo search. To keep nodes small, only those with children hold a state; a
// leaf's is made again from its parent's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graph/memory.h"
#include "rules/rules.h"

namespace unbounded::opponents {

constexpr std::uint32_t no_inner = UINT32_MAX;

// Followed by one sum of results per player, or, if the node is exact, by the outcomes themselves.
struct alignas(double) Leaf {
    std::uint32_t visits;
    std::uint32_t inner;  // or no_inner: it has no children yet
    std::uint8_t player;
    bool exact;  // an end of the game, or proven

    double* sums() { return reinterpret_cast<double*>(this + 1); }
    const double* sums() const { return reinterpret_cast<const double*>(this + 1); }
    double mean(int player) const {
        return exact || visits == 0 ? sums()[player] : sums()[player] / visits;
    }
};

// The part of a node that has children; followed by its state.
struct Inner {
    std::uint32_t first;  // its children are nodes side by side, one for each action
    std::uint32_t count;
    std::uint32_t node;
    std::uint32_t alive;  // while the tree is cut

    std::byte* state() { return reinterpret_cast<std::byte*>(this + 1); }
    State state() const { return reinterpret_cast<State>(this + 1); }
};

// The root is node 0. Children come after their parents, among the nodes and among the inner ones.
class Tree {
  public:
    Tree(const Rules& rules, std::uint64_t most_bytes);

    // Clears the tree and adds the root.
    void reset(State root, int player);
    // Makes a state the root; keeps its subtree if it has one, else resets the tree.
    void move_to(State root, int player);

    // Removes all nodes.
    void clear();
    bool empty() const { return nodes_.size() == 0; }
    std::uint64_t nodes() const { return nodes_.size(); }
    std::uint64_t bytes() const { return nodes_.bytes() + inners_.bytes(); }
    State root() const { return root_.data(); }

    Leaf& node(std::uint32_t id) { return *reinterpret_cast<Leaf*>(nodes_[id]); }
    const Leaf& node(std::uint32_t id) const { return *reinterpret_cast<Leaf*>(nodes_[id]); }
    Inner& inner(std::uint32_t id) { return *reinterpret_cast<Inner*>(inners_[id]); }
    const Inner& inner(std::uint32_t id) const { return *reinterpret_cast<Inner*>(inners_[id]); }

    // The place of a child among its parent's children.
    std::uint32_t place_of(const Leaf& parent, const Leaf& child) const {
        const std::byte* const first = nodes_[inner(parent.inner).first];
        return static_cast<std::uint32_t>((reinterpret_cast<const std::byte*>(&child) - first) /
                                          static_cast<std::ptrdiff_t>(nodes_.record_bytes()));
    }

    // Adds `count` unvisited children to a node. Returns false if there is no memory; the root's
    // are always stored.
    bool add_children(std::uint32_t id, State state, std::uint32_t count);

  private:
    std::uint32_t find_below(std::uint32_t id, State state, int plies) const;
    void cut(std::uint32_t id);
    std::uint64_t place_of_run(std::uint64_t from, std::uint32_t length) const;

    const std::size_t state_bytes_;
    const int players_;
    const std::uint64_t most_bytes_;
    Records nodes_, inners_;
    std::vector<std::byte> root_;
};

}  // namespace unbounded::opponents
