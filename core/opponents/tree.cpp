// SPDX-License-Identifier: MIT
#include "opponents/tree.h"

#include <algorithm>
#include <cstring>

namespace unbounded::opponents {

namespace {

std::size_t padded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

}  // namespace

Tree::Tree(const Rules& rules, std::uint64_t most_bytes)
    : state_bytes_(rules.state_bytes),
      players_(rules.players),
      most_bytes_(most_bytes),
      nodes_(sizeof(Leaf) + rules.players * sizeof(double)),
      inners_(sizeof(Inner) + padded(rules.state_bytes)),
      root_(rules.state_bytes) {}

void Tree::clear() {
    nodes_.shrink(0);
    inners_.shrink(0);
}

void Tree::reset(State root, int player) {
    clear();
    std::copy(root, root + state_bytes_, root_.begin());
    if (!nodes_.reserve_run(1)) throw std::bad_alloc();
    nodes_.append(1);
    node(0).inner = no_inner;
    node(0).player = static_cast<std::uint8_t>(player);
}

bool Tree::add_children(std::uint32_t id, State state, std::uint32_t count) {
    const std::uint64_t more = count * nodes_.record_bytes() + inners_.record_bytes();
    const bool fits = bytes() + more <= most_bytes_ && nodes_.size() + count < UINT32_MAX / 2;
    if (!fits && id != 0) return false;
    if (!nodes_.reserve_run(count) || !inners_.reserve(1)) {
        if (id == 0) throw std::bad_alloc();
        return false;
    }
    const auto first = static_cast<std::uint32_t>(nodes_.append(count));
    const auto place = static_cast<std::uint32_t>(inners_.append(1));
    inner(place) = {first, count, id, 0};
    std::memcpy(inner(place).state(), state, state_bytes_);
    for (std::uint32_t i = 0; i < count; ++i) node(first + i).inner = no_inner;
    node(id).inner = place;
    return true;
}

void Tree::move_to(State root, int player) {
    const auto same = [&](State state) { return std::memcmp(state, root, state_bytes_) == 0; };
    if (!empty() && same(root_.data())) return;
    // The state is usually one round of moves below the root.
    const std::uint32_t found = empty() ? no_inner : find_below(0, root, std::max(players_, 2));
    if (found == no_inner)
        reset(root, player);
    else
        cut(found);
}

// The node of a state with children, at most `plies` below; of several, the one visited most.
std::uint32_t Tree::find_below(std::uint32_t id, State state, int plies) const {
    if (node(id).inner == no_inner) return no_inner;
    const Inner& here = inner(node(id).inner);
    if (std::memcmp(here.state(), state, state_bytes_) == 0) return id;
    std::uint32_t best = no_inner;
    for (std::uint32_t i = 0; i < here.count && plies > 0; ++i) {
        const std::uint32_t found = find_below(here.first + i, state, plies - 1);
        if (found == no_inner) continue;
        if (best == no_inner || node(found).visits > node(best).visits) best = found;
    }
    return best;
}

// Where `length` nodes can lie side by side, from a place on: as Records would put them.
std::uint64_t Tree::place_of_run(std::uint64_t from, std::uint32_t length) const {
    const std::uint64_t left = Records::chunk_length - (from & (Records::chunk_length - 1));
    return length > left ? from + left : from;
}

// Makes a node the root and forgets what is not below it. What is kept moves to the front in the
// order in which it was made, so that nothing is overwritten that is still needed, and no memory
// is needed for it.
void Tree::cut(std::uint32_t id) {
    const std::uint32_t top = node(id).inner;
    std::copy(inner(top).state(), inner(top).state() + state_bytes_, root_.begin());
    std::memmove(nodes_[0], nodes_[id], nodes_.record_bytes());
    inner(top).node = 0;
    inner(top).alive = 1;
    std::uint64_t node_end = 1;
    std::uint32_t inner_end = 0;
    for (std::uint32_t old = top; old < inners_.size(); ++old) {
        if (inner(old).alive == 0) continue;
        std::memmove(inners_[inner_end], inners_[old], inners_.record_bytes());
        Inner& kept = inner(inner_end);
        kept.alive = 0;
        node(kept.node).inner = inner_end++;
        const std::uint64_t first = place_of_run(node_end, kept.count);
        std::memmove(nodes_[first], nodes_[kept.first], kept.count * nodes_.record_bytes());
        kept.first = static_cast<std::uint32_t>(first);
        node_end = first + kept.count;
        for (std::uint32_t i = 0; i < kept.count; ++i) {
            const Leaf& child = node(kept.first + i);
            if (child.inner == no_inner) continue;
            inner(child.inner).node = kept.first + i;
            inner(child.inner).alive = 1;
        }
    }
    nodes_.shrink(node_end);
    inners_.shrink(inner_end);
}

}  // namespace unbounded::opponents
