// SPDX-License-Identifier: MIT
// Proofs for any number of players: a state is resolved as soon as no other child could be better
// for the player who moves, and Max^n probes find the worths of all players at once.
#include <cfloat>
#include <cstring>

#include "probes/probe_many.h"
#include "solver/proof_policy.h"

namespace unbounded {

namespace {

template <class Values>
class ManyPlayerPolicy final : public ProofPolicy {
  public:
    explicit ManyPlayerPolicy(const PolicyParts& parts)
        : searched_(parts.searched),
          graph_(searched_.graph),
          judgment_{graph_, searched_.rules, searched_.scale, false,
                    searched_.rules.bounds_scores()} {
        if (parts.table == nullptr) return;
        prober_ = std::make_unique<ManyProber>(searched_.rules, parts.ordering(), *parts.table);
        prober_->give_up = parts.give_up;
    }

    Bounds narrowed(Bounds window, const Node&) const override { return window; }
    Choice select(const Node& node, Bounds&) const override {
        return least_tried_best_child<Values>(graph_, node);
    }
    void back_up(Node& node, State state) override {
        searched_.change(node, [&] {
            Values::back_up(judgment_, node, state);  // resolves what it can by the paper's rule
            if (!node.is(resolved)) resolve_if_unbeatable(node);
        });
    }
    void add_virtual_loss(Node& leaf, int chooser) const override {
        leaf.values()[chooser] = -FLT_MAX;
    }

    Probe probe(State state, Bounds, std::uint64_t budget) override {
        row_ = prober_->probe(state, budget);
        return row_ != nullptr ? Probe::settled : Probe::gave_up;
    }
    void take_answer(Node& node) override { resolve(node, row_); }
    void take_known(Node& node, State state) override { resolve(node, prober_->known(state)); }
    std::uint64_t probed_nodes() const override { return prober_->nodes(); }
    void limit_memory(std::uint64_t bytes) override {
        if (prober_) prober_->limit_memory(bytes);
    }

    bool proves(const Node& node, const Node& child) const override {
        return child.is(resolved) && same_numbers(node, child, graph_.width);
    }
    std::optional<Bounds> open_question(const Node&, const Node&) const override {
        return searched_.scale.all;
    }
    void take_from_parent(const Node&, Node&) override {}

  private:
    // Gives a node the row that was proven of its state; null: none was.
    void resolve(Node& node, const Worth* row) {
        if (row == nullptr) return;
        const WorthScale& scale = searched_.scale;
        const int width = graph_.width;
        for (int p = 0; p < width; ++p) {
            node.values()[p] = scale.score(row[p]);
            const auto outcome = static_cast<std::int8_t>(scale.outcome(row[p]));
            node.completion(width)[p] = outcome;
            node.tentative(width)[p] = outcome;
        }
        searched_.change(node, [&] { node.set(resolved); });
    }

    // Resolves a node that has a resolved child, a win, which no open child can be better than.
    void resolve_if_unbeatable(Node& node) {
        const Node* best = nullptr;
        const Edge* const edges = graph_.edges(node);
        for (int i = 0; i < node.edge_count; ++i) {
            const Node& child = graph_.node(edges[i].child);
            if (!child.is(resolved) || child.completion(graph_.width)[node.player] != 1) continue;
            if (best == nullptr || child.values()[node.player] > best->values()[node.player])
                best = &child;
        }
        if (best == nullptr || !is_unbeatable(node, *best)) return;
        const int width = graph_.width;
        std::memcpy(node.values(), best->values(), width * sizeof(float));
        std::memcpy(node.completion(width), best->completion(width), width);
        std::memcpy(node.tentative(width), best->completion(width), width);
        node.set(resolved);
    }
    bool is_unbeatable(const Node& node, const Node& best) const {
        const float value = best.values()[node.player];
        const Edge* const edges = graph_.edges(node);
        for (int i = 0; i < node.edge_count; ++i) {
            if (graph_.node(edges[i].child).is(resolved)) continue;
            const State state = graph_.state(edges[i].child);
            if (judgment_.rules.best_score_from(state, node.player) > value) return false;
        }
        return true;
    }

    SearchGraph& searched_;
    Graph& graph_;
    const Judgment judgment_;
    std::unique_ptr<ManyProber> prober_;
    const Worth* row_ = nullptr;  // of the last probe; null: it gave up
};

}  // namespace

std::unique_ptr<ProofPolicy> make_many_player_policy(const PolicyParts& parts) {
    if (parts.searched.options.values == ValueRule::resolved_completion)
        return std::make_unique<ManyPlayerPolicy<ResolvedCompletion>>(parts);
    return std::make_unique<ManyPlayerPolicy<PropagatedCompletion>>(parts);
}

}  // namespace unbounded
