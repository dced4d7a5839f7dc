// SPDX-License-Identifier: MIT
#include "checking/held_states.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <random>

#include "rules/compiler.h"

namespace unbounded::checking {

namespace {

constexpr std::size_t word = sizeof(std::uint64_t), chunk_bytes = 1 << 20, first_table = 1 << 10;
static_assert(sizeof(Held) == word && sizeof(Worth) == word && alignof(Worth) <= word);

std::uint64_t random_key() {
    std::random_device device;
    return (static_cast<std::uint64_t>(device()) << 32 | device()) | 1;
}

}  // namespace

HeldStates::HeldStates(std::size_t state_words, std::size_t row_width)
    : state_words_(state_words),
      state_bytes_(state_words * word),
      row_width_(row_width),
      keys_{random_key(), random_key()},
      table_(first_table) {}

std::uint64_t HeldStates::hash(const std::uint64_t* state) const {
    std::uint64_t hash = keys_[0];
    for (std::size_t i = 0; i < state_words_; ++i) hash = folded_product(hash ^ state[i], keys_[1]);
    return hash;
}

Held* HeldStates::find(const std::uint64_t* state) const {
    const Entry wanted{nullptr, hash(state)};
    for (std::size_t place = place_of(wanted);; place = (place + 1) & (table_.size() - 1)) {
        const Entry& entry = table_[place];
        if (entry.held == nullptr) return nullptr;
        if (entry.hash == wanted.hash &&
            std::memcmp(this->state(*entry.held), state, state_bytes_) == 0)
            return entry.held;
    }
}

Held& HeldStates::add(const std::uint64_t* state, std::uint32_t uses, std::size_t rows) {
    if (4 * (size_ + 1) > 3 * table_.size()) {
        std::vector<Entry> old(2 * table_.size());
        old.swap(table_);
        for (const Entry& entry : old)
            if (entry.held != nullptr) insert(entry);
    }
    std::byte* const memory = allocate(bytes_of(rows));
    Held& held = *new (memory) Held{uses, 0, 0, static_cast<std::uint32_t>(rows)};
    std::memcpy(memory + sizeof(Held), state, state_bytes_);
    std::uninitialized_value_construct_n(worths(held), rows * row_width_);
    insert({&held, hash(state)});
    ++size_;
    return held;
}

void HeldStates::forget(Held& held) {
    const Entry wanted{&held, hash(state(held))};
    std::size_t place = place_of(wanted);
    while (table_[place].held != &held) place = (place + 1) & (table_.size() - 1);
    remove(place);
    --size_;
    release(reinterpret_cast<std::byte*>(&held), bytes_of(held.rows));
}

void HeldStates::insert(const Entry& entry) {
    std::size_t place = place_of(entry);
    while (table_[place].held != nullptr) place = (place + 1) & (table_.size() - 1);
    table_[place] = entry;
}

// Closes the gap: an entry moves into it unless that would be before the place where it belongs.
void HeldStates::remove(std::size_t gap) {
    const std::size_t mask = table_.size() - 1;
    for (std::size_t place = (gap + 1) & mask; table_[place].held != nullptr;
         place = (place + 1) & mask) {
        const std::size_t home = place_of(table_[place]);
        if (((place - home) & mask) < ((place - gap) & mask)) continue;
        table_[gap] = table_[place];
        gap = place;
    }
    table_[gap] = {};
}

std::size_t HeldStates::bytes_of(std::size_t rows) const {
    return sizeof(Held) + state_bytes_ + rows * row_width_ * sizeof(Worth);
}

std::byte* HeldStates::allocate(std::size_t bytes) {
    if (bytes / word < released_.size() && released_[bytes / word] != nullptr) {
        std::byte* const memory = released_[bytes / word];
        std::memcpy(&released_[bytes / word], memory, sizeof(std::byte*));
        return memory;
    }
    if (bytes > unused_bytes_) {
        unused_bytes_ = std::max(bytes, chunk_bytes);
        chunks_.push_back(std::unique_ptr<std::byte[]>(new std::byte[unused_bytes_]));
        unused_ = chunks_.back().get();
    }
    std::byte* const memory = unused_;
    unused_ += bytes;
    unused_bytes_ -= bytes;
    return memory;
}

void HeldStates::release(std::byte* memory, std::size_t bytes) {
    if (bytes / word >= released_.size()) released_.resize(bytes / word + 1);
    std::memcpy(memory, &released_[bytes / word], sizeof(std::byte*));
    released_[bytes / word] = memory;
}

}  // namespace unbounded::checking
