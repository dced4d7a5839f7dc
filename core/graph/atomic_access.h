// SPDX-License-Identifier: MIT
// Access to plain memory by several threads at once. Where only one thread uses the memory, it may
// also be accessed as usual.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

namespace unbounded {

#if defined(__GNUC__) || defined(__clang__)

template <class T>
T load_relaxed(const T& from) {
    return __atomic_load_n(&from, __ATOMIC_RELAXED);
}
template <class T>
T load_acquire(const T& from) {
    return __atomic_load_n(&from, __ATOMIC_ACQUIRE);
}
template <class T>
void store_relaxed(T& to, std::type_identity_t<T> value) {
    __atomic_store_n(&to, value, __ATOMIC_RELAXED);
}
template <class T>
void store_release(T& to, std::type_identity_t<T> value) {
    __atomic_store_n(&to, value, __ATOMIC_RELEASE);
}
template <class T>
T add_relaxed(T& to, std::type_identity_t<T> more) {
    return __atomic_fetch_add(&to, more, __ATOMIC_RELAXED);
}
// Returns whether `expected` was there, and so was replaced.
template <class T>
bool replace(T& in, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
    return __atomic_compare_exchange_n(&in, &expected, value, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
}
// Both return what was there before.
template <class T>
T set_bits(T& in, std::type_identity_t<T> bits) {
    return __atomic_fetch_or(&in, bits, __ATOMIC_ACQ_REL);
}
template <class T>
T clear_bits(T& in, std::type_identity_t<T> bits) {
    return __atomic_fetch_and(&in, static_cast<T>(~bits), __ATOMIC_ACQ_REL);
}

#else

template <class T>
T load_relaxed(const T& from) {
    return std::atomic_ref(const_cast<T&>(from)).load(std::memory_order_relaxed);
}
template <class T>
T load_acquire(const T& from) {
    return std::atomic_ref(const_cast<T&>(from)).load(std::memory_order_acquire);
}
template <class T>
void store_relaxed(T& to, std::type_identity_t<T> value) {
    std::atomic_ref(to).store(value, std::memory_order_relaxed);
}
template <class T>
void store_release(T& to, std::type_identity_t<T> value) {
    std::atomic_ref(to).store(value, std::memory_order_release);
}
template <class T>
T add_relaxed(T& to, std::type_identity_t<T> more) {
    return std::atomic_ref(to).fetch_add(more, std::memory_order_relaxed);
}
template <class T>
bool replace(T& in, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
    return std::atomic_ref(in).compare_exchange_strong(expected, value, std::memory_order_acq_rel);
}
template <class T>
T set_bits(T& in, std::type_identity_t<T> bits) {
    return std::atomic_ref(in).fetch_or(bits, std::memory_order_acq_rel);
}
template <class T>
T clear_bits(T& in, std::type_identity_t<T> bits) {
    return std::atomic_ref(in).fetch_and(static_cast<T>(~bits), std::memory_order_acq_rel);
}

#endif

}  // namespace unbounded
