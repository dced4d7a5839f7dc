// SPDX-License-Identifier: MIT
#include "solver/solver.h"

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
// Of the memory, at most: the table of the probes, and the lines that all threads' probes follow.
constexpr std::uint64_t table_share_of_memory = 4;
constexpr std::uint64_t lines_share_of_memory = 8;

}  // namespace

Solver::Worker::Worker(Solver& solving, const Rules& rules, Evaluator& evaluator)
    : rules(rules),
      evaluator(evaluator),
      expander(solving.graph_, rules, evaluator, solving.two_, true,
               solving.two_ ? &solving.scale_ : nullptr, !solving.two_),
      judgement{solving.graph_, rules, false, rules.bounds_scores()} {
    if (solving.table_ == nullptr) return;
    Evaluator* const ordering = evaluator.orders_moves() ? &evaluator : nullptr;
    const auto give_up = [&solving, this](std::uint64_t nodes) {
        if (solving.watches(*this)) {
            // Whoever is asked whether to go on may look at the graph.
            const Lock lock(solving.mutex_);
            if (solving.watch_->expired(nodes)) solving.over_ = true;
        }
        return solving.over_.load(std::memory_order_relaxed) ||
               solving.resting_.load(std::memory_order_relaxed);
    };
    if (solving.two_) {
        prober = std::make_unique<Prober>(rules, ordering, *solving.table_, solving.scale_);
        prober->give_up = give_up;
    } else {
        many_prober = std::make_unique<ManyProber>(rules, ordering, *solving.table_);
        many_prober->give_up = give_up;
    }
}

Solver::Solver(Search& search, Rules& rules, Evaluator& evaluator)
    : search_(search),
      rules_(rules),
      graph_(search.graph_),
      options_(search.options_),
      two_(options_.values == ValueRule::minimax),
      scale_(rules, options_.exact_score || !two_) {
    if (options_.probes) table_ = empty_table();
    for (int i = 0; i < options_.threads; ++i)
        workers_.push_back(std::make_unique<Worker>(*this, rules, evaluator));
}

Solver::~Solver() = default;

std::unique_ptr<TranspositionTable> Solver::empty_table() const {
    return std::make_unique<TranspositionTable>(rules_.state_bytes, !options_.exact_score,
                                                two_ ? 0 : rules_.players);
}

// -- the run --------------------------------------------------------------------------------------

Solver::Running::Running(Solver& solving, const Limits& limits, Watch& watch)
    : evaluator(solving.search_.evaluator_) {
    solving.limits_ = limits;
    solving.watch_ = &watch;
    solving.search_.seen_work_ = solving.search_.work();
    solving.over_ = false;
    solving.reason_.reset();
    solving.failure_ = nullptr;
    solving.table_is_full_size_ = false;
    const auto& workers = solving.workers_;
    for (const auto& worker : workers) {
        const std::uint64_t memory = limits.memory / lines_share_of_memory / workers.size();
        if (worker->prober) worker->prober->limit_memory(memory);
        if (worker->many_prober) worker->many_prober->limit_memory(memory);
    }
    // One that several threads may ask takes no time to speak of.
    if (workers.size() == 1)
        evaluator.give_up = [&watch](std::uint64_t work) { return watch.expired(work); };
}

Stop Solver::run(const Limits& limits, const Poll& poll) {
    Watch watch(limits.seconds, poll);
    const Running running(*this, limits, watch);
    // Small games are solved by the first probe, before another thread would have started.
    if (workers_.size() > 1 && search_.iterations_ == 0)
        limits_.iterations = std::min(limits.iterations, search_.iterations_ + 1);
    if (search_.iterations_ == 0) work(*workers_[0]);
    if (!reason_ || (reason_ == Stop::iterations && search_.iterations_ < limits.iterations)) {
        limits_.iterations = limits.iterations;
        over_ = false;
        reason_.reset();
        work_together();
    }
    if (failure_) std::rethrow_exception(failure_);
    // One thread may have come to a limit while another proved the last that was missing.
    return graph_.node(search_.root_).is(resolved) ? Stop::resolved : *reason_;
}

