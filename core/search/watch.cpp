// SPDX-License-Identifier: MIT
// Reads the clock and polls the caller.
#include "search/watch.h"

#include <algorithm>

namespace unbounded {

namespace {

constexpr auto time_between_polls = std::chrono::milliseconds(20);

}  // namespace

Watch::Watch(double seconds, const Poll& poll)
    : poll_(poll), has_deadline_(seconds >= 0), next_poll_(Clock::now()) {
    constexpr double forever = 1e9;
    if (has_deadline_)
        deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                       std::chrono::duration<double>(std::min(seconds, forever)));
}

bool Watch::look() {
    if (is_over_) return true;
    countdown_ = work_between_looks;
    const auto now = Clock::now();
    if (now >= next_poll_) {
        next_poll_ = now + time_between_polls;
        is_over_ = poll_ && poll_();
        if (is_over_) reason_ = Stop::interrupted;
    }
    if (has_deadline_ && now >= deadline_ && !is_over_) {
        reason_ = Stop::seconds;
        is_over_ = true;
    }
    if (is_over_) countdown_ = 0;
    return is_over_;
}

}  // namespace unbounded
