// SPDX-License-Identifier: MIT
#include "rules/gathered_evaluator.h"

#include <algorithm>

namespace unbounded {

void GatheredEvaluator::evaluate(State states, std::size_t count, float* out) {
    Request request{states, count, out};
    std::unique_lock lock(mutex_);
    waiting_.push_back(&request);
    changed_.wait(lock, [&] { return request.answered || !evaluating_; });
    if (!request.answered) {
        evaluating_ = true;
        gathered_.swap(waiting_);
        lock.unlock();
        std::exception_ptr failure = evaluate_gathered();
        lock.lock();
        answer(std::move(failure));
        changed_.notify_all();
    }
    if (request.failure) std::rethrow_exception(request.failure);
}

// Evaluates what was gathered; returns what went wrong, if anything.
std::exception_ptr GatheredEvaluator::evaluate_gathered() try {
    if (gathered_.size() == 1) {
        inner_.evaluate(gathered_[0]->states, gathered_[0]->count, gathered_[0]->out);
        return nullptr;
    }
    states_.clear();
    std::size_t count = 0;
    for (const Request* request : gathered_) {
        states_.insert(states_.end(), request->states,
                       request->states + request->count * state_bytes_);
        count += request->count;
    }
    values_.resize(count * players_);
    inner_.evaluate(states_.data(), count, values_.data());
    const float* from = values_.data();
    for (const Request* request : gathered_) {
        const float* const end = from + request->count * players_;
        std::copy(from, end, request->out);
        from = end;
    }
    return nullptr;
} catch (...) {
    return std::current_exception();
}

// Wakes up those whose states were evaluated. Called with the lock.
void GatheredEvaluator::answer(std::exception_ptr failure) {
    for (Request* request : gathered_) {
        request->failure = failure;
        request->answered = true;
    }
    gathered_.clear();
    evaluating_ = false;
}

}  // namespace unbounded
