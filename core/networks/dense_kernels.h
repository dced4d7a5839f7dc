// SPDX-License-Identifier: MIT
// The inner loops of a dense network, for this processor.
#pragma once

#include <cstddef>
#include <cstdint>

namespace unbounded {

// A layer's outputs are computed in blocks of so many, which fit the vector registers.
constexpr std::size_t outputs_per_block = 64;

struct DenseKernels {
    // Adds to a block of outputs the weights of those inputs that are not 0, times the inputs.
    // weights: inputs x outputs_per_block. rows, values: the inputs that are not 0.
    void (*add_block)(const float* weights, const std::uint32_t* rows, const float* values,
                      std::size_t count, float* outputs);
    // The sum of products; both are padded with zeros to a multiple of `dot_multiple`.
    float (*dot)(const float* a, const float* b, std::size_t count);
};

constexpr std::size_t dot_multiple = 16;

// For any processor, and the fastest ones that this processor can run.
extern const DenseKernels plain_dense_kernels;
const DenseKernels& dense_kernels();

}  // namespace unbounded
