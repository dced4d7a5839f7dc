// SPDX-License-Identifier: MIT
// Memory that grows without moving, counted, and obtained through one door that tests can shut.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>

namespace unbounded {

// The only way by which the graph gets memory. Zeroed; null when there is none.
struct MemorySource {
    void* (*allocate)(std::size_t bytes);
    void (*release)(void* memory);
};
extern MemorySource memory_source;

// An array of records of one size, decided at run time, that never move: it grows by segments, each
// twice as large as the one before. New records are zero.
class Records {
  public:
    explicit Records(std::size_t record_bytes) : record_bytes_(record_bytes) {}
    ~Records() {
        for (std::byte* segment : segments_)
            if (segment != nullptr) memory_source.release(segment);
    }
    Records(const Records&) = delete;
    Records& operator=(const Records&) = delete;

    std::byte* operator[](std::uint64_t index) const {
        const std::uint64_t shifted = index + first_segment;
        const int top = 63 - std::countl_zero(shifted);
        return segments_[top - first_segment_bits] +
               (shifted - (std::uint64_t{1} << top)) * record_bytes_;
    }

    // Makes room for `more` records, so that `append` cannot fail. False: no memory.
    bool reserve(std::uint64_t more) {
        while (capacity_ < size_ + more) {
            const std::uint64_t length = first_segment << used_segments_;
            void* memory = memory_source.allocate(length * record_bytes_);
            if (memory == nullptr) return false;
            segments_[used_segments_++] = static_cast<std::byte*>(memory);
            capacity_ += length;
        }
        return true;
    }
    std::uint64_t append(std::uint64_t count) {
        const std::uint64_t first = size_;
        size_ += count;
        return first;
    }

    std::uint64_t size() const { return size_; }
    std::size_t record_bytes() const { return record_bytes_; }
    // What has been written to; the unused rest of the last segment costs no memory yet.
    std::uint64_t bytes() const { return size_ * record_bytes_; }

  private:
    static constexpr int first_segment_bits = 6;
    static constexpr std::uint64_t first_segment = std::uint64_t{1} << first_segment_bits;

    std::size_t record_bytes_;
    std::array<std::byte*, 64 - first_segment_bits> segments_{};
    int used_segments_ = 0;
    std::uint64_t capacity_ = 0;
    std::uint64_t size_ = 0;
};

}  // namespace unbounded
