// SPDX-License-Identifier: MIT
// Alpha-beta on the worth of a state to one player, the hero: one player maximizes; all others
// minimize. With two players and zero sum that is the game itself; with more it is the paranoid
// assumption, or the weaker one of Best-Reply Search.
#pragma once

#include <array>
#include <optional>

#include "opponents/depth_first.h"

namespace unbounded::opponents {

class TwoSided final : public DepthFirst {
  public:
    TwoSided(DepthFirstKind kind, const Rules& rules, Evaluator& evaluator,
             std::uint64_t table_bytes, int hash_bits);

  private:
    // A state that is searched.
    struct Node {
        std::uint32_t slot;
        std::uint8_t player;
        // Best-Reply Search: the number of moves that the others have made since the hero's last
        // one, and whether one of them was a free choice.
        std::uint8_t moved = 0;
        bool replied = false;

        std::uint8_t tag() const { return static_cast<std::uint8_t>(2 * moved + replied); }
    };
    // Worths are those of the side that moves. Where the window is left, they are bounds.
    struct Found {
        Worth worth;
        bool complete;  // whether it rests on ends of the game alone
    };
    // The best of the children that are done.
    struct Best {
        explicit Best(Bounds window) : window(window) {}

        Bounds window;
        Worth worth = std::numeric_limits<Worth>::min();
        int index = -1;
        bool complete = false;     // of the best one
        bool all_complete = true;  // of every one

        Worth alpha() const { return std::max(window.lo, worth); }
        bool enough() const { return worth >= window.hi; }
        // Whether it is better than those before.
        bool add(Found found, int at);
        Found found() const { return {worth, enough() ? complete : all_complete}; }
    };

    void begin(int player) override;
    bool search_root(int depth) override;
    void report(Choice& choice) override;

    Found search(const Node& node, int depth, Bounds window);
    void look_ahead(const Node& node, Best& best);
    void try_first(const Node& node, int depth, int index, Best& best);
    void try_others(const Node& node, int depth, int first, Best& best);
    void follow_forced(const Node& node, int depth, int index, Best& best);
    void leave_to_the_next(const Node& node, const Family& family, int depth, Best& best);
    // Takes the child by value, because making more children may move it.
    void try_child(const Node& node, Child child, const Node& next, int depth, Best& best);
    void add(Best& best, Found found, int index, bool searched);

    std::optional<Found> recall(const Node& node, std::uint64_t hash, int depth, Bounds window,
                                int& index) const;
    void remember(const Node& node, std::uint64_t hash, int depth, const Best& best);
    void order(const Node& node, const Family& family);
    Child& pick(const Family& family, std::uint32_t place);
    std::uint32_t favorite(const Node& node, const Family& family);
    void praise(const Node& node, const Child& child, int depth);

    bool is_hero(int player) const { return player == hero_; }
    Cutoff cutoff(const Node& node, Worth enough) const {
        return {hero_, is_hero(node.player) ? 1 : -1, enough};
    }
    // What a child is worth to the side that moves at its parent.
    Worth worth(const Node& node, const Child& child) const {
        const Worth worth = families_.row(child)[hero_];
        return is_hero(node.player) ? worth : -worth;
    }
    // Whether the mover has no choice, because another player has replied to the hero.
    bool forced(const Node& node) const { return node.replied && !is_hero(node.player); }
    Node after(const Node& node, const Child& child, bool replied) const;
    // The remaining depth after a forced move, which costs none, up to a limit.
    int depth_after_forced(const Node& node, int depth) const {
        return node.moved < most_free_moves_ ? depth : depth - 1;
    }

    static constexpr std::size_t history_size = 1 << 12;
    std::uint32_t& history(const Node& node, const Child& child) {
        return history_[is_hero(node.player)]
                       [static_cast<std::uint32_t>(child.label) & (history_size - 1)];
    }
    struct Killers {
        std::int32_t first = -1, second = -1;
    };

    const DepthFirstKind kind_;
    const int most_free_moves_;
    int hero_ = -1;
    Node root_{};
    std::size_t ply_ = 0;
    int root_first_ = -1;                    // the best action of the depth before
    std::vector<std::vector<int>> lines_;    // per ply, what is best from there on
    std::vector<Killers> killers_;           // per ply
    std::vector<std::uint32_t> history_[2];  // per side
};

}  // namespace unbounded::opponents
