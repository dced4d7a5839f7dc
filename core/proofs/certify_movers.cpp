// SPDX-License-Identifier: MIT
// Claims about the worth of the player who moves: in some equilibrium it is at least this much.
#include <algorithm>

#include "proofs/certify_many.h"
#include "solver/probe_sizes.h"

namespace unbounded {

// The least outcome of the mover of a child that the search has stored, if it shows that the child
// is worth at most so much to another player; else -1.
int ManyPlayerCertifier::stored_least(NodeId child, int player, Worth most) {
    if (about_[child].terminal || !rules_.single_winner()) return -1;
    const NodeId id = locate(states_.state(child));
    if (id == no_node || !searched_.graph.node(id).is(mover_draws)) return -1;
    const int outcome = searched_.graph.node(id).is(mover_wins) ? 1 : 0;
    return is_enough(child, player, outcome, most) ? outcome : -1;
}

// Whether a child is worth at most so much to a player if its own mover has this outcome.
bool ManyPlayerCertifier::is_enough(NodeId child, int player, int least, Worth most) {
    return rules_.single_winner() && least >= 0 && about_[child].player != player &&
           most_beside(rules_, states_.state(child), player, least) <= most;
}

// Begins to claim that the mover has at least this outcome in an equilibrium.
void ManyPlayerCertifier::begin_least(NodeId state, int outcome) {
    if (checker_ && leave_least_to_checker(state, outcome)) return;
    push(state, least_of_mover);
    targets_.resize(frames_.back().worths + rules_.players, scale_.of(outcome, 0));
}

bool ManyPlayerCertifier::leave_least_to_checker(NodeId state, int outcome) {
    const int player = about_[state].player;
    if (!checker_->find_equilibria(states_.state(state), player)) return false;
    const std::vector<Worth>& rows = checker_->rows();
    Worth most = rows[player];
    for (std::size_t row = 0; row < rows.size(); row += rules_.players)
        most = std::max(most, rows[row + player]);
    if (scale_.outcome(most) < outcome) return false;
    add_searched_claim(state, least_of_mover, Row(rules_.players, most).data());
    return true;
}

// Continues with a claim about the mover alone: one action must be good enough.
ManyPlayerCertifier::Step ManyPlayerCertifier::step_least() {
    Frame& frame = frames_.back();
    if (frame.witness == all_actions && !find_good_action(frame)) return Step::impossible;
    // The row that the action leads to.
    const Row row(targets_.begin() + frame.worths,
                  targets_.begin() + frame.worths + rules_.players);
    const int player = about_[frame.state].player;
    const NodeId witness = name(successor(frame, frame.witness), frame.state, frame.witness);
    const std::uint32_t claim = claim_equal(witness, row.data());
    if (claim == none) {
        begin_many(witness, row.data(), player);
        return Step::done;
    }
    add_claim(frame, Row(rules_.players, row[player]).data());
    needs_.push_back(claim);
    claims_.back().needs = 1;
    pop();
    return Step::done;
}

// Looks for an action that is good enough for the mover: first among those whose rows are claimed,
// then among those that are known, then by probes, short ones of all actions first.
bool ManyPlayerCertifier::find_good_action(Frame& frame) {
    Row row(rules_.players);
    for (std::uint32_t i = 0; i < frame.count; ++i) {
        const NodeId child = find(successor(frame, i));
        std::uint32_t c = child == no_node ? none : about_[child].first_claim;
        for (; c != none; c = claims_[c].next)
            if (claims_[c].side == all_worths &&
                take_good_action(frame, i, worths_.data() + claims_[c].worths))
                return true;
    }
    for (std::uint32_t i = 0; i < frame.count; ++i)
        if (known_row(successor(frame, i), row) && take_good_action(frame, i, row.data()))
            return true;
    if (prober_ == nullptr) return false;
    bool open = true;
    for (std::uint64_t budget = first_probe; open; budget *= 4) {
        open = false;
        for (std::uint32_t i = 0; i < frame.count; ++i) {
            const State state = successor(frame, i);
            rules_.describe(state, description_);
            if (description_.terminal) continue;
            const ManyProber::Row found = probed(state, budget, nullptr);
            open |= found != ManyProber::Row::exact;
            if (found == ManyProber::Row::exact && take_good_action(frame, i, prober_->row()))
                return true;
        }
    }
    return false;
}

// Takes an action and the row that it leads to, if that is good enough for the mover.
bool ManyPlayerCertifier::take_good_action(Frame& frame, std::uint32_t action, const Worth* row) {
    const int player = about_[frame.state].player;
    Worth* const target = targets_.data() + frame.worths;
    if (scale_.outcome(row[player]) < scale_.outcome(target[player])) return false;
    std::copy_n(row, rules_.players, target);
    frame.witness = static_cast<std::uint16_t>(action);
    return true;
}

bool ManyPlayerCertifier::claims_about_movers() const {
    return std::any_of(claims_.begin(), claims_.end(), [](const Claim& claim) {
        return claim.wanted && claim.side == least_of_mover;
    });
}

}  // namespace unbounded
