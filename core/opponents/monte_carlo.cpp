// SPDX-License-Identifier: MIT
#include "opponents/monte_carlo.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <tuple>

namespace unbounded::opponents {

namespace {

// A game that never ends is a broken game; no honest one here is longer than this.
constexpr int longest_game = 10'000'000;
constexpr int plies_between_looks = 256;

}  // namespace

MonteCarlo::MonteCarlo(const Rules& rules, const MonteCarloOptions& options)
    : rules_(rules),
      options_(options),
      tree_(rules, options.memory),
      dice_(options.seed),
      result_(rules.players),
      state_(rules.state_bytes),
      child_(rules.state_bytes),
      about_(rules.players),
      expansion_(rules) {
    if (options.playouts < 1) throw std::invalid_argument("playouts must be at least 1");
    if (!(options.exploration >= 0 && std::isfinite(options.exploration)))
        throw std::invalid_argument("the exploration must be a number that is not negative");
}

Choice MonteCarlo::choose(State state, const Allowance& allowance, const Poll& poll) {
    rules_.describe(state, about_);
    if (about_.terminal)
        throw std::invalid_argument("the game is over: there is nothing to choose");
    if (allowance.seconds < 0 && allowance.nodes == UINT64_MAX && allowance.rounds == UINT64_MAX)
        throw std::invalid_argument("random games can be played forever: it needs a limit");
    Spending spending(allowance, poll, rules_.native());
    spending_ = &spending;
    Choice choice(rules_.players);
    try {
        tree_.move_to(state, about_.player);
        choice.stop = simulate_on(allowance, choice.rounds);
    } catch (...) {
        tree_.clear();  // some of it may be half made
        throw;
    }
    choice.nodes = spending.nodes();
    report(choice);
    return choice;
}

Stop MonteCarlo::simulate_on(const Allowance& allowance, std::uint64_t& simulations) try {
    path_.assign(1, 0);
    if (tree_.node(0).inner == no_inner && !tree_.node(0).exact) expand(0);
    for (; simulations < allowance.rounds; ++simulations) {
        if (is_known(tree_.node(0))) return Stop::resolved;
        spending_->check();
        simulate();
    }
    return Stop::iterations;
} catch (const GivenUp&) {
    return spending_->stop();
}

// From the root to a state that was not visited before, a random game from there, and back.
void MonteCarlo::simulate() {
    path_.assign(1, 0);
    preferred_.clear();
    for (;;) {
        const std::uint32_t id = path_.back();
        const Leaf& leaf = tree_.node(id);
        if (leaf.exact) {
            std::copy(leaf.sums(), leaf.sums() + rules_.players, result_.begin());
            break;
        }
        if (leaf.inner != no_inner) {
            const Selection selection = select(leaf);
            path_.push_back(selection.visited);
            preferred_.push_back(selection.preferred);
        } else if (leaf.visits == 0 || !expand(id)) {
            play_out();
            break;
        }
    }
    back_up();
}

// The child with the highest upper confidence bound, the mover's. What is proven needs no visit any
// more: where it is better than any bound, the mover would play there, and the visit goes to the
// best of the others, in order to prove more.
MonteCarlo::Selection MonteCarlo::select(const Leaf& parent) {
    const Inner& inner = tree_.inner(parent.inner);
    const double log_visits = std::log(static_cast<double>(std::max(parent.visits, 1u)));
    const double width = options_.exploration * std::sqrt(log_visits);
    Selection best{no_child, no_child};
    double best_bound = -HUGE_VAL, best_known = -HUGE_VAL;
    std::uint32_t unvisited = 0;
    for (std::uint32_t id = inner.first; id < inner.first + inner.count; ++id) {
        const Leaf& child = tree_.node(id);
        if (is_known(child)) {
            if (child.sums()[parent.player] <= best_known) continue;
            best_known = child.sums()[parent.player];
            best.preferred = id;
        } else if (child.visits == 0) {
            ++unvisited;
        } else {
            const double bound =
                child.mean(parent.player) + width / std::sqrt(static_cast<double>(child.visits));
            if (bound <= best_bound) continue;
            best_bound = bound;
            best.visited = id;
        }
    }
    if (unvisited > 0) return {pick_unvisited(inner, unvisited), no_child};
    if (best_known <= best_bound) best.preferred = no_child;
    return best;
}

std::uint32_t MonteCarlo::pick_unvisited(const Inner& inner, std::uint32_t unvisited) {
    std::uint32_t skipped = dice_.below(unvisited);
    std::uint32_t id = inner.first;
    for (;; ++id) {
        const Leaf& child = tree_.node(id);
        if (child.visits == 0 && !is_known(child) && skipped-- == 0) return id;
    }
}

void MonteCarlo::state_at_end_of_path(std::byte* out) {
    if (path_.size() == 1) {
        std::memcpy(out, tree_.root(), rules_.state_bytes);
        return;
    }
    const Inner& parent = tree_.inner(tree_.node(path_[path_.size() - 2]).inner);
    rules_.list_actions(parent.state(), expansion_);
    rules_.successor(parent.state(), expansion_, static_cast<int>(path_.back() - parent.first),
                     out);
}

// Adds all children of the last node of the path; some may turn out to be ends of the game.
bool MonteCarlo::expand(std::uint32_t id) {
    state_at_end_of_path(state_.data());
    rules_.expand(state_.data(), expansion_);
    const auto count = static_cast<std::uint32_t>(expansion_.count);
    if (!tree_.add_children(id, state_.data(), count)) return false;
    const std::uint32_t first = tree_.inner(tree_.node(id).inner).first;
    for (std::uint32_t i = 0; i < count; ++i) {
        Leaf& child = tree_.node(first + i);
        child.exact = expansion_.terminal(i);
        if (child.exact)
            std::copy_n(expansion_.outcome(i), rules_.players, child.sums());
        else
            child.player = static_cast<std::uint8_t>(expansion_.player(i));
    }
    spending_->made(count);
    if (options_.solver) try_to_prove(id);
    return true;
}

void MonteCarlo::play_out() {
    std::fill(result_.begin(), result_.end(), 0.0);
    state_at_end_of_path(child_.data());
    for (int k = 0; k < options_.playouts; ++k) {
        if (!rules_.play_out(child_.data(), dice_.below(UINT32_MAX), about_)) play_out_by_moves();
        spending_->made(1);
        for (int p = 0; p < rules_.players; ++p) result_[p] += about_.outcome[p];
    }
    for (double& result : result_) result /= options_.playouts;
}

void MonteCarlo::play_out_by_moves() {
    state_ = child_;
    int plies = 0;
    for (;;) {
        rules_.list_actions(state_.data(), expansion_);
        if (expansion_.count == 0) break;
        const int index = static_cast<int>(dice_.below(expansion_.count));
        rules_.successor(state_.data(), expansion_, index, state_.data());
        if (++plies % plies_between_looks != 0) continue;
        spending_->made(plies_between_looks);
        spending_->check();
        if (plies >= longest_game)
            throw RuleFailure("next", child_.data(), rules_.state_bytes,
                              "a random game from here does not end");
    }
    spending_->made(plies % plies_between_looks);
    rules_.describe(state_.data(), about_);
}

// Every node of the path takes over the result; or, where another child was preferred, that one's,
// and so do those above.
void MonteCarlo::back_up() {
    spending_->made(0, path_.size());
    for (std::size_t i = path_.size(); i-- > 0;) {
        if (i < preferred_.size() && preferred_[i] != no_child) {
            Leaf& preferred = tree_.node(preferred_[i]);
            ++preferred.visits;
            std::copy(preferred.sums(), preferred.sums() + rules_.players, result_.begin());
        }
        Leaf& node = tree_.node(path_[i]);
        ++node.visits;
        for (int p = 0; p < rules_.players && !node.exact; ++p) node.sums()[p] += result_[p];
    }
    if (!is_known(tree_.node(path_.back()))) return;
    for (std::size_t i = path_.size() - 1; i-- > 0;)
        if (!try_to_prove(path_[i])) return;
}

// A child that is won settles a node; else all children have to be known.
bool MonteCarlo::try_to_prove(std::uint32_t id) {
    Leaf& node = tree_.node(id);
    if (node.exact) return true;
    const Inner& inner = tree_.inner(node.inner);
    const Leaf* best = nullptr;
    bool all_known = true;
    for (std::uint32_t i = 0; i < inner.count; ++i) {
        const Leaf& child = tree_.node(inner.first + i);
        all_known &= child.exact;
        if (!child.exact) continue;
        if (best == nullptr || child.sums()[node.player] > best->sums()[node.player]) best = &child;
    }
    if (best == nullptr || (!all_known && best->sums()[node.player] < 1)) return false;
    node.exact = true;
    std::copy(best->sums(), best->sums() + rules_.players, node.sums());
    return true;
}

// The child to play: of those that are not known the one visited most, unless one that is known is
// as good as that looks. Visits alone would not do, for many of them are there to prove something.
const Leaf* MonteCarlo::best_child(const Leaf& parent) const {
    if (parent.inner == no_inner) return nullptr;
    const Inner& inner = tree_.inner(parent.inner);
    const int mover = parent.player;
    const Leaf *open = nullptr, *known = nullptr;
    for (std::uint32_t i = 0; i < inner.count; ++i) {
        const Leaf& child = tree_.node(inner.first + i);
        const auto rank = [mover](const Leaf& leaf) {
            return std::tuple(leaf.exact ? leaf.mean(mover) : 0.0, leaf.visits, leaf.mean(mover));
        };
        const Leaf*& best = child.exact ? known : open;
        if (best == nullptr || rank(child) > rank(*best)) best = &child;
    }
    if (open == nullptr || known == nullptr) return open == nullptr ? known : open;
    const double sure = known->mean(mover);
    return sure == 1 || (sure > -1 && sure >= open->mean(mover)) ? known : open;
}

void MonteCarlo::report(Choice& choice) const {
    const Leaf* at = &tree_.node(0);
    const Leaf* const first = best_child(*at);
    const Leaf& judged = is_known(*at) || first->visits == 0 ? *at : *first;
    for (int p = 0; p < rules_.players; ++p) {
        choice.values[p] = static_cast<float>(judged.mean(p));
        if (is_known(*at)) choice.proven[p] = static_cast<std::int8_t>(at->sums()[p]);
    }
    while (const Leaf* const next = best_child(*at)) {
        if (at != &tree_.node(0) && next->visits == 0 && !next->exact) break;
        choice.line.push_back(static_cast<int>(tree_.place_of(*at, *next)));
        at = next;
    }
    choice.index = choice.line.front();
}

}  // namespace unbounded::opponents
