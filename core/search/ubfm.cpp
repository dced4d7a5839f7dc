// SPDX-License-Identifier: MIT
// One iteration of UBFM: follow the best line of unresolved states to its end and expand that.
// `reference/best_first.py` is the same as the paper prints it.
#include <algorithm>
#include <type_traits>

#include "search/search.h"

namespace unbounded {

// The same iteration without starting at the root: the choices of the last one are kept as long as
// they hold. What a choice was made against, the best of the other children, cannot change while it
// holds if no state of the line below is among them, as in a game where a move always leads from
// one ply to the next. So every level costs one comparison on the way down and one on the way up,
// and children are looked at only where the line changes.
Search::Progress Search::resume_ubfm() {
    std::size_t level = 0;
    while (level < steps_.size() && still_chosen(level)) ++level;
    steps_.resize(level);
    path_.resize(level);
    followed_.resize(level);
    NodeId id = level == 0 ? root_ : steps_[level - 1].edge->child;
    for (;; id = steps_.back().edge->child) {
        path_.push_back(id);
        ++walked_;
        Node& node = graph_.node_of<1>(id);
        if (!node.is(expanded)) {
            if (!expand(id)) return Progress::no_memory;
            if (options_.back_up_on_expansion) back_up<Minimax>(id);
            break;
        }
        if (!choose_step(node)) {  // all were resolved through other parents
            back_up<Minimax>(id);
            break;
        }
    }
    for (std::size_t i = steps_.size(); i-- > 0;) back_up_step(steps_[i], path_[i]);
    return Progress::done;
}

// Whether an iteration would choose the same child again; if so it is followed.
bool Search::still_chosen(std::size_t level) {
    Step& step = steps_[level];
    const Node& child = graph_.node_of<1>(step.edge->child);
    if (child.is(resolved)) return false;
    const std::int64_t key = Minimax::key(child, step.node->player, 1);
    const std::uint32_t n = step.edge->visits;
    if (step.open_rival != nullptr) {
        const std::uint32_t rival_n = step.open_rival->visits;
        if (key < step.open_key) return false;
        if (key == step.open_key && (n > rival_n || (n == rival_n && step.edge > step.open_rival)))
            return false;
    }
    if (n != UINT32_MAX) ++step.edge->visits;
    return true;
}

// Chooses a child, remembers what it was chosen against, and follows it. False: there is none.
bool Search::choose_step(Node& node) {
    constexpr std::int64_t lowest = INT64_MIN;
    Step step{&node, nullptr, nullptr, lowest, lowest};
    std::int64_t best_key = lowest, closed_key = lowest;
    Edge* const edges = graph_.edges(node);
    for (Edge* edge = edges; edge != edges + node.edge_count; ++edge) {
        const Node& child = graph_.node_of<1>(edge->child);
        const std::int64_t key = Minimax::key(child, node.player, 1);
        if (child.is(resolved)) {
            closed_key = std::max(closed_key, key);
        } else if (step.edge == nullptr || key > best_key ||
                   (key == best_key && edge->visits < step.edge->visits)) {
            step.open_rival = step.edge;
            step.open_key = best_key;
            step.edge = edge;
            best_key = key;
        } else if (step.open_rival == nullptr || key > step.open_key ||
                   (key == step.open_key && edge->visits < step.open_rival->visits)) {
            step.open_rival = edge;
            step.open_key = key;
        }
    }
    if (step.edge == nullptr) return false;
    step.rival_key = std::max(closed_key, step.open_key);
    if (step.edge->visits != UINT32_MAX) ++step.edge->visits;
    steps_.push_back(step);
    followed_.push_back(step.edge);
    return true;
}

void Search::back_up_step(const Step& step, NodeId id) {
    Node& node = *step.node;
    const Node& child = graph_.node_of<1>(step.edge->child);
    const std::int64_t key = Minimax::key(child, node.player, 1);
    const std::int64_t best = std::max(key, step.rival_key);
    // What is proven is for the rule itself; all else follows from the best key.
    if (child.is(resolved) || best != key) return back_up<Minimax>(id);
    node.values()[0] = child.values()[0];
    node.completion(1)[0] = child.completion(1)[0];
    node.tentative(1)[0] = child.completion(1)[0];
    if (child.completion(1)[0] != 0) back_up<Minimax>(id);
}

template <class Values>
Search::Progress Search::iterate_ubfm(Watch&) {
    if (std::is_same_v<Values, Minimax> && resumes()) {
        const Progress progress = resume_ubfm();
        if (progress != Progress::done) forget_visits();
        if (!resumes() || progress != Progress::done) steps_.clear();
        return progress;
    }
    begin_path();
    for (NodeId id = root_;;) {
        enter(id);
        Node& node = graph_.node(id);
        if (node.is(terminal)) break;  // only when completion is off
        if (!node.is(expanded)) {
            if (!expand(id)) {
                forget_visits();
                return Progress::no_memory;
            }
            if (options_.back_up_on_expansion) back_up<Values>(id);
            break;
        }
        const Choice choice = least_tried_best_child<Values>(graph_, node);
        if (choice.child == nullptr) {  // all were resolved through other parents
            back_up<Values>(id);
            break;
        }
        id = follow(node, choice.position);
    }
    back_up_path<Values>(path_.size() - 1);
    return Progress::done;
}

template Search::Progress Search::iterate_ubfm<Minimax>(Watch&);
template Search::Progress Search::iterate_ubfm<ResolvedCompletion>(Watch&);
template Search::Progress Search::iterate_ubfm<PropagatedCompletion>(Watch&);

}  // namespace unbounded
