// SPDX-License-Identifier: MIT
#include "rules/perft.h"

#include <memory>
#include <vector>

namespace unbounded {

std::uint64_t perft(const Rules& rules, int depth) {
    if (depth == 0) return 1;
    std::vector<std::byte> root(rules.state_bytes);
    rules.initial(root.data());
    // One expansion per ply, walked like a stack. The last level is counted, not made: an expansion
    // says how many actions every successor has.
    struct Level {
        explicit Level(const Rules& rules) : expansion(rules) {}
        Expansion expansion;
        int at = 0;
    };
    std::vector<std::unique_ptr<Level>> levels;
    for (int d = 0; d < (depth > 1 ? depth - 1 : 1); ++d)
        levels.push_back(std::make_unique<Level>(rules));
    rules.expand(root.data(), levels[0]->expansion);
    if (depth == 1) return levels[0]->expansion.count;
    std::uint64_t leaves = 0;
    int d = 0;
    while (d >= 0) {
        Level& level = *levels[d];
        const Expansion& made = level.expansion;
        if (d + 2 == depth) {
            for (int i = 0; i < made.count; ++i) leaves += made.action_counts[i];
            --d;
            continue;
        }
        while (level.at < made.count && made.terminal(level.at)) ++level.at;
        if (level.at == made.count) {
            --d;
            continue;
        }
        Level& below = *levels[++d];
        below.at = 0;
        rules.expand(made.state(level.at++), below.expansion);
    }
    return leaves;
}

}  // namespace unbounded
