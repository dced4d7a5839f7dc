// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "rules/rules.h"

namespace unbounded::checking {

// The successors of one state in the order of its actions, each made when it is first needed.
// States are words, the last one filled up with zeros.
class Successors {
  public:
    explicit Successors(const Rules& rules);

    // Lists the actions of a state, which must not change until the next one.
    void list(State state);
    int count() const { return listed_.count; }
    // Refuses an action that does not exist.
    const std::uint64_t* at(int place);

  private:
    const Rules& rules_;
    const std::size_t words_;
    State state_ = nullptr;
    Expansion listed_;
    std::vector<std::uint64_t> states_;
    std::vector<bool> made_;
};

}  // namespace unbounded::checking
