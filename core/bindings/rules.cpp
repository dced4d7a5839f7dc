// SPDX-License-Identifier: MIT
// Compiled rules and evaluations, and those written in Python.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "bindings/border.h"
#include "rules/native_rules.h"
#include "rules/perft.h"

namespace unbounded {

using namespace nb::literals;

namespace {

// Games on Python objects. A state is the number that `object_rules.py` assigned to the object.
// Python is called once for each expansion, or for each of its steps, and returns a description of
// every state that it numbers; descriptions are cached. Needs the GIL.
class ObjectRules final : public Rules {
  public:
    using Number = std::uint32_t;
    static constexpr Number no_number = 0xffffffffu;

    ObjectRules(int players, int max_actions, std::vector<float> best_score, nb::object bridge,
                bool bounds_scores)
        : Rules(players, sizeof(Number), max_actions, std::move(best_score)),
          bridge(std::move(bridge)),
          bounds_scores_(bounds_scores) {}

    void initial(std::byte* out) const override {
        write(nb::cast<Number>(bridge.attr("initial")()), out);
    }

    void expand(State state, Expansion& out) const override {
        const auto successors = take(bridge.attr("successors")(read(state)));
        set_count(state, successors.size(), out);
        for (int i = 0; i < out.count; ++i) write_row(successors[i], i, out);
    }

    void list_actions(State state, Expansion& out) const override {
        set_count(state, static_cast<std::size_t>(known(read(state)).action_count), out);
    }

    int expand_until_terminal(State state, Expansion& out, int first, int last) const override {
        std::vector<Number>& made = successors_of(read(state), out.count);
        last = std::min(last, out.count);
        for (bool ended = false; first < last && !ended; ++first) {
            if (made[first] == no_number) make(state, made, open_places(made, first, last));
            write_row(made[first], first, out);
            ended = out.terminal(first);
        }
        return first;
    }

    // The others are made in the same call of Python unless this one is terminal.
    void expand_first(State state, Expansion& out, int index) const override {
        std::vector<Number>& made = successors_of(read(state), out.count);
        if (made[index] == no_number) {
            nb::list places = open_places(made, index, index + 1);
            places.extend(open_places(made, 0, index));
            places.extend(open_places(made, index + 1, out.count));
            make(state, made, places);
        }
        write_row(made[index], index, out);
    }

    void successor(State state, const Expansion& listed, int index, std::byte* out) const override {
        std::vector<Number>& made = successors_of(read(state), listed.count);
        if (made[index] == no_number) make(state, made, open_places(made, index, index + 1));
        write(made[index], out);
    }

    void describe(State state, Description& out) const override {
        const Known& about = known(read(state));
        out.player = about.player;
        out.action_count = about.action_count;
        out.terminal = about.action_count == 0;
        if (out.terminal) out = ends_[about.end];
    }

    // Runs entirely in Python, so that the states on the way are not numbered and stored.
    bool play_out(State state, std::uint32_t seed, Description& end) const override {
        const nb::object about = bridge.attr("play_out")(read(state), seed);
        end.terminal = true;
        end.outcome = nb::cast<std::vector<std::int8_t>>(about[0]);
        end.score = nb::cast<std::vector<float>>(about[1]);
        check(state, end);
        return true;
    }

    float best_score_from(State state, int player) const override {
        if (!bounds_scores_) return best_score[player];
        const Number number = read(state);
        if (number >= bounds_.size()) bounds_.resize(number + 1);
        std::vector<float>& bounds =
            bounds_[number];  // cached: needed whenever an open state is backed up
        if (bounds.empty())
            bounds = nb::cast<std::vector<float>>(bridge.attr("best_score_from")(number));
        return check_bound(state, player, bounds.at(player));
    }

    bool bounds_scores() const override { return bounds_scores_; }

    bool native() const override { return false; }

    nb::object bridge;

  private:
    // What Python told about a state.
    struct Known {
        std::size_t end = 0;    // of a terminal state: its place in `ends_`
        int action_count = -1;  // -1: nothing yet
        int player = 0;
    };

    static Number read(State state) {
        Number number;
        std::memcpy(&number, state, sizeof number);
        return number;
    }
    static void write(Number number, std::byte* out) { std::memcpy(out, &number, sizeof number); }

    const Known& known(Number number) const {
        if (number >= known_.size() || known_[number].action_count < 0)
            remember(nb::cast<nb::tuple>(bridge.attr("describe")(number)));
        return known_[number];
    }

    // The numbers of successors; what is told about those that are new is kept.
    std::vector<Number> take(const nb::object& answer) const {
        const auto parts = nb::cast<nb::tuple>(answer);
        for (nb::handle about : nb::cast<nb::list>(parts[1])) remember(nb::cast<nb::tuple>(about));
        return nb::cast<std::vector<Number>>(parts[0]);
    }

