// SPDX-License-Identifier: MIT
#include "selfplay/game.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace unbounded {

namespace {

constexpr std::size_t stack_bytes = 256 * 1024;
constexpr int most_moves_at_once = 16;
constexpr std::uint8_t open_kind = 0, resolved_kind = 1, terminal_kind = 2;

// Puts `count` of the elements, drawn at random, first, and forgets the others.
template <class T>
void draw(std::vector<T>& from, std::size_t count, Random& random) {
    count = std::min(count, from.size());
    for (std::size_t i = 0; i < count; ++i) {
        const auto left = static_cast<std::uint32_t>(from.size() - i);
        std::swap(from[i], from[i + random.below(left)]);
    }
    from.resize(count);
}

template <class T>
void extend(std::vector<T>& to, const std::vector<T>& from) {
    to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

void Lessons::append(const Lessons& other) {
    extend(states, other.states);
    extend(values, other.values);
    extend(plies, other.plies);
    extend(kinds, other.kinds);
    extend(counts, other.counts);
    extend(moves, other.moves);
    extend(actions, other.actions);
    extend(results, other.results);
    if (by_ply.size() < other.by_ply.size()) by_ply.resize(other.by_ply.size());
    for (std::size_t i = 0; i < other.by_ply.size(); ++i) by_ply[i] += other.by_ply[i];
}

void Lessons::clear() { *this = Lessons(); }

// Evaluates the game's own states, at once by a native evaluator, or by suspending the game.
class SelfPlayGame::Leaves final : public Evaluator {
  public:
    Leaves(SelfPlayGame& game, int network, Evaluator* native)
        : game_(game), network_(network), native_(native) {}

    void evaluate(State states, std::size_t count, float* out) override {
        if (count == 0) return;
        const std::size_t bytes = game_.game_.state_bytes, stored = game_.rules_.state_bytes;
        Wanted& wanted = game_.wanted;
        wanted.states.resize(count * bytes);
        for (std::size_t i = 0; i < count; ++i)
            std::memcpy(wanted.states.data() + i * bytes, states + i * stored, bytes);
        game_.counts.evaluated += count;
        if (native_ != nullptr) return native_->evaluate(wanted.states.data(), count, out);
        wanted.network = network_;
        wanted.out = out;
        wanted.count = count;
        game_.fiber_->suspend();
        wanted.count = 0;
        if (game_.leaving_) throw Abandoned();
    }
    bool native() const override { return true; }
    bool shareable() const override { return false; }

  private:
    SelfPlayGame& game_;
    const int network_;
    Evaluator* const native_;
};

SelfPlayGame::SelfPlayGame(const Rules& rules, const NetworkInputs& inputs,
                           const SelfPlaySettings& settings, std::uint64_t seed,
                           std::vector<Evaluator*> native)
    : game_(rules),
      inputs_(inputs),
      settings_(settings),
      waits_(native.at(0) == nullptr),
      rules_(rules, inputs, settings.scoring),
      random_(seed),
      searches_(2),
      state_(rules_.state_bytes),
      played_(rules.state_bytes),
      listed_(rules),
      planes_(inputs.inputs) {
    for (int network = 0; network < 2; ++network)
        leaves_.push_back(std::make_unique<Leaves>(*this, network, native.at(network)));
    fiber_ = std::make_unique<Fiber>([this] { play_forever(); }, stack_bytes);
}

SelfPlayGame::~SelfPlayGame() {
    // What the suspended calls hold is released by an exception that passes through them.
    leaving_ = true;
    while (started_ && !fiber_->ended()) fiber_->resume();
}

void SelfPlayGame::advance() {
    started_ = true;
    // A game that waits for nothing would be idle while the others are evaluated.
    for (int moves = 0; moves < (waits_ ? most_moves_at_once : 1); ++moves)
        if (!fiber_->resume() || wanted.count > 0) break;
    if (fiber_->overflowed()) {
        // Memory beyond the stack may have been overwritten: going on is not possible.
        std::fputs("unbounded: a rule or an evaluation needs too much of the stack\n", stderr);
        std::abort();
    }
    if (failure_) std::rethrow_exception(failure_);
}

void SelfPlayGame::play_forever() {
    try {
        for (;;) play_game();
    } catch (const Abandoned&) {
    } catch (RuleFailure& failure) {
        // Whoever explains it knows the game's states, without what is added here.
        failure.state.resize(std::min(failure.state.size(), game_.state_bytes));
        for (auto& state : failure.states) state.resize(game_.state_bytes);
        failure_ = std::make_exception_ptr(failure);
    } catch (...) {
        failure_ = std::current_exception();
    }
}

void SelfPlayGame::play_game() {
    begin();
    while (move()) pause();
    learn_from_game();
    pause();  // also if nothing had to be evaluated: whoever advances this game gets it back
}

void SelfPlayGame::pause() {
    fiber_->suspend();
    if (leaving_) throw Abandoned();
}

void SelfPlayGame::begin() {
    std::vector<std::byte> start(game_.state_bytes);
    game_.initial(start.data());
    played_ = start;
    actions_.clear();
    roots_.clear();
    play_opening(start.data());
    rules_.start_from(start.data(), static_cast<std::uint32_t>(actions_.size()));
    rules_.initial(state_.data());
    const bool against_past = static_cast<float>(random_.next() >> 40) * 0x1p-24f < settings_.past;
    const auto players = static_cast<std::uint32_t>(game_.players);
    past_seat_ = against_past ? static_cast<int>(random_.below(players)) : -1;
    restart(0);
    if (past_seat_ >= 0) restart(1);
}

// The memory of a search serves for all games.
void SelfPlayGame::restart(int network) {
    if (searches_[network])
        searches_[network]->restart();
    else
        searches_[network] = std::make_unique<Search>(rules_, *leaves_[network], settings_.options);
}

void SelfPlayGame::play_opening(std::byte* state) {
    const std::uint32_t moves = settings_.opening == 0 ? 0 : random_.below(settings_.opening + 1);
    Expansion next(game_);
    for (std::uint32_t i = 0; i < moves; ++i) {
        game_.expand(state, next);
        if (next.count == 0) return;
        const auto action = static_cast<int>(random_.below(static_cast<std::uint32_t>(next.count)));
        if (next.terminal(action)) return;  // a game of one move teaches little
        std::memcpy(state, next.state(action), game_.state_bytes);
        record(state);
    }
}

// Finds the action that leads to a state or to one of its images, and plays it. Where symmetric
// states are one, the places of actions are others in the image that is searched.
void SelfPlayGame::record(State reached) {
    game_.list_actions(played_.data(), listed_);
    std::vector<std::byte> image(game_.state_bytes);
    for (int i = 0; i < listed_.count; ++i) {
        game_.expand_until_terminal(played_.data(), listed_, i, i + 1);
        std::memcpy(image.data(), listed_.state(i), game_.state_bytes);
        game_.canonicalize(image.data());
        if (std::memcmp(image.data(), reached, game_.state_bytes) != 0) continue;
        std::memcpy(played_.data(), listed_.state(i), game_.state_bytes);
        actions_.push_back(static_cast<std::uint16_t>(i));
        return;
    }
    throw RuleFailure("symmetry", played_.data(), game_.state_bytes,
                      "the images of this state have other successors");
}

// Makes a move, and returns whether the game goes on. It is over for us when its result is proven.
bool SelfPlayGame::move() {
    const Node& before = searches_[0]->graph().node(searches_[0]->root());
    Search& search = *searches_[before.player == past_seat_ ? 1 : 0];
    const bool own = &search == searches_[0].get();
    // Without completion, iterations go on where there are no new states.
    const Limits limits{search.iterations() + settings_.states,
                        search.graph().size() + settings_.states, UINT64_MAX, -1};
    const std::uint64_t expanded_before = search.expansions();
    if (search.run(limits, nullptr) == Stop::memory) throw std::bad_alloc();
    counts.expanded += search.expansions() - expanded_before;
    const Graph& graph = search.graph();
    const Node& root = graph.node(search.root());
    if (own && settings_.targets != Targets::tree) take_root(search);
    if (!root.is(expanded) || actions_.size() >= settings_.longest) return false;
    if (own && root.is(resolved)) {
        ++counts.resolved_roots;
        return false;
    }
    const int position = choose_move(search, settings_.exploration, random_);
    std::memcpy(state_.data(), graph.state(graph.edges(root)[position].child), rules_.state_bytes);
    record(state_.data());
    ++counts.moves;
    searches_[0]->set_root(state_.data());
    if (past_seat_ >= 0) searches_[1]->set_root(state_.data());
    return !searches_[0]->graph().node(searches_[0]->root()).is(terminal);
}

void SelfPlayGame::take_root(const Search& search) {
    const bool proven = search.graph().node(search.root()).is(resolved);
    std::vector<float> values(game_.players);
    values_of(search, search.root(), values.data());
    std::swap(roots_, lessons);
    take(state_.data(), values.data(), proven ? resolved_kind : open_kind);
    std::swap(roots_, lessons);
}

void SelfPlayGame::learn_from_game() {
    const std::size_t before = lessons.kinds.size();
    const Search& search = *searches_[0];
    const Node& last = search.graph().node(search.root());
    std::vector<float> result(game_.players);
    values_of(search, search.root(), result.data());
    if (settings_.targets == Targets::tree) {
        take_tree();
    } else if (settings_.targets == Targets::root || last.is(terminal) || last.is(resolved)) {
        if (settings_.targets == Targets::terminal)  // a game that was given up has no result
            for (std::size_t i = 0; i < roots_.values.size(); ++i)
                roots_.values[i] = result[i % result.size()];
        lessons.append(roots_);
    }
    lessons.counts.push_back(static_cast<std::uint32_t>(lessons.kinds.size() - before));
    lessons.moves.push_back(static_cast<std::uint32_t>(actions_.size()));
    extend(lessons.actions, actions_);
    extend(lessons.results, result);
    ++counts.games;
}

// Late and resolved states are the most frequent by far: only some of each ply are taken.
void SelfPlayGame::take_tree() {
    const Graph& graph = searches_[0]->graph();
    std::vector<std::vector<NodeId>> of_ply[3];
    for (NodeId id = 0; id < graph.size(); ++id) {
        const Node& node = graph.node(id);
        if (!node.is(expanded) && !node.is(terminal)) continue;
        const std::uint32_t ply = rules_.ply(graph.state(id));
        const int kind = node.is(terminal)   ? terminal_kind
                         : node.is(resolved) ? resolved_kind
                                             : open_kind;
        if (of_ply[kind].size() <= ply)
            for (auto& lists : of_ply) lists.resize(ply + 1);
        of_ply[kind][ply].push_back(id);
        if (kind == terminal_kind) continue;
        if (lessons.by_ply.size() <= ply) lessons.by_ply.resize(ply + 1);
        ++lessons.by_ply[ply];
    }
    const float shares[3] = {1.0f, settings_.resolved_share, settings_.terminal_share};
    for (std::uint8_t kind = 0; kind < 3; ++kind)
        for (auto& ids : of_ply[kind]) {
            const float most = std::ceil(shares[kind] * static_cast<float>(settings_.per_ply));
            draw(ids, static_cast<std::size_t>(most), random_);
            for (const NodeId id : ids) take_node(id, kind);
        }
}

// A game need not answer `player` and `encode` where it is over. Such ends teach by those before.
bool SelfPlayGame::can_be_shown(State state) {
    std::uint8_t mover = 0;
    try {
        inputs_.write(state, 1, planes_.data(), &mover);
    } catch (const RuleFailure&) {
        return false;
    }
    return true;
}

void SelfPlayGame::take_node(NodeId id, std::uint8_t kind) {
    if (kind == terminal_kind && !can_be_shown(searches_[0]->graph().state(id))) return;
    std::vector<float> values(game_.players);
    values_of(*searches_[0], id, values.data());
    take(searches_[0]->graph().state(id), values.data(), kind);
}

void SelfPlayGame::take(State state, const float* values, std::uint8_t kind) {
    lessons.states.insert(lessons.states.end(), state, state + game_.state_bytes);
    lessons.values.insert(lessons.values.end(), values, values + game_.players);
    lessons.plies.push_back(static_cast<std::uint16_t>(rules_.ply(state)));
    lessons.kinds.push_back(kind);
}

void SelfPlayGame::values_of(const Search& search, NodeId id, float* out) const {
    const Graph& graph = search.graph();
    const float* const values = graph.node(id).values();
    if (graph.width > 1) {
        std::copy_n(values, game_.players, out);
    } else {
        out[0] = values[0];
        out[1] = -values[0];
    }
}

}  // namespace unbounded
