// SPDX-License-Identifier: MIT
// The back-up of a state whose children other threads may be changing; the rule itself is the one
// of completion.h.
#pragma once

#include <cstdint>
#include <utility>

#include "search/search_graph.h"
#include "search/shared_nodes.h"

namespace unbounded {

template <class Values>
class SharedBackUp {
  public:
    explicit SharedBackUp(SearchGraph& searched)
        : searched_(searched),
          graph_(searched.graph),
          child_(graph_),
          best_(graph_),
          after_(graph_) {}

    // Backs up an expanded state. Returns whether that has resolved it; nothing changes if it was
    // resolved before. Of two threads that do this at once, the second one reads what the first
    // one's children were worth as well: the lock is held meanwhile.
    bool back_up(NodeId id) {
        Node& node = graph_.node_of<Values::known_width>(id);
        const NodeLock lock(node);
        copy_node<Values>(graph_, node, *after_);
        if (after_->is(resolved)) return false;
        const bool all_resolved = choose_best(node);
        Values::take_over(searched_.judgment, *after_, graph_.state(id), *best_, all_resolved,
                          [&] { return has_proof(node); });
        write_numbers<Values>(node, *after_, graph_.node_bytes());
        if (!after_->is(resolved)) return false;
        set_bits(node.flags, resolved);
        return true;
    }

    // The same where the best child is known, and open. Returns false if that would resolve the
    // state, which takes a look at all its children. What is the same as before is not written.
    bool take_from(const Node& child, NodeId id) {
        Node& node = graph_.node_of<Values::known_width>(id);
        copy_node<Values>(graph_, node, *after_);
        if (after_->is(resolved)) return true;
        const std::uint64_t before = numbers();
        Values::take_over(searched_.judgment, *after_, graph_.state(id), child, false,
                          [] { return false; });
        if (after_->is(resolved)) return false;
        if (Values::known_width == 1 && numbers() == before) return true;
        const NodeLock lock(node);
        if ((load_relaxed(node.flags) & resolved) == 0)
            write_numbers<Values>(node, *after_, graph_.node_bytes());
        return true;
    }

    // Of the state that was backed up last.
    std::uint64_t numbers() { return numbers_of<Values>(*after_); }

  private:
    // Copies the best child. Returns whether all children are resolved.
    bool choose_best(const Node& node) {
        bool all_resolved = true;
        std::int64_t best_key = 0;
        std::uint32_t best_visits = 0;
        const Edge* const edges = graph_.edges(node);
        for (int i = 0; i < node.edge_count; ++i) {
            copy_child(edges[i]);
            all_resolved &= child_->is(resolved);
            const std::int64_t key = Values::key(*child_, node.player, graph_.width);
            const std::uint32_t visits = load_relaxed(edges[i].visits);
            if (i > 0 && (key < best_key || (key == best_key && visits <= best_visits))) continue;
            std::swap(child_, best_);
            best_key = key;
            best_visits = visits;
        }
        return all_resolved;
    }

    // Whether a resolved child has the numbers that were taken over.
    bool has_proof(const Node& node) {
        const Edge* const edges = graph_.edges(node);
        for (int i = 0; i < node.edge_count; ++i) {
            copy_child(edges[i]);
            if (child_->is(resolved) && same_numbers(*child_, *after_, graph_.width)) return true;
        }
        return false;
    }

    void copy_child(const Edge& edge) {
        copy_node<Values>(graph_, graph_.node_of<Values::known_width>(edge.child), *child_);
    }

    SearchGraph& searched_;
    Graph& graph_;
    NodeCopy<Values> child_, best_, after_;
};

}  // namespace unbounded
