// SPDX-License-Identifier: MIT
// How many nodes a probe may visit. The table keeps the results of a probe that gives up, but small
// probes rarely finish in large games, so the budget grows with the total probed so far.
#pragma once

#include <cstdint>

namespace unbounded {

constexpr std::uint64_t first_probe = 1 << 10;  // then four times as many, up to the budget
constexpr std::uint64_t smallest_budget =
    1 << 15;  // or, if more, the total probed so far divided by:
constexpr std::uint64_t share_of_a_probe = 4;

}  // namespace unbounded
