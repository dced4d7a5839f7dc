// SPDX-License-Identifier: MIT
#include "proven_table.h"

#include <algorithm>
#include <bit>
#include <new>

namespace unbounded {

ProvenTable::ProvenTable(std::size_t state_bytes, bool narrow)
    : state_words((state_bytes + 7) / 8),
      narrow_(narrow),
      entry_words_(1 + state_words + (narrow ? 0 : 2)) {
    if (!allocate(first_entries)) throw std::bad_alloc();
}

bool ProvenTable::allocate(std::uint64_t entries) {
    constexpr std::size_t line = 64;
    void* memory = memory_source.allocate(entries * entry_words_ * sizeof(Word) + line);
    if (memory == nullptr) return false;
    memory_ = memory;
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    // Zeroed memory is an empty table: the first word of an entry that is in use is never 0.
    words_ = reinterpret_cast<Word*>((address + line - 1) / line * line);
    entries_ = entries;
    return true;
}

bool ProvenTable::holds(const Word* entry, const std::uint64_t* state) const {
    for (std::size_t i = 0; i < state_words; ++i)
        if (entry[1 + i].load(std::memory_order_acquire) != state[i]) return false;
    return true;
}

bool ProvenTable::read(const Word* entry, std::uint64_t about, Known& out) const {
    out.action = static_cast<std::uint16_t>(field(about, action_at, 16));
    if (narrow_) {
        out.bounds = {static_cast<Worth>(field(about, lo_at, 2)) - 1,
                      static_cast<Worth>(field(about, hi_at, 2)) - 1};
    } else {
        const Word* wide = entry + 1 + state_words;
        out.bounds = {static_cast<Worth>(wide[0].load(std::memory_order_acquire)),
                      static_cast<Worth>(wide[1].load(std::memory_order_acquire))};
    }
    return entry[0].load(std::memory_order_relaxed) == about;
}

bool ProvenTable::find(const std::uint64_t* state, std::uint64_t hash, Known& out) const {
    const Word* entry = bucket(hash);
    for (std::uint64_t i = 0; i < bucket_entries; ++i, entry += entry_words_) {
        const std::uint64_t about = entry[0].load(std::memory_order_acquire);
        if (about == 0 || (about & writing) || !holds(entry, state)) continue;
        if (read(entry, about, out)) return true;
    }
    return false;
}

void ProvenTable::store(const std::uint64_t* state, std::uint64_t hash, const Known& known,
                        std::uint64_t work) {
    // Its own entry if it has one, else an empty one, else the cheapest.
    Word* chosen = nullptr;
    std::uint64_t chosen_about = 0, chosen_work = UINT64_MAX;
    Word* entry = bucket(hash);
    for (std::uint64_t i = 0; i < bucket_entries; ++i, entry += entry_words_) {
        const std::uint64_t about = entry[0].load(std::memory_order_acquire);
        if (about & writing) continue;
        const bool own = about != 0 && holds(entry, state);
        const std::uint64_t cost = own ? 0 : field(about, work_at, 6);
        if (cost >= chosen_work && !own) continue;
        chosen = entry;
        chosen_about = about;
        chosen_work = cost;
        if (own) break;
    }
    // Another thread is at it: then this is not remembered.
    if (chosen == nullptr || !chosen[0].compare_exchange_strong(
                                 chosen_about, chosen_about | writing, std::memory_order_acquire))
        return;
    for (std::size_t i = 0; i < state_words; ++i)
        chosen[1 + i].store(state[i], std::memory_order_release);
    std::uint64_t about = ((chosen_about >> count_at) + 1) << count_at;
    about |= std::uint64_t{known.action} << action_at;
    about |= std::min<std::uint64_t>(std::bit_width(work) + 1, 63) << work_at;
    if (narrow_) {
        about |= static_cast<std::uint64_t>(known.bounds.lo + 1) << lo_at;
        about |= static_cast<std::uint64_t>(known.bounds.hi + 1) << hi_at;
    } else {
        Word* wide = chosen + 1 + state_words;
        wide[0].store(static_cast<std::uint64_t>(known.bounds.lo), std::memory_order_release);
        wide[1].store(static_cast<std::uint64_t>(known.bounds.hi), std::memory_order_release);
    }
    chosen[0].store(about, std::memory_order_release);
}

bool ProvenTable::grow(std::uint64_t memory) {
    const std::uint64_t entries = entries_ * 2;
    if (entries * entry_words_ * sizeof(Word) + bytes() > memory) return false;
    void* const old_memory = memory_;
    const Word* const old = words_;
    const std::uint64_t old_entries = entries_;
    if (!allocate(entries)) return false;
    std::vector<std::uint64_t> state(state_words);
    for (std::uint64_t i = 0; i < old_entries; ++i) {
        const Word* entry = old + i * entry_words_;
        const std::uint64_t about = entry[0].load(std::memory_order_relaxed);
        if (about == 0) continue;
        for (std::size_t k = 0; k < state_words; ++k)
            state[k] = entry[1 + k].load(std::memory_order_relaxed);
        Known known;
        read(entry, about, known);
        const std::uint64_t cost = field(about, work_at, 6) - 1;
        store(state.data(), hash(state.data()), known,
              cost == 0 ? 0 : std::uint64_t{1} << (cost - 1));
    }
    memory_source.release(old_memory);
    return true;
}

void ProvenTable::clear() { std::memset(static_cast<void*>(words_), 0, bytes()); }

}  // namespace unbounded
