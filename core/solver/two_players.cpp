// SPDX-License-Identifier: MIT
// Proofs for two players, zero sum: bounds of the worth at every state, windows that leave out what
// cannot matter, and alpha-beta probes.
#include <cfloat>

#include "probes/probe.h"
#include "search/bounded_minimax.h"
#include "solver/proof_policy.h"

namespace unbounded {

namespace {

class TwoPlayerPolicy final : public ProofPolicy {
  public:
    explicit TwoPlayerPolicy(const PolicyParts& parts)
        : searched_(parts.searched),
          graph_(searched_.graph),
          scale_(searched_.scale),
          judgment_{graph_, searched_.rules, scale_, false, searched_.rules.bounds_scores()} {
        if (parts.table == nullptr) return;
        prober_ = std::make_unique<Prober>(searched_.rules, parts.ordering(), *parts.table, scale_);
        prober_->give_up = parts.give_up;
        prober_->share(parts.shared);
        if (parts.endgames != nullptr) prober_->use(*parts.endgames);
    }

    Bounds narrowed(Bounds window, const Node& node) const override {
        return window.meet(graph_.bounds(node));
    }
    Choice select(const Node& node, Bounds& window) const override {
        window = window.meet(graph_.bounds(node));
        const BoundedMinimax::CanMatter can_matter{graph_, node.player,
                                                   window.seen_by(node.player).lo};
        return choose<BoundedMinimax, Ties::least_visited>(graph_, node, can_matter);
    }
    void back_up(Node& node, State state) override {
        searched_.change(node, [&] { BoundedMinimax::back_up(judgment_, node, state); });
    }
    void add_virtual_loss(Node& leaf, int chooser) const override {
        leaf.values()[0] = chooser == 0 ? -FLT_MAX : FLT_MAX;
    }

    void begin_leaf(ProbeKind kind) override {
        prober_->forget_efforts();
        kind_ = scale_.exact_score ? ProbeKind::alpha_beta : kind;
    }
    Probe probe(State state, Bounds window, std::uint64_t budget) override {
        answer_ = kind_ == ProbeKind::alpha_beta ? prober_->probe(state, window, budget)
                                                 : prober_->prove(state, window, budget);
        return answer_.finished ? Probe::settled : Probe::gave_up;
    }
    void take_answer(Node& node) override { narrow(node, answer_.bounds); }
    void take_known(Node& node, State state) override { narrow(node, prober_->known(state)); }
    std::uint64_t probed_nodes() const override { return prober_->nodes(); }
    void limit_memory(std::uint64_t bytes) override {
        if (prober_) prober_->limit_memory(bytes);
    }
    std::size_t move_ordering_words() const override {
        return prober_ ? Prober::move_ordering_words : 0;
    }
    void copy_move_ordering(std::uint32_t* out) const override { prober_->copy_move_ordering(out); }
    void set_move_ordering(const std::uint32_t* words) override {
        prober_->set_move_ordering(words);
    }

    bool proves(const Node& node, const Node& child) const override {
        return seen_by_mover(child, node).lo >= seen_by_mover(node, node).lo;
    }
    std::optional<Bounds> open_question(const Node& node, const Node& child) const override {
        const Worth worth = seen_by_mover(node, node).lo;
        const Bounds window =
            Bounds{worth - 1, worth}.seen_by(node.player).meet(graph_.bounds(child));
        return window.lo < window.hi ? std::optional(window) : std::nullopt;
    }
    // A child cannot be worth more to the mover than the state, or the state would be.
    void take_from_parent(const Node& node, Node& child) override {
        const Bounds most{scale_.all.seen_by(node.player).lo, seen_by_mover(node, node).hi};
        narrow(child, most.seen_by(node.player));
    }

  private:
    Bounds seen_by_mover(const Node& of, const Node& node) const {
        return graph_.bounds(of).seen_by(node.player);
    }
    void narrow(Node& node, Bounds bounds) {
        searched_.change(node, [&] { BoundedMinimax::narrow(judgment_, node, bounds); });
    }

    SearchGraph& searched_;
    Graph& graph_;
    const WorthScale& scale_;
    const Judgment judgment_;
    std::unique_ptr<Prober> prober_;
    ProbeKind kind_ = ProbeKind::alpha_beta;
    Prober::Answer answer_{};
};

}  // namespace

std::unique_ptr<ProofPolicy> make_two_player_policy(const PolicyParts& parts) {
    return std::make_unique<TwoPlayerPolicy>(parts);
}

}  // namespace unbounded
