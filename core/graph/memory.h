// SPDX-License-Identifier: MIT
// Memory that grows without moving, counted, from one source that tests can make fail.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "graph/atomic_access.h"

namespace unbounded {

// The only way by which the graph gets memory. Zeroed; null when there is none.
struct MemorySource {
    void* (*allocate)(std::size_t bytes);
    void (*release)(void* memory);
};
extern MemorySource memory_source;

// Requests huge pages for a table with random access, where TLB misses cost more than the reads.
// A hint, and only on Linux.
void prefer_big_pages(void* memory, std::size_t bytes);

// What different threads write, or one writes and others read often, lies this far apart.
constexpr std::size_t cache_line = 64;

// An array of records of one size, decided at run time, that never move: it grows by chunks. New
// records are zero. A run of records that is reserved together lies in one chunk, so that a pointer
// to its first record reaches the others.
class Records {
  public:
    explicit Records(std::size_t record_bytes) : record_bytes_(record_bytes) {}
    ~Records() {
        for (std::byte* chunk : chunks_) memory_source.release(chunk);
    }
    Records(const Records&) = delete;
    Records& operator=(const Records&) = delete;

    // For records whose size is known where this is called, it is known to the compiler too.
    std::byte* at(std::uint64_t index, std::size_t record_bytes) const {
        // By the address alone: another thread may be adding a chunk.
        return chunks_.data()[index >> chunk_bits] + (index & (chunk_length - 1)) * record_bytes;
    }
    std::byte* operator[](std::uint64_t index) const { return at(index, record_bytes_); }

    // Makes room for `more` records, so that `append` cannot fail. Returns false if there is no
    // memory.
    bool reserve(std::uint64_t more) {
        while (chunks_.size() * chunk_length < size() + more) {
            if (!make_room_in_directory()) return false;
            void* memory = memory_source.allocate(chunk_length * record_bytes_);
            if (memory == nullptr) return false;
            chunks_.push_back(static_cast<std::byte*>(memory));
        }
        return true;
    }
    // The same for records that must lie together; at most a chunk of them.
    bool reserve_run(std::uint64_t length) {
        const std::uint64_t left = chunk_length - (size_ & (chunk_length - 1));
        const std::uint64_t skipped = length > left ? left : 0;
        if (!reserve(skipped + length)) return false;
        size_ += skipped;
        return true;
    }
    std::uint64_t append(std::uint64_t count) {
        const std::uint64_t first = size_;
        store_relaxed(size_, first + count);  // others may ask for the size
        return first;
    }
    // Takes back the records from `size` on, which are zero.
    void take_back(std::uint64_t size) { size_ = size; }

    // Makes room for the addresses of all chunks there can be, so that `reserve` moves none of them
    // while other threads read them. Returns false if there is no memory.
    bool reserve_directory() try {
        constexpr std::uint64_t most_records = std::uint64_t{1} << 32;
        chunks_.reserve(most_records / chunk_length);
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }

    // Removes the records from `size` on, and releases their memory.
    void shrink(std::uint64_t size) {
        const std::uint64_t kept = (size + chunk_length - 1) >> chunk_bits;
        while (chunks_.size() > kept) {
            memory_source.release(chunks_.back());
            chunks_.pop_back();
        }
        size_ = size;
        const std::uint64_t in_last = size & (chunk_length - 1);
        if (in_last != 0)  // new records are zero
            std::memset(chunks_.back() + in_last * record_bytes_, 0,
                        (chunk_length - in_last) * record_bytes_);
    }

    // Removes all records, and keeps the memory of one chunk: for what is filled again and again.
    void clear() {
        pieces([](std::byte* chunk, std::size_t bytes) { std::memset(chunk, 0, bytes); });
        while (chunks_.size() > 1) {
            memory_source.release(chunks_.back());
            chunks_.pop_back();
        }
        size_ = 0;
    }

    // Gives all records to `use`, a stretch of memory at a time.
    template <class Use>
    void pieces(const Use& use) const {
        for (std::uint64_t first = 0; first < size_; first += chunk_length)
            use(chunks_[first >> chunk_bits],
                std::min(chunk_length, size_ - first) * record_bytes_);
    }
    // Their records must have the same size.
    void swap(Records& other) {
        chunks_.swap(other.chunks_);
        std::swap(size_, other.size_);
    }

    std::uint64_t size() const { return load_relaxed(size_); }
    std::size_t record_bytes() const { return record_bytes_; }
    // What has been written to; the unused rest of the last chunk costs no memory yet.
    std::uint64_t bytes() const { return size() * record_bytes_; }

    static constexpr int chunk_bits = 16;
    static constexpr std::uint64_t chunk_length = std::uint64_t{1} << chunk_bits;

  private:
    bool make_room_in_directory() try {
        if (chunks_.size() == chunks_.capacity()) chunks_.reserve(2 * chunks_.size() + 8);
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }

    std::size_t record_bytes_;
    std::vector<std::byte*> chunks_;
    // Away from the addresses, which every access reads: one thread may append while others read.
    alignas(cache_line) std::uint64_t size_ = 0;
};

}  // namespace unbounded
