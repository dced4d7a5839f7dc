// SPDX-License-Identifier: MIT
// The deadline and the stop request, checked during a run.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "search/options.h"

namespace unbounded {

// Returns true to stop the run. Called every few milliseconds, by the thread that called the run.
// It may read the search, where several threads search without bounds by `Search::undisturbed`.
using Poll = std::function<bool()>;

// Reading the clock takes time too, so it is read only after a certain amount of work.
class Watch {
  public:
    static constexpr std::uint64_t work_between_looks = 1024;

    Watch(double seconds, const Poll& poll);
    // Whether to stop, after this much more work: about one unit for each state walked.
    bool expired(std::uint64_t work) {
        if (work < countdown_) {
            countdown_ -= work;
            return false;
        }
        return look();
    }
    // The same at once, for use after time has passed without work. Once expired it stays so, and
    // the caller is not polled again: it has said what it wants.
    bool look();
    // Whether time is up. Any thread may ask, and the caller is not polled.
    bool late() const { return has_deadline_ && Clock::now() >= deadline_; }
    Stop reason() const { return reason_; }

  private:
    using Clock = std::chrono::steady_clock;

    const Poll& poll_;
    const bool has_deadline_;
    Clock::time_point deadline_;
    Clock::time_point next_poll_;
    std::uint64_t countdown_ = 1;
    bool is_over_ = false;
    Stop reason_ = Stop::seconds;
};

}  // namespace unbounded