void Solver::work_together() {
    std::vector<std::thread> helpers;
    helpers.reserve(workers_.size());
    try {
        for (std::size_t i = 1; i < workers_.size(); ++i)
            helpers.emplace_back([this, i] { work(*workers_[i]); });
    } catch (const std::system_error&) {
        // The system gives no more threads: those that there are do the work.
    }
    work(*workers_[0]);
    for (std::thread& helper : helpers) helper.join();
}

// Iterates until the run is over.
void Solver::work(Worker& worker) try {
    Lock lock(mutex_);
    while (!over(worker)) {
        if (workers_.size() == 1) search_.rest_if_wanted();
        // Memory is being tidied, or the last iterations are already being made.
        const bool last = at_work_ > 0 && search_.iterations_ + at_work_ >= limits_.iterations;
        switch (compacting_ || last ? Progress::nothing_to_do : iterate(worker, lock)) {
            case Progress::done: changed_.notify_all(); break;
            case Progress::no_memory:
                if (!make_room(lock)) end(Stop::memory);
                break;
            case Progress::nothing_to_do:
                wait(lock);
                look(worker);
                break;
        }
    }
    if (watches(worker) && !reason_) reason_ = watch_->reason();  // it expired during a probe
} catch (const GivenUp&) {
    const Lock lock(mutex_);
    end(watch_->reason());
} catch (...) {
    const Lock lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    end(Stop::interrupted);
}

bool Solver::over(const Worker& worker) {
    if (over_) return true;
    const Node& root = graph_.node(search_.root_);
    if (root.is(resolved) || root.is(terminal))
        end(Stop::resolved);
    else if (search_.iterations_ >= limits_.iterations)
        end(Stop::iterations);
    else if (graph_.size() + probed_ >= limits_.states)
        end(Stop::states);
    else if (watches(worker) && search_.work() != search_.seen_work_ && search_.expired(*watch_))
        end(watch_->reason());
    return over_;
}

void Solver::end(Stop reason) {
    if (!reason_) reason_ = reason;
    over_ = true;
    changed_.notify_all();
}

// For what another thread does, but not for long: somebody has to look at the watch.
void Solver::wait(Lock& lock) { changed_.wait_for(lock, time_between_looks); }

void Solver::look(const Worker& worker) {
    if (watches(worker) && !over_ && watch_->look()) end(watch_->reason());
}

// -- an iteration ---------------------------------------------------------------------------------

Solver::Progress Solver::iterate(Worker& worker, Lock& lock) {
    worker.path.clear();
    worker.followed.clear();
    const Search::Iterating iterating(worker.iterating);
    Bounds window = scale_.all;
    for (NodeId id = search_.root_;;) {
        worker.path.push_back(id);
        ++search_.walked_;
        check_cycle(worker);
        Node& node = graph_.node(id);
        if (!node.is(expanded)) {
            if (node.is(busy)) {
                forget_visits(worker);
                return Progress::nothing_to_do;
            }
            if (!work_on(worker, id, window, lock)) return Progress::no_memory;
            if (options_.algorithm == Algorithm::ubfm || !node.is(expanded)) break;
            if (over(worker)) break;  // an iteration may be a whole game
        }
        if (node.is(resolved)) break;
        if (two_) window = window.meet(graph_.bounds(node));
        id = open_child(worker, node, window);
        if (id == no_node) break;
    }
    back_up_path(worker);
    ++search_.iterations_;
    return Progress::done;
}

// Probes or expands a leaf. False: no memory. Then, or if it fails, all is as it was before but for
// what was proven.
bool Solver::work_on(Worker& worker, NodeId id, Bounds window, Lock& lock) {
    Node& node = graph_.node(id);
    const auto came_to_nothing = [&] {
        end_work(worker, node);
        forget_visits(worker);
        back_up_path(worker);
    };
    begin_work(worker, id);
    try {
        if (!settle(worker, id, window, lock) && !expand(worker, id, lock)) {
            came_to_nothing();
            return false;
        }
    } catch (...) {
        if (!lock.owns_lock()) lock.lock();
        came_to_nothing();
        throw;
    }
    end_work(worker, node);
    return true;
}

