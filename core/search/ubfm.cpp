// SPDX-License-Identifier: MIT
// UBFM: an iteration follows the best line of unresolved states to its end and expands that.
// `reference/ubfm.py` is the same as the paper prints it.
#include <algorithm>
#include <cstring>

#include "search/algorithms.h"

namespace unbounded {

namespace {

template <class Values>
class Ubfm : public Iteration {
  public:
    using Iteration::Iteration;

    Progress iterate(Watch&) override {
        walk.begin();
        for (NodeId id = walk.searched.root;;) {
            walk.enter(id);
            Node& node = graph.node(id);
            if (node.is(terminal)) break;  // only when completion is off
            if (!node.is(expanded)) {
                if (expand(id) == Stored::no_memory) {
                    walk.line.undo_visits();
                    return Progress::no_memory;
                }
                break;
            }
            const Choice choice = least_tried_best_child<Values>(graph, node);
            if (choice.child == nullptr) {  // all were resolved through other parents
                walk.back_up<Values>(id);
                break;
            }
            id = walk.follow(node, choice.position);
        }
        walk.back_up_path<Values>(walk.line.path.size() - 1);
        return Progress::done;
    }

  protected:
    Stored expand(NodeId id) {
        const Stored stored = walk.expand(id);
        if (stored == Stored::yes && options.back_up_on_expansion) walk.back_up<Values>(id);
        return stored;
    }
};

// The same iterations for two players, without starting at the root: the choices of the last one
// are kept as long as they hold. What a choice was made against, the best of the other children,
// cannot change while it holds if no state of the line below is among them, as in a game where a
// move always leads from one ply to the next. So every level costs one comparison on the way down
// and one on the way up, and children are read only where the line changes.
class ResumedUbfm final : public Ubfm<Minimax> {
  public:
    using Ubfm<Minimax>::Ubfm;

    Progress iterate(Watch& watch) override {
        if (!applies()) return Ubfm<Minimax>::iterate(watch);
        const Progress progress = resume();
        if (progress != Progress::done) walk.line.undo_visits();
        if (!applies() || progress != Progress::done) steps_.clear();
        return progress;
    }
    void forget() override { steps_.clear(); }

  private:
    static constexpr std::int64_t lowest = INT64_MIN;

    // A level of the line.
    struct Step {
        Node* node;
        Edge* edge;              // the one that was followed
        Edge* open_rival;        // the best of the other edges to open children; null: none
        std::int64_t open_key;   // of its child
        std::int64_t rival_key;  // the best of all other children
    };
    // Remembers what the selected child was better than.
    struct Rivals {
        const int player;
        Edge* open = nullptr;
        std::int64_t open_key = lowest;
        std::int64_t closed_key = lowest;

        void filtered_out(const Node& child) {
            closed_key = std::max(closed_key, Minimax::key(child, player, 1));
        }
        void replaced(Edge& edge, std::int64_t key) {
            open = &edge;
            open_key = key;
        }
        void not_better(Edge& edge, std::int64_t key) {
            if (open == nullptr || key > open_key ||
                (key == open_key && edge.visits < open->visits))
                replaced(edge, key);
        }
    };

    // All that a back-up may change: the flags, and what follows the head of a node.
    struct Numbers {
        std::uint64_t numbers;
        std::uint8_t flags;
        bool operator==(const Numbers&) const = default;
    };
    static Numbers numbers(const Node& node) {
        static_assert(Graph::node_bytes_for(1) == sizeof(Node) + sizeof(std::uint64_t));
        Numbers found{0, node.flags};
        std::memcpy(&found.numbers, node.values(), sizeof found.numbers);
        return found;
    }

    bool applies() const { return options.completion && walk.searched.expander.layered(); }
    Progress resume();
    bool still_chosen(Step& step) const;
    bool choose_step(Node& node);
    void back_up_step(const Step& step, NodeId id);

    std::vector<Step> steps_;
};

Progress ResumedUbfm::resume() {
    Line& line = walk.line;
    std::size_t level = 0;
    while (level < steps_.size() && still_chosen(steps_[level])) ++level;
    const std::size_t kept = level;
    steps_.resize(level);
    line.path.resize(level);
    line.followed.resize(level);
    NodeId id = level == 0 ? walk.searched.root : steps_[level - 1].edge->child;
    for (;; id = steps_.back().edge->child) {
        line.path.push_back(id);
        ++walk.searched.counts.walked;
        Node& node = graph.node_of<1>(id);
        if (!node.is(expanded)) {
            if (expand(id) == Stored::no_memory) return Progress::no_memory;
            break;
        }
        if (!choose_step(node)) {  // all were resolved through other parents
            walk.back_up<Minimax>(id);
            break;
        }
    }
    // A choice that was kept has been backed up since it was made, and nothing that it was made
    // against has changed: if its child is as it was, so is all above it.
    for (std::size_t i = steps_.size(); i-- > 0;) {
        const Numbers before = numbers(*steps_[i].node);
        back_up_step(steps_[i], line.path[i]);
        if (i <= kept && numbers(*steps_[i].node) == before) break;
    }
    return Progress::done;
}

// Whether an iteration would choose the same child again; if so it is followed.
bool ResumedUbfm::still_chosen(Step& step) const {
    const Node& child = graph.node_of<1>(step.edge->child);
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

// Chooses a child, records its rivals, and follows it. Returns false if there is none.
bool ResumedUbfm::choose_step(Node& node) {
    Rivals rivals{node.player};
    const Choice choice = choose<Minimax, Ties::least_visited>(graph, node, Unresolved{}, rivals);
    if (choice.child == nullptr) return false;
    Edge& edge = graph.edges(node)[choice.position];
    steps_.push_back(
        {&node, &edge, rivals.open, rivals.open_key, std::max(rivals.closed_key, rivals.open_key)});
    walk.line.follow(edge);
    return true;
}

void ResumedUbfm::back_up_step(const Step& step, NodeId id) {
    Node& node = *step.node;
    const Node& child = graph.node_of<1>(step.edge->child);
    const std::int64_t key = Minimax::key(child, node.player, 1);
    const std::int64_t best = std::max(key, step.rival_key);
    // What is proven is left to the value rule; all else follows from the best key.
    if (child.is(resolved) || best != key) return walk.back_up<Minimax>(id);
    node.values()[0] = child.values()[0];
    node.completion(1)[0] = child.completion(1)[0];
    node.tentative(1)[0] = child.completion(1)[0];
    if (child.completion(1)[0] != 0) walk.back_up<Minimax>(id);
}

std::unique_ptr<Iteration> make(Walk& walk) {
    if (walk.searched.options.values == ValueRule::minimax)
        return std::make_unique<ResumedUbfm>(walk);
    return make_iteration<Ubfm>(walk);
}

}  // namespace

constinit const Algorithm ubfm{"ubfm", make, make_batched_ubfm, 1};

}  // namespace unbounded
