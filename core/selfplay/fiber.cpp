// SPDX-License-Identifier: MIT
#include "selfplay/fiber.h"

#if !defined(_WIN32)
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <stdexcept>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

#if UNBOUNDED_OWN_SWITCH
// Saves what a called function must preserve, by the rules of System V, on the stack, and goes on
// where the other stack was left. A new fiber begins at unbounded_begin_fiber, with its function
// and its argument in registers that the switch restores.
extern "C" void unbounded_switch(void** left, void* entered);
extern "C" void unbounded_begin_fiber();
asm(R"(
.text
.p2align 4
.hidden unbounded_switch
.globl unbounded_switch
.type unbounded_switch, @function
unbounded_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    subq $8, %rsp
    stmxcsr (%rsp)
    fnstcw 4(%rsp)
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    ldmxcsr (%rsp)
    fldcw 4(%rsp)
    addq $8, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size unbounded_switch, .-unbounded_switch
.p2align 4
.hidden unbounded_begin_fiber
.globl unbounded_begin_fiber
.type unbounded_begin_fiber, @function
unbounded_begin_fiber:
    .cfi_startproc
    .cfi_undefined rip
    movq %rbx, %rdi
    call *%r12
    ud2
    .cfi_endproc
.size unbounded_begin_fiber, .-unbounded_begin_fiber
)");
#endif

namespace unbounded {

namespace {

#if UNBOUNDED_OWN_SWITCH
void exchange(Context& left, const Context& entered) { unbounded_switch(&left, entered); }
#else
void exchange(Context& left, const Context& entered) { swapcontext(&left, &entered); }

// makecontext passes integers.
void enter(unsigned high, unsigned low) {
    run_fiber(reinterpret_cast<Fiber*>(static_cast<std::uintptr_t>(high) << 32 | low));
}
#endif

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
    prepare();
#if defined(__SANITIZE_THREAD__)
    thread_fiber_ = __tsan_create_fiber(0);
#endif
}

#if UNBOUNDED_OWN_SWITCH
// The stack looks as if unbounded_switch had been called from where the fiber begins. The control
// words are those of this thread.
void Fiber::prepare() {
    std::uint64_t frame[8] = {};
    std::uint32_t vector_control = 0;
    std::uint16_t control = 0;
    asm volatile("stmxcsr %0" : "=m"(vector_control));
    asm volatile("fnstcw %0" : "=m"(control));
    frame[0] = std::uint64_t{control} << 32 | vector_control;
    frame[4] = reinterpret_cast<std::uint64_t>(&run_fiber);  // r12
    frame[5] = reinterpret_cast<std::uint64_t>(this);        // rbx
    frame[7] = reinterpret_cast<std::uint64_t>(&unbounded_begin_fiber);
    // Sixteen bytes above are left as a frame that returns to nowhere; stacks are aligned to them.
    std::byte* const top = stack_ + stack_bytes_ - 16 - sizeof frame;
    std::memcpy(top, frame, sizeof frame);
    here_ = top;
}
#else
void Fiber::prepare() {
    if (getcontext(&here_) != 0) throw std::runtime_error("a fiber could not be made");
    here_.uc_stack.ss_sp = stack_;
    here_.uc_stack.ss_size = stack_bytes_;
    here_.uc_link = nullptr;
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&here_, reinterpret_cast<void (*)()>(enter), 2, static_cast<unsigned>(self >> 32),
                static_cast<unsigned>(self));
}
#endif

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
    exchange(caller_, here_);
    after_switch(fake, nullptr, nullptr);
    return !ended_;
}

void Fiber::suspend() {
    before_switch(ended_ ? nullptr : &fake_stack_, caller_stack_, caller_stack_bytes_,
                  caller_fiber_);
    exchange(here_, caller_);
    after_switch(fake_stack_, &caller_stack_, &caller_stack_bytes_);
}

void run_fiber(Fiber* fiber) { fiber->run(); }

bool Fiber::overflowed() const {
    for (std::size_t i = 0; i < guard_bytes; ++i)
        if (stack_[i] != untouched) return true;
    return false;
}

void Fiber::run() {
    after_switch(nullptr, &caller_stack_, &caller_stack_bytes_);
    body_();
    ended_ = true;
    suspend();  // for good
}

}  // namespace unbounded

#endif  // !defined(_WIN32)
