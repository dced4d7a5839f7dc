// SPDX-License-Identifier: MIT
// The registry of algorithms. An algorithm is one file here, one in `reference/`, and one line in
// each registry; tests/test_lockstep.py compares the two, iteration by iteration.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "search/walk.h"

// One line for each algorithm: NAME is a `const Algorithm` that the file NAME.cpp defines.
#define UNBOUNDED_ALGORITHMS(ALGORITHM) \
    ALGORITHM(ubfm)                     \
    ALGORITHM(descent)

namespace unbounded {

// The iterations of an algorithm, with what it remembers from one to the next.
class Iteration {
  public:
    explicit Iteration(Walk& walk)
        : walk(walk), graph(walk.graph), options(walk.searched.options) {}
    virtual ~Iteration() = default;
    Iteration(const Iteration&) = delete;
    Iteration& operator=(const Iteration&) = delete;

    // One iteration from the root. After Progress::no_memory its visits are undone. One that
    // expands several leaves counts all of them but one, which the caller counts.
    virtual Progress iterate(Watch& watch) = 0;
    // Forgets what it remembers: the graph was changed by others, or an iteration failed.
    virtual void forget() {}
    // Counts the visits that it has put off, before anybody else may read them.
    virtual void settle() {}
    // Makes the graph as if the leaves that wait for their evaluation had not been reached, and
    // undoes that.
    virtual void step_back() {}
    virtual void step_forward() {}

  protected:
    Walk& walk;
    Graph& graph;
    const Options& options;
};

struct Algorithm {
    std::string_view name;
    std::unique_ptr<Iteration> (*make)(Walk& walk);
    // The same with several leaves for each evaluation; null: there is no such iteration.
    std::unique_ptr<Iteration> (*make_batched)(Walk& walk);
    // How many states an iteration expands at most. The solver, which has an iteration of its own,
    // follows an algorithm by this number.
    std::uint64_t most_expansions;
};

std::unique_ptr<Iteration> make_batched_ubfm(Walk& walk);  // batched_ubfm.cpp

std::vector<std::string> algorithm_names();
// Throws std::invalid_argument if there is no algorithm of that name.
const Algorithm& algorithm_named(std::string_view name);

// An iteration for the value rule of the search, chosen once.
template <template <class> class Kind>
std::unique_ptr<Iteration> make_iteration(Walk& walk) {
    return with_value_rule(walk.searched.options.values,
                           [&]<class Values>() -> std::unique_ptr<Iteration> {
                               return std::make_unique<Kind<Values>>(walk);
                           });
}

#define UNBOUNDED_DECLARE(name) extern const Algorithm name;
UNBOUNDED_ALGORITHMS(UNBOUNDED_DECLARE)
#undef UNBOUNDED_DECLARE

}  // namespace unbounded
