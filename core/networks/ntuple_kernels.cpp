// SPDX-License-Identifier: MIT
#include "networks/ntuple_kernels.h"

#include <algorithm>
#include <cmath>

#include "networks/vectorized.h"

namespace unbounded {

namespace {

constexpr float forgetting = 0.001f;  // of old slopes, for each new one
constexpr float tiny = 1e-12f;

template <class Number>
UNBOUNDED_INLINE void write_symbols(const Number* planes, std::size_t board, std::size_t symbols,
                                    std::uint8_t* out) {
    std::fill(out, out + board, std::uint8_t{0});
    for (std::size_t plane = symbols - 1; plane-- > 0;) {
        const Number* at = planes + plane * board;
        const auto symbol = static_cast<std::uint8_t>(plane + 1);
        for (std::size_t cell = 0; cell < board; ++cell)
            out[cell] = at[cell] != Number{0} ? symbol : out[cell];
    }
}

// In the following, `fixed` is the length of the inner loops if the compiler knows it, else 0: they
// then become a few vector instructions.

template <std::size_t fixed>
UNBOUNDED_INLINE void write_indices(const std::uint8_t* symbols, const std::int32_t* cells,
                                    std::size_t tuples, std::size_t length, std::uint32_t base,
                                    std::size_t any_states, std::uint32_t* out) {
    const std::size_t states = fixed ? fixed : any_states;
    for (std::size_t t = 0; t < tuples; ++t, cells += length, out += states) {
        std::fill(out, out + states, 0u);
        for (std::size_t i = length; i-- > 0;) {
            const std::uint8_t* row = symbols + cells[i] * states;
            for (std::size_t s = 0; s < states; ++s) out[s] = out[s] * base + row[s];
        }
    }
}

template <std::size_t fixed>
UNBOUNDED_INLINE void sum_rows(const float* tables, std::size_t table_size, std::size_t count,
                               const std::uint32_t* indices, std::size_t stride,
                               std::size_t any_width, float* sums) {
    const std::size_t width = fixed ? fixed : any_width;
    float total[fixed ? fixed : 1];  // in registers
    float* const to = fixed ? total : sums;
    if (fixed) std::copy(sums, sums + fixed, total);
    for (std::size_t t = 0; t < count; ++t) {
        const float* row = tables + t * table_size + indices[t * stride] * width;
        for (std::size_t j = 0; j < width; ++j) to[j] += row[j];
    }
    if (fixed) std::copy(total, total + fixed, sums);
}

template <std::size_t fixed>
UNBOUNDED_INLINE void add_rows(const float* table, const std::uint32_t* rows, std::size_t count,
                               std::size_t any_width, float* sums) {
    const std::size_t width = fixed ? fixed : any_width;
    for (std::size_t s = 0; s < count; ++s)
        for (std::size_t j = 0; j < width; ++j) sums[s * width + j] += table[rows[s] * width + j];
}

template <std::size_t fixed>
UNBOUNDED_INLINE void update_rows(float* table, float* moments, const std::uint32_t* rows,
                                  const std::uint32_t* shared, const float* slopes,
                                  std::size_t count, std::size_t any_width, float rate) {
    const std::size_t width = fixed ? fixed : any_width;
    for (std::size_t s = 0; s < count; ++s) {
        const float* slope = slopes + s * width;
        float square = 0;
        for (std::size_t j = 0; j < width; ++j) square += slope[j] * slope[j];
        float* moment = moments + std::size_t{rows[s]} * 2;
        moment[1] += 1;
        moment[0] += std::max(forgetting, 1 / moment[1]) * (square - moment[0]);
        const float factor = rate / std::sqrt(moment[0] * static_cast<float>(shared[s]) + tiny);
        float* row = table + std::size_t{rows[s]} * width;
        for (std::size_t j = 0; j < width; ++j) row[j] -= factor * slope[j];
    }
}

// Defines the kernels once, with the name and the attribute given.
#define UNBOUNDED_NTUPLE_KERNELS(build, attribute)                                                 \
    attribute void write_symbols_##build(const float* planes, std::size_t board,                   \
                                         std::size_t symbols, std::uint8_t* out) {                 \
        write_symbols(planes, board, symbols, out);                                                \
    }                                                                                              \
    attribute void write_symbols_of_bytes_##build(const std::uint8_t* planes, std::size_t board,   \
                                                  std::size_t symbols, std::uint8_t* out) {        \
        write_symbols(planes, board, symbols, out);                                                \
    }                                                                                              \
    attribute void write_indices_##build(                                                          \
        const std::uint8_t* symbols, const std::int32_t* cells, std::size_t tuples,                \
        std::size_t length, std::uint32_t base, std::size_t states, std::uint32_t* out) {          \
        if (states == 8)                                                                           \
            write_indices<8>(symbols, cells, tuples, length, base, states, out);                   \
        else                                                                                       \
            write_indices<0>(symbols, cells, tuples, length, base, states, out);                   \
    }                                                                                              \
    attribute void sum_rows_##build(const float* tables, std::size_t table_size,                   \
                                    std::size_t count, const std::uint32_t* indices,               \
                                    std::size_t stride, std::size_t width, float* sums) {          \
        if (width == 1)                                                                            \
            sum_rows<1>(tables, table_size, count, indices, stride, width, sums);                  \
        else if (width == 8)                                                                       \
            sum_rows<8>(tables, table_size, count, indices, stride, width, sums);                  \
        else if (width == 16)                                                                      \
            sum_rows<16>(tables, table_size, count, indices, stride, width, sums);                 \
        else                                                                                       \
            sum_rows<0>(tables, table_size, count, indices, stride, width, sums);                  \
    }                                                                                              \
    attribute void add_rows_##build(const float* table, const std::uint32_t* rows,                 \
                                    std::size_t count, std::size_t width, float* sums) {           \
        if (width == 1)                                                                            \
            add_rows<1>(table, rows, count, width, sums);                                          \
        else if (width == 8)                                                                       \
            add_rows<8>(table, rows, count, width, sums);                                          \
        else if (width == 16)                                                                      \
            add_rows<16>(table, rows, count, width, sums);                                         \
        else                                                                                       \
            add_rows<0>(table, rows, count, width, sums);                                          \
    }                                                                                              \
    attribute void update_rows_##build(float* table, float* moments, const std::uint32_t* rows,    \
                                       const std::uint32_t* shared, const float* slopes,           \
                                       std::size_t count, std::size_t width, float rate) {         \
        if (width == 1)                                                                            \
            update_rows<1>(table, moments, rows, shared, slopes, count, width, rate);              \
        else if (width == 8)                                                                       \
            update_rows<8>(table, moments, rows, shared, slopes, count, width, rate);              \
        else if (width == 16)                                                                      \
            update_rows<16>(table, moments, rows, shared, slopes, count, width, rate);             \
        else                                                                                       \
            update_rows<0>(table, moments, rows, shared, slopes, count, width, rate);              \
    }                                                                                              \
    constexpr NTupleKernels kernels_##build{write_symbols_##build, write_symbols_of_bytes_##build, \
                                            write_indices_##build, sum_rows_##build,               \
                                            add_rows_##build,      update_rows_##build};

UNBOUNDED_NTUPLE_KERNELS(plain, )
UNBOUNDED_NTUPLE_KERNELS(avx2, UNBOUNDED_AVX2)

}  // namespace

const NTupleKernels plain_ntuple_kernels = kernels_plain;

const NTupleKernels& ntuple_kernels() {
    static const NTupleKernels& kernels = processor_has_avx2() ? kernels_avx2 : kernels_plain;
    return kernels;
}

}  // namespace unbounded
