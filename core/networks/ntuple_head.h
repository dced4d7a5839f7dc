// SPDX-License-Identifier: MIT
// What an n-tuple network does with the sums of its tables: value = tanh(direct + output *
// relu(hidden * relu(features) + hidden_bias)). The first `outputs` sums are `direct`, the others
// are features; without features, value = tanh(direct).
#pragma once

#include <cstddef>
#include <vector>

namespace unbounded {

class NTupleHead {
  public:
    static constexpr std::size_t most_width = 64;

    NTupleHead(std::size_t outputs, std::size_t features);

    const std::size_t outputs, features;
    const std::size_t width;   // sums of a state
    const std::size_t hidden;  // units, `width` of them; 0 without features

    // hidden: units x features. hidden_bias: units. output: outputs x units.
    struct Weights {
        const float *hidden = nullptr, *hidden_bias = nullptr, *output = nullptr;
    };
    void set_weights(const Weights& weights);

    // What `backward` needs of `forward`.
    struct Activations {
        float features[most_width], units[most_width];
    };
    // Writes what tanh is applied to.
    void forward(const float* sums, Activations& activations, float* out) const;

    // Sums of gradients over states. `hidden` has columns for the direct sums too, of zeros.
    struct WeightGradients {
        std::vector<float> hidden, hidden_bias, output;
    };
    WeightGradients no_gradients() const;
    // Given the gradient of a loss by what `forward` wrote, writes that by the sums, and adds that
    // by the weights.
    void backward(const Activations& activations, const float* out_gradients, float* sum_gradients,
                  WeightGradients& of_weights) const;

  private:
    std::vector<float> rows_, columns_;  // of the hidden weights, units x width and width x units
    std::vector<float> hidden_bias_, output_;
};

}  // namespace unbounded
