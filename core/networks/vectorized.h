// SPDX-License-Identifier: MIT
// Inner loops that are compiled twice: for any processor, and for x86-64 with AVX2 and FMA.
#pragma once

#include "rules/compiler.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define UNBOUNDED_HAS_AVX2_BUILD 1
#define UNBOUNDED_AVX2 __attribute__((target("avx2,fma")))
#else
#define UNBOUNDED_HAS_AVX2_BUILD 0
#define UNBOUNDED_AVX2
#endif

namespace unbounded {

inline bool processor_has_avx2() {
#if UNBOUNDED_HAS_AVX2_BUILD
    static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return has;
#else
    return false;
#endif
}

}  // namespace unbounded
