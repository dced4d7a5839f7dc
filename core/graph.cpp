// SPDX-License-Identifier: MIT
#include "graph.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace unbounded {

MemorySource memory_source{
    [](std::size_t bytes) { return std::calloc(1, bytes); },
    [](void* memory) { std::free(memory); },
};

void prefer_big_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__)
    constexpr std::uintptr_t page = std::uintptr_t{1} << 21;
    const auto start = (reinterpret_cast<std::uintptr_t>(memory) + page - 1) / page * page;
    const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / page * page;
    if (start < end) (void)madvise(reinterpret_cast<void*>(start), end - start, MADV_HUGEPAGE);
#endif
}

namespace {

// Node ids and edge numbers are 32 bits wide.
constexpr std::uint64_t most_nodes = 0xfffffff0u;
constexpr std::uint64_t most_edges = 0xffffffffu;
constexpr std::uint64_t first_capacity = 128;

}  // namespace

Graph::Graph(std::size_t state_bytes, int width, int hash_bits, Bounding bounding)
    : state_bytes(state_bytes),
      width(width),
      bounding(bounding),
      hash_mask_(hash_bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << hash_bits) - 1),
      nodes_(node_bytes_for(width, bounding)),
      states_(state_bytes),
      edges_(sizeof(Edge)) {
    table_ = static_cast<Slot*>(memory_source.allocate(first_capacity * sizeof(Slot)));
    if (table_ == nullptr) throw std::bad_alloc();
    capacity_ = first_capacity;
}

Graph::~Graph() { memory_source.release(table_); }

NodeId Graph::find(State state, std::uint64_t hash) const {
    const std::uint32_t tag = tag_of(hash);
    for (std::uint64_t at = slot_of(hash);; at = (at + 1) & (capacity_ - 1)) {
        const Slot slot = table_[at];
        if (slot.id_plus_one == 0) return no_node;
        if (slot.tag != tag) continue;
        const NodeId id = slot.id_plus_one - 1;
        if (std::memcmp(states_[id], state, state_bytes) == 0) return id;
    }
}

bool Graph::reserve(std::uint64_t nodes, std::uint64_t edges, std::uint64_t memory) {
    if (nodes_.size() + nodes > most_nodes || edges_.size() + edges > most_edges) return false;
    const std::uint64_t more = nodes * (nodes_.record_bytes() + state_bytes) + edges * sizeof(Edge);
    if (this->memory().total() + more > memory) return false;
    return nodes_.reserve(nodes) && states_.reserve(nodes) && edges_.reserve_run(edges) &&
           grow_table(nodes, memory - more);
}

bool Graph::grow_table(std::uint64_t nodes, std::uint64_t memory) {
    const std::uint64_t wanted = nodes_.size() + nodes;
    std::uint64_t capacity = capacity_;
    while (wanted * 3 > capacity * 2) capacity *= 2;
    if (capacity == capacity_) return true;
    // The old table is needed until the new one is full; if both do not fit, the old one has to
    // serve until it is nearly full.
    const bool fits = this->memory().total() + capacity * sizeof(Slot) <= memory;
    void* grown = fits ? memory_source.allocate(capacity * sizeof(Slot)) : nullptr;
    if (grown == nullptr) return wanted * 20 <= capacity_ * 19;
    prefer_big_pages(grown, capacity * sizeof(Slot));
    Slot* table = static_cast<Slot*>(grown);
    for (std::uint64_t i = 0; i < capacity_; ++i) {
        if (table_[i].id_plus_one == 0) continue;
        std::uint64_t at = table_[i].tag & (capacity - 1);
        while (table[at].id_plus_one != 0) at = (at + 1) & (capacity - 1);
        table[at] = table_[i];
    }
    memory_source.release(table_);
    table_ = table;
    capacity_ = capacity;
    return true;
}

std::pair<NodeId, bool> Graph::find_or_add(State state, std::uint64_t hash) {
    const std::uint32_t tag = tag_of(hash);
    std::uint64_t at = slot_of(hash);
    for (; table_[at].id_plus_one != 0; at = (at + 1) & (capacity_ - 1)) {
        const NodeId id = table_[at].id_plus_one - 1;
        if (table_[at].tag == tag && std::memcmp(states_[id], state, state_bytes) == 0)
            return {id, false};
    }
    const NodeId id = static_cast<NodeId>(nodes_.append(1));
    states_.append(1);
    std::memcpy(states_[id], state, state_bytes);
    table_[at] = {tag, id + 1};
    return {id, true};
}

void Graph::add_edges(Node& node, const std::vector<NodeId>& children) {
    node.first_edge = static_cast<std::uint32_t>(edges_.append(children.size()));
    node.edge_count = static_cast<std::uint16_t>(children.size());
    Edge* edge = edges(node);
    for (const NodeId child : children) (edge++)->child = child;
}

// What takes so much memory that it may have been asked for by mistake is not taken over.
std::uint64_t Graph::fitting_capacity(std::uint64_t nodes, std::uint64_t wanted) {
    constexpr std::uint64_t small = 1 << 20;
    std::uint64_t capacity = first_capacity;
    while (nodes * 3 > capacity * 2) capacity *= 2;
    const std::uint64_t most = std::max(small, 8 * capacity);
    const bool fits = wanted >= first_capacity && wanted <= most && (wanted & (wanted - 1)) == 0 &&
                      nodes * 20 <= wanted * 19;
    return fits ? wanted : capacity;
}

bool Graph::lay_out(std::uint64_t nodes, std::uint64_t edges) {
    if (nodes > most_nodes || edges > most_edges) return false;
    if (!nodes_.reserve(nodes) || !states_.reserve(nodes) || !edges_.reserve(edges)) return false;
    nodes_.append(nodes);
    states_.append(nodes);
    edges_.append(edges);
    return true;
}

bool Graph::make_table(std::uint64_t capacity) {
    void* const memory = memory_source.allocate(capacity * sizeof(Slot));
    if (memory == nullptr) throw std::bad_alloc();
    prefer_big_pages(memory, capacity * sizeof(Slot));
    memory_source.release(table_);
    table_ = static_cast<Slot*>(memory);
    capacity_ = capacity;
    constexpr NodeId ahead = 16;  // the table is read all over: so many places are fetched early
    std::uint64_t hashes[ahead];
    for (NodeId first = 0; first < size(); first += std::min(ahead, size() - first)) {
        const NodeId count = std::min(ahead, size() - first);
        for (NodeId i = 0; i < count; ++i) {
            hashes[i] = hash(state(first + i));
            prefetch(hashes[i]);
        }
        for (NodeId i = 0; i < count; ++i) {
            const std::uint32_t tag = tag_of(hashes[i]);
            std::uint64_t at = slot_of(hashes[i]);
            for (; table_[at].id_plus_one != 0; at = (at + 1) & (capacity_ - 1))
                if (table_[at].tag == tag && std::memcmp(state(table_[at].id_plus_one - 1),
                                                         state(first + i), state_bytes) == 0)
                    return false;
            table_[at] = {tag, first + i + 1};
        }
    }
    return true;
}

void Graph::swap(Graph& other) {
    nodes_.swap(other.nodes_);
    states_.swap(other.states_);
    edges_.swap(other.edges_);
    std::swap(table_, other.table_);
    std::swap(capacity_, other.capacity_);
}

Graph::Memory Graph::memory() const {
    return {nodes_.bytes(), states_.bytes(), edges_.bytes(), capacity_ * sizeof(Slot)};
}

}  // namespace unbounded
