// SPDX-License-Identifier: MIT
// How many nodes a probe may visit. What a probe gives up is not lost, since the table remembers
// it, but small probes get lost in big games: so they grow with what all probes took before.
#pragma once

#include <cstdint>

namespace unbounded {

constexpr std::uint64_t first_probe = 1 << 10;      // then four times as many, up to the budget
constexpr std::uint64_t smallest_budget = 1 << 15;  // or a share of what all probes took before:
constexpr std::uint64_t share_of_a_probe = 2;

}  // namespace unbounded
