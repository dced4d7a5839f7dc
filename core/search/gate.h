// SPDX-License-Identifier: MIT
// A gate by which one of the threads that share a graph can be alone.
#pragma once

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "graph/memory.h"
#include "graph/waiting.h"

namespace unbounded {

// Threads are inside during an iteration. One that has to be alone closes the gate and waits until
// no other is inside.
class Gate {
  public:
    explicit Gate(int threads) : places_(threads) {}

    // A thread is inside while it lives.
    class Inside {
      public:
        Inside(Gate& gate, int thread) : gate_(gate), thread_(thread) {
            gate.enter(thread, Place::outside);
        }
        ~Inside() { gate_.places_[thread_].at.store(Place::outside, std::memory_order_release); }
        Inside(const Inside&) = delete;
        Inside& operator=(const Inside&) = delete;

      private:
        Gate& gate_;
        const int thread_;
    };

    // Does the work while no other thread is inside. For a thread that is outside: the others are
    // between two iterations.
    template <class Work>
    void alone(int thread, const Work& work) {
        for (;; std::this_thread::yield()) {  // to those that paused to be alone themselves
            const Closed closed(*this, thread);
            // Not: none is paused. One that goes on after a pause looks inside for a moment, until
            // it sees that the gate is closed.
            if (!any_other(thread, [](Place at) { return at != Place::outside; })) return work();
        }
    }
    // The same for a thread in the middle of an iteration; others may be in the middle of theirs.
    template <class Work>
    void alone_inside(int thread, const Work& work) {
        struct Paused {
            Paused(Gate& gate, int thread) : gate(gate), thread(thread) {
                gate.places_[thread].at.store(Place::paused, std::memory_order_release);
            }
            ~Paused() { gate.enter(thread, Place::paused); }
            Gate& gate;
            const int thread;
        } const paused(*this, thread);
        const Closed closed(*this, thread);
        work();
    }

  private:
    enum class Place { outside, paused, inside };
    struct alignas(cache_line) Seat {
        std::atomic<Place> at = Place::outside;
    };
    class Closed {
      public:
        Closed(Gate& gate, int thread) : gate_(gate), lock_(gate.mutex_) {
            // Either a thread that enters sees that the gate is closed, or it is seen inside.
            gate.closed_.store(true, std::memory_order_seq_cst);
            const auto is_inside = [](Place at) { return at == Place::inside; };
            for (Patience patience; gate.any_other(thread, is_inside);) patience.wait();
        }
        ~Closed() { gate_.closed_.store(false, std::memory_order_seq_cst); }
        Closed(const Closed&) = delete;
        Closed& operator=(const Closed&) = delete;

      private:
        Gate& gate_;
        const std::lock_guard<std::mutex> lock_;
    };

    void enter(int thread, Place before) {
        for (;;) {
            places_[thread].at.store(Place::inside, std::memory_order_seq_cst);
            if (!closed_.load(std::memory_order_seq_cst)) return;
            places_[thread].at.store(before, std::memory_order_release);
            const std::lock_guard wait_until_it_opens(mutex_);
        }
    }
    template <class Is>
    bool any_other(int thread, const Is& is) const {
        for (std::size_t i = 0; i < places_.size(); ++i)
            if (static_cast<int>(i) != thread && is(places_[i].at.load(std::memory_order_seq_cst)))
                return true;
        return false;
    }

    std::vector<Seat> places_;
    std::atomic<bool> closed_ = false;
    std::mutex mutex_;  // of the one that is alone
};

}  // namespace unbounded
