// SPDX-License-Identifier: MIT
#include "networks/ntuple_trainer.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "networks/ntuple_kernels.h"

namespace unbounded {

namespace {

constexpr std::size_t most_cells = 1 << 20;

// Adam, of one weight.
void update(float& weight, float* moments, float gradient, float rate, std::int64_t number) {
    constexpr float first = 0.9f, second = 0.999f;
    const auto steps = static_cast<float>(number);
    moments[0] += (1 - first) * (gradient - moments[0]);
    moments[1] += (1 - second) * (gradient * gradient - moments[1]);
    const float mean = moments[0] / (1 - std::pow(first, steps));
    const float square = moments[1] / (1 - std::pow(second, steps));
    weight -= rate * mean / (std::sqrt(square) + 1e-8f);
}

}  // namespace

NTupleTrainer::NTupleTrainer(Shape shape, int players, int outputs, std::size_t board,
                             std::vector<std::int32_t> cells, const Parameters& parameters,
                             int threads)
    : players(players),
      outputs(outputs),
      inputs((shape.symbols - 1) * board),
      shape_(shape),
      board_(board),
      rows_(shape.rows()),
      cells_(std::move(cells)),
      parameters_(parameters),
      head_(outputs, shape.features),
      threads_(threads),
      parts_(threads) {
    check_tuples(shape, cells_, board);
    if (board > most_cells) throw std::invalid_argument("the board is too large");
    if (this->players * shape.tuples * rows_ >= std::size_t{1} << 32)
        throw std::invalid_argument("the tables are too large");
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        parts_[i].first_tuple = i * shape.tuples / parts_.size();
        parts_[i].last_tuple = (i + 1) * shape.tuples / parts_.size();
        parts_[i].counts.resize(this->players * rows_);
    }
}

double NTupleTrainer::step(const Batch& batch, float rate, std::int64_t number) {
    const std::size_t parts = parts_.size();
    head_.set_weights(
        {parameters_.hidden.weights, parameters_.hidden_bias.weights, parameters_.output.weights});
    indices_.resize(shape_.tuples * batch.count);
    gradients_.resize(batch.count * head_.width);
    read_symbols(batch);
    threads_.each(parts, [&](std::size_t i) { look_up(batch, parts_[i]); });
    threads_.each(parts, [&](std::size_t i) {
        find_gradients(batch, parts_[i], i * batch.count / parts, (i + 1) * batch.count / parts);
    });
    threads_.each(parts, [&](std::size_t i) { update_tables(batch, parts_[i], rate); });
    update_others(rate, number);
    double loss = 0, weight = 0;
    for (const Part& part : parts_) loss += part.loss, weight += part.weight;
    return loss / std::max(weight, 1e-8);
}

void NTupleTrainer::read_symbols(const Batch& batch) {
    const NTupleKernels& kernels = ntuple_kernels(head_.width);
    symbols_.resize(board_ * (batch.count + 1));
    std::uint8_t* const one = &symbols_[board_ * batch.count];
    for (std::size_t s = 0; s < batch.count; ++s) {
        kernels.write_symbols_of_bytes(batch.planes + s * inputs, board_, shape_.symbols, one);
        for (std::size_t cell = 0; cell < board_; ++cell)
            symbols_[cell * batch.count + s] = one[cell];
    }
}

// Adds up the rows of the states, table after table: a table fits the cache.
void NTupleTrainer::look_up(const Batch& batch, Part& part) {
    const NTupleKernels& kernels = ntuple_kernels(head_.width);
    const std::size_t count = batch.count, first = part.first_tuple;
    kernels.write_indices(symbols_.data(), &cells_[first * shape_.length], part.last_tuple - first,
                          shape_.length, static_cast<std::uint32_t>(shape_.symbols), count,
                          &indices_[first * count]);
    part.sums.assign(count * head_.width, 0.0f);
    for (std::size_t t = first; t < part.last_tuple; ++t) {
        std::uint32_t* indices = &indices_[t * count];
        for (std::size_t s = 0; s < count; ++s)
            indices[s] += static_cast<std::uint32_t>((batch.movers[s] * shape_.tuples + t) * rows_);
        kernels.add_rows(parameters_.tables.weights, indices, count, head_.width, part.sums.data());
    }
}

