// SPDX-License-Identifier: MIT
#include "rules/gathered_evaluator.h"

#include <algorithm>

namespace unbounded {

GatheredEvaluator::~GatheredEvaluator() {
    if (!server_.joinable()) return;
    {
        const std::lock_guard lock(mutex_);
        over_ = true;
    }
    asked_.notify_one();
    server_.join();
}

void GatheredEvaluator::evaluate(State states, std::size_t count, float* out) {
    if (!gathering_) return inner_.evaluate(states, count, out);
    Request request{states, count, out};
    std::unique_lock lock(mutex_);
    if (!server_.joinable()) server_ = std::thread([this] { serve(); });
    waiting_.push_back(&request);
    asked_.notify_one();
    answered_.wait(lock, [&] { return request.answered; });
    if (request.failure) std::rethrow_exception(request.failure);
}

// Answers requests until all is over.
void GatheredEvaluator::serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
        asked_.wait(lock, [this] { return over_ || !waiting_.empty(); });
        if (waiting_.empty()) return;
        gathered_.swap(waiting_);
        lock.unlock();
        const std::exception_ptr failure = evaluate_gathered();
        lock.lock();
        for (Request* request : gathered_) {
            request->failure = failure;
            request->answered = true;
        }
        gathered_.clear();
        answered_.notify_all();
    }
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

}  // namespace unbounded
