// SPDX-License-Identifier: MIT
// Threads that are kept, and share a loop among them.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace unbounded {

class WorkerThreads {
  public:
    explicit WorkerThreads(int count);
    ~WorkerThreads();
    WorkerThreads(const WorkerThreads&) = delete;
    WorkerThreads& operator=(const WorkerThreads&) = delete;

    // Calls work(i) for every i below `count`; a thread gets neighbors, always the same ones.
    // Rethrows the exception of the lowest i that threw.
    void each(std::size_t count, const std::function<void(std::size_t)>& work);

  private:
    void serve(int thread);
    void do_share(int thread);

    const int count_;
    std::mutex mutex_;
    std::condition_variable changed_;
    const std::function<void(std::size_t)>* work_ = nullptr;
    std::size_t work_count_ = 0;
    std::uint64_t round_ = 0;
    int running_ = 0;
    bool leaving_ = false;
    std::vector<std::exception_ptr> failures_;
    std::vector<std::thread> threads_;
};

}  // namespace unbounded
