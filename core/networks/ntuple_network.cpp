// SPDX-License-Identifier: MIT
#include "networks/ntuple_network.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "networks/ntuple_kernels.h"

namespace unbounded {

namespace {

// Indices are computed for so many states at once, one in each lane of a vector register.
constexpr std::size_t lanes = 8;

}  // namespace

std::size_t NTupleNetwork::Shape::rows() const {
    std::size_t rows = 1;
    for (std::size_t i = 0; i < length; ++i) {
        rows *= symbols;
        if (rows > (std::size_t{1} << 31)) throw std::invalid_argument("the tuples are too long");
    }
    return rows;
}

void check_tuples(const NTupleNetwork::Shape& shape, const std::vector<std::int32_t>& cells,
                  std::size_t board) {
    const auto on_board = [board](std::int32_t cell) {
        return cell >= 0 && static_cast<std::size_t>(cell) < board;
    };
    if (shape.symbols < 2 || shape.symbols > 256)
        throw std::invalid_argument("the symbols do not fit the planes");
    if (shape.tuples == 0 || shape.length == 0 || cells.size() != shape.tuples * shape.length ||
        !std::all_of(cells.begin(), cells.end(), on_board))
        throw std::invalid_argument("a tuple has a cell that is not on the board");
}

NTupleNetwork::NTupleNetwork(const NetworkInputs& inputs, Shape shape,
                             std::vector<std::int32_t> cells, const Weights& weights, int outputs,
                             float scale)
    : Network(inputs, outputs, scale),
      shape(shape),
      cells_(std::move(cells)),
      head_(outputs, shape.features) {
    if (shape.symbols < 2 || inputs.inputs % (shape.symbols - 1) != 0)
        throw std::invalid_argument("the symbols do not fit the planes");
    board_ = inputs.inputs / (shape.symbols - 1);
    check_tuples(shape, cells_, board_);
    table_size_ = shape.rows() * head_.width;
    if (weights.table_count != inputs.players * shape.tuples * table_size_ ||
        weights.bias_count != inputs.players * head_.width)
        throw std::invalid_argument("the tables do not fit the tuples");
    tables_.resize(weights.table_count);
    bias_.resize(weights.bias_count);
    set_weights(weights);
}

void NTupleNetwork::set_weights(const Weights& weights) {
    if (weights.table_count != tables_.size() || weights.bias_count != bias_.size())
        throw std::invalid_argument("the weights have another shape");
    std::copy(weights.tables, weights.tables + tables_.size(), tables_.begin());
    std::copy(weights.bias, weights.bias + bias_.size(), bias_.begin());
    head_.set_weights(weights.head);
}

void NTupleNetwork::forward(const float* planes, const std::uint8_t* movers, std::size_t count,
                            float* values) const {
    thread_local std::vector<std::uint8_t> symbols;
    thread_local std::vector<std::uint32_t> indices;
    thread_local std::vector<float> sums;
    // The last board is of one state, before it is spread over the others.
    symbols.resize(std::max(symbols.size(), board_ * (lanes + 1)));
    indices.resize(std::max(indices.size(), shape.tuples * lanes));
    sums.resize(std::max(sums.size(), head_.width));
    const NTupleKernels& kernels = ntuple_kernels(head_.width);
    NTupleHead::Activations activations;
    for (std::size_t begin = 0; begin < count; begin += lanes) {
        const std::size_t size = std::min(lanes, count - begin);
        for (std::size_t lane = 0; lane < size; ++lane) {
            kernels.write_symbols(planes + (begin + lane) * inputs.inputs, board_, shape.symbols,
                                  &symbols[board_ * lanes]);
            for (std::size_t cell = 0; cell < board_; ++cell)
                symbols[cell * lanes + lane] = symbols[board_ * lanes + cell];
        }
        kernels.write_indices(symbols.data(), cells_.data(), shape.tuples, shape.length,
                              static_cast<std::uint32_t>(shape.symbols), lanes, indices.data());
        for (std::size_t lane = 0; lane < size; ++lane) {
            const std::size_t mover = movers[begin + lane];
            std::copy_n(&bias_[mover * head_.width], head_.width, sums.begin());
            kernels.sum_rows(&tables_[mover * shape.tuples * table_size_], table_size_,
                             shape.tuples, &indices[lane], lanes, head_.width, sums.data());
            float* out = values + (begin + lane) * outputs;
            head_.forward(sums.data(), activations, out);
            for (int j = 0; j < outputs; ++j) out[j] = std::tanh(out[j]);
        }
    }
}

}  // namespace unbounded
