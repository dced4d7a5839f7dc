// SPDX-License-Identifier: MIT
// Proofs for any number of players: a state is resolved as soon as no other child could be better
// for the player who moves, and Max^n probes find the worths of all players at once. With a single
// winner a child cannot be better if its own mover is known to do well enough there.
#include <algorithm>
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
        const Node* const best = best_resolved(node);
        const Edge* edge = graph_.edges(node);  // of the next child that is asked about
        return choose<Values, Ties::least_visited>(graph_, node, [&](const Node& child) {
            const NodeId id = (edge++)->child;
            return !child.is(resolved) && (best == nullptr || can_be_better(node, id, *best));
        });
    }
    void back_up(Node& node, State state) override {
        searched_.change(node, [&] {
            Values::back_up(judgment_, node, state);  // resolves what it can by the paper's rule
            const Node* const best = best_resolved(node);
            if (best == nullptr) return;
            note(node, outcome(*best, node));
            if (!node.is(resolved) && is_unbeatable(node, *best)) take_over(node, *best);
        });
    }
    void add_virtual_loss(Node& leaf, int chooser) const override {
        leaf.values()[chooser] = -FLT_MAX;
    }

    void set_chooser(const Node* parent) override {
        const Node* const best = parent != nullptr ? best_resolved(*parent) : nullptr;
        has_chooser_ = best != nullptr;
        if (has_chooser_) chooser_ = {parent->player, worth(*best, parent->player)};
    }
    Probe probe(State state, Bounds, std::uint64_t budget) override {
        found_ = prober_->probe(state, budget, has_chooser_ ? &chooser_ : nullptr);
        return found_ != ManyProber::Row::unknown ? Probe::settled : Probe::gave_up;
    }
    void take_answer(Node& node) override { take(node, found_); }
    void take_known(Node& node, State state) override { take(node, prober_->known(state)); }
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
    // Adds to a node what the prober has found about its state.
    void take(Node& node, ManyProber::Row found) {
        switch (found) {
            case ManyProber::Row::unknown: break;
            case ManyProber::Row::mover_draws: note(node, 0); break;
            case ManyProber::Row::mover_wins: note(node, 1); break;
            case ManyProber::Row::exact: resolve(node, prober_->row()); break;
        }
    }
    // Gives a node the row that was proven of its state.
    void resolve(Node& node, const Worth* row) {
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
    // Notes that the mover of a node has at least this outcome in some equilibrium, if it matters.
    void note(Node& node, int outcome) const {
        if (!judgment_.rules.single_winner()) return;
        if (outcome >= 0) node.set(mover_draws);
        if (outcome >= 1) node.set(mover_wins);
    }

    int outcome(const Node& child, const Node& node) const {
        return child.completion(graph_.width)[node.player];
    }
    Worth worth(const Node& child, int player) const {
        return lexicographic(child.completion(graph_.width)[player], child.values()[player]);
    }
    // The resolved child that is best for the player who moves; null: none is resolved.
    const Node* best_resolved(const Node& node) const {
        const Node* best = nullptr;
        const Edge* const edges = graph_.edges(node);
        for (int i = 0; i < node.edge_count; ++i) {
            const Node& child = graph_.node(edges[i].child);
            if (!child.is(resolved)) continue;
            if (best == nullptr || worth(child, node.player) > worth(*best, node.player))
                best = &child;
        }
        return best;
    }
    // The best outcome that a player can have at an open child, in some equilibrium of it.
    int best_outcome(const Node& node, const Node& child) const {
        if (!judgment_.rules.single_winner() || child.player == node.player) return 1;
        return child.is(mover_wins) ? -1 : child.is(mover_draws) ? 0 : 1;
    }
    // Whether an open child may be better for the player who moves than the best resolved one. If
    // not, it does not matter: the proof is that of the probes, in probes/probe_many.h.
    bool can_be_better(const Node& node, NodeId id, const Node& best) const {
        const int most = best_outcome(node, graph_.node(id)), own = outcome(best, node);
        if (most != own) return most > own;
        const int other = most > 0 ? -1 : -most;  // what the other player has, who moves there
        return most_beside(judgment_.rules, graph_.state(id), node.player, other) >
               worth(best, node.player);
    }
    bool is_unbeatable(const Node& node, const Node& best) const {
        const Edge* const edges = graph_.edges(node);
        return std::none_of(edges, edges + node.edge_count, [&](const Edge& edge) {
            return !graph_.node(edge.child).is(resolved) && can_be_better(node, edge.child, best);
        });
    }
    void take_over(Node& node, const Node& best) const {
        const int width = graph_.width;
        std::memcpy(node.values(), best.values(), width * sizeof(float));
        std::memcpy(node.completion(width), best.completion(width), width);
        std::memcpy(node.tentative(width), best.completion(width), width);
        node.set(resolved);
    }

    SearchGraph& searched_;
    Graph& graph_;
    const Judgment judgment_;
    std::unique_ptr<ManyProber> prober_;
    bool has_chooser_ = false;
    ManyProber::Chooser chooser_{};
    ManyProber::Row found_ = ManyProber::Row::unknown;  // by the last probe
};

}  // namespace

std::unique_ptr<ProofPolicy> make_many_player_policy(const PolicyParts& parts) {
    if (parts.searched.options.values == ValueRule::resolved_completion)
        return std::make_unique<ManyPlayerPolicy<ResolvedCompletion>>(parts);
    return std::make_unique<ManyPlayerPolicy<PropagatedCompletion>>(parts);
}

}  // namespace unbounded
