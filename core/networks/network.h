// SPDX-License-Identifier: MIT
// A network as an evaluation: from states to the value for every player.
#pragma once

#include <vector>

#include "networks/network_inputs.h"
#include "rules/evaluator.h"

namespace unbounded {

class Network : public Evaluator {
  public:
    // Values are the outputs times `scale`.
    Network(const NetworkInputs& inputs, int outputs, float scale);

    const NetworkInputs& inputs;
    const int outputs;  // see write_per_player
    const float scale;

    // Writes `outputs` numbers from -1 to 1 per row of planes. Safe in several threads at once. A
    // row has the same outputs in every batch.
    virtual void forward(const float* planes, const std::uint8_t* movers, std::size_t count,
                         float* values) const = 0;

    void evaluate(State states, std::size_t count, float* out) override;
    // The same, divided among several threads.
    void evaluate_in_threads(State states, std::size_t count, float* out, int threads);
    bool native() const override { return true; }
};

}  // namespace unbounded
