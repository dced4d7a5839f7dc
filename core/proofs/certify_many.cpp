// SPDX-License-Identifier: MIT
// Claims about the worths of all players.
#include "proofs/certify_many.h"

#include <algorithm>

namespace unbounded {

Certifier::End ManyPlayerCertifier::certify_root(NodeId root) {
    Row row(rules_.players);
    if (!about_[root].terminal && !stored_row(states_.state(root), row)) return End::impossible;
    begin_many(root, about_[root].terminal ? nullptr : row.data(), 0);
    while (!frames_.empty())
        if (step_many() == Step::impossible) return End::impossible;
    return End::proven;
}

// Begins to claim a row; without one, whatever row there is. `chooser` moves before the state.
void ManyPlayerCertifier::begin_many(NodeId state, const Worth* row, int chooser) {
    if (checker_ && !about_[state].terminal && leave_to_checker(state, row, chooser)) return;
    push(state, all_worths);
    Frame& frame = frames_.back();
    frame.open = row == nullptr;
    targets_.resize(frame.worths + rules_.players);
    if (!frame.open) std::copy(row, row + rules_.players, targets_.begin() + frame.worths);
}

// Leaves a row to the checker, if it can find it with few enough successors. Without one, that is
// the row that is worst for the chooser: then another action is a good one.
bool ManyPlayerCertifier::leave_to_checker(NodeId state, const Worth* row, int chooser) {
    if (!checker_->find_equilibria(states_.state(state), about_[state].player)) return false;
    const Worth* const first = checker_->rows().data();
    const Worth* const end = first + checker_->rows().size();
    const Worth* found = row == nullptr ? first : end;
    for (const Worth* at = first; at != end; at += rules_.players)
        if (row == nullptr ? at[chooser] < found[chooser]
                           : std::equal(at, at + rules_.players, row))
            found = at;
    if (found == end) return false;
    add_searched_claim(state, all_worths, found);
    return true;
}

// Continues with the last state that was begun.
ManyPlayerCertifier::Step ManyPlayerCertifier::step_many() {
    look(1);
    Frame& frame = frames_.back();
    if (frame.side == least_of_mover) return step_least();
    if (about_[frame.state].terminal) {
        Row row(rules_.players);
        rules_.describe(states_.state(frame.state), description_);
        row_of_end(row);
        if (!frame.open && !std::equal(row.begin(), row.end(), targets_.begin() + frame.worths))
            return Step::impossible;
        add_claim(frame, row.data());
        pop();
        return Step::done;
    }
    if (frame.open) {
        look_at_all(frame);
        return Step::done;
    }
    if (frame.witness == all_actions && !find_witness(frame)) return Step::impossible;
    const Worth* const row = targets_.data() + frame.worths;
    const NodeId witness = name(successor(frame, frame.witness), frame.state, frame.witness);
    if (claim_equal(witness, row) == none) {
        begin_many(witness, Row(row, row + rules_.players).data(), about_[frame.state].player);
        return Step::done;
    }
    for (; frame.at < frame.count; ++frame.at) {
        if (find(successor(frame, frame.at)) == witness || !matters(frame, frame.at)) continue;
        const NodeId child =
            name(successor(frame, frame.at), frame.state, static_cast<std::uint16_t>(frame.at));
        if (claim_below(child, frame) == none) return begin_rival(frame, child);
    }
    claim_many(frame, witness);
    return Step::done;
}

// Begins to claim a row of a child that is not better for the mover, or less where that is enough.
ManyPlayerCertifier::Step ManyPlayerCertifier::begin_rival(const Frame& frame, NodeId child) {
    const int player = about_[frame.state].player;
    const Worth most = targets_[frame.worths + player];
    Row row(rules_.players);
    const State state = states_.state(child);
    const bool stored = stored_row(state, row) || stored_least(child, player, most) >= 0;
    if (about_[child].terminal || !(stored || prober_)) {
        if (claim_of_all(child) != none) return Step::impossible;
        begin_many(child, nullptr, player);
        return Step::done;
    }
    if (!(stored_row(state, row) && row[player] <= most)) {
        if (const int outcome = stored_least(child, player, most); outcome >= 0) {
            begin_least(child, outcome);
            return Step::done;
        }
        if (prober_ == nullptr) return Step::impossible;
        const ManyProber::Chooser chooser{player, most};
        const ManyProber::Row found = probed(state, UINT64_MAX, &chooser);
        if (found != ManyProber::Row::exact) {
            begin_least(child, found == ManyProber::Row::mover_wins ? 1 : 0);
            return Step::done;
        }
        std::copy_n(prober_->row(), rules_.players, row.begin());
        if (row[player] > most) return Step::impossible;
    }
    // A claim about the child's own mover needs one action, one about all players needs them all.
    if (const int least = scale_.outcome(row[about_[child].player]);
        is_enough(child, player, least, most))
        begin_least(child, least);
    else
        begin_many(child, row.data(), player);
    return Step::done;
}

// Where nothing is known of a state: claims a row of every child, then takes the best.
void ManyPlayerCertifier::look_at_all(Frame& frame) {
    const int player = about_[frame.state].player;
    for (; frame.at < frame.count; ++frame.at) {
        const NodeId child =
            name(successor(frame, frame.at), frame.state, static_cast<std::uint16_t>(frame.at));
        if (claim_of_all(child) != none) continue;
        Row row(rules_.players);
        const State state = states_.state(child);
        const bool found =
            !about_[child].terminal && (stored_row(state, row) || probed_row(state, row));
        begin_many(child, found ? row.data() : nullptr, player);
        return;
    }
    Worth* const best = targets_.data() + frame.worths;
    for (std::uint32_t i = 0; i < frame.count; ++i) {
        const Claim& claim = claims_[claim_of_all(find(successor(frame, i)))];
        const Worth* const row = worths_.data() + claim.worths;
        if (i > 0 && row[player] <= best[player]) continue;
        std::copy(row, row + rules_.players, best);
        frame.witness = static_cast<std::uint16_t>(i);
    }
    frame.open = false;
    frame.at = 0;
}

// Looks for an action that leads to the row: first among those that have been claimed, then among
// those that are stored.
bool ManyPlayerCertifier::find_witness(Frame& frame) {
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

// Whether a child might be better for the mover than the row, by what the game declares. The
// checker decides the same way.
bool ManyPlayerCertifier::matters(const Frame& frame, std::uint32_t action) {
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

// Any claim about the worths of all players.
std::uint32_t ManyPlayerCertifier::claim_of_all(NodeId state) const {
    std::uint32_t c = about_[state].first_claim;
    while (c != none && claims_[c].side != all_worths) c = claims_[c].next;
    return c;
}

std::uint32_t ManyPlayerCertifier::claim_equal(NodeId state, const Worth* row) const {
    const auto is_equal = [&](const Claim& claim) {
        return claim.side == all_worths &&
               std::equal(row, row + rules_.players, worths_.begin() + claim.worths);
    };
    std::uint32_t c = about_[state].first_claim;
    while (c != none && !is_equal(claims_[c])) c = claims_[c].next;
    return c;
}

// A claim about a child by which it is not better for the mover than the row.
std::uint32_t ManyPlayerCertifier::claim_below(NodeId state, const Frame& frame) const {
    const int player = about_[frame.state].player;
    const auto most = [&](const Claim& claim) {
        const Worth worth = worths_[claim.worths + player];
        if (claim.side == all_worths) return worth;
        return most_beside(rules_, states_.state(state), player, scale_.outcome(worth));
    };
    const auto is_below = [&](const Claim& claim) {
        const bool usable = claim.side == all_worths || about_[state].player != player;
        return usable && most(claim) <= targets_[frame.worths + player];
    };
    std::uint32_t c = about_[state].first_claim;
    while (c != none && !is_below(claims_[c])) c = claims_[c].next;
    return c;
}

void ManyPlayerCertifier::claim_many(const Frame& frame, NodeId witness) {
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

void ManyPlayerCertifier::row_of_end(Row& out) const {
    for (int p = 0; p < rules_.players; ++p)
        out[p] = scale_.of(description_.outcome[p], description_.score[p]);
}

// Whether the search has proven the row of a state, which is then put into `out`.
bool ManyPlayerCertifier::stored_row(State state, Row& out) {
    const NodeId id = locate(state);
    if (id == no_node || !searched_.graph.node(id).is(resolved)) return false;
    const Node& node = searched_.graph.node(id);
    for (int p = 0; p < rules_.players; ++p)
        out[p] = scale_.of(node.completion(rules_.players)[p], node.values()[p]);
    return true;
}

// The row of a terminal state, or what the search or its probes have proven.
bool ManyPlayerCertifier::known_row(State state, Row& out) {
    rules_.describe(state, description_);
    if (description_.terminal) {
        row_of_end(out);
        return true;
    }
    if (stored_row(state, out)) return true;
    if (prober_ == nullptr || prober_->known(canonical(state)) != ManyProber::Row::exact)
        return false;
    std::copy_n(prober_->row(), rules_.players, out.begin());
    return true;
}

// The same by a probe, of a state that is not terminal. Returns false if there are no probes.
bool ManyPlayerCertifier::probed_row(State state, Row& out) {
    if (prober_ == nullptr) return false;
    probed(state, UINT64_MAX, nullptr);
    std::copy_n(prober_->row(), rules_.players, out.begin());
    return true;
}

ManyProber::Row ManyPlayerCertifier::probed(State state, std::uint64_t budget,
                                            const ManyProber::Chooser* chooser) {
    if (own_table_ && own_table_->small_for(prober_->nodes() / 4)) own_table_->grow(memory_ / 4);
    const ManyProber::Row found = prober_->probe(canonical(state), budget, chooser);
    if (found == ManyProber::Row::unknown && (time_is_up_ || budget == UINT64_MAX)) throw GivenUp{};
    return found;
}

void ManyPlayerCertifier::write_worths(const Claim& claim, std::string& out) const {
    if (claim.side == least_of_mover) {
        out += " >=";
        write_worth(worths_[claim.worths], out);
        return;
    }
    for (int p = 0; p < rules_.players; ++p) {
        out += p == 0 ? " =" : ",";
        write_worth(worths_[claim.worths + p], out);
    }
}

std::unique_ptr<Certifier> make_many_player_certifier(Certifier::Parts parts) {
    return std::make_unique<ManyPlayerCertifier>(std::move(parts));
}

}  // namespace unbounded
