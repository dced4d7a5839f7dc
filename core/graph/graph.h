// SPDX-License-Identifier: MIT
// The partial game graph: states, what is known of them, and the edges between them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "graph/atomic_access.h"
#include "graph/hashing.h"
#include "graph/memory.h"
#include "graph/waiting.h"
#include "graph/worth.h"
#include "rules/compiler.h"
#include "rules/rules.h"

namespace unbounded {

using NodeId = std::uint32_t;
constexpr NodeId no_node = 0xffffffffu;

enum Flag : std::uint8_t {
    expanded = 1,   // its edges are there (the paper's S_p)
    terminal = 2,   // the game is over
    resolved = 4,   // r(s): its value is proven and will never change
    on_path = 8,    // on the way of the iteration in progress: meeting it again is a cycle
    has_edge = 16,  // while a state is expanded: it has an edge to this one already
    busy = 32,      // a thread is at work on it
    // More than two players, with bounds: in some equilibrium the player who moves does not lose,
    // or wins.
    mover_draws = 64,
    mover_wins = 128,
    // A thread of a parallel search is changing its numbers. All bits are taken; where threads
    // expand states side by side, no state is marked as having an edge.
    locked = has_edge,
};

// What is stored of a state, followed by its numbers: `width` values (float), then as many
// completions and as many tentative completions (one byte each). The width is 1 for two players
// (the first player's numbers), and else the number of players. Where bounds are kept they follow:
// a byte each for the outcome, a word each for outcome and score.
struct Node {
    std::uint32_t first_edge;
    std::uint16_t edge_count;
    std::uint8_t player;
    std::uint8_t flags;

    bool is(Flag flag) const { return (flags & flag) != 0; }
    void set(Flag flag) { flags = static_cast<std::uint8_t>(flags | flag); }
    void clear(Flag flag) { flags = static_cast<std::uint8_t>(flags & ~flag); }

    float* values() { return reinterpret_cast<float*>(this + 1); }
    const float* values() const { return reinterpret_cast<const float*>(this + 1); }
    std::int8_t* completion(int width) { return reinterpret_cast<std::int8_t*>(values() + width); }
    const std::int8_t* completion(int width) const {
        return reinterpret_cast<const std::int8_t*>(values() + width);
    }
    std::int8_t* tentative(int width) { return completion(width) + width; }
    const std::int8_t* tentative(int width) const { return completion(width) + width; }
};
static_assert(sizeof(Node) == 8);

enum class Bounding { none, outcome, score };

// One per distinct successor, in the order of the first action that leads there.
struct Edge {
    NodeId child;
    std::uint32_t visits;  // n(s, s'); stops at its maximum instead of wrapping
};

class Graph {
  public:
    Graph(std::size_t state_bytes, int width, int hash_bits, Bounding bounding = Bounding::none);
    ~Graph();
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    const std::size_t state_bytes;
    const int width;
    const Bounding bounding;

    Node& node(NodeId id) const { return *reinterpret_cast<Node*>(nodes_[id]); }
    // The same where the width is known to the compiler.
    template <int known_width>
    Node& node_of(NodeId id) const {
        if constexpr (known_width == 0) return node(id);
        return *reinterpret_cast<Node*>(nodes_.at(id, node_bytes_for(known_width)));
    }
    State state(NodeId id) const { return states_[id]; }

    // How many moves after the first root a state was found, for two players where no bounds are
    // kept: the bytes are free there.
    bool keeps_plies() const { return width == 1 && bounding == Bounding::none; }
    std::uint16_t ply(const Node& node) const {
        std::uint16_t ply;
        std::memcpy(&ply, node.tentative(1) + 1, sizeof ply);
        return ply;
    }
    void set_ply(Node& node, std::uint16_t ply) const {
        std::memcpy(node.tentative(1) + 1, &ply, sizeof ply);
    }

    // What is proven of the first player's worth; two players, and where bounds are kept.
    Bounds bounds(const Node& node) const {
        if (bounding == Bounding::outcome) {
            const std::int8_t* narrow = node.tentative(1) + 1;
            return {narrow[0], narrow[1]};
        }
        Bounds wide;
        std::memcpy(&wide, reinterpret_cast<const std::byte*>(&node) + wide_bounds_at, sizeof wide);
        return wide;
    }
    void set_bounds(Node& node, Bounds bounds) const {
        if (bounding == Bounding::outcome) {
            std::int8_t* narrow = node.tentative(1) + 1;
            narrow[0] = static_cast<std::int8_t>(bounds.lo);
            narrow[1] = static_cast<std::int8_t>(bounds.hi);
        } else {
            std::memcpy(reinterpret_cast<std::byte*>(&node) + wide_bounds_at, &bounds,
                        sizeof bounds);
        }
    }
    // The edges of an expanded node lie one after the other.
    Edge* edges(const Node& node) const {
        return reinterpret_cast<Edge*>(edges_.at(node.first_edge, sizeof(Edge)));
    }
    NodeId size() const { return static_cast<NodeId>(nodes_.size()); }
    std::uint64_t edge_count() const { return edges_.size(); }

