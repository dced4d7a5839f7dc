// SPDX-License-Identifier: MIT
// Waiting for another thread that will be done in a moment.
#pragma once

#include <atomic>
#include <thread>

namespace unbounded {

// Waits for another thread: for a moment by trying again, then by letting others run, one of which
// may be the one that is waited for.
class Patience {
  public:
    void wait() {
        if (++tries_ > tries_before_yielding) std::this_thread::yield();
    }

  private:
    static constexpr int tries_before_yielding = 64;
    int tries_ = 0;
};

class SpinLock {
  public:
    void lock() {
        for (Patience patience; locked_.exchange(true, std::memory_order_acquire);)
            while (locked_.load(std::memory_order_relaxed)) patience.wait();
    }
    void unlock() { locked_.store(false, std::memory_order_release); }

  private:
    std::atomic<bool> locked_ = false;
};

}  // namespace unbounded
