// SPDX-License-Identifier: MIT
// Claims for two players, zero sum: the state is worth at least so much to one side. Where the
// side moves, one action is the witness; where the other does, every action must be good enough.
#include <algorithm>

#include "probes/probe.h"
#include "proofs/certifier.h"

namespace unbounded {

namespace {

class TwoPlayerCertifier final : public Certifier {
  public:
    explicit TwoPlayerCertifier(Parts parts)
        : Certifier(parts, WorthScale(parts.rules, parts.searched.options.exact_score), 0, true) {
        if (table_ == nullptr) return;
        prober_ = std::make_unique<Prober>(probed_rules(), ordering(), *table_, scale_);
        prober_->give_up = [this](std::uint64_t nodes) { return watch_->expired(nodes); };
    }

  private:
    enum class Answer { no, yes, begun };
    enum class Leave { no, yes, untrue };  // whether a claim is left to the checker

    End certify_root(NodeId root) override;
    std::uint32_t needed_claim(const Claim& claim, std::uint32_t need) const override {
        return claim_of(need, claim.side, worths_[claim.worths]);
    }
    NodeId needed_state(std::uint32_t need) const override { return need; }
    void write_worths(const Claim& claim, std::string& out) const override;

    Answer prove(NodeId root, std::uint8_t side, Worth worth);
    Answer begin(NodeId state, std::uint8_t side, Worth worth);
    Leave leave_to_checker(NodeId state, std::uint8_t side, Worth worth);
    Answer deliver(Frame& frame, Answer about_action);
    Answer finish(const Frame& frame, Answer answer);
    std::uint32_t claim_of(NodeId state, std::uint8_t side, Worth worth) const;
    Bounds known(State state);
    Worth end_of(NodeId state);
    Worth least(NodeId state, std::uint8_t side);
    bool possible(State state, std::uint8_t side, Worth worth);
    void choose(Frame& frame);
    Worth target(const Frame& frame) const { return targets_[frame.worths]; }

