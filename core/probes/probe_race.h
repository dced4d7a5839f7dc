// SPDX-License-Identifier: MIT
// Which kind of probe serves a game is found out in the run itself: now and then both kinds are
// tried on leaves in turn, and the one that settles more of them for the nodes it visits is used
// until the next trial. What is proven does not depend on it.
#pragma once

#include <algorithm>
#include <cstdint>

namespace unbounded {

enum class ProbeKind : std::uint32_t { alpha_beta, proof_numbers };

class ProbeRace {
  public:
    // How a leaf is to be probed. In a trial, each kind is to be tried on several: then a leaf is
    // not worth more than so many nodes.
    struct Plan {
        ProbeKind kind = ProbeKind::alpha_beta;
        bool trial = false;
        std::uint64_t most_nodes = UINT64_MAX;
    };
    // In a search whose probes have visited so many nodes in so many threads. One of them works in
    // a trial, so it is to be short if there are many.
    Plan next(std::uint64_t probed, std::uint64_t threads = 1) {
        const std::uint64_t nodes = std::max(first_trial, now_.next_trial / threads);
        const std::uint64_t each = (now_.confirming != 0 ? 2 : 1) * nodes / share_of_a_trial;
        const bool due = probed >= now_.next_trial && !postpones(probed);
        const bool done = now_.nodes[0] >= each && now_.nodes[1] >= each;
        if (!due || (done && end_trial(probed))) return {preferred()};
        const bool first = now_.nodes[0] <= now_.nodes[1];
        return {first ? ProbeKind::alpha_beta : ProbeKind::proof_numbers, true,
                nodes / share_of_a_leaf};
    }
    void take(const Plan& plan, std::uint64_t nodes, bool settled) {
        if (!plan.trial) return count(settled);
        now_.nodes[static_cast<int>(plan.kind)] += nodes;
        now_.settled[static_cast<int>(plan.kind)] += settled ? 1 : 0;
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
        std::uint8_t confirming = 0;  // whether the trial is in its second half
        std::uint8_t leaves = 0;      // since the last trial
        std::uint8_t settled_since = 0;
        std::uint8_t unused = 0;  // all bytes of it are saved
    };
    const Standing& standing() const { return now_; }
    void set(const Standing& standing) { now_ = standing; }

  private:
    static constexpr std::uint64_t first_trial = 1 << 22;  // smaller searches are over soon anyway
    static constexpr std::uint64_t share_of_a_trial = 8;
    static constexpr std::uint64_t share_of_a_leaf = 128;
    static constexpr std::uint64_t better = 2, clearly_better = 3;
    // Times the nodes so far. What a trial leaves open is searched piece by piece: with another one
    // soon, Connect Four 6x6 took twice the nodes in some runs.
    static constexpr std::uint64_t until_next = 16;

    // A leaf that is not part of a trial. Older ones count less.
    void count(bool settled) {
        ++now_.leaves;
        now_.settled_since += settled ? 1 : 0;
        if (now_.leaves < UINT8_MAX) return;
        now_.leaves /= 2;
        now_.settled_since /= 2;
    }
    // A trial costs time, and its small probes leave leaves open that larger ones would settle: as
    // long as the preferred kind settles every third leaf, there is none.
    bool postpones(std::uint64_t probed) {
        const bool begun = now_.nodes[0] + now_.nodes[1] > 0;
        if (begun || 3 * now_.settled_since < now_.leaves || now_.leaves == 0) return false;
        now_.next_trial = 2 * probed;
        now_.leaves = now_.settled_since = 0;
        return true;
    }
    // If the other kind seems to be better, the trial goes on for as long again: few leaves are
    // settled in it, so that chance could decide, and a wrong choice costs more than a trial.
    // Returns whether it is over.
    bool end_trial(std::uint64_t probed) {
        const std::uint32_t before = now_.preferred & 1, other = 1 - before;
        // Leaves for each node, compared as products. One leaf more or less may be chance.
        const auto leaves = [&](std::uint32_t kind) { return double(now_.settled[kind]); };
        const auto nodes = [&](std::uint32_t kind) { return double(now_.nodes[kind]); };
        const double theirs = leaves(other) * nodes(before);
        const double ours = (leaves(before) + 1) * nodes(other);
        const bool change = theirs > (now_.confirming != 0 ? clearly_better : better) * ours;
        if (change && now_.confirming == 0) {
            now_.confirming = 1;
            return false;
        }
        now_ = {};
        now_.preferred = change ? other : before;
        now_.next_trial = until_next * probed;
        return true;
    }

    Standing now_;
};

}  // namespace unbounded
