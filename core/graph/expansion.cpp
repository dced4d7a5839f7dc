// SPDX-License-Identifier: MIT
#include "graph/expansion.h"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace unbounded {

Expander::Expander(Graph& graph, const Rules& rules, Evaluator& evaluator, bool zero_sum,
                   bool completion, const WorthScale* scale, bool relies_on_bounds)
    : graph_(graph),
      rules_(rules),
      evaluator_(evaluator),
      zero_sum_(zero_sum),
      completion_(completion),
      scale_(scale),
      relies_on_bounds_(relies_on_bounds && rules.bounds_scores()),
      layered_(graph.keeps_plies()),
      expansion_(rules) {}

Stored Expander::expand(NodeId id, std::uint64_t memory) {
    list(graph_.state(id));
    look_up();
    evaluate();
    return store(id, memory);
}

NodeId Expander::find_or_add_leaf(State state, std::uint64_t memory) {
    const std::uint64_t hash = graph_.hash(state);
    const NodeId known = graph_.find(state, hash);
    if (known != no_node) return known;
    children_.assign(1, {hash, no_node, 0, false, 0});
    clear_new_states();
    Description about(rules_.players);
    rules_.describe(state, about);
    const std::vector<std::int32_t> outcome(about.outcome.begin(), about.outcome.end());
    if (about.terminal)
        add_terminal(children_[0], state, outcome.data(), about.score.data());
    else
        add_open(children_[0], state, about.player);
    evaluate_open();
    if (!graph_.reserve(1, 0, memory)) return no_node;
    const NodeId id = graph_.find_or_add(state, hash).first;
    fill(graph_.node(id), children_[0]);
    return id;
}

void Expander::list(State state) {
    rules_.expand(state, expansion_);
    const std::size_t count = expansion_.count;
    if (count == 0)
        throw RuleFailure("actions", state, graph_.state_bytes,
                          "listed actions before, and none now");
    listed_children_ += count;
    if (relies_on_bounds_) parent_.assign(state, state + graph_.state_bytes);
    children_.resize(count);
    for (std::size_t i = 0; i < count; ++i) children_[i].hash = graph_.hash(expansion_.state(i));
}

void Expander::look_up() {
    for (const Child& child : children_) graph_.prefetch(child.hash);
    for (const Child& child : children_) graph_.prefetch_found(child.hash);
    for (std::size_t i = 0; i < children_.size(); ++i)
        children_[i].id = graph_.find(expansion_.state(i), children_[i].hash);
}

void Expander::evaluate() {
    clear_new_states();
    add_new_states();
    evaluate_open();
}

void Expander::begin_batch() {
    clear_new_states();
    in_batch_ = true;
}

void Expander::add_to_batch(State state, Children& children) {
    list(state);
    look_up();
    add_new_states();
    children = children_;
}

void Expander::evaluate_batch() { evaluate_open(); }

void Expander::clear_new_states() {
    open_count_ = 0;
    end_count_ = 0;
    outcomes_.clear();
    scores_.clear();
    if (in_batch_) batched_.clear();
    in_batch_ = false;
}

void Expander::add_new_states() {
    const std::size_t first_score = scores_.size();
    for (std::size_t i = 0; i < children_.size(); ++i) {
        if (children_[i].id != no_node) continue;
        if (expansion_.terminal(i))
            add_terminal(children_[i], expansion_.state(i), expansion_.outcome(i),
                         expansion_.score(i));
        else
            add_open(children_[i], expansion_.state(i), expansion_.player(i));
    }
    if (relies_on_bounds_ && scores_.size() > first_score) check_declared_bounds(first_score);
}

// Compares the ends among the new children with what was declared of the state above them.
void Expander::check_declared_bounds(std::size_t first_score) {
    const int width = graph_.width;
    for (int p = 0; p < width; ++p) {
        const float declared = rules_.best_score_from(parent_.data(), p);
        for (std::size_t at = first_score + p; at < scores_.size(); at += width)
            rules_.check_declared_bound(parent_.data(), p, declared, scores_[at]);
    }
}

void Expander::add_open(Child& child, State state, int player) {
    child.is_terminal = false;
    child.player = static_cast<std::uint8_t>(player);
    if (in_batch_ && take_from_batch(child, state)) return;
    child.place = open_count_++;
    open_states_.resize(open_count_ * graph_.state_bytes);
    std::memcpy(open_states_.data() + child.place * graph_.state_bytes, state, graph_.state_bytes);
    if (in_batch_) batched_.emplace(child.hash, child.place);
}

// Whether the state was added already, for a state before or by another action.
bool Expander::take_from_batch(Child& child, State state) {
    const auto [first, last] = batched_.equal_range(child.hash);
    for (auto at = first; at != last; ++at) {
        child.place = at->second;
        if (std::memcmp(new_state(child), state, graph_.state_bytes) == 0) return true;
    }
    return false;
}

