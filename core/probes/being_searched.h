// SPDX-License-Identifier: MIT
// The states that are being searched just now, so that threads that probe the same leaf share the
// work: each begins with what no other has begun. Only hints: a mark that is overwritten or left
// behind changes the order of the work, and nothing else.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace unbounded {

class BeingSearched {
  public:
    bool has(std::uint64_t hash) const {
        return marks_[at(hash)].load(std::memory_order_relaxed) == hash;
    }
    void add(std::uint64_t hash) { marks_[at(hash)].store(hash, std::memory_order_relaxed); }
    void remove(std::uint64_t hash) {
        if (has(hash)) marks_[at(hash)].store(0, std::memory_order_relaxed);
    }

  private:
    static constexpr std::size_t count = 1 << 14;  // much more than the lines of all threads
    static std::size_t at(std::uint64_t hash) { return (hash >> 40) & (count - 1); }

    std::vector<std::atomic<std::uint64_t>> marks_ = std::vector<std::atomic<std::uint64_t>>(count);
};

}  // namespace unbounded