    std::uint64_t hash(State state) const { return hash_bytes(state, state_bytes) & hash_mask_; }
    void prefetch(std::uint64_t hash) const { unbounded::prefetch(&table_[slot_of(hash)]); }
    // After that, for what `find` compares and its callers read: most states are in their first
    // slot.
    void prefetch_found(std::uint64_t hash) const {
        const Slot slot = read(table_[slot_of(hash)]);
        if (slot.id_plus_one == 0 || slot.tag != tag_of(hash)) return;
        unbounded::prefetch(states_[slot.id_plus_one - 1]);
        unbounded::prefetch(nodes_[slot.id_plus_one - 1]);
    }
    // The node of this state, compared byte by byte; no_node if it is not stored.
    NodeId find(State state, std::uint64_t hash) const;

    // Makes room for this many more nodes and edges within `memory` bytes, so that adding them
    // cannot fail. Returns false, and changes nothing visible, if there is no room.
    bool reserve(std::uint64_t nodes, std::uint64_t edges, std::uint64_t memory);
    // For threads that share the graph: each adds states and edges from an allotment of its own,
    // where room for them is kept, while the others do so too, look up states, and read what can be
    // reached from the root. `share` is called before they begin, `end_sharing` when they are done,
    // and for a pause in which the whole graph is to be read.
    bool share(int threads);
    void end_sharing();
    // If making room would change more than the others can bear, this is not quiet; then `reserve`
    // has to be called while no other thread uses the graph.
    bool is_quiet(std::uint64_t nodes, std::uint64_t edges, std::uint64_t memory) const;
    // The numbers of nodes and edges that a thread may use.
    struct alignas(cache_line) Allotment {
        std::vector<NodeId> nodes;  // the first `left` of them are, the last of these first
        std::uint64_t left = 0;
        std::uint32_t first_edge = 0, edge = 0, last_edge = 0;

        bool has(std::uint64_t count) const { return left >= count && last_edge - edge >= count; }
        NodeId take() {
            store_relaxed(left, left - 1);
            return nodes[left];
        }
    };
    Allotment& allotment(int thread) { return allotments_[thread]; }
    // Gives a thread so many new edges, and nodes until it has so many; for one thread at a time,
    // where that is quiet. Returns false if there is no room. `page`: to be touched afterwards,
    // when others need not wait for it.
    bool allot(int thread, std::uint64_t nodes, std::uint64_t edges, std::uint64_t memory,
               volatile char*& page);
    static void touch(volatile char* page) {
        if (page != nullptr) *page = 0;
    }
    // The table grows by and by. While it does, threads that add states help, so many slots each.
    void help_to_grow(std::uint64_t nodes);
    // The states there are, without the nodes that are kept for some; `size` counts those too.
    std::uint64_t used() const;
    // The node of this state, and whether it was added just now. Room has been reserved.
    std::pair<NodeId, bool> find_or_add(State state, std::uint64_t hash);
    // The same while other threads add states. `fill` is called with a new node before others can
    // find it.
    template <class Fill>
    NodeId find_or_add_shared(State state, std::uint64_t hash, Allotment& allotment,
                              const Fill& fill);
    // Appends the edges of a node that has just been expanded.
    void add_edges(Node& node, const std::vector<NodeId>& children) {
        write_edges(node, edges_.append(children.size()), children);
    }
    void add_edges(Node& node, const std::vector<NodeId>& children, Allotment& allotment) {
        write_edges(node, allotment.edge, children);
        allotment.edge += static_cast<std::uint32_t>(children.size());
    }

    // Keeps only some nodes, under new numbers; `renumbered` has one for each node, in ascending
    // order, or no_node for those to forget. Edges must lead to nodes that are kept; a node that is
    // not expanded has none. Returns false, and changes nothing, if there is no memory.
    bool compact(const std::vector<NodeId>& renumbered);

    // The edges, the nodes and the states, as stretches of memory in a fixed order: all there is to
    // a graph but its table.
    template <class Use>
    void pieces(const Use& use) const {
        edges_.pieces(use);
        nodes_.pieces(use);
        states_.pieces(use);
    }
    // Makes room in an empty graph, to be filled through `pieces`. Returns false if there is no
    // memory.
    bool lay_out(std::uint64_t nodes, std::uint64_t edges);
    // Makes the table of a graph that was laid out. Returns false if a state is there twice.
    bool make_table(std::uint64_t capacity);
    // The capacity of a table for `nodes` nodes that were read from a file: `wanted` if it is
    // possible and not too big.
    static std::uint64_t fitting_capacity(std::uint64_t nodes, std::uint64_t wanted);
    std::uint64_t capacity() const { return capacity_; }
    // The graphs must be of the same kind.
    void swap(Graph& other);
    // Removes everything; some memory is kept.
    void clear();

