// SPDX-License-Identifier: MIT
// Reading and changing the nodes of a graph that several threads search.
//
// Why what is proven stays exact: a node's numbers are written before its flag `resolved` is set,
// and never after. So whoever reads the flag, and then the numbers, of a resolved node reads the
// proven ones. A value rule resolves a state because of resolved children alone, so numbers of
// unresolved children that are read half before and half after a change can only make an estimate
// lag: `copy_node` sees to it that they say nothing about completion where they must not.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "graph/atomic_access.h"
#include "graph/graph.h"
#include "search/completion.h"
#include "search/gate.h"

namespace unbounded {

// The numbers of width 1 are one word: the value and both completions belong together.
template <class Values>
void copy_numbers(const Node& from, Node& to, std::size_t node_bytes) {
    const auto* const source = reinterpret_cast<const std::byte*>(&from + 1);
    auto* const target = reinterpret_cast<std::byte*>(&to + 1);
    if constexpr (Values::known_width == 1) {
        const auto word = load_relaxed(*reinterpret_cast<const std::uint64_t*>(source));
        std::memcpy(target, &word, sizeof word);
    } else {
        for (std::size_t at = 0; at < node_bytes - sizeof(Node); at += 4) {
            const auto word = load_relaxed(*reinterpret_cast<const std::uint32_t*>(source + at));
            std::memcpy(target + at, &word, sizeof word);
        }
    }
}

// The numbers as that word; where they are more than one, 0.
template <class Values>
std::uint64_t numbers_of([[maybe_unused]] const Node& node) {
    if constexpr (Values::known_width == 1)
        return load_relaxed(*reinterpret_cast<const std::uint64_t*>(&node + 1));
    return 0;
}

// The thread that does this has locked the node.
template <class Values>
void write_numbers(Node& to, const Node& from, std::size_t node_bytes) {
    auto* const target = reinterpret_cast<std::byte*>(&to + 1);
    const auto* const source = reinterpret_cast<const std::byte*>(&from + 1);
    if constexpr (Values::known_width == 1) {
        std::uint64_t word;
        std::memcpy(&word, source, sizeof word);
        store_relaxed(*reinterpret_cast<std::uint64_t*>(target), word);
    } else {
        for (std::size_t at = 0; at < node_bytes - sizeof(Node); at += 4) {
            std::uint32_t word;
            std::memcpy(&word, source + at, sizeof word);
            store_relaxed(*reinterpret_cast<std::uint32_t*>(target + at), word);
        }
    }
}

// What a value rule reads of a node: its player, flags and numbers.
template <class Values>
void copy_node(const Graph& graph, const Node& from, Node& to) {
    to.player = from.player;
    to.flags = load_acquire(from.flags);
    copy_numbers<Values>(from, to, graph.node_bytes());
    // With this rule an unresolved state has none; if some were read, it is being resolved.
    if constexpr (std::is_same_v<Values, ResolvedCompletion>)
        if (!to.is(resolved)) std::memset(to.completion(graph.width), 0, graph.width);
}

// Memory for such a copy.
template <class Values>
class NodeCopy {
  public:
    explicit NodeCopy([[maybe_unused]] const Graph& graph) {
        if constexpr (Values::known_width != 1) bytes_.resize(graph.node_bytes());
    }
    Node& operator*() { return *reinterpret_cast<Node*>(bytes_.data()); }
    Node* operator->() { return &**this; }

  private:
    using Small = std::array<std::byte, Graph::node_bytes_for(1)>;
    alignas(8) std::conditional_t<Values::known_width == 1, Small, std::vector<std::byte>> bytes_;
};

// Locks a node while it lives.
class NodeLock {
  public:
    explicit NodeLock(Node& node) : node_(node) {
        for (Patience patience; (set_bits(node.flags, locked) & locked) != 0;)
            while ((load_relaxed(node.flags) & locked) != 0) patience.wait();
    }
    ~NodeLock() { clear_bits(node_.flags, locked); }
    NodeLock(const NodeLock&) = delete;
    NodeLock& operator=(const NodeLock&) = delete;

  private:
    Node& node_;
};

}  // namespace unbounded
