// SPDX-License-Identifier: MIT
// Claims for any number of players: these are the worths of an equilibrium. One action leads to a
// state with the same worths, and no other is better for the mover. Of another one it is enough, in
// a game with a single winner, that its own mover does not lose in some equilibrium, if that leaves
// nothing better: see probes/probe_many.h.
//
// Files: certify_many.cpp claims the worths of all players, certify_movers.cpp those of movers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "probes/probe_many.h"
#include "proofs/certifier.h"

namespace unbounded {

class ManyPlayerCertifier final : public Certifier {
  public:
    // A search that stops at any win has not proven scores, which probes would.
    explicit ManyPlayerCertifier(Parts parts)
        : Certifier(parts, WorthScale(parts.rules, proves_scores(parts)), parts.rules.players,
                    proves_scores(parts)) {
        if (table_ == nullptr) return;
        // In the same order as in the search: the row of a state depends on it.
        prober_ = std::make_unique<ManyProber>(probed_rules(), ordering(), *table_);
        prober_->give_up = [this](std::uint64_t nodes) { return is_time_up(nodes); };
    }

  private:
    using Row = std::vector<Worth>;
    enum class Step { done, impossible };  // impossible: the row cannot be proven
    // The sides of claims: the worths of all players, or the least worth of the mover, as a row.
    static constexpr std::uint8_t all_worths = 0, least_of_mover = 1;

    static bool proves_scores(const Parts& parts) { return !parts.searched.options.resolve_on_win; }

    bool claims_about_movers() const override;
    End certify_root(NodeId root) override;
    std::uint32_t needed_claim(const Claim&, std::uint32_t need) const override { return need; }
    NodeId needed_state(std::uint32_t need) const override { return claims_[need].state; }
    void write_worths(const Claim& claim, std::string& out) const override;

    void begin_many(NodeId state, const Worth* row, int chooser);
    void begin_least(NodeId state, int outcome);
    bool leave_to_checker(NodeId state, const Worth* row, int chooser);
    bool leave_least_to_checker(NodeId state, int outcome);
    Step step_many();
    Step step_least();
    Step begin_rival(const Frame& frame, NodeId child);
    void look_at_all(Frame& frame);
    bool find_witness(Frame& frame);
    bool find_good_action(Frame& frame);
    bool take_good_action(Frame& frame, std::uint32_t action, const Worth* row);
    bool matters(const Frame& frame, std::uint32_t action);
    std::uint32_t claim_of_all(NodeId state) const;
    std::uint32_t claim_equal(NodeId state, const Worth* row) const;
    std::uint32_t claim_below(NodeId state, const Frame& frame) const;
    void claim_many(const Frame& frame, NodeId witness);
    void row_of_end(Row& out) const;
    bool stored_row(State state, Row& out);
    int stored_least(NodeId child, int player, Worth most);
    bool is_enough(NodeId child, int player, int least, Worth most);
    bool known_row(State state, Row& out);
    bool probed_row(State state, Row& out);
    ManyProber::Row probed(State state, std::uint64_t budget, const ManyProber::Chooser* chooser);

    bool is_time_up(std::uint64_t nodes) {
        return time_is_up_ = time_is_up_ || watch_->expired(nodes);
    }

    std::unique_ptr<ManyProber> prober_;
    bool time_is_up_ = false;
};

}  // namespace unbounded
