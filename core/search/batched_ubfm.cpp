// SPDX-License-Identifier: MIT
// UBFM with several leaves for each evaluation, so that a network gets a batch that is worth the
// call. Walks from the root gather the leaves; while they wait, they and the edges that led to them
// count as worse (virtual loss), so that the next walk ends elsewhere. This changes which edge is
// followed and nothing else: no value and no completion is touched before an evaluation is there,
// and every back-up is the ordinary one. So what is proven rests on the same rule as with one leaf.
#include <algorithm>
#include <unordered_map>

#include "search/algorithms.h"

namespace unbounded {

namespace {

constexpr std::size_t last_rank = 50;  // those behind count the same, so that no cost overflows

template <class Values>
class BatchedUbfm final : public Iteration {
  public:
    explicit BatchedUbfm(Walk& walk)
        : Iteration(walk), searched_(walk.searched), expander_(walk.searched.expander) {}

    Progress iterate(Watch& watch) override {
        try {
            const bool expired = gather(watch);
            expander_.evaluate_batch();
            release();
            if (!store_all()) return Progress::no_memory;
            --searched_.counts.iterations;  // the caller counts one
            return expired ? Progress::expired : Progress::done;
        } catch (...) {
            abandon();
            throw;
        }
    }

    void step_back() override {
        for (const NodeId id : busy_) graph.node(id).clear(busy);
        for (const Pending& pending : pending_) pending.line.undo_visits();
    }
    void step_forward() override {
        for (const NodeId id : busy_) graph.node(id).set(busy);
        for (const Pending& pending : pending_) pending.line.redo_visits();
    }

  private:
    // A line that waits for the evaluation of the children of its last state.
    struct Pending {
        Line line;
        bool expands;  // false: it is terminal, or only has to be backed up
        Expander::Children children;
    };
    // An open child, as the one who moves ranks it.
    struct Candidate {
        std::int64_t key;
        std::uint32_t visits;
        int position;
        bool operator<(const Candidate& other) const {
            if (key != other.key) return key > other.key;
            return visits != other.visits ? visits < other.visits : position < other.position;
        }
    };

    bool gather(Watch& watch);
    bool walk_to_leaf();
    int select(const Node& node);
    void rank_open_children(const Node& node);
    void take(NodeId leaf);
    void mark_busy(NodeId id);
    void release();
    bool store_all();
    bool store(const Pending& pending);
    void back_up_line();
    void abandon();

