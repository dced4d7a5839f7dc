// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "rules/rules.h"

namespace unbounded {

// How many states lie `depth` moves below the initial one, counted once per way to get there;
// finished games stop.
std::uint64_t perft(const Rules& rules, int depth);

}  // namespace unbounded
