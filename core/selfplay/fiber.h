// SPDX-License-Identifier: MIT
// A function that can be suspended in the middle of any call, and resumed later. A search waits in
// this way for its evaluations while other games go on, and needs no code of its own for that.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <memory>

namespace unbounded {

class Fiber {
  public:
    // The body must not throw. It is started by the first `resume`.
    Fiber(std::function<void()> body, std::size_t stack_bytes);
    ~Fiber();
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    // Runs the body until it suspends itself or ends; returns whether it has not ended.
    bool resume();
    // Called by the body: returns to the caller of `resume`.
    void suspend();
    bool ended() const { return ended_; }
    // Whether the end of the stack has been written to: then memory beyond it may have been too.
    bool overflowed() const;

  private:
    static void enter(unsigned high, unsigned low);
    void run();

    const std::function<void()> body_;
    const std::size_t stack_bytes_;
    std::byte* stack_;  // mapped memory: pages that are never touched cost nothing
    ucontext_t here_{}, caller_{};
    bool ended_ = false;

    // For the sanitizers, which have to be told of the change of stacks.
    void* thread_fiber_ = nullptr;
    void* caller_fiber_ = nullptr;
    void* fake_stack_ = nullptr;
    const void* caller_stack_ = nullptr;
    std::size_t caller_stack_bytes_ = 0;
};

}  // namespace unbounded
