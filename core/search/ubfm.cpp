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
// move always leads from one ply to the next. So a choice is looked at again only where its child
// has changed, or a rival is as good, for then visits decide; and children are read only where the
// line changes. Visits along what was kept are counted later, many at a time.
class ResumedUbfm final : public Ubfm<Minimax> {
  public:
    using Ubfm<Minimax>::Ubfm;

    Progress iterate(Watch& watch) override {
        if (!applies()) return Ubfm<Minimax>::iterate(watch);
        const Progress progress = resume();
        const bool ends = progress != Progress::done || !applies();
        if (ends || !is_native_) settle();
        if (progress != Progress::done) walk.line.undo_visits();
        if (ends) forget();
        return progress;
    }
    void step_back() override { settle(); }
    void forget() override {
        steps_.clear();
        ties_.clear();
        changed_ = 0;
    }
    void settle() override {
        for (Step& step : steps_) count_visits(step, iteration_);
    }

  private:
    static constexpr std::int64_t lowest = INT64_MIN;

    // A level of the line.
    struct Step {
        Node* node;
        Edge* edge;                // the one that was followed
        Edge* open_rival;          // the best of the other edges to open children; null: none
        std::int64_t open_key;     // of its child
        std::int64_t rival_key;    // the best of all other children
        std::uint64_t counted_at;  // visits up to this iteration are counted
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
    static std::uint32_t visits(const Step& step, std::uint64_t until) {
        const std::uint64_t all = step.edge->visits + (until - step.counted_at);
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(all, UINT32_MAX));
    }
    static void count_visits(Step& step, std::uint64_t until) {
        step.edge->visits = visits(step, until);
        step.counted_at = until;
    }

    bool applies() const { return options.completion && walk.searched.expander.layered(); }
    Progress resume();
    std::size_t kept_levels();
    bool is_kept(std::size_t level);
    void drop(std::size_t kept);
    bool choose_step(Node& node);
    void back_up_line(std::size_t kept);
    void back_up_step(Step& step, NodeId id);

    // Python could read the visits whenever it is called.
    const bool is_native_ = walk.searched.evaluator.native() && walk.searched.rules.native();
    std::vector<Step> steps_;
    std::uint64_t iteration_ = 0;
    std::size_t changed_ = 0;        // from this level on, the children may have changed
    std::vector<std::size_t> ties_;  // the levels before that where a rival is as good
};

Progress ResumedUbfm::resume() {
    ++iteration_;
    Line& line = walk.line;
    const std::size_t kept = kept_levels();
    drop(kept);
    NodeId id = kept == 0 ? walk.searched.root : steps_[kept - 1].edge->child;
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
    back_up_line(kept);
    return Progress::done;
}

// How many choices of the last line hold, from the root on.
std::size_t ResumedUbfm::kept_levels() {
    for (std::size_t i = 0; i < ties_.size(); ++i) {
        const std::size_t level = ties_[i];
        if (is_kept(level)) continue;
        ties_.resize(i);
        return level;
    }
    std::size_t level = changed_;
    while (level < steps_.size() && is_kept(level)) {
        const Step& step = steps_[level];
        const Node& child = graph.node_of<1>(step.edge->child);
        if (Minimax::key(child, step.node->player, 1) == step.open_key) ties_.push_back(level);
        ++level;
    }
    return level;
}

// Whether an iteration would choose the same child again.
bool ResumedUbfm::is_kept(std::size_t level) {
    const Step& step = steps_[level];
    const Node& child = graph.node_of<1>(step.edge->child);
    if (child.is(resolved)) return false;
    if (step.open_rival == nullptr) return true;
    const std::int64_t key = Minimax::key(child, step.node->player, 1);
    if (key != step.open_key) return key > step.open_key;
    const std::uint32_t n = visits(step, iteration_ - 1), rival_n = step.open_rival->visits;
    return n != rival_n ? n < rival_n : step.edge < step.open_rival;
}

// Forgets the end of the last line.
void ResumedUbfm::drop(std::size_t kept) {
    for (; steps_.size() > kept; steps_.pop_back()) count_visits(steps_.back(), iteration_ - 1);
    walk.line.path.resize(kept);
    walk.line.followed.resize(kept);
}

// Chooses a child, records its rivals, and follows it. Returns false if there is none.
bool ResumedUbfm::choose_step(Node& node) {
    Rivals rivals{node.player};
    const Choice choice = choose<Minimax, Ties::least_visited>(graph, node, Unresolved{}, rivals);
    if (choice.child == nullptr) return false;
    Edge& edge = graph.edges(node)[choice.position];
    steps_.push_back({&node, &edge, rivals.open, rivals.open_key,
                      std::max(rivals.closed_key, rivals.open_key), iteration_ - 1});
    walk.line.followed.push_back(&edge);
    return true;
}

// A choice that was kept has been backed up since it was made, and nothing that it was made against
// has changed: if its child is as it was, so is all above it.
void ResumedUbfm::back_up_line(std::size_t kept) {
    std::size_t level = steps_.size();
    while (level-- > 0) {
        Step& step = steps_[level];
        const Numbers before = numbers(*step.node);
        back_up_step(step, walk.line.path[level]);
        if (level <= kept && numbers(*step.node) == before) break;
    }
    changed_ = level < steps_.size() ? level : 0;
    while (!ties_.empty() && ties_.back() >= changed_) ties_.pop_back();
}

void ResumedUbfm::back_up_step(Step& step, NodeId id) {
    Node& node = *step.node;
    const Node& child = graph.node_of<1>(step.edge->child);
    const std::int64_t key = Minimax::key(child, node.player, 1);
    const std::int64_t best = std::max(key, step.rival_key);
    // What is proven is left to the value rule; all else follows from the best key.
    if (child.is(resolved) || best != key || child.completion(1)[0] != 0) {
        count_visits(step, iteration_);
        return walk.back_up<Minimax>(id);
    }
    node.values()[0] = child.values()[0];
    node.completion(1)[0] = child.completion(1)[0];
    node.tentative(1)[0] = child.completion(1)[0];
}

std::unique_ptr<Iteration> make(Walk& walk) {
    if (walk.searched.options.values == ValueRule::minimax)
        return std::make_unique<ResumedUbfm>(walk);
    return make_iteration<Ubfm>(walk);
}

}  // namespace

constinit const Algorithm ubfm{"ubfm", make, make_batched_ubfm, 1};

}  // namespace unbounded
