// SPDX-License-Identifier: MIT
#include "networks/dense_kernels.h"

#include <cstring>

#include "networks/vectorized.h"

namespace unbounded {

namespace {

constexpr std::size_t wide = 8;
#if defined(__GNUC__) || defined(__clang__)
typedef float Eight __attribute__((vector_size(32)));
#else
struct Eight {
    float items[wide];
    float operator[](std::size_t i) const { return items[i]; }
    Eight& operator+=(const Eight& other) {
        for (std::size_t i = 0; i < wide; ++i) items[i] += other.items[i];
        return *this;
    }
};
inline Eight operator*(Eight a, const Eight& b) {
    for (std::size_t i = 0; i < wide; ++i) a.items[i] *= b.items[i];
    return a;
}
inline Eight operator*(Eight a, float x) {
    for (float& item : a.items) item *= x;
    return a;
}
#endif

// Through memcpy, because the address need not be a multiple of 32.
UNBOUNDED_INLINE void load(const float* from, Eight& to) { std::memcpy(&to, from, sizeof to); }
UNBOUNDED_INLINE void store(const Eight& from, float* to) { std::memcpy(to, &from, sizeof from); }

UNBOUNDED_INLINE void add_block(const float* weights, const std::uint32_t* rows,
                                const float* values, std::size_t count, float* outputs) {
    Eight a, b, c, d, e, f, g, h;
    load(outputs, a), load(outputs + wide, b), load(outputs + 2 * wide, c);
    load(outputs + 3 * wide, d), load(outputs + 4 * wide, e), load(outputs + 5 * wide, f);
    load(outputs + 6 * wide, g), load(outputs + 7 * wide, h);
    for (std::size_t i = 0; i < count; ++i) {
        const float* row = weights + rows[i] * outputs_per_block;
        const float x = values[i];
        Eight w;
        load(row, w), a += w * x;
        load(row + wide, w), b += w * x;
        load(row + 2 * wide, w), c += w * x;
        load(row + 3 * wide, w), d += w * x;
        load(row + 4 * wide, w), e += w * x;
        load(row + 5 * wide, w), f += w * x;
        load(row + 6 * wide, w), g += w * x;
        load(row + 7 * wide, w), h += w * x;
    }
    store(a, outputs), store(b, outputs + wide), store(c, outputs + 2 * wide);
    store(d, outputs + 3 * wide), store(e, outputs + 4 * wide), store(f, outputs + 5 * wide);
    store(g, outputs + 6 * wide), store(h, outputs + 7 * wide);
}

UNBOUNDED_INLINE float dot(const float* a, const float* b, std::size_t count) {
    Eight even = {}, odd = {}, x, y;
    for (std::size_t i = 0; i < count; i += dot_multiple) {
        load(a + i, x), load(b + i, y), even += x * y;
        load(a + i + wide, x), load(b + i + wide, y), odd += x * y;
    }
    even += odd;
    float sum = 0;
    for (std::size_t i = 0; i < wide; ++i) sum += even[i];
    return sum;
}

void add_block_plain(const float* weights, const std::uint32_t* rows, const float* values,
                     std::size_t count, float* outputs) {
    add_block(weights, rows, values, count, outputs);
}

float dot_plain(const float* a, const float* b, std::size_t count) { return dot(a, b, count); }

UNBOUNDED_AVX2 void add_block_avx2(const float* weights, const std::uint32_t* rows,
                                   const float* values, std::size_t count, float* outputs) {
    add_block(weights, rows, values, count, outputs);
}

UNBOUNDED_AVX2 float dot_avx2(const float* a, const float* b, std::size_t count) {
    return dot(a, b, count);
}

const DenseKernels avx2_dense_kernels{add_block_avx2, dot_avx2};

}  // namespace

const DenseKernels plain_dense_kernels{add_block_plain, dot_plain};

const DenseKernels& dense_kernels() {
    return processor_has_avx2() ? avx2_dense_kernels : plain_dense_kernels;
}

}  // namespace unbounded
