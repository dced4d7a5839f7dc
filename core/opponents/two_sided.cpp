// SPDX-License-Identifier: MIT
#include "opponents/two_sided.h"

#include <algorithm>
#include <utility>

namespace unbounded::opponents {

namespace {

// Estimates as worths have 32 bits, so there is room below them.
constexpr int tie_break_bits = 30;
constexpr std::uint32_t most_history = (1u << tie_break_bits) - 3;
constexpr int most_counted_moves = 30;  // so that a tag has room for them

}  // namespace

TwoSided::TwoSided(DepthFirstKind kind, const Rules& rules, Evaluator& evaluator,
                   std::uint64_t table_bytes, int hash_bits)
    : DepthFirst(rules, evaluator, kind == DepthFirstKind::alpha_beta, 1, table_bytes, hash_bits),
      kind_(kind),
      most_free_moves_(std::min(rules.players, most_counted_moves)) {
    for (auto& history : history_) history.resize(history_size);
}

bool TwoSided::Best::add(Found found, int at) {
    all_complete &= found.complete;
    if (found.worth <= worth) return false;
    worth = found.worth;
    index = at;
    complete = found.complete;
    return true;
}

void TwoSided::begin(int player) {
    const int hero = kind_ == DepthFirstKind::alpha_beta ? 0 : player;
    if (hero != hero_) table_.clear();  // what is known is about another one's fortune
    hero_ = hero;
    ply_ = 0;
    root_first_ = -1;
    root_ = {0, static_cast<std::uint8_t>(player)};
    killers_.clear();
    for (auto& history : history_)
        for (std::uint32_t& times : history) times /= 8;
}

bool TwoSided::search_root(int depth) {
    const Worth best = lexicographic(1, rules_.best_score[hero_]);
    Bounds window{-lexicographic(1, unknown_best_score) - 1, best};
    if (kind_ == DepthFirstKind::alpha_beta)
        window.lo = -lexicographic(1, rules_.best_score[1]) - 1;
    if (!is_hero(root_.player)) window = {-window.hi - 1, -window.lo - 1};
    const Found found = search(root_, depth, window);
    result_.complete = found.complete;
    result_.whole = true;
    root_first_ = result_.line.front();
    // A proven win or loss stays one at any depth.
    return found.complete || scale_.outcome(found.worth) != 0;
}

// Translates the root's worth to values and proven outcomes. Under the paranoid assumption only a
// win is a proof, because the others need not play like that; with best replies nothing is.
void TwoSided::report(Choice& choice) {
    const Worth worth = is_hero(root_.player) ? result_.row[0] : -result_.row[0];
    const int outcome = scale_.outcome(worth);
    const bool won_by_mover = scale_.outcome(result_.row[0]) > 0;
    if (kind_ == DepthFirstKind::alpha_beta) {
        choice.values = {scale_.score(worth), 0.0f - scale_.score(worth)};
        if (won_by_mover || (result_.whole && (outcome != 0 || result_.complete)))
            choice.proven = {static_cast<std::int8_t>(outcome), static_cast<std::int8_t>(-outcome)};
        return;
    }
    values_along(choice.line, choice);
    choice.values[hero_] = scale_.score(worth);
    if (kind_ == DepthFirstKind::paranoid && won_by_mover) choice.proven[hero_] = 1;
}

// -- one state --------------------------------------------------------------------------------

TwoSided::Found TwoSided::search(const Node& node, int depth, Bounds window) {
    if (lines_.size() < ply_ + 2) lines_.resize(2 * ply_ + 2);
    if (killers_.size() < ply_ + 1) killers_.resize(2 * ply_ + 1);
    lines_[ply_].clear();
    int index = ply_ == 0 ? root_first_ : -1;
    const std::uint64_t hash = table_.hash(families_.words(node.slot), node.tag());
    const auto known = recall(node, hash, depth, window, index);
    if (known && ply_ > 0) return *known;
    Best best(window);
    if (forced(node)) {
        follow_forced(node, depth, index, best);
    } else if (depth == 1) {
        look_ahead(node, best);
    } else {
        if (index >= 0) try_first(node, depth, index, best);
        if (!best.enough()) try_others(node, depth, index, best);
    }
    remember(node, hash, depth, best);
    return best.found();
}

// The children are the frontier: ends of the game, and estimates.
void TwoSided::look_ahead(const Node& node, Best& best) {
    const Family family = families_.make(node.slot, cutoff(node, best.window.hi), *spending_);
    const Child last = families_.child(family, family.count - 1);
    if (last.end && worth(node, last) >= best.window.hi) {
        add(best, {worth(node, last), true}, last.index, false);
    } else {
        families_.evaluate(family, *spending_);
        for (std::uint32_t i = 0; i < family.count; ++i) {
            const Child& child = families_.child(family, i);
            add(best, {worth(node, child), child.end}, child.index, false);
        }
        if (!best.enough()) leave_to_the_next(node, family, 1, best);
    }
    families_.drop(family);
}

// The action that was best before, alone: often it settles the state, and the others need not even
// be made.
void TwoSided::try_first(const Node& node, int depth, int index, Best& best) {
    const Family family = families_.make_one(node.slot, index, *spending_);
    const Child child = families_.child(family, 0);
    try_child(node, child, after(node, child, true), depth - 1, best);
    if (best.enough()) praise(node, child, depth);
    families_.drop(family);
}

void TwoSided::try_others(const Node& node, int depth, int first, Best& best) {
    const Family family = families_.make(node.slot, cutoff(node, best.window.hi), *spending_);
    // Ends cost nothing, so they come first.
    for (std::uint32_t i = 0; i < family.count; ++i) {
        const Child& child = families_.child(family, i);
        if (child.end && child.index != first)
            add(best, {worth(node, child), true}, child.index, false);
    }
    if (!best.enough()) {
        order(node, family);
        for (std::uint32_t i = 0; i < family.count && !best.enough(); ++i) {
            const Child child = pick(family, i);
            if (child.end || child.index == first) continue;
            try_child(node, child, after(node, child, true), depth - 1, best);
            if (best.enough()) praise(node, child, depth);
        }
    }
    if (!best.enough()) leave_to_the_next(node, family, depth, best);
    families_.drop(family);
}

// Once there is something to beat, a child is first only asked whether it does: a window without
// room inside is searched fastest.
void TwoSided::try_child(const Node& node, Child child, const Node& next, int depth, Best& best) {
    if (child.end || depth == 0)
        return add(best, {worth(node, child), child.end}, child.index, false);
    const bool same_side = is_hero(next.player) == is_hero(node.player);
    const auto search_within = [&](Bounds window) {
        ++ply_;
        Found found = search(next, depth, same_side ? window : Bounds{-window.hi, -window.lo});
        --ply_;
        if (!same_side) found.worth = -found.worth;
        return found;
    };
    const Bounds window{best.alpha(), best.window.hi};
    Found found = search_within(best.index < 0 ? window : Bounds{window.lo, window.lo + 1});
    if (best.index >= 0 && found.worth > window.lo && found.worth < window.hi)
        found = search_within(window);
    add(best, found, child.index, true);
}

// Takes over what was found of a child, and the line that goes with it.
void TwoSided::add(Best& best, Found found, int index, bool searched) {
    if (!best.add(found, index)) return;
    if (ply_ > 0 && best.window.hi - best.window.lo <= 1)
        return;  // a null window: the line is not used
    std::vector<int>& line = lines_[ply_];
    line.assign(1, index);
    if (searched) line.insert(line.end(), lines_[ply_ + 1].begin(), lines_[ply_ + 1].end());
    if (ply_ == 0) result_ = {line, {found.worth}, false, false};
}

// -- Best-Reply Search ------------------------------------------------------------------------

// Only one of the others replies to the hero with a free choice, the one that hurts most. The
// others would pass, but few games have passes; so, as in the variant BRS+, they make the move that
// looks best for themselves. Such a move is forced and costs no depth.

TwoSided::Node TwoSided::after(const Node& node, const Child& child, bool replied) const {
    Node next{child.slot, child.player};
    if (kind_ != DepthFirstKind::best_reply || is_hero(node.player) || is_hero(child.player))
        return next;
    next.moved = static_cast<std::uint8_t>(std::min(node.moved + 1, most_counted_moves));
    next.replied = replied;
    return next;
}

std::uint32_t TwoSided::favorite(const Node& node, const Family& family) {
    const auto own = [&](std::uint32_t place) {
        return families_.row(families_.child(family, place))[node.player];
    };
    std::uint32_t best = 0;
    for (std::uint32_t i = 1; i < family.count; ++i)
        if (own(i) > own(best)) best = i;
    return best;
}

// Another one has replied already: the mover makes the move that looks best to him, which may be
// known from before.
void TwoSided::follow_forced(const Node& node, int depth, int index, Best& best) {
    const int left = depth_after_forced(node, depth);
    const bool known = index >= 0 && left > 0;
    const Family family = known ? families_.make_one(node.slot, index, *spending_)
                                : families_.make(node.slot, {}, *spending_);
    if (!known) families_.evaluate(family, *spending_);
    const Child child = families_.child(family, known ? 0 : favorite(node, family));
    try_child(node, child, after(node, child, true), left, best);
    families_.drop(family);
}

// The mover may also leave the reply to the next one.
void TwoSided::leave_to_the_next(const Node& node, const Family& family, int depth, Best& best) {
    if (kind_ != DepthFirstKind::best_reply || is_hero(node.player)) return;
    const Child child = families_.child(family, favorite(node, family));
    const int left = depth_after_forced(node, depth);
    if (child.end || is_hero(child.player) || left == 0) return;
    try_child(node, child, after(node, child, false), left, best);
}

// -- what is remembered, and what is tried first ----------------------------------------------

// What is known of a state, if it settles the window at this depth; and its best action.
std::optional<TwoSided::Found> TwoSided::recall(const Node& node, std::uint64_t hash, int depth,
                                                Bounds window, int& index) const {
    DepthFirstTable::Known known;
    Worth worth;
    if (!table_.find(families_.words(node.slot), node.tag(), hash, known, &worth)) return {};
    if (index < 0 && known.index != DepthFirstTable::no_index) index = known.index;
    // A win that can be forced, or a loss, is one at any depth.
    const int outcome = scale_.outcome(worth);
    const bool deep = known.depth >= depth;
    const bool is_lower = (known.bound & DepthFirstTable::lower) != 0 && (deep || outcome > 0);
    const bool is_upper = (known.bound & DepthFirstTable::upper) != 0 && (deep || outcome < 0);
    const bool is_high = is_lower && worth >= window.hi, is_low = is_upper && worth <= window.lo;
    if (!is_high && !is_low && !(is_lower && is_upper)) return {};
    const bool proven = (is_high && outcome > 0) || (is_low && outcome < 0);
    return Found{worth, proven || known.depth == DepthFirstTable::complete};
}

void TwoSided::remember(const Node& node, std::uint64_t hash, int depth, const Best& best) {
    const Found found = best.found();
    DepthFirstTable::Known known;
    known.depth = found.complete ? DepthFirstTable::complete : static_cast<std::uint16_t>(depth);
    known.index = static_cast<std::uint16_t>(best.index);
    known.bound = best.enough()                  ? DepthFirstTable::lower
                  : found.worth > best.window.lo ? DepthFirstTable::exact
                                                 : DepthFirstTable::upper;
    table_.store(families_.words(node.slot), node.tag(), hash, known, &found.worth);
}

// By their estimates; where these tie, by what has settled other states. In most games that have a
// heuristic this takes fewer nodes than killers first, and without one everything ties.
void TwoSided::order(const Node& node, const Family& family) {
    families_.evaluate(family, *spending_);
    const Killers killers = killers_[ply_];
    for (std::uint32_t i = 0; i < family.count; ++i) {
        Child& child = families_.child(family, i);
        if (child.end) continue;
        std::int64_t tie_break = history(node, child);
        if (child.label == killers.first) tie_break = most_history + 2;
        if (child.label == killers.second) tie_break = most_history + 1;
        child.order = worth(node, child) * (std::int64_t{1} << tie_break_bits) + tie_break;
    }
}

// Puts the best of those that are left at this place.
Child& TwoSided::pick(const Family& family, std::uint32_t place) {
    std::uint32_t best = place;
    for (std::uint32_t i = place + 1; i < family.count; ++i)
        if (families_.child(family, i).order > families_.child(family, best).order) best = i;
    std::swap(families_.child(family, place), families_.child(family, best));
    return families_.child(family, place);
}

// An action that settled a state is tried early where it is possible again.
void TwoSided::praise(const Node& node, const Child& child, int depth) {
    Killers& killers = killers_[ply_];
    if (killers.first != child.label) killers = {child.label, killers.first};
    std::uint32_t& times = history(node, child);
    times = std::min(times + static_cast<std::uint32_t>(depth * depth), most_history);
}

}  // namespace unbounded::opponents
