// SPDX-License-Identifier: MIT
// How threads share a graph: what each of them may add, and how the table grows meanwhile.
//
// Each thread has nodes of its own to fill, so that it writes to other cache lines than the others,
// and no count is kept in common. In the end some are left; the last nodes of the graph move there.
#include <algorithm>
#include <cstring>
#include <new>

#include "graph/graph.h"

namespace unbounded {

namespace {

constexpr std::size_t remembered_per_thread = 16;

}  // namespace

bool Graph::share(int threads) try {
    allotments_.assign(threads, {});
    given_.assign(remembered_per_thread * threads, {});
    times_given_ = 0;
    return nodes_.reserve_directory() && states_.reserve_directory() && edges_.reserve_directory();
} catch (const std::bad_alloc&) {
    return false;
}

// The records never move. The table may be swapped for a bigger one or the one before it may go,
// and only those are what `find` reads beside the slots.
bool Graph::is_quiet(std::uint64_t nodes, std::uint64_t edges, std::uint64_t memory) const {
    const std::uint64_t more = nodes * (nodes_.record_bytes() + state_bytes) + edges * sizeof(Edge);
    return this->memory().total() + more <= memory &&
           (nodes_.size() + nodes) * 3 <= capacity_ * 2 && nodes_.size() + nodes <= most_nodes &&
           edges_.size() + 2 * edges <= most_edges &&
           (former_ == nullptr || load_relaxed(moved_) < former_capacity_);
}

bool Graph::allot(int thread, std::uint64_t nodes, std::uint64_t edges, std::uint64_t memory,
                  volatile char*& page) try {
    Allotment& given = allotments_[thread];
    const std::uint64_t more = nodes - std::min(nodes, given.left);
    given.nodes.resize(std::max<std::size_t>(given.nodes.size(), given.left + more));
    std::uint64_t all = 0;
    for (const Allotment& each : allotments_) all += each.nodes.size();
    gaps_.reserve(2 * all);
    if (!make_room(more, edges)) return false;
    prepare_table(memory);
    page = page_due();
    given.first_edge = given.edge = static_cast<std::uint32_t>(edges_.append(edges));
    given.last_edge = given.first_edge + static_cast<std::uint32_t>(edges);
    if (more == 0) return true;
    const auto first = static_cast<NodeId>(nodes_.append(more));
    states_.append(more);
    // Those that are left are taken last.
    for (std::uint64_t i = 0; i < more; ++i)
        given.nodes[given.left + i] = static_cast<NodeId>(first + more - 1 - i);
    store_relaxed(given.left, given.left + more);
    std::uint32_t oldest = given.first_edge;
    for (const Allotment& each : allotments_)
        if (each.last_edge != 0) oldest = std::min(oldest, each.first_edge);
    given_[times_given_++ % given_.size()] = {first, oldest};
    return true;
} catch (const std::bad_alloc&) {
    return false;
}

void Graph::help_to_grow(std::uint64_t nodes) {
    if (former_ == nullptr || load_relaxed(moved_) >= former_capacity_) return;
    const std::uint64_t count = slots_moved_per_node * nodes;
    const std::uint64_t first = add_relaxed(moved_, count);
    const std::uint64_t end = std::min(former_capacity_, first + count);
    for (std::uint64_t i = first; i < end; ++i) {
        const Slot slot = former_[i];
        if (slot.id_plus_one == 0) continue;
        std::uint64_t at = slot.tag & (capacity_ - 1);
        while (!replace(reinterpret_cast<std::uint64_t&>(table_[at]), 0,
                        std::bit_cast<std::uint64_t>(slot)))
            at = (at + 1) & (capacity_ - 1);
    }
}

std::uint64_t Graph::used() const {
    std::uint64_t used = nodes_.size();
    for (const Allotment& each : allotments_) used -= load_relaxed(each.left);
    return used;
}

void Graph::end_sharing() {
    if (former_ != nullptr && moved_ >= former_capacity_) drop_former();
    close_gaps();
    for (Allotment& each : allotments_) each = {};
    times_given_ = 0;
}

// Moves the last nodes to where nodes were left, and lets the edges know.
void Graph::close_gaps() {
    gaps_.clear();
    for (const Allotment& each : allotments_)
        gaps_.insert(gaps_.end(), each.nodes.begin(), each.nodes.begin() + each.left);
    if (gaps_.empty()) return;
    std::sort(gaps_.begin(), gaps_.end());
    const NodeId size = this->size(), kept = static_cast<NodeId>(size - gaps_.size());
    // The first gaps lie before `kept`, and there are as many nodes behind it to fill them.
    const auto last_gap = std::lower_bound(gaps_.begin(), gaps_.end(), kept);
    const auto count = static_cast<std::size_t>(last_gap - gaps_.begin());
    // Behind the gaps: where each of the nodes from `kept` on has gone.
    const std::size_t gap_count = gaps_.size();
    gaps_.resize(2 * gap_count, no_node);
    NodeId* const moved_to = gaps_.data() + gap_count;
    std::size_t filled = 0, gap_behind = count;
    for (NodeId id = kept; id < size; ++id) {
        if (gap_behind < gap_count && gaps_[gap_behind] == id) {
            ++gap_behind;
            continue;
        }
        moved_to[id - kept] = gaps_[filled];
        move_node(id, gaps_[filled++]);
    }
    for (std::uint64_t i = filled == 0 ? edges_.size() : oldest_edge(kept); i < edges_.size();
         ++i) {
        Edge& edge = *reinterpret_cast<Edge*>(edges_[i]);
        if (edge.child >= kept) edge.child = moved_to[edge.child - kept];
    }
    nodes_.take_back(kept);
    states_.take_back(kept);
}

void Graph::move_node(NodeId from, NodeId to) {
    const std::uint64_t hash = this->hash(state(from));
    const auto renumber = [&](Slot* table, std::uint64_t capacity) {
        std::uint64_t at = tag_of(hash) & (capacity - 1);
        for (; table[at].id_plus_one != 0; at = (at + 1) & (capacity - 1))
            if (table[at].id_plus_one == from + 1) table[at].id_plus_one = to + 1;
    };
    renumber(table_, capacity_);
    if (former_ != nullptr) renumber(former_, former_capacity_);
    for (Records* const records : {&nodes_, &states_}) {
        std::memcpy((*records)[to], (*records)[from], records->record_bytes());
        std::memset((*records)[from], 0, records->record_bytes());
    }
}

// The first edge that may lead to one of the nodes from `since` on.
std::uint64_t Graph::oldest_edge(NodeId since) const {
    const std::uint64_t remembered = std::min<std::uint64_t>(times_given_, given_.size());
    std::uint64_t oldest = edges_.size();
    for (std::uint64_t i = 1; i <= remembered; ++i) {
        const Given& given = given_[(times_given_ - i) % given_.size()];
        oldest = std::min<std::uint64_t>(oldest, given.edge);
        if (given.node <= since) return oldest;
    }
    return 0;
}

}  // namespace unbounded