void NTupleTrainer::find_gradients(const Batch& batch, Part& part, std::size_t begin,
                                   std::size_t end) {
    part.bias.assign(players * head_.width, 0.0f);
    part.head = head_.no_gradients();
    part.loss = part.weight = 0;
    for (std::size_t s = begin; s < end; ++s) find_gradient(batch, part, s);
}

void NTupleTrainer::find_gradient(const Batch& batch, Part& part, std::size_t state) {
    const std::size_t width = head_.width, mover = batch.movers[state];
    float sums[NTupleHead::most_width], values[NTupleHead::most_width];
    std::copy_n(parameters_.bias.weights + mover * width, width, sums);
    for (const Part& each : parts_)
        for (std::size_t k = 0; k < width; ++k) sums[k] += each.sums[state * width + k];
    NTupleHead::Activations activations;
    head_.forward(sums, activations, values);
    const float weight = batch.weights[state];
    for (std::size_t j = 0; j < outputs; ++j) {
        const float value = std::tanh(values[j]);
        const float error = value - batch.targets[state * outputs + j];
        part.loss += double{weight} * error * error / static_cast<double>(outputs);
        values[j] = weight * error * (1 - value * value);
    }
    part.weight += weight;
    float* gradient = &gradients_[state * width];
    head_.backward(activations, values, gradient, part.head);
    for (std::size_t k = 0; k < width; ++k) part.bias[mover * width + k] += gradient[k];
}

void NTupleTrainer::update_tables(const Batch& batch, Part& part, float rate) {
    // A table of the next player comes after those of all other tuples.
    const std::size_t count = batch.count, other_tables = (shape_.tuples - 1) * rows_;
    part.shared.resize(count);
    for (std::size_t t = part.first_tuple; t < part.last_tuple; ++t) {
        const std::uint32_t* indices = &indices_[t * count];
        const auto states_at = [&](std::size_t s) -> std::uint32_t& {
            return part.counts[indices[s] - t * rows_ - batch.movers[s] * other_tables];
        };
        for (std::size_t s = 0; s < count; ++s) ++states_at(s);
        for (std::size_t s = 0; s < count; ++s) part.shared[s] = states_at(s);
        for (std::size_t s = 0; s < count; ++s) states_at(s) = 0;
        const auto [weights, moments] = parameters_.tables;
        ntuple_kernels(head_.width)
            .update_rows(weights, moments, indices, part.shared.data(), gradients_.data(), count,
                         head_.width, rate);
    }
}

void NTupleTrainer::update_others(float rate, std::int64_t number) {
    const auto each = [&](const Trained& trained, std::size_t k, auto gradient_in) {
        float gradient = 0;
        for (const Part& part : parts_) gradient += gradient_in(part);
        update(trained.weights[k], trained.moments + 2 * k, gradient, rate, number);
    };
    for (std::size_t k = 0; k < players * head_.width; ++k)
        each(parameters_.bias, k, [&](const Part& part) { return part.bias[k]; });
    for (std::size_t i = 0; i < head_.hidden; ++i) {
        for (std::size_t f = 0; f < head_.features; ++f)
            each(parameters_.hidden, i * head_.features + f,
                 [&](const Part& part) { return part.head.hidden[i * head_.width + outputs + f]; });
        each(parameters_.hidden_bias, i,
             [&](const Part& part) { return part.head.hidden_bias[i]; });
    }
    for (std::size_t k = 0; k < outputs * head_.hidden; ++k)
        each(parameters_.output, k, [&](const Part& part) { return part.head.output[k]; });
}

}  // namespace unbounded
