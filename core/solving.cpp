// SPDX-License-Identifier: MIT
#include "solving.h"

#include <algorithm>
#include <cfloat>
#include <system_error>

namespace unbounded {

namespace {

constexpr auto time_between_looks = std::chrono::milliseconds(5);
// A probe may take so many nodes, or this share of what all probes took before it: what is given up
// is not lost, for the table remembers it, but little probes get lost in great games.
constexpr std::uint64_t first_probe = 1 << 10;
constexpr std::uint64_t smallest_probe = 1 << 15;
constexpr std::uint64_t share_of_a_probe = 2;
constexpr std::uint64_t table_share_of_memory = 4;

}  // namespace

Solving::Worker::Worker(Solving& solving, Rules& given, Evaluator& evaluator)
    : own_rules(dynamic_cast<NativeRules*>(&given) ? static_cast<NativeRules&>(given).copy()
                                                   : nullptr),
      rules(own_rules ? *own_rules : given),
      evaluator(evaluator),
      expander(solving.graph_, rules, evaluator, solving.two_, true,
               solving.two_ ? &solving.scale_ : nullptr),
      judgement{solving.graph_, rules, false, own_rules && own_rules->bounds_scores()} {
    if (solving.table_ == nullptr) return;
    Evaluator* const ordering = dynamic_cast<NativeEvaluator*>(&evaluator);
    const auto give_up = [&solving, this](std::uint64_t nodes) {
        const bool main = this == solving.workers_[0].get();
        if (main && solving.watch_->expired(nodes)) solving.over_ = true;
        return solving.over_.load(std::memory_order_relaxed);
    };
    if (solving.two_) {
        prober = std::make_unique<Prober>(*own_rules, ordering, *solving.table_, solving.scale_);
        prober->give_up = give_up;
    } else {
        many_prober = std::make_unique<ManyProber>(*own_rules, ordering, *solving.table_);
        many_prober->give_up = give_up;
    }
}

Solving::Solving(Search& search, Rules& rules, Evaluator& evaluator)
    : search_(search),
      graph_(search.graph_),
      options_(search.options_),
      two_(options_.values == ValueRule::minimax),
      scale_(rules, options_.exact_score || !two_) {
    if (options_.probes)
        table_ = std::make_unique<ProvenTable>(rules.state_bytes, !options_.exact_score,
                                               two_ ? 0 : rules.players);
    for (int i = 0; i < options_.threads; ++i)
        workers_.push_back(std::make_unique<Worker>(*this, rules, evaluator));
}

Solving::~Solving() = default;

// -- the run --------------------------------------------------------------------------------------

Stop Solving::run(const Limits& limits, const Poll& poll) {
    Watch watch(limits.seconds, poll);
    watch_ = &watch;
    memory_limit_ = limits.memory;
    over_ = false;
    reason_.reset();
    failure_ = nullptr;
    table_is_full_size_ = false;
    // Small games are solved by the first probe, before another thread would have started.
    Limits first = limits;
    if (workers_.size() > 1)
        first.iterations = std::min(limits.iterations, search_.iterations_ + 1);
    work(*workers_[0], first, &watch);
    if (reason_ == Stop::iterations && search_.iterations_ < limits.iterations) {
        over_ = false;
        reason_.reset();
        work_together(limits, watch);
    }
    if (failure_) std::rethrow_exception(failure_);
    return *reason_;
}

void Solving::work_together(const Limits& limits, Watch& watch) {
    std::vector<std::thread> helpers;
    try {
        for (std::size_t i = 1; i < workers_.size(); ++i)
            helpers.emplace_back([this, i, &limits] { work(*workers_[i], limits, nullptr); });
    } catch (const std::system_error&) {
        // The system gives no more threads: those that there are do the work.
    }
    work(*workers_[0], limits, &watch);
    for (std::thread& helper : helpers) helper.join();
}

// Iterates until the run is over. Only the thread that has the watch looks at it.
void Solving::work(Worker& worker, const Limits& limits, Watch* watch) try {
    Lock lock(mutex_);
    while (!over_ && !over(limits)) {
        if (watch != nullptr && watch->expired(1)) return end(watch->reason());
        // Memory is being tidied, or the last iterations are already being made.
        const bool last = at_work_ > 0 && search_.iterations_ + at_work_ >= limits.iterations;
        if (tidying_ || last) {
            changed_.wait_for(lock, time_between_looks);
            continue;
        }
        switch (iterate(worker, lock)) {
            case Progress::done: changed_.notify_all(); break;
            case Progress::no_memory:
                if (!make_room(lock)) return end(Stop::memory);
                break;
            case Progress::nothing_to_do: changed_.wait_for(lock, time_between_looks); break;
        }
    }
    if (watch != nullptr && !reason_) reason_ = watch->reason();  // it expired during a probe
} catch (...) {
    const Lock lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    end(Stop::interrupted);
}

bool Solving::over(const Limits& limits) {
    const Node& root = graph_.node(search_.root_);
    if (root.is(resolved) || root.is(terminal))
        end(Stop::resolved);
    else if (search_.iterations_ >= limits.iterations)
        end(Stop::iterations);
    else if (graph_.size() >= limits.states)
        end(Stop::states);
    return over_;
}

void Solving::end(Stop reason) {
    if (!reason_) reason_ = reason;
    over_ = true;
    changed_.notify_all();
}

// -- an iteration ---------------------------------------------------------------------------------

Solving::Progress Solving::iterate(Worker& worker, Lock& lock) {
    worker.path.clear();
    Bounds window = scale_.all;
    for (NodeId id = search_.root_;;) {
        worker.path.push_back(id);
        ++search_.walked_;
        check_cycle(worker);
        Node& node = graph_.node(id);
        if (!node.is(expanded)) {
            if (node.is(busy)) return Progress::nothing_to_do;
            begin_work(worker, node);
            bool stored = true;
            try {
                if (!settle(worker, id, window, lock)) stored = expand(worker, id, lock);
            } catch (...) {
                if (!lock.owns_lock()) lock.lock();
                end_work(worker, node);
                back_up_path(worker, worker.path.size());
                throw;
            }
            end_work(worker, node);
            if (!stored) {
                back_up_path(worker, worker.path.size());
                return Progress::no_memory;
            }
            if (options_.algorithm == Algorithm::ubfm || over_ || !node.is(expanded)) break;
        }
        if (node.is(resolved)) break;
        if (two_) {
            const Bounds proven = graph_.bounds(node);
            window = window.meet(proven);
        }
        id = open_child(node, window);
        if (id == no_node) break;
    }
    back_up_path(worker, worker.path.size());
    ++search_.iterations_;
    return Progress::done;
}

// The child to follow: the best, then the least tried, of those that can matter.
NodeId Solving::open_child(const Node& node, Bounds window) {
    if (options_.values == ValueRule::resolved_completion)
        return open_child_of_many<ResolvedCompletion>(node);
    if (options_.values == ValueRule::propagated_completion)
        return open_child_of_many<PropagatedCompletion>(node);
    const Worth beat = window.seen_by(node.player).lo;
    Edge* best = nullptr;
    std::int64_t best_key = 0;
    Edge* const edges = graph_.edges(node);
    for (Edge* edge = edges; edge != edges + node.edge_count; ++edge) {
        const Node& child = graph_.node(edge->child);
        if (child.is(resolved) || graph_.bounds(child).seen_by(node.player).hi <= beat) continue;
        const std::int64_t key = Minimax::key(child, node.player, 1);
        if (best != nullptr &&
            (key < best_key || (key == best_key && edge->selections >= best->selections)))
            continue;
        best = edge;
        best_key = key;
    }
    return best == nullptr ? no_node : follow(*best);
}

template <class Values>
NodeId Solving::open_child_of_many(const Node& node) {
    const Choice choice = least_tried_best_child<Values>(graph_, node);
    return choice.child == nullptr ? no_node : follow(graph_.edges(node)[choice.position]);
}

NodeId Solving::follow(Edge& edge) {
    if (edge.selections != UINT32_MAX) ++edge.selections;
    return edge.child;
}

// -- a leaf ---------------------------------------------------------------------------------------

// Asks probes about a leaf. True: what needs to be known of it here is known.
bool Solving::settle(Worker& worker, NodeId id, Bounds window, Lock& lock) {
    if (table_ == nullptr) return false;
    make_table_bigger(lock);
    const std::uint64_t budget = probe_budget();
    const Bounds open = two_ ? window.meet(graph_.bounds(graph_.node(id))) : window;
    // A probe that has lost its way finds a better one when it starts again, knowing more.
    for (std::uint64_t limit = first_probe; !over_; limit *= 4) {
        lock.unlock();
        const std::uint64_t before = nodes(worker);
        const bool settled = probe(worker, id, open, std::min(limit, budget));
        lock.lock();
        probed_ += nodes(worker) - before;
        take(worker, id);
        if (settled || limit >= budget) return settled;
    }
    return false;
}

// Probes a state, without the lock; `take` then takes over the answer.
bool Solving::probe(Worker& worker, NodeId id, Bounds window, std::uint64_t budget) {
    if (two_) {
        worker.answer = worker.prober->probe(graph_.state(id), window, budget);
        return worker.answer.finished;
    }
    worker.row = worker.many_prober->probe(graph_.state(id), budget);
    return worker.row != nullptr;
}

void Solving::take(Worker& worker, NodeId id) {
    if (two_)
        narrow(graph_.node(id), worker.answer.bounds);
    else if (worker.row != nullptr)
        resolve(graph_.node(id), worker.row);
}

std::uint64_t Solving::nodes(const Worker& worker) const {
    return two_ ? worker.prober->nodes() : worker.many_prober->nodes();
}

bool Solving::expand(Worker& worker, NodeId id, Lock& lock) {
    Expander& expander = worker.expander;
    const std::uint64_t ends = expander.terminal_states();
    lock.unlock();
    expander.list(graph_.state(id));
    lock.lock();
    expander.look_up();
    lock.unlock();
    expander.evaluate();
    lock.lock();
    if (!expander.store(id, memory_limit_)) return false;
    ++search_.expansions_;
    search_.resolved_ += expander.terminal_states() - ends;
    if (table_ != nullptr) take_known(worker, graph_.node(id));
    back_up(worker, id);
    return true;
}

// What the table knows of new children.
void Solving::take_known(Worker& worker, const Node& node) {
    const Edge* const edges = graph_.edges(node);
    for (int i = 0; i < node.edge_count; ++i) {
        Node& child = graph_.node(edges[i].child);
        if (child.is(resolved) || child.is(expanded)) continue;
        const State state = graph_.state(edges[i].child);
        if (two_) {
            narrow(child, worker.prober->known(state));
        } else if (const Worth* const row = worker.many_prober->known(state)) {
            resolve(child, row);
        }
    }
}

// While a leaf is worked on, others are to look elsewhere: it counts as bad for whoever chose it.
void Solving::begin_work(Worker& worker, Node& node) {
    node.set(busy);
    ++at_work_;
    worker.values.assign(node.values(), node.values() + graph_.width);
    if (workers_.size() == 1 || worker.path.size() < 2) return;
    const int chooser = graph_.node(worker.path[worker.path.size() - 2]).player;
    if (two_)
        node.values()[0] = chooser == 0 ? -FLT_MAX : FLT_MAX;
    else
        node.values()[chooser] = -FLT_MAX;
    back_up_path(worker, worker.path.size() - 1);
}

void Solving::end_work(Worker& worker, Node& node) {
    node.clear(busy);
    --at_work_;
    if (node.is(resolved) || node.is(expanded)) return;
    std::copy(worker.values.begin(), worker.values.end(), node.values());
}

// -- numbers --------------------------------------------------------------------------------------

void Solving::narrow(Node& node, Bounds bounds) {
    if (node.is(resolved)) return;
    bounds = bounds.meet(graph_.bounds(node));
    graph_.set_bounds(node, bounds);
    const int outcome = scale_.outcome(bounds.lo);
    if (outcome == scale_.outcome(bounds.hi)) {
        node.completion(1)[0] = static_cast<std::int8_t>(outcome);
        node.tentative(1)[0] = static_cast<std::int8_t>(outcome);
    }
    if (bounds.exact()) resolve(node, &bounds.lo);
}

void Solving::resolve(Node& node, const Worth* row) {
    for (int p = 0; p < graph_.width; ++p) {
        node.values()[p] = scale_.score(row[p]);
        const auto outcome = static_cast<std::int8_t>(scale_.outcome(row[p]));
        node.completion(graph_.width)[p] = outcome;
        node.tentative(graph_.width)[p] = outcome;
    }
    node.set(resolved);
    ++search_.resolved_;
}

void Solving::back_up(Worker& worker, NodeId id) {
    Node& node = graph_.node(id);
    if (node.is(resolved) || !node.is(expanded)) return;
    switch (options_.values) {
        case ValueRule::minimax: return back_up_bounds(node);
        case ValueRule::resolved_completion: return back_up_numbers<ResolvedCompletion>(worker, id);
        default: return back_up_numbers<PropagatedCompletion>(worker, id);
    }
}

void Solving::back_up_bounds(Node& node) {
    Bounds proven = scale_.all.seen_by(node.player);
    proven.hi = proven.lo;
    const Node* best = nullptr;
    std::int64_t best_key = 0;
    const Edge* const edges = graph_.edges(node);
    for (int i = 0; i < node.edge_count; ++i) {
        const Node& child = graph_.node(edges[i].child);
        const Bounds bounds = graph_.bounds(child).seen_by(node.player);
        proven.lo = std::max(proven.lo, bounds.lo);
        proven.hi = std::max(proven.hi, bounds.hi);
        const std::int64_t key = Minimax::key(child, node.player, 1);
        if (best != nullptr && key <= best_key) continue;
        best = &child;
        best_key = key;
    }
    node.values()[0] = best->values()[0];
    narrow(node, proven.seen_by(node.player));
}

template <class Values>
void Solving::back_up_numbers(Worker& worker, NodeId id) {
    Node& node = graph_.node(id);
    Values::back_up(worker.judgement, node, graph_.state(id));
    if (node.is(resolved)) {
        ++search_.resolved_;
        return;
    }
    // Values::back_up resolves what it can by the paper's rule; here by what the others could be.
    const Node* best = nullptr;
    const Edge* const edges = graph_.edges(node);
    for (int i = 0; i < node.edge_count; ++i) {
        const Node& child = graph_.node(edges[i].child);
        if (!child.is(resolved) || child.completion(graph_.width)[node.player] != 1) continue;
        if (best == nullptr || child.values()[node.player] > best->values()[node.player])
            best = &child;
    }
    if (best == nullptr || !cannot_be_beaten(worker, node, *best)) return;
    const int width = graph_.width;
    std::memcpy(node.values(), best->values(), width * sizeof(float));
    std::memcpy(node.completion(width), best->completion(width), width);
    std::memcpy(node.tentative(width), best->completion(width), width);
    node.set(resolved);
    ++search_.resolved_;
}

// Whether no child that is open could end better for the mover than this resolved one, a win.
bool Solving::cannot_be_beaten(Worker& worker, const Node& node, const Node& best) {
    const float value = best.values()[node.player];
    const Edge* const edges = graph_.edges(node);
    for (int i = 0; i < node.edge_count; ++i) {
        if (graph_.node(edges[i].child).is(resolved)) continue;
        const State state = graph_.state(edges[i].child);
        if (worker.rules.best_score_from(state, node.player) > value) return false;
    }
    return true;
}

void Solving::back_up_path(Worker& worker, std::size_t count) {
    while (count-- > 0) back_up(worker, worker.path[count]);
}

int Solving::best_child(const Node& node) const {
    int best = -1;
    std::pair<Worth, std::int64_t> best_key;
    const Edge* const edges = graph_.edges(node);
    for (int i = 0; i < node.edge_count; ++i) {
        const Node& child = graph_.node(edges[i].child);
        // Of a resolved state: the child that cannot be worse than it, if need be by its bounds.
        const Worth sure = node.is(resolved) ? graph_.bounds(child).seen_by(node.player).lo : 0;
        const std::pair key{sure, Minimax::key(child, node.player, 1)};
        if (best >= 0 && key <= best_key) continue;
        best = i;
        best_key = key;
    }
    return best;
}

// -- the line -------------------------------------------------------------------------------------

bool Solving::complete_line(const Limits& limits, const Poll& poll) {
    Watch watch(limits.seconds, poll);
    watch_ = &watch;
    memory_limit_ = limits.memory;
    over_ = false;
    Worker& worker = *workers_[0];
    Lock lock(mutex_);
    // What is proven on the way may change which of several best children is taken before it.
    for (std::uint64_t before = UINT64_MAX; before != search_.expansions_;) {
        before = search_.expansions_;
        for (NodeId id = search_.root_; !graph_.node(id).is(terminal);) {
            const Node& node = graph_.node(id);
            if (watch.expired(1) || !node.is(resolved)) return false;
            if (!node.is(expanded) && !expand(worker, id, lock)) return false;
            if (!has_proven_child(worker, node)) return false;
            id = graph_.edges(node)[search_.best_child(id)].child;
            finish_proof(node, graph_.node(id));
        }
    }
    return true;
}

// Whether a child is proven to be worth to the mover what the resolved state is worth.
bool Solving::proves(const Node& node, const Node& child) const {
    if (!two_) return child.is(resolved) && same_numbers(node, child, graph_.width);
    return graph_.bounds(child).seen_by(node.player).lo >=
           graph_.bounds(node).seen_by(node.player).lo;
}

// Whether a child is proven to be worth as much as the resolved state; proves it if need be.
bool Solving::has_proven_child(Worker& worker, const Node& node) {
    const Edge* const edges = graph_.edges(node);
    const Edge* const end = edges + node.edge_count;
    const auto proof = [&](const Edge& edge) { return proves(node, graph_.node(edge.child)); };
    if (std::any_of(edges, end, proof)) return true;
    if (table_ == nullptr) return false;
    for (const Edge* edge = edges; edge != end; ++edge) {
        if (graph_.node(edge->child).is(resolved)) continue;
        Bounds window = scale_.all;
        if (two_) {
            const Worth worth = graph_.bounds(node).seen_by(node.player).lo;
            window = Bounds{worth - 1, worth}.seen_by(node.player);
            window = window.meet(graph_.bounds(graph_.node(edge->child)));
            if (window.lo >= window.hi) continue;
        }
        const std::uint64_t before = nodes(worker);
        const bool settled = probe(worker, edge->child, window, UINT64_MAX);
        probed_ += nodes(worker) - before;
        take(worker, edge->child);
        if (!settled) return false;
        if (proof(*edge)) return true;
    }
    return false;
}

// A child cannot be worth more to the mover than the state, or the state would be.
void Solving::finish_proof(const Node& node, Node& child) {
    if (!two_) return;
    const Bounds most{scale_.all.seen_by(node.player).lo,
                      graph_.bounds(node).seen_by(node.player).hi};
    narrow(child, most.seen_by(node.player));
}

// -- means ----------------------------------------------------------------------------------------

std::uint64_t Solving::probe_budget() const {
    return std::max(smallest_probe, probed_ / share_of_a_probe);
}

// A table that is small for the work done grows, when no other thread is at work.
void Solving::make_table_bigger(Lock& lock) {
    while (!over_ && !table_is_full_size_ && table_->small_for(smallest_probe / 2 + probed_ / 4)) {
        if (at_work_ > 1) {
            --at_work_;
            changed_.wait_for(lock, time_between_looks);
            ++at_work_;
            continue;
        }
        table_is_full_size_ = !table_->grow(memory_limit_ / table_share_of_memory);
        changed_.notify_all();
    }
}

// Forgets what is proven, when no other thread is at work. False: it does not help any more.
bool Solving::make_room(Lock& lock) {
    if (tidying_) return true;  // another thread does it
    tidying_ = true;
    while (at_work_ > 0) changed_.wait_for(lock, time_between_looks);
    const bool helped = search_.forget_what_is_proven();
    tidying_ = false;
    changed_.notify_all();
    return helped;
}

// A line longer than there are states has one twice.
void Solving::check_cycle(const Worker& worker) const {
    if (worker.path.size() <= graph_.size()) return;
    std::vector<NodeId> seen(worker.path);
    std::sort(seen.begin(), seen.end());
    search_.path_ = worker.path;
    search_.report_cycle(*std::adjacent_find(seen.begin(), seen.end()));
}

}  // namespace unbounded
