// SPDX-License-Identifier: MIT
// Checks the options of a search, and reads what is known of its states.
#include "search/search_graph.h"

#include <algorithm>
#include <new>
#include <stdexcept>

#include "search/algorithms.h"
#include "search/bounded_minimax.h"

namespace unbounded {

namespace {

constexpr int most_leaves = 1024;

Bounding bounding(const Options& options) {
    if (!options.bounds || options.values != ValueRule::minimax) return Bounding::none;
    return options.exact_score ? Bounding::score : Bounding::outcome;
}

// Options that fit together, with the number of leaves filled in.
Options checked(Options options, const Rules& rules, const Evaluator& evaluator) {
    const auto require = [](bool fine, const char* what) {
        if (!fine) throw std::invalid_argument(what);
    };
    require(options.values != ValueRule::minimax || rules.players == 2,
            "minimax needs two players");
    require(!options.bounds || options.completion, "bounds need completion");
    require(!options.exact_score || options.values == ValueRule::minimax,
            "exact_score is for minimax; other values always prove the score");
    require(options.bounds || (!options.probes && !options.exact_score),
            "probes and exact_score need bounds");
    require(options.bounds || options.threads == 1 ||
                (options.completion && options.back_up_on_expansion && !options.stop_at_draw),
            "threads need completion, a back-up on expansion, and not stop_at_draw");
    require(options.threads >= 1 && options.threads <= 1024, "threads must be from 1 to 1024");
    require(rules.native() || !options.probes || options.values == ValueRule::minimax,
            "probes of more than two players need compiled rules");
    require((rules.native() && evaluator.shareable()) || options.threads == 1,
            "threads need compiled rules and an evaluation that threads can share");
    require(options.leaves >= 0 && options.leaves <= most_leaves, "leaves must be from 0 to 1024");
    const bool gathers = !options.bounds && options.threads == 1 && options.back_up_on_expansion &&
                         algorithm_named(options.algorithm).make_batched != nullptr;
    require(gathers || options.leaves <= 1,
            "several leaves need ubfm without bounds, in one thread, not as the paper prints it");
    if (options.leaves == 0)
        options.leaves = gathers ? std::clamp(evaluator.batch_hint(), 1, most_leaves) : 1;
    return options;
}

}  // namespace

SearchGraph::SearchGraph(Rules& rules, Evaluator& evaluator, const Options& given)
    : rules(rules),
      evaluator(evaluator),
      options(checked(given, rules, evaluator)),
      scale(rules, options.exact_score || options.values != ValueRule::minimax),
      graph(rules.state_bytes, options.values == ValueRule::minimax ? 1 : rules.players,
            options.hash_bits, bounding(options)),
      expander(graph, rules, evaluator, options.values == ValueRule::minimax, options.completion,
               graph.bounding != Bounding::none ? &scale : nullptr, options.local_maximum),
      judgment{graph, rules, scale, options.resolve_on_win, options.local_maximum},
      // Calling Python takes long: then the clock is read after every expansion.
      expansion_work(rules.native() && evaluator.native() ? 1 : Watch::work_between_looks) {
    set_root_to_initial();
}

void SearchGraph::set_root_to_initial() {
    std::vector<std::byte> state(rules.state_bytes);
    rules.initial(state.data());
    set_root(state.data());
}

void SearchGraph::restart() {
    graph.clear();
    expander.set(true, 0);
    counts = {};
    set_root_to_initial();
}

void SearchGraph::set_root(State state) {
    const NodeId id = expander.find_or_add_leaf(state, UINT64_MAX);
    if (id == no_node) throw std::bad_alloc();
    root = id;
}

int SearchGraph::best_child(NodeId id) const {
    const Node& node = graph.node(id);
    if (!node.is(expanded)) return -1;
    if (graph.bounding != Bounding::none) return BoundedMinimax::best_child(graph, node);
    return with_value_rule(options.values, [&]<class Values>() {
        return node.is(resolved) ? witness<Values>(graph, node).position
                                 : unbounded::best_child<Values>(graph, node).position;
    });
}

Bounds SearchGraph::worth_bounds(NodeId id) const {
    const Node& node = graph.node(id);
    if (graph.bounding != Bounding::none) return graph.bounds(node);
    const Worth proven = scale.of(node.completion(graph.width)[0], node.values()[0]);
    return node.is(resolved) ? Bounds{proven, proven} : scale.all;
}

Bounds SearchGraph::outcome_bounds(NodeId id) const {
    const Node& node = graph.node(id);
    if (graph.bounding != Bounding::none) {
        const Bounds bounds = graph.bounds(node);
        return {scale.outcome(bounds.lo), scale.outcome(bounds.hi)};
    }
    const int proven = node.completion(graph.width)[0];
    return node.is(resolved) ? Bounds{proven, proven} : Bounds{-1, 1};
}

}  // namespace unbounded
