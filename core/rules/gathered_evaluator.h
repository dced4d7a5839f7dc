// SPDX-License-Identifier: MIT
// Lets several threads use an evaluator that only one of them may call at a time, as networks in
// Python: what the others ask for meanwhile is evaluated in the next call, in one batch.
#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>
#include <vector>

#include "rules/evaluator.h"

namespace unbounded {

class GatheredEvaluator final : public Evaluator {
  public:
    GatheredEvaluator(Evaluator& inner, std::size_t state_bytes, int players)
        : inner_(inner), state_bytes_(state_bytes), players_(players) {}

    // Returns when the numbers are there. The first to come while nobody evaluates does so for all
    // who have asked: nobody waits for a batch to fill up, so one thread alone never waits.
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

    std::exception_ptr evaluate_gathered();
    void answer(std::exception_ptr failure);

    Evaluator& inner_;
    const std::size_t state_bytes_;
    const int players_;

    std::mutex mutex_;
    std::condition_variable changed_;
    bool evaluating_ = false;
    std::vector<Request*> waiting_;

    // Of the thread that evaluates.
    std::vector<Request*> gathered_;
    std::vector<std::byte> states_;
    std::vector<float> values_;
};

}  // namespace unbounded
