// SPDX-License-Identifier: MIT
// The loop around the iterations: budgets, interruption, the path, and what a failure leaves.
#include <algorithm>
#include <new>

#include "search/search.h"
#include "solver/solver.h"

namespace unbounded {

namespace {

constexpr std::uint64_t work_between_looks = 1024;
constexpr auto time_between_polls = std::chrono::milliseconds(20);

Bounding bounding(const Options& options) {
    if (!options.bounds || options.values != ValueRule::minimax) return Bounding::none;
    return options.exact_score ? Bounding::score : Bounding::outcome;
}

const Options& checked(const Options& options, const Rules& rules, const Evaluator& evaluator) {
    const auto require = [](bool fine, const char* what) {
        if (!fine) throw std::invalid_argument(what);
    };
    require(options.values != ValueRule::minimax || rules.players == 2,
            "minimax needs two players");
    require(!options.bounds || options.completion, "bounds need completion");
    require(!options.exact_score || options.values == ValueRule::minimax,
            "exact_score is for minimax; other values always prove the score");
    require(options.bounds || (!options.probes && !options.exact_score && options.threads == 1),
            "probes, exact_score and threads need bounds");
    require(options.threads >= 1 && options.threads <= 1024, "threads must be from 1 to 1024");
    require(rules.native() || !options.probes, "probes need compiled rules");
    require((rules.native() && evaluator.shareable()) || options.threads == 1,
            "threads need compiled rules and an evaluation that several can ask");
    return options;
}

}  // namespace

Watch::Watch(double seconds, const Poll& poll)
    : poll_(poll), has_deadline_(seconds >= 0), next_poll_(Clock::now()) {
    constexpr double forever = 1e9;
    if (has_deadline_)
        deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                       std::chrono::duration<double>(std::min(seconds, forever)));
}

bool Watch::look() {
    countdown_ = work_between_looks;
    const auto now = Clock::now();
    if (now >= next_poll_) {
        next_poll_ = now + time_between_polls;
        if (poll_ && poll_()) {
            reason_ = Stop::interrupted;
            countdown_ = 1;  // it stays expired
            return true;
        }
    }
    if (!has_deadline_ || now < deadline_) return false;
    reason_ = Stop::seconds;
    countdown_ = 1;
    return true;
}

// Chooses the iteration once, so that no loop has to.
struct Iterations {
    using Function = Search::Progress (Search::*)(Watch&);

    template <class Values>
    static Function of(Algorithm algorithm) {
        return algorithm == Algorithm::ubfm ? &Search::iterate_ubfm<Values>
                                            : &Search::iterate_descent<Values>;
    }
    static Function of(const Options& options) {
        switch (options.values) {
            case ValueRule::minimax: return of<Minimax>(options.algorithm);
            case ValueRule::resolved_completion: return of<ResolvedCompletion>(options.algorithm);
            default: return of<PropagatedCompletion>(options.algorithm);
        }
    }
};

Search::Search(Rules& rules, Evaluator& evaluator, Options options)
    : rules_(rules),
      evaluator_(evaluator),
      options_(checked(options, rules, evaluator)),
      scale_(rules, options.exact_score),
      graph_(rules.state_bytes, options.values == ValueRule::minimax ? 1 : rules.players,
             options.hash_bits, bounding(options)),
      expander_(graph_, rules, evaluator, options.values == ValueRule::minimax, options.completion,
                bounding(options) != Bounding::none ? &scale_ : nullptr, options.local_maximum),
      judgement_{graph_, rules, options.resolve_on_win, options.local_maximum},
      iterate_(Iterations::of(options)),
      // Asking Python takes long: then the clock is worth a look after every expansion.
      expansion_work_(rules.native() && evaluator.native() ? 1 : work_between_looks) {
    if (options.bounds) solver_ = std::make_unique<Solver>(*this, rules, evaluator);
    std::vector<std::byte> state(rules.state_bytes);
    rules.initial(state.data());
    set_root(state.data());
}

Search::~Search() = default;

bool Search::complete_line(const Limits& limits, const Poll& poll) {
    return !solver_ || solver_->complete_line(limits, poll);
}

Bounds Search::outcome_bounds(NodeId id) const {
    const Node& node = graph_.node(id);
    if (graph_.bounding != Bounding::none) {
        const Bounds bounds = graph_.bounds(node);
        return {scale_.outcome(bounds.lo), scale_.outcome(bounds.hi)};
    }
    const int proven = node.completion(graph_.width)[0];
    return node.is(resolved) ? Bounds{proven, proven} : Bounds{-1, 1};
}

