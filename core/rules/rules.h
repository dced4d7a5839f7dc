// SPDX-License-Identifier: MIT
// The seam between the search and a game: what the rules answer about states.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace unbounded {

using State = const std::byte*;

// A rule or an evaluation broke the contract. The caller runs the Python rule again on the same
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

// What the rules alone say about a state.
struct Description {
    explicit Description(int players) : outcome(players), score(players) {}

    int player = 0;  // of a state that is not terminal
    int action_count = 0;
    bool terminal = false;
    std::vector<std::int8_t> outcome;  // of a terminal state
    std::vector<float> score;          // of a terminal state
};

// What the rules say about a state near the end of the game: a number for what is left of it, the
// same only where the rest of the game is the same for the player to move; and by how many points
// that player leads.
struct Endgame {
    std::int32_t number = -1;  // negative: too far from the end
    std::int32_t lead = 0;
};

constexpr float unknown_best_score = std::numeric_limits<float>::infinity();

class Rules;

// The actions of a state in their order, and about each successor: the state itself, who moves, how
// many actions there are, and of a terminal one outcome and score. Memory is kept between calls.
//
// A caller may keep states of earlier expansions here, before those of this one: so a depth-first
// search finds all states of its line in one place, where the rules wrote them.
class Expansion {
  public:
    explicit Expansion(const Rules& rules);

    int count = 0;  // actions of the expanded state
    bool terminal(int i) const { return action_counts[i] == 0; }
    int player(int i) const { return players[i]; }  // of a successor that is not terminal
    const std::int32_t* outcome(int i) const { return outcomes.data() + i * width_; }
    const float* score(int i) const { return scores.data() + i * width_; }
    State state(int i) const { return reinterpret_cast<State>(words(i)); }
    std::byte* state(int i) { return reinterpret_cast<std::byte*>(words(i)); }
    // The same as 64-bit words, the last one filled up with zeros.
    const std::uint64_t* words(int i) const { return states_.data() + (kept_ + i) * words_; }
    std::uint64_t* words(int i) { return states_.data() + (kept_ + i) * words_; }

    // From now on, states of successors come after so many that are kept.
    void keep(std::size_t states) { kept_ = states; }
    std::uint64_t* kept(std::size_t i) { return states_.data() + i * words_; }
    // Makes room for so many successors. States may move, also that which is being expanded.
    void reserve(int room) {
        if (room > this->room()) grow(room);
        const std::size_t needed = (kept_ + static_cast<std::size_t>(room)) * words_;
        if (needed > states_.size()) states_.resize(kept_ == 0 ? needed : 2 * needed);
    }
    int room() const { return static_cast<int>(action_counts.size()); }

    // An action's label: where actions have names, it is the same in other states.
    std::vector<std::int32_t> actions;
    std::vector<std::int32_t> action_counts;
    std::vector<std::int32_t> players;
    std::vector<std::int32_t> outcomes;  // a row per successor
    std::vector<float> scores;           // a row per successor

  private:
    void grow(int room);

    const std::size_t width_;  // players of the game
    const std::size_t words_;  // of a state
    std::vector<std::uint64_t> states_;
    std::size_t kept_ = 0;
};

