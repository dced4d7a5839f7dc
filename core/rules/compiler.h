// SPDX-License-Identifier: MIT
// What compilers have different words for.
#pragma once

#include <cstdint>

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

// For a function that is to be compiled into each of its callers, with their instructions.
#if defined(_MSC_VER) && !defined(__clang__)
#define UNBOUNDED_INLINE __forceinline
#else
#define UNBOUNDED_INLINE inline __attribute__((always_inline))
#endif

namespace unbounded {

// The two halves of the 128 bits of a product, combined.
inline std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
#if defined(__SIZEOF_INT128__)
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#else
    return (a * b) ^ __umulh(a, b);
#endif
}

// Asks for memory that is read soon; where that cannot be said, it is only read later.
inline void prefetch([[maybe_unused]] const void* memory) {
#if defined(__GNUC__) || defined(__clang__)
    __builtin_prefetch(memory);
#elif defined(_M_X64)
    _mm_prefetch(static_cast<const char*>(memory), _MM_HINT_T0);
#endif
}

}  // namespace unbounded
