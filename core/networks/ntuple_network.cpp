// SPDX-License-Identifier: MIT
#include "networks/ntuple_network.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "networks/vectorized.h"

namespace unbounded {

namespace {

// Indices are computed for so many states at once, one in each lane of a vector register.
constexpr std::size_t lanes = 8;

// Writes the symbols of a state into one lane.
UNBOUNDED_INLINE void write_symbols(const float* planes, std::size_t board, std::size_t symbols,
                                    std::uint32_t* out) {
    for (std::size_t cell = 0; cell < board; ++cell) {
        std::uint32_t symbol = 0;
        for (std::size_t plane = symbols - 1; plane-- > 0;)
            symbol = planes[plane * board + cell] != 0.0f ? static_cast<std::uint32_t>(plane) + 1
                                                          : symbol;
        out[cell * lanes] = symbol;
    }
}

// Writes the index of every tuple in every lane.
UNBOUNDED_INLINE void write_indices(const std::uint32_t* symbols_of_cells,
                                    const std::int32_t* cells, NTupleNetwork::Shape shape,
                                    std::uint32_t* out) {
    const auto base = static_cast<std::uint32_t>(shape.symbols);
    for (std::size_t t = 0; t < shape.tuples; ++t) {
        std::uint32_t index[lanes] = {};
        for (std::size_t i = shape.length; i-- > 0;) {
            const std::uint32_t* row = symbols_of_cells + cells[t * shape.length + i] * lanes;
            for (std::size_t lane = 0; lane < lanes; ++lane)
                index[lane] = index[lane] * base + row[lane];
        }
        std::copy(index, index + lanes, out + t * lanes);
    }
}

void write_indices_plain(const std::uint32_t* symbols, const std::int32_t* cells,
                         NTupleNetwork::Shape shape, std::uint32_t* out) {
    write_indices(symbols, cells, shape, out);
}

UNBOUNDED_AVX2 void write_indices_avx2(const std::uint32_t* symbols, const std::int32_t* cells,
                                       NTupleNetwork::Shape shape, std::uint32_t* out) {
    write_indices(symbols, cells, shape, out);
}

}  // namespace

NTupleNetwork::NTupleNetwork(const NetworkInputs& inputs, Shape shape,
                             std::vector<std::int32_t> cells, std::vector<float> tables,
                             std::vector<float> bias, int outputs, float scale)
    : Network(inputs, outputs, scale),
      shape(shape),
      cells_(std::move(cells)),
      tables_(std::move(tables)),
      bias_(std::move(bias)) {
    if (shape.symbols < 2 || inputs.inputs % (shape.symbols - 1) != 0)
        throw std::invalid_argument("the symbols do not fit the planes");
    board_ = inputs.inputs / (shape.symbols - 1);
    tuple_stride_ = outputs;
    for (std::size_t i = 0; i < shape.length; ++i) {
        tuple_stride_ *= shape.symbols;
        if (tuple_stride_ > (std::size_t{1} << 31))
            throw std::invalid_argument("the tuples are too long");
    }
    player_stride_ = shape.tuples * tuple_stride_;
    const auto on_board = [this](std::int32_t cell) {
        return cell >= 0 && static_cast<std::size_t>(cell) < board_;
    };
    if (shape.tuples == 0 || shape.length == 0 || cells_.size() != shape.tuples * shape.length ||
        !std::all_of(cells_.begin(), cells_.end(), on_board))
        throw std::invalid_argument("a tuple has a cell that is not on the board");
    if (tables_.size() != inputs.players * player_stride_ ||
        bias_.size() != static_cast<std::size_t>(inputs.players * outputs))
        throw std::invalid_argument("the tables do not fit the tuples");
}

void NTupleNetwork::set_weights(const float* tables, std::size_t table_count, const float* bias,
                                std::size_t bias_count) {
    if (table_count != tables_.size() || bias_count != bias_.size())
        throw std::invalid_argument("the weights have another shape");
    std::copy(tables, tables + table_count, tables_.begin());
    std::copy(bias, bias + bias_count, bias_.begin());
}

void NTupleNetwork::forward(const float* planes, const std::uint8_t* movers, std::size_t count,
                            float* values) const {
    thread_local std::vector<std::uint32_t> symbols, indices;
    symbols.resize(std::max(symbols.size(), board_ * lanes));
    indices.resize(std::max(indices.size(), shape.tuples * lanes));
    const auto write = processor_has_avx2() ? write_indices_avx2 : write_indices_plain;
    for (std::size_t begin = 0; begin < count; begin += lanes) {
        const std::size_t size = std::min(lanes, count - begin);
        for (std::size_t lane = 0; lane < size; ++lane)
            write_symbols(planes + (begin + lane) * inputs.inputs, board_, shape.symbols,
                          &symbols[lane]);
        write(symbols.data(), cells_.data(), shape, indices.data());
        for (std::size_t lane = 0; lane < size; ++lane)
            sum_up(&indices[lane], movers[begin + lane], values + (begin + lane) * outputs);
    }
}

void NTupleNetwork::sum_up(const std::uint32_t* indices, int mover, float* values) const {
    const float* table = tables_.data() + mover * player_stride_;
    const float* bias = bias_.data() + mover * outputs;
    for (int j = 0; j < outputs; ++j) {
        float sum = bias[j];  // a local variable, so that the loop runs in registers
        const float* entry = table + j;
        for (std::size_t t = 0; t < shape.tuples; ++t, entry += tuple_stride_)
            sum += entry[indices[t * lanes] * static_cast<std::size_t>(outputs)];
        values[j] = std::tanh(sum);
    }
}

}  // namespace unbounded