    // Also labels the actions: by their positions.
    void set_count(State state, std::size_t count, Expansion& out) const {
        if (count > static_cast<std::size_t>(max_actions))
            fail("actions", state, "returned more than 65535 actions");
        out.count = static_cast<int>(count);
        out.reserve(out.count);
        std::iota(out.actions.begin(), out.actions.begin() + out.count, 0);
    }

    // Those that were made in steps; no_number for others.
    std::vector<Number>& successors_of(Number parent, int count) const {
        if (parent >= successors_.size()) successors_.resize(parent + 1);
        std::vector<Number>& made = successors_[parent];
        if (made.empty()) made.assign(count, no_number);
        return made;
    }

    // The places from `first` to `last` of which no successor is made yet.
    static nb::list open_places(const std::vector<Number>& made, int first, int last) {
        nb::list places;
        for (; first < last; ++first)
            if (made[first] == no_number) places.append(first);
        return places;
    }

    // Makes the successors at these places, up to and including the first that ends the game.
    void make(State state, std::vector<Number>& made, const nb::list& places) const {
        const auto numbers = take(bridge.attr("successors_until_end")(read(state), places));
        if (numbers.empty() || numbers.size() > places.size())
            fail("actions", state, "lists other actions than before");
        for (std::size_t i = 0; i < numbers.size(); ++i)
            made[nb::cast<std::size_t>(places[i])] = numbers[i];
    }

    void write_row(Number number, int row, Expansion& out) const {
        write(number, out.state(row));
        const Known& about = known(number);
        out.action_counts[row] = about.action_count;
        out.players[row] = about.player;
        if (about.action_count > 0) return;
        const Description& end = ends_[about.end];
        std::copy(end.outcome.begin(), end.outcome.end(), out.outcomes.begin() + row * players);
        std::copy(end.score.begin(), end.score.end(), out.scores.begin() + row * players);
    }

    // (number, how many actions, player, outcome, score)
    void remember(const nb::tuple& about) const {
        const Number number = nb::cast<Number>(about[0]);
        std::byte state[sizeof number];
        write(number, state);
        Known told;
        told.action_count = nb::cast<int>(about[1]);
        if (told.action_count > 0) {
            told.player = nb::cast<int>(about[2]);
            check_player(state, told.player);
        } else {
            told.end = take_end(state, about);
        }
        if (number >= known_.size()) known_.resize(number + 1);
        known_[number] = told;
    }

    std::size_t take_end(State state, const nb::tuple& about) const {
        Description end(players);
        end.terminal = true;
        end.outcome = nb::cast<std::vector<std::int8_t>>(about[3]);
        end.score = nb::cast<std::vector<float>>(about[4]);
        check(state, end);
        ends_.push_back(std::move(end));
        return ends_.size() - 1;
    }

    const bool bounds_scores_;
    mutable std::vector<Known> known_;
    mutable std::vector<Description> ends_;
    mutable std::vector<std::vector<float>> bounds_;  // empty: not computed yet
    mutable std::vector<std::vector<Number>> successors_;
};

// A Python function from the bytes of `count` states to an array of count x players numbers.
class PythonEvaluator final : public Evaluator {
  public:
    PythonEvaluator(int players, std::size_t state_bytes, nb::object function, int batch_hint)
        : function(std::move(function)),
          players_(players),
          state_bytes_(state_bytes),
          batch_hint_(batch_hint) {}

    void evaluate(State states, std::size_t count, float* out) override {
        using Rows = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
        const nb::gil_scoped_acquire locked;  // which several threads that search do not hold
        const nb::object answer = function(to_bytes(states, count * state_bytes_));
        const Rows rows = nb::cast<Rows>(answer);
        if (rows.shape(0) != count || rows.shape(1) != static_cast<std::size_t>(players_))
            throw std::invalid_argument(
                "the evaluation must return one row per state and one "
                "column per player");
        std::memcpy(out, rows.data(), count * players_ * sizeof(float));
    }

    bool native() const override { return false; }
    bool gathers() const override { return true; }
    int batch_hint() const override { return batch_hint_; }

    nb::object function;

