// SPDX-License-Identifier: MIT
#include "checking/sample.h"

#include <utility>

namespace unbounded::checking {

// SplitMix64.
std::uint64_t Sample::random() {
    std::uint64_t mixed = random_ += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 31);
}

// The n-th line replaces one of those drawn with a chance of size / n (Vitter's algorithm R).
std::optional<std::size_t> Sample::next() {
    ++seen_;
    if (drawn_.size() < size_) return drawn_.size();
    const std::uint64_t place = random() % seen_;
    if (place >= size_) return std::nullopt;
    return place;
}

void Sample::put(std::size_t place, Drawn drawn) {
    if (place == drawn_.size())
        drawn_.push_back(std::move(drawn));
    else
        drawn_[place] = std::move(drawn);
}

}  // namespace unbounded::checking
