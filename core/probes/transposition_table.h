// SPDX-License-Identifier: MIT
// The transposition table of the probes: proven bounds or rows of states. All bytes of a state are
// compared, so an entry is never that of another state. The table grows; within a bucket, cheap
// entries are evicted first. Threads may read and write it at the same time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "graph/hashing.h"
#include "graph/memory.h"
#include "graph/worth.h"
#include "rules/compiler.h"

namespace unbounded {

class TranspositionTable {
  public:
    // `narrow`: bounds are small numbers, at most `most_narrow`, like outcomes, and share a word;
    // else they have their own. With `row` above 0 an entry holds `row` exact worths instead.
    TranspositionTable(std::size_t state_bytes, bool narrow, int row = 0);
    ~TranspositionTable() { memory_source.release(memory_); }
    TranspositionTable(const TranspositionTable&) = delete;
    TranspositionTable& operator=(const TranspositionTable&) = delete;

    struct Known {
        Bounds bounds;
        std::uint16_t action;  // the place of the best one among the state's actions
    };

    // States are given as `state_words` words, the last one filled up with zeros.
    const std::size_t state_words;
    std::uint64_t hash(const std::uint64_t* state) const {
        std::uint64_t hash = state_words;
        for (std::size_t i = 0; i < state_words; ++i) hash = mix(hash, state[i]);
        return hash;
    }
    // Most states that are looked up are not there, which the tags nearly always tell. They are
    // smaller than the entries by far, and more of them stay in the caches.
    void prefetch_tags(std::uint64_t hash) const { unbounded::prefetch(tags_ + place(hash)); }
    void prefetch_entries(std::uint64_t hash) const {
        constexpr std::size_t line_words = 8;
        const Word* const first = bucket(hash);
        unbounded::prefetch(first);
        if (bucket_entries * entry_words_ > line_words) unbounded::prefetch(first + line_words);
    }
    // The same if the tags say that the state may be there.
    void prefetch_found(std::uint64_t hash) const {
        const Tag* const first = tags_ + place(hash);
        const std::uint8_t wanted = tag(hash);
        bool found = false;
        for (std::uint64_t i = 0; i < bucket_entries; ++i)
            found |= first[i].load(std::memory_order_relaxed) == wanted;
        if (found) prefetch_entries(hash);
    }
    bool find(const std::uint64_t* state, std::uint64_t hash, Known& out) const;
    static constexpr Worth most_narrow = 511;
    // `work`: the cost of computing the entry; cheap entries are evicted first. What is known of
    // the state already stays known.
    void store(const std::uint64_t* state, std::uint64_t hash, const Known& known,
               std::uint64_t work, bool merge = true);
    void replace(const std::uint64_t* state, std::uint64_t hash, const Known& known,
                 std::uint64_t work) {
        store(state, hash, known, work, false);
    }

    // The same for a row of worths, or for less: that there is a row with at least this outcome for
    // the player who moves.
    enum class Row : std::uint8_t { unknown, mover_draws, mover_wins, exact };
    Row find_row(const std::uint64_t* state, std::uint64_t hash, Worth* row) const;
    void store_row(const std::uint64_t* state, std::uint64_t hash, const Worth* row,
                   std::uint64_t work);
    void store_mover_outcome(const std::uint64_t* state, std::uint64_t hash, int outcome,
                             std::uint64_t work);

    // Doubles the table. Not thread-safe. Returns false if it cannot grow within `memory` bytes.
    bool grow(std::uint64_t memory);
    // The same in steps. Other threads may use the table between the first and the last step; what
    // they write may be lost.
    bool begin_to_grow(std::uint64_t memory);  // or continues if it has begun
    bool move_some();                          // returns false when all is moved
    void finish_growing();                     // not thread-safe
    static constexpr std::uint64_t moved_at_once = 1 << 14;
    // Whether the table is too small for a search that has done `work`.
    bool small_for(std::uint64_t work) const { return work > entries_; }
    std::uint64_t bytes() const { return own_bytes() + (bigger_ ? bigger_->own_bytes() : 0); }
    void clear();

