// SPDX-License-Identifier: MIT
// A depth-first search down a cycle would never end: its line comes back to one of its states.
#pragma once

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "rules/rules.h"

namespace unbounded {

// Looks for a state that is on a line twice. Frames have a hash; `state_of` tells their states.
template <class Frame, class StateOf>
void check_for_cycle(const std::vector<Frame>& frames, const StateOf& state_of,
                     std::size_t state_bytes) {
    std::vector<std::size_t> places(frames.size());
    std::iota(places.begin(), places.end(), 0);
    std::stable_sort(places.begin(), places.end(),
                     [&](std::size_t a, std::size_t b) { return frames[a].hash < frames[b].hash; });
    const auto same = [&](std::size_t a, std::size_t b) {
        return frames[a].hash == frames[b].hash &&
               std::memcmp(state_of(frames[a]), state_of(frames[b]), state_bytes) == 0;
    };
    const auto again = std::adjacent_find(places.begin(), places.end(), same);
    if (again == places.end()) return;
    std::vector<State> line;
    for (std::size_t i = again[0]; i < again[1]; ++i) line.push_back(state_of(frames[i]));
    throw cycle_failure(line, state_bytes);
}

}  // namespace unbounded
