// SPDX-License-Identifier: MIT
#include "solving.h"

#include <algorithm>
#include <cfloat>

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
      expander(solving.graph_, rules, evaluator, true, true, &solving.scale_) {
    if (solving.table_ == nullptr) return;
    Evaluator* const ordering = dynamic_cast<NativeEvaluator*>(&evaluator);
    prober = std::make_unique<Prober>(*own_rules, ordering, *solving.table_, solving.scale_);
    prober->give_up = [&solving, this](std::uint64_t nodes) {
        if (solving.watches(*this) && solving.watch_->expired(nodes)) solving.over_ = true;
        return solving.over_.load(std::memory_order_relaxed);
    };
}

Solving::Solving(Search& search, Rules& rules, Evaluator& evaluator)
    : search_(search),
      graph_(search.graph_),
      options_(search.options_),
      scale_(rules, options_.exact_score) {
    if (options_.probes)
        table_ = std::make_unique<ProvenTable>(rules.state_bytes, !options_.exact_score);
    for (int i = 0; i < options_.threads; ++i)
        workers_.push_back(std::make_unique<Worker>(*this, rules, evaluator));
}

Solving::~Solving() = default;

// -- the run --------------------------------------------------------------------------------------

void Solving::begin(const Limits& limits, Watch& watch) {
    limits_ = limits;
    watch_ = &watch;
    search_.seen_work_ = search_.work();
    over_ = false;
    reason_.reset();
    failure_ = nullptr;
    table_is_full_size_ = false;
}

Stop Solving::run(const Limits& limits, const Poll& poll) {
    Watch watch(limits.seconds, poll);
    begin(limits, watch);
    std::vector<std::thread> helpers;
    for (std::size_t i = 1; i < workers_.size(); ++i)
        helpers.emplace_back([this, i] { work(*workers_[i]); });
    work(*workers_[0]);
    for (std::thread& helper : helpers) helper.join();
    if (failure_) std::rethrow_exception(failure_);
    return *reason_;
}

// Iterates until the run is over.
void Solving::work(Worker& worker) try {
    Lock lock(mutex_);
    while (!over(worker)) {
        switch (iterate(worker, lock)) {
            case Progress::done: changed_.notify_all(); break;
            case Progress::no_memory: return end(Stop::memory);
            case Progress::nothing_to_do:
                wait(lock);
                look(worker);
                break;
        }
    }
    if (watches(worker) && !reason_) reason_ = watch_->reason();  // it expired during a probe
} catch (...) {
    const Lock lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    end(Stop::interrupted);
}

bool Solving::over(const Worker& worker) {
    if (over_) return true;
    const Node& root = graph_.node(search_.root_);
    if (root.is(resolved) || root.is(terminal))
        end(Stop::resolved);
    else if (search_.iterations_ >= limits_.iterations)
        end(Stop::iterations);
    else if (graph_.size() >= limits_.states)
        end(Stop::states);
    else if (watches(worker) && search_.work() != search_.seen_work_ && search_.expired(*watch_))
        end(watch_->reason());
    return over_;
}

void Solving::end(Stop reason) {
    if (!reason_) reason_ = reason;
    over_ = true;
    changed_.notify_all();
}

// For what another thread does, but not for long: somebody has to look at the watch.
void Solving::wait(Lock& lock) { changed_.wait_for(lock, time_between_looks); }

void Solving::look(const Worker& worker) {
    if (watches(worker) && !over_ && watch_->look()) end(watch_->reason());
}

// -- an iteration ---------------------------------------------------------------------------------

Solving::Progress Solving::iterate(Worker& worker, Lock& lock) {
    worker.path.clear();
    worker.followed.clear();
    Bounds window = scale_.all;
    for (NodeId id = search_.root_;;) {
        worker.path.push_back(id);
        ++search_.walked_;
        check_cycle(worker);
        Node& node = graph_.node(id);
        if (!node.is(expanded)) {
            if (node.is(busy)) {
                forget_selections(worker);
                return Progress::nothing_to_do;
            }
            if (!work_on(worker, id, window, lock)) return Progress::no_memory;
            if (options_.algorithm == Algorithm::ubfm || !node.is(expanded)) break;
            if (over(worker)) break;  // an iteration may be a whole game
        }
        if (node.is(resolved)) break;
        const Bounds proven = graph_.bounds(node).seen_by(node.player);
        Bounds view = window.seen_by(node.player);
        view.lo = std::max(view.lo, proven.lo);
        view.hi = std::min(view.hi, proven.hi);
        window = view.seen_by(node.player);
        id = open_child(worker, node, window);
        if (id == no_node) break;
    }
    back_up_path(worker);
    ++search_.iterations_;
    return Progress::done;
}

