// SPDX-License-Identifier: MIT
#include "opponents/depth_first.h"

#include <algorithm>
#include <stdexcept>

#include "opponents/max_n.h"
#include "opponents/two_sided.h"

namespace unbounded::opponents {

namespace {

// How deep recursion may go. No tree is searched as deep as this unless it is hardly a tree.
constexpr std::uint64_t deepest = 500;

// Makes the evaluator give up when time is up, as long as this lives.
struct Impatience {
    Impatience(Evaluator& evaluator, Spending& spending) : evaluator(evaluator) {
        evaluator.give_up = [&spending](std::uint64_t work) { return spending.expired(work); };
    }
    ~Impatience() { evaluator.give_up = nullptr; }
    Impatience(const Impatience&) = delete;
    Impatience& operator=(const Impatience&) = delete;
    Evaluator& evaluator;
};

}  // namespace

std::unique_ptr<DepthFirst> DepthFirst::make(DepthFirstKind kind, const Rules& rules,
                                             Evaluator& evaluator, std::uint64_t table_bytes,
                                             int hash_bits) {
    if (kind == DepthFirstKind::max_n)
        return std::make_unique<MaxN>(rules, evaluator, table_bytes, hash_bits);
    if (kind == DepthFirstKind::alpha_beta && rules.players != 2)
        throw std::invalid_argument("alpha-beta needs two players");
    return std::make_unique<TwoSided>(kind, rules, evaluator, table_bytes, hash_bits);
}

DepthFirst::DepthFirst(const Rules& rules, Evaluator& evaluator, bool zero_sum, int row,
                       std::uint64_t table_bytes, int hash_bits)
    : rules_(rules),
      evaluator_(evaluator),
      scale_(rules, true),
      table_(rules.state_bytes, row, table_bytes, hash_bits),
      families_(rules, evaluator, zero_sum) {}

Choice DepthFirst::choose(State state, const Allowance& allowance, const Poll& poll) {
    Description about(rules_.players);
    rules_.describe(state, about);
    if (about.terminal) throw std::invalid_argument("the game is over: there is nothing to choose");
    Spending spending(allowance, poll, rules_.native() && evaluator_.native());
    spending_ = &spending;
    result_ = {};
    table_.begin_search();
    families_.begin(state);
    begin(about.player);
    Choice choice(rules_.players);
    {
        const Impatience impatience(evaluator_, spending);
        choice.stop = deepen(allowance, choice.rounds);
    }
    choice.nodes = spending.nodes();
    if (result_.line.empty()) {  // time was up before anything was known
        choice.line = {choice.index};
        return choice;
    }
    choice.index = result_.line.front();
    choice.line = result_.line;
    report(choice);
    return choice;
}

Stop DepthFirst::deepen(const Allowance& allowance, std::uint64_t& depth) try {
    for (depth = 0; depth < std::min(allowance.rounds, deepest);) {
        spending_->generous = depth == 0;
        const bool enough = search_root(static_cast<int>(depth) + 1);
        ++depth;
        if (enough) return Stop::resolved;
    }
    return Stop::iterations;
} catch (const GivenUp&) {
    return spending_->stop();
}

void DepthFirst::values_along(const std::vector<int>& line, Choice& choice) {
    std::vector<std::byte> state(families_.state(0), families_.state(0) + rules_.state_bytes);
    Expansion listed(rules_);
    for (const int index : line) {
        rules_.list_actions(state.data(), listed);
        rules_.successor(state.data(), listed, index, state.data());
    }
    Description about(rules_.players);
    rules_.describe(state.data(), about);
    if (about.terminal)
        choice.values = about.score;
    else
        evaluate_checked(evaluator_, rules_, state.data(), 1, choice.values.data());
}

}  // namespace unbounded::opponents
