// SPDX-License-Identifier: MIT
// Makes room when memory is full: removes the states that no proof and no open line needs. Below a
// resolved state only the line that proves it is kept.
#pragma once

#include "search/search_graph.h"

namespace unbounded {

enum class Compaction { freed, not_worth_it };

// Invalidates all node ids and edge pointers.
Compaction compact(SearchGraph& searched);

}  // namespace unbounded
