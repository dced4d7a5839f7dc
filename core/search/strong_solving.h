// SPDX-License-Identifier: MIT
// Strong solving: every state that can be reached from the root is stored and resolved.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "search/walk.h"

namespace unbounded {

// Bounds must be off.
Stop resolve_all(Walk& walk, const Limits& limits, const Poll& poll);

// The states at one distance from the root, by the shortest line: their number and outcomes.
struct Ply {
    std::uint64_t states = 0, terminal = 0;
    // For the first player, or for each: how many are lost, drawn and won.
    std::vector<std::array<std::uint64_t, 3>> outcomes;
};
std::vector<Ply> count_by_ply(const SearchGraph& searched);

}  // namespace unbounded
