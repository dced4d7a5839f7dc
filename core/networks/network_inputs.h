// SPDX-License-Identifier: MIT
// What a network is given of a state: the planes of the game's `encode`, and who moves.
#pragma once

#include <cstdint>
#include <vector>

#include "rules/rules.h"

namespace unbounded {

class NetworkInputs {
  public:
    struct Functions {
        std::int32_t (*encode)(const void* states, std::int64_t count, double* scratch,
                               float* planes) = nullptr;
        std::int32_t (*player)(const void* state) = nullptr;
        std::int32_t (*symmetry)(const void* state, std::int32_t k, void* image) = nullptr;
    };

    // `inputs`: numbers in all planes of a state. `symmetries`: of the game, 1 if there are none.
    NetworkInputs(int players, std::size_t state_bytes, std::size_t inputs, int symmetries,
                  Functions functions);

    const int players;
    const std::size_t state_bytes;
    const std::size_t inputs;
    const int symmetries;

    // Writes `inputs` numbers and the mover of each state. Safe in several threads at once.
    void write(State states, std::size_t count, float* planes, std::uint8_t* movers) const;
    // The same, of one image of each state: images[i] is the number of a symmetry.
    void write_images(State states, std::size_t count, const std::uint8_t* images, float* planes,
                      std::uint8_t* movers) const;
    // Either of them by several threads; `images` may be null.
    void write_in_threads(State states, std::size_t count, const std::uint8_t* images,
                          float* planes, std::uint8_t* movers, int threads) const;
    // The same with a byte for each number. False if a byte cannot hold one of the numbers; then
    // the planes are of no use.
    bool write_bytes(State states, std::size_t count, const std::uint8_t* images,
                     std::uint8_t* planes, std::uint8_t* movers, int threads) const;

  private:
    bool write_part(State states, std::size_t count, const std::uint8_t* images,
                    std::uint8_t* planes, std::uint8_t* movers) const;
    int mover(State state) const;
    void encode(State states, std::size_t count, float* planes) const;

    const Functions functions_;
};

// Turns the outputs of a network for a state into one value per player. One output: the value for
// the mover, in a game of two players whose values add up to zero. Otherwise output j is for the
// player who moves j turns from now.
inline void write_per_player(const float* values, int outputs, float scale, int players, int mover,
                             float* out) {
    if (outputs != players) {
        out[mover] = values[0] * scale;
        out[1 - mover] = -values[0] * scale;
        return;
    }
    for (int j = 0; j < outputs; ++j) out[(mover + j) % players] = values[j] * scale;
}

}  // namespace unbounded
