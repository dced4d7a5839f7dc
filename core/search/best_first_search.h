// SPDX-License-Identifier: MIT
// The plain loop: iterations of one algorithm until the root is resolved or the budget is spent.
#pragma once

#include <memory>

#include "search/algorithms.h"

namespace unbounded {

class BestFirstSearch {
  public:
    // The walk is the caller's: between runs it may use it too.
    BestFirstSearch(Walk& walk, const Algorithm& algorithm)
        : walk_(walk),
          searched_(walk.searched),
          iteration_(searched_.options.leaves > 1 ? algorithm.make_batched(walk)
                                                  : algorithm.make(walk)) {}

    Stop run(const Limits& limits, const Poll& poll);
    // To be called when others have changed the graph: edges and numbers that were kept are void.
    void forget() {
        walk_.begin();
        iteration_->forget();
    }
    // Makes the graph as if the iteration in progress had not begun, and undoes that.
    void step_back() {
        iteration_->step_back();
        walk_.step_back();
    }
    void step_forward() {
        walk_.step_forward();
        iteration_->step_forward();
    }

  private:
    Progress iterate(Watch& watch);
    void abandon_iteration();

    Walk& walk_;
    SearchGraph& searched_;
    std::unique_ptr<Iteration> iteration_;
};

}  // namespace unbounded