// Rules keep nothing of what they were asked about, so native ones serve many threads at once.
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

    // Where one player wins, all others lose: the game declares it, and every end is checked.
    void declare_single_winner(bool scored) {
        single_winner_ = true;
        scored_ = scored;
    }
    bool single_winner() const { return single_winner_; }
    // Whether scores can differ where outcomes do not; known where there is a single winner.
    bool scored() const { return scored_; }

    virtual void initial(std::byte* out) const = 0;
    // Everything about the successors of a state; no actions: the state is terminal.
    virtual void expand(State state, Expansion& out) const = 0;
    virtual void describe(State state, Description& out) const = 0;
    // A bound on the player's score over every terminal state below this one.
    virtual float best_score_from(State state, int player) const = 0;
    // Whether `best_score_from` says more than `best_score`.
    virtual bool bounds_scores() const { return false; }
    // False: answering needs Python and its lock. True: any thread may ask, also several at once.
    virtual bool native() const = 0;

    // `expand` in steps, for callers that need only some successors. Rules that answer all at once
    // anyway do so when the actions are listed.
    virtual void list_actions(State state, Expansion& out) const { expand(state, out); }
    // Lists actions as `list_actions` does, but may leave out those that lose at once, and all but
    // one if that one wins at once. None: every action loses at once.
    virtual void list_forced(State state, Expansion& out) const { list_actions(state, out); }
    // Whether `list_forced` leaves anything out.
    virtual bool has_forced() const { return false; }
    // Writes what is left of a state without what no longer matters, and returns by how much more
    // the first player scores in the end than from that. Called only if `reduces`.
    virtual int reduce(State /*state*/, std::byte* /*out*/) const { return 0; }
    virtual bool reduces() const { return false; }
    // Called only if there are sizes: so many numbers are for states at most 0, 1, 2... steps from
    // the end, and from a state with a number below one of them, all states have such numbers.
    // Numbers of `most` and above are of no use to the caller, and need not be told.
    virtual Endgame endgame(State /*state*/, std::int32_t /*most*/) const { return {}; }
    virtual const std::vector<std::int32_t>& endgame_sizes() const;
    // Of listed actions: makes the successors from `first` on, up to and including the first
    // terminal one, or up to `last`. Returns where it stopped. Successors are as the actions make
    // them, not replaced by images.
    virtual int expand_until_terminal(State /*state*/, Expansion& /*out*/, int first,
                                      int last) const {
        return first < last ? last : first;
    }
    // Of listed actions: makes the successor of one, by a caller that wants the others next unless
    // this one is terminal.
    virtual void expand_first(State state, Expansion& out, int index) const {
        expand_until_terminal(state, out, index, index + 1);
    }
    // Of listed actions: only the state that one of them leads to.
    virtual void successor(State /*state*/, const Expansion& listed, int index,
                           std::byte* out) const {
        std::memcpy(out, listed.state(index), state_bytes);
    }
    // Replaces a state by the one that stands for all its images under the game's symmetries.
    virtual void canonicalize(std::byte* /*state*/) const {}
    // Plays a random game and describes its end, where the rules have a better way than move by
    // move. False: they have none.
    virtual bool play_out(State /*state*/, std::uint32_t /*seed*/, Description& /*end*/) const {
        return false;
    }

    // Refuses an end whose outcomes or scores do not add up to zero, and, if a rule (of this name)
    // needs it, one at which outcome and score do not say the same, or the score is no integer.
    void check_zero_sum_end(const Expansion& expansion, int index, const char* by_score) const;
    // Refuses a score that was reached below a state and is above what `best_score_from` said.
    void check_declared_bound(State state, int player, float declared, float reached) const;

  protected:
    void check(State state, const Description& description) const;
    void check_player(State state, int player) const {
        if (player < 0 || player >= players) refuse_player(state, player);
    }
    void check_outcome(State state, int player, int outcome) const {
        if (outcome < -1 || outcome > 1) refuse_outcome(state, player, outcome);
    }
    // Refuses outcomes in which others do not lose beside a winner, if there is only one.
    template <class Outcome>
    void check_winner(State state, const Outcome* outcomes) const {
        if (!single_winner_) return;
        int best = -1, sum = 0;
        for (int p = 0; p < players; ++p) {
            best = std::max(best, static_cast<int>(outcomes[p]));
            sum += outcomes[p];
        }
        if (best == 1 && sum != 2 - players) refuse_winners(state);
    }
    void check_score(State state, int player, float score) const {
        // Comparisons with a number that is none are false.
        constexpr float least = std::numeric_limits<float>::lowest();
        const bool finite = score >= least && score <= -least;
        if (!finite || score > best_score[player]) refuse_score(state, player, score);
    }
    // Returns a bound if it is one: a number, or infinity where nothing is known.
    float check_bound(State state, int player, float bound) const;
    [[noreturn]] void fail(const char* rule, State state, const std::string& what) const;

  private:
    bool single_winner_ = false, scored_ = true;
    [[noreturn]] void refuse_player(State state, int player) const;
    [[noreturn]] void refuse_score(State state, int player, float score) const;
    [[noreturn]] void refuse_outcome(State state, int player, int outcome) const;
    [[noreturn]] void refuse_winners(State state) const;
};

}  // namespace unbounded
