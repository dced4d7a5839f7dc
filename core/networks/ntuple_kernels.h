// SPDX-License-Identifier: MIT
// The inner loops of n-tuple networks and of their training, for this processor.
#pragma once

#include <cstddef>
#include <cstdint>

namespace unbounded {

struct NTupleKernels {
    // Writes the symbol of every cell of a state. planes: planes x board.
    void (*write_symbols)(const float* planes, std::size_t board, std::size_t symbols,
                          std::uint8_t* out);
    // The same from planes of bytes.
    void (*write_symbols_of_bytes)(const std::uint8_t* planes, std::size_t board,
                                   std::size_t symbols, std::uint8_t* out);
    // Writes the index of each tuple in each state: its symbols are the digits of a number, the
    // first one the lowest. symbols: board x states. cells: tuples x length. out: tuples x states.
    void (*write_indices)(const std::uint8_t* symbols, const std::int32_t* cells,
                          std::size_t tuples, std::size_t length, std::uint32_t base,
                          std::size_t states, std::uint32_t* out);
    // Adds to `sums` one row of each table. indices: `stride` places apart.
    void (*sum_rows)(const float* tables, std::size_t table_size, std::size_t count,
                     const std::uint32_t* indices, std::size_t stride, std::size_t width,
                     float* sums);
    // Adds to the sums of each state its row, given by its number among all rows of all tables.
    void (*add_rows)(const float* rows, const std::uint32_t* numbers, std::size_t count,
                     std::size_t width, float* sums);
    // Moves the row of each state down its gradient, divided by the root mean square of the
    // gradients that this row has met, and by the root of `shared`, the number of states with this
    // row. moments: two per row, the mean square of its gradients and their number.
    void (*update_rows)(float* rows, float* moments, const std::uint32_t* numbers,
                        const std::uint32_t* shared, const float* gradients, std::size_t count,
                        std::size_t width, float rate);
};

// For rows of this width: the fastest that this processor can run, and those for any processor.
const NTupleKernels& ntuple_kernels(std::size_t width);
const NTupleKernels& plain_ntuple_kernels(std::size_t width);

}  // namespace unbounded
