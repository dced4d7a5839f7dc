// SPDX-License-Identifier: MIT
#include "selfplay/worker_threads.h"

#include <utility>

namespace unbounded {

WorkerThreads::WorkerThreads(int count) : count_(count), failures_(count) {
    for (int thread = 1; thread < count; ++thread)
        threads_.emplace_back([this, thread] { serve(thread); });
}

WorkerThreads::~WorkerThreads() {
    {
        const std::lock_guard lock(mutex_);
        leaving_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

void WorkerThreads::each(std::size_t count, const std::function<void(std::size_t)>& work) {
    {
        const std::lock_guard lock(mutex_);
        work_ = &work;
        work_count_ = count;
        running_ = count_ - 1;
        ++round_;
    }
    changed_.notify_all();
    do_share(0);
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return running_ == 0; });
    }
    std::exception_ptr first;
    for (std::exception_ptr& failure : failures_) {
        const std::exception_ptr each = std::exchange(failure, nullptr);
        if (!first) first = each;
    }
    if (first) std::rethrow_exception(first);
}

void WorkerThreads::serve(int thread) {
    std::uint64_t seen = 0;
    for (;;) {
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return leaving_ || round_ != seen; });
            if (leaving_) return;
            seen = round_;
        }
        do_share(thread);
        {
            const std::lock_guard lock(mutex_);
            --running_;
        }
        changed_.notify_all();
    }
}

void WorkerThreads::do_share(int thread) {
    const std::size_t begin = work_count_ * thread / count_;
    const std::size_t end = work_count_ * (thread + 1) / count_;
    try {
        for (std::size_t i = begin; i < end; ++i) (*work_)(i);
    } catch (...) {
        failures_[thread] = std::current_exception();
    }
}

}  // namespace unbounded
