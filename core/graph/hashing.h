// SPDX-License-Identifier: MIT
// Mixing the bytes of a state into 64 bits. Equality is never decided by these bits alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "rules/compiler.h"

namespace unbounded {

inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    return folded_product(a ^ 0x9e3779b97f4a7c15u, b ^ 0xd6e8feb86659fd93u);
}

inline std::uint64_t hash_bytes(const std::byte* data, std::size_t size, std::uint64_t seed = 0) {
    std::uint64_t hash = seed ^ size;
    while (size >= 8) {
        std::uint64_t word;
        std::memcpy(&word, data, 8);
        hash = mix(hash, word);
        data += 8;
        size -= 8;
    }
    std::uint64_t tail = 0;
    std::memcpy(&tail, data, size);
    return mix(mix(hash, tail), 0x2545f4914f6cdd1du);
}

// A small generator of random numbers: a counter, mixed.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15u;
        return mix(state_, 0x8cb92ba72f3d8dd7u);
    }
    // A number below `bound`, every one equally likely to within 2^-32.
    std::uint32_t below(std::uint32_t bound) {
        return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
    }

  private:
    std::uint64_t state_;
};

}  // namespace unbounded
