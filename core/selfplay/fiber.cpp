// SPDX-License-Identifier: MIT
#include "selfplay/fiber.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <stdexcept>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace unbounded {

namespace {

constexpr std::size_t guard_bytes = 64;
constexpr std::byte untouched{0xA5};

void before_switch([[maybe_unused]] void** fake, [[maybe_unused]] const void* stack,
                   [[maybe_unused]] std::size_t bytes, [[maybe_unused]] void* fiber) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(fake, stack, bytes);
#endif
#if defined(__SANITIZE_THREAD__)
    __tsan_switch_to_fiber(fiber, 0);
#endif
}

void after_switch([[maybe_unused]] void* fake, [[maybe_unused]] const void** stack,
                  [[maybe_unused]] std::size_t* bytes) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(fake, stack, bytes);
#endif
}

}  // namespace

Fiber::Fiber(std::function<void()> body, std::size_t stack_bytes)
    : body_(std::move(body)), stack_bytes_(stack_bytes) {
    void* const memory = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    stack_ = static_cast<std::byte*>(memory);
    std::fill(stack_, stack_ + guard_bytes, untouched);
    if (getcontext(&here_) != 0) throw std::runtime_error("a fiber could not be made");
    here_.uc_stack.ss_sp = stack_;
    here_.uc_stack.ss_size = stack_bytes;
    here_.uc_link = nullptr;
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&here_, reinterpret_cast<void (*)()>(enter), 2, static_cast<unsigned>(self >> 32),
                static_cast<unsigned>(self));
#if defined(__SANITIZE_THREAD__)
    thread_fiber_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
#if defined(__SANITIZE_THREAD__)
    __tsan_destroy_fiber(thread_fiber_);
#endif
    munmap(stack_, stack_bytes_);
}

bool Fiber::resume() {
    if (ended_) return false;
    void* fake = nullptr;
#if defined(__SANITIZE_THREAD__)
    caller_fiber_ = __tsan_get_current_fiber();
#endif
    before_switch(&fake, stack_, stack_bytes_, thread_fiber_);
    swapcontext(&caller_, &here_);
    after_switch(fake, nullptr, nullptr);
    return !ended_;
}

void Fiber::suspend() {
    before_switch(ended_ ? nullptr : &fake_stack_, caller_stack_, caller_stack_bytes_,
                  caller_fiber_);
    swapcontext(&here_, &caller_);
    after_switch(fake_stack_, &caller_stack_, &caller_stack_bytes_);
}

bool Fiber::overflowed() const {
    for (std::size_t i = 0; i < guard_bytes; ++i)
        if (stack_[i] != untouched) return true;
    return false;
}

void Fiber::enter(unsigned high, unsigned low) {
    reinterpret_cast<Fiber*>(static_cast<std::uintptr_t>(high) << 32 | low)->run();
}

void Fiber::run() {
    after_switch(nullptr, &caller_stack_, &caller_stack_bytes_);
    body_();
    ended_ = true;
    suspend();  // for good
}

}  // namespace unbounded