// Probes or expands a leaf. False: no memory. Then, or if it fails, all is as it was before but for
// what was proven.
bool Solving::work_on(Worker& worker, NodeId id, Bounds window, Lock& lock) {
    Node& node = graph_.node(id);
    const auto came_to_nothing = [&] {
        end_work(worker, node);
        forget_selections(worker);
        back_up_path(worker);
    };
    begin_work(worker, node);
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

void Solving::forget_selections(Worker& worker) {
    for (Edge* edge : worker.followed)
        if (edge->selections != UINT32_MAX) --edge->selections;
}

// The child to follow: the best, then the least tried, of those that can matter.
NodeId Solving::open_child(Worker& worker, const Node& node, Bounds window) {
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
    if (best == nullptr) return no_node;
    if (best->selections != UINT32_MAX) ++best->selections;
    worker.followed.push_back(best);
    return best->child;
}

// Asks a probe about a leaf. True: what it needs to be known here is known.
bool Solving::settle(Worker& worker, NodeId id, Bounds window, Lock& lock) {
    if (!worker.prober) return false;
    make_table_bigger(worker, lock);
    const std::uint64_t budget = probe_budget();
    const std::uint64_t before = worker.prober->nodes();
    const Bounds open = window.meet(graph_.bounds(graph_.node(id)));
    const State state = graph_.state(id);  // stays where it is, but finding it needs the lock
    lock.unlock();
    // A probe that has lost its way finds a better one when it starts again, knowing more.
    Prober::Answer answer{scale_.all, false};
    for (std::uint64_t nodes = first_probe; !answer.finished && !over_; nodes *= 4) {
        answer = worker.prober->probe(state, open, std::min(nodes, budget));
        if (nodes >= budget) break;
    }
    lock.lock();
    probed_ += worker.prober->nodes() - before;
    narrow(graph_.node(id), answer.bounds);
    return answer.finished;
}

bool Solving::expand(Worker& worker, NodeId id, Lock& lock) {
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
    if (!expander.store(id, limits_.memory)) return false;
    ++search_.expansions_;
    search_.resolved_ += expander.terminal_states() - ends;
    if (worker.prober) take_known_bounds(worker, graph_.node(id));
    back_up(id);
    return true;
}

// What the table knows of new children.
void Solving::take_known_bounds(Worker& worker, const Node& node) {
    const Edge* const edges = graph_.edges(node);
    for (int i = 0; i < node.edge_count; ++i) {
        Node& child = graph_.node(edges[i].child);
        if (!child.is(resolved) && !child.is(expanded))
            narrow(child, worker.prober->known(graph_.state(edges[i].child)));
    }
}

// While a leaf is worked on, others are to look elsewhere: it counts as bad for whoever chose it.
void Solving::begin_work(Worker& worker, Node& node) {
    node.set(busy);
    ++at_work_;
    worker.kept_value = node.values()[0];
    if (workers_.size() == 1 || worker.path.size() < 2) return;
    const int chooser = graph_.node(worker.path[worker.path.size() - 2]).player;
    node.values()[0] = chooser == 0 ? -FLT_MAX : FLT_MAX;
    for (std::size_t i = worker.path.size() - 1; i > 0 && back_up(worker.path[i - 1]);) --i;
}

void Solving::end_work(Worker& worker, Node& node) {
    node.clear(busy);
    --at_work_;
    if (!node.is(expanded) && !node.is(resolved)) node.values()[0] = worker.kept_value;
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
    if (!bounds.exact()) return;
    node.values()[0] = scale_.score(bounds.lo);
    node.set(resolved);
    ++search_.resolved_;
}

// Whether anything changed by it.
bool Solving::back_up(NodeId id) {
    Node& node = graph_.node(id);
    if (node.is(resolved) || !node.is(expanded)) return false;
    const Bounds bounds_before = graph_.bounds(node);
    const float value_before = node.values()[0];
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
    return node.values()[0] != value_before || graph_.bounds(node) != bounds_before;
}

void Solving::back_up_path(const Worker& worker) {
    for (std::size_t i = worker.path.size(); i > 0; --i) back_up(worker.path[i - 1]);
}

int Solving::best_child(const Node& node) const {
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

bool Solving::complete_line(const Limits& limits, const Poll& poll) {
    Watch watch(limits.seconds, poll);
    begin(limits, watch);
    Lock lock(mutex_);
    // What is proven on the way may change which children are best farther up: then once more.
    for (;;) {
        const std::uint64_t before = search_.expansions_ + search_.resolved_;
        if (!walk_line(lock)) return false;
        if (search_.expansions_ + search_.resolved_ == before) return true;
    }
}

bool Solving::walk_line(Lock& lock) {
    Worker& worker = *workers_[0];
    for (NodeId id = search_.root_; !graph_.node(id).is(terminal);) {
        const Node& node = graph_.node(id);
        if (watch_->expired(1) || !node.is(resolved)) return false;
        if (!node.is(expanded) && !expand(worker, id, lock)) return false;
        id = proven_child(worker, node);
        if (id == no_node) return false;
    }
    return true;
}

// A child of a resolved state that is worth as much, proven here if it was not yet.
NodeId Solving::proven_child(Worker& worker, const Node& node) {
    const Worth worth = graph_.bounds(node).seen_by(node.player).lo;
    NodeId chosen = graph_.edges(node)[best_child(node)].child;
    // Little probes of all children first: one may be easy where another is hard.
    for (std::uint64_t nodes = first_probe; !is_worth(chosen, node.player, worth); nodes *= 4) {
        chosen = prove_a_child(worker, node, worth, nodes);
        if (chosen == no_node) return no_node;
    }
    // It cannot be worth more than the state, or the state would be.
    Node& child = graph_.node(chosen);
    const Bounds bounds = graph_.bounds(child).seen_by(node.player);
    narrow(child, Bounds{bounds.lo, worth}.seen_by(node.player));
    return chosen;
}

bool Solving::is_worth(NodeId id, int player, Worth worth) const {
    return graph_.bounds(graph_.node(id)).seen_by(player).lo >= worth;
}

// A child that is worth so much; or else one that may be; no_node: there is none, or no more time.
NodeId Solving::prove_a_child(Worker& worker, const Node& node, Worth worth, std::uint64_t nodes) {
    NodeId open = no_node;
    const Edge* const edges = graph_.edges(node);
    for (int i = 0; i < node.edge_count; ++i) {
        const NodeId id = edges[i].child;
        Node& child = graph_.node(id);
        if (graph_.bounds(child).seen_by(node.player).hi < worth) continue;
        if (over_ || !worker.prober) return no_node;
        const std::uint64_t before = worker.prober->nodes();
        const Bounds window = Bounds{worth - 1, worth}.seen_by(node.player);
        narrow(child, worker.prober->probe(graph_.state(id), window, nodes).bounds);
        probed_ += worker.prober->nodes() - before;
        if (is_worth(id, node.player, worth)) return id;
        if (graph_.bounds(child).seen_by(node.player).hi >= worth) open = id;
    }
    return open;
}

// -- means ----------------------------------------------------------------------------------------

std::uint64_t Solving::probe_budget() const {
    return std::max(smallest_probe, probed_ / share_of_a_probe);
}

// A table that is small for the work done grows, when no other thread is at work.
void Solving::make_table_bigger(const Worker& worker, Lock& lock) {
    while (!over_ && !table_is_full_size_ && table_->small_for(smallest_probe / 2 + probed_ / 4)) {
        if (at_work_ > 1) {
            --at_work_;
            wait(lock);
            ++at_work_;
            look(worker);
            continue;
        }
        table_is_full_size_ = !table_->grow(limits_.memory / table_share_of_memory);
        changed_.notify_all();
    }
}

// A line longer than there are states has one twice.
void Solving::check_cycle(Worker& worker) {
    if (worker.path.size() <= graph_.size()) return;
    forget_selections(worker);
    std::vector<bool> seen(graph_.size());
    std::size_t end = 0;
    for (; !seen[worker.path[end]]; ++end) seen[worker.path[end]] = true;
    search_.path_.assign(worker.path.begin(), worker.path.begin() + end);
    search_.report_cycle(worker.path[end]);
}

}  // namespace unbounded
