// SPDX-License-Identifier: MIT
// The three value rules: how a state's numbers follow from its children's. A rule ranks children
// for the player who moves (`key`), and backs up a state: its completion, its value and
// whether it is resolved. `take_over` does so from the best child and whether all are resolved;
// `has_proof` says whether a resolved child has the numbers that were taken over. `reference/` has
// the same rules in plain Python. A fourth rule, for the solver, is in bounded_minimax.h.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "graph/graph.h"
#include "graph/worth.h"
#include "rules/rules.h"
#include "search/options.h"
#include "search/selection.h"

namespace unbounded {

// What the value rules read beside the node: the graph, the scale of worths, the game's bounds of
// scores and the variants of the paper's Remark.
struct Judgment {
    Graph& graph;
    const Rules& rules;
    const WorthScale& scale;
    bool resolve_on_win = false;  // Remark: a win need not have the best score
    bool local_maximum = false;   // Remark: the best score below the state, not of the whole game
};

// Whether the mover, who wins, has the highest possible score (the paper's criterion of a maximal
// f_t).
inline bool has_best_score(const Judgment& j, const Node& node, State state) {
    if (j.resolve_on_win) return true;
    const float value = node.values()[node.player];
    if (!j.local_maximum) return value == j.rules.best_score[node.player];
    const float best = j.rules.best_score_from(state, node.player);
    // The mover wins: the value is not an estimate but the score of a terminal state below.
    j.rules.check_declared_bound(state, node.player, best, value);
    return value == best;
}

// Two players, zero sum; the first player's numbers (paper, algorithm 1).
struct Minimax {
    static constexpr int known_width = 1;

    static std::int64_t key(const Node& child, int player, int) {
        const std::int64_t key = lexicographic(child.completion(1)[0], child.values()[0]);
        return player == 0 ? key : -key;
    }

    static void back_up(const Judgment& j, Node& node, State state) {
        const Choice best = best_child<Minimax>(j.graph, node);
        take_over(j, node, state, *best.child, best.all_resolved, [] { return false; });
    }
    template <class HasProof>
    static void take_over(const Judgment&, Node& node, State, const Node& best, bool all_resolved,
                          const HasProof&) {
        const std::int8_t completion = best.completion(1)[0];
        node.values()[0] = best.values()[0];
        node.completion(1)[0] = completion;
        node.tentative(1)[0] = completion;
        if (completion != 0 || all_resolved) node.set(resolved);
    }
};

// Max^n, first generalization: the completion is only taken over by a resolved state.
struct ResolvedCompletion {
    static constexpr int known_width = 0;

    static std::int64_t key(const Node& child, int player, int width) {
        return lexicographic(child.completion(width)[player], child.values()[player]);
    }

    static void back_up(const Judgment& j, Node& node, State state) {
        const Choice best = best_child<ResolvedCompletion>(j.graph, node);
        take_over(j, node, state, *best.child, best.all_resolved, [] { return false; });
    }
    template <class HasProof>
    static void take_over(const Judgment& j, Node& node, State state, const Node& best,
                          bool all_resolved, const HasProof&) {
        const int width = j.graph.width;
        std::memcpy(node.values(), best.values(), width * sizeof(float));
        std::memcpy(node.tentative(width), best.completion(width), width);
        const bool wins = node.tentative(width)[node.player] == 1;
        if (all_resolved || (wins && has_best_score(j, node, state))) {
            node.set(resolved);
            std::memcpy(node.completion(width), node.tentative(width), width);
        }
    }
};

// Max^n, second generalization: the completion is always taken over.
struct PropagatedCompletion {
    static constexpr int known_width = 0;

    static std::int64_t key(const Node& child, int player, int width) {
        const int completion = child.completion(width)[player];
        const int proven = child.is(resolved) ? completion : 0;
        return lexicographic(4 * proven + completion, child.values()[player]);
    }

    static void back_up(const Judgment& j, Node& node, State state) {
        const Choice best = best_child<PropagatedCompletion>(j.graph, node);
        take_over(j, node, state, *best.child, best.all_resolved,
                  [&] { return has_proof(j.graph, node); });
    }
    template <class HasProof>
    static void take_over(const Judgment& j, Node& node, State state, const Node& best,
                          bool all_resolved, const HasProof& has_proof) {
        const int width = j.graph.width;
        std::memcpy(node.values(), best.values(), width * sizeof(float));
        std::memcpy(node.completion(width), best.completion(width), width);
        std::memcpy(node.tentative(width), best.completion(width), width);
        const bool wins = node.completion(width)[node.player] == 1;
        if (all_resolved || (wins && has_best_score(j, node, state) && has_proof()))
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

// Calls a function template with the value rule of that name: the one place where it is chosen.
template <class Use>
auto with_value_rule(ValueRule rule, const Use& use) {
    switch (rule) {
        case ValueRule::minimax: return use.template operator()<Minimax>();
        case ValueRule::resolved_completion: return use.template operator()<ResolvedCompletion>();
        default: return use.template operator()<PropagatedCompletion>();
    }
}

}  // namespace unbounded