    std::uint64_t entries() const { return entries_; }
    std::size_t entry_words() const { return entry_words_; }
    // Whether a table can have this number of entries.
    static bool can_have(std::uint64_t entries) {
        return entries >= first_entries && (entries & (entries - 1)) == 0 && entries >> 40 == 0;
    }
    // Calls `use` with copies of all entries, a block at a time. Other threads may use the table
    // meanwhile: an entry that is being written is copied as an empty one.
    void copy_out(const std::function<void(const void*, std::size_t)>& use) const;
    // Resizes the table to `entries`, which `fill` writes. Returns false if there is no memory.
    bool read_in(std::uint64_t entries, const std::function<void(void*, std::size_t)>& fill);
    // Whether every entry is in its bucket and has possible contents.
    // `all`: what bounds lie within.
    bool sound(Bounds all) const;
    // The tables must be of the same kind.
    void swap(TranspositionTable& other);

  private:
    TranspositionTable(std::size_t state_bytes, bool narrow, int row, std::uint64_t entries);

    using Word = std::atomic<std::uint64_t>;
    static_assert(sizeof(Word) == 8 && Word::is_always_lock_free);
    static constexpr std::uint64_t bucket_entries = 2;
    static constexpr std::uint64_t first_entries = 1 << 12;

    // An entry: a word about it, the words of the state, and wide bounds. The first word has a bit
    // that means "being written" and a count of writes; a reader that finds both unchanged after
    // reading has read one entry, not parts of two.
    static constexpr std::uint64_t writing = 1;
    static constexpr int bound_bits = 10;
    static constexpr int lo_at = 1, hi_at = 11, work_at = 21, action_at = 27, count_at = 43;
    static constexpr int row_at = lo_at;  // in a table of rows
    static std::uint64_t field(std::uint64_t about, int at, int bits) {
        return (about >> at) & ((std::uint64_t{1} << bits) - 1);
    }

    // Beside the entries there is a tag for each, some bits of the hash of its state; 0: no state.
    // A tag that is about another entry than the one beside it, as while it is being written, makes
    // that one hard to find, and nothing else: the state is always compared.
    using Tag = std::atomic<std::uint8_t>;
    static_assert(sizeof(Tag) == 1 && Tag::is_always_lock_free);
    static std::uint8_t tag(std::uint64_t hash) {
        constexpr int tag_at = 56;
        return static_cast<std::uint8_t>(hash >> tag_at | 1);
    }

    // The first entry of the bucket of a state.
    std::uint64_t place(std::uint64_t hash) const {
        return (hash & (entries_ / bucket_entries - 1)) * bucket_entries;
    }
    Word* bucket(std::uint64_t hash) const { return words_ + place(hash) * entry_words_; }
    bool allocate(std::uint64_t entries);
    std::uint64_t entries_bytes() const { return entries_ * entry_words_ * sizeof(Word); }
    std::uint64_t own_bytes() const { return entries_bytes() + entries_ * sizeof(Tag); }
    void write_tags();
    void move_in(const Word* entry);  // from a smaller table
    // Calls `read` with the entry of a state; returns whether it was there and did not change.
    template <class Read>
    bool find_entry(const std::uint64_t* state, std::uint64_t hash, const Read& read) const;
    // Claims an entry and writes the state; to be followed by `release`. Returns null if another
    // thread is writing it. `own`: whether it is the entry that the state had.
    Word* claim(const std::uint64_t* state, std::uint64_t hash, std::uint64_t& about, bool& own);
    static void release(Word* entry, std::uint64_t about, std::uint64_t facts, std::uint64_t work);
    bool holds(const Word* entry, const std::uint64_t* state) const;
    void read(const Word* entry, std::uint64_t about, Known& out) const;

    const bool narrow_;
    const int row_;
    const std::size_t entry_words_;
    void* memory_ = nullptr;
    Word* words_ = nullptr;
    Tag* tags_ = nullptr;
    std::uint64_t entries_ = 0;
    std::unique_ptr<TranspositionTable> bigger_;  // while the table grows
    std::uint64_t moved_ = 0;                     // entries moved to it so far
    std::vector<std::uint64_t> state_;            // the state being moved
};

}  // namespace unbounded
