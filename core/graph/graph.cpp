// SPDX-License-Identifier: MIT
// The graph: its records of nodes, states and edges, and the hash table that finds a state.
#include "graph/graph.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

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

constexpr std::uint64_t first_capacity = 128;
constexpr std::uint64_t small_capacity = 1 << 14;  // until then a table that grows is moved at once
// The first access to new memory takes long, above all to big pages. So the next big table is
// allocated early, and its pages are accessed one by one before it is needed.
constexpr std::uint64_t big_capacity = 1 << 20;
constexpr std::uint64_t big_page = 1 << 21;
constexpr std::uint64_t nodes_per_page = 1
                                         << 14;  // so it is done when the table is two thirds full

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

Graph::~Graph() {
    memory_source.release(table_);
    drop_former();
    drop_next();
}

NodeId Graph::find(State state, std::uint64_t hash) const {
    const std::uint32_t tag = tag_of(hash);
    for (std::uint64_t at = slot_of(hash);; at = (at + 1) & (capacity_ - 1)) {
        const Slot slot = read(table_[at]);
        if (slot.id_plus_one == 0) return former_ == nullptr ? no_node : find_former(state, tag);
        if (slot.tag != tag || slot.id_plus_one == pending) continue;
        const NodeId id = slot.id_plus_one - 1;
        if (std::memcmp(states_[id], state, state_bytes) == 0) return id;
    }
}

NodeId Graph::find_former(State state, std::uint32_t tag) const {
    for (std::uint64_t at = tag & (former_capacity_ - 1);; at = (at + 1) & (former_capacity_ - 1)) {
        const Slot slot = read(former_[at]);
        if (slot.id_plus_one == 0) return no_node;
        const NodeId id = slot.id_plus_one - 1;
        if (slot.tag == tag && std::memcmp(states_[id], state, state_bytes) == 0) return id;
    }
}

bool Graph::reserve(std::uint64_t nodes, std::uint64_t edges, std::uint64_t memory) {
    if (nodes_.size() + nodes > most_nodes || edges_.size() + edges > most_edges) return false;
    const std::uint64_t more = nodes * (nodes_.record_bytes() + state_bytes) + edges * sizeof(Edge);
    if (this->memory().total() + more > memory) move_slots(former_capacity_);
    if (this->memory().total() + more > memory && next_ != nullptr) {
        drop_next();
        next_was_too_much_ = true;
    }
    if (this->memory().total() + more > memory) return false;
    return make_room(nodes, edges) && grow_table(nodes, memory - more);
}

bool Graph::grow_table(std::uint64_t nodes, std::uint64_t memory) {
    move_slots(slots_moved_per_node * nodes);
    prepare_table(memory);
    touch(page_due());
    const std::uint64_t wanted = nodes_.size() + nodes;
    std::uint64_t capacity = capacity_;
    while (wanted * 3 > capacity * 2) capacity *= 2;
    if (capacity == capacity_) return true;
    move_slots(former_capacity_);
    if (next_ == nullptr || capacity != 2 * capacity_) {
        drop_next();
        next_ = allocate_table(capacity, memory);
        if (next_ == nullptr) return wanted * 20 <= capacity_ * 19;
    }
    former_ = std::exchange(table_, std::exchange(next_, nullptr));
    former_capacity_ = std::exchange(capacity_, capacity);
    next_was_too_much_ = false;
    if (former_capacity_ <= small_capacity) move_slots(former_capacity_);
    return true;
}

// The old table is needed until the new one is full; if both do not fit, the old one has to serve
// until it is nearly full.
Graph::Slot* Graph::allocate_table(std::uint64_t capacity, std::uint64_t memory) const {
    if (this->memory().total() + capacity * sizeof(Slot) > memory) return nullptr;
    void* const table = memory_source.allocate(capacity * sizeof(Slot));
    if (table != nullptr) prefer_big_pages(table, capacity * sizeof(Slot));
    return static_cast<Slot*>(table);
}

// Gets the next table when the present one is half full.
void Graph::prepare_table(std::uint64_t memory) {
    const bool soon = capacity_ >= big_capacity && nodes_.size() * 2 > capacity_;
    if (!soon || former_ != nullptr || next_ != nullptr || next_was_too_much_) return;
    next_ = allocate_table(2 * capacity_, memory);
    touched_ = 0;
    next_was_too_much_ = next_ == nullptr;
}

// The page of the next table that is to be touched now; null: none. It is given out once.
volatile char* Graph::page_due() {
    if (next_ == nullptr || nodes_.size() * 2 <= capacity_) return nullptr;
    const std::uint64_t due = (nodes_.size() - capacity_ / 2) / nodes_per_page * big_page;
    if (touched_ >= std::min(due, 2 * capacity_ * sizeof(Slot))) return nullptr;
    return reinterpret_cast<volatile char*>(next_) + std::exchange(touched_, touched_ + big_page);
}

