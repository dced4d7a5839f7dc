// SPDX-License-Identifier: MIT
// The loop for several threads without bounds: each of them makes iterations of its own on the one
// graph. Nodes are read without a lock and changed under a lock of their own (shared_nodes.h); new
// states are added by one thread at a time; whatever else there is to do, one thread does alone.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "search/algorithms.h"
#include "search/gate.h"
#include "search/search_graph.h"

namespace unbounded {

// What the threads share beside the graph.
struct SharedSearch {
    SharedSearch(SearchGraph& searched, const Algorithm& algorithm)
        : searched(searched),
          most_expansions(algorithm.most_expansions),
          gate(searched.options.threads) {}

    SearchGraph& searched;
    const std::uint64_t most_expansions;  // in one iteration
    Gate gate;
    alignas(cache_line) SpinLock storing;  // of the one that adds states
    alignas(cache_line) Limits limits;
    const Watch* watch = nullptr;
    std::atomic<bool> over = false;
    std::atomic<bool> enough_states = false;
    std::atomic<std::uint64_t> recalls = 0;  // of the threads from their parts of the graph
};

// The iterations of one thread.
class ParallelWalk {
  public:
    enum class Progress {
        done,
        finished,      // the root is resolved
        nothing_free,  // all leaves that could be expanded are being expanded
        no_memory,     // it came to nothing, but for states expanded on the way
    };

    ParallelWalk() = default;
    virtual ~ParallelWalk() = default;
    ParallelWalk(const ParallelWalk&) = delete;
    ParallelWalk& operator=(const ParallelWalk&) = delete;

    virtual Progress iterate() = 0;
    // Forgets the line of the last iteration, and what it left to be added to the graph.
    virtual void forget() = 0;

    // Done since they were last added to those of the search.
    struct Counts {
        std::uint64_t iterations = 0, expansions = 0, resolved = 0, walked = 0;
    } counts;
    std::uint64_t work = 0;     // since the clock was read
    std::uint64_t allowed = 0;  // iterations that it may still begin
};

// parallel_walk.cpp; `thread`: its number.
std::unique_ptr<ParallelWalk> make_parallel_walk(SharedSearch& shared, int thread);

class ParallelSearch {
  public:
    ParallelSearch(SearchGraph& searched, const Algorithm& algorithm);

    Stop run(const Limits& limits, const Poll& poll);
    // Does the work while no thread changes anything; for the poll of a run, and its report.
    void undisturbed(const std::function<void()>& work);

  private:
    void work(int thread);
    ParallelWalk::Progress iterate(int thread);
    void step_aside(int thread);
    bool begin_iteration(int thread);
    bool over(int thread);
    bool is_late(int thread);
    void end(Stop reason);
    void make_room(int thread, std::uint64_t compactions);
    void settle();

    SearchGraph& searched_;
    SharedSearch shared_;
    std::vector<std::unique_ptr<ParallelWalk>> walks_;
    Watch* watch_ = nullptr;  // its caller is polled by the first thread only; null: no run
    alignas(cache_line) std::atomic<std::uint64_t> begun_ = 0;
    alignas(cache_line) std::atomic<std::uint64_t> compactions_ = 0;
    std::mutex mutex_;  // of what follows
    std::optional<Stop> reason_;
    std::exception_ptr failure_;
};

}  // namespace unbounded