std::uint64_t Search::probed_states() const { return solver_ ? solver_->probed_states() : 0; }
std::uint64_t Search::probe_table_bytes() const { return solver_ ? solver_->table_bytes() : 0; }

void Search::set_root(State state) {
    const NodeId id = expander_.find_or_add_leaf(state, UINT64_MAX);
    if (id == no_node) throw std::bad_alloc();
    root_ = id;
}

Stop Search::run(const Limits& limits, const Poll& poll) {
    if (solver_) return solver_->run(limits, poll);
    Watch watch(limits.seconds, poll);
    memory_limit_ = limits.memory;
    states_limit_ = limits.states;
    seen_work_ = work();
    steps_.clear();
    evaluator_.give_up = [&watch](std::uint64_t work) { return watch.expired(work); };
    const struct Forget {
        Evaluator& evaluator;
        ~Forget() { evaluator.give_up = nullptr; }
    } forget_at_the_end{evaluator_};
    for (;;) {
        if (graph_.node(root_).is(resolved) || graph_.node(root_).is(terminal))
            return Stop::resolved;
        if (iterations_ >= limits.iterations) return Stop::iterations;
        if (graph_.size() >= limits.states) return Stop::states;
        if (work() != seen_work_ && expired(watch)) return watch.reason();
        rest_if_wanted();
        const Progress progress = iterate(watch);
        if (progress == Progress::no_memory) {
            if (!forget_what_is_proven()) return Stop::memory;
            continue;
        }
        if (progress == Progress::given_up) return watch.reason();
        ++iterations_;
        if (progress == Progress::no_states) return Stop::states;
        if (progress == Progress::expired) return watch.reason();
    }
}

// One iteration; if it fails, the graph is as it was before, but for states expanded on the way.
Search::Progress Search::iterate(Watch& watch) {
    const Iterating iterating(iterating_);
    try {
        const Progress progress = (this->*iterate_)(watch);
        leave_path();
        return progress;
    } catch (const GivenUp&) {
        forget_visits();
        leave_path();
        steps_.clear();
        return Progress::given_up;
    } catch (...) {
        forget_visits();
        leave_path();
        steps_.clear();
        throw;
    }
}

void Search::begin_path() {
    path_.clear();
    followed_.clear();
}

void Search::forget_visits() {
    for (Edge* edge : followed_)
        if (edge->visits != UINT32_MAX) --edge->visits;
}

void Search::enter(NodeId id) {
    Node& node = graph_.node(id);
    if (node.is(on_path)) report_cycle(id);
    path_.push_back(id);
    node.set(on_path);
    ++walked_;
}

NodeId Search::follow(const Node& node, int position) {
    Edge& edge = graph_.edges(node)[position];
    if (edge.visits != UINT32_MAX) ++edge.visits;
    followed_.push_back(&edge);
    return edge.child;
}

void Search::leave_path() {
    if (!steps_.empty()) return;  // a line that is resumed is not marked
    for (NodeId id : path_) graph_.node(id).clear(on_path);
}

bool Search::expand(NodeId id) {
    if (!expander_.expand(id, memory_limit_)) return false;
    ++expansions_;
    return true;
}

void Search::report_cycle(NodeId id) const {
    std::vector<State> line;
    for (auto at = std::find(path_.begin(), path_.end(), id); at != path_.end(); ++at)
        line.push_back(graph_.state(*at));
    throw cycle_failure(line, graph_.state_bytes);
}

int Search::best_child(NodeId id) const {
    if (graph_.bounding != Bounding::none)
        return graph_.node(id).is(expanded) ? solver_->best_child(graph_.node(id)) : -1;
    switch (options_.values) {
        case ValueRule::minimax: return best_or_witness<Minimax>(id);
        case ValueRule::resolved_completion: return best_or_witness<ResolvedCompletion>(id);
        default: return best_or_witness<PropagatedCompletion>(id);
    }
}

template <class Values>
int Search::best_or_witness(NodeId id) const {
    const Node& node = graph_.node(id);
    if (!node.is(expanded)) return -1;
    return node.is(resolved) ? witness<Values>(graph_, node).position
                             : unbounded::best_child<Values>(graph_, node).position;
}

}  // namespace unbounded
