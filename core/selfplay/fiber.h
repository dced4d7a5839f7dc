// SPDX-License-Identifier: MIT
// A function that can be suspended in the middle of any call, and resumed later. A search waits in
// this way for its evaluations while other games go on, and needs no code of its own for that.
#pragma once

#include <cstddef>
#include <functional>

// Two stacks are exchanged by a few instructions. `swapcontext`, which serves other processors,
// calls the kernel: that would take a fifth of the time of self-play in batches. Windows has fibers
// of its own: see fiber_windows.cpp.
#if !defined(UNBOUNDED_OWN_SWITCH)
#if defined(__x86_64__) && defined(__linux__)
#define UNBOUNDED_OWN_SWITCH 1
#else
#define UNBOUNDED_OWN_SWITCH 0
#endif
#endif
#if !UNBOUNDED_OWN_SWITCH && !defined(_WIN32)
#include <ucontext.h>
#endif

namespace unbounded {

// Where a function was left: its stack, on which its registers lie, or what the system keeps.
#if UNBOUNDED_OWN_SWITCH || defined(_WIN32)
using Context = void*;
#else
using Context = ucontext_t;
#endif

class Fiber;
void run_fiber(Fiber* fiber);

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
    void prepare();
    void run();
    friend void run_fiber(Fiber* fiber);

    const std::function<void()> body_;
    const std::size_t stack_bytes_;
    std::byte* stack_ = nullptr;  // mapped memory: pages that are never touched cost nothing
    Context here_{}, caller_{};
    bool ended_ = false;

    // For the sanitizers, which have to be told of the change of stacks.
    void* thread_fiber_ = nullptr;
    void* caller_fiber_ = nullptr;
    void* fake_stack_ = nullptr;
    const void* caller_stack_ = nullptr;
    std::size_t caller_stack_bytes_ = 0;
};

}  // namespace unbounded
