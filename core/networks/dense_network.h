// SPDX-License-Identifier: MIT
// A dense network: layers of weighted sums, with ReLU between them and tanh at the end.
#pragma once

#include "networks/network.h"

namespace unbounded {

class DenseNetwork final : public Network {
  public:
    // The weights of one layer as they are given: outputs x inputs.
    struct Weights {
        const float* weights = nullptr;
        const float* biases = nullptr;
        std::size_t outputs = 0;
        std::size_t inputs = 0;
    };

    // The inputs of the first layer: the planes, then one number per player, 1 for the mover.
    DenseNetwork(const NetworkInputs& inputs, const std::vector<Weights>& layers, int outputs,
                 float scale);

    // Replaces the weights by others of the same shapes. Not while the network is in use.
    void set_weights(const std::vector<Weights>& layers);

    void forward(const float* planes, const std::uint8_t* movers, std::size_t count,
                 float* values) const override;

  private:
    struct Layer {
        std::size_t inputs, outputs;
        // In blocks of outputs: all weights of a block lie together, input by input. The last
        // layer, which has few outputs, is stored output by output.
        std::vector<float> weights, biases;
    };

    static void store(const Weights& given, Layer& layer, bool last);
    void apply_hidden(const Layer& layer, float* rows, std::size_t count) const;
    void apply_last(const float* rows, std::size_t count, float* values) const;

    std::vector<Layer> layers_;
    std::size_t stride_ = 0;  // between the rows of a batch: room for any layer's numbers
};

}  // namespace unbounded
