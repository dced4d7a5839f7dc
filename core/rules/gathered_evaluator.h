// SPDX-License-Identifier: MIT
// Lets several threads use an evaluator that only one of them may call at a time, as networks in
// Python: what they ask for during a call is evaluated in the next one, in one batch. One thread
// makes all the calls, for whatever a library keeps for each thread that calls it.
#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "rules/evaluator.h"

namespace unbounded {

class GatheredEvaluator final : public Evaluator {
  public:
    GatheredEvaluator(Evaluator& inner, std::size_t state_bytes, int players)
        : inner_(inner), state_bytes_(state_bytes), players_(players) {}
    ~GatheredEvaluator() override;

    // Gathers while it lives, in a run of several threads. Otherwise there is one thread, which may
    // hold what the evaluator needs: it makes its calls itself.
    class Run {
      public:
        explicit Run(GatheredEvaluator* evaluator) : evaluator_(evaluator) { set(true); }
        ~Run() { set(false); }
        Run(const Run&) = delete;
        Run& operator=(const Run&) = delete;

      private:
        void set(bool gathers) {
            if (evaluator_ != nullptr) evaluator_->gathering_ = gathers;
        }
        GatheredEvaluator* const evaluator_;
    };

    // Returns when the numbers are there. A call takes what has been asked for, however little: no
    // batch is waited for.
    void evaluate(State states, std::size_t count, float* out) override;
    bool native() const override { return inner_.native(); }
    bool shareable() const override { return true; }
    int batch_hint() const override { return inner_.batch_hint(); }

  private:
    struct Request {
        State states;
        std::size_t count;
        float* out;
        bool answered = false;
        std::exception_ptr failure = nullptr;
    };

    void serve();
    std::exception_ptr evaluate_gathered();

    Evaluator& inner_;
    const std::size_t state_bytes_;
    const int players_;
    bool gathering_ = false;  // changed by one thread alone

    std::mutex mutex_;  // of the requests, and of what follows
    std::condition_variable asked_, answered_;
    std::vector<Request*> waiting_;
    bool over_ = false;
    std::thread server_;  // started when it is first needed

    // Of that thread.
    std::vector<Request*> gathered_;
    std::vector<std::byte> states_;
    std::vector<float> values_;
};

}  // namespace unbounded
