// SPDX-License-Identifier: MIT
// Looks up algorithms by name.
#include "search/algorithms.h"

#include <stdexcept>

namespace unbounded {

namespace {

#define UNBOUNDED_ADDRESS(name) &name,
constexpr const Algorithm* all[] = {UNBOUNDED_ALGORITHMS(UNBOUNDED_ADDRESS)};
#undef UNBOUNDED_ADDRESS

}  // namespace

std::vector<std::string> algorithm_names() {
    std::vector<std::string> names;
    for (const Algorithm* algorithm : all) names.emplace_back(algorithm->name);
    return names;
}

const Algorithm& algorithm_named(std::string_view name) {
    for (const Algorithm* algorithm : all)
        if (algorithm->name == name) return *algorithm;
    std::string known;
    for (const std::string& other : algorithm_names()) known += (known.empty() ? "" : ", ") + other;
    throw std::invalid_argument("no algorithm '" + std::string(name) + "'; there are " + known);
}

}  // namespace unbounded
