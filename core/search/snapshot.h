// SPDX-License-Identifier: MIT
// A search as bytes, to compare searches: equal bytes are equal searches.
#pragma once

#include <cstddef>
#include <vector>

#include "search/search_graph.h"

namespace unbounded {

std::vector<std::byte> snapshot(const SearchGraph& searched);

}  // namespace unbounded
