// SPDX-License-Identifier: MIT
#include "opponents/depth_first_table.h"

#include <cstring>

namespace unbounded::opponents {

DepthFirstTable::DepthFirstTable(std::size_t state_bytes, int row, std::uint64_t most_bytes,
                                 int hash_bits)
    : state_words((state_bytes + 7) / 8),
      row_(row),
      entry_words_(1 + state_words + row),
      most_bytes_(most_bytes),
      hash_mask_(hash_bits >= 64 ? UINT64_MAX : (std::uint64_t{1} << hash_bits) - 1) {
    grow();
}

bool DepthFirstTable::holds(const std::uint64_t* entry, const std::uint64_t* state,
                            std::uint8_t tag, std::uint64_t hash) const {
    About about;
    std::memcpy(&about, entry, sizeof about);
    return about.bound != none && about.check == check_of(hash) && about.tag == tag &&
           std::memcmp(entry + 1, state, state_words * sizeof *state) == 0;
}

bool DepthFirstTable::find(const std::uint64_t* state, std::uint8_t tag, std::uint64_t hash,
                           Known& out, Worth* row) const {
    if (entries_ == 0) return false;
    const std::uint64_t* entry = bucket(hash);
    for (std::uint64_t i = 0; i < bucket_entries; ++i, entry += entry_words_) {
        if (!holds(entry, state, tag, hash)) continue;
        About about;
        std::memcpy(&about, entry, sizeof about);
        out = {about.depth, about.index, about.bound};
        std::memcpy(row, entry + 1 + state_words, row_ * sizeof *row);
        return true;
    }
    return false;
}

// The entry of the state, or else the one of its bucket to evict: an entry of an earlier search, or
// the shallowest.
std::uint64_t* DepthFirstTable::place_for(const std::uint64_t* state, std::uint8_t tag,
                                          std::uint64_t hash) {
    std::uint64_t* entry = bucket(hash);
    std::uint64_t* victim = nullptr;
    std::uint32_t least = UINT32_MAX;
    for (std::uint64_t i = 0; i < bucket_entries; ++i, entry += entry_words_) {
        if (holds(entry, state, tag, hash)) return entry;
        About about;
        std::memcpy(&about, entry, sizeof about);
        std::uint32_t value = 0;
        if (about.bound != none)
            value = 1u + about.depth + (about.generation == generation_ ? 0x10000u : 0u);
        if (value >= least) continue;
        least = value;
        victim = entry;
    }
    used_ += least == 0;
    return victim;
}

void DepthFirstTable::store(const std::uint64_t* state, std::uint8_t tag, std::uint64_t hash,
                            const Known& known, const Worth* row) {
    if (may_grow_ && used_ > entries_ / 2) grow();
    if (entries_ == 0) return;
    std::uint64_t* const entry = place_for(state, tag, hash);
    const About about{known.depth, known.index, check_of(hash), generation_, known.bound, tag};
    std::memcpy(entry, &about, sizeof about);
    std::memcpy(entry + 1, state, state_words * sizeof *state);
    std::memcpy(entry + 1 + state_words, row, row_ * sizeof *row);
}

void DepthFirstTable::clear() {
    if (entries_ > 0) std::memset(words_, 0, bytes());
    used_ = 0;
}

// Doubles the table, unless there is no memory. The old and the new one coexist for a moment, so
// both have to fit.
void DepthFirstTable::grow() {
    const std::uint64_t old_entries = entries_;
    const std::uint64_t entries = old_entries == 0 ? first_entries : 2 * old_entries;
    const std::size_t size = entries * entry_words_ * sizeof *words_;
    may_grow_ = bytes() + size <= most_bytes_;
    if (!may_grow_) return;
    auto* const words = static_cast<std::uint64_t*>(memory_source.allocate(size));
    may_grow_ = words != nullptr;
    if (!may_grow_) return;
    prefer_big_pages(words, size);
    std::uint64_t* const old_words = words_;
    words_ = words;
    entries_ = entries;
    used_ = 0;
    const std::uint8_t now = generation_;
    for (std::uint64_t i = 0; i < old_entries; ++i) {
        const std::uint64_t* const entry = old_words + i * entry_words_;
        About about;
        std::memcpy(&about, entry, sizeof about);
        if (about.bound == none) continue;
        generation_ = about.generation;
        store(entry + 1, about.tag, hash(entry + 1, about.tag),
              {about.depth, about.index, about.bound},
              reinterpret_cast<const Worth*>(entry + 1 + state_words));
    }
    generation_ = now;
    memory_source.release(old_words);
}

}  // namespace unbounded::opponents
