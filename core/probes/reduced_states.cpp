// SPDX-License-Identifier: MIT
// What the table of the probes calls a state. Where the rules reduce states, that is the reduced
// one, so that all states with the same future share an entry, whatever led to them.
//
// Let the first player score L more from a state s than from the reduced state t, whatever happens:
// then v(s) = L + v(t). The entry of t has bounds of v(t), which is an integer, and the outcome is
// the sign of the score (both are checked at every end). So bounds of v(t) are bounds of the worth
// of s, and the other way round: "s is at least a draw" says that v(t) is at least -L, and "s is
// won" that it is at least 1 - L.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "probes/probe.h"

namespace unbounded {

namespace {

// Stands for "unknown" among bounds of scores, which are smaller.
constexpr Worth no_bound = TranspositionTable::most_narrow;
// Of a game that may be reduced. A lead may be twice that, and a score less a lead three times.
constexpr float most_score = no_bound / 4;

// The least integer score whose worth is at least this.
Worth least_score(const WorthScale& scale, Worth worth) {
    const int outcome = scale.outcome(worth);
    if (!scale.exact_score) return outcome;
    const float score = scale.score(worth);
    // A score that does not go with the outcome is a bound as well: all worths with this outcome
    // are above it, or below.
    if (outcome > 0) return std::max<Worth>(1, std::llrint(std::ceil(score)));
    if (outcome == 0) return score > 0 ? 1 : 0;
    return std::min<Worth>(0, std::llrint(std::ceil(score)));
}

}  // namespace

bool Prober::reduces(const Rules& rules) {
    return rules.reduces() && rules.best_score[0] <= most_score &&
           rules.best_score[1] <= most_score;
}

std::unique_ptr<TranspositionTable> Prober::empty_table(const Rules& rules,
                                                        const WorthScale& scale) {
    const bool narrow = !scale.exact_score || reduces(rules);
    return std::make_unique<TranspositionTable>(rules.state_bytes, narrow);
}

Bounds Prober::bounds_in_table(const Rules& rules, const WorthScale& scale) {
    return reduces(rules) ? Bounds{-no_bound, no_bound} : scale.all;
}

// Copies a state to be looked up.
Prober::Child Prober::copy_of(State state) {
    slots_ = 1;
    Child root{};
    root.best_reply = no_index;
    root.number = -1;
    expansion_.keep(0);
    expansion_.reserve(1);
    make_keys(1);
    std::memcpy(bytes(root.slot), state, rules_.state_bytes);
    make_key(root, true);
    return root;
}

// Copies a state to be probed.
Prober::Child Prober::root_of(State state) {
    frames_.clear();
    children_.clear();
    typical_work_.clear();
    made_ = 0;
    Child root = copy_of(state);
    TranspositionTable::Known known;
    if (find(root, known)) root.best_reply = known.action;
    Description about(rules_.players);
    rules_.describe(state, about);
    root.player = static_cast<std::uint8_t>(about.player);
    return root;
}

// Makes room for what the table calls states, filled up with zeros.
void Prober::make_keys(std::size_t slots) {
    const std::size_t needed = slots * table_.state_words;
    if (reduces_ && needed > keys_.size()) keys_.resize(2 * needed);
}

// Finds out what the table calls a state: one that stands for all its images, if that is wanted.
void Prober::make_key(Child& child, bool canonical) {
    std::uint64_t* const at = key(child.slot);
    auto* const named = reinterpret_cast<std::byte*>(at);
    child.lead = 0;
    if (reduces_) {
        child.lead = rules_.reduce(bytes(child.slot), named);
        const float most = 2 * std::max(rules_.best_score[0], rules_.best_score[1]);
        if (static_cast<float>(std::abs(child.lead)) > most)
            throw RuleFailure("reduced", bytes(child.slot), rules_.state_bytes,
                              "returned a lead that is more than two scores can differ by");
    }
    if (canonical) rules_.canonicalize(named);
    child.hash = table_.hash(at);
}

// Looks a state up in the table.
bool Prober::find(const Child& child, TranspositionTable::Known& known) {
    if (!table_.find(key(child.slot), child.hash, known)) return false;
    known.bounds = with_lead(known.bounds, child.lead);
    return true;
}

// The worth of a state, from what the table has of the reduced one.
Bounds Prober::with_lead(Bounds in_table, std::int32_t lead) const {
    if (!reduces_) return in_table;
    const auto worth = [&](Worth score) {
        return scale_.of((score > 0) - (score < 0), static_cast<float>(score));
    };
    const Bounds bounds{in_table.lo == -no_bound ? scale_.all.lo : worth(in_table.lo + lead),
                        in_table.hi == no_bound ? scale_.all.hi : worth(in_table.hi + lead)};
    return bounds.meet(scale_.all);
}

Bounds Prober::without_lead(Bounds bounds, std::int32_t lead) const {
    if (!reduces_) return bounds;
    return {bounds.lo <= scale_.all.lo ? -no_bound : least_score(scale_, bounds.lo) - lead,
            bounds.hi >= scale_.all.hi ? no_bound : -least_score(scale_, -bounds.hi) - lead};
}

}  // namespace unbounded
