// SPDX-License-Identifier: MIT
// What the search may ask of a game, and what it may ask about the worth of a state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace unbounded {

using State = const std::byte*;

// A rule or an evaluation broke the contract. The caller asks the Python rule again on the same
// state, so that its author sees an ordinary traceback.
struct RuleFailure : std::runtime_error {
    RuleFailure(std::string rule_name, State state, std::size_t bytes, const std::string& what)
        : std::runtime_error(what), rule(std::move(rule_name)), state(state, state + bytes) {}

    std::string rule;
    std::vector<std::byte> state;
    int action_index = -1;                       // of `next`: which of the actions
    std::vector<std::vector<std::byte>> states;  // of a cycle: the states along it
};

// Of a line of states that leads back to its first.
RuleFailure cycle_failure(const std::vector<State>& line, std::size_t state_bytes);

// What is known of a state by the rules alone.
struct Description {
    explicit Description(int players) : outcome(players), score(players) {}

    int player = 0;
    bool terminal = false;
    std::vector<std::int8_t> outcome;  // of a terminal state
    std::vector<float> score;          // of a terminal state
};

constexpr float unknown_best_score = std::numeric_limits<float>::infinity();

class Rules {
  public:
    Rules(int players, std::size_t state_bytes, int max_actions, std::vector<float> best_score);
    virtual ~Rules() = default;
    Rules(const Rules&) = delete;
    Rules& operator=(const Rules&) = delete;

    const int players;
    const std::size_t state_bytes;
    const int max_actions;
    const std::vector<float> best_score;  // per player; unknown_best_score where it is not known

    virtual void initial(std::byte* out) = 0;
    // How many actions there are; `successor` then speaks of this state.
    virtual int actions(State state) = 0;
    virtual void successor(int index, std::byte* out) = 0;
    // A name of that action: where actions have names, it is the same in other states.
    virtual std::int32_t label(int index) const { return index; }
    virtual void describe(State state, Description& out) = 0;
    // Plays a random game and describes its end, where the rules have a better way than move by
    // move. False: they have none.
    virtual bool play_out(State /*state*/, std::uint32_t /*seed*/, Description& /*end*/) {
        return false;
    }
    // A bound on the player's score over every end of the game below the state.
    virtual float best_score_from(State state, int player) = 0;
    // Whether `best_score_from` says more than `best_score`.
    virtual bool bounds_scores() const { return false; }
    // False when answering needs Python, and so its lock.
    virtual bool native() const = 0;

    // Refuses a score that was reached below a state and is above what `best_score_from` said.
    void check_promise(State state, int player, float promised, float reached) const;

  protected:
    void check(State state, const Description& description) const;
    // Returns a bound if it is one: a number, or infinity where nothing is known.
    float check_bound(State state, int player, float bound) const;
    [[noreturn]] void fail(const char* rule, State state, const std::string& what) const;
};

// The rules of a record game, compiled to C functions. Every function answers with a status, and a
// negative one means that the rule raised an exception.
struct RuleFunctions {
    std::int32_t (*initial)(void* state) = nullptr;
    std::int32_t (*player)(const void* state) = nullptr;
    std::int32_t (*actions)(const void* state, std::int32_t* out) = nullptr;
    std::int32_t (*next)(const void* state, std::int32_t action, void* out) = nullptr;
    std::int32_t (*outcome)(const void* state, std::int32_t* out) = nullptr;
    std::int32_t (*score)(const void* state, float* out) = nullptr;                    // optional
    std::int32_t (*best_score_from)(const void* state, float* out) = nullptr;          // optional
    std::int32_t (*symmetry)(const void* state, std::int32_t k, void* out) = nullptr;  // optional
};

class NativeRules final : public Rules {
  public:
    // With `symmetries` above 1, every state is replaced by the smallest of its images, so that
    // states that are the same up to symmetry are the same.
    NativeRules(int players, std::size_t state_bytes, int max_actions,
                std::vector<float> best_score, RuleFunctions functions, int symmetries = 1);

    void initial(std::byte* out) override;
    int actions(State state) override;
    void successor(int index, std::byte* out) override;
    std::int32_t label(int index) const override { return actions_[index]; }
    void describe(State state, Description& out) override;
    float best_score_from(State state, int player) override;
    bool bounds_scores() const override { return functions_.best_score_from != nullptr; }
    bool native() const override { return true; }

    // The same rules for another thread: they keep what they were last asked about.
    std::unique_ptr<NativeRules> copy() const;

    // What a depth-first search asks, which keeps its own states and actions. `list` needs room
    // for max_actions; a state that lists none is one for `finish`; `play` knows no symmetries.
    int list(State state, std::int32_t* out) const;
    int player(State state) const;
    void play(State state, std::int32_t action, int index, std::byte* out) const;
    void finish(State state, Description& out);
    // Replaces the state by the one that stands for all its images.
    void canonicalise(std::byte* state);

  private:
    RuleFunctions functions_;
    const int symmetries_;
    std::vector<std::byte> original_, image_;
    std::vector<std::byte> state_;       // the state that `successor` speaks of
    std::vector<std::int32_t> actions_;  // its actions
    std::vector<std::int32_t> scratch_actions_;
    std::vector<std::int32_t> scratch_outcome_;
    std::vector<float> scratch_score_;
};

// How many states lie `depth` moves below the initial one, counted once per way to get there;
// finished games stop.
std::uint64_t perft(Rules& rules, int depth);

// Thrown by an evaluator that was asked to give up in the middle of its work.
struct GivenUp {};

// What open states are worth, always asked of a batch: the children of one state.
class Evaluator {
  public:
    virtual ~Evaluator() = default;
    // Returns true to make a long evaluation give up; told how much work was done since.
    using GiveUp = std::function<bool(std::uint64_t work)>;
    GiveUp give_up;
    // Writes one number per state and player.
    virtual void evaluate(State states, std::size_t count, float* out) = 0;
    virtual bool native() const = 0;
    // Whether several threads may ask at once.
    virtual bool shareable() const { return native(); }
};

// Asks an evaluator, and refuses a number that is not finite.
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

  private:
    std::size_t state_bytes_;
    Function function_;
};

// The mean score of random games. The random numbers depend on the seed and the state alone, so a
// state is worth the same whenever it is asked.
class PlayoutEvaluator final : public Evaluator {
  public:
    PlayoutEvaluator(Rules& rules, int playouts, std::uint64_t seed)
        : rules_(rules), playouts_(playouts), seed_(seed) {}
    void evaluate(State states, std::size_t count, float* out) override;
    bool native() const override { return rules_.native(); }
    bool shareable() const override { return false; }

  private:
    Rules& rules_;
    int playouts_;
    std::uint64_t seed_;
};

}  // namespace unbounded
