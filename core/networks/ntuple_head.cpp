// SPDX-License-Identifier: MIT
#include "networks/ntuple_head.h"

#include <algorithm>
#include <stdexcept>

namespace unbounded {

namespace {

// All arrays are as wide as there are units. `fixed`: that width if the compiler knows it, else 0.
struct Layers {
    const float *rows, *columns, *hidden_bias, *output;
    std::size_t outputs, width;
};

template <std::size_t fixed>
void run_forward(const Layers& layers, const float* sums, float* features, float* units,
                 float* out) {
    const std::size_t width = fixed ? fixed : layers.width;
    for (std::size_t k = 0; k < width; ++k)
        features[k] = k < layers.outputs ? 0.0f : std::max(sums[k], 0.0f);
    std::copy(layers.hidden_bias, layers.hidden_bias + width, units);
    for (std::size_t k = 0; k < width; ++k)
        for (std::size_t i = 0; i < width; ++i)
            units[i] += layers.columns[k * width + i] * features[k];
    for (std::size_t i = 0; i < width; ++i) units[i] = std::max(units[i], 0.0f);
    for (std::size_t j = 0; j < layers.outputs; ++j) {
        float sum = sums[j];
        for (std::size_t i = 0; i < width; ++i) sum += layers.output[j * width + i] * units[i];
        out[j] = sum;
    }
}

struct Gradients {
    float *sums, *hidden, *hidden_bias, *output;
};

template <std::size_t fixed>
void run_backward(const Layers& layers, const float* features, const float* units,
                  const float* out_gradients, const Gradients& gradients) {
    const std::size_t width = fixed ? fixed : layers.width;
    float by_unit[fixed ? fixed : NTupleHead::most_width] = {};
    for (std::size_t j = 0; j < layers.outputs; ++j)
        for (std::size_t i = 0; i < width; ++i) {
            gradients.output[j * width + i] += out_gradients[j] * units[i];
            by_unit[i] += out_gradients[j] * layers.output[j * width + i];
        }
    float by_sum[fixed ? fixed : NTupleHead::most_width] = {};
    for (std::size_t i = 0; i < width; ++i) {
        const float gradient = units[i] > 0 ? by_unit[i] : 0.0f;
        gradients.hidden_bias[i] += gradient;
        for (std::size_t k = 0; k < width; ++k) {
            gradients.hidden[i * width + k] += gradient * features[k];
            by_sum[k] += gradient * layers.rows[i * width + k];
        }
    }
    for (std::size_t k = 0; k < width; ++k) gradients.sums[k] = features[k] > 0 ? by_sum[k] : 0.0f;
    for (std::size_t j = 0; j < layers.outputs; ++j) gradients.sums[j] = out_gradients[j];
}

}  // namespace

NTupleHead::NTupleHead(std::size_t outputs, std::size_t features)
    : outputs(outputs),
      features(features),
      width(outputs + features),
      hidden(features > 0 ? width : 0),
      rows_(hidden * width),
      columns_(hidden * width),
      hidden_bias_(hidden),
      output_(outputs * hidden) {
    if (outputs == 0 || width > most_width)
        throw std::invalid_argument("the table rows are too wide");
}

void NTupleHead::set_weights(const Weights& weights) {
    if (hidden == 0) return;
    for (std::size_t i = 0; i < hidden; ++i)
        for (std::size_t f = 0; f < features; ++f) {
            const float weight = weights.hidden[i * features + f];
            rows_[i * width + outputs + f] = weight;
            columns_[(outputs + f) * hidden + i] = weight;
        }
    std::copy(weights.hidden_bias, weights.hidden_bias + hidden, hidden_bias_.begin());
    std::copy(weights.output, weights.output + outputs * hidden, output_.begin());
}

void NTupleHead::forward(const float* sums, Activations& activations, float* out) const {
    if (hidden == 0) {
        std::copy(sums, sums + outputs, out);
        return;
    }
    const Layers layers{rows_.data(),   columns_.data(), hidden_bias_.data(),
                        output_.data(), outputs,         width};
    const auto run = width == 8 ? run_forward<8> : width == 16 ? run_forward<16> : run_forward<0>;
    run(layers, sums, activations.features, activations.units, out);
}

NTupleHead::WeightGradients NTupleHead::no_gradients() const {
    return {std::vector<float>(hidden * width), std::vector<float>(hidden),
            std::vector<float>(outputs * hidden)};
}

void NTupleHead::backward(const Activations& activations, const float* out_gradients,
                          float* sum_gradients, WeightGradients& of_weights) const {
    if (hidden == 0) {
        std::copy(out_gradients, out_gradients + outputs, sum_gradients);
        return;
    }
    const Layers layers{rows_.data(),   columns_.data(), hidden_bias_.data(),
                        output_.data(), outputs,         width};
    const Gradients gradients{sum_gradients, of_weights.hidden.data(),
                              of_weights.hidden_bias.data(), of_weights.output.data()};
    const auto run = width == 8    ? run_backward<8>
                     : width == 16 ? run_backward<16>
                                   : run_backward<0>;
    run(layers, activations.features, activations.units, out_gradients, gradients);
}

}  // namespace unbounded
