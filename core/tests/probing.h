// SPDX-License-Identifier: MIT
// What tests of probes share: the true worths of an explicit game, and questions to compare with.
#pragma once

#include <set>
#include <vector>

#include "probes/probe.h"
#include "tests/checks.h"
#include "tests/native_game.h"

namespace unbounded {

struct Truth {
    explicit Truth(const WorthScale& scale) {
        for (const Value& value : backward_induction(game.table))
            worth.push_back(scale.of(value.first[0], value.second[0]));
    }
    std::vector<Worth> worth;
};

inline bool contains(Bounds bounds, Worth worth) {
    return bounds.lo <= worth && worth <= bounds.hi;
}

inline bool settles(Bounds bounds, Bounds window) {
    return bounds.lo >= window.hi || bounds.hi <= window.lo || bounds.exact();
}

// Every window between neighbors, and some wider ones.
inline std::vector<Bounds> windows(const WorthScale& scale, const Truth& truth, Random& random) {
    std::set<Worth> different(truth.worth.begin(), truth.worth.end());
    different.insert({scale.all.lo, scale.all.hi});
    const std::vector<Worth> at(different.begin(), different.end());
    std::vector<Bounds> made{scale.all};
    for (std::size_t i = 0; i + 1 < at.size(); ++i) {
        made.push_back({at[i], at[i + 1]});
        made.push_back({at[i], at[i + 1 + random.below(at.size() - 1 - i)]});
        if (scale.exact_score) made.push_back({at[i] - 1, at[i]});
    }
    return made;
}

struct Probing {
    Probing(bool exact_score, Evaluator* evaluator, std::vector<std::int32_t> endgame_sizes = {})
        : rules(native_rules(std::move(endgame_sizes))),
          scale(rules, exact_score),
          table(rules.state_bytes, !exact_score),
          prober(rules, evaluator, table, scale),
          truth(scale) {}

    void check(std::uint32_t number, Bounds window, std::uint64_t budget) {
        const std::uint64_t before = prober.nodes();
        check(prober.probe(state_of(number).data(), window, budget), number, window, budget);
        CHECK(prober.nodes() - before <= budget);
    }
    // The same by proof-number search.
    void check_proof(std::uint32_t number, Bounds window, std::uint64_t budget) {
        const std::uint64_t before = prober.nodes();
        check(prober.prove(state_of(number).data(), window, budget), number, window, budget);
        CHECK(prober.nodes() - before <= budget);
    }
    void check(Prober::Answer answer, std::uint32_t number, Bounds window, std::uint64_t budget) {
        CHECK(contains(answer.bounds, truth.worth[number]));
        CHECK(!answer.finished || settles(answer.bounds, window));
        CHECK(answer.finished || budget < 1'000'000);
    }
    void check_table() {
        for (std::uint32_t s = 0; s < truth.worth.size(); ++s)
            CHECK(contains(prober.known(state_of(s).data()), truth.worth[s]));
    }

    NativeRules rules;
    WorthScale scale;
    TranspositionTable table;
    Prober prober;
    Truth truth;
};

// A state whose game is not over.
inline std::uint32_t open_state(Random& random) {
    for (;;) {
        const auto s = random.below(static_cast<std::uint32_t>(game.table.states.size()));
        if (!game.table.states[s].successors.empty()) return s;
    }
}

}  // namespace unbounded
