// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checking/claims.h"

namespace unbounded::checking {

// What was known of a successor that a line uses.
struct Known {
    std::string state;  // its bytes
    std::vector<Statement> claims;
};

// An accepted line, and everything that it rests on: enough to check it again by itself.
struct Drawn {
    std::uint64_t number;  // of the line in its file, from 1
    std::string line;
    std::vector<Known> known;
};

// So many lines of all, each as likely as any other, drawn while the lines pass.
class Sample {
  public:
    Sample(std::size_t size, std::uint64_t seed) : size_(size), random_(seed) {}

    // Where to put the next line; nothing: it is not drawn.
    std::optional<std::size_t> next();
    void put(std::size_t place, Drawn drawn);
    const std::vector<Drawn>& all() const { return drawn_; }

  private:
    std::uint64_t random();

    const std::size_t size_;
    std::uint64_t random_, seen_ = 0;
    std::vector<Drawn> drawn_;
};

}  // namespace unbounded::checking
