// SPDX-License-Identifier: MIT
// One game after another against itself, or against a past network, written as if evaluations were
// there at once; a fiber suspends it where they are not.
#pragma once

#include <exception>
#include <memory>
#include <vector>

#include "selfplay/exploration.h"
#include "selfplay/fiber.h"
#include "selfplay/scored_rules.h"

namespace unbounded {

enum class Targets {
    tree,      // every expanded state of the searches, and terminal ones
    root,      // the searched states of the game
    terminal,  // the states of the game, with its end
};

struct SelfPlaySettings {
    Options options;             // of the searches
    std::uint64_t states = 200;  // added per move
    Exploration exploration;
    Scoring scoring;
    Targets targets = Targets::tree;
    std::uint32_t opening = 0;    // at most so many random moves first
    float past = 0;               // the share of games in which one seat plays with a past network
    std::uint32_t per_ply = 64;   // at most so many states of a ply are learned from a game
    float resolved_share = 0.5f;  // of those, at most this share is resolved
    float terminal_share = 0.1f;  // likewise terminal
    std::uint32_t longest = 10000;  // a game is given up after so many moves
};

// What there is to learn from games that are over. States are the game's own.
struct Lessons {
    std::vector<std::byte> states;
    std::vector<float> values;  // a row per state: one number per player
    std::vector<std::uint16_t> plies;
    std::vector<std::uint8_t> kinds;     // 0 open, 1 resolved, 2 terminal
    std::vector<std::uint32_t> counts;   // states per game
    std::vector<std::uint32_t> moves;    // moves per game, those of the opening included
    std::vector<std::uint16_t> actions;  // the moves of all games: places among the actions
    std::vector<float> results;          // a row per game: the value of the last state
    std::vector<std::uint64_t> by_ply;   // expanded states of all games, before any were left out

    void append(const Lessons& other);
    void clear();
};

struct GameCounts {
    std::uint64_t evaluated = 0, expanded = 0, games = 0, moves = 0, resolved_roots = 0;
};

// The evaluations that a suspended game is waiting for.
struct Wanted {
    int network = 0;                // 0: the current one, 1: a past one
    std::vector<std::byte> states;  // the game's own
    std::size_t count = 0;          // 0: it is not waiting
    float* out = nullptr;           // a row per state: one number per player
};

class SelfPlayGame {
  public:
    // `native`: evaluators by network that answer at once; null where the game is to wait.
    SelfPlayGame(const Rules& rules, const NetworkInputs& inputs, const SelfPlaySettings& settings,
                 std::uint64_t seed, std::vector<Evaluator*> native);
    ~SelfPlayGame();

    // Goes on until evaluations are wanted; a game that never wants any makes one move. Always
    // returns.
    void advance();

    Wanted wanted;
    Lessons lessons;  // of games that are over
    GameCounts counts;

  private:
    class Leaves;
    struct Abandoned {};

    void play_forever();
    void play_game();
    void pause();
    void begin();
    void play_opening(std::byte* state);
    void record(State reached);
    void restart(int network);
    bool move();
    void take_root(const Search& search);
    void learn_from_game();
    void take_tree();
    void take_node(NodeId id, std::uint8_t kind);
    bool can_be_shown(State state);
    void take(State state, const float* values, std::uint8_t kind);
    void values_of(const Search& search, NodeId id, float* out) const;

    const Rules& game_;
    const NetworkInputs& inputs_;
    const SelfPlaySettings& settings_;
    const bool waits_;  // for evaluations
    ScoredRules rules_;
    Random random_;
    std::vector<std::unique_ptr<Leaves>> leaves_;    // by network
    std::vector<std::unique_ptr<Search>> searches_;  // by network; the first one is learned from
    int past_seat_ = -1;                             // -1: the second one takes no part
    std::vector<std::byte> state_;
    // The same state as the actions so far make it, not replaced by an image.
    std::vector<std::byte> played_;
    std::vector<std::uint16_t> actions_;
    Expansion listed_;
    std::vector<float> planes_;
    Lessons roots_;
    bool started_ = false, leaving_ = false;
    std::exception_ptr failure_;
    std::unique_ptr<Fiber> fiber_;  // last: its body uses all of the above
};

}  // namespace unbounded
