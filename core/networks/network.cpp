// SPDX-License-Identifier: MIT
#include "networks/network.h"

#include <algorithm>
#include <stdexcept>

#include "networks/in_threads.h"

namespace unbounded {

namespace {

// So many states at a time: their planes stay in the cache.
constexpr std::size_t batch = 32;

}  // namespace

Network::Network(const NetworkInputs& inputs, int outputs, float scale)
    : inputs(inputs), outputs(outputs), scale(scale) {
    if (outputs != inputs.players && !(outputs == 1 && inputs.players == 2))
        throw std::invalid_argument("a network has one output per player, or one for two players");
}

void Network::evaluate(State states, std::size_t count, float* out) {
    thread_local std::vector<float> planes, values;
    planes.resize(std::max(planes.size(), batch * inputs.inputs));
    values.resize(std::max(values.size(), batch * outputs));
    std::uint8_t movers[batch];
    for (std::size_t begin = 0; begin < count; begin += batch) {
        const std::size_t size = std::min(batch, count - begin);
        inputs.write(states + begin * inputs.state_bytes, size, planes.data(), movers);
        forward(planes.data(), movers, size, values.data());
        for (std::size_t i = 0; i < size; ++i)
            write_per_player(&values[i * outputs], outputs, scale, inputs.players, movers[i],
                             out + (begin + i) * inputs.players);
    }
}

void Network::evaluate_in_threads(State states, std::size_t count, float* out, int threads) {
    const std::size_t batches = std::max<std::size_t>(1, (count + batch - 1) / batch);
    const std::size_t workers = std::min<std::size_t>(threads, batches);
    in_threads(count, workers, [&](std::size_t begin, std::size_t end) {
        evaluate(states + begin * inputs.state_bytes, end - begin, out + begin * inputs.players);
    });
}

}  // namespace unbounded
