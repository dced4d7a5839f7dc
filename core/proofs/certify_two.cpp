// SPDX-License-Identifier: MIT
// Claims for two players, zero sum: the state is worth at least so much to one side. Where the
// side moves, one action is the witness; where the other does, every action must be good enough.
#include <algorithm>

#include "proofs/certifier.h"

namespace unbounded {

Certifier::End Certifier::certify_two(NodeId root) {
    const Bounds bounds = known(states_.state(root));
    for (const std::uint8_t side : {0, 1}) {
        const Worth worth = bounds.seen_by(side).lo;
        // That nobody does worse than lose needs no proof; scores might be lower still.
        if (!scale_.exact_score && worth == scale_.all.seen_by(side).lo) continue;
        if (!prove(root, side, worth)) return End::impossible;
    }
    return End::proven;
}

// Makes a claim, and those on which it rests. False: it is not true.
bool Certifier::prove(NodeId root, std::uint8_t side, Worth worth) {
    Answer answer = begin(root, side, worth);
    while (!frames_.empty()) {
        Frame& frame = frames_.back();
        if (answer != Answer::begun) {
            answer = deliver(frame, answer == Answer::yes);
        } else {
            const auto action = static_cast<std::uint16_t>(frame.at);
            const NodeId child = name(successor(frame, frame.at), frame.state, action);
            answer = begin(child, side, target(frame));
        }
    }
    return answer == Answer::yes;
}

// A claim that was made before and says as much; none: there is none.
std::uint32_t Certifier::claim_of(NodeId state, std::uint8_t side, Worth worth) const {
    std::uint32_t c = about_[state].first_claim;
    while (c != none && (claims_[c].side != side || worths_[claims_[c].worths] < worth))
        c = claims_[c].next;
    return c;
}

// Begins to prove a claim; or answers at once, if it can.
Certifier::Answer Certifier::begin(NodeId state, std::uint8_t side, Worth worth) {
    look(1);
    if (claim_of(state, side, worth) != none) return Answer::yes;
    if (about_[state].failed[side] <= worth) return Answer::no;
    if (about_[state].terminal) {
        rules_.describe(states_.state(state), description_);
        const Worth end = scale_.of(description_.outcome[0], description_.score[0]);
        const Worth seen = side == 0 ? end : -end;
        if (seen < worth) return Answer::no;
        add_claim({state, 0, 0, 0, side, false, false, all_actions, 0}, &seen);
        return Answer::yes;
    }
    if (!possible(states_.state(state), side, worth)) {
        about_[state].failed[side] = worth;
        return Answer::no;
    }
    push(state, side);
    targets_.push_back(worth);
    Frame& frame = frames_.back();
    if (about_[state].player == side) choose(frame);
    return Answer::begun;
}

// Takes the answer about the action that was looked at.
Certifier::Answer Certifier::deliver(Frame& frame, bool good) {
    const bool chooses = about_[frame.state].player == frame.side;
    if (good == chooses) {  // this settles it
        if (chooses) frame.witness = static_cast<std::uint16_t>(frame.at);
        return finish(frame, good);
    }
    if (frame.guided) {  // what was known did not hold, which is not to be expected
        frame.guided = false;
        frame.at = 0;
        return Answer::begun;
    }
    return ++frame.at < frame.count ? Answer::begun : finish(frame, !chooses);
}

Certifier::Answer Certifier::finish(const Frame& frame, bool proven) {
    if (proven) {
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
    return proven ? Answer::yes : Answer::no;
}

// What the search knows.
Bounds Certifier::known(State state) {
    Bounds bounds = scale_.all;
    const NodeId id = locate(state);
    if (id != no_node) {
        const Node& node = search_.graph_.node(id);
        if (search_.graph_.bounding != Bounding::none)
            bounds = bounds.meet(search_.graph_.bounds(node));
        else if (node.is(resolved))
            bounds = bounds.meet({node.completion(1)[0], node.completion(1)[0]});
    }
    if (prober_ == nullptr) return bounds;
    bounds = bounds.meet(prober_->known(state));
    return bounds.meet(prober_->known(canonical(state)));
}

// Whether the claim is true, as far as that can be told without trying to prove it.
bool Certifier::possible(State state, std::uint8_t side, Worth worth) {
    const Bounds bounds = known(state).seen_by(side);
    if (bounds.lo >= worth || bounds.hi < worth) return bounds.lo >= worth;
    if (prober_ == nullptr) return true;
    if (own_table_ && own_table_->small_for(prober_->nodes() / 4)) own_table_->grow(memory_ / 4);
    const Bounds window = Bounds{worth - 1, worth}.seen_by(side);
    const Prober::Answer answer = prober_->probe(canonical(state), window, UINT64_MAX);
    if (!answer.finished) throw GivenUp{};
    return answer.bounds.seen_by(side).lo >= worth;
}

// Looks for an action whose worth is known: rather one that has been claimed already, or that ends
// the game.
void Certifier::choose(Frame& frame) {
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

}  // namespace unbounded
