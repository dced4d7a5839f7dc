// SPDX-License-Identifier: MIT
// Sharing a range among threads that live for one call.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace unbounded {

// Calls work(begin, end) for `workers` parts of the numbers below `count`, and rethrows the first
// exception.
template <class Work>
void in_threads(std::size_t count, std::size_t workers, const Work& work) {
    const std::size_t share = (count + workers - 1) / workers;
    std::vector<std::exception_ptr> failures(workers);
    const auto part = [&](std::size_t worker) {
        try {
            work(std::min(count, worker * share), std::min(count, (worker + 1) * share));
        } catch (...) {
            failures[worker] = std::current_exception();
        }
    };
    std::vector<std::thread> others;
    for (std::size_t worker = 1; worker < workers; ++worker) others.emplace_back(part, worker);
    part(0);
    for (std::thread& other : others) other.join();
    for (const std::exception_ptr& failure : failures)
        if (failure) std::rethrow_exception(failure);
}

}  // namespace unbounded
