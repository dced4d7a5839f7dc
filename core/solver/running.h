// SPDX-License-Identifier: MIT
// Begins a run of the solver, and ends it when it goes out of scope.
#pragma once

#include <optional>

#include "solver/solver.h"

namespace unbounded {

class Solver::Running {
  public:
    Running(Solver& solver, const Limits& limits, Watch& watch);

  private:
    std::optional<GiveUpWith> give_up_;
};

}  // namespace unbounded
