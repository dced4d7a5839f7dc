// SPDX-License-Identifier: MIT
// A search as bytes. Records are zeroed before they are filled, so equal searches have equal bytes.
#include "search/search.h"

namespace unbounded {

std::vector<std::byte> Search::snapshot() const {
    const std::uint64_t counts[] = {
        root_, graph_.size(), graph_.edge_count(), iterations_, expansions_, resolved_states(),
    };
    const Graph::Memory memory = graph_.memory();
    std::vector<std::byte> out(sizeof counts + memory.nodes + memory.states + memory.edges);
    std::byte* at = out.data();
    const auto put = [&at](const void* data, std::size_t size) {
        std::memcpy(at, data, size);
        at += size;
    };
    put(counts, sizeof counts);
    for (NodeId id = 0; id < graph_.size(); ++id) {
        put(graph_.state(id), graph_.state_bytes);
        put(&graph_.node(id), graph_.node_bytes());
    }
    for (NodeId id = 0; id < graph_.size(); ++id) {
        const Node& node = graph_.node(id);
        if (node.is(expanded)) put(graph_.edges(node), node.edge_count * sizeof(Edge));
    }
    out.resize(at - out.data());
    return out;
}

}  // namespace unbounded