void Solver::forget_visits(Worker& worker) {
    for (Edge* edge : worker.followed)
        if (edge->visits != UINT32_MAX) --edge->visits;
}

// The child to follow: the best, then the least tried, of those that can matter.
NodeId Solver::open_child(Worker& worker, const Node& node, Bounds window) {
    if (options_.values == ValueRule::resolved_completion)
        return open_child_of_many<ResolvedCompletion>(worker, node);
    if (options_.values == ValueRule::propagated_completion)
        return open_child_of_many<PropagatedCompletion>(worker, node);
    const Worth beat = window.seen_by(node.player).lo;
    Edge* best = nullptr;
    std::int64_t best_key = 0;
    Edge* const edges = graph_.edges(node);
    for (Edge* edge = edges; edge != edges + node.edge_count; ++edge) {
        const Node& child = graph_.node(edge->child);
        if (child.is(resolved) || graph_.bounds(child).seen_by(node.player).hi <= beat) continue;
        const std::int64_t key = Minimax::key(child, node.player, 1);
        if (best != nullptr &&
            (key < best_key || (key == best_key && edge->visits >= best->visits)))
            continue;
        best = edge;
        best_key = key;
    }
    return best == nullptr ? no_node : follow(worker, *best);
}

template <class Values>
NodeId Solver::open_child_of_many(Worker& worker, const Node& node) {
    const Choice choice = least_tried_best_child<Values>(graph_, node);
    return choice.child == nullptr ? no_node : follow(worker, graph_.edges(node)[choice.position]);
}

NodeId Solver::follow(Worker& worker, Edge& edge) {
    if (edge.visits != UINT32_MAX) ++edge.visits;
    worker.followed.push_back(&edge);
    return edge.child;
}

// -- a leaf ---------------------------------------------------------------------------------------

// Asks probes about a leaf. True: what needs to be known of it here is known.
bool Solver::settle(Worker& worker, NodeId id, Bounds window, Lock& lock) {
    if (table_ == nullptr) return false;
    make_table_bigger(worker, lock);
    const std::uint64_t budget = std::min(probe_budget(), states_left());
    const Bounds open = two_ ? window.meet(graph_.bounds(graph_.node(id))) : window;
    const State state = graph_.state(id);  // stays where it is, but finding it needs the lock
    // A probe that has lost its way finds a better one when it starts again, knowing more.
    for (std::uint64_t limit = first_probe; !over_;) {
        lock.unlock();
        const std::uint64_t before = nodes(worker);
        const bool settled = probe(worker, state, open, std::min(limit, budget));
        lock.lock();
        probed_ += nodes(worker) - before;
        take(worker, id);
        if (settled) return true;
        if (resting_) {
            make_table_bigger(worker, lock);  // or wait until another thread has done it
        } else {
            if (limit >= budget) return false;
            limit *= 4;
        }
    }
    return false;
}

// Probes a state, without the lock; `take` then takes over the answer.
bool Solver::probe(Worker& worker, State state, Bounds window, std::uint64_t budget) {
    if (two_) {
        worker.answer = worker.prober->probe(state, window, budget);
        return worker.answer.finished;
    }
    worker.row = worker.many_prober->probe(state, budget);
    return worker.row != nullptr;
}

void Solver::take(Worker& worker, NodeId id) {
    if (two_)
        narrow(graph_.node(id), worker.answer.bounds);
    else if (worker.row != nullptr)
        resolve(graph_.node(id), worker.row);
}

std::uint64_t Solver::nodes(const Worker& worker) const {
    return two_ ? worker.prober->nodes() : worker.many_prober->nodes();
}

