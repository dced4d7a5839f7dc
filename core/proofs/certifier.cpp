// SPDX-License-Identifier: MIT
// What certifiers of any number of players share: states, claims, their order and their text.
#include "proofs/certifier.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "probes/probe.h"

namespace unbounded {

Certifier::Certifier(Parts parts, WorthScale scale, int row_players, bool probes)
    : searched_(parts.searched),
      rules_(parts.rules),
      locate_(std::move(parts.locate)),
      scores_(parts.scores),
      request_(parts.request),
      scale_(scale),
      worths_per_claim_(std::max(row_players, 1)),
      description_(rules_.players),
      expansion_(rules_),
      states_(rules_.state_bytes, 1, 64),
      image_(rules_.state_bytes) {
    if (request_.checker_search > 0)
        checker_ = std::make_unique<CheckerSearch>(rules_, scale_, request_.checker_search,
                                                   [this](std::uint64_t made) { look(made); });
    const bool native = searched_.rules.native();
    if (native) symmetric_ = &searched_.rules;
    if (!probes || !(native || searched_.options.probes)) return;
    // A state that is not compiled has a number in the search, and another one here.
    table_ = native ? parts.table : nullptr;
    if (table_ != nullptr) return;
    if (row_players == 0)
        own_table_ = Prober::empty_table(probed_rules(), scale_);
    else
        own_table_ = std::make_unique<TranspositionTable>(rules_.state_bytes, !scale_.exact_score,
                                                          row_players);
    table_ = own_table_.get();
}

Evaluator* Certifier::ordering() const {
    if (symmetric_ == nullptr) return nullptr;  // it knows the states by other numbers
    return searched_.evaluator.orders_moves() ? &searched_.evaluator : nullptr;
}

std::unique_ptr<Certifier> make_certifier(Certifier::Parts parts) {
    const bool two = parts.searched.options.values == ValueRule::minimax;
    return two ? make_two_player_certifier(std::move(parts))
               : make_many_player_certifier(std::move(parts));
}

Certifier::End Certifier::certify(State root, const Limits& limits, const Poll& poll) try {
    Watch watch(limits.seconds, poll);
    watch_ = &watch;
    memory_ = limits.memory;
    if (own_table_) own_table_->grow(memory_ / 4);
    const NodeId number = name(root, no_node, 0);
    const End end = certify_root(number);
    if (end == End::proven) arrange(number);
    return end;
} catch (const GivenUp&) {
    return End::stopped;
}

// -- states ---------------------------------------------------------------------------------------

void Certifier::look(std::uint64_t work) {
    if (watch_->expired(work)) throw GivenUp{};
}

// The number of a state, which was reached this way.
NodeId Certifier::name(State state, NodeId parent, std::uint16_t action) {
    if (!states_.reserve(1, 0, memory_ - std::min(memory_, claim_bytes()))) throw GivenUp{};
    const auto [id, added] = states_.find_or_add(state, states_.hash(state));
    if (!added) return id;
    rules_.describe(states_.state(id), description_);
    constexpr Worth never = std::numeric_limits<Worth>::max();
    about_.push_back({parent,
                      action,
                      static_cast<std::uint8_t>(description_.player),
                      description_.terminal,
                      none,
                      0,
                      {never, never}});
    return id;
}

// What is held beside the states.
std::uint64_t Certifier::claim_bytes() const {
    return about_.capacity() * sizeof(About) + claims_.capacity() * sizeof(Claim) +
           worths_.capacity() * sizeof(Worth) + needs_.capacity() * sizeof(std::uint32_t);
}

// The state as probes see it: as the search stores it, if that is possible.
State Certifier::canonical(State state) {
    if (symmetric_ == nullptr) return state;
    std::memcpy(image_.data(), state, image_.size());
    symmetric_->canonicalize(image_.data());
    return image_.data();
}

NodeId Certifier::locate(State state) {
    if (!symmetric_) return locate_(state);
    const State image = canonical(state);
    return searched_.graph.find(image, searched_.graph.hash(image));
}

void Certifier::push(NodeId state, std::uint8_t side) {
    const std::size_t first = successors_.size();
    rules_.expand(states_.state(state), expansion_);
    const auto count = static_cast<std::uint32_t>(expansion_.count);
    successors_.resize(first + count * rules_.state_bytes);
    for (std::uint32_t i = 0; i < count; ++i)
        std::memcpy(successors_.data() + first + i * rules_.state_bytes, expansion_.state(i),
                    rules_.state_bytes);
    frames_.push_back({state, count, first, 0, side, false, false, all_actions, targets_.size()});
    look(count);
}

void Certifier::pop() {
    successors_.resize(frames_.back().successors);
    targets_.resize(frames_.back().worths);
    frames_.pop_back();
}

// What the claim needs has been put at the end of needs_ by the caller, who then sets its place.
void Certifier::add_claim(const Frame& frame, const Worth* worths) {
    About& about = about_[frame.state];
    const std::size_t at = worths_.size();
    worths_.insert(worths_.end(), worths, worths + worths_per_claim_);
    claims_.push_back({frame.state, static_cast<std::uint32_t>(needs_.size()), 0, about.first_claim,
                       at, 0, frame.witness, frame.side, false});
    about.first_claim = static_cast<std::uint32_t>(claims_.size() - 1);
}

// Adds a claim that the checker has just been found to prove itself.
void Certifier::add_searched_claim(NodeId state, std::uint8_t side, const Worth* worths) {
    add_claim({state, 0, 0, 0, side, false, false, all_actions, 0}, worths);
    claims_.back().searched = checker_->made();
}

// -- the lines ------------------------------------------------------------------------------------

// Marks the claims on which this one rests.
void Certifier::want(std::uint32_t root_claim) {
    std::vector<std::uint32_t> open{root_claim};
    while (!open.empty()) {
        Claim& claim = claims_[open.back()];
        open.pop_back();
        if (claim.wanted) continue;
        claim.wanted = true;
        for (std::uint32_t i = 0; i < claim.needs; ++i) {
            const std::uint32_t need = needs_[claim.first_need + i];
            open.push_back(needed_claim(claim, need));
        }
    }
}

void Certifier::needs_of(NodeId state, std::vector<NodeId>& out) const {
    const std::size_t first = out.size();
    for (std::uint32_t c = about_[state].first_claim; c != none; c = claims_[c].next) {
        const Claim& claim = claims_[c];
        if (!claim.wanted) continue;
        for (std::uint32_t i = 0; i < claim.needs; ++i) {
            const std::uint32_t need = needs_[claim.first_need + i];
            out.push_back(needed_state(need));
        }
    }
    std::sort(out.begin() + first, out.end());
    out.erase(std::unique(out.begin() + first, out.end()), out.end());
}

// Puts the states in an order in which every one comes after those that it rests on.
void Certifier::arrange(NodeId root) {
    for (std::uint32_t c = about_[root].first_claim; c != none; c = claims_[c].next) want(c);
    struct Place {
        NodeId state;
        std::size_t first, at;
    };
    std::vector<bool> seen(about_.size());
    std::vector<NodeId> needs;
    std::vector<Place> line;
    const auto go_to = [&](NodeId state) {
        seen[state] = true;
        line.push_back({state, needs.size(), needs.size()});
        needs_of(state, needs);
    };
    go_to(root);
    while (!line.empty()) {
        look(1);
        Place& place = line.back();
        if (place.at < needs.size()) {
            const NodeId need = needs[place.at++];
            ++about_[need].uses;
            if (!seen[need]) go_to(need);
            continue;
        }
        order_.push_back(place.state);
        needs.resize(place.first);
        line.pop_back();
    }
}

void Certifier::write_state(NodeId state, bool paths, std::string& out) const {
    if (paths) {
        std::vector<std::uint16_t> actions;
        for (NodeId at = state; about_[at].parent != no_node; at = about_[at].parent)
            actions.push_back(about_[at].action);
        if (actions.empty()) out += '.';
        for (auto action = actions.rbegin(); action != actions.rend(); ++action)
            out += '.' + std::to_string(*action);
        return;
    }
    constexpr char digits[] = "0123456789abcdef";
    const auto* const bytes = reinterpret_cast<const unsigned char*>(states_.state(state));
    for (std::size_t i = 0; i < rules_.state_bytes; ++i) {
        out += digits[bytes[i] >> 4];
        out += digits[bytes[i] & 15];
    }
}

void Certifier::write_worth(Worth worth, std::string& out) const {
    out += std::to_string(scale_.outcome(worth));
    if (!scores_.claimed) return;
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, scale_.score(worth)).ptr;
    out += ':';
    out.append(text, end);
}

std::vector<std::string> Certifier::root_claims() const {
    std::vector<std::string> out;
    for (std::uint32_t c = about_[order_.back()].first_claim; c != none; c = claims_[c].next) {
        std::string text;
        write_worths(claims_[c], text);
        out.push_back(text.substr(1));  // without the space in front
    }
    return out;
}

void Certifier::write(std::size_t line, bool paths, std::string& out) const {
    const NodeId state = order_.at(line);
    write_state(state, paths, out);
    out += ' ' + std::to_string(about_[state].uses);
    for (std::uint32_t c = about_[state].first_claim; c != none; c = claims_[c].next) {
        const Claim& claim = claims_[c];
        if (!claim.wanted) continue;
        write_worths(claim, out);
        if (claim.witness != all_actions) out += '@' + std::to_string(claim.witness);
        if (claim.searched > 0) out += '?' + std::to_string(claim.searched);
    }
    out += '\n';
}

}  // namespace unbounded
