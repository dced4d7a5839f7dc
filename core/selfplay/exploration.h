// SPDX-License-Identifier: MIT
// Which move is played in self-play, after a search.
#pragma once

#include <vector>

#include "graph/hashing.h"
#include "search/search.h"

namespace unbounded {

enum class Law { ordinal, epsilon_greedy, softmax };

struct Exploration {
    Law law = Law::ordinal;
    // ordinal: 1 plays the best, 0 at random. epsilon-greedy: the share of random moves. Negative:
    // drawn anew for every move, evenly from 0 to 1.
    float epsilon = -1;
    float temperature = 0.1f;  // softmax, in units of values
};

// The position of an edge of the root, which must be expanded. A resolved root gets a best move, a
// proven win is always played, a proven loss only where there is nothing else; equal children are
// put in random order.
int choose_move(const Search& search, const Exploration& exploration, Random& random);

}  // namespace unbounded
