// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "checking/claims.h"

namespace unbounded::checking {

// What is known of a state that later lines may use. Its state and its worths lie behind it.
struct Held {
    std::uint32_t uses;
    std::uint32_t used : 1;  // by the line that is being checked
    // Of an equilibrium: the last row begins with the least worth of the mover, and has no other.
    std::uint32_t has_least : 1;
    std::uint32_t rows : 30;
};

// The states that are known, compared by all their bytes. States are words, the last one filled up
// with zeros; a row is the worths of one claim.
class HeldStates {
  public:
    HeldStates(std::size_t state_words, std::size_t row_width);

    Held* find(const std::uint64_t* state) const;
    // Adds a state that is not there yet; its rows are to be written.
    Held& add(const std::uint64_t* state, std::uint32_t uses, std::size_t rows);
    void forget(Held& held);
    std::size_t size() const { return size_; }

    const std::uint64_t* state(const Held& held) const {
        return reinterpret_cast<const std::uint64_t*>(&held + 1);
    }
    Worth* worths(Held& held) const {
        return reinterpret_cast<Worth*>(reinterpret_cast<std::byte*>(&held + 1) + state_bytes_);
    }
    const Worth* worths(const Held& held) const { return worths(const_cast<Held&>(held)); }

  private:
    struct Entry {
        Held* held = nullptr;
        std::uint64_t hash = 0;
    };

    std::uint64_t hash(const std::uint64_t* state) const;
    std::size_t place_of(const Entry& entry) const { return entry.hash & (table_.size() - 1); }
    void insert(const Entry& entry);
    void remove(std::size_t place);
    std::size_t bytes_of(std::size_t rows) const;
    std::byte* allocate(std::size_t bytes);
    void release(std::byte* memory, std::size_t bytes);

    const std::size_t state_words_, state_bytes_, row_width_;
    std::uint64_t keys_[2];  // random, so that nobody can write states that have the same hash
    std::vector<Entry> table_;
    std::size_t size_ = 0;

    std::vector<std::unique_ptr<std::byte[]>> chunks_;
    std::byte* unused_ = nullptr;  // of the last chunk
    std::size_t unused_bytes_ = 0;
    std::vector<std::byte*> released_;  // by size in words: the first of a linked list
};

}  // namespace unbounded::checking