  private:
    int players_;
    std::size_t state_bytes_;
    int batch_hint_;
};

template <class Function>
Function* function_at(const nb::dict& addresses, const char* name) {
    if (!addresses.contains(name)) return nullptr;
    return reinterpret_cast<Function*>(nb::cast<std::uintptr_t>(addresses[name]));
}

template <class Pointer>
void take(const nb::dict& addresses, const char* name, Pointer& out) {
    out = function_at<std::remove_pointer_t<Pointer>>(addresses, name);
}

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Values = nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// One batch of open states, outside any search.
void evaluate(const Rules& rules, Evaluator& evaluator, const Bytes& states, Values& out) {
    const std::size_t count = out.shape(0);
    if (states.shape(0) != count * rules.state_bytes ||
        out.shape(1) != static_cast<std::size_t>(rules.players))
        throw std::invalid_argument("the arrays do not fit the states");
    const auto bytes = reinterpret_cast<State>(states.data());
    if (!rules.native() || !evaluator.native())
        return evaluate_checked(evaluator, rules, bytes, count, out.data());
    const nb::gil_scoped_release unlocked;
    evaluate_checked(evaluator, rules, bytes, count, out.data());
}

void bind_perft(nb::module_& m) {
    m.def(
        "perft",
        [](const Rules& rules, int depth) {
            if (depth < 0) throw std::invalid_argument("the depth is negative");
            if (!rules.native()) return perft(rules, depth);
            const nb::gil_scoped_release unlocked;
            return perft(rules, depth);
        },
        "rules"_a, "depth"_a);
}

}  // namespace

void bind_rules(nb::module_& m) {
    nb::class_<Rules>(m, "Rules")
        .def("declare_single_winner", &Rules::declare_single_winner, "scored"_a);
    nb::class_<NativeRules, Rules>(m, "NativeRules")
        .def(
            "__init__",
            [](NativeRules* self, int players, std::size_t state_bytes, int max_actions,
               std::vector<float> best_score, const nb::dict& addresses,
               std::vector<std::int32_t> endgame_sizes) {
                RuleFunctions f;
                take(addresses, "initial", f.initial);
                take(addresses, "expand", f.expand);
                take(addresses, "best_score_from", f.best_score_from);
                take(addresses, "canonical", f.canonical);
                take(addresses, "forced", f.forced);
                take(addresses, "reduced", f.reduced);
                take(addresses, "endgame", f.endgame);
                new (self) NativeRules(players, state_bytes, max_actions, std::move(best_score), f,
                                       std::move(endgame_sizes));
            },
            "players"_a, "state_bytes"_a, "max_actions"_a, "best_score"_a, "addresses"_a,
            "endgame_sizes"_a = std::vector<std::int32_t>(),
            nb::sig("def __init__(self, players: int, state_bytes: int, max_actions: int, "
                    "best_score: Sequence[float], addresses: dict[str, int], "
                    "endgame_sizes: Sequence[int] = ...) -> None"))
        .def(
            "canonical",
            [](const NativeRules& self, nb::bytes state) {
                if (state.size() != self.state_bytes)
                    throw std::invalid_argument("a state of this game has another size");
                std::vector<std::byte> image(self.state_bytes);
                std::memcpy(image.data(), state.c_str(), image.size());
                self.canonicalize(image.data());
                return to_bytes(image.data(), image.size());
            },
            "state"_a);
    nb::class_<ObjectRules, Rules>(m, "ObjectRules",
                                   nb::type_slots(collectable<ObjectRules, &ObjectRules::bridge>()))
        .def(nb::init<int, int, std::vector<float>, nb::object, bool>(), "players"_a,
             "max_actions"_a, "best_score"_a, "bridge"_a, "bounds_scores"_a);
    bind_perft(m);
}

void bind_evaluators(nb::module_& m) {
    nb::class_<Evaluator>(m, "Evaluator");
    nb::class_<ZeroEvaluator, Evaluator>(m, "ZeroEvaluator").def(nb::init<int>(), "players"_a);
    nb::class_<NativeEvaluator, Evaluator>(m, "NativeEvaluator")
        .def(
            "__init__",
            [](NativeEvaluator* self, std::size_t state_bytes, std::uintptr_t address) {
                new (self) NativeEvaluator(state_bytes,
                                           reinterpret_cast<NativeEvaluator::Function>(address));
            },
            "state_bytes"_a, "address"_a);
    nb::class_<PlayoutEvaluator, Evaluator>(m, "PlayoutEvaluator")
        .def(nb::init<const Rules&, int, std::uint64_t>(), "rules"_a, "playouts"_a, "seed"_a,
             nb::keep_alive<1, 2>());
    nb::class_<PythonEvaluator, Evaluator>(
        m, "PythonEvaluator",
        nb::type_slots(collectable<PythonEvaluator, &PythonEvaluator::function>()))
        .def(nb::init<int, std::size_t, nb::object, int>(), "players"_a, "state_bytes"_a,
             "function"_a, "batch_hint"_a = 1);
    m.def("evaluate", evaluate, "rules"_a, "evaluator"_a, "states"_a, "out"_a,
          nb::sig("def evaluate(rules: Rules, evaluator: Evaluator, states: object, out: object) "
                  "-> None"));
}

}  // namespace unbounded
