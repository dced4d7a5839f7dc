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
    // Adds to the sums of each state its row of one table.
    void (*add_rows)(const float* table, const std::uint32_t* rows, std::size_t count,
                     std::size_t width, float* sums);
    // Moves rows of one table down the slopes, each divided by the root mean square of the slopes
    // that its row has met, and by the root of `shared`, the number of states with that row.
    // moments: two per row, the mean square of slopes and their number.
    void (*update_rows)(float* table, float* moments, const std::uint32_t* rows,
                        const std::uint32_t* shared, const float* slopes, std::size_t count,
                        std::size_t width, float rate);
};

// For any processor, and the fastest ones that this processor can run.
extern const NTupleKernels plain_ntuple_kernels;
const NTupleKernels& ntuple_kernels();

}  // namespace unbounded
