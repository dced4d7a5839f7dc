// SPDX-License-Identifier: MIT
#include "opponents/max_n.h"

#include <algorithm>

namespace unbounded::opponents {

MaxN::MaxN(const Rules& rules, Evaluator& evaluator, std::uint64_t table_bytes, int hash_bits)
    : DepthFirst(rules, evaluator, false, rules.players, table_bytes, hash_bits) {
    for (const float best : rules.best_score) most_.push_back(lexicographic(1, best));
}

void MaxN::begin(int player) {
    ply_ = 0;
    root_ = {0, static_cast<std::uint8_t>(player)};
    root_first_ = -1;
}

bool MaxN::search_root(int depth) {
    result_.complete = search(root_, depth);
    result_.whole = true;
    root_first_ = result_.line.front();
    return result_.complete;
}

// Nothing is proven until everything is: what the others do depends on what they expect.
void MaxN::report(Choice& choice) {
    for (int p = 0; p < rules_.players; ++p) {
        choice.values[p] = scale_.score(result_.row[p]);
        if (result_.whole && result_.complete)
            choice.proven[p] = static_cast<std::int8_t>(scale_.outcome(result_.row[p]));
    }
}

void MaxN::make_room(std::size_t ply) {
    if (lines_.size() > ply) return;
    lines_.resize(2 * ply + 2);
    rows_.resize(lines_.size() * rules_.players);
}

// Leaves row and line at this ply. True: they rest on ends of the game alone.
bool MaxN::search(const Node& node, int depth) {
    make_room(ply_ + 1);
    lines_[ply_].clear();
    int index = ply_ == 0 ? root_first_ : -1;
    bool complete = false;
    const std::uint64_t hash = table_.hash(families_.words(node.slot), 0);
    if (recall(node, hash, depth, index, complete) && ply_ > 0) return complete;
    Best best;
    if (index >= 0 && depth > 1) {
        const Family family = families_.make_one(node.slot, index, *spending_);
        try_child(node, families_.child(family, 0), depth - 1, best);
        families_.drop(family);
    }
    if (!best.enough) try_children(node, depth, index, best);
    DepthFirstTable::Known known;
    known.depth = best.complete ? DepthFirstTable::complete : static_cast<std::uint16_t>(depth);
    known.index = static_cast<std::uint16_t>(best.index);
    known.bound = DepthFirstTable::exact;
    table_.store(families_.words(node.slot), 0, hash, known, row_at(ply_));
    return best.complete;
}

bool MaxN::recall(const Node& node, std::uint64_t hash, int depth, int& index, bool& complete) {
    DepthFirstTable::Known known;
    if (!table_.find(families_.words(node.slot), 0, hash, known, row_at(ply_))) return false;
    if (index < 0) index = known.index;
    complete = known.depth == DepthFirstTable::complete;
    return known.depth >= depth;
}

// Ends of the game first, which cost nothing; then the others, at the frontier by their estimates.
void MaxN::try_children(const Node& node, int depth, int first, Best& best) {
    const bool frontier = depth == 1;
    const Family family =
        families_.make(node.slot, {node.player, 1, most_[node.player]}, *spending_);
    for (std::uint32_t i = 0; i < family.count; ++i) {
        const Child& child = families_.child(family, i);
        if (child.end) add(node, families_.row(child), child.index, true, best);
    }
    if (frontier && !best.enough) families_.evaluate(family, *spending_);
    for (std::uint32_t i = 0; i < family.count && !best.enough; ++i) {
        const Child child = families_.child(family, i);
        const bool done = child.index == first && !frontier;
        if (!child.end && !done) try_child(node, child, depth - 1, best);
    }
    families_.drop(family);
}

void MaxN::try_child(const Node& node, Child child, int depth, Best& best) {
    if (child.end || depth == 0) {
        add(node, families_.row(child), child.index, child.end, best);
        return;
    }
    ++ply_;
    const bool complete = search({child.slot, child.player}, depth);
    --ply_;
    if (!add(node, row_at(ply_ + 1), child.index, complete, best)) return;
    lines_[ply_].insert(lines_[ply_].end(), lines_[ply_ + 1].begin(), lines_[ply_ + 1].end());
    if (ply_ == 0) result_.line = lines_[0];
}

// Takes over what was found of a child, if it is better than those before.
//
// Pruning: who has as much as anybody can have looks no further. Bounds on what the others have
// left would prune more, but sums of outcomes are not bounded by anything that all games share.
bool MaxN::add(const Node& node, const Worth* row, int index, bool complete, Best& best) {
    const bool is_better = best.index < 0 || row[node.player] > row_at(ply_)[node.player];
    best.complete &= complete;
    if (!is_better) return false;
    best.index = index;
    std::copy(row, row + rules_.players, row_at(ply_));
    lines_[ply_].assign(1, index);
    if (row[node.player] >= most_[node.player]) {
        best.enough = true;
        best.complete = complete;
    }
    if (ply_ == 0) result_ = {lines_[0], {row, row + rules_.players}, false, false};
    return true;
}

}  // namespace unbounded::opponents
