// SPDX-License-Identifier: MIT
// The three rules by which a state's numbers follow from its children's: what a child is worth to
// the player who moves, and when the state is resolved. `reference/completion.py` says the same in
// plain Python.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "graph/graph.h"
#include "graph/worth.h"
#include "rules/rules.h"

namespace unbounded {

// What the completion rules look at beside the graph.
struct Judgement {
    Graph& graph;
    const Rules& rules;
    bool resolve_on_win = false;  // Remark: a win need not have the best score
    bool local_maximum = false;   // Remark: the best score below the state, not of the whole game
};

inline bool same_numbers(const Node& a, const Node& b, int width) {
    return std::memcmp(a.completion(width), b.completion(width), width) == 0 &&
           std::memcmp(a.values(), b.values(), width * sizeof(float)) == 0;
}

enum class Among { all, unresolved, same_and_resolved };

struct Choice {
    const Node* child = nullptr;  // null: there was none to choose from
    int position = -1;            // of its edge
    bool all_resolved = true;     // of all children
};

// argmax over the children of (Values::key, n), or of (Values::key, -n) for the least tried (the
// paper's dual). Ties go to the first child.
template <class Values, Among among, bool least_tried>
Choice choose(const Graph& graph, const Node& node) {
    Choice choice;
    std::int64_t best_key = 0;
    std::uint32_t best_visits = 0;
    const Edge* edges = graph.edges(node);
    for (int i = 0; i < node.edge_count; ++i) {
        const Node& child = graph.node_of<Values::known_width>(edges[i].child);
        const bool is_resolved = child.is(resolved);
        if (among == Among::unresolved && is_resolved) continue;
        if (among == Among::same_and_resolved &&
            !(is_resolved && same_numbers(child, node, graph.width)))
            continue;
        choice.all_resolved &= is_resolved;
        const std::int64_t key = Values::key(child, node.player, graph.width);
        const std::uint32_t visits = edges[i].visits;
        const bool wins_tie = least_tried ? visits < best_visits : visits > best_visits;
        if (choice.child == nullptr || key > best_key || (key == best_key && wins_tie)) {
            choice.child = &child;
            choice.position = i;
            best_key = key;
            best_visits = visits;
        }
    }
    return choice;
}

template <class Values>
Choice best_child(const Graph& graph, const Node& node) {
    return choose<Values, Among::all, false>(graph, node);
}

// Of a resolved node: the best among the resolved children that have its numbers.
template <class Values>
Choice witness(const Graph& graph, const Node& node) {
    return choose<Values, Among::same_and_resolved, false>(graph, node);
}

template <class Values>
Choice least_tried_best_child(const Graph& graph, const Node& node) {
    return choose<Values, Among::unresolved, true>(graph, node);
}

// Whether the mover, who wins, has the best score there is (the paper's criterion of a maximal
// f_t).
inline bool has_best_score(const Judgement& j, const Node& node, State state) {
    if (j.resolve_on_win) return true;
    const float value = node.values()[node.player];
    if (!j.local_maximum) return value == j.rules.best_score[node.player];
    const float best = j.rules.best_score_from(state, node.player);
    // The mover wins: the value is no estimate, an end below has this score.
    j.rules.check_promise(state, node.player, best, value);
    return value == best;
}

// Two players, zero sum; the first player's numbers (paper, algorithm 1).
struct Minimax {
    static constexpr int known_width = 1;

    static std::int64_t key(const Node& child, int player, int) {
        const std::int64_t key = lexicographic(child.completion(1)[0], child.values()[0]);
        return player == 0 ? key : -key;
    }

    static void back_up(const Judgement& j, Node& node, State) {
        const Choice best = best_child<Minimax>(j.graph, node);
        const std::int8_t completion = best.child->completion(1)[0];
        node.values()[0] = best.child->values()[0];
        node.completion(1)[0] = completion;
        node.tentative(1)[0] = completion;
        if (completion != 0 || best.all_resolved) node.set(resolved);
    }
};

// Max^n, first generalisation: the completion is only taken over by a resolved state.
struct ResolvedCompletion {
    static constexpr int known_width = 0;

    static std::int64_t key(const Node& child, int player, int width) {
        return lexicographic(child.completion(width)[player], child.values()[player]);
    }

    static void back_up(const Judgement& j, Node& node, State state) {
        const int width = j.graph.width;
        const Choice best = best_child<ResolvedCompletion>(j.graph, node);
        std::memcpy(node.values(), best.child->values(), width * sizeof(float));
        std::memcpy(node.tentative(width), best.child->completion(width), width);
        const bool wins = node.tentative(width)[node.player] == 1;
        if (best.all_resolved || (wins && has_best_score(j, node, state))) {
            node.set(resolved);
            std::memcpy(node.completion(width), node.tentative(width), width);
        }
    }
};

// Max^n, second generalisation: the completion is always taken over.
struct PropagatedCompletion {
    static constexpr int known_width = 0;

    static std::int64_t key(const Node& child, int player, int width) {
        const int completion = child.completion(width)[player];
        const int proven = child.is(resolved) ? completion : 0;
        return lexicographic(4 * proven + completion, child.values()[player]);
    }

    static void back_up(const Judgement& j, Node& node, State state) {
        const int width = j.graph.width;
        const Choice best = best_child<PropagatedCompletion>(j.graph, node);
        std::memcpy(node.values(), best.child->values(), width * sizeof(float));
        std::memcpy(node.completion(width), best.child->completion(width), width);
        std::memcpy(node.tentative(width), best.child->completion(width), width);
        const bool wins = node.completion(width)[node.player] == 1;
        if (best.all_resolved ||
            (wins && has_best_score(j, node, state) && has_proof(j.graph, node)))
            node.set(resolved);
    }

  private:
    // A resolved child with the same numbers.
    static bool has_proof(const Graph& graph, const Node& node) {
        const int width = graph.width;
        const Edge* edges = graph.edges(node);
        for (int i = 0; i < node.edge_count; ++i) {
            const Node& child = graph.node(edges[i].child);
            if (child.is(resolved) && same_numbers(child, node, width)) return true;
        }
        return false;
    }
};

}  // namespace unbounded