    // Bytes in use, and what they are made of.
    struct Memory {
        std::uint64_t nodes, states, edges, table;
        std::uint64_t total() const { return nodes + states + edges + table; }
    };
    Memory memory() const;
    std::size_t node_bytes() const { return nodes_.record_bytes(); }
    static constexpr std::size_t node_bytes_for(int width, Bounding bounding = Bounding::none) {
        if (bounding == Bounding::score) return wide_bounds_at + sizeof(Bounds);
        const std::size_t bytes = sizeof(Node) + width * (sizeof(float) + 2);
        return (bytes + alignof(Node) - 1) / alignof(Node) * alignof(Node);
    }

  private:
    // Node ids and edge numbers are 32 bits wide.
    static constexpr std::uint64_t most_nodes = 0xfffffff0u, most_edges = 0xffffffffu;
    // A table that grows is moved step by step, so that no single step takes long: this many slots
    // for each new node, so that all are moved long before the next growth.
    static constexpr std::uint64_t slots_moved_per_node = 64;
    static constexpr std::size_t wide_bounds_at = 16;  // behind the numbers of width 1

    struct alignas(8) Slot {
        std::uint32_t tag;  // of the hash: most other states differ in it, and are not read
        NodeId id_plus_one;
    };

    // In the place of a number: a thread is adding a state with this tag.
    static constexpr NodeId pending = 0xffffffffu;

    static Slot read(const Slot& slot) {
        return std::bit_cast<Slot>(load_acquire(reinterpret_cast<const std::uint64_t&>(slot)));
    }
    // After its state has been written: whoever finds the slot finds the state.
    static void write(Slot& slot, Slot value) {
        store_release(reinterpret_cast<std::uint64_t&>(slot), std::bit_cast<std::uint64_t>(value));
    }
    static bool claim(Slot& slot, std::uint32_t tag) {
        return replace(reinterpret_cast<std::uint64_t&>(slot), 0,
                       std::bit_cast<std::uint64_t>(Slot{tag, pending}));
    }
    static std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash); }
    std::uint64_t slot_of(std::uint64_t hash) const { return tag_of(hash) & (capacity_ - 1); }
    void write_edges(Node& node, std::uint64_t first, const std::vector<NodeId>& children);
    bool grow_table(std::uint64_t nodes, std::uint64_t memory);
    NodeId find_former(State state, std::uint32_t tag) const;
    Slot* allocate_table(std::uint64_t capacity, std::uint64_t memory) const;
    void prepare_table(std::uint64_t memory);
    volatile char* page_due();
    bool make_room(std::uint64_t nodes, std::uint64_t edges) {
        return nodes_.reserve(nodes) && states_.reserve(nodes) && edges_.reserve_run(edges);
    }
    void move_slots(std::uint64_t count);
    void close_gaps();
    void move_node(NodeId from, NodeId to);
    std::uint64_t oldest_edge(NodeId since) const;
    void drop_former();
    void drop_next();

    std::uint64_t hash_mask_;
    Records nodes_, states_, edges_;
    alignas(cache_line) Slot* table_ = nullptr;  // open addressing, linear probing
    std::uint64_t capacity_ = 0;
    // While the table grows: the one before it, and how many of its slots have been copied.
    Slot* former_ = nullptr;
    std::uint64_t former_capacity_ = 0;
    alignas(cache_line) std::uint64_t moved_ = 0;
    // Before it grows: a table of twice the capacity, and how many of its bytes have been touched.
    Slot* next_ = nullptr;
    std::uint64_t touched_ = 0;
    bool next_was_too_much_ = false;
    // While threads share the graph.
    std::vector<Allotment> allotments_;
    std::vector<NodeId> gaps_;  // room for the nodes that are left in the end
    // For the last nodes that were given to a thread: the first of them, and the first of the edges
    // that any thread could use then.
    struct Given {
        NodeId node = no_node;
        std::uint32_t edge = 0;
    };
    std::vector<Given> given_;  // a ring
    std::uint64_t times_given_ = 0;
};

// A slot is claimed before its state is written, so of two threads with the same state one waits
// for the other. While the table grows, what is still in the former one only is not added again:
// no state comes into that any more.
template <class Fill>
NodeId Graph::find_or_add_shared(State state, std::uint64_t hash, Allotment& allotment,
                                 const Fill& fill) {
    const std::uint32_t tag = tag_of(hash);
    for (std::uint64_t at = slot_of(hash);; at = (at + 1) & (capacity_ - 1)) {
        Slot slot = read(table_[at]);
        if (slot.id_plus_one == 0 && former_ != nullptr) {
            const NodeId known = find_former(state, tag);
            if (known != no_node) return known;
        }
        if (slot.id_plus_one == 0 && claim(table_[at], tag)) {
            const NodeId id = allotment.take();
            std::memcpy(states_[id], state, state_bytes);
            fill(node(id));
            write(table_[at], {tag, id + 1});
            return id;
        }
        if (slot.id_plus_one == 0) slot = read(table_[at]);
        if (slot.tag != tag) continue;
        for (Patience patience; slot.id_plus_one == pending; slot = read(table_[at]))
            patience.wait();
        const NodeId id = slot.id_plus_one - 1;
        if (std::memcmp(states_[id], state, state_bytes) == 0) return id;
    }
}

}  // namespace unbounded
