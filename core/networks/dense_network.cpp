// SPDX-License-Identifier: MIT
#include "networks/dense_network.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "networks/dense_kernels.h"

namespace unbounded {

namespace {

std::size_t rounded_up(std::size_t n, std::size_t multiple) {
    return (n + multiple - 1) / multiple * multiple;
}

// The inputs of a layer that are not 0. Most planes are mostly 0, and so is much after ReLU.
struct NonZero {
    std::vector<std::uint32_t> rows;
    std::vector<float> values;
    std::size_t count = 0;

    void list(const float* from, std::size_t size) {
        rows.resize(std::max(rows.size(), size + 1));
        values.resize(rows.size());
        std::size_t n = 0;
        for (std::size_t i = 0; i < size; ++i) {  // without a branch that is hard to predict
            rows[n] = static_cast<std::uint32_t>(i);
            values[n] = from[i];
            n += from[i] != 0.0f;
        }
        count = n;
    }
};

}  // namespace

DenseNetwork::DenseNetwork(const NetworkInputs& inputs, const std::vector<Weights>& layers,
                           int outputs, float scale)
    : Network(inputs, outputs, scale) {
    std::size_t wide = inputs.inputs + inputs.players;
    for (const Weights& given : layers) {
        if (given.inputs != wide || given.outputs == 0)
            throw std::invalid_argument("the layers do not fit the planes, or each other");
        stride_ = std::max({stride_, rounded_up(given.inputs, outputs_per_block),
                            rounded_up(given.outputs, outputs_per_block)});
        wide = given.outputs;
        layers_.push_back({given.inputs, given.outputs, {}, {}});
    }
    if (layers.empty() || wide != static_cast<std::size_t>(outputs))
        throw std::invalid_argument("the last layer does not fit the outputs");
    set_weights(layers);
}

void DenseNetwork::set_weights(const std::vector<Weights>& layers) {
    bool same = layers.size() == layers_.size();
    for (std::size_t i = 0; same && i < layers.size(); ++i)
        same = layers[i].inputs == layers_[i].inputs && layers[i].outputs == layers_[i].outputs;
    if (!same) throw std::invalid_argument("the weights have another shape");
    for (std::size_t i = 0; i < layers.size(); ++i)
        store(layers[i], layers_[i], i + 1 == layers.size());
}

void DenseNetwork::store(const Weights& given, Layer& layer, bool last) {
    const std::size_t stride = rounded_up(layer.inputs, dot_multiple);
    const std::size_t padded = last ? layer.outputs : rounded_up(layer.outputs, outputs_per_block);
    layer.weights.resize(padded * (last ? stride : layer.inputs));
    layer.biases.resize(padded);
    std::copy(given.biases, given.biases + layer.outputs, layer.biases.begin());
    for (std::size_t o = 0; o < layer.outputs; ++o)
        for (std::size_t i = 0; i < layer.inputs; ++i) {
            const std::size_t block = o / outputs_per_block, column = o % outputs_per_block;
            const std::size_t at =
                last ? o * stride + i : (block * layer.inputs + i) * outputs_per_block + column;
            layer.weights[at] = given.weights[o * layer.inputs + i];
        }
}

void DenseNetwork::forward(const float* planes, const std::uint8_t* movers, std::size_t count,
                           float* values) const {
    thread_local std::vector<float> rows;
    rows.assign(count * stride_, 0.0f);
    for (std::size_t i = 0; i < count; ++i) {
        float* row = rows.data() + i * stride_;
        std::copy(planes + i * inputs.inputs, planes + (i + 1) * inputs.inputs, row);
        row[inputs.inputs + movers[i]] = 1.0f;
    }
    for (std::size_t i = 0; i + 1 < layers_.size(); ++i)
        apply_hidden(layers_[i], rows.data(), count);
    apply_last(rows.data(), count, values);
}

// Replaces the inputs in every row by the outputs.
void DenseNetwork::apply_hidden(const Layer& layer, float* rows, std::size_t count) const {
    thread_local std::vector<NonZero> listed;
    if (listed.size() < count) listed.resize(count);
    for (std::size_t i = 0; i < count; ++i) listed[i].list(rows + i * stride_, layer.inputs);
    const auto add_block = dense_kernels().add_block;
    for (std::size_t first = 0; first < layer.outputs; first += outputs_per_block) {
        const float* weights = layer.weights.data() + first * layer.inputs;
        const float* biases = layer.biases.data() + first;
        for (std::size_t i = 0; i < count; ++i) {
            const NonZero& in = listed[i];
            float* out = rows + i * stride_ + first;
            std::copy(biases, biases + outputs_per_block, out);
            add_block(weights, in.rows.data(), in.values.data(), in.count, out);
            for (std::size_t j = 0; j < outputs_per_block; ++j) out[j] = std::max(out[j], 0.0f);
        }
    }
}

void DenseNetwork::apply_last(const float* rows, std::size_t count, float* values) const {
    const Layer& layer = layers_.back();
    const std::size_t padded = rounded_up(layer.inputs, dot_multiple);
    const auto dot = dense_kernels().dot;
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t o = 0; o < layer.outputs; ++o)
            values[i * layer.outputs + o] = std::tanh(
                layer.biases[o] + dot(&layer.weights[o * padded], rows + i * stride_, padded));
}

}  // namespace unbounded
