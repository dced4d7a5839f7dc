// SPDX-License-Identifier: MIT
// What is believed of a graph that was read from a file: nothing that could lead the search astray
// in memory. That its numbers are true is another matter, and the file's checksum vouches for it.
#pragma once

#include "graph.h"
#include "saving.h"
#include "worth.h"

namespace unbounded {

// Throws `Damaged` unless every number of the graph is one that a search could have written.
// `layered`: and every edge leads to the next ply.
void check_graph(const Graph& graph, const Saved& saved, int players, const WorthScale& scale,
                 bool layered);

}  // namespace unbounded
