// SPDX-License-Identifier: MIT
#include "probes/transposition_table.h"

#include <algorithm>
#include <bit>
#include <new>

namespace unbounded {

TranspositionTable::TranspositionTable(std::size_t state_bytes, bool narrow, int row)
    : TranspositionTable(state_bytes, narrow, row, first_entries) {}

TranspositionTable::TranspositionTable(std::size_t state_bytes, bool narrow, int row,
                                       std::uint64_t entries)
    : state_words((state_bytes + 7) / 8),
      narrow_(narrow),
      row_(row),
      entry_words_(1 + state_words +
                   (row > 0  ? row
                    : narrow ? 0
                             : 2)) {
    if (!allocate(entries)) throw std::bad_alloc();
}

bool TranspositionTable::allocate(std::uint64_t entries) {
    constexpr std::size_t line = 64;
    const std::uint64_t bytes = entries * (entry_words_ * sizeof(Word) + sizeof(Tag));
    void* memory = memory_source.allocate(bytes + line);
    if (memory == nullptr) return false;
    prefer_big_pages(memory, bytes);
    memory_ = memory;
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    // Zeroed memory is an empty table: the first word of an entry that is in use is never 0.
    words_ = reinterpret_cast<Word*>((address + line - 1) / line * line);
    entries_ = entries;
    tags_ = reinterpret_cast<Tag*>(words_ + entries * entry_words_);
    return true;
}

bool TranspositionTable::holds(const Word* entry, const std::uint64_t* state) const {
    std::uint64_t different = 0;  // one branch in all: with the tags, it is nearly always the state
    for (std::size_t i = 0; i < state_words; ++i)
        different |= entry[1 + i].load(std::memory_order_acquire) ^ state[i];
    return different == 0;
}

void TranspositionTable::read(const Word* entry, std::uint64_t about, Known& out) const {
    out.action = static_cast<std::uint16_t>(field(about, action_at, 16));
    if (narrow_) {
        out.bounds = {static_cast<Worth>(field(about, lo_at, bound_bits)) - most_narrow,
                      static_cast<Worth>(field(about, hi_at, bound_bits)) - most_narrow};
    } else {
        const Word* wide = entry + 1 + state_words;
        out.bounds = {static_cast<Worth>(wide[0].load(std::memory_order_acquire)),
                      static_cast<Worth>(wide[1].load(std::memory_order_acquire))};
    }
}

template <class Read>
bool TranspositionTable::find_entry(const std::uint64_t* state, std::uint64_t hash,
                                    const Read& read) const {
    const Tag* const tags = tags_ + place(hash);
    const Word* entry = bucket(hash);
    for (std::uint64_t i = 0; i < bucket_entries; ++i, entry += entry_words_) {
        if (tags[i].load(std::memory_order_relaxed) != tag(hash)) continue;
        const std::uint64_t about = entry[0].load(std::memory_order_acquire);
        if (about == 0 || (about & writing) || !holds(entry, state)) continue;
        read(entry, about);
        if (entry[0].load(std::memory_order_relaxed) == about) return true;
    }
    return false;
}

bool TranspositionTable::find(const std::uint64_t* state, std::uint64_t hash, Known& out) const {
    return find_entry(state, hash,
                      [&](const Word* entry, std::uint64_t about) { read(entry, about, out); });
}

TranspositionTable::Row TranspositionTable::find_row(const std::uint64_t* state, std::uint64_t hash,
                                                     Worth* row) const {
    Row found = Row::unknown;
    const bool unchanged = find_entry(state, hash, [&](const Word* entry, std::uint64_t about) {
        found = static_cast<Row>(field(about, row_at, 2));
        if (found != Row::exact) return;
        for (int i = 0; i < row_; ++i)
            row[i] = static_cast<Worth>(entry[1 + state_words + i].load(std::memory_order_acquire));
    });
    return unchanged ? found : Row::unknown;
}

TranspositionTable::Word* TranspositionTable::claim(const std::uint64_t* state, std::uint64_t hash,
                                                    std::uint64_t& about, bool& own) {
    // Its own entry if it has one, else an empty one, else the cheapest.
    own = false;
    Word* chosen = nullptr;
    std::uint64_t chosen_work = UINT64_MAX;
    Word* entry = bucket(hash);
    for (std::uint64_t i = 0; i < bucket_entries; ++i, entry += entry_words_) {
        const std::uint64_t first = entry[0].load(std::memory_order_acquire);
        if (first & writing) continue;
        own = first != 0 && holds(entry, state);
        const std::uint64_t work = own ? 0 : field(first, work_at, 6);
        if (work >= chosen_work && !own) continue;
        chosen = entry;
        about = first;
        chosen_work = work;
        if (own) break;
    }
    if (chosen == nullptr ||
        !chosen[0].compare_exchange_strong(about, about | writing, std::memory_order_acquire))
        return nullptr;
    for (std::size_t i = 0; i < state_words; ++i)
        chosen[1 + i].store(state[i], std::memory_order_release);
    tags_[static_cast<std::uint64_t>(chosen - words_) / entry_words_].store(
        tag(hash), std::memory_order_relaxed);
    return chosen;
}

void TranspositionTable::release(Word* entry, std::uint64_t about, std::uint64_t facts,
                                 std::uint64_t work) {
    about = ((about >> count_at) + 1) << count_at;
    about |= std::min<std::uint64_t>(std::bit_width(work) + 1, 63) << work_at;
    entry[0].store(about | facts, std::memory_order_release);
}

void TranspositionTable::store(const std::uint64_t* state, std::uint64_t hash, const Known& known,
                               std::uint64_t work, bool merge) {
    std::uint64_t about;
    bool own;
    Word* const entry = claim(state, hash, about, own);
    if (entry == nullptr) return;
    Bounds bounds = known.bounds;
    if (own && merge) {
        Known before;
        read(entry, about, before);
        const Bounds both = bounds.meet(before.bounds);
        if (both.lo <= both.hi) bounds = both;
    }
    std::uint64_t facts = std::uint64_t{known.action} << action_at;
    if (narrow_) {
        facts |= static_cast<std::uint64_t>(bounds.lo + most_narrow) << lo_at;
        facts |= static_cast<std::uint64_t>(bounds.hi + most_narrow) << hi_at;
    } else {
        Word* const wide = entry + 1 + state_words;
        wide[0].store(static_cast<std::uint64_t>(bounds.lo), std::memory_order_release);
        wide[1].store(static_cast<std::uint64_t>(bounds.hi), std::memory_order_release);
    }
    release(entry, about, facts, work);
}

void TranspositionTable::store_row(const std::uint64_t* state, std::uint64_t hash, const Worth* row,
                                   std::uint64_t work) {
    std::uint64_t about;
    bool own;
    Word* const entry = claim(state, hash, about, own);
    if (entry == nullptr) return;
    for (int i = 0; i < row_; ++i)
        entry[1 + state_words + i].store(static_cast<std::uint64_t>(row[i]),
                                         std::memory_order_release);
    release(entry, about, static_cast<std::uint64_t>(Row::exact) << row_at, work);
}

void TranspositionTable::store_mover_outcome(const std::uint64_t* state, std::uint64_t hash,
                                             int outcome, std::uint64_t work) {
    std::uint64_t about;
    bool own;
    Word* const entry = claim(state, hash, about, own);
    if (entry == nullptr) return;
    const Row row = outcome > 0 ? Row::mover_wins : Row::mover_draws;
    for (int i = 0; i < row_; ++i) entry[1 + state_words + i].store(0, std::memory_order_release);
    release(entry, about, static_cast<std::uint64_t>(row) << row_at, work);
}

bool TranspositionTable::grow(std::uint64_t memory) {
    if (!begin_to_grow(memory)) return false;
    while (move_some()) {
    }
    finish_growing();
    return true;
}

bool TranspositionTable::begin_to_grow(std::uint64_t memory) try {
    if (bigger_) return true;
    if (3 * own_bytes() > memory) return false;
    bigger_.reset(new TranspositionTable(8 * state_words, narrow_, row_, 2 * entries_));
    moved_ = 0;
    return true;
} catch (const std::bad_alloc&) {
    return false;
}

// An entry stays in its place or goes half a table farther: memory is touched bit by bit as well.
bool TranspositionTable::move_some() {
    const std::uint64_t end = std::min(entries_, moved_ + moved_at_once);
    for (; moved_ < end; ++moved_) bigger_->move_in(words_ + moved_ * entry_words_);
    return moved_ < entries_;
}

void TranspositionTable::finish_growing() {
    const std::unique_ptr<TranspositionTable> bigger = std::move(bigger_);
    swap(*bigger);
}

void TranspositionTable::move_in(const Word* entry) {
    const std::uint64_t first = entry[0].load(std::memory_order_relaxed);
    if (first == 0) return;
    state_.resize(state_words);
    for (std::size_t k = 0; k < state_words; ++k)
        state_[k] = entry[1 + k].load(std::memory_order_relaxed);
    std::uint64_t about;
    bool own;
    Word* const moved = claim(state_.data(), hash(state_.data()), about, own);
    for (std::size_t k = 1 + state_words; k < entry_words_; ++k)
        moved[k].store(entry[k].load(std::memory_order_relaxed), std::memory_order_relaxed);
    moved[0].store(first, std::memory_order_release);
}

void TranspositionTable::copy_out(const std::function<void(const void*, std::size_t)>& use) const {
    constexpr std::uint64_t entries_at_once = 1 << 12;
    std::vector<std::uint64_t> block(entries_at_once * entry_words_);
    for (std::uint64_t first = 0; first < entries_; first += entries_at_once) {
        const std::uint64_t count = std::min(entries_at_once, entries_ - first);
        for (std::uint64_t i = 0; i < count; ++i) {
            const Word* const entry = words_ + (first + i) * entry_words_;
            std::uint64_t* const out = block.data() + i * entry_words_;
            for (std::size_t k = 0; k < entry_words_; ++k)
                out[k] = entry[k].load(std::memory_order_acquire);
            const bool steady =
                (out[0] & writing) == 0 && entry[0].load(std::memory_order_relaxed) == out[0];
            if (!steady || out[0] == 0) std::fill(out, out + entry_words_, 0);
        }
        use(block.data(), count * entry_words_ * sizeof(Word));
    }
}

bool TranspositionTable::read_in(std::uint64_t entries,
                                 const std::function<void(void*, std::size_t)>& fill) {
    void* const old_memory = memory_;
    if (!allocate(entries)) return false;
    memory_source.release(old_memory);
    bigger_.reset();
    constexpr std::uint64_t entries_at_once = 1 << 16;
    for (std::uint64_t first = 0; first < entries; first += entries_at_once)
        fill(words_ + first * entry_words_,
             std::min(entries_at_once, entries - first) * entry_words_ * sizeof(Word));
    write_tags();
    return true;
}

void TranspositionTable::write_tags() {
    state_.resize(state_words);
    for (std::uint64_t i = 0; i < entries_; ++i) {
        const Word* const entry = words_ + i * entry_words_;
        if (entry[0].load(std::memory_order_relaxed) == 0) continue;
        for (std::size_t k = 0; k < state_words; ++k)
            state_[k] = entry[1 + k].load(std::memory_order_relaxed);
        tags_[i].store(tag(hash(state_.data())), std::memory_order_relaxed);
    }
}

bool TranspositionTable::sound(Bounds all) const {
    std::vector<std::uint64_t> state(state_words);
    for (std::uint64_t i = 0; i < entries_; ++i) {
        const Word* const entry = words_ + i * entry_words_;
        const std::uint64_t about = entry[0].load(std::memory_order_relaxed);
        if (about == 0) continue;
        if (about & writing) return false;
        for (std::size_t k = 0; k < state_words; ++k)
            state[k] = entry[1 + k].load(std::memory_order_relaxed);
        if (bucket(hash(state.data())) !=
            words_ + i / bucket_entries * bucket_entries * entry_words_)
            return false;
        const Word* const row = entry + 1 + state_words;
        if (row_ > 0 && static_cast<Row>(field(about, row_at, 2)) == Row::unknown) return false;
        for (int p = 0; p < row_; ++p)
            if (!is_worth(static_cast<Worth>(row[p].load(std::memory_order_relaxed)))) return false;
        if (row_ > 0) continue;
        Known known;
        read(entry, about, known);
        const Bounds bounds = known.bounds;
        if (bounds.lo < all.lo || bounds.lo > bounds.hi || bounds.hi > all.hi) return false;
    }
    return true;
}

void TranspositionTable::swap(TranspositionTable& other) {
    std::swap(memory_, other.memory_);
    std::swap(words_, other.words_);
    std::swap(tags_, other.tags_);
    std::swap(entries_, other.entries_);
    bigger_.reset();
    other.bigger_.reset();
}

void TranspositionTable::clear() {
    bigger_.reset();
    std::memset(static_cast<void*>(words_), 0, own_bytes());
}

}  // namespace unbounded
