// SPDX-License-Identifier: MIT
// Which kind of probe serves a game is found out in the run itself: now and then both kinds are
// tried on leaves in turn, and the one that settles more of them for the nodes it visits is used
// until the next trial. What is proven does not depend on it.
#pragma once

#include <cstdint>

namespace unbounded {

enum class ProbeKind : std::uint32_t { alpha_beta, proof_numbers };

class ProbeRace {
  public:
    // The kind of probe for a leaf, in a search whose probes have visited so many nodes.
    ProbeKind next(std::uint64_t probed) {
        if (probed < now_.next_trial) return preferred();
        const std::uint64_t each = now_.next_trial / share_of_a_trial;
        if (now_.nodes[0] >= each && now_.nodes[1] >= each) {
            end_trial(probed);
            return preferred();
        }
        trying_ = true;
        return now_.nodes[0] <= now_.nodes[1] ? ProbeKind::alpha_beta : ProbeKind::proof_numbers;
    }
    // The most nodes that a leaf is worth: in a trial, each kind is to be tried on several.
    std::uint64_t most_nodes() const {
        return trying_ ? now_.next_trial / share_of_a_leaf : UINT64_MAX;
    }
    void take(ProbeKind kind, std::uint64_t nodes, bool settled) {
        if (!trying_) return;
        now_.nodes[static_cast<int>(kind)] += nodes;
        now_.settled[static_cast<int>(kind)] += settled ? 1 : 0;
        trying_ = false;
    }
    ProbeKind preferred() const {
        return (now_.preferred & 1) == 0 ? ProbeKind::alpha_beta : ProbeKind::proof_numbers;
    }

    // What is known so far.
    struct Standing {
        std::uint64_t next_trial = first_trial;  // when so many nodes are visited
        std::uint64_t nodes[2] = {0, 0};         // of each kind, in this trial
        std::uint32_t settled[2] = {0, 0};       // leaves
        std::uint32_t preferred = 0;
        std::uint32_t unused = 0;  // all bytes of it are saved
    };
    const Standing& standing() const { return now_; }
    void set(const Standing& standing) { now_ = standing; }

  private:
    static constexpr std::uint64_t first_trial = 1 << 22;  // smaller searches are over soon anyway
    static constexpr std::uint64_t share_of_a_trial = 8;
    static constexpr std::uint64_t share_of_a_leaf = 128;
    static constexpr std::uint64_t clearly_better = 2;

    void end_trial(std::uint64_t probed) {
        const std::uint32_t before = now_.preferred & 1, other = 1 - before;
        // Leaves for each node, compared as products. One leaf more or less may be chance.
        const auto leaves = [&](std::uint32_t kind) { return double(now_.settled[kind]); };
        const auto nodes = [&](std::uint32_t kind) { return double(now_.nodes[kind]); };
        const double theirs = leaves(other) * nodes(before);
        const double ours = (leaves(before) + 1) * nodes(other);
        const bool change = theirs > clearly_better * ours;
        now_ = {};
        now_.preferred = change ? other : before;
        now_.next_trial = 4 * probed;
    }

    Standing now_;
    bool trying_ = false;  // the leaf that is being probed is part of a trial
};

}  // namespace unbounded