    SearchGraph& searched_;
    Expander& expander_;
    std::vector<Pending> pending_;
    std::vector<NodeId> busy_;                                  // the nodes with that flag
    std::unordered_map<const Edge*, std::uint32_t> in_flight_;  // pending lines along an edge
    std::vector<Candidate> candidates_;
    std::size_t begun_ = 0;  // so many of the pending ones have been, or are being, stored
};

// Collects leaves until there are enough, a limit is near, or all are taken. Returns whether the
// watch has expired.
template <class Values>
bool BatchedUbfm<Values>::gather(Watch& watch) {
    expander_.begin_batch();
    const std::uint64_t left = walk.limits.iterations - searched_.counts.iterations;
    const std::uint64_t most = std::min<std::uint64_t>(options.leaves, left);
    while (walk_to_leaf()) {
        if (pending_.size() >= most) break;
        if (graph.size() + expander_.batch_states() >= walk.limits.states) break;
        if (searched_.expired(watch)) return true;
    }
    return false;
}

// Follows the best line that the pending ones leave open, and adds it to them. Returns false if
// they leave none.
template <class Values>
bool BatchedUbfm<Values>::walk_to_leaf() {
    walk.begin();
    if (graph.node(searched_.root).is(busy)) return false;
    walk.enter(searched_.root);
    for (;;) {
        const NodeId id = walk.line.path.back();
        const Node& node = graph.node(id);
        const int position = node.is(expanded) ? select(node) : -1;
        if (position >= 0) {
            walk.enter(walk.follow(node, position));
            continue;
        }
        // A leaf, or its children were all resolved through other parents.
        if (!node.is(expanded) || candidates_.empty()) {
            take(id);
            return true;
        }
        mark_busy(id);  // as all its open children are
        walk.retreat();
        if (id == searched_.root) return false;
        walk.line.unfollow();
    }
}

// The position of the child to follow; -1: no open child is free. The pending lines are shared
// among the children by rank, each getting about twice as many as the next one: a loss that depends
// on values would need to know their scale, and one for the leaf alone would gather only siblings.
template <class Values>
int BatchedUbfm<Values>::select(const Node& node) {
    rank_open_children(node);
    const Edge* const edges = graph.edges(node);
    int best = -1;
    std::uint64_t best_cost = 0;
    for (std::size_t rank = 0; rank < candidates_.size(); ++rank) {
        const Edge& edge = edges[candidates_[rank].position];
        if (graph.node(edge.child).is(busy)) continue;
        const auto pending = in_flight_.find(&edge);
        const std::uint64_t lines = pending == in_flight_.end() ? 0 : pending->second;
        const std::uint64_t cost = (lines + 1) << std::min(rank, last_rank);
        if (best >= 0 && cost >= best_cost) continue;
        best = candidates_[rank].position;
        best_cost = cost;
    }
    return best;
}

template <class Values>
void BatchedUbfm<Values>::rank_open_children(const Node& node) {
    candidates_.clear();
    const Edge* const edges = graph.edges(node);
    for (int i = 0; i < node.edge_count; ++i) {
        const Node& child = graph.node(edges[i].child);
        if (child.is(resolved)) continue;
        candidates_.push_back({Values::key(child, node.player, graph.width), edges[i].visits, i});
    }
    std::sort(candidates_.begin(), candidates_.end());
}

// Adds the line that was walked to the pending ones.
template <class Values>
void BatchedUbfm<Values>::take(NodeId leaf) {
    const Node& node = graph.node(leaf);
    Pending pending{{}, !node.is(expanded) && !node.is(terminal), {}};
    if (pending.expands) expander_.add_to_batch(graph.state(leaf), pending.children);
    mark_busy(leaf);
    for (const Edge* edge : walk.line.followed) ++in_flight_[edge];
    walk.leave();
    pending_.push_back(std::move(pending));
    pending_.back().line.path.swap(walk.line.path);
    pending_.back().line.followed.swap(walk.line.followed);
}

template <class Values>
void BatchedUbfm<Values>::mark_busy(NodeId id) {
    busy_.push_back(id);
    graph.node(id).set(busy);
}

// Ends the virtual losses.
template <class Values>
void BatchedUbfm<Values>::release() {
    for (const NodeId id : busy_) graph.node(id).clear(busy);
    busy_.clear();
    in_flight_.clear();
}

// Stores the children of every leaf and backs up its line, in the order in which they were
// gathered. Returns false if there is no memory; what is left is then undone.
template <class Values>
bool BatchedUbfm<Values>::store_all() {
    while (begun_ < pending_.size()) {
        Pending& pending = pending_[begun_++];
        walk.line.path.swap(pending.line.path);
        walk.line.followed.swap(pending.line.followed);
        if (pending.expands && !store(pending)) {
            walk.line.undo_visits();
            abandon();
            return false;
        }
        back_up_line();
        ++searched_.counts.iterations;
    }
    pending_.clear();
    begun_ = 0;
    return true;
}

template <class Values>
bool BatchedUbfm<Values>::store(const Pending& pending) {
    const NodeId leaf = walk.line.path.back();
    if (expander_.store(leaf, pending.children, walk.limits.memory) == Stored::no_memory)
        return false;
    ++searched_.counts.expansions;
    return true;
}

// A state of the line may have been resolved by a line before it.
template <class Values>
void BatchedUbfm<Values>::back_up_line() {
    for (std::size_t i = walk.line.path.size(); i-- > 0;) {
        const NodeId id = walk.line.path[i];
        const Node& node = graph.node(id);
        if (node.is(expanded) && !node.is(resolved)) walk.back_up<Values>(id);
    }
}

// Undoes the lines that were not begun to be stored.
template <class Values>
void BatchedUbfm<Values>::abandon() {
    release();
    for (; begun_ < pending_.size(); ++begun_) pending_[begun_].line.undo_visits();
    pending_.clear();
    begun_ = 0;
}

}  // namespace

std::unique_ptr<Iteration> make_batched_ubfm(Walk& walk) {
    return make_iteration<BatchedUbfm>(walk);
}

}  // namespace unbounded
