// SPDX-License-Identifier: MIT
// What a search is made with, what a run may spend, and how it ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "graph/worth.h"

namespace unbounded {

enum class ValueRule { minimax, resolved_completion, propagated_completion };

struct Options {
    std::string algorithm = "ubfm";  // a name of `algorithms()`, see algorithms.h
    ValueRule values = ValueRule::minimax;
    bool back_up_on_expansion = true;  // UBFM; off in paper mode (ERRATA 2)
    bool completion = true;            // off: the basic algorithms, which prove nothing
    bool resolve_on_win = false;       // the Remark's variants
    bool stop_at_draw = false;
    bool local_maximum = false;
    bool bounds = false;       // solve: keep bounds, and leave out what cannot matter
    bool probes = false;       // with bounds: search a leaf depth-first before it is stored
    bool exact_score = false;  // with bounds: prove the score, not only the outcome
    int threads = 1;
    int leaves = 1;                 // expanded with one evaluation; 0: as the evaluator wishes
    int hash_bits = 64;             // fewer only in tests, to make collisions frequent
    std::uint64_t probe_nodes = 0;  // limit of every probe; set only in tests, to make probes fail
};

// What a run may spend. Counts are of the whole search, so that a run can be continued.
struct Limits {
    std::uint64_t iterations = UINT64_MAX;
    std::uint64_t states = UINT64_MAX;
    std::uint64_t memory = UINT64_MAX;
    double seconds = -1;  // of this run; negative: no limit
    // With bounds, two players: the run also ends when the root's worth is proven to be at most the
    // lower end or at least the upper end, and nothing is searched that only matters beyond them.
    std::optional<Bounds> window = std::nullopt;
};

// Whether the principal variation of a resolved root was proven to the end of the game.
enum class LineProof { complete, stopped };

enum class Stop { resolved, window, iterations, states, memory, seconds, interrupted };

}  // namespace unbounded
