// SPDX-License-Identifier: MIT
// A search: one graph that grows by iterations from a root, under a budget.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "graph/expansion.h"
#include "graph/graph.h"
#include "rules/rules.h"
#include "search/completion.h"
#include "search/loading.h"
#include "search/saving.h"

namespace unbounded {

enum class Algorithm { ubfm, descent };
enum class ValueRule { minimax, resolved_completion, propagated_completion };

struct Options {
    Algorithm algorithm = Algorithm::ubfm;
    ValueRule values = ValueRule::minimax;
    bool back_up_on_expansion = true;  // UBFM; off in paper mode (ERRATA 2)
    bool completion = true;            // off: the basic algorithms, which prove nothing
    bool resolve_on_win = false;       // the Remark's variants
    bool stop_at_draw = false;
    bool local_maximum = false;
    bool bounds = false;            // keep bounds of the worth, and leave out what cannot matter
    bool probes = false;            // with bounds: search a leaf depth-first before it is stored
    bool exact_score = false;       // with bounds: prove the score, not only the outcome
    int threads = 1;                // with bounds
    int hash_bits = 64;             // fewer only in tests, where collisions are to be the norm
    std::uint64_t probe_nodes = 0;  // of any probe; set only in tests, where they are to give up
};

// What a run may spend. Counts are of the whole search, so that a run can be taken up again.
struct Limits {
    std::uint64_t iterations = UINT64_MAX;
    std::uint64_t states = UINT64_MAX;
    std::uint64_t memory = UINT64_MAX;
    double seconds = -1;  // of this run; negative: no limit
};

enum class Stop { resolved, iterations, states, memory, seconds, interrupted };

// Returns true to stop the run. Called every few milliseconds, by the thread that called the run
// and while nothing changes, so that it may look at the search.
using Poll = std::function<bool()>;

// Watches clock and caller while a run goes on. Looking at the clock takes time too, so it looks
// only after a certain amount of work.
class Watch {
  public:
    Watch(double seconds, const Poll& poll);
    // Whether to stop, after so much more work: about one for each state walked.
    bool expired(std::uint64_t work) {
        if (work < countdown_) {
            countdown_ -= work;
            return false;
        }
        return look();
    }
    // The same now, for a time may have passed without work.
    bool look();
    Stop reason() const { return reason_; }

  private:
    using Clock = std::chrono::steady_clock;

    const Poll& poll_;
    const bool has_deadline_;
    Clock::time_point deadline_;
    Clock::time_point next_poll_;
    std::uint64_t countdown_ = 1;
    Stop reason_ = Stop::seconds;
};

class Solver;

class Search {
  public:
    // The rules and the evaluator are the caller's, and outlive the search.
    Search(Rules& rules, Evaluator& evaluator, Options options);
    ~Search();

    // Iterates until the root is resolved or the budget is spent. A rule that breaks the contract
    // is a RuleFailure; the graph stays usable.
    Stop run(const Limits& limits, const Poll& poll);

    // Stores and resolves every state that can be reached; bounds must be off.
    Stop resolve_all(const Limits& limits, const Poll& poll);
    // How many states lie so many moves from the root, by the shortest way, and what they are
    // worth.
    struct Ply {
        std::uint64_t states = 0, terminal = 0;
        // For the first player, or for each: how many are lost, drawn and won.
        std::vector<std::array<std::uint64_t, 3>> outcomes;
    };
    std::vector<Ply> count_by_ply() const;

    // Proves the best line of a resolved root to the end of the game. False: a limit was in the
    // way.
    bool complete_line(const Limits& limits, const Poll& poll);
    // What is proven of the first player's outcome.
    Bounds outcome_bounds(NodeId id) const;

    // Makes room by forgetting what lies below proven states, but for the lines that prove them.
    // False: it would not be worth it, or cannot be done.
    bool forget_what_is_proven();
    std::uint64_t compactions() const { return compactions_; }  // how often that was done

    // Makes a state the root; everything known is kept.
    void set_root(State state);
    NodeId root() const { return root_; }
    const Graph& graph() const { return graph_; }
    const Options& options() const { return options_; }

    // The place, among the node's edges, of the best child by the paper's key; -1: no edges. Of a
    // resolved node it is one whose numbers the node took over, which with ties need not be the
    // one that was selected most.
    int best_child(NodeId id) const;

    std::uint64_t iterations() const { return iterations_; }
    std::uint64_t expansions() const { return expansions_; }
    std::uint64_t resolved_states() const { return resolved_ + expander_.terminal_states(); }
    std::uint64_t walked_states() const { return walked_; }
    const std::vector<NodeId>& path() const { return path_; }  // of the last iteration
    std::uint64_t probed_states() const;
    std::uint64_t probe_table_bytes() const;

