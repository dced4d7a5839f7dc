// SPDX-License-Identifier: MIT
#include "networks/ntuple_kernels.h"

#include <algorithm>
#include <cmath>

#include "networks/vectorized.h"

namespace unbounded {

namespace {

constexpr float forgetting = 0.001f;  // of old gradients, for each new one
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
UNBOUNDED_INLINE void add_rows(const float* rows, const std::uint32_t* numbers, std::size_t count,
                               std::size_t any_width, float* sums) {
    const std::size_t width = fixed ? fixed : any_width;
    for (std::size_t s = 0; s < count; ++s) {
        const float* row = rows + numbers[s] * width;
        for (std::size_t j = 0; j < width; ++j) sums[s * width + j] += row[j];
    }
}

template <std::size_t fixed>
UNBOUNDED_INLINE void update_rows(float* rows, float* moments, const std::uint32_t* numbers,
                                  const std::uint32_t* shared, const float* gradients,
                                  std::size_t count, std::size_t any_width, float rate) {
    const std::size_t width = fixed ? fixed : any_width;
    for (std::size_t s = 0; s < count; ++s) {
        const float* gradient = gradients + s * width;
        float square = 0;
        for (std::size_t j = 0; j < width; ++j) square += gradient[j] * gradient[j];
        float* moment = moments + std::size_t{numbers[s]} * 2;
        moment[1] += 1;
        moment[0] += std::max(forgetting, 1 / moment[1]) * (square - moment[0]);
        const float factor = rate / std::sqrt(moment[0] * static_cast<float>(shared[s]) + tiny);
        float* row = rows + std::size_t{numbers[s]} * width;
        for (std::size_t j = 0; j < width; ++j) row[j] -= factor * gradient[j];
    }
}

// The kernels for one width, compiled with the attribute.
#define UNBOUNDED_NTUPLE_KERNELS(build, attribute)                                                \
    attribute void write_symbols_##build(const float* planes, std::size_t board,                  \
                                         std::size_t symbols, std::uint8_t* out) {                \
        write_symbols(planes, board, symbols, out);                                               \
    }                                                                                             \
    attribute void write_symbols_of_bytes_##build(const std::uint8_t* planes, std::size_t board,  \
                                                  std::size_t symbols, std::uint8_t* out) {       \
        write_symbols(planes, board, symbols, out);                                               \
    }                                                                                             \
    attribute void write_indices_##build(                                                         \
        const std::uint8_t* symbols, const std::int32_t* cells, std::size_t tuples,               \
        std::size_t length, std::uint32_t base, std::size_t states, std::uint32_t* out) {         \
        if (states == 8)                                                                          \
            write_indices<8>(symbols, cells, tuples, length, base, states, out);                  \
        else                                                                                      \
            write_indices<0>(symbols, cells, tuples, length, base, states, out);                  \
    }                                                                                             \
    template <std::size_t fixed>                                                                  \
    attribute void sum_rows_##build(const float* tables, std::size_t table_size,                  \
                                    std::size_t count, const std::uint32_t* indices,              \
                                    std::size_t stride, std::size_t width, float* sums) {         \
        sum_rows<fixed>(tables, table_size, count, indices, stride, width, sums);                 \
    }                                                                                             \
    template <std::size_t fixed>                                                                  \
    attribute void add_rows_##build(const float* rows, const std::uint32_t* numbers,              \
                                    std::size_t count, std::size_t width, float* sums) {          \
        add_rows<fixed>(rows, numbers, count, width, sums);                                       \
    }                                                                                             \
    template <std::size_t fixed>                                                                  \
    attribute void update_rows_##build(float* rows, float* moments, const std::uint32_t* numbers, \
                                       const std::uint32_t* shared, const float* gradients,       \
                                       std::size_t count, std::size_t width, float rate) {        \
        update_rows<fixed>(rows, moments, numbers, shared, gradients, count, width, rate);        \
    }                                                                                             \
    template <std::size_t fixed>                                                                  \
    constexpr NTupleKernels kernels_##build{                                                      \
        write_symbols_##build,   write_symbols_of_bytes_##build, write_indices_##build,           \
        sum_rows_##build<fixed>, add_rows_##build<fixed>,        update_rows_##build<fixed>};     \
    const NTupleKernels& choose_##build(std::size_t width) {                                      \
        if (width == 1) return kernels_##build<1>;                                                \
        if (width == 8) return kernels_##build<8>;                                                \
        if (width == 16) return kernels_##build<16>;                                              \
        return kernels_##build<0>;                                                                \
    }

UNBOUNDED_NTUPLE_KERNELS(plain, )
UNBOUNDED_NTUPLE_KERNELS(avx2, UNBOUNDED_AVX2)

}  // namespace

const NTupleKernels& plain_ntuple_kernels(std::size_t width) { return choose_plain(width); }

const NTupleKernels& ntuple_kernels(std::size_t width) {
    return processor_has_avx2() ? choose_avx2(width) : choose_plain(width);
}

}  // namespace unbounded
