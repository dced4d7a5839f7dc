// SPDX-License-Identifier: MIT
// A search as arrays and a few numbers, from which the same search can be made again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

namespace unbounded {

// The numbers. What is not among them and not in the arrays has no effect on what a search does.
struct Saved {
    std::uint64_t root = 0;
    std::uint64_t states = 0;
    std::uint64_t edges = 0;
    std::uint64_t slots = 0;  // of the graph's table, which is not saved itself
    std::uint64_t iterations = 0;
    std::uint64_t expanded = 0;
    std::uint64_t resolved = 0;  // without the terminal states
    std::uint64_t terminal = 0;
    std::uint64_t walked = 0;
    std::uint64_t compactions = 0;
    std::uint64_t layered = 0;          // whether every move led from one ply to the next
    std::uint64_t workers_layered = 0;  // the same of what the threads expanded
    std::uint64_t probed = 0;
    std::uint64_t proven = 0;  // entries of the table of the probes
};

// An array of whole numbers of `item_bytes` each.
struct SavedArray {
    const char* name;
    int item_bytes;
    std::uint64_t rows, columns;
};

// What is done with the arrays, a stretch of memory at a time.
using Sink = std::function<void(const void* data, std::size_t bytes)>;
using Source = std::function<void(void* data, std::size_t bytes)>;

// What was read cannot be a search.
struct Damaged : std::runtime_error {
    using std::runtime_error::runtime_error;
};

inline void require_sound(bool sound, const char* what) {
    if (!sound) throw Damaged(what);
}

}  // namespace unbounded
