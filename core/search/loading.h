// SPDX-License-Identifier: MIT
// What is believed of a graph that was read from a file: nothing that could lead the search astray
// in memory, and nothing that the rules contradict where they are asked again. That what else it
// says is true is another matter, and the file's checksum vouches for it.
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
// `layered`: and every edge leads to the next ply.
void check_graph(const Graph& graph, const Saved& saved, int players, const WorthScale& scale,
                 bool layered);

// A stored state of which the rules say something else than the graph.
struct Disagreement {
    NodeId id;
    std::string rule;
};

// Asks the rules again about stored states: who moves, where each action leads, whether and how the
// game is over.
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
