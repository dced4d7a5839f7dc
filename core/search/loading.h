// SPDX-License-Identifier: MIT
// The checks of a graph that was read from a file. Its numbers must be such that no search can
// leave the graph's memory, and where the rules are called again they must agree. Whether
// everything else is true cannot be checked here; the file's checksum protects it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/worth.h"
#include "rules/rules.h"
#include "search/saving.h"

namespace unbounded {

// Throws `Damaged` unless every number of the graph is one that a search could have written.
// `layered`: and every edge leads to the next ply. `movers`: it may know what movers have at least.
void check_graph(const Graph& graph, const Saved& saved, int players, const WorthScale& scale,
                 bool layered, bool movers);

// A stored state where graph and rules differ.
struct Disagreement {
    NodeId id;
    std::string rule;
};

// Compares stored states with the rules: who moves, where each action leads, whether the game is
// over and with which result.
class RuleCheck {
  public:
    // `completion`: outcomes are stored. `compacted`: of resolved states, edges may be missing.
    RuleCheck(const Graph& graph, const Rules& rules, const WorthScale& scale, bool completion,
              bool compacted);

    // The first state that differs, of every `step`-th one from `begin` to before `end`.
    std::optional<Disagreement> operator()(NodeId begin, NodeId end, NodeId step);

  private:
    const char* differing_rule(NodeId id);  // null: none
    const char* differing_end(const Node& node) const;
    bool same_successors(NodeId id);
    bool leads_only_to(NodeId id);

    const Graph& graph_;
    const Rules& rules_;
    const WorthScale& scale_;
    const bool completion_, compacted_;
    Description description_;
    Expansion listed_;
    std::vector<std::byte> successor_;
};

}  // namespace unbounded