bool Solver::expand(Worker& worker, NodeId id, Lock& lock) {
    Expander& expander = worker.expander;
    const std::uint64_t ends = expander.terminal_states();
    const State state = graph_.state(id);
    lock.unlock();
    expander.list(state);
    lock.lock();
    expander.look_up();
    lock.unlock();
    expander.evaluate();
    lock.lock();
    if (!expander.store(id, memory_for_graph())) return false;
    ++search_.expansions_;
    search_.resolved_ += expander.terminal_states() - ends;
    if (table_ != nullptr) take_known(worker, graph_.node(id));
    back_up(worker, id);
    return true;
}

// What the table knows of new children.
void Solver::take_known(Worker& worker, const Node& node) {
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

void Solver::begin_work(Worker& worker, NodeId id) {
    Node& node = graph_.node(id);
    node.set(busy);
    ++at_work_;
    worker.leaf = id;
    worker.values.assign(node.values(), node.values() + graph_.width);
    add_virtual_loss(worker, node);
}

// While a leaf is worked on, others are to look elsewhere: it counts as bad for whoever chose it.
void Solver::add_virtual_loss(Worker& worker, Node& node) {
    if (workers_.size() == 1 || worker.path.size() < 2) return;
    const int chooser = graph_.node(worker.path[worker.path.size() - 2]).player;
    if (two_)
        node.values()[0] = chooser == 0 ? -FLT_MAX : FLT_MAX;
    else
        node.values()[chooser] = -FLT_MAX;
    for (std::size_t i = worker.path.size() - 1; i > 0 && back_up(worker, worker.path[i - 1]);) --i;
}

void Solver::end_work(Worker& worker, Node& node) {
    node.clear(busy);
    worker.leaf = no_node;
    --at_work_;
    if (node.is(resolved) || node.is(expanded)) return;
    std::copy(worker.values.begin(), worker.values.end(), node.values());
}

// -- numbers --------------------------------------------------------------------------------------

void Solver::narrow(Node& node, Bounds bounds) {
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

void Solver::resolve(Node& node, const Worth* row) {
    for (int p = 0; p < graph_.width; ++p) {
        node.values()[p] = scale_.score(row[p]);
        const auto outcome = static_cast<std::int8_t>(scale_.outcome(row[p]));
        node.completion(graph_.width)[p] = outcome;
        node.tentative(graph_.width)[p] = outcome;
    }
    node.set(resolved);
    ++search_.resolved_;
}

// Whether anything changed by it.
bool Solver::back_up(Worker& worker, NodeId id) {
    Node& node = graph_.node(id);
    if (node.is(resolved) || !node.is(expanded)) return false;
    worker.before.assign(reinterpret_cast<const std::byte*>(&node),
                         reinterpret_cast<const std::byte*>(&node) + graph_.node_bytes());
    switch (options_.values) {
        case ValueRule::minimax: back_up_bounds(node); break;
        case ValueRule::resolved_completion: back_up_numbers<ResolvedCompletion>(worker, id); break;
        default: back_up_numbers<PropagatedCompletion>(worker, id);
    }
    return std::memcmp(worker.before.data(), &node, graph_.node_bytes()) != 0;
}

void Solver::back_up_bounds(Node& node) {
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
void Solver::back_up_numbers(Worker& worker, NodeId id) {
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
bool Solver::cannot_be_beaten(Worker& worker, const Node& node, const Node& best) {
    const float value = best.values()[node.player];
    const Edge* const edges = graph_.edges(node);
    for (int i = 0; i < node.edge_count; ++i) {
        if (graph_.node(edges[i].child).is(resolved)) continue;
        const State state = graph_.state(edges[i].child);
        if (worker.rules.best_score_from(state, node.player) > value) return false;
    }
    return true;
}

void Solver::back_up_path(Worker& worker) {
    for (std::size_t i = worker.path.size(); i > 0; --i) back_up(worker, worker.path[i - 1]);
}

int Solver::best_child(const Node& node) const {
    // Of a resolved state: a child that cannot be worse than it, if need be by its bounds; rather
    // one whose own children are known, so that a line that was completed stays the best.
    const auto rank = [&](const Node& child) {
        if (!node.is(resolved)) return std::pair<Worth, bool>{0, false};
        const bool goes_on = child.is(resolved) && (child.is(expanded) || child.is(terminal));
        return std::pair{graph_.bounds(child).seen_by(node.player).lo, goes_on};
    };
    int best = -1;
    std::pair<std::pair<Worth, bool>, std::int64_t> best_key;
    const Edge* const edges = graph_.edges(node);
    for (int i = 0; i < node.edge_count; ++i) {
        const Node& child = graph_.node(edges[i].child);
        const std::pair key{rank(child), Minimax::key(child, node.player, 1)};
        if (best >= 0 && key <= best_key) continue;
        best = i;
        best_key = key;
    }
    return best;
}

// -- the line -------------------------------------------------------------------------------------

bool Solver::complete_line(const Limits& limits, const Poll& poll) try {
    Watch watch(limits.seconds, poll);
    const Running running(*this, limits, watch);
    Lock lock(mutex_);
    // What is proven on the way may change which children are best farther up: then once more.
    for (;;) {
        const std::uint64_t before = search_.expansions_ + search_.resolved_;
        if (!walk_line(lock)) return false;
        if (search_.expansions_ + search_.resolved_ == before) return true;
    }
} catch (const GivenUp&) {
    return false;
}

bool Solver::walk_line(Lock& lock) {
    Worker& worker = *workers_[0];
    std::uint64_t steps = 0;
    for (NodeId id = search_.root_; !graph_.node(id).is(terminal);) {
        const Node& node = graph_.node(id);
        // A line longer than there are states can only come from a file that lies.
        if (watch_->expired(1) || !node.is(resolved) || ++steps > graph_.size()) return false;
        if (!node.is(expanded) && !expand(worker, id, lock)) return false;
        if (!has_proven_child(worker, node, lock)) return false;
        id = graph_.edges(node)[search_.best_child(id)].child;
        finish_proof(node, graph_.node(id));
    }
    return true;
}

// Whether a child is proven to be worth to the mover what the resolved state is worth.
bool Solver::proves(const Node& node, const Node& child) const {
    if (!two_) return child.is(resolved) && same_numbers(node, child, graph_.width);
    return graph_.bounds(child).seen_by(node.player).lo >=
           graph_.bounds(node).seen_by(node.player).lo;
}

// Whether a child is proven to be worth as much as the resolved state; proves it if need be. Little
// probes of all children come first: one may be easy where another is hard.
bool Solver::has_proven_child(Worker& worker, const Node& node, Lock& lock) {
    const Edge* const edges = graph_.edges(node);
    const Edge* const end = edges + node.edge_count;
    const auto proof = [&](const Edge& edge) { return proves(node, graph_.node(edge.child)); };
    bool open = table_ != nullptr;
    for (std::uint64_t budget = first_probe; !std::any_of(edges, end, proof); budget *= 4) {
        if (!open) return false;
        open = false;
        for (const Edge* edge = edges; edge != end && !over_ && !proof(*edge); ++edge)
            open |= !try_to_prove(worker, node, edge->child, budget, lock);
    }
    return true;
}

// Probes a child of a resolved state. True: it is known whether the child is worth as much.
bool Solver::try_to_prove(Worker& worker, const Node& node, NodeId id, std::uint64_t budget,
                          Lock& lock) {
    Node& child = graph_.node(id);
    if (child.is(resolved)) return true;
    Bounds window = scale_.all;
    if (two_) {
        const Worth worth = graph_.bounds(node).seen_by(node.player).lo;
        window = Bounds{worth - 1, worth}.seen_by(node.player).meet(graph_.bounds(child));
        if (window.lo >= window.hi) return true;
    }
    const std::uint64_t before = nodes(worker);
    const State state = graph_.state(id);
    lock.unlock();
    const bool settled = probe(worker, state, window, budget);
    lock.lock();
    const std::uint64_t spent = nodes(worker) - before;
    probed_ += spent;
    take(worker, id);
    return settled || spent < budget;  // where nodes were not what was missing, more will not help
}

// A child cannot be worth more to the mover than the state, or the state would be.
void Solver::finish_proof(const Node& node, Node& child) {
    if (!two_) return;
    const Bounds most{scale_.all.seen_by(node.player).lo,
                      graph_.bounds(node).seen_by(node.player).hi};
    narrow(child, most.seen_by(node.player));
}

// -- means ----------------------------------------------------------------------------------------

// What probes visit counts as well as what is stored.
std::uint64_t Solver::states_left() const {
    const std::uint64_t done = graph_.size() + probed_;
    return done < limits_.states ? limits_.states - done : 0;
}

// What the probes may take is not for the graph.
std::uint64_t Solver::memory_for_graph() const {
    if (!table_) return limits_.memory;
    const std::uint64_t probes = table_->bytes() + limits_.memory / lines_share_of_memory;
    return limits_.memory - std::min(limits_.memory, probes);
}

std::uint64_t Solver::memory_for_table() const {
    const std::uint64_t others = graph_.memory().total() + limits_.memory / lines_share_of_memory;
    return std::min(limits_.memory / table_share_of_memory,
                    limits_.memory - std::min(limits_.memory, others));
}

std::uint64_t Solver::probe_budget() const {
    if (options_.probe_nodes != 0) return options_.probe_nodes;
    return std::max(smallest_probe, probed_ / (share_of_a_probe * workers_.size()));
}

bool Solver::table_is_small() const {
    return !over_ && !table_is_full_size_ && table_->small_for(smallest_probe / 2 + probed_ / 4);
}

// A table that is small for the work done grows. The other threads rest meanwhile: they give up
// their probes, but not what those have found.
void Solver::make_table_bigger(const Worker& worker, Lock& lock) {
    if (!table_is_small() && !resting_) return;
    struct Rest {  // which ends even if the caller, who is asked meanwhile whether to go on, throws
        Rest(Solver& solving) : solving(solving), first(!solving.resting_) {
            solving.resting_ = true;
            --solving.at_work_;
            solving.changed_.notify_all();
        }
        ~Rest() {
            if (first) solving.resting_ = false;
            ++solving.at_work_;
            solving.changed_.notify_all();
        }
        Solver& solving;
        const bool first;
    } const rest(*this);
    while (rest.first ? at_work_ > 0 : resting_.load()) {
        wait(lock);
        look(worker);
    }
    if (!rest.first) return;
    while (table_is_small()) grow_table(worker, lock);
}

// Bit by bit and without the lock, so that somebody can look at the watch. If time is up before all
// is moved, the next run goes on with it.
void Solver::grow_table(const Worker& worker, Lock& lock) {
    table_is_full_size_ = !table_->begin_to_grow(memory_for_table());
    for (bool more = true; more && table_is_small();) {
        lock.unlock();
        more = table_->move_some();
        lock.lock();
        look(worker);
        if (!more) table_->finish_growing();
    }
}

// Forgets what is proven, when no other thread is at work. False: it does not help any more.
bool Solver::make_room(Lock& lock) {
    if (compacting_) return true;  // another thread does it
    compacting_ = true;
    // Those who rest while the table grows are not at work, but in the middle of a leaf: they hold
    // numbers of states, which are about to change.
    const auto has_leaf = [](const auto& worker) { return worker->leaf != no_node; };
    while (at_work_ > 0 || std::any_of(workers_.begin(), workers_.end(), has_leaf)) wait(lock);
    const bool helped = search_.forget_what_is_proven();
    compacting_ = false;
    changed_.notify_all();
    return helped;
}

// A line longer than there are states has one twice.
void Solver::check_cycle(Worker& worker) {
    if (worker.path.size() <= graph_.size()) return;
    forget_visits(worker);
    std::vector<bool> seen(graph_.size());
    std::size_t end = 0;
    for (; !seen[worker.path[end]]; ++end) seen[worker.path[end]] = true;
    search_.path_.assign(worker.path.begin(), worker.path.begin() + end);
    search_.report_cycle(worker.path[end]);
}

}  // namespace unbounded
