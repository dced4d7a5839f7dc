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
        : walk_(walk), searched_(walk.searched), iteration_(algorithm.make(walk)) {}

    Stop run(const Limits& limits, const Poll& poll);
    // To be called when others have changed the graph: edges and numbers that were kept are void.
    void forget() {
        walk_.begin();
        iteration_->forget();
    }

  private:
    Progress iterate(Watch& watch);
    void abandon_iteration();

    Walk& walk_;
    SearchGraph& searched_;
    std::unique_ptr<Iteration> iteration_;
};

}  // namespace unbounded