    std::unique_ptr<Prober> prober_;
};

Certifier::End TwoPlayerCertifier::certify_root(NodeId root) {
    const Bounds bounds =
        about_[root].terminal ? Bounds{end_of(root), end_of(root)} : known(states_.state(root));
    if (!bounds.exact() && !request_.partial) return End::impossible;
    for (const std::uint8_t side : {0, 1}) {
        const Worth worth = bounds.seen_by(side).lo;
        // "At least a loss" needs no proof. A score does, unless it is only a bound and no better
        // than what the game declares.
        const bool says_nothing = scores_.claimed ? !bounds.exact() && worth <= least(root, side)
                                                  : scale_.outcome(worth) == -1;
        if (!says_nothing && prove(root, side, worth) == Answer::no) return End::impossible;
    }
    return End::proven;
}

// What a state where the game is over is worth.
Worth TwoPlayerCertifier::end_of(NodeId state) {
    rules_.describe(states_.state(state), description_);
    return scale_.of(description_.outcome[0], description_.score[0]);
}

// The least that a state can be worth to a side, by what the game declares.
Worth TwoPlayerCertifier::least(NodeId state, std::uint8_t side) {
    const Worth anywhere = scale_.all.seen_by(side).lo;
    if (!scores_.bounded || about_[state].terminal) return anywhere;
    const float best = rules_.best_score_from(states_.state(state), 1 - side);
    return std::max(anywhere, -lexicographic(1, best));
}

// Makes a claim, and those on which it rests, unless it is not true.
TwoPlayerCertifier::Answer TwoPlayerCertifier::prove(NodeId root, std::uint8_t side, Worth worth) {
    Answer answer = begin(root, side, worth);
    while (!frames_.empty()) {
        Frame& frame = frames_.back();
        if (answer != Answer::begun) {
            answer = deliver(frame, answer);
        } else {
            const auto action = static_cast<std::uint16_t>(frame.at);
            const NodeId child = name(successor(frame, frame.at), frame.state, action);
            answer = begin(child, side, target(frame));
        }
    }
    return answer;
}

// An earlier claim that implies this one, or `none`.
std::uint32_t TwoPlayerCertifier::claim_of(NodeId state, std::uint8_t side, Worth worth) const {
    std::uint32_t c = about_[state].first_claim;
    while (c != none && (claims_[c].side != side || worths_[claims_[c].worths] < worth))
        c = claims_[c].next;
    return c;
}

// Begins to prove a claim; or answers at once, if it can.
TwoPlayerCertifier::Answer TwoPlayerCertifier::begin(NodeId state, std::uint8_t side, Worth worth) {
    look(1);
    if (claim_of(state, side, worth) != none) return Answer::yes;
    if (about_[state].failed[side] <= worth) return Answer::no;
    if (about_[state].terminal) {
        const Worth end = end_of(state);
        const Worth seen = side == 0 ? end : -end;
        if (seen < worth) return Answer::no;
        add_claim({state, 0, 0, 0, side, false, false, all_actions, 0}, &seen);
        return Answer::yes;
    }
    const Leave left = checker_ ? leave_to_checker(state, side, worth) : Leave::no;
    if (left == Leave::yes) return Answer::yes;
    if (left == Leave::untrue || !possible(states_.state(state), side, worth)) {
        about_[state].failed[side] = worth;
        return Answer::no;
    }
    push(state, side);
    targets_.push_back(worth);
    Frame& frame = frames_.back();
    if (about_[state].player == side) choose(frame);
    return Answer::begun;
}

// Leaves a claim to the checker, if it can prove it with few enough successors.
TwoPlayerCertifier::Leave TwoPlayerCertifier::leave_to_checker(NodeId state, std::uint8_t side,
                                                               Worth worth) {
    if (known(states_.state(state)).seen_by(side).hi < worth) return Leave::untrue;
    switch (checker_->is_worth_at_least(states_.state(state), about_[state].player, side, worth)) {
        case CheckerSearch::Answer::no: return Leave::untrue;
        case CheckerSearch::Answer::refused: return Leave::no;
        case CheckerSearch::Answer::yes: break;
    }
    add_searched_claim(state, side, &worth);
    return Leave::yes;
}

// Takes the answer about the action that was looked at.
TwoPlayerCertifier::Answer TwoPlayerCertifier::deliver(Frame& frame, Answer about_action) {
    const bool chooses = about_[frame.state].player == frame.side;
    if ((about_action == Answer::yes) == chooses) {  // this settles it
        if (chooses) frame.witness = static_cast<std::uint16_t>(frame.at);
        return finish(frame, about_action);
    }
    if (frame.guided) {  // what was known did not hold, which is not to be expected
        frame.guided = false;
        frame.at = 0;
        return Answer::begun;
    }
    return ++frame.at < frame.count ? Answer::begun
                                    : finish(frame, chooses ? Answer::no : Answer::yes);
}

TwoPlayerCertifier::Answer TwoPlayerCertifier::finish(const Frame& frame, Answer answer) {
    if (answer == Answer::yes) {
        const Worth worth = target(frame);
        add_claim(frame, &worth);
        claims_.back().needs = 0;
        for (std::uint32_t i = 0; i < frame.count; ++i)
            if (frame.witness == all_actions || frame.witness == i)
                needs_.push_back(find(successor(frame, i)));
        const auto first = needs_.begin() + claims_.back().first_need;
        std::sort(first, needs_.end());
        needs_.erase(std::unique(first, needs_.end()), needs_.end());
        claims_.back().needs =
            static_cast<std::uint32_t>(needs_.size() - claims_.back().first_need);
    } else {
        Worth& failed = about_[frame.state].failed[frame.side];
        failed = std::min(failed, target(frame));
    }
    pop();
    return answer;
}

// What the search has proven of a state.
Bounds TwoPlayerCertifier::known(State state) {
    Bounds bounds = scale_.all;
    const NodeId id = locate(state);
    if (id != no_node) {
        const Node& node = searched_.graph.node(id);
        if (searched_.graph.bounding != Bounding::none)
            bounds = bounds.meet(searched_.graph.bounds(node));
        else if (node.is(resolved))
            bounds = bounds.meet({node.completion(1)[0], node.completion(1)[0]});
    }
    if (prober_ == nullptr) return bounds;
    bounds = bounds.meet(prober_->known(state));
    return bounds.meet(prober_->known(canonical(state)));
}

// Whether the claim is true, as far as is known without trying to prove it.
bool TwoPlayerCertifier::possible(State state, std::uint8_t side, Worth worth) {
    const Bounds bounds = known(state).seen_by(side);
    if (bounds.lo >= worth || bounds.hi < worth) return bounds.lo >= worth;
    if (prober_ == nullptr) return true;
    if (own_table_ && own_table_->small_for(prober_->nodes() / 4)) own_table_->grow(memory_ / 4);
    const Bounds window = Bounds{worth - 1, worth}.seen_by(side);
    const Prober::Answer answer = prober_->probe(canonical(state), window, UINT64_MAX);
    if (!answer.finished) throw GivenUp{};
    return answer.bounds.seen_by(side).lo >= worth;
}

// Starts with an action whose worth is known: one that has been claimed already, or that ends the
// game, before others.
void TwoPlayerCertifier::choose(Frame& frame) {
    const Worth worth = target(frame);
    const auto take = [&frame](std::uint32_t action) {
        frame.at = action;
        frame.guided = true;
    };
    for (std::uint32_t i = 0; i < frame.count; ++i) {
        const NodeId child = find(successor(frame, i));
        if (child != no_node && claim_of(child, frame.side, worth) != none) return take(i);
    }
    for (std::uint32_t i = 0; i < frame.count; ++i) {
        rules_.describe(successor(frame, i), description_);
        if (!description_.terminal) {
            if (frame.guided || known(successor(frame, i)).seen_by(frame.side).lo < worth) continue;
            take(i);
            continue;
        }
        const Worth end = scale_.of(description_.outcome[0], description_.score[0]);
        if ((frame.side == 0 ? end : -end) >= worth) return take(i);
    }
}

void TwoPlayerCertifier::write_worths(const Claim& claim, std::string& out) const {
    const Worth worth = worths_[claim.worths];
    out += claim.side == 0 ? " >=" : " <=";
    write_worth(claim.side == 0 ? worth : -worth, out);
}

}  // namespace

std::unique_ptr<Certifier> make_two_player_certifier(Certifier::Parts parts) {
    return std::make_unique<TwoPlayerCertifier>(std::move(parts));
}

}  // namespace unbounded
