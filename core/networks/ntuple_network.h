// SPDX-License-Identifier: MIT
// An n-tuple network: the sum of one row per tuple of cells, looked up by what is on them, and a
// small head on that sum.
#pragma once

#include "networks/network.h"
#include "networks/ntuple_head.h"

namespace unbounded {

class NTupleNetwork final : public Network {
  public:
    // The shape of a network. A cell has the symbol 0 if it is 0 in every plane, else 1 plus the
    // first plane where it is not; the symbols of a tuple are the digits of a number, its index.
    struct Shape {
        std::size_t tuples = 0;
        std::size_t length = 0;    // cells in a tuple
        std::size_t symbols = 0;   // planes plus 1
        std::size_t features = 0;  // numbers in a row beside the outputs

        // Rows in a table. Throws where there are too many.
        std::size_t rows() const;
    };

    // tables: players x tuples x rows x width. bias: players x width. The player to move chooses
    // the first axis of both. Head: see NTupleHead.
    struct Weights {
        const float *tables = nullptr, *bias = nullptr;
        std::size_t table_count = 0, bias_count = 0;  // numbers
        NTupleHead::Weights head;
    };

    // cells: tuples x length.
    NTupleNetwork(const NetworkInputs& inputs, Shape shape, std::vector<std::int32_t> cells,
                  const Weights& weights, int outputs, float scale);

    const Shape shape;

    // Replaces the weights by others of the same sizes. Not while the network is in use.
    void set_weights(const Weights& weights);

    void forward(const float* planes, const std::uint8_t* movers, std::size_t count,
                 float* values) const override;

  private:
    const std::vector<std::int32_t> cells_;
    NTupleHead head_;
    std::vector<float> tables_, bias_;
    std::size_t board_ = 0;  // number of cells
    std::size_t table_size_ = 0;
};

// Refuses cells that are not on a board of so many cells, and too many symbols.
void check_tuples(const NTupleNetwork::Shape& shape, const std::vector<std::int32_t>& cells,
                  std::size_t board);

}  // namespace unbounded
