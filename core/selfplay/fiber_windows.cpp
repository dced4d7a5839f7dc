// SPDX-License-Identifier: MIT
// Fibers by those of Windows.
#include "selfplay/fiber.h"

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <new>
#include <utility>

namespace unbounded {

namespace {

void WINAPI enter(void* fiber) { run_fiber(static_cast<Fiber*>(fiber)); }

}  // namespace

Fiber::Fiber(std::function<void()> body, std::size_t stack_bytes)
    : body_(std::move(body)), stack_bytes_(stack_bytes) {
    prepare();
}

void Fiber::prepare() {
    here_ = CreateFiberEx(0, stack_bytes_, FIBER_FLAG_FLOAT_SWITCH, enter, this);
    if (here_ == nullptr) throw std::bad_alloc();
}

Fiber::~Fiber() { DeleteFiber(here_); }

bool Fiber::resume() {
    if (ended_) return false;
    // Only a fiber can switch to another one.
    const bool is_plain_thread = IsThreadAFiber() == FALSE;
    if (is_plain_thread && ConvertThreadToFiberEx(nullptr, FIBER_FLAG_FLOAT_SWITCH) == nullptr)
        throw std::bad_alloc();
    caller_ = GetCurrentFiber();
    SwitchToFiber(here_);
    if (is_plain_thread) ConvertFiberToThread();
    return !ended_;
}

void Fiber::suspend() { SwitchToFiber(caller_); }

void run_fiber(Fiber* fiber) { fiber->run(); }

// The system ends the process where a stack ends.
bool Fiber::overflowed() const { return false; }

void Fiber::run() {
    body_();
    ended_ = true;
    suspend();  // for good
}

}  // namespace unbounded
#endif
