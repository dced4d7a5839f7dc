// SPDX-License-Identifier: MIT
// An n-tuple network: the sum of one number per tuple of cells, looked up by what is on them.
#pragma once

#include "networks/network.h"

namespace unbounded {

class NTupleNetwork final : public Network {
  public:
    // The shape of a network. A cell has the symbol 0 if it is 0 in every plane, else 1 plus the
    // first plane where it is not; the symbols of a tuple are the digits of a number, its index.
    struct Shape {
        std::size_t tuples = 0;
        std::size_t length = 0;   // cells in a tuple
        std::size_t symbols = 0;  // planes plus 1
    };

    // cells: tuples x length. tables: players x tuples x symbols^length x outputs.
    // bias: players x outputs. The player to move chooses the first axis of both.
    NTupleNetwork(const NetworkInputs& inputs, Shape shape, std::vector<std::int32_t> cells,
                  std::vector<float> tables, std::vector<float> bias, int outputs, float scale);

    const Shape shape;

    // Replaces tables and bias by others of the same sizes. Not while the network is in use.
    void set_weights(const float* tables, std::size_t table_count, const float* bias,
                     std::size_t bias_count);

    void forward(const float* planes, const std::uint8_t* movers, std::size_t count,
                 float* values) const override;

  private:
    // `indices`: those of one lane.
    void sum_up(const std::uint32_t* indices, int mover, float* values) const;

    std::vector<std::int32_t> cells_;
    std::vector<float> tables_, bias_;
    std::size_t board_ = 0;  // number of cells
    std::size_t tuple_stride_ = 0, player_stride_ = 0;
};

}  // namespace unbounded
