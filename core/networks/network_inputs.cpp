// SPDX-License-Identifier: MIT
#include "networks/network_inputs.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "networks/in_threads.h"

namespace unbounded {

namespace {

std::size_t workers_for(std::size_t count, int threads) {
    constexpr std::size_t least_share = 256;  // less is not worth a thread
    return std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(1, count / least_share));
}

// False if a number is not a whole one from 0 to 255.
bool to_bytes(const float* numbers, std::size_t count, std::uint8_t* out) {
    bool same = true;
    for (std::size_t i = 0; i < count; ++i) {
        const float kept = numbers[i] >= 0 && numbers[i] <= 255 ? numbers[i] : 0.0f;
        out[i] = static_cast<std::uint8_t>(kept);
        same &= static_cast<float>(out[i]) == numbers[i];
    }
    return same;
}

}  // namespace

NetworkInputs::NetworkInputs(int players, std::size_t state_bytes, std::size_t inputs,
                             int symmetries, Functions functions)
    : players(players),
      state_bytes(state_bytes),
      inputs(inputs),
      symmetries(symmetries),
      functions_(functions) {
    if (functions.encode == nullptr || functions.player == nullptr)
        throw std::invalid_argument("a network needs the rules `encode` and `player`");
    if (symmetries > 1 && functions.symmetry == nullptr)
        throw std::invalid_argument("the rule `symmetry` is missing");
}

void NetworkInputs::write(State states, std::size_t count, float* planes,
                          std::uint8_t* movers) const {
    encode(states, count, planes);
    for (std::size_t i = 0; i < count; ++i)
        movers[i] = static_cast<std::uint8_t>(mover(states + i * state_bytes));
}

void NetworkInputs::write_images(State states, std::size_t count, const std::uint8_t* images,
                                 float* planes, std::uint8_t* movers) const {
    std::vector<std::byte> image(state_bytes);
    for (std::size_t i = 0; i < count; ++i) {
        const State state = states + i * state_bytes;
        if (images[i] == 0) {
            write(state, 1, planes + i * inputs, movers + i);
            continue;
        }
        std::memcpy(image.data(), state, state_bytes);
        if (images[i] >= symmetries || functions_.symmetry(state, images[i], image.data()) < 0)
            throw RuleFailure("symmetry", state, state_bytes, "raised an exception");
        write(image.data(), 1, planes + i * inputs, movers + i);
    }
}

void NetworkInputs::write_in_threads(State states, std::size_t count, const std::uint8_t* images,
                                     float* planes, std::uint8_t* movers, int threads) const {
    in_threads(count, workers_for(count, threads), [&](std::size_t begin, std::size_t end) {
        const State first = states + begin * state_bytes;
        float* const out = planes + begin * inputs;
        if (images == nullptr)
            write(first, end - begin, out, movers + begin);
        else
            write_images(first, end - begin, images + begin, out, movers + begin);
    });
}

bool NetworkInputs::write_bytes(State states, std::size_t count, const std::uint8_t* images,
                                std::uint8_t* planes, std::uint8_t* movers, int threads) const {
    std::atomic<bool> same = true;
    in_threads(count, workers_for(count, threads), [&](std::size_t begin, std::size_t end) {
        const std::uint8_t* const numbers = images == nullptr ? nullptr : images + begin;
        if (!write_part(states + begin * state_bytes, end - begin, numbers, planes + begin * inputs,
                        movers + begin))
            same = false;
    });
    return same;
}

bool NetworkInputs::write_part(State states, std::size_t count, const std::uint8_t* images,
                               std::uint8_t* planes, std::uint8_t* movers) const {
    constexpr std::size_t at_once = 64;  // so that the numbers stay in the cache
    std::vector<float> numbers(at_once * inputs);
    bool same = true;
    for (std::size_t done = 0; done < count; done += at_once) {
        const std::size_t part = std::min(at_once, count - done);
        const State first = states + done * state_bytes;
        if (images == nullptr)
            write(first, part, numbers.data(), movers + done);
        else
            write_images(first, part, images + done, numbers.data(), movers + done);
        same &= to_bytes(numbers.data(), part * inputs, planes + done * inputs);
    }
    return same;
}

int NetworkInputs::mover(State state) const {
    const int player = functions_.player(state);
    if (player < 0 || player >= players)
        throw RuleFailure("player", state, state_bytes, "there is no such player");
    return player;
}

void NetworkInputs::encode(State states, std::size_t count, float* planes) const {
    // Rules add up in 64 bits, so the compiled function works in such an array before it rounds.
    thread_local std::vector<double> scratch;
    if (scratch.size() < inputs) scratch.resize(inputs);
    const int status =
        functions_.encode(states, static_cast<std::int64_t>(count), scratch.data(), planes);
    if (status < 0)
        throw RuleFailure("encode", states + state_bytes * (-1 - status), state_bytes,
                          "raised an exception");
}

}  // namespace unbounded
