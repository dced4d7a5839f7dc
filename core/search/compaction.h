// SPDX-License-Identifier: MIT
// Makes room when memory is full: removes the states that no proof and no open line needs. Below a
// resolved state only the line that proves it is kept.
#pragma once

#include "search/search_graph.h"

namespace unbounded {

enum class Compaction { freed, not_worth_it, out_of_time };

// Invalidates all node ids and edge pointers. If `watch` says that time is up before it is known
// what is needed, nothing changes; null: no limit of time.
Compaction compact(SearchGraph& searched, const Watch* watch = nullptr);

}  // namespace unbounded
