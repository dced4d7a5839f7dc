// SPDX-License-Identifier: MIT
// The transposition table of the depth-first opponents. All bytes of a state are compared, so an
// entry is never that of another state; old and shallow entries are evicted first.
#pragma once

#include <cstddef>
#include <cstdint>

#include "graph/hashing.h"
#include "graph/memory.h"
#include "graph/worth.h"

namespace unbounded::opponents {

class DepthFirstTable {
  public:
    enum Bound : std::uint8_t { none = 0, lower = 1, upper = 2, exact = 3 };
    static constexpr std::uint16_t no_index = 0xffff;
    // The depth of a search that met only ends of the game: a deeper one finds the same.
    static constexpr std::uint16_t complete = 0xffff;

    struct Known {
        std::uint16_t depth = 0;
        std::uint16_t index = no_index;  // of the best action
        Bound bound = none;
    };

    // `row`: how many worths belong to a state; `hash_bits`: fewer than 64 only in tests.
    DepthFirstTable(std::size_t state_bytes, int row, std::uint64_t most_bytes, int hash_bits = 64);
    ~DepthFirstTable() { memory_source.release(words_); }
    DepthFirstTable(const DepthFirstTable&) = delete;
    DepthFirstTable& operator=(const DepthFirstTable&) = delete;

    const std::size_t state_words;
    // States are given as `state_words` words, the last one padded with zeros. A state may have
    // several entries, under tags below 64.
    std::uint64_t hash(const std::uint64_t* state, std::uint8_t tag) const {
        std::uint64_t hash = tag;
        for (std::size_t i = 0; i < state_words; ++i) hash = mix(hash, state[i]);
        return hash & hash_mask_;
    }
    bool find(const std::uint64_t* state, std::uint8_t tag, std::uint64_t hash, Known& out,
              Worth* row) const;
    void store(const std::uint64_t* state, std::uint8_t tag, std::uint64_t hash, const Known& known,
               const Worth* row);

    // From now on, what was stored before is old.
    void begin_search() { ++generation_; }
    void clear();
    std::uint64_t bytes() const { return entries_ * entry_words_ * sizeof(std::uint64_t); }

  private:
    static constexpr std::uint64_t bucket_entries = 4;
    static constexpr std::uint64_t first_entries = 1 << 12;

    // The first word of an entry; then come the words of the state, and the row.
    struct About {
        std::uint16_t depth;
        std::uint16_t index;
        std::uint16_t check;  // bits of the hash that do not select the bucket
        std::uint8_t generation;
        Bound bound : 2;
        std::uint8_t tag : 6;
    };
    static_assert(sizeof(About) == sizeof(std::uint64_t));

    static std::uint16_t check_of(std::uint64_t hash) {
        return static_cast<std::uint16_t>(hash >> 48);
    }
    std::uint64_t* bucket(std::uint64_t hash) const {
        return words_ + (hash & (entries_ / bucket_entries - 1)) * bucket_entries * entry_words_;
    }
    bool holds(const std::uint64_t* entry, const std::uint64_t* state, std::uint8_t tag,
               std::uint64_t hash) const;
    std::uint64_t* place_for(const std::uint64_t* state, std::uint8_t tag, std::uint64_t hash);
    void grow();

    const std::size_t row_;
    const std::size_t entry_words_;
    const std::uint64_t most_bytes_;
    const std::uint64_t hash_mask_;
    std::uint64_t* words_ = nullptr;
    std::uint64_t entries_ = 0;
    std::uint64_t used_ = 0;
    bool may_grow_ = true;
    std::uint8_t generation_ = 0;
};

}  // namespace unbounded::opponents
