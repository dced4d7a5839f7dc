// SPDX-License-Identifier: MIT
// What states that are not terminal may be worth. An evaluation guides a search and proves nothing.
#pragma once

#include <functional>

#include "graph/hashing.h"
#include "rules/rules.h"

namespace unbounded {

// Thrown by an evaluator that was asked to give up in the middle of its work.
struct GivenUp {};

// Always called on a batch: the children of one state, or of several.
class Evaluator {
  public:
    virtual ~Evaluator() = default;
    // Returns true to make a long evaluation give up; told how much work was done since.
    using GiveUp = std::function<bool(std::uint64_t work)>;
    GiveUp give_up;
    // Writes one number per state and player.
    virtual void evaluate(State states, std::size_t count, float* out) = 0;
    // False: it needs Python and its lock.
    virtual bool native() const = 0;
    // Whether several threads may call it at once.
    virtual bool shareable() const { return native(); }
    // Whether several threads may use it in turn, what they wait for gathered in batches.
    virtual bool gathers() const { return false; }
    // Whether it is fast, and says enough, to order the moves of a depth-first search.
    virtual bool orders_moves() const { return false; }
    // For how many states the children are best evaluated in one call, where the caller may choose.
    virtual int batch_hint() const { return 1; }
};

// Calls an evaluator, and refuses a number that is not finite.
void evaluate_checked(Evaluator& evaluator, const Rules& rules, State states, std::size_t count,
                      float* out);

class ZeroEvaluator final : public Evaluator {
  public:
    explicit ZeroEvaluator(int players) : players_(players) {}
    void evaluate(State states, std::size_t count, float* out) override;
    bool native() const override { return true; }

  private:
    int players_;
};

// The game's own heuristic, compiled.
class NativeEvaluator final : public Evaluator {
  public:
    using Function = std::int32_t (*)(const void* states, std::int64_t count, float* out);

    NativeEvaluator(std::size_t state_bytes, Function function)
        : state_bytes_(state_bytes), function_(function) {}
    void evaluate(State states, std::size_t count, float* out) override;
    bool native() const override { return true; }
    bool orders_moves() const override { return true; }

  private:
    std::size_t state_bytes_;
    Function function_;
};

// The mean score of random games. The random numbers depend on the seed and the state alone, so a
// state is worth the same whenever it is evaluated.
class PlayoutEvaluator final : public Evaluator {
  public:
    PlayoutEvaluator(const Rules& rules, int playouts, std::uint64_t seed)
        : rules_(rules), playouts_(playouts), seed_(seed), listed_(rules), end_(rules.players) {}
    void evaluate(State states, std::size_t count, float* out) override;
    bool native() const override { return rules_.native(); }
    bool shareable() const override { return false; }

  private:
    void play_out(State start, std::byte* state, Random& random);

    const Rules& rules_;
    int playouts_;
    std::uint64_t seed_;
    Expansion listed_;
    Description end_;
};

}  // namespace unbounded