// Copies some slots of the former table, which stays as it is, so that what was not copied yet is
// still found there; when all are copied it goes.
void Graph::move_slots(std::uint64_t count) {
    if (former_ == nullptr) return;
    const std::uint64_t end = std::min(former_capacity_, moved_ + count);
    for (; moved_ < end; ++moved_) {
        const Slot slot = former_[moved_];
        if (slot.id_plus_one == 0) continue;
        std::uint64_t at = slot.tag & (capacity_ - 1);
        while (table_[at].id_plus_one != 0) at = (at + 1) & (capacity_ - 1);
        write(table_[at], slot);
    }
    if (moved_ >= former_capacity_) drop_former();
}

void Graph::drop_former() {
    if (former_ != nullptr) memory_source.release(former_);
    former_ = nullptr;
    former_capacity_ = moved_ = 0;
}

void Graph::drop_next() {
    if (next_ != nullptr) memory_source.release(next_);
    next_ = nullptr;
}

std::pair<NodeId, bool> Graph::find_or_add(State state, std::uint64_t hash) {
    const std::uint32_t tag = tag_of(hash);
    std::uint64_t at = slot_of(hash);
    for (; table_[at].id_plus_one != 0; at = (at + 1) & (capacity_ - 1)) {
        const NodeId id = table_[at].id_plus_one - 1;
        if (table_[at].tag == tag && std::memcmp(states_[id], state, state_bytes) == 0)
            return {id, false};
    }
    if (former_ != nullptr) {
        const NodeId known = find_former(state, tag);
        if (known != no_node) return {known, false};
    }
    const NodeId id = static_cast<NodeId>(nodes_.append(1));
    states_.append(1);
    std::memcpy(states_[id], state, state_bytes);
    write(table_[at], {tag, id + 1});
    return {id, true};
}

void Graph::write_edges(Node& node, std::uint64_t first, const std::vector<NodeId>& children) {
    node.first_edge = static_cast<std::uint32_t>(first);
    node.edge_count = static_cast<std::uint16_t>(children.size());
    Edge* edge = edges(node);
    for (const NodeId child : children) (edge++)->child = child;
}

bool Graph::compact(const std::vector<NodeId>& renumbered) try {
    std::vector<NodeId> parents;  // in the order of their edges
    for (NodeId id = 0; id < size(); ++id)
        if (renumbered[id] != no_node && node(id).is(expanded)) parents.push_back(id);
    std::sort(parents.begin(), parents.end(),
              [this](NodeId a, NodeId b) { return node(a).first_edge < node(b).first_edge; });
    // Nothing moves up, so what is overwritten has been moved already.
    std::uint64_t edge_count = 0;
    for (const NodeId id : parents) {
        Node& parent = node(id);
        const Edge* const from = edges(parent);
        const std::uint64_t room = Records::chunk_length - (edge_count % Records::chunk_length);
        if (parent.edge_count > room) edge_count += room;
        parent.first_edge = static_cast<std::uint32_t>(edge_count);
        Edge* const to = edges(parent);
        for (int i = 0; i < parent.edge_count; ++i)
            to[i] = {renumbered[from[i].child], from[i].visits};
        edge_count += parent.edge_count;
    }
    edges_.shrink(edge_count);
    NodeId kept = 0;
    for (NodeId id = 0; id < size(); ++id) {
        if (renumbered[id] == no_node) continue;
        std::memmove(nodes_[kept], nodes_[id], nodes_.record_bytes());
        std::memmove(states_[kept], states_[id], state_bytes);
        ++kept;
    }
    nodes_.shrink(kept);
    states_.shrink(kept);
    drop_former();
    drop_next();
    std::memset(static_cast<void*>(table_), 0, capacity_ * sizeof(Slot));
    for (NodeId id = 0; id < kept; ++id) {
        const std::uint64_t hash = this->hash(state(id));
        std::uint64_t at = slot_of(hash);
        while (table_[at].id_plus_one != 0) at = (at + 1) & (capacity_ - 1);
        table_[at] = {tag_of(hash), id + 1};
    }
    return true;
} catch (const std::bad_alloc&) {
    return false;
}

// A capacity that would take too much memory may be an error of the file, and is not used.
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
    drop_former();
    drop_next();
    memory_source.release(table_);
    table_ = static_cast<Slot*>(memory);
    capacity_ = capacity;
    constexpr NodeId ahead = 16;  // slots to prefetch: accesses to the table are random
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

void Graph::clear() {
    nodes_.clear();
    states_.clear();
    edges_.clear();
    drop_former();
    drop_next();
    next_was_too_much_ = false;
    std::memset(static_cast<void*>(table_), 0, capacity_ * sizeof(Slot));
}

void Graph::swap(Graph& other) {
    nodes_.swap(other.nodes_);
    states_.swap(other.states_);
    edges_.swap(other.edges_);
    std::swap(table_, other.table_);
    std::swap(capacity_, other.capacity_);
    std::swap(former_, other.former_);
    std::swap(former_capacity_, other.former_capacity_);
    std::swap(moved_, other.moved_);
    std::swap(next_, other.next_);
    std::swap(touched_, other.touched_);
    std::swap(next_was_too_much_, other.next_was_too_much_);
}

Graph::Memory Graph::memory() const {
    const std::uint64_t slots =
        capacity_ + former_capacity_ + (next_ == nullptr ? 0 : 2 * capacity_);
    return {nodes_.bytes(), nodes_.size() * state_bytes, edges_.bytes(), slots * sizeof(Slot)};
}

}  // namespace unbounded
