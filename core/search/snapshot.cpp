// SPDX-License-Identifier: MIT
// Writes counts, states, nodes and edges one after the other.
#include "search/snapshot.h"

namespace unbounded {

// Records are zeroed before they are filled, so equal searches have equal bytes.
std::vector<std::byte> snapshot(const SearchGraph& searched) {
    const Graph& graph = searched.graph;
    const std::uint64_t counts[] = {
        searched.root,
        graph.size(),
        graph.edge_count(),
        searched.counts.iterations,
        searched.counts.expansions,
        searched.resolved_states(),
    };
    const Graph::Memory memory = graph.memory();
    std::vector<std::byte> out(sizeof counts + memory.nodes + memory.states + memory.edges);
    std::byte* at = out.data();
    const auto put = [&at](const void* data, std::size_t size) {
        std::memcpy(at, data, size);
        at += size;
    };
    put(counts, sizeof counts);
    for (NodeId id = 0; id < graph.size(); ++id) {
        put(graph.state(id), graph.state_bytes);
        put(&graph.node(id), graph.node_bytes());
    }
    for (NodeId id = 0; id < graph.size(); ++id) {
        const Node& node = graph.node(id);
        if (node.is(expanded)) put(graph.edges(node), node.edge_count * sizeof(Edge));
    }
    out.resize(at - out.data());
    return out;
}

}  // namespace unbounded
