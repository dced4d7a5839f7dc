// SPDX-License-Identifier: MIT
// Claims for any number of players: these are the worths of an equilibrium. One action leads to a
// state with the same worths, and no other is better for the mover.
#include <algorithm>

#include "proofs/certifier.h"

namespace unbounded {

Certifier::End Certifier::certify_many(NodeId root) {
    Row row(rules_.players);
    if (!about_[root].terminal && !stored_row(states_.state(root), row)) return End::impossible;
    begin_many(root, about_[root].terminal ? nullptr : row.data());
    while (!frames_.empty())
        if (!step_many()) return End::impossible;
    return End::proven;
}

// Begins to claim a row; without one, whatever row there is.
void Certifier::begin_many(NodeId state, const Worth* row) {
    push(state, 0);
    Frame& frame = frames_.back();
    frame.open = row == nullptr;
    targets_.resize(frame.worths + rules_.players);
    if (!frame.open) std::copy(row, row + rules_.players, targets_.begin() + frame.worths);
}

// Goes on with the last state that was begun. False: its row cannot be proven.
bool Certifier::step_many() {
    look(1);
    Frame& frame = frames_.back();
    if (about_[frame.state].terminal) {
        Row row(rules_.players);
        rules_.describe(states_.state(frame.state), description_);
        row_of_end(row);
        if (!frame.open && !std::equal(row.begin(), row.end(), targets_.begin() + frame.worths))
            return false;
        add_claim(frame, row.data());
        pop();
        return true;
    }
    if (frame.open) return look_at_all(frame);
    if (frame.witness == all_actions && !find_witness(frame)) return false;
    const Worth* const row = targets_.data() + frame.worths;
    const NodeId witness = name(successor(frame, frame.witness), frame.state, frame.witness);
    if (claim_equal(witness, row) == none) {
        begin_many(witness, Row(row, row + rules_.players).data());
        return true;
    }
    for (; frame.at < frame.count; ++frame.at) {
        if (find(successor(frame, frame.at)) == witness || !matters(frame, frame.at)) continue;
        const NodeId child =
            name(successor(frame, frame.at), frame.state, static_cast<std::uint16_t>(frame.at));
        if (claim_below(child, frame) == none) return begin_rival(frame, child);
    }
    claim_many(frame, witness);
    return true;
}

// Begins to claim a row of a child that is not better for the mover. False: there is none.
bool Certifier::begin_rival(const Frame& frame, NodeId child) {
    const int player = about_[frame.state].player;
    const Worth most = targets_[frame.worths + player];
    Row row(rules_.players);
    const State state = states_.state(child);
    if (about_[child].terminal || !(stored_row(state, row) || many_prober_)) {
        if (about_[child].first_claim != none) return false;
        begin_many(child, nullptr);
        return true;
    }
    if (!(stored_row(state, row) && row[player] <= most) &&
        !(probed_row(state, row) && row[player] <= most))
        return false;
    begin_many(child, row.data());
    return true;
}

// Where nothing is known of a state: claims a row of every child, then takes the best.
bool Certifier::look_at_all(Frame& frame) {
    const int player = about_[frame.state].player;
    for (; frame.at < frame.count; ++frame.at) {
        const NodeId child =
            name(successor(frame, frame.at), frame.state, static_cast<std::uint16_t>(frame.at));
        if (about_[child].first_claim != none) continue;
        Row row(rules_.players);
        const State state = states_.state(child);
        const bool found =
            !about_[child].terminal && (stored_row(state, row) || probed_row(state, row));
        begin_many(child, found ? row.data() : nullptr);
        return true;
    }
    Worth* const best = targets_.data() + frame.worths;
    for (std::uint32_t i = 0; i < frame.count; ++i) {
        const Claim& claim = claims_[about_[find(successor(frame, i))].first_claim];
        const Worth* const row = worths_.data() + claim.worths;
        if (i > 0 && row[player] <= best[player]) continue;
        std::copy(row, row + rules_.players, best);
        frame.witness = static_cast<std::uint16_t>(i);
    }
    frame.open = false;
    frame.at = 0;
    return true;
}

// Looks for an action that leads to the row: rather one that has been claimed, or that is stored.
bool Certifier::find_witness(Frame& frame) {
    const Row target(targets_.begin() + frame.worths,
                     targets_.begin() + frame.worths + rules_.players);
    Row row(rules_.players);
    const auto take = [&frame](std::uint32_t action) {
        frame.witness = static_cast<std::uint16_t>(action);
        return true;
    };
    for (std::uint32_t i = 0; i < frame.count; ++i) {
        const NodeId child = find(successor(frame, i));
        if (child != no_node && claim_equal(child, target.data()) != none) return take(i);
    }
    for (std::uint32_t i = 0; i < frame.count; ++i) {
        rules_.describe(successor(frame, i), description_);
        if (description_.terminal) row_of_end(row);
        if ((description_.terminal || stored_row(successor(frame, i), row)) && row == target)
            return take(i);
    }
    for (std::uint32_t i = 0; i < frame.count; ++i) {
        rules_.describe(successor(frame, i), description_);
        if (!description_.terminal && probed_row(successor(frame, i), row) && row == target)
            return take(i);
    }
    return false;
}

// Whether a child might be better for the mover than the row, for all that the game says. The
// checker asks the same.
bool Certifier::matters(const Frame& frame, std::uint32_t action) {
    const int player = about_[frame.state].player;
    const Worth worth = targets_[frame.worths + player];
    if (!scores_.claimed) return scale_.outcome(worth) < 1;
    const State state = successor(frame, action);
    rules_.describe(state, description_);
    const float best = scores_.bounded && !description_.terminal
                           ? rules_.best_score_from(state, player)
                           : rules_.best_score[player];
    return worth < lexicographic(1, best);
}

std::uint32_t Certifier::claim_equal(NodeId state, const Worth* row) const {
    std::uint32_t c = about_[state].first_claim;
    while (c != none && !std::equal(row, row + rules_.players, worths_.begin() + claims_[c].worths))
        c = claims_[c].next;
    return c;
}

// A claim about a child by which it is not better for the mover than the row.
std::uint32_t Certifier::claim_below(NodeId state, const Frame& frame) const {
    const int player = about_[frame.state].player;
    std::uint32_t c = about_[state].first_claim;
    while (c != none && worths_[claims_[c].worths + player] > targets_[frame.worths + player])
        c = claims_[c].next;
    return c;
}

void Certifier::claim_many(const Frame& frame, NodeId witness) {
    const Row row(targets_.begin() + frame.worths,
                  targets_.begin() + frame.worths + rules_.players);
    add_claim(frame, row.data());
    needs_.push_back(claim_equal(witness, row.data()));
    for (std::uint32_t i = 0; i < frame.count; ++i) {
        const NodeId child = find(successor(frame, i));
        if (child != witness && matters(frame, i)) needs_.push_back(claim_below(child, frame));
    }
    Claim& claim = claims_.back();
    claim.needs = static_cast<std::uint32_t>(needs_.size() - claim.first_need);
    pop();
}

void Certifier::row_of_end(Row& out) const {
    for (int p = 0; p < rules_.players; ++p)
        out[p] = scale_.of(description_.outcome[p], description_.score[p]);
}

// What the search has proven of a state. False: nothing.
bool Certifier::stored_row(State state, Row& out) {
    const NodeId id = locate(state);
    if (id == no_node || !search_.graph_.node(id).is(resolved)) return false;
    const Node& node = search_.graph_.node(id);
    for (int p = 0; p < rules_.players; ++p)
        out[p] = scale_.of(node.completion(rules_.players)[p], node.values()[p]);
    return true;
}

// What a probe says of a state whose game is not over. False: there are no probes.
bool Certifier::probed_row(State state, Row& out) {
    if (many_prober_ == nullptr) return false;
    if (own_table_ && own_table_->small_for(many_prober_->nodes() / 4))
        own_table_->grow(memory_ / 4);
    const Worth* const row = many_prober_->probe(canonical(state), UINT64_MAX);
    if (row == nullptr) throw GivenUp{};
    std::copy(row, row + rules_.players, out.begin());
    return true;
}

}  // namespace unbounded