    // The whole graph and every count, as bytes: equal bytes are equal searches.
    std::vector<std::byte> snapshot() const;

    // The same for a file, with all that a run that goes on depends on (saving.cpp). A search may
    // be saved while it runs, from its poll or at rest.
    Saved saved() const;
    // What `save` gives to its sink, for such numbers, in this order and without gaps.
    std::vector<SavedArray> arrays(const Saved& saved) const;
    void save(const Sink& sink);
    // Becomes the search that was saved, made by the same rules and options. `verify` is called
    // when all is read and before any of it is used. If anything fails, nothing has changed.
    void load(const Saved& saved, const Source& read, const std::function<void()>& verify);
    // What asks the rules again about what was loaded.
    RuleCheck rule_check();

    // Makes a run call `at_rest` when the iteration in progress is over. One thread only: several
    // are never at rest together.
    std::function<void()> at_rest;
    std::atomic<bool> rest_wanted = false;

  private:
    enum class Progress { done, no_memory, no_states, expired, given_up };

    class Intermission;
    // Says that an iteration is in progress.
    struct Iterating {
        explicit Iterating(bool& flag) : flag(flag) { flag = true; }
        ~Iterating() { flag = false; }
        Iterating(const Iterating&) = delete;
        Iterating& operator=(const Iterating&) = delete;
        bool& flag;
    };
    void rest_if_wanted() {
        if (rest_wanted.load(std::memory_order_relaxed) && rest_wanted.exchange(false) && at_rest)
            at_rest();
    }

    Progress iterate(Watch& watch);
    template <class Values>
    Stop resolve_upwards(const std::vector<NodeId>& states, Watch& watch);  // strong.cpp
    template <class Values>
    int best_or_witness(NodeId id) const;
    template <class Values>
    Progress iterate_ubfm(Watch& watch);  // ubfm.cpp
    template <class Values>
    Progress iterate_descent(Watch& watch);  // descent.cpp
    friend struct Iterations;
    friend class Solver;
    friend class Certifier;

    // A level of the line that the last iteration of UBFM followed, see ubfm.cpp.
    struct Step {
        Node* node;
        Edge* edge;              // the one that was followed
        Edge* open_rival;        // the best of the other edges to open children; null: none
        std::int64_t open_key;   // of its child
        std::int64_t rival_key;  // the best of all other children
    };
    bool resumes() const { return options_.completion && expander_.layered(); }
    Progress resume_ubfm();
    bool still_chosen(std::size_t level);
    bool choose_step(Node& node);
    void back_up_step(const Step& step, NodeId id);

    static constexpr NodeId least_gain = 8;  // forgetting must free this part of the states
    std::vector<bool> needed() const;

    void begin_path();
    void forget_visits();                           // of an iteration that came to nothing
    void enter(NodeId id);                          // the next state of the path
    NodeId follow(const Node& node, int position);  // the child there; counts the visit
    void leave_path();
    template <class Values>
    void back_up(NodeId id) {
        Node& node = graph_.node(id);
        Values::back_up(judgement_, node, graph_.state(id));
        resolved_ += node.is(resolved);
    }
    // Backs up the first `count` states of the path, the last of them first.
    template <class Values>
    void back_up_path(std::size_t count) {
        while (count-- > 0) back_up<Values>(path_[count]);
    }
    bool expand(NodeId id);  // false: no memory
    [[noreturn]] void report_cycle(NodeId id) const;

    Rules& rules_;
    Evaluator& evaluator_;
    const Options options_;
    const WorthScale scale_;
    Graph graph_;
    Expander expander_;
    Judgement judgement_;
    Progress (Search::*iterate_)(Watch&);
    std::unique_ptr<Solver> solver_;  // where bounds are kept
    NodeId root_ = 0;
    std::vector<NodeId> path_;
    std::vector<Edge*> followed_;  // the edges along the path
    bool iterating_ = false;
    std::vector<Step> steps_;
    std::uint64_t memory_limit_ = UINT64_MAX;
    std::uint64_t states_limit_ = UINT64_MAX;
    std::uint64_t iterations_ = 0;
    std::uint64_t expansions_ = 0;
    std::uint64_t resolved_ = 0;  // without the terminal states
    std::uint64_t walked_ = 0;
    std::uint64_t compactions_ = 0;

    // How much has been done, in the units of the watch.
    std::uint64_t work() const {
        return walked_ + expander_.listed_children() + 8 * graph_.size() +
               expansions_ * expansion_work_;
    }
    // Whether to stop, after what has been done since this was last asked.
    bool expired(Watch& watch) {
        const std::uint64_t more = work() - seen_work_;
        seen_work_ += more;
        return watch.expired(more);
    }
    const std::uint64_t expansion_work_;
    std::uint64_t seen_work_ = 0;
};

}  // namespace unbounded
