// SPDX-License-Identifier: MIT
#include "rules/native_rules.h"

#include <algorithm>
#include <array>

namespace unbounded {

namespace {

constexpr int first_room = 32;
// A lead and what is gained from there on are added as floats, which is exact for such numbers.
constexpr std::int32_t most_lead = 1 << 20;

}  // namespace

NativeRules::NativeRules(int players, std::size_t state_bytes, int max_actions,
                         std::vector<float> best_score, RuleFunctions functions,
                         std::vector<std::int32_t> endgame_sizes)
    : Rules(players, state_bytes, max_actions, std::move(best_score)),
      functions_(functions),
      endgame_sizes_(std::move(endgame_sizes)) {
    if (functions.initial == nullptr || functions.expand == nullptr ||
        (functions.endgame == nullptr && !endgame_sizes_.empty()))
        throw std::invalid_argument("a required rule has no address");
    for (std::int32_t last = 0; const std::int32_t size : endgame_sizes_) {
        if (size <= last) throw std::invalid_argument("endgame sizes must rise");
        last = size;
    }
}

void NativeRules::initial(std::byte* out) const {
    std::memset(out, 0, state_bytes);
    if (functions_.initial(out) < 0) fail("initial", out, "raised an exception");
    canonicalize(out);
}

void NativeRules::canonicalize(std::byte* state) const {
    if (functions_.canonical == nullptr) return;
    if (functions_.canonical(state) < 0) fail("symmetry", state, "raised an exception");
}

void NativeRules::ask(State state, Request& request, Expansion& out) const {
    request.room = out.room();
    const int status = functions_.expand(state, &request.count, out.actions.data(), out.words(0),
                                         out.action_counts.data(), out.players.data(),
                                         out.outcomes.data(), out.scores.data());
    if (status < 0) fail_in(status, state, out.state(request.first), request.first);
    if (request.count > max_actions || request.count < 0) refuse_count(state, request.count);
}

// The successor is the one that was being made, and the index that of its action.
void NativeRules::fail_in(int status, State state, State successor, int index) const {
    constexpr const char* rules[] = {"actions", "next",  "actions",     "player",
                                     "outcome", "score", "is_terminal", "is_terminal"};
    constexpr int next = 2, contradicted = 8;
    RuleFailure failure(
        rules[-1 - status], status >= -next ? state : successor, state_bytes,
        status == -contradicted ? "is true, but the state has actions" : "raised an exception");
    if (status == -next) failure.action_index = index;
    throw failure;
}

void NativeRules::refuse_count(State state, int count) const {
    fail("actions", state,
         "returned " + std::to_string(count) + " actions; max_actions is " +
             std::to_string(max_actions));
}

void NativeRules::check_end(State about, const Expansion& out, int row) const {
    for (int p = 0; p < players; ++p) check_outcome(about, p, out.outcome(row)[p]);
    check_winner(about, out.outcome(row));
    for (int p = 0; p < players; ++p) check_score(about, p, out.score(row)[p]);
}

void NativeRules::expand(State state, Expansion& out) const {
    Request request;
    request.last = max_actions;
    ask(state, request, out);
    if (request.count > out.room()) {
        out.reserve(std::max(request.count, first_room));
        ask(state, request, out);
    }
    out.count = request.count;
    for (int i = 0; i < out.count; ++i) {
        check_row(out.state(i), out, i);
        canonicalize(out.state(i));
    }
}

void NativeRules::describe(State state, Description& about) const {
    std::array<std::int32_t, 255> outcomes;
    std::array<float, 255> scores;
    std::int32_t count = 0, player = 0;
    Request request;
    request.count = request.room = request.last = 1;
    request.wanted = Request::itself;
    const int status = functions_.expand(state, &request.count, nullptr, nullptr, &count, &player,
                                         outcomes.data(), scores.data());
    if (status < 0) fail_in(status, state, state, 0);
    if (count < 0 || count > max_actions) refuse_count(state, count);
    about.action_count = count;
    about.terminal = count == 0;
    if (!about.terminal) {
        check_player(state, player);
        about.player = player;
        return;
    }
    for (int p = 0; p < players; ++p) check_outcome(state, p, outcomes[p]);
    check_winner(state, outcomes.data());
    for (int p = 0; p < players; ++p) {
        about.outcome[p] = static_cast<std::int8_t>(outcomes[p]);
        about.score[p] = scores[p];
        check_score(state, p, scores[p]);
    }
}

float NativeRules::best_score_from(State state, int player) const {
    if (functions_.best_score_from == nullptr) return best_score[player];
    std::array<float, 255> scores;
    if (functions_.best_score_from(state, scores.data()) < 0)
        fail("best_score_from", state, "raised an exception");
    return check_bound(state, player, scores[player]);
}

void NativeRules::list_actions(State state, Expansion& out) const {
    Request request;
    ask(state, request, out);
    out.count = request.count;
    out.reserve(std::max(out.count, first_room));
}

void NativeRules::list_forced(State state, Expansion& out) const {
    if (functions_.forced == nullptr) return list_actions(state, out);
    out.count = functions_.forced(state, out.actions.data());
    if (out.count < 0) fail("forced", state, "raised an exception");
    if (out.count > max_actions) refuse_count(state, out.count);
    out.reserve(std::max(out.count, first_room));
}

int NativeRules::reduce(State state, std::byte* out) const {
    std::int32_t lead = 0;
    if (functions_.reduced(state, &lead, out) < 0) fail("reduced", state, "raised an exception");
    return lead;
}

Endgame NativeRules::endgame(State state, std::int32_t most) const {
    Endgame endgame;
    if (functions_.endgame(state, most, &endgame.number, &endgame.lead) < 0)
        fail("endgame", state, "raised an exception");
    if (endgame.lead < -most_lead || endgame.lead > most_lead)
        fail("endgame", state, "wrote the lead " + std::to_string(endgame.lead));
    return endgame;
}

int NativeRules::expand_until_terminal(State state, Expansion& out, int first, int last) const {
    Request request;
    request.count = out.count;
    request.first = first;
    request.last = std::min(last, out.count);
    request.wanted = Request::until_terminal;
    ask(state, request, out);
    for (int i = first; i < request.first; ++i) check_row(out.state(i), out, i);
    return request.first;
}

void NativeRules::successor(State state, const Expansion& listed, int index, std::byte* out) const {
    Request request;
    request.count = listed.count;
    request.first = index;
    request.last = index + 1;
    request.room = listed.count;
    request.wanted = Request::bare_states;
    // The function only reads the actions here.
    auto* const actions = const_cast<std::int32_t*>(listed.actions.data());
    const int status =
        functions_.expand(state, &request.count, actions, out, nullptr, nullptr, nullptr, nullptr);
    if (status < 0) fail_in(status, state, state, index);
    canonicalize(out);
}

}  // namespace unbounded
