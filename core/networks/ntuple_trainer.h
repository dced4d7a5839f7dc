// SPDX-License-Identifier: MIT
// Training of n-tuple networks on the CPU. A step touches only the table rows that its states look
// up, a few of all.
#pragma once

#include <cstdint>
#include <vector>

#include "networks/ntuple_network.h"
#include "selfplay/worker_threads.h"

namespace unbounded {

class NTupleTrainer {
  public:
    using Shape = NTupleNetwork::Shape;

    // Numbers that belong to the caller: weights, and two moments of each, which begin at 0.
    struct Trained {
        float *weights = nullptr, *moments = nullptr;
    };
    struct Parameters {
        Trained tables;  // two moments per row: the mean square of its gradients, and their number
        Trained bias, hidden, hidden_bias, output;  // two per weight: those of Adam
    };

    // States with their targets. planes: count x planes x board. targets: count x outputs.
    struct Batch {
        std::size_t count = 0;
        const std::uint8_t *planes = nullptr, *movers = nullptr;
        const float *targets = nullptr, *weights = nullptr;
    };

    NTupleTrainer(Shape shape, int players, int outputs, std::size_t board,
                  std::vector<std::int32_t> cells, const Parameters& parameters, int threads);

    const std::size_t players, outputs, inputs;  // inputs: numbers in the planes of a state

    // One step down the gradient of the weighted mean of squared errors; returns that mean.
    // `number`: of this step, from 1 on.
    double step(const Batch& batch, float rate, std::int64_t number);

  private:
    // A part of the work of a step, for one thread: some tuples, or some states.
    struct Part {
        std::size_t first_tuple = 0, last_tuple = 0;
        std::vector<float> sums;            // states x width, of the tuples of this part
        std::vector<std::uint32_t> counts;  // of each row of one table: states that look it up
        std::vector<std::uint32_t> shared;  // of each state: states that look up its row
        // Sums over the states of this part.
        std::vector<float> bias;  // gradient
        NTupleHead::WeightGradients head;
        double loss = 0, weight = 0;
    };

    void read_symbols(const Batch& batch);
    void look_up(const Batch& batch, Part& part);
    void find_gradients(const Batch& batch, Part& part, std::size_t begin, std::size_t end);
    void find_gradient(const Batch& batch, Part& part, std::size_t state);
    void update_tables(const Batch& batch, Part& part, float rate);
    void update_others(float rate, std::int64_t number);

    const Shape shape_;
    const std::size_t board_, rows_;  // rows: of a table
    const std::vector<std::int32_t> cells_;
    const Parameters parameters_;
    NTupleHead head_;
    WorkerThreads threads_;
    std::vector<Part> parts_;
    std::vector<std::uint8_t> symbols_;   // board x states
    std::vector<std::uint32_t> indices_;  // tuples x states
    std::vector<float> gradients_;        // states x width
};

}  // namespace unbounded