void Expander::add_terminal(Child& child, State state, const std::int32_t* outcome,
                            const float* score) {
    if (zero_sum_ && (outcome[0] != -outcome[1] || score[0] != -score[1]))
        throw RuleFailure("outcome", state, graph_.state_bytes,
                          "the game is declared zero-sum, but outcomes or scores do not add up "
                          "to zero");
    child.is_terminal = true;
    child.player = 0;
    child.place = end_count_++;
    ends_.resize(end_count_ * graph_.state_bytes);
    std::memcpy(ends_.data() + child.place * graph_.state_bytes, state, graph_.state_bytes);
    for (int p = 0; p < graph_.width; ++p) {
        outcomes_.push_back(static_cast<std::int8_t>(outcome[p]));
        scores_.push_back(score[p]);
    }
}

void Expander::evaluate_open() {
    if (open_count_ == 0) return;
    evaluations_.resize(static_cast<std::size_t>(open_count_) * rules_.players);
    evaluate_checked(evaluator_, rules_, open_states_.data(), open_count_, evaluations_.data());
}

void Expander::fill(Node& node, const Child& child) {
    const int width = graph_.width;
    node.player = child.player;
    const std::size_t row = std::size_t{child.place} * width;  // of an end
    const float* numbers = child.is_terminal
                               ? &scores_[row]
                               : &evaluations_[std::size_t{child.place} * rules_.players];
    // Adding 0 turns -0 into +0: equal numbers have equal bytes.
    for (int p = 0; p < width; ++p) node.values()[p] = numbers[p] + 0.0f;
    if (scale_ != nullptr) graph_.set_bounds(node, scale_->all);
    if (!child.is_terminal) return;
    node.set(terminal);
    if (!completion_) return;
    node.set(resolved);
    ++terminal_states_;
    std::memcpy(node.completion(width), &outcomes_[row], width);
    std::memcpy(node.tentative(width), &outcomes_[row], width);
    if (scale_ == nullptr) return;
    const Worth worth = scale_->of(outcomes_[row], scores_[row]);
    graph_.set_bounds(node, {worth, worth});
}

void Expander::check_ply(const Node& parent, Node& child, bool added) {
    const int ply = graph_.ply(parent) + 1;
    if (added) graph_.set_ply(child, static_cast<std::uint16_t>(ply));
    if (graph_.ply(child) != ply) layered_ = false;
}

Stored Expander::store(NodeId id, const Children& children, std::uint64_t memory) {
    edges_.reserve(children.size());  // from here on nothing can fail half-way
    if (!graph_.reserve(children.size(), children.size(), memory)) return Stored::no_memory;
    edges_.clear();
    for (const Child& about : children) {
        NodeId child = about.id;
        bool added = false;
        if (child == no_node) {
            // Two actions, or two states of a batch, may lead to the same new state: the second
            // finds what the first added.
            std::tie(child, added) = graph_.find_or_add(new_state(about), about.hash);
            if (added) fill(graph_.node(child), about);
        }
        Node& node = graph_.node(child);
        if (layered_) check_ply(graph_.node(id), node, added);
        if (node.is(has_edge)) continue;
        node.set(has_edge);
        edges_.push_back(child);
    }
    for (const NodeId child : edges_) graph_.node(child).clear(has_edge);
    Node& parent = graph_.node(id);
    graph_.add_edges(parent, edges_);
    parent.set(expanded);
    return Stored::yes;
}

// No flag of a child is touched, for other threads may be changing its flags.
Stored Expander::store_shared(NodeId id, std::uint64_t memory) {
    edges_.reserve(children_.size());  // from here on nothing can fail half-way
    sorted_edges_.reserve(children_.size());
    if (!graph_.reserve(children_.size(), children_.size(), memory)) return Stored::no_memory;
    edges_.clear();
    for (const Child& about : children_) {
        NodeId child = about.id;
        if (child == no_node) {  // unless another thread has added it since `look_up`
            bool added = false;
            std::tie(child, added) = graph_.find_or_add(new_state(about), about.hash);
            if (added) fill(graph_.node(child), about);
        }
        edges_.push_back(child);
    }
    make_expanded(id, nullptr);
    return Stored::yes;
}

void Expander::store_allotted(NodeId id, Graph::Allotment& allotment) {
    edges_.reserve(children_.size());  // from here on nothing can fail half-way
    sorted_edges_.reserve(children_.size());
    edges_.clear();
    for (const Child& about : children_) {
        const auto fill_new = [&](Node& node) { fill(node, about); };
        edges_.push_back(
            about.id != no_node
                ? about.id
                : graph_.find_or_add_shared(new_state(about), about.hash, allotment, fill_new));
    }
    make_expanded(id, &allotment);
}

void Expander::make_expanded(NodeId id, Graph::Allotment* allotment) {
    drop_repeated_edges();
    Node& parent = graph_.node(id);
    if (allotment != nullptr)
        graph_.add_edges(parent, edges_, *allotment);
    else
        graph_.add_edges(parent, edges_);
    set_bits(parent.flags, expanded);  // now others may follow the edges
}

void Expander::drop_repeated_edges() {
    sorted_edges_ = edges_;
    std::sort(sorted_edges_.begin(), sorted_edges_.end());
    if (std::adjacent_find(sorted_edges_.begin(), sorted_edges_.end()) == sorted_edges_.end())
        return;
    auto kept = edges_.begin();
    for (const NodeId child : edges_)
        if (std::find(edges_.begin(), kept, child) == kept) *kept++ = child;
    edges_.erase(kept, edges_.end());
}

}  // namespace unbounded
