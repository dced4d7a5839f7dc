// SPDX-License-Identifier: MIT
#include "selfplay/exploration.h"

#include <algorithm>
#include <cmath>

namespace unbounded {

namespace {

struct Candidate {
    int position;
    int proven;      // the outcome for the mover if the child is resolved, else 0
    int completion;  // for the mover
    float value;     // for the mover
    std::uint64_t tie;
};

float between_0_and_1(Random& random) { return static_cast<float>(random.next() >> 40) * 0x1p-24f; }

// Best first.
std::vector<Candidate> ranked(const Search& search, Random& random) {
    const Graph& graph = search.graph();
    const Node& root = graph.node(search.root());
    const int width = graph.width, own = width == 1 ? 0 : root.player;
    const int sign = width == 1 && root.player == 1 ? -1 : 1;
    std::vector<Candidate> out;
    const Edge* const edges = graph.edges(root);
    for (int i = 0; i < root.edge_count; ++i) {
        const Node& child = graph.node(edges[i].child);
        const int completion = sign * child.completion(width)[own];
        out.push_back({i, child.is(resolved) ? completion : 0, completion,
                       static_cast<float>(sign) * child.values()[own], random.next()});
    }
    std::sort(out.begin(), out.end(), [](const Candidate& a, const Candidate& b) {
        if (a.proven != b.proven) return a.proven > b.proven;
        if (a.completion != b.completion) return a.completion > b.completion;
        if (a.value != b.value) return a.value > b.value;
        return a.tie < b.tie;
    });
    return out;
}

// With k candidates left, the best of them is taken with probability (e (k - 1) + 1) / k.
std::size_t by_rank(std::size_t count, float e, Random& random) {
    std::size_t at = 0;
    for (; at + 1 < count; ++at) {
        const auto left = static_cast<float>(count - at);
        if (between_0_and_1(random) < (e * (left - 1) + 1) / left) break;
    }
    return at;
}

std::size_t by_softmax(const std::vector<Candidate>& ranked, float temperature, Random& random) {
    std::vector<float> weights;
    float sum = 0, highest = ranked[0].value;  // not always that of the best: completion is first
    for (const Candidate& c : ranked) highest = std::max(highest, c.value);
    for (const Candidate& c : ranked) {
        weights.push_back(std::exp((c.value - highest) / temperature));
        sum += weights.back();
    }
    float left = between_0_and_1(random) * sum;
    for (std::size_t i = 0; i < weights.size(); ++i)
        if ((left -= weights[i]) < 0) return i;
    return 0;
}

}  // namespace

int choose_move(const Search& search, const Exploration& exploration, Random& random) {
    std::vector<Candidate> candidates = ranked(search, random);
    const bool known = search.graph().node(search.root()).is(resolved);
    if (known || candidates[0].proven > 0) return candidates[0].position;
    if (candidates[0].proven == 0)
        std::erase_if(candidates, [](const Candidate& c) { return c.proven < 0; });
    const float e = exploration.epsilon < 0 ? between_0_and_1(random) : exploration.epsilon;
    std::size_t at = 0;
    switch (exploration.law) {
        case Law::ordinal: at = by_rank(candidates.size(), e, random); break;
        case Law::epsilon_greedy:
            if (between_0_and_1(random) < e)
                at = random.below(static_cast<std::uint32_t>(candidates.size()));
            break;
        case Law::softmax: at = by_softmax(candidates, exploration.temperature, random); break;
    }
    return candidates[at].position;
}

}  // namespace unbounded
